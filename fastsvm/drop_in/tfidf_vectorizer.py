"""scikit-learn's TfidfVectorizer, compiled."""

import sklearn.feature_extraction.text

from .count_vectorizer import CountVectorizer

__all__ = ["TfidfVectorizer"]


class TfidfVectorizer(sklearn.feature_extraction.text.TfidfVectorizer, CountVectorizer):
    """scikit-learn's TfidfVectorizer over the compiled `CountVectorizer`.

    Parameters and attributes are scikit-learn's, and what that class says of `CountVectorizer` holds here.

    Examples
    --------
    >>> from fastsvm.drop_in import TfidfVectorizer
    >>> TfidfVectorizer().fit_transform(["a good book", "not a good, good book"]).toarray().round(2)
    array([[0.71, 0.71, 0.  ],
           [0.38, 0.76, 0.53]])
    """
