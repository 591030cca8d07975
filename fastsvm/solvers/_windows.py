"""The rows of a memory-mapped matrix in large pieces: an order that reads each once an epoch, and blocks."""

from typing import Any

import numpy as np

from .._utils import sparse
from .._utils.memory import Pages
from ._random import shuffle, shuffle_windows
from ._sparse import as_csr

# Bytes of X that are read in one piece: of much less, disks seek more than they read, and Linux maps the
# 2 MiB around each all the same.
SEGMENT = 1 << 21
TOGETHER = 16  # segments whose rows are shuffled with each other: 32 MiB, as a processor's last cache holds


class Windows:
    """Windows of segments, each a range of rows, from all over X.

    `TOGETHER` segments are a window, whose rows are permuted. So rows that are sorted are mixed, though no
    more than two windows need to be in memory: the one that is visited and the one that is read ahead.

    Segments are in random order, but for one thing: each window has one from each stratum of their shares of
    rows of sign +1. Else the intercept, which is not regularised, would follow the windows' shares.

    Parameters
    ----------
    rows : Rows, of a memory-mapped matrix
    signs : int8 array of shape (n_rows,)
    """

    def __init__(self, rows, signs):
        self._rows = rows
        self._step = max(1, SEGMENT * rows.n_rows // rows.n_bytes)
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
        self._next = 0  # window that is to be read ahead
        self._checked = 0  # windows of which the rows are, where not all are

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
        """Read ahead the rows at place `first` of the order and after it."""
        if first == 0:
            self._next = 0
        while self._next < len(self.ends) and (self._next < 2 or self.ends[self._next - 2] <= first):
            segments = self._windows[self._next]
            for segment in segments[self._used[segments]]:
                self._rows.will_need(int(self._edges[segment]), int(self._edges[segment + 1]))
            self._next += 1

    def check(self, last):
        """Check the rows of the windows that begin before place `last` of the order, unless all rows are."""
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
        """Estimate the mean of ||x_i||^2 from a window's bytes of rows, from all over X."""
        some = np.unique(np.linspace(0, len(self._edges) - 2, TOGETHER).astype(int))
        if not self._rows.checked:
            self._check_segments(some)
            self._rows.release()
        norms = self._rows.norms
        return float(np.concatenate([norms[self._edges[s] : self._edges[s + 1]] for s in some]).mean())

    def _check_segments(self, segments):
        for segment in segments:
            self._rows.check(int(self._edges[segment]), int(self._edges[segment + 1]))


class ScatteredRows:
    """Rows of a memory-mapped matrix, by increasing number, of which `blocks` copies some at a time."""

    def __init__(self, X, numbers):
        self.X, self.numbers, self.shape = X, numbers, (len(numbers), X.shape[1])

    def some_rows(self, first, last):
        """Copy rows first to last; SciPy would copy all columns where offsets are wider."""
        X, numbers = self.X, self.numbers[first:last]
        if not sparse.issparse(X):
            return X[numbers]
        starts = X.indptr[numbers]
        ends = np.cumsum(X.indptr[numbers + 1] - starts)
        begins = np.append(0, ends)
        places = np.arange(ends[-1]) + np.repeat(starts - begins[:-1], np.diff(begins))
        return sparse.csr_matrix((X.data[places], X.indices[places], begins), (len(numbers), X.shape[1]))


def rows_at(X, numbers):
    """The rows of X with these increasing numbers; where X is memory-mapped a view, or `ScatteredRows`."""
    if not _pages(X):
        return X[numbers]
    span = adjacent_rows(numbers, X.shape[0])
    return ScatteredRows(X, numbers) if span is None else some_rows(X, *span)


def adjacent_rows(key, n):
    """The first row and the one after the last, if a key (a slice, or an array) stands for adjacent rows."""
    if isinstance(key, slice):
        first, last, step = key.indices(n)
        return (first, max(first, last)) if step == 1 else None
    rows = np.asarray(key)
    if rows.ndim != 1 or rows.dtype.kind not in "biu" or not rows.size:
        return None
    if rows.dtype == bool:
        rows = np.flatnonzero(rows) if len(rows) == n else rows[:0]
    adjacent = len(rows) and rows[0] >= 0 and rows[-1] < n and (np.diff(rows) == 1).all()
    return (int(rows[0]), int(rows[-1]) + 1) if adjacent else None


def _arrays(X):
    if sparse.issparse(X):
        return (X.data, X.indices) if X.format == "csr" else ()
    return (X,) if isinstance(X, np.ndarray) and X.ndim == 2 and X.flags.c_contiguous else ()


def _pages(X):
    return [each for each in map(Pages.of, _arrays(X)) if each is not None]


def blocks(X: Any) -> Any:
    """Yield the rows of X some at a time where they are memory-mapped, and give their memory back; else X.

    Parameters
    ----------
    X : anything
        Taken to pieces are CSR matrices, C-ordered arrays of two dimensions, and `ScatteredRows`.

    Yields
    ------
    X, or matrices of as many rows as a window holds
    """
    scattered = isinstance(X, ScatteredRows)
    whole = X.X if scattered else X
    pages, n_bytes = _pages(whole), SEGMENT if scattered else TOGETHER * SEGMENT
    step = max(1, n_bytes * whole.shape[0] // sum(a.nbytes for a in _arrays(whole))) if pages else 0
    if not (scattered or (pages and step < X.shape[0])):
        yield X
        return
    as_csr(whole, columns=False)  # no malformed one is cut
    for first in range(0, X.shape[0], step):
        last = min(first + step, X.shape[0])
        yield X.some_rows(first, last) if scattered else some_rows(X, first, last)
        for each in pages:
            each.release()


def some_rows(X, first, last):
    """Rows first to last, without a copy: SciPy would widen all columns where offsets are wider, and copy.

    Parameters
    ----------
    X : CSR matrix or array, or ndarray of two dimensions
    first, last : int
    """
    if not sparse.issparse(X):
        return X[first:last]
    start, stop = X.indptr[first], X.indptr[last]
    rows = type(X)((last - first, X.shape[1]), dtype=X.dtype)
    rows.data, rows.indices = X.data[start:stop], X.indices[start:stop]
    offsets = X.indptr[first : last + 1] - start
    narrow = stop - start <= np.iinfo(X.indices.dtype).max
    rows.indptr = offsets.astype(X.indices.dtype) if narrow else offsets
    return rows
