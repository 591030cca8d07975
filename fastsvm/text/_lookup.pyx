"""Counts of the terms of a given vocabulary, and of hashed terms."""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from ..solvers._prefetch cimport prefetch
from ._memory cimport NO_MEMORY, check, reserve
from ._murmur cimport murmur
from ._parts cimport MAX_LAYERS, Counts
from ._tables cimport (
    AHEAD, PairBlock, PairSlot, PairTable, WordKey, WordSlot, WordTable, add_pair, end_pairs,
    enter_words, find_pair, find_word, free_pairs, free_words, key_words, next_pair, next_word,
    pair_hash, pair_key, reserve_pairs, reserve_words, slot_of, word_key,
)
from ._tally cimport Tally, count_found, expect, join_word, make_joined, make_room
from ._words cimport BLOCK_WORDS, Batch, Cut, Rule, cut_words, read_text


cdef struct Waiting:  # terms to enter
    int orders[2 * AHEAD]
    uint64_t keys[2 * AHEAD]
    int32_t columns[2 * AHEAD]
    int n


cdef class _Finder:
    """The base of `Lookup` and `Hasher`: the rule, the stop words, the number of words in a term.

    Parameters
    ----------
    _one, _two : the subclass's own
    split, least, stop_words, first, last, marks : as in `Counter`
    """

    cdef Rule rule
    cdef WordTable words
    cdef int n_stop, first, last
    cdef readonly Py_ssize_t n_columns

    def __cinit__(
        self, _one, _two, bint split, int least, list stop_words, int first, int last, bint marks=False
    ):
        self.rule.split, self.rule.least, self.rule.marks = split, least, marks
        self.first, self.last = first, last
        enter_words(&self.words, stop_words)
        self.n_stop = self.words.n

    def __dealloc__(self):
        free_words(&self.words)

    cdef int count_document(self, Tally* tally) noexcept nogil:
        """Count the terms of the text that has been read."""
        return 0

    def count(self, Batch batch, Py_ssize_t first, Py_ssize_t last):
        """Count the documents from `first` to before `last`; return their Part."""
        cdef Counts counts = Counts(last - first, self.n_columns)
        cdef Py_ssize_t k
        cdef int code = 0
        with nogil:
            for k in range(first, last):
                counts.tally.start, counts.tally.n_words = counts.tally.n, 0
                code = read_text(&counts.tally.text, &batch.documents[k], &self.rule)
                if code == 0:
                    code = self.count_document(&counts.tally)
                if code < 0:
                    break
                counts.ends[k - first] = counts.tally.n
                counts.n_rows += 1
        check(code, "entries; transform the documents in several parts")
        return counts.part()


