"""Counts of the terms of a given vocabulary, and of hashed terms."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset

from ._memory cimport MOST, NO_MEMORY, TOO_MANY, check, fetch, reserve
from ._parts cimport MAX_LAYERS, Part
from ._tables cimport (
    PairSlot, PairTable, WordKey, WordSlot, WordTable, enter_words, find_pair, find_word, free_pairs,
    free_words, pair_hash, pair_key, reserve_pairs, reserve_words, slot_of, word_key,
)
from ._words cimport BLOCK, Batch, Cut, Document, Rule, Text, cut_words, free_text, read_text

cdef enum:
    AHEAD = 12  # table slots that are fetched before they are needed


cdef struct Waiting:  # terms that are still to be entered
    int orders[2 * AHEAD]
    uint64_t keys[2 * AHEAD]
    int32_t columns[2 * AHEAD]
    int n


cdef struct Found:  # columns that are still to be counted
    int32_t columns[BLOCK]
    int32_t counts[BLOCK]
    Py_ssize_t n


cdef class Counts:
    """What one thread finds in its documents: for each row its columns and how often each comes."""

    cdef Text text
    cdef int32_t* columns
    cdef int32_t* counts
    cdef Py_ssize_t n, column_capacity, count_capacity
    cdef Py_ssize_t* ends
    cdef Py_ssize_t n_rows, n_documents
    cdef uint32_t* seen  # where each column was counted last, plus 1
    # Of the document at hand:
    cdef int32_t* words
    cdef int32_t* prefixes
    cdef uint32_t* starts
    cdef uint32_t* lengths
    cdef Py_ssize_t word_capacity, prefix_capacity, start_capacity, length_capacity
    cdef uint8_t* term
    cdef Py_ssize_t term_capacity

    def __cinit__(self, Py_ssize_t n_documents, Py_ssize_t n_columns):
        self.n_documents = n_documents
        self.ends = <Py_ssize_t*>calloc(n_documents + 1, sizeof(Py_ssize_t))
        self.seen = <uint32_t*>calloc(n_columns + 1, sizeof(uint32_t))
        if self.ends == NULL or self.seen == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.columns)
        free(self.counts)
        free(self.ends)
        self.free_scratch()

    cdef void free_scratch(self) noexcept:
        free_text(&self.text)
        free(self.seen)
        free(self.words)
        free(self.prefixes)
        free(self.starts)
        free(self.lengths)
        free(self.term)
        self.seen = self.starts = self.lengths = NULL
        self.words = self.prefixes = NULL
        self.term = NULL

    cdef Part part(self):
        cdef Part part = Part()
        self.free_scratch()
        part.owner = self
        part.ends, part.first, part.last = self.ends, 0, self.n_rows
        part.layers[0].ids, part.layers[0].counts = self.columns, self.counts
        part.n_layers = 1
        part.every = True
        return part

    cdef int make_room(self, Py_ssize_t n) noexcept nogil:
        """For n entries more."""
        if self.n + n > MOST:
            return TOO_MANY
        if reserve(
            <void**>&self.columns, &self.column_capacity, self.n + n, sizeof(int32_t)
        ) < 0 or reserve(<void**>&self.counts, &self.count_capacity, self.n + n, sizeof(int32_t)) < 0:
            return NO_MEMORY
        return 0

    cdef inline void add(self, int32_t column, int32_t value, Py_ssize_t first) noexcept nogil:
        """Count a column in the row that begins at `first`."""
        cdef uint32_t seen = self.seen[column]
        if seen > first:
            self.counts[seen - 1] += value
        else:
            self.columns[self.n] = column
            self.counts[self.n] = value
            self.n += 1
            self.seen[column] = <uint32_t>self.n

    cdef inline void expect(self, Found* found, int32_t column, int32_t count) noexcept nogil:
        """Keep a column until what is known of it has come from memory."""
        found.columns[found.n] = column
        found.counts[found.n] = count
        found.n += 1
        fetch(&self.seen[column])

    cdef inline void add_all(self, Found* found, Py_ssize_t first) noexcept nogil:
        cdef Py_ssize_t k
        for k in range(found.n):
            self.add(found.columns[k], found.counts[k], first)
        found.n = 0

    cdef void end_row(self) noexcept nogil:
        self.ends[self.n_rows] = self.n
        self.n_rows += 1


cdef class _Finder:
    """What both ways of counting share: the rule, the stop words, the number of words in a term."""

    cdef Rule rule
    cdef WordTable words
    cdef int n_stop, first, last
    cdef readonly Py_ssize_t n_columns

    def __dealloc__(self):
        free_words(&self.words)

    cdef int count_document(self, Counts counts, const Document* document) noexcept nogil:
        return 0

    def count(self, Batch batch, Py_ssize_t first, Py_ssize_t last):
        """Count the documents from `first` to before `last`; return their Part."""
        cdef Counts counts = Counts(last - first, self.n_columns)
        cdef Py_ssize_t k
        cdef int code = 0
        with nogil:
            for k in range(first, last):
                code = self.count_document(counts, &batch.documents[k])
                if code < 0:
                    break
                counts.end_row()
        check(code, "entries; transform the documents in several parts")
        return counts.part()


cdef class Lookup(_Finder):
    """Counts the terms of a vocabulary.

    Parameters
    ----------
    content : ndarray, uint8
        The terms, UTF-8, end to end; a term's words have one blank between them.
    ends : ndarray of shape (n_terms,), int64
    split, least, stop_words, first, last : as in `Counter`
    """

    cdef PairTable pairs[MAX_LAYERS]  # from 1 on; `last` is the column plus 1, 0: only a start of terms

    def __cinit__(
        self, const uint8_t[::1] content, const int64_t[::1] ends, bint split, int least, list stop_words,
        int first, int last,
    ):
        cdef Waiting waiting
        cdef Py_ssize_t k, start = 0
        cdef int code = 0
        self.rule.split, self.rule.least = split, least
        self.first, self.last = first, last
        self.n_columns = ends.shape[0]
        enter_words(&self.words, stop_words)
        self.n_stop = self.words.n
        with nogil:
            code = self.make_tables(content, ends)
            waiting.n = 0
            for k in range(ends.shape[0] if code == 0 else 0):
                if ends[k] > start:
                    code = self.add_term(&waiting, &content[start], ends[k] - start, <int32_t>k)
                    if code < 0:
                        break
                start = ends[k]
            if code == 0:
                code = self.enter_all(&waiting)
        if code < 0:
            raise MemoryError

    def __dealloc__(self):
        cdef int k
        for k in range(MAX_LAYERS):
            free_pairs(&self.pairs[k])

    cdef int make_tables(self, const uint8_t[::1] content, const int64_t[::1] ends) noexcept nogil:
        """Make tables of the right size at once."""
        cdef Py_ssize_t sizes[MAX_LAYERS]
        cdef Py_ssize_t k, p = 0
        cdef int n
        for n in range(MAX_LAYERS):
            sizes[n] = 0
        for k in range(ends.shape[0]):
            n = 0
            while p < ends[k]:
                n += content[p] == 32
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
        """Enter a term. One that no text can have (two blanks, say, or too many words) is left out."""
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
            slot = self.slot_of_word(term + start, stop - start)
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

    cdef inline WordSlot* slot_of_word(self, const uint8_t* word, Py_ssize_t length) noexcept nogil:
        cdef uint8_t near[32]
        if length <= 16:  # 16 bytes are read, which are not all there at the end
            memset(near, 0, 16)
            memcpy(near, word, length)
            word = near
        return slot_of(&self.words, word, length)

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
        """Enter a pair as soon as its slot has come from memory."""
        if self.pairs[n].slots != NULL:
            fetch(&self.pairs[n].slots[pair_hash(key) >> self.pairs[n].shift])
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

    cdef int count_document(self, Counts counts, const Document* document) noexcept nogil:
        cdef Cut cut
        cdef WordKey keys[BLOCK + AHEAD]
        cdef WordSlot* slot
        cdef Found found
        cdef Py_ssize_t k, n = 0, first = counts.n
        cdef int32_t id
        cdef int order, code = read_text(&counts.text, document, &self.rule)
        if code < 0:
            return code
        if self.words.n == 0:
            return 0
        found.n = 0
        while cut_words(&counts.text, &self.rule, &cut):
            code = counts.make_room(cut.n)
            if code < 0:
                return code
            if self.last > 1 and reserve(
                <void**>&counts.words, &counts.word_capacity, n + cut.n, sizeof(int32_t)
            ) < 0:
                return NO_MEMORY
            for k in range(cut.n):
                keys[k] = word_key(counts.text.bytes + cut.starts[k], cut.lengths[k])
            for k in range(cut.n, cut.n + AHEAD):
                keys[k].hash = 0
            for k in range(cut.n):
                fetch(&self.words.slots[keys[k + AHEAD].hash & self.words.mask])
                slot = find_word(
                    &self.words, &keys[k], counts.text.bytes + cut.starts[k], cut.lengths[k]
                )
                id = slot.id if slot.high else -1
                if 0 <= id < self.n_stop:
                    continue
                if self.last > 1:
                    counts.words[n] = id
                    n += 1
                if id >= 0 and self.first == 1 and slot.last:
                    counts.expect(&found, <int32_t>(slot.last - 1), 1)
            counts.add_all(&found, first)
        if self.last == 1 or n < 2:
            return 0
        if reserve(<void**>&counts.prefixes, &counts.prefix_capacity, n, sizeof(int32_t)) < 0:
            return NO_MEMORY
        memcpy(counts.prefixes, counts.words, n * sizeof(int32_t))
        for order in range(2, self.last + 1):
            if n < order or self.pairs[order - 1].n == 0:
                break
            code = self.count_order(counts, order, n - order + 1, first)
            if code < 0:
                return code
        return 0

    cdef int count_order(self, Counts counts, int order, Py_ssize_t n, Py_ssize_t first) noexcept nogil:
        """Count the terms of `order` words; the prefixes become theirs."""
        cdef PairTable* table = &self.pairs[order - 1]
        cdef uint64_t keys[BLOCK]
        cdef uint64_t hashes[BLOCK + AHEAD]
        cdef Py_ssize_t places[BLOCK]
        cdef Py_ssize_t p = 0, k, m, stop
        cdef int32_t prefix, word
        cdef Found found
        cdef PairSlot* slot
        cdef int code
        found.n = 0
        while p < n:
            stop = min(p + BLOCK, n)
            m = 0
            while p < stop:
                prefix = counts.prefixes[p]
                word = counts.words[p + order - 1]
                counts.prefixes[p] = -1
                keys[m] = pair_key(prefix, word)
                hashes[m] = pair_hash(keys[m])
                places[m] = p
                m += (prefix >= 0) & (word >= 0)
                p += 1
            for k in range(m, m + AHEAD):
                hashes[k] = 0
            code = counts.make_room(m)
            if code < 0:
                return code
            for k in range(m):
                fetch(&table.slots[hashes[k + AHEAD] >> table.shift])
                slot = find_pair(table, keys[k], hashes[k])
                if slot.key:
                    counts.prefixes[places[k]] = slot.id
                    if order >= self.first and slot.last:
                        counts.expect(&found, <int32_t>(slot.last - 1), 1)
            counts.add_all(&found, first)
        return 0


cdef inline uint32_t murmur(const uint8_t* bytes, Py_ssize_t length) noexcept nogil:
    """MurmurHash3_x86_32 of seed 0 (Appleby), as scikit-learn's murmurhash3_32."""
    cdef uint32_t h = 0, k
    cdef Py_ssize_t i = 0
    while i + 4 <= length:
        memcpy(&k, bytes + i, 4)
        k *= <uint32_t>0xCC9E2D51
        k = (k << 15) | (k >> 17)
        k *= <uint32_t>0x1B873593
        h ^= k
        h = (h << 13) | (h >> 19)
        h = h * 5 + <uint32_t>0xE6546B64
        i += 4
    k = 0
    if length - i == 3:
        k ^= <uint32_t>bytes[i + 2] << 16
    if length - i >= 2:
        k ^= <uint32_t>bytes[i + 1] << 8
    if length - i >= 1:
        k ^= bytes[i]
        k *= <uint32_t>0xCC9E2D51
        k = (k << 15) | (k >> 17)
        k *= <uint32_t>0x1B873593
        h ^= k
    h ^= <uint32_t>length
    h ^= h >> 16
    h *= <uint32_t>0x85EBCA6B
    h ^= h >> 13
    h *= <uint32_t>0xC2B2AE35
    return h ^ (h >> 16)


