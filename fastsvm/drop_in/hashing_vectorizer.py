"""scikit-learn's HashingVectorizer, compiled."""

import sklearn.feature_extraction.text

from ..estimators.hashed_bag_of_words import HashedBagOfWords
from .fallback import fall_back
from .vectorizers import AsInScikitLearn, missing_code


class HashingVectorizer(AsInScikitLearn, HashedBagOfWords):
    """scikit-learn's HashingVectorizer, compiled, with the same hash function.

    Parameters are scikit-learn's. scikit-learn's own code handles the cases listed in `CountVectorizer`, and
    character n-grams.

    Examples
    --------
    >>> from fastsvm.drop_in import HashingVectorizer
    >>> HashingVectorizer(n_features=2**10).transform(["a good book", "no book"]).shape
    (2, 1024)
    """

    __init__ = sklearn.feature_extraction.text.HashingVectorizer.__init__
    fit = sklearn.feature_extraction.text.HashingVectorizer.fit

    def transform(self, X):  # noqa: D102 (inherited)
        if missing := missing_code(self, ("word",)):
            fall_back(self, missing)
        return super().transform(X)
