"""An order of the rows of a memory-mapped matrix that reads it in large pieces, each once an epoch."""

import numpy as np

from ._random import shuffle_windows

# Bytes of X that are read in one piece: of much less, disks seek more than they read, and Linux maps the
# 2 MiB around each all the same.
SEGMENT = 1 << 21
TOGETHER = 16  # segments whose rows are shuffled with each other: 32 MiB, as a processor's last cache holds


class Windows:
    """Windows of segments, each a range of rows, from all over X.

    The segments are in random order, and `TOGETHER` of them are a window, whose rows are permuted. So rows
    that are sorted by class are mixed, though no more than two windows need to be in memory: the one that is
    visited and the one that is read ahead.

    Parameters
    ----------
    rows : Rows, of a memory-mapped matrix
    """

    def __init__(self, rows):
        self._rows = rows
        self._step = max(1, SEGMENT * rows.n_rows // rows.n_bytes)
        self._edges = np.arange(0, rows.n_rows + self._step, self._step)  # of the segments, in X
        self._edges[-1] = rows.n_rows
        self._segments = np.arange(len(self._edges) - 1, dtype=np.int32)
        self.ends = np.empty(-(-len(self._segments) // TOGETHER), np.int64)  # of the windows, in the order
        self._next = 0  # window that is to be read ahead

    def shuffle(self, kept, order, random):
        """Fill `order` with a permutation of `kept`, sorted row numbers; None: of all rows."""
        bounds = self._edges if kept is None else np.searchsorted(kept, self._edges)
        shuffle_windows(kept, order, self._segments, bounds, TOGETHER, self.ends, random)
        self._next = 0

    def before(self, first):
        """Have what is visited from place `first` of the order on read ahead."""
        if first == 0:
            self._next = 0
        while self._next < len(self.ends) and (self._next < 2 or self.ends[self._next - 2] <= first):
            for range_ in self._ranges(self._next):
                self._rows.will_need(*range_)
            self._next += 1

    def _ranges(self, window):
        for segment in self._segments[window * TOGETHER : (window + 1) * TOGETHER]:
            yield int(self._edges[segment]), int(self._edges[segment + 1])
