"""Bags of words: learning and counting the terms of texts."""

from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count

import numpy as np

from .._utils import sparse
from ..fitting import Parameters, number_of_threads
from ._parts import csr_arrays
from ._words import batches
from .reading import (
    BATCH_CHARACTERS,
    DEFAULT_PATTERN,
    compiled_reading,
    composing,
    refuse_missing,
    refuse_string,
)
from .terms import Terms, document_limits, limit_terms


def _csr_matrix(*parts, **options):
    """Make SciPy's matrix; SciPy is imported only here."""
    return sparse.csr_matrix(*parts, **options)


def learn_bag(bag, documents, reading, n_threads, container=_csr_matrix):
    """Learn the terms of documents, and count them.

    Parameters
    ----------
    bag : Bag or BagOfWords
        Has the limits of terms, `binary` and `dtype`.
    documents : iterable of Batch
    reading : Reading or CharacterReading
    n_threads : int
    container : type or None, default=csr_matrix
        csr_matrix or csr_array; None: only terms are needed.

    Returns
    -------
    terms : Terms
    X : container of shape (n_documents, n_terms), or None

    Raises
    ------
    ValueError
        If there are no words, or none within the limits.
    """
    counter = reading.counter(n_threads)
    with bag_threads(n_threads) as run:
        for batch in documents:
            counter.add(batch, run)
        if counter.is_empty:
            raise ValueError("empty vocabulary; perhaps the documents only contain stop words")
        least, most = document_limits(bag, counter.n_documents)
        counter.finish(run, least)
        limit_terms(bag, counter, most, run)
        terms = Terms(*counter.vocabulary.terms(run))
        if container is None:
            return terms, None
        arrays = csr_arrays(counter.parts(), bag.dtype, bag.binary, run)
    return terms, container(arrays, shape=(counter.n_documents, len(terms)))


def count_bag(documents, finder, n_threads, dtype, binary, container=_csr_matrix):
    """Count the terms of a lookup, or of a `Hasher`, in documents.

    Parameters
    ----------
    documents : iterable of Batch
    finder : Lookup, CharacterLookup or Hasher
    n_threads : int
    dtype : dtype
    binary : bool
        Ones instead of counts.
    container : type, default=csr_matrix
        csr_matrix or csr_array.

    Returns
    -------
    container of shape (n_documents, n_columns)
    """
    parts = []
    with bag_threads(n_threads) as run:
        for batch in documents:
            bounds = batch.parts(n_threads)
            parts += run(finder.count, [batch] * n_threads, bounds, bounds[1:])
        data, indices, indptr = csr_arrays(parts, dtype, binary, run)
    return container((data, indices, indptr), shape=(len(indptr) - 1, finder.n_columns))


@contextmanager
def bag_threads(n):
    """Yield a function like `map` that uses n threads."""
    if n == 1:
        yield map
    else:
        from .._utils.thread_pool import Threads

        with Threads(n) as pool:
            yield pool.map


def as_text(text, row):
    """Return a text of a subclass of str as str, or raise TypeError or ValueError."""
    if not isinstance(text, str):
        refuse_missing(text, row)
        raise TypeError(f"a text is of type {type(text).__name__}, not str")
    return str(text)