cdef class Lookup(_Finder):
    """Counts the terms of a vocabulary.

    Parameters
    ----------
    content : ndarray, uint8
        The terms, UTF-8, end to end; a term's words have one blank between them.
    ends : ndarray of shape (n_terms,), int64
    split, least, stop_words, first, last, marks : as in `Counter`
    """

    cdef PairTable pairs[MAX_LAYERS]  # from 1 on; `last` is the column plus 1, 0: only a start of terms

    def __cinit__(self, content, const int64_t[::1] ends, *rule):
        cdef const uint8_t[::1] terms = np.append(content, np.zeros(16, np.uint8))  # which can be read behind
        cdef Waiting waiting
        cdef Py_ssize_t k, start = 0
        cdef int code = 0
        self.n_columns = ends.shape[0]
        with nogil:
            code = self.make_tables(terms, ends)
            waiting.n = 0
            for k in range(ends.shape[0] if code == 0 else 0):
                if ends[k] > start:
                    code = self.add_term(&waiting, &terms[start], ends[k] - start, <int32_t>k)
                    if code < 0:
                        break
                start = ends[k]
            if code == 0:
                code = self.enter_all(&waiting)
        check(code, None)

    def __dealloc__(self):
        cdef int k
        for k in range(MAX_LAYERS):
            free_pairs(&self.pairs[k])

    cdef int make_tables(self, const uint8_t[::1] terms, const int64_t[::1] ends) noexcept nogil:
        """Make tables of the right size at once."""
        cdef Py_ssize_t sizes[MAX_LAYERS]
        cdef Py_ssize_t k, p = 0
        cdef int n
        memset(sizes, 0, sizeof(sizes))
        for k in range(ends.shape[0]):
            n = 0
            while p < ends[k]:
                n += terms[p] == 32
                p += 1
            if n < self.last:
                sizes[n] += 1
        if reserve_words(&self.words, sizes[0]) < 0:
            return NO_MEMORY
        for n in range(1, self.last):
            if sizes[n] and reserve_pairs(&self.pairs[n], sizes[n]) < 0:
                return NO_MEMORY
        return 0

    cdef int add_term(
        self, Waiting* waiting, const uint8_t* term, Py_ssize_t length, int32_t column
    ) noexcept nogil:
        """Enter a term, unless no text can have it, for example with two blanks or too many words."""
        cdef Py_ssize_t start = 0, stop
        cdef WordSlot* slot
        cdef PairSlot* pair
        cdef int32_t id = -1
        cdef uint64_t key
        cdef int n = 0, k = 1
        for stop in range(length):
            k += term[stop] == 32
            if term[stop] == 32 and (stop == 0 or stop == length - 1 or term[stop - 1] == 32):
                return 0
        if k > self.last:
            return 0
        while True:
            stop = start
            while stop < length and term[stop] != 32:
                stop += 1
            slot = slot_of(&self.words, term + start, stop - start)
            if slot == NULL:
                return NO_MEMORY
            if n == 0:
                id = slot.id
                if k == 1:
                    slot.last = <uint32_t>(column + 1)
                    return 0
            else:
                key = pair_key(id, slot.id)
                if n == k - 1:
                    return self.wait(waiting, n, key, column)
                pair = self.slot_of_pair(n, key)
                if pair == NULL:
                    return NO_MEMORY
                id = pair.id
            n += 1
            start = stop + 1

    cdef inline PairSlot* slot_of_pair(self, int n, uint64_t key) noexcept nogil:
        cdef PairTable* table = &self.pairs[n]
        cdef PairSlot* slot
        if reserve_pairs(table, 1) < 0:
            return NULL
        slot = find_pair(table, key, pair_hash(key))
        if slot.key == 0:
            slot.key = key
            slot.id = <int32_t>table.n
            table.n += 1
        return slot

    cdef inline int wait(self, Waiting* waiting, int n, uint64_t key, int32_t column) noexcept nogil:
        """Queue a pair; it is entered once its slot has come from memory."""
        if self.pairs[n].slots != NULL:
            prefetch(&self.pairs[n].slots[pair_hash(key) >> self.pairs[n].shift])
        waiting.orders[waiting.n] = n
        waiting.keys[waiting.n] = key
        waiting.columns[waiting.n] = column
        waiting.n += 1
        return self.enter_all(waiting) if waiting.n == 2 * AHEAD else 0

    cdef int enter_all(self, Waiting* waiting) noexcept nogil:
        cdef PairSlot* slot
        cdef int k
        for k in range(waiting.n):
            slot = self.slot_of_pair(waiting.orders[k], waiting.keys[k])
            if slot == NULL:
                return NO_MEMORY
            slot.last = <uint32_t>(waiting.columns[k] + 1)
        waiting.n = 0
        return 0

    cdef int count_document(self, Tally* tally) noexcept nogil:
        cdef int order, code
        cdef Py_ssize_t n
        if self.words.n == 0:
            return 0
        code = self.count_words(tally)
        n = tally.n_words
        if code < 0 or self.last == 1 or n < 2:
            return code
        if reserve(<void**>&tally.prefixes, &tally.prefix_capacity, n, sizeof(int32_t)) < 0:
            return NO_MEMORY
        memcpy(tally.prefixes, tally.words, n * sizeof(int32_t))
        for order in range(2, self.last + 1):
            if n < order or self.pairs[order - 1].n == 0:
                break
            code = self.count_order(tally, order)
            if code < 0:
                return code
        return 0

    cdef inline int count_words(self, Tally* tally) noexcept nogil:
        """Count the terms of one word; if there are longer ones, keep the words' numbers."""
        cdef Cut cut
        cdef WordKey keys[BLOCK_WORDS + AHEAD]
        cdef WordSlot* slot
        cdef Py_ssize_t k, n = 0
        cdef int32_t id
        cdef int code
        while cut_words(&tally.text, &self.rule, &cut):
            code = make_room(tally, cut.n)
            if code < 0:
                return code
            if self.last > 1 and reserve(
                <void**>&tally.words, &tally.word_capacity, n + cut.n, sizeof(int32_t)
            ) < 0:
                return NO_MEMORY
            key_words(&tally.text, &cut, keys)
            for k in range(cut.n):
                slot = next_word(&self.words, &keys[k], tally.text.bytes + cut.starts[k], cut.lengths[k])
                id = slot.id if slot.high else -1
                if 0 <= id < self.n_stop:
                    continue
                if self.last > 1:
                    tally.words[n] = id
                    n += 1
                if id >= 0 and self.first == 1 and slot.last:
                    expect(tally, <int32_t>(slot.last - 1), 1)
            count_found(tally)
        tally.n_words = n
        return 0

    cdef inline int count_order(self, Tally* tally, int order) noexcept nogil:
        """Count the terms of `order` words, and make them the prefixes of the next order."""
        cdef PairTable* table = &self.pairs[order - 1]
        cdef PairBlock block
        cdef Py_ssize_t p = 0, k, n = tally.n_words - order + 1, stop
        cdef int32_t prefix, word
        cdef PairSlot* slot
        cdef int code
        while p < n:
            stop = min(p + BLOCK_WORDS, n)
            block.n = 0
            while p < stop:
                prefix, word = tally.prefixes[p], tally.words[p + order - 1]
                tally.prefixes[p] = -1
                add_pair(&block, pair_key(prefix, word), p)
                block.n += (prefix >= 0) & (word >= 0)
                p += 1
            end_pairs(&block)
            code = make_room(tally, block.n)
            if code < 0:
                return code
            for k in range(block.n):
                slot = next_pair(table, &block, k)
                if slot.key:
                    tally.prefixes[block.places[k]] = slot.id
                    if order >= self.first and slot.last:
                        expect(tally, <int32_t>(slot.last - 1), 1)
            count_found(tally)
        return 0