cdef class Hasher(_Finder):
    """Counts terms in the columns that their hashes name.

    Parameters
    ----------
    n_columns : int
    alternate : bool
        The sign of a hash is that of the count.
    split, least, stop_words, first, last : as in `Counter`
    """

    cdef bint alternate

    def __cinit__(
        self, Py_ssize_t n_columns, bint alternate, bint split, int least, list stop_words, int first,
        int last,
    ):
        self.n_columns, self.alternate = n_columns, alternate
        self.rule.split, self.rule.least = split, least
        self.first, self.last = first, last
        enter_words(&self.words, stop_words)
        self.n_stop = self.words.n

    cdef inline void expect_hashed(
        self, Counts counts, Found* found, const uint8_t* term, Py_ssize_t length
    ) noexcept nogil:
        cdef int32_t signed_hash = <int32_t>murmur(term, length)
        cdef int64_t size = signed_hash if signed_hash >= 0 else -<int64_t>signed_hash
        cdef int32_t column = <int32_t>(size % self.n_columns)
        counts.expect(found, column, -1 if self.alternate and signed_hash < 0 else 1)

    cdef int count_document(self, Counts counts, const Document* document) noexcept nogil:
        cdef Cut cut
        cdef WordKey key
        cdef Py_ssize_t k, p, j, n = 0, first = counts.n, length
        cdef const uint8_t* word
        cdef Found found
        cdef int order, code = read_text(&counts.text, document, &self.rule)
        if code < 0:
            return code
        found.n = 0
        while cut_words(&counts.text, &self.rule, &cut):
            code = counts.make_room(cut.n)
            if code < 0:
                return code
            if self.last > 1 and (
                reserve(<void**>&counts.starts, &counts.start_capacity, n + cut.n, sizeof(uint32_t)) < 0
                or reserve(<void**>&counts.lengths, &counts.length_capacity, n + cut.n, sizeof(uint32_t)) < 0
            ):
                return NO_MEMORY
            for k in range(cut.n):
                word = counts.text.bytes + cut.starts[k]
                if self.n_stop:
                    key = word_key(word, cut.lengths[k])
                    if find_word(&self.words, &key, word, cut.lengths[k]).high:
                        continue
                if self.first == 1:
                    self.expect_hashed(counts, &found, word, cut.lengths[k])
                if self.last > 1:
                    counts.starts[n] = cut.starts[k]
                    counts.lengths[n] = cut.lengths[k]
                    n += 1
            counts.add_all(&found, first)
        for order in range(max(2, self.first), self.last + 1):
            for p in range(n - order + 1):
                length = order
                for j in range(p, p + order):
                    length += counts.lengths[j]
                if found.n == BLOCK:
                    code = counts.make_room(BLOCK)
                    if code < 0:
                        return code
                    counts.add_all(&found, first)
                if reserve(<void**>&counts.term, &counts.term_capacity, length, 1) < 0:
                    return NO_MEMORY
                length = 0
                for j in range(p, p + order):
                    memcpy(counts.term + length, counts.text.bytes + counts.starts[j], counts.lengths[j])
                    length += counts.lengths[j]
                    counts.term[length] = 32
                    length += 1
                self.expect_hashed(counts, &found, counts.term, length - 1)
        code = counts.make_room(found.n)
        if code == 0:
            counts.add_all(&found, first)
        return code
