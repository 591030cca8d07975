"""BagOfWords beside CountVectorizer: its parameters, and what holds after fitting."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastsvm.text import BagOfWords
from twins import (
    TEXTS,
    assert_same,
    assert_same_bits,
    assert_same_matrix,
    assert_same_state,
    check,
    outcome,
    scikit_learn,
)
from twins import texts as hard_texts

STOP_WORDS = [None, "english", ["the", "cat"], ["one", "two", "three", "The", "", "on the"], []]


VALUES = {
    "ngram_range": [
        *((3, 9), (9, 9), (0, 0), (0, 1), (0, 2), (-1, 1), (2, 1), (1, 0)),
        *((1,), (1, 2, 3), (1.0, 2.0), [1, 2]),
    ],
    "stop_words": ["english", ["don't", "l'été"], ["The"], [1], ["a b"], "french", {"the"}],
    "min_df": [2, 3, 0.2, 0.0, 1.0, 9, 100, 0, -1, 1.5],
    "max_df": [1, 2, 0.1, 0.3, 0.0, "many"],
    "max_features": [0, 1.5, 2, 10**6],
    "dtype": [np.int32, np.float32, np.float64, np.uint8, bool, "float32", np.dtype("int16")],
    "vocabulary": [
        ["cat", "the", "unseen", "dogs", "mat", "t", "at "],
        {"cat", "the", "unseen", "mat"},
        {"cat": 2, "the": 0, "unseen": 1},
        {"cat": np.int64(1), "the": np.int32(0)},
        ("the cat", "cat", "on the mat", "cat sat on"),
        np.array(["cat", "the", "dog's"]),
        ["", "a  b", " x", "x ", "cat ", "the  cat", "the\tcat", "Foo", "The", "a", "cat", "the cat"],
        ["\ud800", "cat", "\x00", "日"],
        ["οδος", "οδός", "i̇", "straße", "STRASSE", "日本語", "crème brûlée"],
        ["no", "such", "words"],
        ["cat", "dog", "cat"],
        *({"cat": 0, "dog": 0}, {"cat": 0, "dog": 2}, {"cat": -1, "dog": 0}, {"cat": 0.0, "dog": 1.0}),
        *([], {}, "cat", 5),
    ],
    **{name: ["words"] for name in ("input", "decode_error", "strip_accents", "lowercase")},
    **{"encoding": [None], "binary": [True, 2], "preprocessor": [1], "n_jobs": [2]},
}
OTHERS = [
    *({}, {"ngram_range": (1, 2), "binary": True}, {"lowercase": False, "analyzer": "split"}),
    *({"min_df": 2, "max_df": 0.4, "max_features": 2}, {"max_df": 2, "min_df": 3}),
    *({"analyzer": name, "ngram_range": (1, 3)} for name in ("char", "char_wb")),
]


@pytest.mark.parametrize("others", OTHERS, ids=str)
@pytest.mark.parametrize("name", VALUES)
def test_each_value_of_a_parameter_with_others(name, others):
    texts = [*TEXTS, "many " * 300]  # more than eight bits count
    for value in VALUES[name]:
        ours = BagOfWords(**{**others, name: value})
        before_fit = [outcome(lambda one=one: one.transform(texts)) for one in (ours, scikit_learn(ours))]
        assert_same(*before_fit)
        check(ours, texts)


INVALID = [{"dtype": "no such type"}, {"tokenizer": "words"}]
INVALID += [{"token_pattern": pattern} for pattern in (r"(a)(b)", r"(", None, 3)]


@pytest.mark.parametrize("parameters", INVALID, ids=str)
def test_invalid_parameters(parameters):
    ours = BagOfWords(**parameters)
    assert_same(*(outcome(lambda one=one: one.fit_transform(TEXTS)) for one in (ours, scikit_learn(ours))))


def test_the_terms_of_a_vocabulary_are_strings():
    for vocabulary in (["cat", 3], [("the", "cat")], [b"cat"], {None: 0}):
        vectorizer = BagOfWords(vocabulary=vocabulary, lowercase=False)
        for method in (vectorizer.fit, vectorizer.transform):
            with pytest.raises(TypeError, match="terms of a vocabulary are strings; got "):
                method(TEXTS)


def test_a_vocabulary_that_can_be_read_once():
    ours, theirs = (BagOfWords(vocabulary=iter(["cat", "dog"])) for _ in range(2))
    assert_same_state(ours.fit(TEXTS), scikit_learn(theirs).fit(TEXTS))


SIGNS, LETTERS = (["", "\x01", "\x1fa", "!"], "split"), (["", "é", "\U0001d4b3"], "word")


@pytest.mark.parametrize(
    ("ends", "analyzer", "least"),
    [
        (*LETTERS, 2),
        (*SIGNS, 1),
        *(pytest.param(*rest, marks=pytest.mark.slow) for rest in ((*LETTERS, 1), (*SIGNS, 2))),
    ],
)
def test_many_terms_are_sorted_and_numbered_alike_by_any_number_of_threads(ends, analyzer, least):
    """Of words with the same first bytes, of one byte, and with what is below a blank."""
    rng = np.random.default_rng(0)
    starts = ["a", "b", "common", "commonly", "commonplace", *(f"{k:x}" for k in range(400))]
    words = [f"{start}{end}" for start in starts for end in ends]
    words += [f"{word}{end}" for word in words[:60] for end in ends]
    common = rng.zipf(1.3, 40_000) % len(words)
    texts = [" ".join(words[k] for k in row) for row in np.array_split(common, 300)]
    models = [
        BagOfWords(analyzer=analyzer, ngram_range=(1, 3), min_df=least, n_jobs=n_jobs)
        for n_jobs in (1, 2, 3, 7)
    ]
    matrices = [model.fit_transform(texts) for model in models]
    usual = scikit_learn(models[0])
    assert_same_matrix(usual.fit_transform(texts), matrices[0].sorted_indices())
    for model, X in zip(models, matrices, strict=True):
        assert model.get_feature_names_out().tolist() == usual.get_feature_names_out().tolist()
        assert_same_bits(matrices[0], X)
    assert X.shape[1] > 20_000 / least**2


@pytest.mark.parametrize("n_jobs", [2, 3])
def test_the_first_thread_may_have_no_term(n_jobs, monkeypatch):
    """Of a few terms of three words none may be its own; what memory happens to hold is then no number."""
    empty = np.empty

    def filled(shape, dtype=float, **options):
        array = empty(shape, dtype, **options)
        if array.dtype == np.int32:
            array.fill(2**30)
        return array

    monkeypatch.setattr(np, "empty", filled)
    for n in range(10):  # more words give others more numbers, and one term of three to another thread
        texts = [" ".join(f"word{k}" for k in range(n)), *2 * ["the cat sat"]]
        check(BagOfWords(ngram_range=(1, 3), min_df=2, n_jobs=n_jobs), texts, texts)


@pytest.mark.parametrize("n_jobs", [1.5, "two"])
def test_n_jobs_is_checked(n_jobs):
    with pytest.raises(ValueError, match="n_jobs"):
        BagOfWords(n_jobs=n_jobs).fit(TEXTS)


def test_an_unknown_analyzer():
    with pytest.raises(ValueError, match=r"analyzer must be .*split.* or callable; got 'lines'"):
        BagOfWords(analyzer="lines").fit(TEXTS)


def test_only_stop_words():
    check(BagOfWords(stop_words="english"), ["the and of", "not a"])
    check(BagOfWords(stop_words=["cat"], ngram_range=(2, 2)), ["cat dog", "dog cat"])


def test_transform_before_fit():
    ours = BagOfWords()
    for name, *args in (("transform", TEXTS), ("get_feature_names_out",), ("inverse_transform", [[1]])):
        results = [
            outcome(lambda one=one, n=name, a=args: getattr(one, n)(*a)) for one in (ours, scikit_learn(ours))
        ]
        assert_same(*results)
        assert results[0].error


# After fitting


@pytest.mark.parametrize(
    "parameters",
    [
        {"lowercase": False},
        {"binary": True},
        {"ngram_range": (2, 2)},
        {"stop_words": ["the"]},
        {"dtype": np.float32},
        {"strip_accents": "ascii"},
        {"token_pattern": r"\w+"},
        {"vocabulary": ["cat"]},
        {"min_df": 3},
        {"input": "filename"},
    ],
    ids=str,
)
def test_parameters_set_after_fitting_hold(parameters):
    ours = BagOfWords(ngram_range=(1, 2)).fit(TEXTS)
    own = scikit_learn(ours).fit(TEXTS)
    results = [outcome(lambda one=one: one.set_params(**parameters).transform(TEXTS)) for one in (ours, own)]
    assert_same(*results)


def test_a_vocabulary_assigned_is_used():
    ours, own = BagOfWords(), scikit_learn(BagOfWords())
    for vocabulary in ({"cat": 1, "dog": 0}, {"the": 0, "a": 1, "mats": 2}):
        for one in (ours, own):
            one.vocabulary_ = dict(vocabulary)
        assert_same_matrix(ours.transform(TEXTS), own.transform(TEXTS))
        assert_same_state(ours, own)


def test_results_are_not_shared():
    vectorizer = BagOfWords().fit(TEXTS)
    X = vectorizer.transform(TEXTS)
    X.data[:] = 7
    X.indices[:] = 0
    names = vectorizer.get_feature_names_out()
    names[:] = "gone"
    check_after = scikit_learn(vectorizer).fit(TEXTS)
    assert_same_matrix(vectorizer.transform(TEXTS), check_after.transform(TEXTS))
    assert_same_state(vectorizer, check_after)


def test_the_parts_of_the_analysis():
    for parameters in ({}, {"ngram_range": (1, 2), "stop_words": "english"}, {"analyzer": "split"}):
        ours = BagOfWords(**parameters)
        own = scikit_learn(ours)
        for text in TEXTS:
            assert ours.build_analyzer()(text) == own.build_analyzer()(text)
            assert ours.build_preprocessor()(text) == own.build_preprocessor()(text)
            assert ours.decode(text.encode()) == own.decode(text.encode())
        assert ours.get_stop_words() == own.get_stop_words()


# Any combination of parameters


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    st.lists(hard_texts, min_size=1, max_size=12),
    st.fixed_dictionaries(
        {},
        optional={
            "analyzer": st.sampled_from(["word", "split"]),
            "lowercase": st.booleans(),
            "ngram_range": st.sampled_from([(1, 1), (1, 2), (2, 2), (1, 3), (2, 3)]),
            "strip_accents": st.sampled_from([None, "ascii", "unicode"]),
            "stop_words": st.sampled_from(STOP_WORDS),
            "min_df": st.integers(1, 3) | st.floats(0, 1),
            "max_df": st.integers(1, 12) | st.floats(0, 1),
            "max_features": st.none() | st.integers(1, 30),
            "binary": st.booleans(),
            "dtype": st.sampled_from([np.int64, np.int32, np.float32, np.float64]),
            "n_jobs": st.sampled_from([None, 1, 2, 3, 16, -1]),
        },
    ),
)
def test_any_parameters(texts, parameters):
    check(BagOfWords(**parameters), texts, texts[::-1])


# The corpora beside the project


@pytest.mark.parametrize("ngrams", [(1, 1), pytest.param((1, 2), marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", ["sentiment.txt", pytest.param("imdb_10k.tsv", marks=pytest.mark.slow)])
def test_corpora(shared, name, ngrams):
    texts = (shared / name).read_text(encoding="utf-8").splitlines()
    train, rest = texts[: len(texts) // 2], texts[len(texts) // 2 :]
    analyzer = "split" if name == "sentiment.txt" else "word"
    ours = BagOfWords(analyzer=analyzer, ngram_range=ngrams, n_jobs=1)
    own = scikit_learn(ours)
    X = ours.fit_transform(train)
    Y = ours.transform(rest)
    assert_same_matrix(X, own.fit_transform(train))
    assert_same_matrix(Y, own.transform(rest))
    assert_same_state(ours, own)
    for n_jobs in (2, 3):
        other = BagOfWords(analyzer=analyzer, ngram_range=ngrams, n_jobs=n_jobs)
        assert_same_bits(other.fit_transform(iter(train)), X)
        assert_same_bits(other.transform(iter(rest)), Y)
        assert other.vocabulary_ == own.vocabulary_
