"""BagOfWords beside CountVectorizer on Unicode: Python's lower case, and what Python takes for a letter."""

import sys
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastsvm.text import BagOfWords
from twins import ODD, assert_same, assert_same_bits, assert_same_state, check, outcome, scikit_learn, texts


def agree(texts, **parameters):
    """Check one, two and three threads, bit for bit among them."""
    X = check(BagOfWords(n_jobs=1, **parameters), texts, texts[::-1])
    for n_jobs in (2, 3):
        other = BagOfWords(n_jobs=n_jobs, **parameters)
        if X is None:
            with pytest.raises(ValueError, match="empty vocabulary"):
                other.fit(texts)
        else:
            assert_same_bits(other.fit_transform(texts), X)


PARAMETERS = [
    {},
    {"ngram_range": (1, 2)},
    {"analyzer": "split"},
    {"lowercase": False},
    {"strip_accents": "unicode"},
    {"strip_accents": "ascii", "ngram_range": (2, 3)},
    {"analyzer": "char_wb", "ngram_range": (2, 5)},
    {"analyzer": "char_wb", "ngram_range": (1, 2), "lowercase": False, "binary": True},
]


@pytest.mark.parametrize("examples", [10, pytest.param(100, marks=pytest.mark.slow)])
@pytest.mark.parametrize("parameters", PARAMETERS, ids=str)
def test_hard_texts(parameters, examples):
    @settings(max_examples=examples, deadline=None, derandomize=True)
    @given(st.lists(texts, min_size=1, max_size=20))
    def run(texts):
        agree(texts, **parameters)

    run()


def is_like_its_neighbours(point):
    """Whether it is a letter without case (of Chinese, say), free or private: there are a million of them."""
    kinds = ("Lo", "Cn", "Co", "Cs")
    return unicodedata.category(chr(point)) in kinds and not unicodedata.decomposition(chr(point))


ALL = range(sys.maxunicode + 1)


@pytest.fixture(scope="module")
def points():
    """Whatever is not like its neighbours, and some that are."""
    return [p for p in ALL if p < 0x3000 or p % 610 == 0 or not is_like_its_neighbours(p)]


def blocks(points, make, size=4096):
    return ["".join(make(chr(p)) for p in points[i : i + size]) for i in range(0, len(points), size)]


def fits_alike(ours, texts):
    """Check much text in one pass over it."""
    own = scikit_learn(ours)
    assert_same(*(outcome(lambda one=one: one.fit_transform(texts)) for one in (ours, own)))
    assert_same_state(ours, own)


@pytest.mark.parametrize(
    "make",
    [lambda c: f"{c} ", lambda c: f"{c}{c} ", lambda c: f"a{c}b ", lambda c: f" x{c}", lambda c: f"!{c}x"],
    ids=["alone", "twice", "between letters", "at the end", "at the beginning"],
)
def test_code_points(make, points):
    fits_alike(BagOfWords(), blocks(points, make))
    fits_alike(BagOfWords(analyzer="split"), blocks(points, make))


@pytest.mark.slow
def test_every_code_point():
    fits_alike(BagOfWords(strip_accents="unicode"), blocks(ALL, lambda c: f"a{c}b "))


def test_a_sigma_beside_a_code_point(points):
    """Whether a capital sigma is the last of its word decides what its lower case is."""
    texts = blocks(points, lambda c: f"ΑΣ{c} x{c}Σ ΑΣ{c}Α Α{c}Σ, ")
    fits_alike(BagOfWords(analyzer="split"), texts)


@pytest.mark.parametrize("strip_accents", ["ascii", "unicode"])
def test_accents(strip_accents, points):
    fits_alike(BagOfWords(strip_accents=strip_accents), blocks(points, lambda c: f"a{c}b {c}{c} "))


def test_a_sigma_at_either_end_of_a_text():
    texts = ["Σ", "ΑΣ", "ΣΑ", "ΣΣ", "ΑΣ'", "ΑΣ'Α", "ΑΣ''''\u0301\u00adΑ", "1Σ", "Σ1", "ΣΣΣ ΣΣ Σ"]
    texts += ["aΣ", "Σa", "ΑΣ\x00"]
    texts += [f"{word}{mark}{more}" for word in ("ΑΣ", "xΣ") for mark in ODD for more in ("", "Α", " Α")]
    check(BagOfWords(), texts)
    check(BagOfWords(analyzer="split", ngram_range=(1, 2)), texts)


def test_surrogates_stay_apart():
    """A high and a low surrogate in a string are not the character they would make in UTF-16."""
    texts = ["ab\ud83d\ude00cd x😀y", "\ud800", "\udfff\ud800", "a\ud800b \udc00\udc00"]
    texts += ["\ud835\udc00 𝐀𝐀", "é\udcffé"]
    check(BagOfWords(), texts)
    ours = BagOfWords(analyzer="split")
    check(ours, texts)
    assert "\ud83d\ude00" not in "".join(ours.vocabulary_) or "ab\ud83d\ude00cd" in ours.vocabulary_


def test_terms_with_nul():
    texts = ["a\x00b a\x00c a\x00 a", "\x00 \x00\x00 a\x00b"]
    X = check(BagOfWords(analyzer="split"), texts)
    assert X.shape[1] == 6
    check(BagOfWords(), texts)
