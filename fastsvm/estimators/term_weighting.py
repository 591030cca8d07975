"""Counts of terms to weights, with scikit-learn's contract."""

from scipy import sparse
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from ..text._counts import as_counts
from ..text.weighting import Weighting
from .base import validated_counts


class TermWeighting(OneToOneFeatureMixin, TransformerMixin, BaseEstimator, Weighting):
    r"""Weight terms by their counts, by presence, by tf-idf or by naive Bayes ratios.

    Parameters
    ----------
    weighting : {"tfidf", "counts", "binary", "nb"}, default="tfidf"
        The weight of a count x of term t:

        - "counts": x.
        - "binary": 1 where x > 0.
        - "tfidf": x times the smoothed inverse document frequency, log((1 + n) / (1 + n_t)) + 1, where n_t of
          n texts have the term. The result equals scikit-learn's ``TfidfTransformer``, to the last bit if
          the columns of each row are sorted.
        - "nb": where x > 0, the naive Bayes log-count ratio of Wang & Manning [1]_,
          log((p_t / \|p\|_1) / (q_t / \|q\|_1)), where p_t is `smoothing` plus the number of texts of the
          second class with the term, and q_t the same for the first class. With more than two classes, each
          term has the ratio furthest from 0 among the ratios of one class to all others; the sign does not
          matter to a linear classifier. Needs the labels y.
    norm : {"auto", "l2", None}, default="auto"
        Whether to scale each row to the Euclidean norm 1; "auto" does so for "tfidf" only.
    sublinear_tf : bool, default=False
        Use 1 + log(x) for counts x, in "counts" and "tfidf".
    smoothing : float, default=1.0
        Added to each term's number of texts in "nb"; above 0.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features,), or None
        The factor of each column: the inverse document frequencies or the log-count ratios.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns; defined only if all column names of X are strings.

    See Also
    --------
    sklearn.feature_extraction.text.TfidfTransformer : tf-idf with other options.

    Notes
    -----
    float32 stays float32; other types become float64. A CSR matrix is not changed. The result has new values,
    but shares the index arrays with X: copy the result before you sort it or X. Columns may be in any order;
    repeated columns in a row are summed. Other sparse formats become CSR; a dense X stays dense.

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

    def _validated(self, X, y=None, reset=True):
        """Return X as a checked CSR matrix of counts, and y if it is given."""
        if not reset:
            check_is_fitted(self)
        if y is None:
            return as_counts(sparse.csr_array(validated_counts(self, X, reset=reset)))
        X, y = validated_counts(self, X, y, reset=reset)
        check_classification_targets(y)
        return as_counts(sparse.csr_array(X)), y

    def __sklearn_is_fitted__(self):
        return hasattr(self, "weights_")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = self.weighting == "nb"
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
