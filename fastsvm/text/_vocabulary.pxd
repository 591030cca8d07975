from libc.stdint cimport int32_t, uint64_t

from ._tables cimport WordTable


cdef class Vocabulary:
    cdef const WordTable* words
    cdef Py_ssize_t n_stop, n_ids, n_ranked
    cdef int first, n_parts, shift
    cdef bint complete  # whether all terms that are counted have columns
    cdef bint apart  # whether terms and themselves with a blank behind need places of their own
    cdef list keys, columns
    cdef readonly object entries
    cdef const int32_t[::1] alone, followed, places, starts
