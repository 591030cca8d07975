"""What the vectorisers share: which of their settings the compiled code knows, and the way to it."""

import warnings
from numbers import Integral

from scipy import sparse
from sklearn import get_config

from ..text._words import batches
from ..text.reading import BATCH, DEFAULT_PATTERN, SPLIT_PATTERN, compiled_reading

__all__ = [
    "Splitting",
    "check_stop_words",
    "container",
    "documents",
    "reading_of",
    "warn_of_unused_pattern",
]

ANALYZERS = ("word", "split", "char", "char_wb")


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


def _is_changed(cls):
    """Tell whether a subclass has its own way to a document's terms."""
    own = next(base for base in cls.__mro__ if base.__module__.startswith("fastsvm."))
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

    def as_text(document):
        text = vectorizer.decode(document)
        if every:
            text = prepare(text)
        if not _is_str(text):  # let the usual way say so
            vectorizer.build_tokenizer()(text if every else prepare(text))
            raise TypeError(f"a document is of type {type(text).__name__}, not str")
        return str(text)

    if every or vectorizer.input != "content":
        raw_documents = map(as_text, raw_documents)
    if every:
        return batches(raw_documents, str, None, False, BATCH)
    return batches(raw_documents, as_text, prepare if vectorizer.strip_accents else None, lower, BATCH)


def warn_of_unused_pattern(vectorizer):
    """Warn, as scikit-learn does, of a token pattern that is passed over."""
    if vectorizer.analyzer in ("split", "char_wb") and vectorizer.token_pattern not in (
        None,
        DEFAULT_PATTERN,
    ):
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


def container():
    """Return the type of sparse matrix that scikit-learn is configured to give."""
    arrays = get_config().get("sparse_interface") == "sparray"
    return sparse.csr_array if arrays else sparse.csr_matrix
