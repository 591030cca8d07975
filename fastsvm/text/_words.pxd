"""Texts cut into words: lower-cased UTF-8, and where each word lies in it."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t

cdef enum:
    BLOCK_WORDS = 256  # words that are cut at once
    PADDING = 64  # bytes that can be read behind a text


cdef struct Document:  # a str as Python holds it
    const void* characters
    Py_ssize_t length
    int kind  # bytes a character
    bint is_ascii
    bint lower  # whether to lower-case it


cdef struct Text:  # the document at hand
    uint8_t* bytes
    uint8_t* inside  # 1 for each byte of a word
    Py_ssize_t length
    Py_ssize_t capacity
    Py_ssize_t next  # how far it has been cut
    Py_ssize_t start  # of the word that goes on there, or -1


cdef struct Cut:  # a block of its words
    uint32_t starts[BLOCK_WORDS]
    uint32_t lengths[BLOCK_WORDS]
    Py_ssize_t n


cdef struct Rule:  # what is a word
    bint split  # a word is all but white space; else letters, digits, underscore
    int least  # characters
    bint marks  # combining marks go on a word


cdef inline int character_bytes(uint8_t first) noexcept nogil:
    return 1 if first < 0xC0 else 2 if first < 0xE0 else 3 if first < 0xF0 else 4


cdef int read_text(Text* text, const Document* document, const Rule* rule) noexcept nogil
cdef bint cut_words(Text* text, const Rule* rule, Cut* cut) noexcept nogil
cdef void free_text(Text* text) noexcept nogil


cdef class Batch:
    """Some documents, held while they are counted."""

    cdef list texts
    cdef Document* documents
    cdef Py_ssize_t n, capacity, n_characters

    cdef int append(self, str text, bint lower) except -1
