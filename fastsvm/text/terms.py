"""Many strings in two arrays."""

from itertools import pairwise

import numpy as np


class Terms:
    """The terms of a vocabulary, in the order of their columns.

    Parameters
    ----------
    content : ndarray of uint8
        The terms in UTF-8, end to end; a lone surrogate as three bytes.
    ends : ndarray of shape (n_terms,), int64
        Where each ends in `content`.
    """

    def __init__(self, content, ends):
        self.content, self.ends = content, ends

    @classmethod
    def of(cls, strings):
        """Pack strings; raise TypeError where one is none."""
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
            Packed anew.
        """
        starts = np.concatenate([[0], self.ends[:-1]])[columns]
        sizes = self.ends[columns] - starts
        ends = np.cumsum(sizes)
        places = np.arange(sizes.sum()) + np.repeat(starts - (ends - sizes), sizes)
        return Terms(self.content[places], ends)
