"""Sorting by 64-bit keys, digit by digit, and by the bytes of words, eight at a time."""

from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc, qsort
from libc.string cimport memcmp, memcpy, memset

from ._tables cimport WordTable, word_start

cdef enum:
    BITS = 11
    SIZE = 1 << BITS


cdef struct Word:
    const uint8_t* bytes
    Py_ssize_t length
    uint32_t item
    bint followed  # by a blank


cdef int next_byte(const Word* word, Py_ssize_t k) noexcept nogil:
    """The byte at k; behind the word a blank if there is one, then what is below all bytes."""
    if k < word.length:
        return word.bytes[k]
    return 32 if word.followed and k == word.length else -1


cdef int compare_words(const void* a, const void* b) noexcept nogil:
    cdef const Word* first = <const Word*>a
    cdef const Word* second = <const Word*>b
    cdef Py_ssize_t k = min(first.length, second.length)
    cdef int order = memcmp(first.bytes, second.bytes, k)
    while order == 0 and (k <= first.length or k <= second.length):
        order = next_byte(first, k) - next_byte(second, k)
        k += 1
    return order


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


cdef inline uint64_t head(const Word* word) noexcept nogil:
    """The first eight bytes as a number, in the order of words; 0 for what is not there."""
    cdef uint64_t number = 0
    cdef Py_ssize_t k
    for k in range(8):
        number = (number << 8) | <uint64_t>max(0, next_byte(word, k))
    return number


cdef int sort_words(const WordTable* table, Py_ssize_t first, bint both, uint32_t* items) noexcept nogil:
    """Sort the ids from `first` on by their words; -1 when there is no memory.

    UTF-8 sorts as Python sorts strings, by code points. With `both`, each word is there a second time, with
    a blank behind it, and its id then is larger by the number of words.
    """
    cdef Py_ssize_t n = table.n - first, n_items = 2 * n if both else n, k, id, start, a, b
    cdef uint64_t* keys = <uint64_t*>malloc(n_items * sizeof(uint64_t) + 1)
    cdef Word* words = <Word*>malloc(n_items * sizeof(Word) + 1)
    cdef int code = 0
    if keys == NULL or words == NULL:
        free(keys)
        free(words)
        return -1
    for k in range(n_items):
        id = first + k % n
        start = word_start(table, id)
        words[k].bytes = table.bytes + start
        words[k].length = table.ends[id] - start
        words[k].followed = k >= n
        words[k].item = <uint32_t>(id + (table.n if k >= n else 0))
        keys[k] = head(&words[k])
        items[k] = <uint32_t>k
    code = sort_keys(keys, items, n_items)
    a = 0
    while code == 0 and a < n_items:
        b = a + 1
        while b < n_items and keys[b] == keys[a]:
            b += 1
        code = sort_run(words, items + a, b - a)
        a = b
    free(keys)
    free(words)
    return code


cdef int sort_run(const Word* words, uint32_t* items, Py_ssize_t n) noexcept nogil:
    """Sort places in `words`, whose first eight bytes are the same, and turn them into items."""
    cdef Word* run
    cdef Py_ssize_t k
    if n == 1:
        items[0] = words[items[0]].item
        return 0
    run = <Word*>malloc(n * sizeof(Word))
    if run == NULL:
        return -1
    for k in range(n):
        run[k] = words[items[k]]
    qsort(run, n, sizeof(Word), compare_words)
    for k in range(n):
        items[k] = run[k].item
    free(run)
    return 0


def are_ascending(const uint8_t[::1] content, const int64_t[::1] ends):
    """Tell whether each term is above the one before it, byte by byte; then none is there twice.

    Parameters
    ----------
    content, ends : arrays
        The terms end to end, and where each ends; the ends must not decrease.

    Returns
    -------
    bool
    """
    cdef Py_ssize_t k, start = 0, middle, end, shorter
    cdef int order
    cdef bint ascending = True
    with nogil:
        for k in range(ends.shape[0] - 1):
            middle, end = ends[k], ends[k + 1]
            shorter = min(middle - start, end - middle)
            order = memcmp(&content[start], &content[middle], shorter) if shorter else 0
            if order > 0 or (order == 0 and end - middle <= middle - start):
                ascending = False
                break
            start = middle
    return ascending
