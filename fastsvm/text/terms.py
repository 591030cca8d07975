"""The terms of a vocabulary, as two arrays, and the limits that choose which are kept."""

import math
from itertools import pairwise
from numbers import Integral

import numpy as np

from .._utils import sparse
from ._parts import frequencies


class Terms:
    """The terms of a vocabulary, in the order of their columns.

    Parameters
    ----------
    content : ndarray of uint8
        The terms in UTF-8, end to end; a lone surrogate as three bytes.
    ends : ndarray of shape (n_terms,), int64
        Where each term ends in `content`.
    """

    def __init__(self, content, ends):
        self.content, self.ends = content, ends

    @classmethod
    def of(cls, strings):
        """Pack strings; raise a TypeError for anything else."""
        for string in strings:
            if not isinstance(string, str):
                raise TypeError(f"the terms of a vocabulary are strings; got {string!r}")
        encoded = [string.encode("utf-8", "surrogatepass") for string in strings]
        content = np.frombuffer(b"".join(encoded), np.uint8)
        return cls(content, np.cumsum([len(term) for term in encoded], dtype=np.int64))

    def __len__(self):
        return len(self.ends)

    def strings(self):
        """Return the terms as a list of str.

        Returns
        -------
        list of str
            In the order of the columns.
        """
        content, bounds = self.content.tobytes(), pairwise([0, *self.ends.tolist()])
        if content.isascii():
            text = content.decode("ascii")
            return [text[start:end] for start, end in bounds]
        return [content[start:end].decode("utf-8", "surrogatepass") for start, end in bounds]

    def numbers(self):
        """Return the columns as a dict of str to int.

        Returns
        -------
        dict of str to int
            The column of each term.
        """
        return dict(zip(self.strings(), range(len(self)), strict=True))

    def at(self, columns):
        """Return the terms of some columns, in the order given.

        Parameters
        ----------
        columns : array of ints
            The numbers of terms.

        Returns
        -------
        Terms
            These terms, packed again.
        """
        starts = np.concatenate([[0], self.ends[:-1]])[columns]
        sizes = self.ends[columns] - starts
        ends = np.cumsum(sizes)
        places = np.arange(sizes.sum()) + np.repeat(starts - (ends - sizes), sizes)
        return Terms(self.content[places], ends)


def document_limits(bag, n):
    """Return how many of n documents a term must and may be in, by `min_df` and `max_df` of a bag."""
    least, most = (limit if isinstance(limit, Integral) else limit * n for limit in (bag.min_df, bag.max_df))
    if most < least:
        raise ValueError("max_df corresponds to < documents than min_df")
    return min(math.ceil(least), n + 1), most


def limit_terms(bag, counter, most, run):
    """Keep the terms in at most `most` documents, and of these the `max_features` most frequent ones."""
    n_limited = bag.max_features is not None and counter.n_columns > bag.max_features
    if most >= counter.n_documents and not n_limited and counter.n_columns:
        return
    rows, total = frequencies(counter.parts(), counter.n_columns)
    columns = np.flatnonzero(rows <= most)
    if bag.max_features is not None and len(columns) > bag.max_features:
        sums = (rows if bag.binary else total).astype(sparse.csr_array((1, 1), dtype=bag.dtype).sum(0).dtype)
        columns = columns[(-sums[columns]).argsort()[: bag.max_features]]
    if not len(columns):
        raise ValueError("After pruning, no terms remain. Try a lower min_df or a higher max_df.")
    mask = np.zeros(len(rows), bool)
    mask[columns] = True
    counter.vocabulary.keep(mask, run)
