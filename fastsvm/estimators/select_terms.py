"""The terms that tell most about the class: scikit-learn's choice, computed in one pass over the counts."""

import warnings
from numbers import Integral

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin, chi2, f_classif
from sklearn.preprocessing import LabelBinarizer
from sklearn.utils import as_float_array
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from ..solvers._sparse import as_csr
from ..text._counts import as_counts, column_blocks
from ..text._scores import add_by_class, add_squares_by_class, chi2_scores, f_scores
from .base import validated_counts

__all__ = ["SelectTerms"]


class SelectTerms(SelectorMixin, BaseEstimator):
    """Keep the k columns with the highest scores, exactly those that ``SelectKBest`` keeps.

    Parameters
    ----------
    k : int or "all", default=5000
        How many columns to keep; all, if there are fewer.
    score : {"f_classif", "chi2"}, default="f_classif"
        What ranks them, as scikit-learn's functions of these names: the ratio of the variance between
        classes to that within them, or the chi-squared distance from what independence leads to expect,
        for counts and other values that are not negative.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        The score of each column; NaN, which ranks below all, where it is not defined.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X has names that are strings.

    See Also
    --------
    sklearn.feature_selection.SelectKBest : the same for any score, with p-values.

    Notes
    -----
    For a CSR matrix the scores equal scikit-learn's to the last bit (of another sparse format, up to
    rounding unless the values are whole numbers), in one pass over the matrix, which is not copied. Of
    columns with the same score the last ones are kept, as there. A dense X is given to scikit-learn's
    functions. A column twice in a row counts with its sum.

    Columns that do not vary, and a `k` above the number of columns, give no warnings. As `score` is a
    parameter, there is no method of that name.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from fastsvm.text import SelectTerms
    >>> counts = CountVectorizer().fit_transform(["a fine pen", "a fine cup", "a dull cup", "a dull pen"])
    >>> SelectTerms(2, score="chi2").fit_transform(counts, [1, 1, 0, 0]).toarray()
    array([[0, 1],
           [0, 1],
           [1, 0],
           [1, 0]])
    """

    def __init__(self, k=5000, score="f_classif"):
        self.k = k
        self.score = score

    def fit(self, X, y):
        """Score the columns.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Counts, or other numbers. CSR with int32, int64, float32 or float64 is used without a copy.
        y : array of shape (n_samples,)
            Labels of any kind.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            On a bad parameter, NaN or infinite values, labels that are none, or values below 0 for chi2.
        """
        if not isinstance(self.score, str) or self.score not in SCORES:
            raise ValueError(f"score must be one of {', '.join(map(repr, SCORES))}; got {self.score!r}.")
        self._check_k()
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None.")
        X, y = validated_counts(self, X, y)
        check_classification_targets(y)
        classes, codes = np.unique(y, return_inverse=True)
        with np.errstate(divide="ignore", invalid="ignore"), warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Features ")  # of a dense X that are constant
            self.scores_ = SCORES[self.score](X, codes.astype(np.int32), len(classes))
        return self

    def transform(self, X):
        """Keep the chosen columns.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        array or CSR matrix of shape (n_samples, n_kept)

        Raises
        ------
        ValueError
            On NaN or infinite values, a malformed sparse matrix, or another number of columns.
        """
        return super().transform(as_csr(X))

    def inverse_transform(self, X):
        """Put the columns back in their places, zeros between them.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_kept)

        Returns
        -------
        array or CSC matrix of shape (n_samples, n_features)
        """
        return super().inverse_transform(as_csr(X))

    def _check_k(self):
        if self.k != "all" and (not isinstance(self.k, Integral) or isinstance(self.k, bool) or self.k < 0):
            raise ValueError(f"k must be a number of columns, 0 or above, or 'all'; got {self.k!r}.")

    def _get_support_mask(self):
        """Tell which columns are kept: a stable sort's last k, without sorting."""
        check_is_fitted(self)
        self._check_k()
        n = len(self.scores_)
        if self.k == "all" or self.k >= n:
            return np.ones(n, bool)
        if self.k == 0:
            return np.zeros(n, bool)
        scores = np.where(np.isnan(self.scores_), np.finfo(self.scores_.dtype).min, self.scores_)
        lowest = np.partition(scores, n - self.k)[n - self.k]
        mask = scores > lowest
        mask[np.flatnonzero(scores == lowest)[mask.sum() - self.k :]] = True
        return mask

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = self.score == "chi2"
        tags.target_tags.required = True
        return tags


def _f_classif(X, codes, n_classes):
    if not sparse.issparse(X):
        return f_classif(X, codes)[0]
    # As scikit-learn has it, short integers become floats of single precision, and long ones of double.
    dtype = as_float_array(np.empty(0, X.dtype)).dtype
    sizes = np.bincount(codes).astype(np.int64)
    scores = np.empty(X.shape[1])
    for columns, rows in column_blocks(as_counts(X), 2 * n_classes):
        sums = np.zeros((columns.stop - columns.start, n_classes, 2), dtype)
        add_squares_by_class(*rows, codes, sums)
        f_scores(sums, sizes, scores[columns])
    return scores


def _chi2(X, codes, _):
    values = X.data if sparse.issparse(X) else X
    if values.size and values.min() < 0:
        raise ValueError("Input X must be non-negative for chi2. Negative values in data passed.")
    if not sparse.issparse(X):
        return chi2(X, codes)[0]
    X = as_counts(X)
    shares = _shares(codes)
    dtype = np.float32 if X.dtype == np.float32 else np.float64
    scores = np.empty(X.shape[1])
    for columns, rows in column_blocks(X, len(shares)):
        n_columns = columns.stop - columns.start
        sums, totals = np.zeros((n_columns, len(shares))), np.zeros(n_columns, dtype)
        add_by_class(*rows, codes, False, sums, totals)
        chi2_scores(sums, totals, shares, scores[columns])
    return scores


def _shares(codes):
    """Return the share of each class in the rows, rounded as scikit-learn rounds it; of one class, two."""
    indicator = LabelBinarizer(sparse_output=True).fit_transform(codes)
    if indicator.shape[1] == 1:
        indicator = indicator.toarray()
        indicator = np.append(1 - indicator, indicator, axis=1)
    return np.asarray(indicator.mean(axis=0)).ravel()


SCORES = {"f_classif": _f_classif, "chi2": _chi2}
