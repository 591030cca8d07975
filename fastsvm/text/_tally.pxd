"""The counts of one thread's documents: for each row, its columns and their counts."""

from libc.stdint cimport int32_t, uint8_t, uint32_t
from libc.stdlib cimport free
from libc.string cimport memcpy

from ..solvers._prefetch cimport prefetch
from ._memory cimport MOST, NO_MEMORY, TOO_MANY, reserve
from ._words cimport BLOCK_WORDS, Text, free_text


cdef struct Tally:
    int32_t* columns
    int32_t* counts
    uint32_t* seen  # where each column was counted last, plus 1
    Py_ssize_t n, column_capacity, count_capacity
    # Columns that wait until their entries of `seen` have come from memory:
    int32_t found_columns[BLOCK_WORDS]
    int32_t found_counts[BLOCK_WORDS]
    Py_ssize_t n_found
    # Of the document at hand:
    Text text
    Py_ssize_t start  # of its row
    int32_t* words
    int32_t* prefixes
    uint8_t* joined  # its words with a blank behind each
    uint32_t* bounds  # where each of them begins, and would begin
    Py_ssize_t n_words, word_capacity, prefix_capacity, joined_capacity, bound_capacity


cdef inline int make_room(Tally* tally, Py_ssize_t n) noexcept nogil:
    """Make room for n more entries."""
    n += tally.n
    if n > MOST:
        return TOO_MANY
    if (
        reserve(<void**>&tally.columns, &tally.column_capacity, n, sizeof(int32_t)) < 0
        or reserve(<void**>&tally.counts, &tally.count_capacity, n, sizeof(int32_t)) < 0
    ):
        return NO_MEMORY
    return 0


cdef inline void expect(Tally* tally, int32_t column, int32_t count) noexcept nogil:
    """Queue a column for `count_found`; the queue holds one block."""
    tally.found_columns[tally.n_found] = column
    tally.found_counts[tally.n_found] = count
    tally.n_found += 1
    prefetch(&tally.seen[column])


cdef inline void count_found(Tally* tally) noexcept nogil:
    cdef Py_ssize_t k
    cdef int32_t column
    cdef uint32_t seen
    for k in range(tally.n_found):
        column = tally.found_columns[k]
        seen = tally.seen[column]
        if seen > tally.start:
            tally.counts[seen - 1] += tally.found_counts[k]
        else:
            tally.columns[tally.n] = column
            tally.counts[tally.n] = tally.found_counts[k]
            tally.n += 1
            tally.seen[column] = <uint32_t>tally.n
    tally.n_found = 0


cdef inline int make_joined(Tally* tally, Py_ssize_t n) noexcept nogil:
    """Make room for n more joined words of the document; together they are no longer than it."""
    if (
        reserve(<void**>&tally.joined, &tally.joined_capacity, tally.text.length + 1, 1) < 0
        or reserve(<void**>&tally.bounds, &tally.bound_capacity, tally.n_words + n + 1, sizeof(uint32_t)) < 0
    ):
        return NO_MEMORY
    tally.bounds[0] = 0
    return 0


cdef inline void join_word(Tally* tally, const uint8_t* word, Py_ssize_t length) noexcept nogil:
    cdef uint32_t end = tally.bounds[tally.n_words] + <uint32_t>length
    memcpy(tally.joined + end - length, word, length)
    tally.joined[end] = 32
    tally.n_words += 1
    tally.bounds[tally.n_words] = end + 1


cdef inline void free_scratch(Tally* tally) noexcept nogil:
    """Free everything except columns and counts."""
    free_text(&tally.text)
    free(tally.seen)
    free(tally.words)
    free(tally.prefixes)
    free(tally.joined)
    free(tally.bounds)
    tally.seen = tally.bounds = NULL
    tally.words = tally.prefixes = NULL
    tally.joined = NULL
