"""Rows of counts as the kernels write them, before they are joined into one CSR matrix."""

from libc.stdint cimport int32_t

from ._tally cimport Tally

cdef enum:
    MAX_LAYERS = 8


cdef struct Layer:  # each position has a term and its count in the row; 0 if the term came before
    const int32_t* ids
    const int32_t* counts
    const int32_t* columns  # of each id, plus 1; 0: none; NULL: the ids are columns


cdef inline int32_t column_of(const Layer* layer, bint every, Py_ssize_t p) noexcept nogil:
    """Return the column of a position, or -1 if there is nothing to count; no unpredictable branch."""
    cdef int32_t id = layer.ids[p]
    if layer.columns != NULL:
        id = layer.columns[id if id > 0 else 0] - 1
    return id | -<int32_t>(not every and layer.counts[p] == 0)


cdef class Part:
    """Some rows; in each the terms of the first layer, then those of the second, ..."""

    cdef Layer layers[MAX_LAYERS]
    cdef int n_layers
    cdef const Py_ssize_t* ends  # of each row's positions
    cdef Py_ssize_t first, last
    cdef bint every  # a count of 0 counts too
    cdef bint complete  # whatever has a count has a column
    cdef object owner  # of the memory


cdef class Counts:
    """The tally of some documents, and the end of each row."""

    cdef Tally tally
    cdef Py_ssize_t* ends
    cdef Py_ssize_t n_rows

    cdef Part part(self)
