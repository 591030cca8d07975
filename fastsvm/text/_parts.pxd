"""Rows of counts as the kernels leave them, before they are one CSR matrix."""

from libc.stdint cimport int32_t

from ._tally cimport Tally

cdef enum:
    MAX_LAYERS = 8


cdef struct Layer:  # for each position a term and how often the row has it; 0 where it has come before
    const int32_t* ids
    const int32_t* counts
    const int32_t* columns  # of each id, plus 1; 0: none; NULL: the ids are columns


cdef inline int32_t column_of(const Layer* layer, bint every, Py_ssize_t p) noexcept nogil:
    """The column of a position, or -1 if there is nothing to count; no branch that cannot be foreseen."""
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
    cdef object owner  # of the memory


cdef class Counts:
    """The tally of some documents, and where each one's row ends."""

    cdef Tally tally
    cdef Py_ssize_t* ends
    cdef Py_ssize_t n_rows

    cdef Part part(self)