cdef class Hasher(_Finder):
    """Counts terms in the columns given by their hashes.

    Parameters
    ----------
    n_columns : int
    alternate : bool
        The sign of a hash becomes the sign of the count.
    split, least, stop_words, first, last, marks : as in `Counter`
    """

    cdef bint alternate

    def __cinit__(self, Py_ssize_t n_columns, bint alternate, *rule):
        self.n_columns, self.alternate = n_columns, alternate

    cdef inline void expect_hashed(self, Tally* tally, const uint8_t* term, Py_ssize_t length) noexcept nogil:
        cdef int32_t signed_hash = <int32_t>murmur(term, length)
        cdef int64_t size = signed_hash if signed_hash >= 0 else -<int64_t>signed_hash
        cdef int32_t column = <int32_t>(size % self.n_columns)
        expect(tally, column, -1 if self.alternate and signed_hash < 0 else 1)

    cdef int count_document(self, Tally* tally) noexcept nogil:
        cdef Py_ssize_t p, start
        cdef int order, code = self.count_words(tally)
        if code < 0:
            return code
        for order in range(max(2, self.first), self.last + 1):
            for p in range(tally.n_words - order + 1):
                if p % BLOCK_WORDS == 0:
                    count_found(tally)
                    code = make_room(tally, BLOCK_WORDS)
                    if code < 0:
                        return code
                start = tally.bounds[p]
                self.expect_hashed(tally, tally.joined + start, tally.bounds[p + order] - 1 - start)
            count_found(tally)
        return 0

    cdef inline int count_words(self, Tally* tally) noexcept nogil:
        """Count the terms of one word; if there are longer ones, join the words."""
        cdef Cut cut
        cdef WordKey key
        cdef const uint8_t* word
        cdef Py_ssize_t k
        cdef int code
        while cut_words(&tally.text, &self.rule, &cut):
            code = make_room(tally, cut.n)
            if code == 0 and self.last > 1:
                code = make_joined(tally, cut.n)
            if code < 0:
                return code
            for k in range(cut.n):
                word = tally.text.bytes + cut.starts[k]
                if self.n_stop:
                    key = word_key(word, cut.lengths[k])
                    if find_word(&self.words, &key, word, cut.lengths[k]).high:
                        continue
                if self.first == 1:
                    self.expect_hashed(tally, word, cut.lengths[k])
                if self.last > 1:
                    join_word(tally, word, cut.lengths[k])
            count_found(tally)
        return 0
