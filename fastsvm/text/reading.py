"""Rules for cutting texts into terms that the compiled code supports."""

import re
from functools import cache, lru_cache
from math import isnan
from numbers import Integral
from typing import NamedTuple
from unicodedata import normalize

from ._characters import CharacterCounter, CharacterLookup
from ._counter import MAX_N, Counter
from ._lookup import Lookup
from ._words import combining_marks

DEFAULT_PATTERN = r"(?u)\b\w\w+\b"
SPLIT_PATTERN = r"\S+"

# For each pattern: whether white space divides words, and the minimum number of characters of a word.
PATTERNS = {
    SPLIT_PATTERN: (True, 1),
    **{
        prefix + edge + word + edge: (False, least)
        for prefix in ("", "(?u)")
        for edge in ("", r"\b")
        for word, least in ((r"\w\w+", 2), (r"\w{2,}", 2), (r"\w+", 1), (r"\w{1,}", 1))
    },
}

MAX_CHARACTERS = 1 << 30  # of an n-gram; the compiled code numbers them
BATCH_CHARACTERS = 1 << 22  # characters in memory at once


class Reading(NamedTuple):
    """Rules for finding the terms of a text, n-grams of words, in compiled code."""

    split: bool
    least: int
    stop_words: list[bytes]
    first: int
    last: int
    marks: bool = False

    def counter(self, n_threads):
        """Return an object that learns terms while it counts them."""
        return Counter(n_threads, *self)

    def lookup(self, terms):
        """Return an object that counts known terms."""
        return Lookup(terms.content, terms.ends, *self)


class CharacterReading(NamedTuple):
    """Rules for finding character n-grams, inside words or in the whole text."""

    first: int
    last: int
    whole: bool = False

    def counter(self, n_threads):
        """Return an object that learns n-grams while it counts them."""
        return CharacterCounter(*self, n_threads)

    def lookup(self, terms):
        """Return an object that counts known n-grams."""
        return CharacterLookup(*self, terms.content, terms.ends)


def compiled_reading(analyzer, token_pattern, ngram_range, stop_words=None, marks=False):
    """Return the rules by which compiled code finds terms; None if it does not support these settings."""
    if type(ngram_range) is not tuple or len(ngram_range) != 2:
        return None
    first, last = ngram_range
    if not (isinstance(first, Integral) and isinstance(last, Integral) and 1 <= first <= last):
        return None
    if analyzer in ("char", "char_wb"):
        usual = last <= MAX_CHARACTERS and not stop_words
        return CharacterReading(int(first), int(last), analyzer == "char") if usual else None
    if last > MAX_N:
        return None
    pattern = SPLIT_PATTERN if analyzer == "split" else token_pattern
    rule = PATTERNS.get(pattern) if analyzer in ("word", "split") else None
    if rule is None:
        return None
    return Reading(*rule, _encoded(frozenset(stop_words or ())), int(first), int(last), bool(marks))


def composing(prepare, is_own):
    """Return `prepare` with NFC, applied before lower-casing or after a custom preprocessor."""
    return lambda text: normalize("NFC", prepare(text)) if is_own else prepare(normalize("NFC", text))


@cache
def token_regex(pattern, marks=False):
    """Return the regular expression that finds the words of a text, as `Bag` does in compiled code.

    Parameters
    ----------
    pattern : str
        A token pattern.
    marks : bool, default=False
        Combining marks belong to the word before them, as in `BagOfWords`. Texts must be in NFC.

    Returns
    -------
    re.Pattern
        The compiled expression.

    Examples
    --------
    >>> token_regex(r"\\w+").findall("हिन्दी में")
    ['ह', 'न', 'द', 'म']
    >>> token_regex(r"\\w+", marks=True).findall("हिन्दी में")
    ['हिन्दी', 'में']
    """
    split, least = PATTERNS.get(pattern, (True, 1))
    if marks and not split:
        pattern = rf"\w[\w{combining_marks()}]{{{least - 1},}}"
    return re.compile(pattern)


@lru_cache(maxsize=8)
def _encoded(stop_words):
    words = sorted(word for word in stop_words if isinstance(word, str))
    return [word.encode("utf-8", "surrogatepass") for word in words if word]


def refuse_string(raw_documents):
    """Raise a ValueError for a single text instead of texts, as scikit-learn does, or for a table."""
    if isinstance(raw_documents, str):
        raise ValueError("Iterable over raw text documents expected, string object received.")
    if hasattr(raw_documents, "columns"):
        raise ValueError("Texts are expected, but this is a table: pass one column, such as table['text'].")


def refuse_missing(text, row):
    """Raise a ValueError that names the row of a missing text."""
    if text is None or type(text).__name__ == "NAType" or (isinstance(text, float) and isnan(text)):
        name = "np.nan" if isinstance(text, float) else text
        raise ValueError(
            f"{name} is an invalid document, expected byte or unicode string. It is in row {row}, counted "
            "from 0: drop it, or put '' in its place."
        ) from None
