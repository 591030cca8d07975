"""Character n-grams, inside words or not, beside those of CountVectorizer: what is their own of them."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastsvm.text import Bag, BagOfWords, HashedBagOfWords
from fastsvm.text.reading import CharacterReading, compiled_reading
from pairs import pairs
from twins import OTHERS, TEXTS, assert_same, assert_same_bits, check, outcome, scikit_learn
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


@pytest.mark.parametrize("ngrams", [(0, 2), (2, 1), (1.0, 2.0), [1, 2], (-1, 1)], ids=str)
def test_odd_ranges(ngrams):
    for analyzer in ANALYZERS:
        check(BagOfWords(analyzer=analyzer, ngram_range=ngrams))


def test_a_word_shorter_than_the_ngrams_is_counted_once():
    bag = BagOfWords(analyzer="char_wb", ngram_range=(4, 6))
    X = bag.fit_transform(["a of"])
    assert bag.get_feature_names_out().tolist() == [" a ", " of "]
    assert X.toarray().tolist() == [[1, 1]]


@pytest.mark.parametrize(
    "vocabulary",
    [
        ["", "ca", " c", "unseen", "at "],
        {"t": 2, " ": 0, "é": 1},
        ["\ud800", "\x00", "日"],
        ["a", "a"],
        ["no one"],
    ],
    ids=str,
)
@pytest.mark.parametrize("analyzer", ANALYZERS)
def test_given_vocabularies(analyzer, vocabulary):
    check(BagOfWords(analyzer=analyzer, ngram_range=(1, 3), vocabulary=vocabulary))


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.lists(hard_texts | st.text(" \t\n\xa0ab\u2003", max_size=9), min_size=1, max_size=6))
def test_any_texts(texts):
    for analyzer in ANALYZERS:
        check(BagOfWords(analyzer=analyzer, ngram_range=(1, 3)), texts, texts[::-1])


def test_patterns_and_stop_words_warn_as_in_scikit_learn():
    for analyzer in ANALYZERS:
        check(BagOfWords(analyzer=analyzer, token_pattern=r"\S+"))
        check(BagOfWords(analyzer=analyzer, stop_words=["the"]))


def test_hashing_them_is_left_to_scikit_learn():
    ours = HashedBagOfWords(analyzer="char_wb", ngram_range=(2, 4), n_features=512)
    assert_same(*(outcome(lambda one=one: one.fit_transform(TEXTS)) for one in (ours, scikit_learn(ours))))


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
