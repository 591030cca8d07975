"""The way from a vectoriser's settings to the compiled code, if that supports them."""

from itertools import count

from scipy import sparse
from sklearn import get_config

from .._utils.warnings import warn_user
from ..text import reading
from ..text._words import batches
from ..text.reading import BATCH_CHARACTERS, DEFAULT_PATTERN, SPLIT_PATTERN, compiled_reading, refuse_missing


def reading_of(vectorizer):
    """Return the compiled code's reading of a vectoriser; None if scikit-learn must read the texts.

    scikit-learn handles all unusual settings, and reports errors in them, except in parameters that
    scikit-learn does not have.
    """
    analyzer = vectorizer.analyzer
    if isinstance(analyzer, str) and analyzer not in vectorizer.analyzers:
        known = ", ".join(vectorizer.analyzers)
        raise ValueError(f"analyzer must be one of {known}, or callable; got {analyzer!r}")
    if _is_changed_vectorizer(type(vectorizer)) or not _reads_as_usual(vectorizer):
        return None
    if vectorizer.tokenizer is not None and analyzer != "split":
        return None
    stop_words = vectorizer.stop_words
    if stop_words is not None:
        if stop_words != "english" and type(stop_words) is not list:
            return None
        stop_words = vectorizer.get_stop_words()
    read = vectorizer.token_pattern, vectorizer.ngram_range, stop_words, vectorizer.marks
    return compiled_reading(analyzer, *read)


def _is_changed_vectorizer(cls):
    """Return whether a subclass changes how documents become terms."""
    own = next(base for base in cls.__mro__ if base.__module__.startswith("fastsvm."))
    hooks = ("decode", "build_preprocessor", "build_tokenizer", "build_analyzer", "get_stop_words")
    return any(getattr(cls, name) is not getattr(own, name) for name in hooks)


def _reads_as_usual(vectorizer):
    return (
        vectorizer.input in ("content", "file", "filename")
        and isinstance(vectorizer.encoding, str)
        and vectorizer.decode_error in ("strict", "ignore", "replace")
        and (vectorizer.strip_accents in (None, "ascii", "unicode") or callable(vectorizer.strip_accents))
        and isinstance(vectorizer.lowercase, bool)
        and (vectorizer.preprocessor is None or callable(vectorizer.preprocessor))
        and (vectorizer.token_pattern is None or isinstance(vectorizer.token_pattern, str))
    )


def documents(vectorizer, raw_documents):
    """Yield batches of decoded documents, lower-cased by Python where compiled code cannot."""
    prepare, lower = vectorizer.build_preprocessor(), vectorizer.lowercase
    every = vectorizer.preprocessor is not None or callable(vectorizer.strip_accents)

    def as_text(document, row):
        try:
            text = vectorizer.decode(document)
            if every:
                text = prepare(text)
        except (AttributeError, TypeError, ValueError):
            refuse_missing(document, row)
            raise
        if not isinstance(text, str):  # scikit-learn's tokenizer raises its own error
            refuse_missing(text, row)
            vectorizer.build_tokenizer()(text if every else prepare(text))
            raise TypeError(f"a document is of type {type(text).__name__}, not str")
        return str(text)

    if every or vectorizer.input != "content":
        raw_documents = map(as_text, raw_documents, count())
    left = prepare if vectorizer.strip_accents and not every else None
    return batches(raw_documents, as_text, left, lower and not every, BATCH_CHARACTERS, vectorizer.marks)


def warn_of_unused_pattern(vectorizer):
    """Warn, as scikit-learn does, of an unused token pattern."""
    if vectorizer.analyzer in ("split", "char", "char_wb") and vectorizer.token_pattern not in (
        None,
        DEFAULT_PATTERN,
    ):
        warn_user("The parameter 'token_pattern' will not be used since 'analyzer' != 'word'")


def check_stop_words(vectorizer):
    """Warn, as scikit-learn does and once for each list, of stop words that no text can contain."""
    words = vectorizer.stop_words
    if words is not None and vars(vectorizer).get("_stop_words_id") != id(words):
        vectorizer.build_analyzer()
        vectorizer._stop_words_id = id(words)


class Splitting:
    """The analyzer "split", for a vectoriser of scikit-learn, which is the next base class."""

    analyzers: tuple[str, ...] = ("word", "split", "char", "char_wb")
    marks = False

    def build_preprocessor(self):
        """Return the function that is applied to a text before tokenisation.

        Returns
        -------
        callable
        """
        prepare = super().build_preprocessor()
        return reading.composing(prepare, self.preprocessor is not None) if self.marks else prepare

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
        if self.marks and self.analyzer != "split" and self.tokenizer is None:
            return reading.token_regex(self.token_pattern, True).findall
        return super().build_tokenizer() if self.analyzer != "split" else self._by_pattern().build_tokenizer()

    def _by_pattern(self):
        """Make scikit-learn's vectoriser that is equal to "split"."""
        own = next(base for base in type(self).__mro__ if base.__module__.startswith("sklearn."))
        params = {name: getattr(self, name) for name in own().get_params(deep=False)}
        if self.marks:
            params["preprocessor"] = self.build_preprocessor()
        return own(**{**params, "analyzer": "word", "token_pattern": SPLIT_PATTERN, "tokenizer": None})


def container():
    """Return the configured type of sparse matrix of scikit-learn."""
    arrays = get_config().get("sparse_interface") == "sparray"
    return sparse.csr_array if arrays else sparse.csr_matrix
