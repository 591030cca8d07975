"""The selection of the terms with the highest scores, in one pass over the counts."""

import warnings

from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin, chi2, f_classif
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from ..solvers._input import as_csr
from ..text.selection import Selection, require_positive
from .base import validated_counts


class SelectTerms(SelectorMixin, BaseEstimator, Selection):
    """Keep the k columns with the highest scores, exactly as ``SelectKBest`` does.

    Parameters
    ----------
    k : int or "all", default=5000
        The number of columns to keep; if X has fewer, all are kept.
    score : {"f_classif", "chi2"}, default="f_classif"
        The score, as in scikit-learn's functions of these names: the ratio of the variances between and
        within classes, or the chi-squared distance from independence, for counts and other non-negative
        values.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        The score of each column. An undefined score is NaN, and ranks below all others.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns; defined only if all column names of X are strings.

    See Also
    --------
    sklearn.feature_selection.SelectKBest : the same for any score, with p-values.

    Notes
    -----
    For a CSR matrix the scores equal scikit-learn's to the last bit, in one pass over the matrix, which is
    not copied. For other sparse formats, the scores are equal up to rounding, and exactly for whole numbers.
    Of columns with equal scores the last ones are kept, as in scikit-learn. scikit-learn's own functions
    score a dense X. Repeated columns in a row are summed.

    Constant columns, and a `k` above the number of columns, give no warnings. Since `score` is a parameter,
    there is no method of this name.

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
            The fitted estimator.

        Raises
        ------
        ValueError
            On an invalid parameter, NaN or infinite values, invalid labels, or values below 0 for chi2.
        """
        self._check_params()
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None.")
        X, y = validated_counts(self, X, y)
        check_classification_targets(y)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Features ")  # of a dense X that are constant
            self._fit_scores(X, y)
        return self

    def _column_scores(self, X, codes, n_classes):
        if sparse.issparse(X):
            return super()._column_scores(X, codes, n_classes)
        if self.score == "f_classif":
            return f_classif(X, codes)[0]
        require_positive(X)
        return chi2(X, codes)[0]

    def transform(self, X):
        """Keep the chosen columns.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        array or CSR matrix of shape (n_samples, n_kept)
            The chosen columns.

        Raises
        ------
        ValueError
            On NaN or infinite values, a malformed sparse matrix, or another number of columns.
        """
        return super().transform(as_csr(X))

    def inverse_transform(self, X):
        """Put the columns back in their places, with zeros between them.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_kept)
            The rows.

        Returns
        -------
        array or CSC matrix of shape (n_samples, n_features)
            The columns in their places, 0 elsewhere.
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
