"""Access to some rows of a matrix that may be memory-mapped, without copying all of them at once."""

from typing import Any

import numpy as np

from .._utils import sparse
from .._utils.memory import Pages
from ._input import as_csr

# Bytes of X that are read in one piece: with much smaller pieces, disks seek more than they read, and Linux
# maps the 2 MiB around each piece anyway.
SEGMENT_BYTES = 1 << 21
TOGETHER = 16  # segments whose rows are shuffled together: 32 MiB, which fit into a processor's last cache


class ScatteredRows:
    """Rows of a memory-mapped matrix, in increasing order, which `row_blocks` copies some at a time."""

    def __init__(self, X, numbers):
        self.X, self.numbers, self.shape = X, numbers, (len(numbers), X.shape[1])

    def some_rows(self, first, last):
        """Copy rows first to last; SciPy would copy all columns if offsets are wider."""
        X, numbers = self.X, self.numbers[first:last]
        if not sparse.issparse(X):
            return X[numbers]
        starts = X.indptr[numbers]
        ends = np.cumsum(X.indptr[numbers + 1] - starts)
        begins = np.append(0, ends)
        places = np.arange(ends[-1]) + np.repeat(starts - begins[:-1], np.diff(begins))
        return sparse.csr_matrix((X.data[places], X.indices[places], begins), (len(numbers), X.shape[1]))


def rows_at(X, numbers):
    """The rows of X with these increasing numbers; a view or `ScatteredRows` if X is memory-mapped."""
    if not _pages(X):
        return X[numbers]
    span = adjacent_rows(numbers, X.shape[0])
    return ScatteredRows(X, numbers) if span is None else some_rows(X, *span)


def adjacent_rows(key, n):
    """The first row and the row after the last, if the key, a slice or an array, selects adjacent rows."""
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


def row_blocks(X: Any) -> Any:
    """Yield the rows of X some at a time if X is memory-mapped, and release their memory; otherwise, yield X.

    Parameters
    ----------
    X : anything
        CSR matrices, C-ordered arrays of two dimensions, and `ScatteredRows` are split.

    Yields
    ------
    X, or matrices of as many rows as a window holds
    """
    scattered = isinstance(X, ScatteredRows)
    whole = X.X if scattered else X
    pages, n_bytes = _pages(whole), SEGMENT_BYTES if scattered else TOGETHER * SEGMENT_BYTES
    step = max(1, n_bytes * whole.shape[0] // sum(a.nbytes for a in _arrays(whole))) if pages else 0
    if not (scattered or (pages and step < X.shape[0])):
        yield X
        return
    as_csr(whole, columns=False)  # a malformed matrix must not be split
    for first in range(0, X.shape[0], step):
        last = min(first + step, X.shape[0])
        yield X.some_rows(first, last) if scattered else some_rows(X, first, last)
        for each in pages:
            each.release()


def some_rows(X, first, last):
    """Rows first to last, without a copy; SciPy would copy and widen all columns if offsets are wider.

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
