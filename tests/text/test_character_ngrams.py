"""Character n-grams, inside words or not, beside those of CountVectorizer: what is their own of them."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastsvm.text import Bag, BagOfWords
from fastsvm.text.reading import CharacterReading, compiled_reading
from pairs import pairs
from twins import OTHERS, TEXTS, assert_same_bits, check
from twins import texts as hard_texts

ANALYZERS = ["char_wb", "char"]
RANGES = [(1, 1), (2, 5), (1, 4), (3, 3), (5, 9), (40, 50)]


def test_they_are_compiled():
    assert compiled_reading("char_wb", None, (2, 5)) == CharacterReading(2, 5)
    assert compiled_reading("char", None, (2, 5)) == CharacterReading(2, 5, True)
    assert compiled_reading("char_wb", None, (2, 5), ["the"]) is None  # scikit-learn warns of these


@pytest.mark.parametrize(
    *pairs(
        analyzer=ANALYZERS,
        ngrams=RANGES,
        more=[{}, {"min_df": 2}, {"max_df": 0.4}, {"max_features": 30}, {"binary": True}],
    )
)
def test_as_in_scikit_learn(analyzer, ngrams, more):
    for n_jobs in (None, 3):
        check(BagOfWords(analyzer=analyzer, ngram_range=ngrams, n_jobs=n_jobs, **more), TEXTS, OTHERS)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.lists(hard_texts | st.text(" \t\n\xa0ab\u2003", max_size=9), min_size=1, max_size=6))
def test_any_texts(texts):
    for analyzer in ANALYZERS:
        check(BagOfWords(analyzer=analyzer, ngram_range=(1, 3)), texts, texts[::-1])


@pytest.mark.parametrize("analyzer", ANALYZERS)
def test_many_batches_and_threads_give_the_same_bits(analyzer, monkeypatch):
    rng = np.random.default_rng(0)
    texts = ["".join(rng.choice(list("abcdé  \n漢"), 200)) for _ in range(60)]
    whole = BagOfWords(analyzer=analyzer, ngram_range=(2, 4), min_df=2)
    X = whole.fit_transform(texts)
    for module in "fastsvm.text.bag", "fastsvm.estimators.vectorizers":
        monkeypatch.setattr(f"{module}.BATCH_CHARACTERS", 900)
    for n_jobs in (1, 2, 5):
        bag = BagOfWords(analyzer=analyzer, ngram_range=(2, 4), min_df=2, n_jobs=n_jobs)
        Y = bag.fit_transform(texts)
        assert bag.get_feature_names_out().tolist() == whole.get_feature_names_out().tolist()
        assert (X != Y).nnz == 0
        assert (bag.transform(texts) != X).nnz == 0
    plain = Bag(analyzer=analyzer, ngram_range=(2, 4), min_df=2, n_jobs=3)
    assert_same_bits(plain.fit_transform(texts), Y)
    assert_same_bits(pickle.loads(pickle.dumps(plain)).transform(texts), bag.transform(texts))


@pytest.mark.parametrize("analyzer", ANALYZERS)
def test_words_with_more_ngrams_than_a_block_holds(analyzer):
    """Blocks of 256 n-grams are counted one after the other."""
    texts = ["".join(chr(97 + i * i % 23) for i in range(n)) for n in (255, 256, 257, 700)]
    check(BagOfWords(analyzer=analyzer, ngram_range=(2, 3)), [" ".join(texts), *texts], texts[::-1])
