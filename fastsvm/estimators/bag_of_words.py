"""Bags of words: CountVectorizer, compiled."""

from numbers import Integral, Real

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer

from ..text.bag import count_bag, learn_bag
from ..text.reading import DEFAULT_PATTERN, refuse_string
from ..text.terms import Terms
from .base import threads_of
from .vectorizers import Splitting, check_stop_words, container, documents, reading_of, warn_of_unused_pattern


class BagOfWords(Splitting, CountVectorizer):
    """Counts of the words of texts, and of their n-grams: scikit-learn's `CountVectorizer`, compiled.

    Vocabulary, order, counts, dtypes, shape and errors are exactly CountVectorizer's, with two exceptions:
    the error for a missing text (None, NaN) names its row, and a table given instead of texts is refused.
    Texts are read once, in place, without the global interpreter lock, and the CSR matrix is built directly.
    scikit-learn's own code handles a custom `tokenizer`, a callable `analyzer`, n-grams of more than 8 words,
    and a `token_pattern` other than words of at least one or two characters or `r"\\S+"`.

    Parameters
    ----------
    input, encoding, decode_error, strip_accents, lowercase, preprocessor, tokenizer, stop_words, \
token_pattern, ngram_range : as in CountVectorizer
        Meaning and default as in scikit-learn's CountVectorizer.
    analyzer : {"word", "split", "char", "char_wb"} or callable, default="word"
        "split" divides at white space, for texts that are already cut into words; it is the same as
        ``token_pattern=r"\\S+"``. The others are as in CountVectorizer.
    max_df, min_df, max_features, vocabulary, binary, dtype : as in CountVectorizer
        Meaning and default as in scikit-learn's CountVectorizer.
    n_jobs : int or None, default=None
        Number of threads; -1: all processors. Any number gives the same result, to the last bit.
    marks : bool, default=False
        Read texts in Unicode's composed form (NFC), and take combining marks as parts of words, as
        ``fastsvm-sentiment`` does. Otherwise a word ends before a mark, as in CountVectorizer; in Hindi, most
        vowels are marks.

    Attributes
    ----------
    vocabulary_ : dict of str to int
        The column of each term, made on first use. To change the vocabulary, assign another dict: changes
        inside this one have no effect.
    fixed_vocabulary_ : bool
        Whether `vocabulary` was given.

    Notes
    -----
    Within a row, the columns are in the order of the first occurrence of the terms: single words first, then
    pairs, and so on ("char_wb": word by word). They are not sorted, and no column occurs twice. Call
    ``X.sort_indices()`` to sort them.

    Learning needs memory for the documents of a batch (about four million characters), 8 bytes for each word
    and each n-gram of the texts, and the tables of the terms. Character n-grams, found once in each different
    word, need 8 bytes for each column of each text, and 4 for each n-gram of each different word.

    References
    ----------
    Words in UTF-8 have the order of their code points: The Unicode Standard, section 2.5. The tables mix
    hashes as SplitMix64 does (Steele, Lea & Flood 2014).

    Examples
    --------
    >>> from fastsvm.text import BagOfWords
    >>> bag = BagOfWords(ngram_range=(1, 2))
    >>> X = bag.fit_transform(["a good book", "Not a good, good book!"])
    >>> bag.get_feature_names_out().tolist()
    ['book', 'good', 'good book', 'good good', 'not', 'not good']
    >>> X.toarray()
    array([[1, 1, 1, 0, 0, 0],
           [1, 2, 1, 1, 1, 1]])
    """

    def __init__(
        self, *, input="content", encoding="utf-8", decode_error="strict", strip_accents=None,
        lowercase=True, preprocessor=None, tokenizer=None, stop_words=None, token_pattern=DEFAULT_PATTERN,
        ngram_range=(1, 1), analyzer="word", max_df=1.0, min_df=1, max_features=None, vocabulary=None,
        binary=False, dtype=np.int64, n_jobs=None, marks=False,
    ):  # fmt: skip
        super().__init__(
            input=input, encoding=encoding, decode_error=decode_error, strip_accents=strip_accents,
            lowercase=lowercase, preprocessor=preprocessor, tokenizer=tokenizer, stop_words=stop_words,
            token_pattern=token_pattern, ngram_range=ngram_range, analyzer=analyzer, max_df=max_df,
            min_df=min_df, max_features=max_features, vocabulary=vocabulary, binary=binary, dtype=dtype,
        )  # fmt: skip
        self.n_jobs = n_jobs
        self.marks = marks

    def fit(self, raw_documents, y=None):
        """Learn the vocabulary.

        Parameters
        ----------
        raw_documents : iterable of str, bytes, file names or files, as `input` says
            The texts.
        y : ignored
            Not used; scikit-learn's pipelines pass it.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        ValueError
            As in CountVectorizer: if there are no words, or none within the limits. Also if a document has 4
            GB or more, or there are more than 4,294,967,280 words.
        """
        self._learn_terms(raw_documents, counts=False)
        return self

    def fit_transform(self, raw_documents, y=None):
        """Learn the vocabulary and count its terms, reading the documents once.

        Parameters
        ----------
        raw_documents, y : as in `fit`
            The texts.

        Returns
        -------
        X : CSR matrix of shape (n_documents, n_terms), of `dtype`
            Counts of the terms.

        Raises
        ------
        ValueError
            As in `fit`.
        """
        return self._learn_terms(raw_documents, counts=True)

    def transform(self, raw_documents):
        """Count the terms of the vocabulary.

        Parameters
        ----------
        raw_documents : as in `fit`
            The texts.

        Returns
        -------
        X : CSR matrix of shape (n_documents, n_terms), of `dtype`
            Counts of the terms.

        Raises
        ------
        NotFittedError
            If there is no learned or given vocabulary.
        """
        refuse_string(raw_documents)
        reading = reading_of(self)
        if reading is None:
            if self.analyzer != "split":
                return super().transform(raw_documents)
            usual = self._by_pattern().set_params(vocabulary=self._packed().strings())
            return usual.transform(raw_documents)
        lookup = self._lookup_of(reading)
        check_stop_words(self)
        n = threads_of(self.n_jobs)
        return count_bag(documents(self, raw_documents), lookup, n, self.dtype, self.binary, container())

    def get_feature_names_out(self, input_features=None):
        """Return the terms in the order of their columns.

        Parameters
        ----------
        input_features : ignored
            Not used; scikit-learn's pipelines pass it.

        Returns
        -------
        ndarray of shape (n_terms,), str objects
            The terms, in the order of their columns.
        """
        if "_terms" not in vars(self):
            return super().get_feature_names_out(input_features)
        return np.asarray(self._packed().strings(), dtype=object)

    def restrict(self, support, indices=False):
        """Keep only some terms, as `DictVectorizer.restrict` does, and renumber them.

        Parameters
        ----------
        support : array of shape (n_terms,), bool, or of ints
            The terms to keep: a mask, or with `indices` their columns.
        indices : bool, default=False
            Whether `support` has column numbers, not a mask.

        Returns
        -------
        self
            The estimator, with these terms only.
        """
        columns = np.asarray(support) if indices else np.flatnonzero(support)
        self._set_terms(self._packed().at(columns))
        return self

    @property
    def vocabulary_(self):  # noqa: D102
        state = vars(self)
        if "_vocabulary" not in state:
            if "_terms" not in state:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute 'vocabulary_'")
            self._vocabulary = self._terms.numbers()
        return self._vocabulary

    @vocabulary_.setter
    def vocabulary_(self, vocabulary):
        self._forget_terms()
        self._vocabulary = vocabulary

    def __getstate__(self):
        state = dict(super().__getstate__())
        for name in ("_lookup", "_vocabulary") if "_terms" in state else ("_lookup",):
            state.pop(name, None)
        if "_terms" in state:  # arrays, which tools can load without our classes
            state["_terms"] = self._terms.content, self._terms.ends
        return state

    def __setstate__(self, state):
        terms = {"_terms": Terms(*state["_terms"])} if "_terms" in state else {}
        super().__setstate__({**state, **terms})

    # The vocabulary is stored as packed terms (`_terms`) or as a dict (`_vocabulary`); each is made from the
    # other on demand. `_lookup` is a table made from the terms.

    def _forget_terms(self):
        for name in ("_terms", "_vocabulary", "_lookup"):
            vars(self).pop(name, None)

    def _set_terms(self, terms):
        self._forget_terms()
        self._terms = terms

    def _packed(self):
        state = vars(self)
        if "_terms" not in state:
            if "_vocabulary" not in state and self.vocabulary is not None:
                self._take_vocabulary(CountVectorizer(vocabulary=self.vocabulary))
            else:
                self._terms = Terms.of(super().get_feature_names_out())
        return self._terms

    def _take_vocabulary(self, checked):
        """Take over the given vocabulary, checked by scikit-learn."""
        self._set_terms(Terms.of(checked.get_feature_names_out()))
        self.fixed_vocabulary_ = True

    def _lookup_of(self, reading):
        terms = self._packed()
        if vars(self).get("_lookup", (None,))[0] != reading:
            self._lookup = reading, reading.lookup(terms)
        return self._lookup[1]

    def _learn_terms(self, raw_documents, counts):
        refuse_string(raw_documents)
        reading = reading_of(self) if self._limits_as_usual() else None
        if reading is None:
            if self.analyzer != "split":
                return super().fit_transform(raw_documents)
            usual = self._by_pattern()
            X = usual.fit_transform(raw_documents)
            self.vocabulary_, self.fixed_vocabulary_ = usual.vocabulary_, usual.fixed_vocabulary_
            return X
        warn_of_unused_pattern(self)
        if self.vocabulary is not None:
            # Fitting warns; transforming does not.
            self._take_vocabulary(
                CountVectorizer(vocabulary=self.vocabulary, lowercase=self.lowercase).fit([])
            )
            return BagOfWords.transform(self, raw_documents) if counts else None  # no weights of a subclass
        check_stop_words(self)
        n, kind = threads_of(self.n_jobs), container() if counts else None
        terms, X = learn_bag(self, documents(self, raw_documents), reading, n, kind)
        self._set_terms(terms)
        self.fixed_vocabulary_ = False
        return X

    def _limits_as_usual(self):
        def share_or_count(value):
            if isinstance(value, bool) or not isinstance(value, Real):
                return False
            return value >= 1 if isinstance(value, Integral) else 0 <= value <= 1

        return (
            share_or_count(self.max_df)
            and share_or_count(self.min_df)
            and (
                self.max_features is None
                or (isinstance(self.max_features, Integral) and self.max_features > 0 and self._adds_up())
            )
            and isinstance(self.binary, bool)
        )

    def _adds_up(self):
        """Return whether the counts of a term, each in `dtype`, add up to its frequency."""
        try:
            dtype = np.dtype(self.dtype)
        except TypeError:
            return False
        return dtype.kind in "iuf" and dtype.itemsize >= 4
