"""Counts of terms to weights, in four ways."""

import numpy as np

from .._utils import sparse
from ..fitting import Parameters
from ..fitting.labels import as_labels
from ..solvers import as_rows
from ..solvers._input import as_csr
from ._counts import as_counts, column_blocks, rows_of, with_values
from ._term_scores import add_by_class, log_ratios, weigh_terms

WEIGHTINGS = ("counts", "binary", "tfidf", "nb")
LEARNED = ("tfidf", "nb")  # these have weights
NORMS = ("auto", "l2", None)


class Weighting(Parameters):
    """Weights of counts; parameters and attributes as in `fastsvm.text.TermWeighting`."""

    def __init__(self, weighting="tfidf", *, norm="auto", sublinear_tf=False, smoothing=1.0):
        self.weighting = weighting
        self.norm = norm
        self.sublinear_tf = sublinear_tf
        self.smoothing = smoothing

    def fit(self, X, y=None):
        """Learn the weight of each column.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Counts.
        y : array of shape (n_samples,), default=None
            Labels, two classes or more; needed by "nb", otherwise not used.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        ValueError
            On an invalid parameter, NaN or infinite values, missing labels, or a single class.
        """
        self._check_params()
        if self.weighting != "nb":
            X = self._validated(X)
            self.weights_ = self._document_frequencies(X) if self.weighting == "tfidf" else None
            return self
        if y is None:
            raise ValueError("weighting='nb' requires y to be passed, but the target y is None.")
        X, y = self._validated(X, y)
        self.weights_ = self._naive_bayes_ratios(X, y)
        return self

    def fit_frequencies(self, by_class, n_samples):
        """Learn the weight of each column from document frequencies: the weights of `fit` on float32 counts.

        Parameters
        ----------
        by_class : array of shape (n_features, n_classes)
            The number of rows of each class with a value above 0 in each column.
        n_samples : int
            The number of all rows.

        Returns
        -------
        self
            The fitted estimator.
        """
        self._check_params()
        sums = np.ascontiguousarray(by_class, np.float64)
        self.n_features_in_ = len(sums)
        self.weights_ = None
        if self.weighting == "tfidf":
            self.weights_ = _inverse_frequencies(sums.sum(axis=1).astype(np.float32), n_samples, np.float32)
        elif self.weighting == "nb":
            ratios = np.empty(len(sums))
            log_ratios(sums, sums.sum(axis=1), sums.sum(axis=0), self.smoothing, len(sums), ratios)
            self.weights_ = ratios.astype(np.float32)
        return self

    def _check_params(self):
        """Raise a ValueError that names the first bad parameter."""
        for name, known in ("weighting", WEIGHTINGS), ("norm", NORMS):
            value = getattr(self, name)
            if (value is not None and not isinstance(value, str)) or value not in known:
                raise ValueError(f"{name} must be one of {', '.join(map(repr, known))}; got {value!r}.")
        if not isinstance(self.sublinear_tf, bool | np.bool_):
            raise ValueError(f"sublinear_tf must be True or False; got {self.sublinear_tf!r}.")
        number = isinstance(self.smoothing, float | int | np.floating | np.integer)
        if not number or isinstance(self.smoothing, bool) or not 0 < self.smoothing < np.inf:
            raise ValueError(f"smoothing must be a number above 0; got {self.smoothing!r}.")

    def _validated(self, X, y=None, reset=True):
        """Return X as a checked CSR matrix of counts."""
        X = as_csr(X if sparse.issparse(X) else sparse.csr_array(np.atleast_2d(X)))
        if X.dtype.kind == "f":
            as_rows(X)
        if reset:
            self.n_features_in_ = X.shape[1]
        elif X.shape[1] != self.n_features_in_:
            raise ValueError(f"X has {X.shape[1]} features; the model was fitted to {self.n_features_in_}.")
        counts = as_counts(sparse.csr_array(X))
        return counts if y is None else (counts, as_labels(y, X.shape[0]))

    def _document_frequencies(self, X):
        """Inverse document frequencies, in the precision of X, computed as ``TfidfTransformer`` does."""
        dtype = float_type(X)
        frequencies = np.bincount(X.indices[: X.indptr[-1]], minlength=X.shape[1]).astype(dtype)
        return _inverse_frequencies(frequencies, X.shape[0], dtype)

    def _naive_bayes_ratios(self, X, y):
        classes, codes = np.unique(y, return_inverse=True)
        if len(classes) < 2:
            raise ValueError(f"weighting='nb' needs two classes; y has one class, {classes.tolist()[0]!r}.")
        codes = codes.astype(np.int32)
        by_class = np.bincount(codes, _positive_counts(X), len(classes))
        ratios = np.empty(X.shape[1])
        for columns, rows in column_blocks(X, len(classes)):
            n_columns = columns.stop - columns.start
            sums, totals = np.zeros((n_columns, len(classes))), np.zeros(n_columns)
            add_by_class(*rows, codes, True, sums, totals)
            log_ratios(sums, totals, by_class, self.smoothing, X.shape[1], ratios[columns])
        return ratios.astype(float_type(X), copy=False)

    def transform(self, X):
        """Weight counts.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        array or CSR matrix of shape (n_samples, n_features)
            float32 if X is float32, else float64; dense if X is dense.

        Raises
        ------
        ValueError
            On NaN or infinite values, or another number of columns.
        """
        counts = self._validated(X, reset=False)
        result = with_values(counts, self._weighed_values(*rows_of(counts)))
        if not sparse.issparse(X):
            return result.toarray()
        return result if isinstance(X, sparse.sparray) else sparse.csr_matrix(result)

    def _weighed_values(self, counts, columns, offsets):
        """Return the weights of counts, which are not changed."""
        values = counts.astype(float_type(counts))
        binary = self.weighting in ("binary", "nb")
        if self.sublinear_tf and not binary:
            np.log(values, out=values)
            values += 1
        unit = self.norm == "l2" or (self.norm == "auto" and self.weighting == "tfidf")
        weigh_terms(
            values, columns, offsets, np.empty(0) if self.weights_ is None else self.weights_, binary, unit
        )
        return values


def weigh(X, weights=None, unit=True):
    """Multiply the columns of a CSR matrix of floats by weights, and scale its rows to norm 1, in place."""
    weigh_terms(*rows_of(X), np.empty(0) if weights is None else weights, False, unit)
    return X


def _inverse_frequencies(frequencies, n_samples, dtype):
    """Return inverse document frequencies, smoothed as if one more row had every column."""
    return np.log(dtype(n_samples + 1) / (frequencies + dtype(1))) + dtype(1)


def float_type(X):
    """Return the precision in which counts are weighted."""
    return np.float32 if X.dtype == np.float32 else np.float64


def _positive_counts(X):
    """Count the values above 0 in each row."""
    values, _, offsets = rows_of(X)
    return np.diff(np.append(0, np.cumsum(values > 0))[offsets])
