"""The terms that tell most about the class: scikit-learn's choice, computed in one pass over the counts."""

import warnings

from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin, chi2, f_classif
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from ..solvers._sparse import as_csr
from ..text.selection import Selection, require_positive
from .base import validated_counts

__all__ = ["SelectTerms"]


class SelectTerms(SelectorMixin, BaseEstimator, Selection):
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
        self._check_params()
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None.")
        X, y = validated_counts(self, X, y)
        check_classification_targets(y)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Features ")  # of a dense X that are constant
            self._fit(X, y)
        return self

    def _scores(self, X, codes, n_classes):
        if sparse.issparse(X):
            return super()._scores(X, codes, n_classes)
        if self.score == "f_classif":
            return f_classif(X, codes)[0]
        require_positive(X)
        return chi2(X, codes)[0]

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

    def _get_support_mask(self):
        check_is_fitted(self)
        return self._mask()

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = self.score == "chi2"
        tags.target_tags.required = True
        return tags
