"""Counts of terms to weights: the four that text classifiers are trained on, in one transformer."""

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from ..text._counts import as_counts, column_blocks, rows_of, with_values
from ..text._scores import add_by_class, log_ratios
from ..text.weighing import Weighing, float_type
from .base import validated_counts

__all__ = ["TermWeighting"]


class TermWeighting(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    r"""Weigh the counts of terms, as they are, by presence, by tf-idf or by naive Bayes ratios.

    Parameters
    ----------
    weighting : {"tfidf", "counts", "binary", "nb"}, default="tfidf"
        What becomes of a count x of term t:

        - "counts": x.
        - "binary": 1 where x > 0.
        - "tfidf": x times the smoothed inverse document frequency, log((1 + n) / (1 + n_t)) + 1, of n
          texts of which n_t have the term: as scikit-learn's ``TfidfTransformer``, to the last bit where
          the columns of each row are in order (the sum of squares is rounded in the order they are in).
        - "nb": where x > 0, the naive Bayes log-count ratio of Wang & Manning [1]_,
          log((p_t / \|p\|_1) / (q_t / \|q\|_1)), where p_t is `smoothing` plus the number of texts of the
          second class with the term, and q_t the same of the first class. Of more than two classes, each
          term has that ratio, among those of one class to all others, which is furthest from 0; its sign
          does not matter to a linear classifier. Needs the labels y.
    norm : {"auto", "l2", None}, default="auto"
        Whether to scale each row to the Euclidean norm 1; "auto" does so for "tfidf" only.
    sublinear_tf : bool, default=False
        Take 1 + log(x) for counts x, in "counts" and "tfidf"; the others know no counts.
    smoothing : float, default=1.0
        What "nb" adds to each term's number of texts, above 0.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features,), or None
        What each column is multiplied with: the inverse document frequencies or the log-count ratios.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X has names that are strings.

    See Also
    --------
    sklearn.feature_extraction.text.TfidfTransformer : tf-idf with other options.

    Notes
    -----
    float32 stays float32, all else becomes float64. A CSR matrix is not changed, and of its copy only the
    values are new: the indices of the two are the same arrays, so copy it before you sort one of them in
    place. Columns may be in any order, and a column twice in a row counts with its sum. Other sparse
    formats become CSR; a dense X stays dense.

    References
    ----------
    .. [1] S. Wang and C. D. Manning, "Baselines and bigrams: simple, good sentiment and topic
       classification", ACL 2012.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from fastsvm.text import TermWeighting
    >>> counts = CountVectorizer().fit_transform(["a fine pen", "a fine cup", "a dull cup", "a dull pen"])
    >>> TermWeighting("nb").fit(counts, [1, 1, 0, 0]).weights_.round(2).tolist()
    [0.0, -1.1, 1.1, 0.0]
    """

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
            Labels, two classes or more; only "nb" reads them, and needs them.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            On a bad parameter, NaN or infinite values, or labels that are missing or of one class.
        """
        self._check_params()
        if self.weighting != "nb":
            X = self._validated(X)
            self.weights_ = self._document_frequencies(X) if self.weighting == "tfidf" else None
            return self
        if y is None:
            raise ValueError("weighting='nb' requires y to be passed, but the target y is None.")
        X, y = self._validated(X, y)
        self.weights_ = self._ratios(X, y)
        return self

    def _check_params(self):
        self._weighing().check()

    def _weighing(self):
        return Weighing(self.weighting, self.norm, self.sublinear_tf, self.smoothing)

    def _validated(self, X, y="no_validation", reset=True):
        """Return X as a checked CSR matrix, and y if it is given."""
        checked = validated_counts(self, X, y, reset=reset)
        if isinstance(y, str):
            return as_counts(sparse.csr_array(checked))
        check_classification_targets(checked[1])
        return as_counts(sparse.csr_array(checked[0])), checked[1]

    def _document_frequencies(self, X):
        """Inverse document frequencies, in the precision of X, computed as ``TfidfTransformer`` does."""
        dtype = float_type(X)
        frequencies = np.bincount(X.indices[: X.indptr[-1]], minlength=X.shape[1]).astype(dtype) + dtype(1)
        return np.log(dtype(X.shape[0] + 1) / frequencies) + dtype(1)

    def _ratios(self, X, y):
        classes, codes = np.unique(y, return_inverse=True)
        if len(classes) < 2:
            raise ValueError(f"weighting='nb' needs two classes; y has one class, {classes.tolist()[0]!r}.")
        codes = codes.astype(np.int32)
        by_class = np.bincount(codes, _positive_values(X), len(classes))
        ratios = np.empty(X.shape[1])
        for columns, rows in column_blocks(X, len(classes)):
            n_columns = columns.stop - columns.start
            sums, totals = np.zeros((n_columns, len(classes))), np.zeros(n_columns)
            add_by_class(*rows, codes, True, sums, totals)
            log_ratios(sums, totals, by_class, self.smoothing, X.shape[1], ratios[columns])
        return ratios.astype(float_type(X), copy=False)

    def transform(self, X):
        """Weigh counts.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        array or CSR matrix of shape (n_samples, n_features)
            float32 if X is, float64 otherwise; dense if X is.

        Raises
        ------
        ValueError
            On NaN or infinite values, or another number of columns.
        """
        check_is_fitted(self)
        counts = self._validated(X, reset=False)
        result = with_values(counts, self._weighing().weighed(rows_of(counts), self.weights_))
        if not sparse.issparse(X):
            return result.toarray()
        return result if isinstance(X, sparse.sparray) else sparse.csr_matrix(result)

    def __sklearn_is_fitted__(self):
        return hasattr(self, "weights_")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = self.weighting == "nb"
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _positive_values(X):
    """Count the values above 0 in each row."""
    values, _, offsets = rows_of(X)
    return np.diff(np.append(0, np.cumsum(values > 0))[offsets])
