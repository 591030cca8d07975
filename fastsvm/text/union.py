"""Bags side by side, for example of words and of characters."""

from copy import copy

import numpy as np

from .._utils import sparse
from ..fitting import Parameters


class Union(Parameters):
    """The columns of several bags side by side, like scikit-learn's `FeatureUnion`.

    Parameters
    ----------
    transformer_list : list of (name, Bag)
        The bags and the prefixes of their columns, in this order.
    """

    def __init__(self, transformer_list):
        self.transformer_list = transformer_list

    @property
    def bags(self):
        """The bags, without their names."""
        if not self.transformer_list:
            raise ValueError("transformer_list is empty: a Union needs at least one bag.")
        return [bag for _, bag in self.transformer_list]

    @property
    def min_df(self):
        """The attribute of the first bag."""
        return self.bags[0].min_df

    @property
    def binary(self):
        """The attribute of the first bag."""
        return self.bags[0].binary

    def fit(self, texts, y=None):
        """Learn the terms of texts.

        Parameters
        ----------
        texts : iterable of str
            The texts.
        y : object, default=None
            Not used; scikit-learn's pipelines pass it.

        Returns
        -------
        self
            The fitted union.
        """
        texts = list(texts)
        for bag in self.bags:
            bag.fit(texts)
        return self

    def fit_transform(self, texts, y=None):
        """Learn the terms of texts, and return their counts.

        Parameters
        ----------
        texts : iterable of str
            The texts.
        y : object, default=None
            Not used; scikit-learn's pipelines pass it.

        Returns
        -------
        csr_matrix of shape (n_texts, n_terms)
            Counts.
        """
        return self._stacked_counts(texts, "fit_transform")

    def transform(self, texts):
        """Return the counts of the terms in texts.

        Parameters
        ----------
        texts : iterable of str
            The texts.

        Returns
        -------
        csr_matrix of shape (n_texts, n_terms)
            Counts.
        """
        return self._stacked_counts(texts, "transform")

    def _stacked_counts(self, texts, method):
        texts = texts if isinstance(texts, list) else list(texts)
        return sparse.hstack([getattr(bag, method)(texts) for bag in self.bags], format="csr")

    def get_feature_names_out(self):
        """Return the terms in the order of their columns, each after its bag's name, such as `words__good`.

        Returns
        -------
        ndarray of shape (n_terms,), str objects
            The names.
        """
        names = [f"{name}__{term}" for name, bag in self.transformer_list for term in bag.terms_.strings()]
        return np.asarray(names, dtype=object)

    def restrict(self, support, indices=False):
        """Keep some terms, in ascending order of their columns.

        A bag without remaining terms is left out. The given bags are not changed.

        Parameters
        ----------
        support : array of bool, or of ints
            Which terms to keep: a mask, or with `indices` their columns.
        indices : bool, default=False
            Whether `support` has column numbers, not a mask.

        Returns
        -------
        self
            The union.
        """
        columns = np.sort(support) if indices else np.flatnonzero(support)
        start, restricted = 0, []
        for name, bag in self.transformer_list:
            stop = start + len(bag.terms_)
            own = columns[(columns >= start) & (columns < stop)] - start
            if len(own):
                restricted.append((name, copy(bag).restrict(own, indices=True)))
            start = stop
        self.transformer_list = restricted
        return self

    def set_params(self, **params):
        """Set `transformer_list`, or a parameter of all bags; return the union.

        Parameters
        ----------
        **params : any
            Values by name.

        Returns
        -------
        self
            The union.
        """
        if "transformer_list" in params:
            self.transformer_list = params.pop("transformer_list")
        for bag in self.bags:
            bag.set_params(**params)
        return self


def first_terms(vectorizer, X):
    """Count the different terms of a vectorizer's first bag in each row of X.

    Parameters
    ----------
    vectorizer : Bag or Union
        The vectorizer that counted the texts.
    X : csr_matrix of shape (n_texts, n_terms)
        The counts, weighted or not.

    Returns
    -------
    ndarray of shape (n_texts,)
        The number of distinct terms in each text.
    """
    if not isinstance(vectorizer, Union):
        return np.diff(X.indptr)
    is_first = X.indices < len(vectorizer.bags[0].terms_)
    return np.diff(np.append(0, np.cumsum(is_first))[X.indptr])
