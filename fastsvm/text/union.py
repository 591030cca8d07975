"""Bags side by side: words and characters, say."""

from copy import copy

import numpy as np

from .._utils import sparse
from ..fitting import Parameters


class Union(Parameters):
    """The columns of several bags, one after the other; scikit-learn's `FeatureUnion`, plain.

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
            raise ValueError("transformer_list is empty: a Union has one bag at least.")
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
        """Learn the terms of texts, an iterable of str; `y` is ignored.

        Parameters
        ----------
        texts : iterable of str
            The texts.
        y : object, default=None
            Taken, and not read, as scikit-learn's pipelines give it.

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
        """Learn the terms of texts, and return their counts: a CSR matrix of shape (n_texts, n_terms).

        Parameters
        ----------
        texts : iterable of str
            The texts.
        y : object, default=None
            Taken, and not read, as scikit-learn's pipelines give it.

        Returns
        -------
        csr_matrix of shape (n_texts, n_terms)
            Counts.
        """
        return self._stacked_counts(texts, "fit_transform")

    def transform(self, texts):
        """Return the counts of the terms in texts: a CSR matrix of shape (n_texts, n_terms).

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
        """Return the terms in the order of their columns, each behind its bag's name: `words__good`.

        Returns
        -------
        ndarray of shape (n_terms,), str objects
            The names.
        """
        names = [f"{name}__{term}" for name, bag in self.transformer_list for term in bag.terms_.strings()]
        return np.asarray(names, dtype=object)

    def restrict(self, support, indices=False):
        """Keep the terms of a mask, or with `indices` of some columns, in ascending order.

        A bag of which nothing is left is left out; the bags that there were stay as they are.

        Parameters
        ----------
        support : array of bool, or of ints
            Which terms to keep: a mask, or with `indices` their columns.
        indices : bool, default=False
            `support` has columns, not a mask.

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
    """Return how many different terms of a vectorizer's first bag each text has, from the counts of texts.

    Parameters
    ----------
    vectorizer : Bag or Union
        What counted the texts.
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
