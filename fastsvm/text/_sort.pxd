"""Sorting by 64-bit keys and by the bytes of words."""

from libc.stdint cimport uint32_t, uint64_t

from ._tables cimport WordTable


cdef int sort_keys(uint64_t* keys, uint32_t* items, Py_ssize_t n) noexcept nogil
cdef int sort_words(const WordTable* table, Py_ssize_t first, bint both, uint32_t* items) noexcept nogil
