"""An order of the rows of a memory-mapped matrix that reads it in large pieces, once per epoch."""

import numpy as np

from ._mapped_rows import SEGMENT_BYTES, TOGETHER
from ._random import shuffle, shuffle_windows


class Windows:
    """Windows of segments, which are ranges of rows from all over X.

    A window is `TOGETHER` segments, whose rows are permuted together. Sorted rows are thus mixed, although
    only two windows need to be in memory: the visited one and the one that is read ahead.

    Segments are in random order, but each window has one segment from each stratum of the shares of rows of
    sign +1. Otherwise, the intercept, which is not regularised, would follow the windows' shares.

    Parameters
    ----------
    rows : Rows, of a memory-mapped matrix
    signs : int8 array of shape (n_rows,)
    """

    def __init__(self, rows, signs):
        self._rows = rows
        self._step = max(1, SEGMENT_BYTES * rows.n_rows // rows.n_bytes)
        self._edges = np.arange(0, rows.n_rows + self._step, self._step)  # of the segments, in X
        self._edges[-1] = rows.n_rows
        count = len(self._edges) - 1
        shares = np.add.reduceat(signs > 0, self._edges[:-1], dtype=np.int64) / np.diff(self._edges)
        n_windows = -(-count // TOGETHER)
        # A column for each window, a row for each stratum; the last may have no segment for some windows.
        self._strata = np.full((-(-count // n_windows), n_windows), -1, np.int32)
        self._strata.reshape(-1)[:count] = np.argsort(shares, kind="stable")
        self._windows = []  # the segments of each
        self.ends = np.empty(n_windows, np.int64)  # of the windows, in the order
        self._next = 0  # the window to read ahead
        self._checked = 0  # the number of checked windows, if not all rows are checked

    def shuffle(self, kept, order, random):
        """Fill `order` with a permutation of `kept`, sorted row numbers; None: of all rows."""
        for stratum in self._strata:
            shuffle(stratum, random)
        self._windows = [np.sort(column[column >= 0]) for column in self._strata.T]
        segments, lasts = np.concatenate(self._windows), np.cumsum([*map(len, self._windows)])
        bounds = self._edges if kept is None else np.searchsorted(kept, self._edges)
        self._used = np.diff(bounds) > 0
        shuffle_windows(kept, order, segments, bounds, lasts, self.ends, random)
        self._next = self._checked = 0

    def prefetch(self, first):
        """Read ahead the rows from place `first` of the order on."""
        if first == 0:
            self._next = 0
        while self._next < len(self.ends) and (self._next < 2 or self.ends[self._next - 2] <= first):
            segments = self._windows[self._next]
            for segment in segments[self._used[segments]]:
                self._rows.will_need(int(self._edges[segment]), int(self._edges[segment + 1]))
            self._next += 1

    def check(self, last):
        """Check the rows of the windows that begin before place `last` of the order."""
        rows, count = self._rows, len(self.ends)
        if rows.checked:
            return
        while self._checked < count and (self._checked == 0 or self.ends[self._checked - 1] < last):
            self._check_segments(self._windows[self._checked])
            self._checked += 1
        if last == self.ends[-1]:
            for window in self._windows[self._checked :]:  # whose rows all have the weight 0
                self._check_segments(window)
            rows.all_were_checked()

    def mean_square(self):
        """Estimate the mean of ||x_i||^2 from as many rows as a window holds, from all over X."""
        some = np.unique(np.linspace(0, len(self._edges) - 2, TOGETHER).astype(int))
        if not self._rows.checked:
            self._check_segments(some)
            self._rows.release()
        norms = self._rows.norms
        return float(np.concatenate([norms[self._edges[s] : self._edges[s + 1]] for s in some]).mean())

    def _check_segments(self, segments):
        for segment in segments:
            self._rows.check(int(self._edges[segment]), int(self._edges[segment + 1]))
