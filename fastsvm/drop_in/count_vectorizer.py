"""scikit-learn's CountVectorizer, compiled."""

import sklearn.feature_extraction.text

from ..estimators.bag_of_words import BagOfWords
from .fallback import fall_back
from .vectorizers import AsInScikitLearn, missing_code


class CountVectorizer(AsInScikitLearn, BagOfWords):
    """scikit-learn's CountVectorizer, compiled: many times as fast, with the same result.

    Parameters and attributes are scikit-learn's. Within a row, the columns are not sorted. scikit-learn's own
    code handles n-grams of more than 8 words, and token patterns other than ``\\w\\w+``, ``\\w+`` and
    ``\\S+``. With a `tokenizer` or a callable `analyzer`, scikit-learn's code is used without a warning.

    Examples
    --------
    >>> from fastsvm.drop_in import CountVectorizer
    >>> vectorizer = CountVectorizer()
    >>> vectorizer.fit_transform(["a good book", "Not a good, good book!"]).toarray()
    array([[1, 1, 0],
           [1, 2, 1]])
    >>> vectorizer.vocabulary_
    {'book': 0, 'good': 1, 'not': 2}
    """

    __init__ = sklearn.feature_extraction.text.CountVectorizer.__init__

    def _learn_terms(self, raw_documents, counts):
        self._validate_params()
        if missing := missing_code(self):
            fall_back(self, missing)
        return super()._learn_terms(raw_documents, counts)
