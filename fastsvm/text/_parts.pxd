"""Rows of counts as the kernels leave them, before they are one CSR matrix."""

from libc.stdint cimport int32_t

cdef enum:
    MAX_LAYERS = 8


cdef struct Layer:  # for each position a term and how often the row has it; 0 where it has come before
    const int32_t* ids
    const int32_t* counts
    const int32_t* columns  # of each id, plus 1; 0: none; NULL: the ids are columns


cdef class Part:
    """Some rows; in each the terms of the first layer, then those of the second, ..."""

    cdef Layer layers[MAX_LAYERS]
    cdef int n_layers
    cdef const Py_ssize_t* ends  # of each row's positions
    cdef Py_ssize_t first, last
    cdef bint every  # a count of 0 counts too
    cdef object owner  # of the memory
