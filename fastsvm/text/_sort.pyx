"""Sorting by 64-bit keys, digit by digit, and by the bytes of words, eight at a time."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc, qsort
from libc.string cimport memcmp, memcpy, memset

from ._tables cimport WordTable, word_start

cdef enum:
    BITS = 11
    SIZE = 1 << BITS


cdef struct Tail:  # what of a word is behind its first eight bytes
    const uint8_t* bytes
    Py_ssize_t length
    uint32_t item


cdef int compare_tails(const void* a, const void* b) noexcept nogil:
    cdef const Tail* first = <const Tail*>a
    cdef const Tail* second = <const Tail*>b
    cdef int order = memcmp(first.bytes, second.bytes, min(first.length, second.length))
    if order:
        return order
    return (first.length > second.length) - (first.length < second.length)


cdef int sort_keys(uint64_t* keys, uint32_t* items, Py_ssize_t n) noexcept nogil:
    """Sort keys and items by keys, stably; -1 when there is no memory. Digits all alike are passed over."""
    cdef Py_ssize_t places[SIZE]
    cdef uint64_t* other_keys = <uint64_t*>malloc(n * sizeof(uint64_t) + 1)
    cdef uint32_t* other_items = <uint32_t*>malloc(n * sizeof(uint32_t) + 1)
    cdef uint64_t* from_keys = keys
    cdef uint32_t* from_items = items
    cdef uint64_t* to_keys = other_keys
    cdef uint32_t* to_items = other_items
    cdef uint64_t ones = 0, zeros = 0
    cdef Py_ssize_t k, place, size
    cdef int shift = -BITS, digit
    if other_keys == NULL or other_items == NULL:
        free(other_keys)
        free(other_items)
        return -1
    for k in range(n):
        ones |= keys[k]
        zeros |= ~keys[k]
    while shift < 64 - BITS:
        shift += BITS
        if ((ones & zeros) >> shift) & (SIZE - 1) == 0:
            continue
        memset(places, 0, sizeof(places))
        for k in range(n):
            places[(from_keys[k] >> shift) & (SIZE - 1)] += 1
        place = 0
        for digit in range(SIZE):
            size = places[digit]
            places[digit] = place
            place += size
        for k in range(n):
            digit = (from_keys[k] >> shift) & (SIZE - 1)
            to_keys[places[digit]] = from_keys[k]
            to_items[places[digit]] = from_items[k]
            places[digit] += 1
        from_keys, to_keys = to_keys, from_keys
        from_items, to_items = to_items, from_items
    if from_keys != keys:
        memcpy(keys, from_keys, n * sizeof(uint64_t))
        memcpy(items, from_items, n * sizeof(uint32_t))
    free(other_keys)
    free(other_items)
    return 0


cdef inline uint64_t head(const uint8_t* bytes, Py_ssize_t length) noexcept nogil:
    """The first eight bytes as a number, in the order of words; 0 for what is not there."""
    cdef uint64_t number = 0
    cdef Py_ssize_t k
    for k in range(8):
        number = (number << 8) | (bytes[k] if k < length else 0)
    return number


cdef int sort_words(const WordTable* table, Py_ssize_t first, uint32_t* items) noexcept nogil:
    """The ids from `first` on in the order of their words; -1 when there is no memory.

    UTF-8 sorts as Python sorts strings, by code points.
    """
    cdef Py_ssize_t n = table.n - first, k, start, a, b
    cdef uint64_t* keys = <uint64_t*>malloc(n * sizeof(uint64_t) + 1)
    cdef Tail* tails
    if keys == NULL:
        return -1
    for k in range(n):
        start = word_start(table, first + k)
        keys[k] = head(table.bytes + start, table.ends[first + k] - start)
        items[k] = <uint32_t>(first + k)
    if sort_keys(keys, items, n) < 0:
        free(keys)
        return -1
    a = 0
    while a < n:
        b = a + 1
        while b < n and keys[b] == keys[a]:
            b += 1
        if b - a > 1:
            tails = <Tail*>malloc((b - a) * sizeof(Tail))
            if tails == NULL:
                free(keys)
                return -1
            for k in range(b - a):
                start = word_start(table, items[a + k])
                tails[k].bytes = table.bytes + start
                tails[k].length = table.ends[items[a + k]] - start
                tails[k].item = items[a + k]
            qsort(tails, b - a, sizeof(Tail), compare_tails)
            for k in range(b - a):
                items[a + k] = tails[k].item
            free(tails)
        a = b
    free(keys)
    return 0
