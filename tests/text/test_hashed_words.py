"""HashedBagOfWords beside HashingVectorizer."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastsvm.text import HashedBagOfWords
from twins import OTHERS, TEXTS, assert_same, assert_same_bits, assert_same_matrix, outcome, scikit_learn
from twins import texts as hard_texts


def check(vectorizer, texts=TEXTS):
    """Transform beside scikit-learn, with and without fitting; return the matrix, or None where it fails."""
    own = scikit_learn(vectorizer)
    fresh = texts if callable(texts) else lambda: texts
    for method in ("transform", "fit_transform"):
        results = [outcome(lambda one=one, m=method: getattr(one, m)(fresh())) for one in (vectorizer, own)]
        assert_same(*results)
    return results[0].value


def test_opposite_signs_leave_an_explicit_zero():
    """As in scikit-learn, which makes it a 1 where `binary` is asked for."""
    words = [f"word{i}" for i in range(50)]
    X = check(HashedBagOfWords(n_features=1, norm=None), [f"{a} {b}" for a in words for b in words])
    assert (X.data == 0).any()
    check(HashedBagOfWords(n_features=1, norm="l2"), [f"{a} {b}" for a in words for b in words])
    check(HashedBagOfWords(n_features=1, norm=None, binary=True), [f"{a} {b}" for a in words for b in words])


VALUES = {
    "n_features": [0, 7, 2**31, 1.5],
    "norm": ["l1", "l2", None, "l3"],
    "alternate_sign": [False, "yes"],
    "binary": [True, 3],
    "dtype": [np.float64, np.float32, np.int64, np.int32, "float32", "no such type"],
    "stop_words": ["french"],
}


@pytest.mark.parametrize("others", [{}, {"binary": True}, {"n_features": 50, "norm": None}], ids=str)
@pytest.mark.parametrize("name", VALUES)
def test_each_value_of_a_parameter_with_others(name, others):
    for value in VALUES[name]:
        ours = HashedBagOfWords(**{**others, name: value})
        both = ours, scikit_learn(ours)  # whose transform checks nothing, and may end the process
        fits = ours.transform, ours.fit_transform, both[1].fit_transform
        found = [outcome(lambda fit=fit: fit(TEXTS)) for fit in fits]
        assert_same(found[0], found[2])
        assert_same(found[1], found[2])
        for fit in ("fit", "partial_fit"):
            assert_same(*(outcome(lambda one=one, fit=fit: getattr(one, fit)(TEXTS) is one) for one in both))


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    st.lists(hard_texts, min_size=1, max_size=12),
    st.fixed_dictionaries(
        {},
        optional={
            "n_features": st.integers(1, 2**31 - 2) | st.integers(1, 50),
            "analyzer": st.sampled_from(["word", "split"]),
            "lowercase": st.booleans(),
            "ngram_range": st.sampled_from([(1, 1), (1, 2), (2, 2), (2, 3)]),
            "strip_accents": st.sampled_from([None, "ascii", "unicode"]),
            "stop_words": st.sampled_from([None, "english", ["the", "cat"]]),
            "binary": st.booleans(),
            "norm": st.sampled_from(["l1", "l2", None]),
            "alternate_sign": st.booleans(),
            "dtype": st.sampled_from([np.float32, np.float64]),
            "n_jobs": st.sampled_from([None, 1, 2, 3]),
        },
    ),
)
def test_any_parameters(texts, parameters):
    texts = [text.encode("utf-8", "replace").decode() for text in texts]  # of surrogates: see below
    check(HashedBagOfWords(**parameters), texts)


def test_a_lone_surrogate():
    """scikit-learn cannot hash it; a stream should not end there."""
    assert check(HashedBagOfWords(), ["a word, \ud800 and another"]).nnz  # it is no word
    ours = HashedBagOfWords(analyzer="split")
    texts = ["a \ud800 word", "\udc00", "\ud800"]
    with pytest.raises(UnicodeEncodeError):
        scikit_learn(ours).transform(texts)
    X = ours.transform(texts)
    assert np.diff(X.indptr).tolist() == [3, 1, 1]
    assert X[2].indices[0] in X[0].indices
    assert X[2].indices[0] != X[1].indices[0]


def test_long_terms():
    """Every length of the last, incomplete block of the hash, and a long one."""
    texts = ["x" * i + "é" * j + " end" for i in range(2, 40) for j in range(3)] + ["ab" * 500_000]
    check(HashedBagOfWords(ngram_range=(1, 2)), texts)


@pytest.mark.parametrize("ngrams", [(1, 2), (2, 2), (2, 3)])
def test_more_ngrams_than_are_hashed_at_once(ngrams):
    """Room is made after every 256."""
    texts = [" ".join(f"w{k % 400}" for k in range(n)) for n in (255, 256, 257, 258, 259, 1000)]
    check(HashedBagOfWords(ngram_range=ngrams, norm=None), texts)
    check(HashedBagOfWords(ngram_range=ngrams, norm=None, n_features=50), texts[::-1])


NO_TEXTS = [[""], ["", "a"], "a single string", 5, ["a", b"\xff"], ["one", 3]]


@pytest.mark.parametrize("texts", NO_TEXTS, ids=repr)
def test_texts_that_are_none(texts):
    check(HashedBagOfWords(), texts)


def test_no_texts_at_all():
    with pytest.raises((ValueError, StopIteration)):
        HashedBagOfWords().transform([])


def test_nothing_is_learned():
    vectorizer = HashedBagOfWords()
    X = vectorizer.transform(TEXTS)
    assert vectorizer.partial_fit(OTHERS) is vectorizer
    assert vectorizer.fit(OTHERS) is vectorizer
    assert {name for name in vars(vectorizer) if not name.startswith("_")} == vectorizer.get_params().keys()
    assert_same_bits(vectorizer.transform(TEXTS), X)


def test_bits_do_not_depend_on_threads():
    rng = np.random.default_rng(0)
    texts = [" ".join(f"w{i}" for i in rng.geometric(0.01, rng.integers(0, 50))) for _ in range(2000)]
    for more in ({}, {"n_features": 100, "ngram_range": (1, 2), "dtype": np.float32}):
        X = HashedBagOfWords(n_jobs=1, **more).transform(texts)
        assert_same_matrix(X, scikit_learn(HashedBagOfWords(**more)).transform(texts))
        for n_jobs in (2, 3, 16, -1):
            assert_same_bits(HashedBagOfWords(n_jobs=n_jobs, **more).transform(iter(texts)), X)


@pytest.mark.slow
@pytest.mark.parametrize("ngrams", [(1, 1), (1, 2)])
def test_corpora(shared, ngrams):
    for name, analyzer in (("sentiment.txt", "split"), ("imdb_10k.tsv", "word")):
        texts = (shared / name).read_text(encoding="utf-8").splitlines()[:4000]
        ours = HashedBagOfWords(analyzer=analyzer, ngram_range=ngrams, n_jobs=2)
        assert_same_matrix(ours.transform(texts), scikit_learn(ours).transform(texts))
