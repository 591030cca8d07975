"""One CSR matrix from parts of rows, each written by one thread."""

import numpy as np

from libc.stdlib cimport calloc, free

from ..solvers._types cimport count, index, int32_t, int64_t, uint32_t
from ._tally cimport free_scratch


cdef class Counts:
    def __cinit__(self, Py_ssize_t n_documents, Py_ssize_t n_columns):
        self.ends = <Py_ssize_t*>calloc(n_documents + 1, sizeof(Py_ssize_t))
        self.tally.seen = <uint32_t*>calloc(n_columns + 1, sizeof(uint32_t))
        if self.ends == NULL or self.tally.seen == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.ends)
        free(self.tally.columns)
        free(self.tally.counts)
        free_scratch(&self.tally)

    cdef Part part(self):
        cdef Part part = Part()
        free_scratch(&self.tally)
        part.owner = self
        part.ends, part.first, part.last = self.ends, 0, self.n_rows
        part.layers[0].ids, part.layers[0].counts = self.tally.columns, self.tally.counts
        part.n_layers = 1
        part.every = True
        return part


def _count(Part part, int64_t[::1] sizes):
    """Count the entries of each row."""
    cdef Py_ssize_t row, p, start
    cdef int64_t n
    cdef int k
    with nogil:
        start = part.ends[part.first - 1] if part.first else 0
        for row in range(part.first, part.last):
            n = 0
            for k in range(part.n_layers):
                if part.complete:
                    for p in range(start, part.ends[row]):
                        n += part.layers[k].counts[p] != 0
                    continue
                for p in range(start, part.ends[row]):
                    n += column_of(&part.layers[k], part.every, p) >= 0
            sizes[row - part.first] = n
            start = part.ends[row]


def _write(Part part, bint binary, int64_t at, int64_t stop, index[::1] indices, count[::1] data):
    """Write columns and counts of all rows, from the entry `at` to before `stop`."""
    cdef Py_ssize_t row, p, start
    cdef int32_t column
    cdef int k
    with nogil:
        start = part.ends[part.first - 1] if part.first else 0
        for row in range(part.first, part.last):
            for k in range(part.n_layers):
                for p in range(start, part.ends[row]):
                    if at == stop:
                        break
                    # If there is nothing to count, the next entry overwrites this one.
                    column = column_of(&part.layers[k], part.every, p)
                    indices[at] = column
                    data[at] = 1 if binary else <count>part.layers[k].counts[p]
                    at += column >= 0
            start = part.ends[row]


def _tally(Part part, int64_t[::1] rows, int64_t[::1] total):
    """Add to each column its number of rows, and its counts."""
    cdef Py_ssize_t p, start, stop
    cdef int32_t column
    cdef int k
    with nogil:
        start = part.ends[part.first - 1] if part.first else 0
        stop = part.ends[part.last - 1] if part.last else 0
        for k in range(part.n_layers):
            for p in range(start, stop):
                column = column_of(&part.layers[k], part.every, p)
                if column >= 0:
                    rows[column] += 1
                    total[column] += part.layers[k].counts[p]


def frequencies(parts, n_columns):
    """Return in how many rows each column is, and its sum of counts.

    Returns
    -------
    rows, total : ndarrays of shape (n_columns,), int64
    """
    rows, total = np.zeros(n_columns, np.int64), np.zeros(n_columns, np.int64)
    for part in parts:
        _tally(part, rows, total)
    return rows, total


def csr_arrays(parts, dtype, binary, run):
    """Write all parts, one after the other.

    Parameters
    ----------
    parts : list of Part
    dtype : dtype
    binary : bool
        Ones instead of counts.
    run : callable
        Like `map`; it may use threads.

    Returns
    -------
    data, indices, indptr : ndarrays
        Indices have 32 bits unless there are too many entries; in a row, they are in the order of the layers.
    """
    cdef Part part
    n = len(parts)
    bounds = np.cumsum([0] + [part.last - part.first for part in parts]).tolist()
    indptr = np.zeros(bounds[n] + 1, np.int64)
    sizes = indptr[1:]
    list(run(_count, parts, [sizes[a:b] for a, b in zip(bounds, bounds[1:])]))
    np.cumsum(sizes, out=sizes)
    size = indptr[bounds[n]]
    indices = np.empty(size, np.int32 if size <= np.iinfo(np.int32).max else np.int64)
    native = np.dtype(dtype) in (np.int32, np.int64, np.float32, np.float64)
    data = np.empty(size, dtype if native else np.int64)
    places = indptr[bounds].tolist()
    list(run(_write, parts, [binary] * n, places, places[1:], [indices] * n, [data] * n))
    return data.astype(dtype, copy=False), indices, indptr.astype(indices.dtype, copy=False)
