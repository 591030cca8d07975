"""What the vectorisers share: which of their settings the compiled code knows, and the way to it."""

import warnings
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from numbers import Integral
from typing import NamedTuple

from ._fit import MAX_N
from ._words import batches

__all__ = [
    "DEFAULT_PATTERN",
    "SPLIT_PATTERN",
    "Reading",
    "Splitting",
    "check_stop_words",
    "compiled_reading",
    "documents",
    "reading_of",
    "refuse_string",
    "threads",
    "warn_of_unused_pattern",
]

DEFAULT_PATTERN = r"(?u)\b\w\w+\b"
SPLIT_PATTERN = r"\S+"

# Of each pattern: whether words are what white space divides, and the fewest characters of a word.
PATTERNS = {
    SPLIT_PATTERN: (True, 1),
    **{prefix + pattern: (False, 2) for prefix in ("", "(?u)") for pattern in (r"\b\w\w+\b", r"\w\w+")},
    **{prefix + pattern: (False, 1) for prefix in ("", "(?u)") for pattern in (r"\b\w+\b", r"\w+")},
}

ANALYZERS = ("word", "split", "char", "char_wb")

BATCH = 1 << 22  # characters that are held at once


class Reading(NamedTuple):
    """How the compiled code is to find the terms of a text."""

    split: bool
    least: int
    stop_words: list[bytes]
    first: int
    last: int


def reading_of(vectorizer):
    """Tell how the compiled code finds a vectoriser's terms; None if that is not for it to do.

    What is not exactly as expected is left to scikit-learn, which also says what is wrong with it, except
    for what it does not know.
    """
    n_jobs, analyzer = vectorizer.n_jobs, vectorizer.analyzer
    if n_jobs is not None and not isinstance(n_jobs, Integral):
        raise ValueError(f"n_jobs must be an int or None; got {n_jobs!r}")
    if _is_str(analyzer) and analyzer not in ANALYZERS:
        raise ValueError(f"analyzer must be one of {', '.join(ANALYZERS)}, or callable; got {analyzer!r}")
    if _is_changed(type(vectorizer)) or not _reads_as_usual(vectorizer):
        return None
    if vectorizer.tokenizer is not None and analyzer != "split":
        return None
    stop_words = vectorizer.stop_words
    if stop_words is not None:
        if stop_words != "english" and type(stop_words) is not list:
            return None
        stop_words = vectorizer.get_stop_words()
    return compiled_reading(analyzer, vectorizer.token_pattern, vectorizer.ngram_range, stop_words)


def compiled_reading(analyzer, token_pattern, ngram_range, stop_words=None):
    """Tell how the compiled code finds terms; None if that is not for it to do."""
    if type(ngram_range) is not tuple or len(ngram_range) != 2:
        return None
    first, last = ngram_range
    if not (isinstance(first, Integral) and isinstance(last, Integral) and 1 <= first <= last <= MAX_N):
        return None
    if analyzer == "split":
        rule = PATTERNS[SPLIT_PATTERN]
    elif analyzer == "word":
        rule = PATTERNS.get(token_pattern)
    else:
        rule = None
    if rule is None:
        return None
    words = sorted(filter(_is_str, stop_words or ()))
    encoded = [word.encode("utf-8", "surrogatepass") for word in words if word]
    return Reading(*rule, encoded, int(first), int(last))


def _is_changed(cls):
    """Tell whether a subclass has its own way to a document's terms."""
    own = next(base for base in cls.__mro__ if base.__module__.startswith(f"{__package__}."))
    hooks = ("decode", "build_preprocessor", "build_tokenizer", "build_analyzer", "get_stop_words")
    return any(getattr(cls, name) is not getattr(own, name) for name in hooks)


def _reads_as_usual(vectorizer):
    return (
        vectorizer.input in ("content", "file", "filename")
        and _is_str(vectorizer.encoding)
        and vectorizer.decode_error in ("strict", "ignore", "replace")
        and (vectorizer.strip_accents in (None, "ascii", "unicode") or callable(vectorizer.strip_accents))
        and isinstance(vectorizer.lowercase, bool)
        and (vectorizer.preprocessor is None or callable(vectorizer.preprocessor))
        and (vectorizer.token_pattern is None or _is_str(vectorizer.token_pattern))
    )


def _is_str(value):
    return isinstance(value, str)


def documents(vectorizer, raw_documents):
    """Yield batches of documents, decoded, and lower-cased by Python where only Python can."""
    prepare, lower = vectorizer.build_preprocessor(), vectorizer.lowercase
    every = vectorizer.preprocessor is not None or callable(vectorizer.strip_accents)
    texts = _texts(vectorizer, raw_documents, prepare if every else None)
    if every:
        return batches(texts, None, False, BATCH)
    return batches(texts, prepare if vectorizer.strip_accents else None, lower, BATCH)


def _texts(vectorizer, raw_documents, prepare):
    as_it_is = vectorizer.input == "content"
    for document in raw_documents:
        text = document
        if not as_it_is or type(text) is not str:
            text = vectorizer.decode(document)
        if prepare is not None:
            text = prepare(text)
        if type(text) is not str:
            if not _is_str(text):  # let the usual way say so
                vectorizer.build_tokenizer()(text if prepare else vectorizer.build_preprocessor()(text))
                raise TypeError(f"a document is of type {type(text).__name__}, not str")
            text = str(text)
        yield text


def refuse_string(raw_documents):
    """Raise ValueError, as scikit-learn does, where a text is given in place of texts."""
    if isinstance(raw_documents, str):
        raise ValueError("Iterable over raw text documents expected, string object received.")


def warn_of_unused_pattern(vectorizer):
    """Warn, as scikit-learn does, of a token pattern that "split" passes over."""
    if vectorizer.analyzer == "split" and vectorizer.token_pattern not in (None, DEFAULT_PATTERN):
        warnings.warn(
            "The parameter 'token_pattern' will not be used since 'analyzer' != 'word'", stacklevel=3
        )


def check_stop_words(vectorizer):
    """Warn, as scikit-learn does and once for the same list, of stop words that no text can have."""
    words = vectorizer.stop_words
    if words is not None and vars(vectorizer).get("_stop_words_id") != id(words):
        vectorizer.build_analyzer()
        vectorizer._stop_words_id = id(words)


class Splitting:
    """What a vectoriser of scikit-learn, the second base beside this one, has to be told of "split"."""

    def build_analyzer(self):
        """Return a function that makes the list of a document's terms.

        Returns
        -------
        callable
        """
        return super().build_analyzer() if self.analyzer != "split" else self._by_pattern().build_analyzer()

    def build_tokenizer(self):
        """Return a function that cuts a text into words.

        Returns
        -------
        callable
        """
        return super().build_tokenizer() if self.analyzer != "split" else self._by_pattern().build_tokenizer()

    def _by_pattern(self):
        """Make the vectoriser of scikit-learn that reads as "split" does."""
        params = self.get_params(deep=False)
        del params["n_jobs"]
        own = next(base for base in type(self).__mro__ if base.__module__.startswith("sklearn."))
        return own(**{**params, "analyzer": "word", "token_pattern": SPLIT_PATTERN, "tokenizer": None})


@contextmanager
def threads(n_jobs):
    """Give the number of threads and something like `map` that uses them."""
    from joblib import effective_n_jobs  # not needed to score texts

    n = effective_n_jobs(n_jobs)
    if n == 1:
        yield 1, map
    else:
        with ThreadPoolExecutor(n) as pool:
            yield n, pool.map
