"""The choice of the terms with the highest scores, in one pass over the counts."""

from numbers import Integral

import numpy as np

from .._utils import sparse
from ..fitting import Parameters
from ..fitting.labels import as_labels
from ..solvers import as_rows
from ..solvers._input import as_csr
from ._counts import as_counts, column_blocks
from ._term_scores import add_by_class, add_squares_by_class, chi2_scores, f_scores


class Selection(Parameters):
    """The k columns with the highest scores; parameters and attributes as in `SelectTerms`."""

    def __init__(self, k=5000, score="f_classif"):
        self.k = k
        self.score = score

    def fit(self, X, y):
        """Score the columns of counts by the labels y.

        Parameters
        ----------
        X : CSR matrix of shape (n_samples, n_features)
            Counts.
        y : array of shape (n_samples,)
            The label of each row.

        Returns
        -------
        self
            The fitted selection.
        """
        self._check_params()
        X = as_csr(X if sparse.issparse(X) else sparse.csr_array(np.atleast_2d(X)))
        if X.dtype.kind == "f":
            as_rows(X)
        self._fit_scores(X, as_labels(y, X.shape[0]))
        return self

    def _check_params(self):
        if not isinstance(self.score, str) or self.score not in SCORES:
            raise ValueError(f"score must be one of {', '.join(map(repr, SCORES))}; got {self.score!r}.")
        self._check_k()

    def _fit_scores(self, X, y):
        classes, codes = np.unique(y, return_inverse=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            self.scores_ = self._column_scores(X, codes.astype(np.int32), len(classes))

    def _column_scores(self, X, codes, n_classes):
        return SCORES[self.score](X, codes, n_classes)

    def _check_k(self):
        if self.k != "all" and (not isinstance(self.k, Integral) or isinstance(self.k, bool) or self.k < 0):
            raise ValueError(f"k must be a number of columns, 0 or above, or 'all'; got {self.k!r}.")

    def get_support(self, indices=False):
        """Return which columns are kept: a mask or, if `indices`, their numbers.

        Parameters
        ----------
        indices : bool, default=False
            Return numbers of columns, not a mask.

        Returns
        -------
        ndarray
            bool of shape (n_features,), or ints in ascending order.
        """
        mask = self._mask()
        return np.flatnonzero(mask) if indices else mask

    def transform(self, X):
        """Return the chosen columns of a CSR matrix.

        Parameters
        ----------
        X : CSR matrix of shape (n_samples, n_features)
            Counts.

        Returns
        -------
        CSR matrix of shape (n_samples, n_kept)
            The chosen columns.
        """
        return as_csr(X)[:, self.get_support(indices=True)]

    def _mask(self):
        self._check_k()
        return highest(self.scores_, self.k)


def highest(scores, k):
    """Return the mask of the k highest scores, without sorting, as a stable sort's last k; NaN is lowest."""
    n = len(scores)
    if k == "all" or k >= n:
        return np.ones(n, bool)
    if k == 0:
        return np.zeros(n, bool)
    scores = np.where(np.isnan(scores), np.finfo(scores.dtype).min, scores)
    lowest = np.partition(scores, n - k)[n - k]
    mask = scores > lowest
    mask[np.flatnonzero(scores == lowest)[mask.sum() - k :]] = True
    return mask


def f_classif(X, codes, n_classes):
    """Return for each column of a CSR matrix the ratio of the variances between and within classes."""
    # As in scikit-learn, short integers become floats of single precision, and long ones of double.
    short = X.dtype == np.float32 or (X.dtype.kind in "biu" and X.dtype.itemsize <= 4)
    sizes = np.bincount(codes).astype(np.int64)
    scores = np.empty(X.shape[1])
    for columns, rows in column_blocks(as_counts(X), 2 * n_classes):
        sums = np.zeros((columns.stop - columns.start, n_classes, 2), np.float32 if short else np.float64)
        add_squares_by_class(*rows, codes, sums)
        f_scores(sums, sizes, scores[columns])
    return scores


def chi2(X, codes, n_classes):
    """Return for each column of a CSR matrix the chi-squared distance from independence of the class."""
    X = as_counts(X)
    require_positive(X.data)
    shares = _class_shares(codes, n_classes)
    dtype = np.float32 if X.dtype == np.float32 else np.float64
    scores = np.empty(X.shape[1])
    for columns, rows in column_blocks(X, len(shares)):
        n_columns = columns.stop - columns.start
        sums, totals = np.zeros((n_columns, len(shares))), np.zeros(n_columns, dtype)
        add_by_class(*rows, codes, False, sums, totals)
        chi2_scores(sums, totals, shares, scores[columns])
    return scores


def require_positive(values):
    """Raise scikit-learn's ValueError if a value is below 0."""
    if values.size and values.min() < 0:
        raise ValueError("Input X must be non-negative for chi2. Negative values in data passed.")


def _class_shares(codes, n_classes):
    """Return the share of each class in the rows, rounded as in scikit-learn; for one class, two shares."""
    n = len(codes)
    if n_classes <= 2:
        second = codes == n_classes - 1 if n_classes == 2 else np.zeros(n, int)
        return np.array([1 - second.astype(int), second.astype(int)]).T.mean(axis=0)
    ones = np.ones(n, int), codes, np.arange(n + 1)
    return np.asarray(sparse.csr_array(ones, shape=(n, n_classes)).mean(axis=0)).ravel()


SCORES = {"f_classif": f_classif, "chi2": chi2}
