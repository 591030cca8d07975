"""Texts that are hard to cut into words, and vectorisers beside those of scikit-learn, to compare with."""

import warnings
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st
from scipy import sparse

TEXTS = [
    "The cat sat on the mat; the cat slept.",
    "A dog? The DOG sat, and the dog's dogs sat on 2 mats.",
    "",
    "  \t\n ",
    "naïve café — crème brûlée, Ünïcode STRASSE straße ΟΔΟΣ οδός",
    "one two one two one two three",
    "a b c d e f",
    "x_1 y_2 __ _ 42 3.14 l'été co-op e-mail@example.org",
    "日本語 の 文章 日本語 한국어 텍스트 русский текст",
    "cat",
]
OTHERS = [
    "the unseen cat sat twice; the cat",
    "",
    "нет такого слова",
    "dogs on mats on DOGS",
    "one two three four",
]

# Letters that change when lowered (some to two), that only some neighbours change, digits of several scripts,
# marks, spaces and things that are none of these.
ODD = (
    "İıſKÅΣσςßẞŉǰǄǅǆᾳᾼᏸꭰᲐაﬁﬀ𐐀𐐨𞤀𝐀𝟘٣१²½Ⅷ①_'’-\u0301\u0307\u0345\u00ad\u200b\u200d\u2060\ufeff"
    "\x00\x1c\x1f\x7f\x85\xa0\u1680\u180e\u2003\u2028\u2029\u3000\ud800\udbff\udc00\udfff😀🇫🇷\ufffd\uffff\U0010ffff"
)
_PLAIN = "aaeeinorstAEST" + " " * 6 + "\n.,"
_WORDS = "the cat Cat a sat ΟΔΟΣ İstanbul straße 42 naïve e\u0301te\u0301 _ 日本".split()  # noqa: SIM905

any_character = st.characters()  # surrogates too, which st.text() leaves out
texts = st.one_of(
    st.text(any_character),
    st.text(st.one_of(st.sampled_from(_PLAIN), st.sampled_from(_PLAIN), st.sampled_from(ODD)), max_size=60),
    st.lists(st.sampled_from(_WORDS) | st.text(st.sampled_from("ab"), max_size=3)).map(" ".join),
)


def scikit_learn(vectorizer):
    """Return scikit-learn's own vectoriser, which this one of ours must agree with."""
    own = next(base for base in type(vectorizer).__mro__ if base.__module__.startswith("sklearn."))
    parameters = vectorizer.get_params()
    parameters.pop("n_jobs", None)
    parameters.pop("marks", None)
    if isinstance(vectorizer.analyzer, str) and vectorizer.analyzer == "split":
        parameters |= {"analyzer": "word", "token_pattern": r"\S+"}
    return own(**parameters)


@dataclass(frozen=True)
class Outcome:
    """What a call returned, or the error it raised, and its warnings."""

    value: object
    error: tuple[type, str] | None
    warnings: list[tuple[type, str]]


def outcome(call):
    """Call, and catch everything."""
    value = error = None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = call()
        except Exception as raised:
            error = type(raised), _as_theirs(str(raised))
    return Outcome(value, error, [(warning.category, _as_theirs(str(warning.message))) for warning in caught])


def _as_theirs(message):
    ours = (("HashedBagOfWords", "HashingVectorizer"), ("BagOfWords", "CountVectorizer"))
    for name, own in ours:
        message = message.replace(name, own)
    return message


def assert_same(found, expected):
    """Compare what two calls did; matrices may only differ in the order inside their rows."""
    assert found.error == expected.error
    assert found.warnings == expected.warnings
    if sparse.issparse(expected.value):
        assert_same_matrix(found.value, expected.value)
    else:
        np.testing.assert_array_equal(found.value, expected.value)


def assert_same_matrix(found, expected):
    """Compare two CSR matrices, explicit zeros and types included; the expected one has no duplicates."""
    assert type(found) is type(expected)
    assert found.shape == expected.shape
    assert found.dtype == expected.dtype
    found.check_format(full_check=True)
    rises = np.diff(found.indices) > 0
    rises[found.indptr[1:-1][(found.indptr[1:-1] > 0) & (found.indptr[1:-1] < found.nnz)] - 1] = True
    assert found.has_sorted_indices == rises.all()
    found, expected = found.sorted_indices(), expected.sorted_indices()
    for part in ("indptr", "indices", "data"):
        ours, theirs = getattr(found, part), getattr(expected, part)
        assert ours.dtype == theirs.dtype, part
        np.testing.assert_array_equal(ours, theirs, err_msg=part)


def assert_same_bits(found, expected):
    """Compare two CSR matrices array by array, as they come."""
    for part in ("indptr", "indices", "data"):
        ours, theirs = getattr(found, part), getattr(expected, part)
        assert ours.dtype == theirs.dtype, part
        assert ours.tobytes() == theirs.tobytes(), part


def check(vectorizer, texts=TEXTS, others=OTHERS):
    """Fit and transform beside scikit-learn, which must do the same; `texts` may be a function.

    Returns the matrix of `texts`, or None where fitting fails.
    """
    own = scikit_learn(vectorizer)
    fresh = texts if callable(texts) else lambda: texts
    found, expected = (outcome(lambda one=one: one.fit_transform(fresh())) for one in (vectorizer, own))
    assert_same(found, expected)
    assert_same_state(vectorizer, own)
    for more in (fresh, lambda: others):
        assert_same(*(outcome(lambda one=one, more=more: one.transform(more())) for one in (vectorizer, own)))
    fits = [outcome(lambda one=one: one.fit(fresh()) is one) for one in (vectorizer, own)]
    assert_same(*fits)
    assert_same_state(vectorizer, own)
    return found.value


def assert_same_state(vectorizer, own):
    """Compare what was learned."""
    assert hasattr(vectorizer, "vocabulary_") == hasattr(own, "vocabulary_")
    if hasattr(own, "vocabulary_"):
        assert vectorizer.vocabulary_ == own.vocabulary_
        names, own_names = vectorizer.get_feature_names_out(), own.get_feature_names_out()
        assert names.dtype == own_names.dtype
        assert names.tolist() == own_names.tolist()
