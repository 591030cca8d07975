"""The terms of a vocabulary: sorted, given columns, and written as strings.

A term is an entry: the number of a word, or of a pair (number of the term before, number of the last word);
the numbers of words come first, then the numbers of pairs, order by order. Terms are sorted as numbers: the
rank of an n-gram is the rank of (rank of the one before with a blank behind, rank of the last word). Every
thread sorts a range of first digits of the keys.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcmp

from ..solvers._prefetch cimport prefetch
from ._memory cimport check
from ._parts cimport MAX_LAYERS
from ._sort cimport Word, head, sort_alike, sort_lowest, word_of
from ._tables cimport AHEAD, WordTable, copy_word, word_start

cdef enum:
    FIRST_BITS = 11  # of the digit that divides the keys
    FIRST = 1 << FIRST_BITS


def parts_of(n, n_parts):
    """Return the starts and the ends of n_parts parts, as two lists."""
    bounds = [n * k // n_parts for k in range(n_parts + 1)]
    return bounds[:n_parts], bounds[1:]


def sort_vocabulary(keys, items, int n_bits, run, int n_parts):
    """Sort keys of n_bits bits, and items with them, in place.

    Returns
    -------
    keys, items : ndarrays
    bounds : list of int
        Bounds of `n_parts` about equal parts; equal keys are in one part.
    """
    shift = max(0, n_bits - FIRST_BITS)
    begins, ends = parts_of(len(keys), n_parts)
    every = [shift] * n_parts
    sizes = np.zeros((n_parts, FIRST), np.int64)
    own_keys, own_items = ([of[a:b] for a, b in zip(begins, ends)] for of in (keys, items))
    list(run(_count_digits, own_keys, every, sizes))
    places = np.cumsum(sizes.T).reshape(sizes.T.shape).T - sizes
    to_keys, to_items = np.empty_like(keys), np.empty_like(items)
    starts = np.append(places[0], len(keys))
    targets = [to_keys] * n_parts, [to_items] * n_parts
    list(run(_scatter_items, own_keys, own_items, every, places.copy(), *targets))
    cuts = [0, *np.searchsorted(starts, begins[1:]).tolist(), FIRST]
    arrays = ([each] * n_parts for each in (to_keys, to_items, keys, items, starts, shift))
    list(run(_sort_digits, *arrays, cuts, cuts[1:]))
    return to_keys, to_items, starts[cuts].tolist()


def _count_digits(const uint64_t[::1] keys, int shift, int64_t[::1] sizes):
    cdef Py_ssize_t k
    with nogil:
        for k in range(keys.shape[0]):
            sizes[<Py_ssize_t>(keys[k] >> shift)] += 1


def _scatter_items(
    const uint64_t[::1] keys, const uint32_t[::1] items, int shift, int64_t[::1] places,
    uint64_t[::1] to_keys, uint32_t[::1] to_items,
):
    cdef Py_ssize_t k, digit
    with nogil:
        for k in range(keys.shape[0]):
            digit = <Py_ssize_t>(keys[k] >> shift)
            to_keys[places[digit]] = keys[k]
            to_items[places[digit]] = items[k]
            places[digit] += 1


def _sort_digits(
    uint64_t[::1] keys, uint32_t[::1] items, uint64_t[::1] other_keys, uint32_t[::1] other_items,
    const int64_t[::1] starts, int shift, Py_ssize_t first, Py_ssize_t last,
):
    """Sort the keys of some leading digits; `starts` bounds each digit."""
    cdef Py_ssize_t digit, a, n
    with nogil:
        for digit in range(first, last):
            a, n = starts[digit], starts[digit + 1] - starts[digit]
            if n > 1:
                sort_lowest(&keys[a], &items[a], &other_keys[a], &other_items[a], n, shift)


cdef class Vocabulary:
    """The terms, in the order of their code points, which is the order of their columns.

    Parameters
    ----------
    keys : list of ndarray
        From two words on, the pair of each number; 0 if there is none.
    n_stop : int
        The number of stop words, which come first.
    first : int
        Minimum number of words of a term.
    n_parts : int
        Threads.

    Attributes
    ----------
    entries : ndarray of shape (n_columns,), uint32
    columns : list of ndarray
        For terms of one word, of two, ...: the column plus 1 of each number; 0 if it has none.
    """

    def __init__(self, keys, n_stop, first, n_parts):
        self.keys, self.n_stop, self.first, self.n_parts = keys, n_stop, first, n_parts

    def sort(self, run, kept):
        """Give columns to all terms; for single words only to those in the mask `kept`, unless it is None."""
        cdef Py_ssize_t n_new, n_holes
        cdef int copies
        self.apart = has_control_characters(self.words, self.n_stop)
        self.n_ids = self.words.n
        entries = self._sort_words(run)
        places = self._inverse(entries, (1 + self.apart) * self.n_ids, run)
        self.n_ranked = len(entries)
        self.shift = self.n_ranked.bit_length()
        self.alone = self.places = places[:self.n_ids]
        self.followed = self.starts = places[self.n_ids:] if self.apart else self.alone
        entries = entries[entries < self.n_ids] if self.apart else entries
        entries = entries if kept is None else entries[kept[entries]]
        for order, keys in enumerate(self.keys, 2):
            is_last = order == 1 + len(self.keys)
            copies = 2 if self.apart and not is_last else 1
            n_new = copies * len(keys)
            items = np.empty(len(entries) + n_new, np.uint32)
            items[:len(entries)] = entries
            sort_by = np.empty(len(items), np.uint64)
            self._in_parts(run, len(items), self._fill_keys, sort_by, items, keys, copies)
            n_bits = self.shift + int(2 * self.n_ranked + 2).bit_length()
            _, items, _ = sort_vocabulary(sort_by, items, n_bits, run, self.n_parts)
            n_holes = copies * (len(keys) - np.count_nonzero(keys))
            entries = items[:len(items) - n_holes]
            self.n_ids += len(keys)
            if not is_last:
                places = self._inverse(entries, self.n_ids + n_new - len(keys), run)
                self.n_ranked = len(entries)
                self.places = places[:self.n_ids]
                self.starts = places[self.n_ids if self.apart else self.n_ids - len(keys):]
                entries = entries[entries < self.n_ids] if self.apart else entries
        self.alone = self.followed = self.places = self.starts = None
        self._number(entries, run)

    def _in_parts(self, run, n, function, *arguments):
        """Call a function with the bounds of each part of n things."""
        list(run(function, *([each] * self.n_parts for each in arguments), *parts_of(n, self.n_parts)))

    def _sort_words(self, run):
        """Return the words' numbers in their order.

        If control characters, which sort below the blank, can come between a word and the same word with a
        blank behind, each word has a second entry, with the blank: its number plus the number of words.
        """
        n = (1 + self.apart) * (self.words.n - self.n_stop)
        keys, items = np.empty(n, np.uint64), np.empty(n, np.uint32)
        self._in_parts(run, n, self._fill_heads, keys, items)
        keys, items, bounds = sort_vocabulary(keys, items, 64, run, self.n_parts)
        list(run(self._sort_alike, [keys] * self.n_parts, [items] * self.n_parts, bounds, bounds[1:]))
        return items

    def _fill_heads(self, uint64_t[::1] keys, uint32_t[::1] items, Py_ssize_t first, Py_ssize_t last):
        cdef Py_ssize_t k, n = self.words.n - self.n_stop
        cdef Word word
        with nogil:
            for k in range(first, last):
                items[k] = <uint32_t>(self.n_stop + k + (self.n_stop if k >= n else 0))
                word = word_of(self.words, items[k])
                keys[k] = head(&word)

    def _sort_alike(self, const uint64_t[::1] keys, uint32_t[::1] items, Py_ssize_t first, Py_ssize_t last):
        """Sort words with the same first bytes by the remaining bytes."""
        cdef Py_ssize_t a = first, b
        cdef int code = 0
        with nogil:
            while code == 0 and a < last:
                b = a + 1
                while b < last and keys[b] == keys[a]:
                    b += 1
                code = sort_alike(self.words, &items[a], b - a)
                a = b
        check(code, None)

    def _fill_keys(
        self, uint64_t[::1] sort_by, uint32_t[::1] items, const uint64_t[::1] pairs, int copies,
        Py_ssize_t first, Py_ssize_t last,
    ):
        """Fill in the keys of some items: known terms, then pairs, and pairs as starts of longer terms.

        The key of a known term is its place; of a pair, the place of its start and the rank of its last word.
        Numbers without a pair come last.
        """
        cdef Py_ssize_t at, k, n = pairs.shape[0], n_known = items.shape[0] - copies * n
        cdef uint64_t pair, start
        # Local, since views that the threads share are counted whenever they are used.
        cdef const int32_t[::1] places = self.places, starts = self.starts
        cdef const int32_t[::1] alone = self.alone, followed = self.followed
        with nogil:
            for at in range(first, last):
                k = at - n_known
                if k < 0:
                    sort_by[at] = <uint64_t>places[items[at]] << (self.shift + 1)
                    continue
                items[at] = <uint32_t>(self.n_ids + k)
                pair = pairs[k - n if k >= n else k]
                if pair == 0:
                    sort_by[at] = <uint64_t>(2 * self.n_ranked + 2) << self.shift
                    continue
                # If nothing comes between a term and the same term with a blank behind, places are doubled.
                start = 2 * <uint64_t>starts[<Py_ssize_t>(pair >> 32) - 1] + (not self.apart)
                sort_by[at] = start << self.shift
                sort_by[at] |= <uint64_t>(followed[<uint32_t>pair] if k >= n else alone[<uint32_t>pair])

    def _inverse(self, items, n, run):
        """Return the place plus 1 of each number below n among the items; 0 if it is not there."""
        places = np.zeros(n, np.int32)
        self._in_parts(run, len(items), _invert_places, items, places)
        return places

    def _number(self, entries, run):
        """Give columns to the terms with at least `first` words, in this order."""
        bounds = np.cumsum([0, self.words.n, *map(len, self.keys)]).tolist()
        self.entries = entries if self.first == 1 else entries[entries >= bounds[self.first - 1]]
        columns = self._inverse(self.entries, self.n_ids, run)
        self.columns = [columns[a:b] for a, b in zip(bounds, bounds[1:])]

    def keep(self, mask, run):
        """Keep the columns of a mask, and renumber them."""
        self.complete = False
        self._number(self.entries[mask], run)

    def terms(self, run):
        """Return the terms of the columns.

        Returns
        -------
        content : ndarray, uint8
            UTF-8, end to end.
        ends : ndarray of shape (n_columns,), int64
        """
        n = len(self.entries)
        ends = np.empty(n, np.int64)
        self._in_parts(run, n, self._measure_terms, ends)
        np.cumsum(ends, out=ends)
        content = np.empty(int(ends[n - 1]) if n else 0, np.uint8)
        self._in_parts(run, n, self._write_terms, content, ends)
        return content, ends

    def _measure_terms(self, int64_t[::1] lengths, Py_ssize_t first, Py_ssize_t last):
        cdef const uint32_t[::1] entries = self.entries
        cdef Pairs pairs = pairs_of_vocabulary(self.words, self.keys)
        cdef int32_t chain[MAX_LAYERS]
        cdef Py_ssize_t k, length
        cdef int j, n
        with nogil:
            for k in range(first, last):
                prefetch_entry(&pairs, entries[k + AHEAD] if k + AHEAD < last else 0)
                n = words_of(entries[k], &pairs, chain)
                length = n - 1
                for j in range(n):
                    length += self.words.ends[chain[j]] - word_start(self.words, chain[j])
                lengths[k] = length

    def _write_terms(self, uint8_t[::1] content, const int64_t[::1] ends, Py_ssize_t first, Py_ssize_t last):
        """Write the terms to the places given by their ends."""
        cdef const uint32_t[::1] entries = self.entries
        cdef Pairs pairs = pairs_of_vocabulary(self.words, self.keys)
        cdef int32_t chain[MAX_LAYERS]
        cdef const uint8_t* word
        cdef Py_ssize_t k, at = ends[first - 1] if first else 0, limit = ends[last - 1] if last else 0, length
        cdef int j, n
        with nogil:
            for k in range(first, last):
                prefetch_entry(&pairs, entries[k + AHEAD] if k + AHEAD < last else 0)
                n = words_of(entries[k], &pairs, chain)
                for j in range(n):
                    word = self.words.bytes + word_start(self.words, chain[j])
                    length = self.words.bytes + self.words.ends[chain[j]] - word
                    copy_word(&content[at], word, length, at + 16 <= limit)
                    at += length
                    if j < n - 1:
                        content[at] = 32
                        at += 1


cdef struct Pairs:
    const uint64_t* keys[MAX_LAYERS]  # from 1 on
    Py_ssize_t bounds[MAX_LAYERS + 1]  # of the entries of each order


cdef Pairs pairs_of_vocabulary(const WordTable* words, list keys) except *:
    cdef Pairs pairs
    cdef const uint64_t[::1] of_order
    pairs.bounds[0], pairs.bounds[1] = 0, words.n
    for order, each in enumerate(keys, 1):
        of_order = each
        pairs.keys[order] = &of_order[0] if of_order.shape[0] else NULL
        pairs.bounds[order + 1] = pairs.bounds[order] + of_order.shape[0]
    return pairs


cdef inline void prefetch_entry(const Pairs* pairs, uint32_t entry) noexcept nogil:
    cdef int n = 0
    while entry >= pairs.bounds[n + 1]:
        n += 1
    if n:
        prefetch(&pairs.keys[n][entry - pairs.bounds[n]])


cdef inline int words_of(uint32_t entry, const Pairs* pairs, int32_t* chain) noexcept nogil:
    """Write the words of a term; return their number."""
    cdef int n = 1, j
    cdef uint64_t key
    cdef int32_t id
    while entry >= pairs.bounds[n]:
        n += 1
    id = <int32_t>(entry - pairs.bounds[n - 1])
    for j in range(n - 1, 0, -1):
        key = pairs.keys[j][id]
        chain[j] = <int32_t><uint32_t>key
        id = <int32_t>(key >> 32) - 1
    chain[0] = id
    return n


def _invert_places(const uint32_t[::1] items, int32_t[::1] places, Py_ssize_t first, Py_ssize_t last):
    cdef Py_ssize_t k
    with nogil:
        for k in range(first, last):
            places[items[k]] = <int32_t>(k + 1)


cdef bint has_control_characters(const WordTable* words, Py_ssize_t first) noexcept nogil:
    cdef Py_ssize_t k
    cdef bint found = False
    for k in range(word_start(words, first) if first < words.n else words.n_bytes, words.n_bytes):
        found |= words.bytes[k] < 32
    return found


def terms_are_ascending(const uint8_t[::1] content, const int64_t[::1] ends):
    """Return whether each term is greater than the one before it, byte by byte; then none is repeated.

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
