"""Vectorisers of texts that lie on a cluster, with the vocabulary that one machine would learn."""

from __future__ import annotations

import tempfile

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from ..text import BagOfWords as LocalBagOfWords
from ..text import HashedBagOfWords as LocalHashedBagOfWords
from ..text import SpilledTerms
from ..text.bag import Limits
from .shards import in_turn

__all__ = ["BagOfWords", "HashedBagOfWords"]


class _OfChunks:
    """What the vectorisers share: transforming each chunk where it lies, and the local class."""

    def transform(self, texts):
        """Count the terms of texts, chunk by chunk, when they are asked for.

        Parameters
        ----------
        texts : dask bag of str, dask array or Series of str, or iterable of str
            As `fit` takes them; of what is not Dask's, the result is the local one.

        Returns
        -------
        dask array of shape (n_documents, n_terms), of CSR matrices; or CSR matrix
            Its numbers of rows are not known.
        """
        from dask import delayed
        from dask.array import concatenate, from_delayed

        local = self.to_local()
        if not hasattr(texts, "to_delayed"):
            return local.transform(texts)
        model, n_columns = delayed(local, pure=True), self._n_columns()
        meta = sparse.csr_matrix((0, n_columns), dtype=self.dtype)
        chunks = [
            from_delayed(delayed(_counted)(model, part), (np.nan, n_columns), meta=meta)
            for part in _parts_of(texts)
        ]
        return concatenate(chunks, allow_unknown_chunksizes=True)


class HashedBagOfWords(_OfChunks, LocalHashedBagOfWords):
    """`fastsvm.text.HashedBagOfWords` for texts that lie on a Dask cluster; parameters and rows are the same.

    Examples
    --------
    >>> import dask.bag                                                      # doctest: +SKIP
    >>> X = HashedBagOfWords().transform(dask.bag.read_text("texts/*.txt"))  # doctest: +SKIP
    """

    def to_local(self):
        """Return the same vectoriser without a cluster: a `fastsvm.text.HashedBagOfWords`."""
        return LocalHashedBagOfWords(**self.get_params())

    def _n_columns(self):
        return self.n_features


class BagOfWords(_OfChunks, LocalBagOfWords):
    """`fastsvm.text.BagOfWords` for texts that lie on a Dask cluster; parameters and vocabulary are the same.

    Workers count the terms of each chunk; here they are spilled to files and merged, so memory holds the
    vocabulary and not all terms.

    Examples
    --------
    >>> import dask.bag                                                      # doctest: +SKIP
    >>> X = BagOfWords().fit_transform(dask.bag.read_text("texts/*.txt"))    # doctest: +SKIP
    """

    def fit(self, texts, y=None):
        """Learn the vocabulary.

        Parameters
        ----------
        texts : dask bag of str, dask array of shape (n_documents,) or Series of str
            `dask.bag.read_text` makes one of files with a text a line. With ``input="filename"``, texts are
            the names of files that workers can read.
        y : ignored

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If there are no words, or none within the limits, or one has a line feed.
        ClusterError
            If the scheduler goes away, or no worker is left.
        """
        from distributed import default_client

        if self.vocabulary is not None:
            return super().fit([])
        parts, client = _parts_of(texts), default_client()
        if not self._limits_as_usual():
            raise ValueError("min_df, max_df, max_features, binary or dtype is not for a cluster.")
        from dask import delayed

        every = LocalBagOfWords(**{**self.get_params(), "min_df": 1, "max_df": 1.0, "max_features": None})
        tallies = in_turn(client, (client.compute(delayed(_tally)(every, part)) for part in parts))
        limits = Limits(self.min_df, self.max_df, self.max_features, self.binary, self.dtype)
        n_documents = 0
        with tempfile.TemporaryDirectory(prefix="fastsvm-") as folder:
            spilled = SpilledTerms(folder)
            for terms, counts, n in tallies:
                n_documents += n
                if terms is not None:
                    spilled.add(terms, counts)
            merged = spilled.merged(2)
        if not len(merged.terms):
            raise ValueError("empty vocabulary; perhaps the documents only contain stop words")
        least, most = limits.documents(n_documents)
        kept = np.flatnonzero(merged.by_class[:, 0] >= least)
        rows, total = np.ascontiguousarray(merged.by_class[kept].T)
        self._set_terms(merged.terms.at(kept[limits.kept(rows, total, most)]))
        self.fixed_vocabulary_ = False
        return self

    def fit_transform(self, texts, y=None):
        """Learn the vocabulary, and count its terms when they are asked for; reads the texts twice."""
        return self.fit(texts).transform(texts)

    def to_local(self):
        """Return the same vectoriser without a cluster: a fitted `fastsvm.text.BagOfWords`."""
        local = LocalBagOfWords(**self.get_params())
        if self.vocabulary is None:
            check_is_fitted(self, "_terms")
            local._set_terms(self._packed())
            local.fixed_vocabulary_ = self.fixed_vocabulary_
        return local

    def _n_columns(self):
        return len(self._packed())


def _parts_of(texts):
    """Return the chunks of texts as delayed objects."""
    if not hasattr(texts, "to_delayed"):
        raise ValueError(
            f"texts must be a dask bag, array or Series, such as dask.bag.read_text gives; got a "
            f"{type(texts).__name__}."
        )
    return np.ravel(texts.to_delayed()).tolist()


def _counted(model, texts):
    return model.transform(texts)


def _tally(bag, texts):
    """Return the terms of some texts, in how many each is and how often, and the number of texts."""
    texts, bag = list(texts), clone(bag)  # a worker's threads have the same
    try:
        X = bag.fit_transform(texts)
    except ValueError as error:
        if "empty vocabulary" not in str(error):
            raise
        return None, None, len(texts)
    terms = bag._packed()
    if (terms.content == ord("\n")).any():
        raise ValueError("A term has a line feed: take another analyzer, or strip the texts.")
    rows = np.bincount(X.indices, minlength=X.shape[1])
    total = np.bincount(X.indices, X.data, X.shape[1]).astype(np.int64)
    return terms, np.column_stack([rows, total]), len(texts)
