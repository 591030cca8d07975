"""scikit-learn's TfidfVectorizer, compiled."""

import numpy as np
import sklearn.feature_extraction.text
from sklearn.utils.validation import check_is_fitted

from ..text.weighting import weigh
from .count_vectorizer import CountVectorizer


class TfidfVectorizer(sklearn.feature_extraction.text.TfidfVectorizer, CountVectorizer):
    """scikit-learn's TfidfVectorizer, based on the compiled `CountVectorizer`.

    Parameters and attributes are scikit-learn's. The limits of `CountVectorizer` apply.

    Examples
    --------
    >>> from fastsvm.drop_in import TfidfVectorizer
    >>> TfidfVectorizer().fit_transform(["a good book", "not a good, good book"]).toarray().round(2)
    array([[0.71, 0.71, 0.  ],
           [0.38, 0.76, 0.53]])
    """

    def transform(self, raw_documents):  # noqa: D102 (inherited)
        check_is_fitted(self, msg="The TF-IDF vectorizer is not fitted")
        X = CountVectorizer.transform(self, raw_documents)
        tfidf, weights = self._tfidf, None
        if hasattr(tfidf, "idf_"):
            weights = np.ascontiguousarray(tfidf.idf_, np.float64)
        fits = X.shape[0] and (weights is None or weights.shape == X.shape[1:])
        if tfidf.norm == "l1" or not fits or X.dtype not in (np.float32, np.float64):
            return tfidf.transform(X, copy=False)
        if tfidf.sublinear_tf:
            np.log(X.data, out=X.data)
            X.data += 1
        return weigh(X, weights, tfidf.norm == "l2")  # scikit-learn's checks take longer than a short text
