"""Bags of hashed words: HashingVectorizer, compiled."""

from numbers import Integral

import numpy as np
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.preprocessing import normalize

from ..text._lookup import Hasher
from ..text.bag import count_bag
from ..text.reading import DEFAULT_PATTERN, Reading, refuse_string
from ..text.weighting import weigh
from .base import threads_of
from .vectorizers import Splitting, check_stop_words, container, documents, reading_of, warn_of_unused_pattern


class HashedBagOfWords(Splitting, HashingVectorizer):
    """Counts of hashed words and n-grams: scikit-learn's `HashingVectorizer`, compiled.

    There is no vocabulary and nothing to fit: documents may come from a stream, batch by batch, and
    `partial_fit` exists for pipelines that call it. Columns, signs, values, dtypes and shape are exactly
    HashingVectorizer's. scikit-learn handles the same settings as in `BagOfWords`, and character n-grams.

    Parameters
    ----------
    input, encoding, decode_error, strip_accents, lowercase, preprocessor, tokenizer, stop_words, \
token_pattern, ngram_range : as in HashingVectorizer
        Meaning and default as in scikit-learn's HashingVectorizer.
    analyzer : {"word", "split", "char", "char_wb"} or callable, default="word"
        As in `BagOfWords`.
    n_features, binary, norm, alternate_sign, dtype : as in HashingVectorizer
        Meaning and default as in scikit-learn's HashingVectorizer.
    n_jobs : int or None, default=None
        Number of threads; -1: all processors. Any number gives the same result, to the last bit.

    Notes
    -----
    Within a row, the columns are in the order of their first occurrence. They are not sorted, and no column
    occurs twice.

    References
    ----------
    Weinberger, Dasgupta, Langford, Smola & Attenberg, Feature hashing for large scale multitask learning,
    ICML 2009. The hash is MurmurHash3 (Appleby), 32 bits.

    Examples
    --------
    >>> from fastsvm.text import HashedBagOfWords
    >>> HashedBagOfWords(n_features=2**10).transform(["a good book", "no book"]).shape
    (2, 1024)
    """

    def __init__(
        self, *, input="content", encoding="utf-8", decode_error="strict", strip_accents=None,
        lowercase=True, preprocessor=None, tokenizer=None, stop_words=None, token_pattern=DEFAULT_PATTERN,
        ngram_range=(1, 1), analyzer="word", n_features=2**20, binary=False, norm="l2",
        alternate_sign=True, dtype=np.float64, n_jobs=None,
    ):  # fmt: skip
        super().__init__(
            input=input, encoding=encoding, decode_error=decode_error, strip_accents=strip_accents,
            lowercase=lowercase, preprocessor=preprocessor, tokenizer=tokenizer, stop_words=stop_words,
            token_pattern=token_pattern, ngram_range=ngram_range, analyzer=analyzer, n_features=n_features,
            binary=binary, norm=norm, alternate_sign=alternate_sign, dtype=dtype,
        )  # fmt: skip
        self.n_jobs = n_jobs

    def fit(self, X, y=None):
        """Check the parameters; there is nothing to learn.

        Parameters
        ----------
        X : iterable of str, bytes, file names or files, as `input` says; not read
            The documents.
        y : ignored
            Not used; scikit-learn's pipelines pass it.

        Returns
        -------
        self
            The fitted estimator.
        """
        if self.analyzer == "split":
            warn_of_unused_pattern(self)
            self._by_pattern().fit(X, y)
            return self
        return super().fit(X, y)

    def partial_fit(self, X, y=None):
        """Check the parameters, as `fit` does.

        Parameters
        ----------
        X, y : as in `fit`
            The documents.

        Returns
        -------
        self
            The fitted estimator.
        """
        return self.fit(X, y)

    def transform(self, X):
        """Count the hashed terms of documents.

        Parameters
        ----------
        X : iterable of str, bytes, file names or files, as `input` says
            The documents.

        Returns
        -------
        CSR matrix of shape (n_documents, n_features), of `dtype`
            Counts of hashed terms, with norm and signs as the parameters say.
        """
        refuse_string(X)
        reading = reading_of(self) if self._hashes_as_usual() else None
        if not isinstance(reading, Reading):
            usual = super() if self.analyzer != "split" else self._by_pattern()
            usual._validate_params()  # `transform` does not, and ends the process if there are no features
            return usual.transform(X)
        check_stop_words(self)
        hasher = Hasher(self.n_features, self.alternate_sign, *reading)
        n = threads_of(self.n_jobs)
        counts = count_bag(documents(self, X), hasher, n, self.dtype, self.binary, container())
        if self.norm == "l2" and counts.shape[0] and counts.dtype in (np.float32, np.float64):
            return weigh(counts)
        return counts if self.norm is None else normalize(counts, norm=self.norm, copy=False)

    def _hashes_as_usual(self):
        return (
            isinstance(self.n_features, Integral)
            and 1 <= self.n_features < 2**31
            and isinstance(self.binary, bool)
            and isinstance(self.alternate_sign, bool)
            and self.norm in (None, "l1", "l2")
        )
