"""Sorting in one thread: words by their bytes, and items by 64-bit keys, digit by digit."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc, qsort
from libc.string cimport memcmp, memcpy, memset

from ._tables cimport WordTable, word_start

cdef enum:
    BITS = 8  # of a digit
    SIZE = 1 << BITS
    FEW = 24  # keys that are sorted by insertion


cdef struct Word:
    const uint8_t* bytes
    Py_ssize_t length
    uint32_t item
    bint followed  # by a blank


cdef inline Word word_of(const WordTable* table, uint32_t item) noexcept nogil:
    """Return a word by its number; a number larger by the number of words means the word plus a blank."""
    cdef Word word
    cdef Py_ssize_t id = item
    word.item = item
    word.followed = id >= table.n
    id -= table.n if word.followed else 0
    word.bytes = table.bytes + word_start(table, id)
    word.length = table.ends[id] - word_start(table, id)
    return word


cdef inline int next_byte(const Word* word, Py_ssize_t k) noexcept nogil:
    """Return the byte at k; after the word comes its blank, if any, then -1, which is below all bytes."""
    if k < word.length:
        return word.bytes[k]
    return 32 if word.followed and k == word.length else -1


cdef inline int compare_words(const void* a, const void* b) noexcept nogil:
    """Compare words by bytes, which for UTF-8 is the order of Python's strings."""
    cdef const Word* first = <const Word*>a
    cdef const Word* second = <const Word*>b
    cdef Py_ssize_t k = min(first.length, second.length)
    cdef int order = memcmp(first.bytes, second.bytes, k)
    while order == 0 and (k <= first.length or k <= second.length):
        order = next_byte(first, k) - next_byte(second, k)
        k += 1
    return order


cdef inline uint64_t head(const Word* word) noexcept nogil:
    """Return the first eight bytes as a number in the order of words; missing bytes are 0."""
    cdef uint64_t number = 0
    cdef Py_ssize_t k
    for k in range(8):
        number = (number << 8) | <uint64_t>max(0, next_byte(word, k))
    return number


cdef inline int sort_alike(const WordTable* table, uint32_t* items, Py_ssize_t n) noexcept nogil:
    """Sort words with the same first eight bytes; -1 if there is no memory."""
    cdef Word* words
    cdef Py_ssize_t k
    if n == 1:
        return 0
    words = <Word*>malloc(n * sizeof(Word))
    if words == NULL:
        return -1
    for k in range(n):
        words[k] = word_of(table, items[k])
    qsort(words, n, sizeof(Word), compare_words)
    for k in range(n):
        items[k] = words[k].item
    free(words)
    return 0


cdef inline void sort_lowest(
    uint64_t* keys, uint32_t* items, uint64_t* other_keys, uint32_t* other_items, Py_ssize_t n, int n_bits
) noexcept nogil:
    """Sort keys, and items with them, by their lowest bits; the other arrays are scratch memory."""
    cdef Py_ssize_t places[SIZE]
    cdef uint64_t* from_keys = keys
    cdef uint32_t* from_items = items
    cdef uint64_t key, ones = 0, zeros = 0
    cdef uint32_t item
    cdef Py_ssize_t k, j, place, size
    cdef int shift = -BITS, digit
    if n <= FEW:
        for k in range(1, n):
            key, item, j = keys[k], items[k], k
            while j > 0 and keys[j - 1] > key:
                keys[j], items[j] = keys[j - 1], items[j - 1]
                j -= 1
            keys[j], items[j] = key, item
        return
    for k in range(n):
        ones |= keys[k]
        zeros |= ~keys[k]
    while shift + BITS < n_bits:
        shift += BITS
        if ((ones & zeros) >> shift) & (SIZE - 1) == 0:  # all alike
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
            other_keys[places[digit]] = from_keys[k]
            other_items[places[digit]] = from_items[k]
            places[digit] += 1
        from_keys, other_keys = other_keys, from_keys
        from_items, other_items = other_items, from_items
    if from_keys != keys:
        memcpy(keys, from_keys, n * sizeof(uint64_t))
        memcpy(items, from_items, n * sizeof(uint32_t))