@dataclass(eq=False, repr=False, kw_only=True)
class Bag(Parameters):
    """Counts of words and n-grams in texts of type str; parameters as in `fastsvm.text.BagOfWords`.

    Parameters
    ----------
    lowercase : bool, default=True
        Convert texts to lower case.
    preprocessor : callable or None, default=None
        A function from str to str, applied instead of lower-casing, such as `lower_without_markup`.
    token_pattern, ngram_range, analyzer, max_df, min_df, max_features, binary, dtype, n_jobs, marks : \
`BagOfWords`
        As in `BagOfWords`, with values that the compiled code supports.

    Attributes
    ----------
    terms_ : Terms
        The terms, in the order of their columns.
    """

    lowercase: bool = True
    preprocessor: Callable[[str], str] | None = None
    token_pattern: str = DEFAULT_PATTERN
    ngram_range: tuple[int, int] = (1, 1)
    analyzer: str = "word"
    max_df: float = 1.0
    min_df: float = 1
    max_features: int | None = None
    binary: bool = False
    dtype: type = np.int64
    n_jobs: int | None = None
    marks: bool = False

    def _compiled_reading(self):
        reading = compiled_reading(self.analyzer, self.token_pattern, self.ngram_range, marks=self.marks)
        if reading is None:
            raise ValueError(
                f"Bag does not support analyzer={self.analyzer!r} with token_pattern={self.token_pattern!r} "
                f"and ngram_range={self.ngram_range!r}; use BagOfWords."
            )
        return reading

    def _document_batches(self, texts):
        refuse_string(texts)
        lower = self.lowercase
        if self.preprocessor is not None:
            texts, lower = map(self.preprocessor, map(as_text, texts, count())), False
        return batches(texts, as_text, None, lower, BATCH_CHARACTERS, self.marks)

    def fit(self, texts, y=None):
        """Learn the terms of texts.

        Parameters
        ----------
        texts : iterable of str
            The texts.
        y : object, default=None
            Not used; scikit-learn's pipelines pass it.

        Returns
        -------
        self
            The fitted bag.
        """
        self.fit_transform(texts)
        return self

    def fit_transform(self, texts, y=None):
        """Learn the terms of texts, and return their counts.

        Parameters
        ----------
        texts : iterable of str
            The texts.
        y : object, default=None
            Not used; scikit-learn's pipelines pass it.

        Returns
        -------
        csr_matrix of shape (n_texts, n_terms)
            Counts.
        """
        documents, n_threads = self._document_batches(texts), number_of_threads(self.n_jobs)
        terms, X = learn_bag(self, documents, self._compiled_reading(), n_threads)
        self._set_terms(terms)
        return X

    def transform(self, texts):
        """Return the counts of the terms in texts.

        Parameters
        ----------
        texts : iterable of str
            The texts.

        Returns
        -------
        csr_matrix of shape (n_texts, n_terms)
            Counts.
        """
        if self._lookup is None:
            self._lookup = self._compiled_reading().lookup(self.terms_)
        n = number_of_threads(self.n_jobs)
        return count_bag(self._document_batches(texts), self._lookup, n, self.dtype, self.binary)

    def take(self, terms):
        """Use terms that were learned from other texts, or in batches; return the bag.

        Parameters
        ----------
        terms : Terms
            The terms.

        Returns
        -------
        self
            The bag.
        """
        self._set_terms(terms)
        return self

    def get_feature_names_out(self):
        """Return the terms in the order of their columns.

        Returns
        -------
        ndarray of shape (n_terms,), str objects
            The terms.
        """
        return np.asarray(self.terms_.strings(), dtype=object)

    def restrict(self, support, indices=False):
        """Keep some terms, and renumber them.

        Parameters
        ----------
        support : array of bool, or of ints
            Which terms to keep: a mask, or with `indices` their columns.
        indices : bool, default=False
            Whether `support` has column numbers, not a mask.

        Returns
        -------
        self
            The bag.
        """
        return self.take(self.terms_.at(np.asarray(support) if indices else np.flatnonzero(support)))

    strip_accents = stop_words = None
    """Parameters that only `BagOfWords` has."""

    def get_stop_words(self):
        """Return None: a Bag has no stop words."""

    def build_preprocessor(self):
        """Return the function that is applied to a text before tokenisation.

        Returns
        -------
        callable
            From str to str.
        """
        prepare = self.preprocessor or (str.lower if self.lowercase else str)
        return composing(prepare, self.preprocessor is not None) if self.marks else prepare

    def __getstate__(self):
        return {**vars(self), "_lookup": None}  # made again from the terms

    def _set_terms(self, terms):
        self.terms_, self._lookup = terms, None

    def _packed(self):
        return self.terms_
