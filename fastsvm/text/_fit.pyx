"""A vocabulary and the counts of its terms, from one pass over the texts.

Words are numbered as they come, by each thread for itself, and the numbers are kept as a stream: a number for
each word of the texts, and beside it, where a document has the word for the first time, how often it has
it. The threads' numbers are then made one, and an n-gram is a pair, the number of the (n-1)-gram before and
that of the last word: the pairs are shared out among the threads by their hashes, so that no tables have
to be merged. Terms are sorted as numbers too: the rank of an n-gram is that of (rank of the one before, rank
of the last word). What comes out depends on the texts alone.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy

from ._memory cimport MOST, TOO_MANY, check, fetch, reserve
from ._parts cimport MAX_LAYERS, Layer, Part
from ._sort cimport sort_keys, sort_words
from ._tables cimport (
    PairSlot, PairTable, WordKey, WordSlot, WordTable, add_word, enter_words, find_pair, find_word,
    free_pairs, free_words, pair_hash, pair_key, reserve_pairs, reserve_words, slot_of, word_key, word_start,
)
from ._words cimport BLOCK, Batch, Cut, Document, Rule, Text, cut_words, free_text, read_text

MAX_N = MAX_LAYERS
TOO_MANY_WORDS = "words; count them in several parts"

cdef enum:
    AHEAD = 12  # table slots that are fetched before they are needed
    SLACK = 16  # bytes that can be read behind the words


cdef struct Worker:
    Text text
    WordTable words
    int32_t* ids  # of the words of all its documents; -1 where one is too rare to be kept
    int32_t* counts  # how often the document has the word, where it comes first; else 0
    Py_ssize_t n, id_capacity, count_capacity
    Py_ssize_t* ends  # of each document's words
    Py_ssize_t n_documents, end_capacity


cdef int count_words(Worker* worker, const Document* document, const Rule* rule, int n_stop) noexcept nogil:
    """Add a document; -1: no memory, -2: it is too long, -3: too many words."""
    cdef Cut cut
    cdef WordKey keys[BLOCK + AHEAD]
    cdef WordSlot* slot
    cdef const uint8_t* word
    cdef Py_ssize_t k, n, first = worker.n
    cdef int code = read_text(&worker.text, document, rule)
    if code < 0:
        return code
    while cut_words(&worker.text, rule, &cut):
        if reserve_words(&worker.words, cut.n) < 0 or reserve(
            <void**>&worker.ids, &worker.id_capacity, worker.n + cut.n, sizeof(int32_t)
        ) < 0 or reserve(
            <void**>&worker.counts, &worker.count_capacity, worker.n + cut.n, sizeof(int32_t)
        ) < 0:
            return -1
        if worker.n + cut.n > MOST:
            return TOO_MANY
        for k in range(cut.n):
            keys[k] = word_key(worker.text.bytes + cut.starts[k], cut.lengths[k])
        for k in range(cut.n, cut.n + AHEAD):
            keys[k].hash = 0
        n = worker.n
        for k in range(cut.n):
            fetch(&worker.words.slots[keys[k + AHEAD].hash & worker.words.mask])
            word = worker.text.bytes + cut.starts[k]
            slot = find_word(&worker.words, &keys[k], word, cut.lengths[k])
            if slot.high == 0:
                if add_word(&worker.words, slot, &keys[k], word, cut.lengths[k]) < 0:
                    return -1
            elif slot.id < n_stop:
                continue
            worker.ids[n] = slot.id
            if slot.last > first:
                worker.counts[slot.last - 1] += 1
                worker.counts[n] = 0
            else:
                worker.counts[n] = 1
                slot.last = <uint32_t>(n + 1)
            n += 1
        worker.n = n
    if reserve(
        <void**>&worker.ends, &worker.end_capacity, worker.n_documents + 1, sizeof(Py_ssize_t)
    ) < 0:
        return -1
    worker.ends[worker.n_documents] = worker.n
    worker.n_documents += 1
    return 0


cdef int count_pairs(
    PairTable* table, const Worker* worker, Py_ssize_t base, int order, const int32_t* prefixes,
    int32_t* ids, int32_t* counts, int shard, int n_shards,
) noexcept nogil:
    """Count the n-grams of one order in a worker's documents, as far as they belong to the shard."""
    cdef uint64_t keys[BLOCK]
    cdef uint64_t hashes[BLOCK + AHEAD]
    cdef Py_ssize_t places[BLOCK]
    cdef Py_ssize_t row, first = 0, stop, p, k, n, last
    cdef uint64_t key, hash
    cdef PairSlot* slot
    for row in range(worker.n_documents):
        last = worker.ends[row] - order + 1  # behind the last n-gram
        p = first
        while p < last:
            stop = min(p + BLOCK, last)
            n = 0
            while p < stop:
                key = pair_key(prefixes[p], worker.ids[p + order - 1])
                hash = pair_hash(key)
                keys[n] = key
                hashes[n] = hash
                places[n] = p
                # A term is no more frequent than what it begins and ends with.
                if prefixes[p] < 0 or prefixes[p + 1] < 0:
                    if shard == 0:  # all would write the same; one is enough
                        ids[p] = -1
                else:
                    n += n_shards == 1 or <int>((((hash >> 16) & 0xFFFF) * n_shards) >> 16) == shard
                p += 1
            if reserve_pairs(table, n) < 0:
                return -1
            for k in range(n, n + AHEAD):
                hashes[k] = 0
            for k in range(n):
                fetch(&table.slots[hashes[k + AHEAD] >> table.shift])
                slot = find_pair(table, keys[k], hashes[k])
                if slot.key == 0:
                    slot.key = keys[k]
                    slot.id = <int32_t>(table.n * n_shards + shard)
                    table.n += 1
                ids[places[k]] = slot.id
                if slot.last > base + first:
                    counts[slot.last - 1 - base] += 1
                else:
                    counts[places[k]] = 1
                    slot.last = <uint32_t>(base + places[k] + 1)
        first = worker.ends[row]
    return 0


cdef void count_documents(
    const int32_t* ids, const int32_t* counts, Py_ssize_t n, int32_t* documents, int shard, int n_shards
) noexcept nogil:
    """Add up in how many documents each id is, of those ids that belong to the shard."""
    cdef Py_ssize_t p
    for p in range(n):
        if counts[p] and (n_shards == 1 or ids[p] % n_shards == shard):
            documents[ids[p]] += 1


cdef void drop_rare(
    int32_t* ids, int32_t* counts, Py_ssize_t n, const int32_t* documents, int32_t least
) noexcept nogil:
    cdef Py_ssize_t p
    for p in range(n):
        if ids[p] >= 0 and documents[ids[p]] < least:
            ids[p] = -1
            counts[p] = 0


cdef class Pairs:
    """The n-grams of one order, all shards together."""

    cdef int32_t* ids  # like a worker's, for the words of all workers
    cdef int32_t* counts
    cdef PairTable* tables
    cdef int n_shards

    def __cinit__(self, Py_ssize_t n, int n_shards):
        self.n_shards = n_shards
        self.ids = <int32_t*>calloc(n + 1, sizeof(int32_t))
        self.counts = <int32_t*>calloc(n + 1, sizeof(int32_t))
        self.tables = <PairTable*>calloc(n_shards, sizeof(PairTable))
        if self.ids == NULL or self.counts == NULL or self.tables == NULL:
            raise MemoryError

    def __dealloc__(self):
        self.free_tables()
        free(self.tables)
        free(self.ids)
        free(self.counts)

    cdef void free_tables(self) noexcept:
        cdef int shard
        for shard in range(self.n_shards if self.tables != NULL else 0):
            free_pairs(&self.tables[shard])

    def n_ids(self):
        """One more than the largest id there can be."""
        return max([self.tables[shard].n for shard in range(self.n_shards)]) * self.n_shards

    def take_keys(self):
        """The pair of each id, 0 where there is none; the tables are let go."""
        cdef int shard
        cdef Py_ssize_t k
        cdef uint64_t[::1] of_id
        cdef PairTable* table
        result = np.zeros(self.n_ids(), np.uint64)
        of_id = result
        for shard in range(self.n_shards):
            table = &self.tables[shard]
            if table.slots != NULL:
                with nogil:
                    for k in range(<Py_ssize_t>1 << (64 - table.shift)):
                        if table.slots[k].key:
                            of_id[table.slots[k].id] = table.slots[k].key
        self.free_tables()
        return result


cdef class Counter:
    """Counts terms while it learns them.

    Parameters
    ----------
    n_workers : int
    split : bool
        Words are what white space divides; else runs of letters, digits and underscores.
    least : int
        Characters of a word, 1 or 2.
    stop_words : list of bytes
        Words, UTF-8, that are passed over.
    first, last : int
        Fewest and most words of a term.
    """

    cdef Worker* workers
    cdef int n_workers, n_stop, first, last
    cdef Rule rule
    cdef list segments  # worker, its first document, the one behind its last: in the order of the documents
    cdef list orders  # Pairs from 2 words on
    cdef list keys  # their pairs
    cdef list columns  # for each number of words: of each id, or -1
    cdef object entries  # the terms in the order of the columns: the ids of all orders, end to end
    cdef readonly Py_ssize_t n_columns

    def __cinit__(self, int n_workers, bint split, int least, list stop_words, int first, int last):
        cdef int k
        self.workers = <Worker*>calloc(n_workers, sizeof(Worker))
        if self.workers == NULL:
            raise MemoryError
        self.n_workers = n_workers
        self.rule.split, self.rule.least = split, least
        self.first, self.last = first, last
        self.segments, self.orders, self.keys = [], [], []
        for k in range(n_workers):
            enter_words(&self.workers[k].words, stop_words)
        self.n_stop = self.workers[0].words.n

    def __dealloc__(self):
        cdef int k
        for k in range(self.n_workers if self.workers != NULL else 0):
            free_text(&self.workers[k].text)
            free_words(&self.workers[k].words)
            free(self.workers[k].ids)
            free(self.workers[k].counts)
            free(self.workers[k].ends)
        free(self.workers)

    @property
    def n_documents(self):
        """How many have been counted."""
        return sum([last - first for _, first, last in self.segments])

    def add(self, Batch batch, run):
        """Count the words of some documents."""
        cdef int k
        bounds = batch.parts(self.n_workers)
        n = self.n_workers
        before = [self.workers[k].n_documents for k in range(n)]
        list(run(self._add, range(n), [batch] * n, bounds, bounds[1:]))
        self.segments += [
            (k, before[k], self.workers[k].n_documents)
            for k in range(n) if before[k] < self.workers[k].n_documents
        ]

    def _add(self, int k, Batch batch, Py_ssize_t first, Py_ssize_t last):
        cdef Py_ssize_t i
        cdef int code = 0
        with nogil:
            for i in range(first, last):
                code = count_words(&self.workers[k], &batch.documents[i], &self.rule, self.n_stop)
                if code < 0:
                    break
        check(code, TOO_MANY_WORDS)

    @property
    def is_empty(self):
        """Whether no document has enough words for a term."""
        cdef int k
        cdef Py_ssize_t row, start
        for k in range(self.n_workers):
            start = 0
            for row in range(self.workers[k].n_documents):
                if self.workers[k].ends[row] - start >= self.first:
                    return False
                start = self.workers[k].ends[row]
        return True

    def finish(self, run, int32_t least):
        """Count n-grams, and sort into columns all terms that are in at least so many documents."""
        cdef int k, order
        cdef Py_ssize_t total = 0
        for k in range(self.n_workers):
            total += self.workers[k].n
        if total > MOST:
            check(TOO_MANY, TOO_MANY_WORDS)
        if self.n_workers > 1:
            maps = [self._join(k) for k in range(1, self.n_workers)]
            list(run(self._renumber, range(1, self.n_workers), maps))
        kept = self._keep_frequent(run, 1, self.workers[0].words.n, least)
        for order in range(2, self.last + 1):
            pairs = Pairs(total, self.n_workers)
            self.orders.append(pairs)
            list(run(self._count_order, [order] * self.n_workers, range(self.n_workers)))
            kept_pairs = self._keep_frequent(run, order, pairs.n_ids(), least)
            keys = pairs.take_keys()
            if kept_pairs is not None:
                keys[~kept_pairs] = 0
            self.keys.append(keys)
        self._sort(kept)

    def _keep_frequent(self, run, int order, Py_ssize_t n_ids, int32_t least):
        """Forget the terms of `order` words that are in fewer documents; return which ids stay, None: all."""
        if least <= 1:
            return None
        documents = np.zeros(n_ids, np.int32)
        n = self.n_workers
        list(run(self._count_documents, [order] * n, [documents] * n, range(n)))
        list(run(self._drop_rare, [order] * n, [documents] * n, [least] * n, range(n)))
        return documents >= least

    def _count_documents(self, int order, int32_t[::1] documents, int shard):
        cdef Py_ssize_t base = 0
        cdef int k
        for k in range(self.n_workers if documents.shape[0] else 0):
            with nogil:
                count_documents(
                    self._ids(order, k, base), self._counts(order, k, base), self.workers[k].n,
                    &documents[0], shard, self.n_workers,
                )
            base += self.workers[k].n

    def _drop_rare(self, int order, const int32_t[::1] documents, int32_t least, int k):
        cdef Py_ssize_t base = sum([self.workers[j].n for j in range(k)])
        if documents.shape[0]:
            with nogil:
                drop_rare(
                    self._ids(order, k, base), self._counts(order, k, base), self.workers[k].n,
                    &documents[0], least,
                )

    cdef int32_t* _ids(self, int order, int k, Py_ssize_t base) noexcept nogil:
        """The ids of the terms of `order` words in a worker's documents, whose words begin at `base`."""
        if order == 1:
            return self.workers[k].ids
        with gil:
            return (<Pairs>self.orders[order - 2]).ids + base

    cdef int32_t* _counts(self, int order, int k, Py_ssize_t base) noexcept nogil:
        if order == 1:
            return self.workers[k].counts
        with gil:
            return (<Pairs>self.orders[order - 2]).counts + base

    def _join(self, int k):
        """Number the words of a worker as the first does, and forget its own numbers."""
        cdef WordTable* own = &self.workers[k].words
        cdef WordTable* all_words = &self.workers[0].words
        cdef int32_t[::1] mapped
        cdef Py_ssize_t id, start
        cdef WordSlot* slot = NULL
        result = np.empty(own.n, np.int32)
        mapped = result
        with nogil:
            for id in range(own.n):
                start = word_start(own, id)
                slot = slot_of(all_words, own.bytes + start, own.ends[id] - start)
                if slot == NULL:
                    break
                mapped[id] = slot.id
        if slot == NULL and own.n:
            raise MemoryError
        free_words(own)
        return result

    def _renumber(self, int k, const int32_t[::1] mapped):
        cdef Worker* worker = &self.workers[k]
        cdef Py_ssize_t p
        with nogil:
            for p in range(worker.n):
                worker.ids[p] = mapped[worker.ids[p]]

    def _count_order(self, int order, int shard):
        cdef Pairs pairs = self.orders[order - 2]
        cdef Py_ssize_t base = 0, total = 0
        cdef int k, code
        for k in range(self.n_workers):
            total += self.workers[k].n
        with nogil:
            # Texts of some length have a new pair for every three or four words.
            code = reserve_pairs(&pairs.tables[shard], total // (4 * self.n_workers))
            for k in range(self.n_workers if code == 0 else 0):
                code = count_pairs(
                    &pairs.tables[shard], &self.workers[k], base, order, self._ids(order - 1, k, base),
                    pairs.ids + base, pairs.counts + base, shard, self.n_workers,
                )
                if code < 0:
                    break
                base += self.workers[k].n
        if code < 0:
            raise MemoryError

    def _sort(self, kept):
        """Sort the terms as sequences of ranks: those of words with a blank behind, and of the last word."""
        cdef Py_ssize_t n_ids = self.workers[0].words.n
        cdef int order = 1
        entries, alone, followed = self._rank_words()
        if kept is not None:
            entries = entries[kept[entries]]
        places, starts = alone, followed  # of terms, and of those of most words as the start of longer ones
        for keys in self.keys:
            order += 1
            is_last = order == self.last
            n_new = np.count_nonzero(keys)
            items = np.empty(len(entries) + (n_new if is_last else 2 * n_new), np.uint32)
            items[:len(entries)] = entries
            sort_by = np.empty(len(items), np.uint64)
            fill_keys(
                sort_by, items, keys, places, starts, alone, followed, len(entries), n_ids,
                int(2 * len(alone)).bit_length(), is_last,
            )
            sort_items(sort_by, items)
            n_ids += len(keys)
            entries = items
            if not is_last:
                ranks = inverse(items, n_ids + len(keys))
                places, starts = ranks[:n_ids], ranks[n_ids:]
                entries = items[items < n_ids]
        self._number(entries)

    def _rank_words(self):
        """Sort the words.

        Returns
        -------
        entries : ndarray, uint32
            The ids in the order of the words.
        alone, followed : ndarrays of shape (n_words,), int32
            Ranks of words as they are, and with a blank behind, all in one order.
        """
        cdef WordTable* words = &self.workers[0].words
        cdef Py_ssize_t n = words.n
        cdef uint32_t[::1] items
        cdef int code = 0
        # Without control characters, which are below the blank, nothing comes between a word and itself
        # with a blank behind.
        cdef bint apart = has_control_characters(words, self.n_stop)
        entries = np.empty((n - self.n_stop) * (2 if apart else 1), np.uint32)
        items = entries
        if len(entries):
            with nogil:
                code = sort_words(words, self.n_stop, apart, &items[0])
        if code < 0:
            raise MemoryError
        if apart:
            ranks = inverse(entries, 2 * n)
            return entries[entries < n], ranks[:n], ranks[n:]
        ranks = inverse(entries, n)
        return entries, 2 * ranks, 2 * ranks + 1

    def _number(self, entries):
        """Give columns to the terms of enough words, in this order."""
        bounds = np.cumsum([0, self.workers[0].words.n, *map(len, self.keys)]).tolist()
        self.entries = entries if self.first == 1 else entries[entries >= bounds[self.first - 1]]
        self.n_columns = len(self.entries)
        columns = inverse(self.entries, bounds[self.last])
        self.columns = [columns[a:b] for a, b in zip(bounds, bounds[1:])]

    def keep(self, mask):
        """Keep the columns of a mask, and number them anew."""
        self._number(self.entries[mask])

    def parts(self):
        """The counts, as a list of Part that does not outlive this."""
        cdef Part part
        cdef Layer* layer
        cdef const int32_t[::1] columns
        cdef Py_ssize_t base
        cdef int k, order
        result = []
        for k, first, last in self.segments:
            base = sum([self.workers[j].n for j in range(k)])
            part = Part()
            part.owner = self
            part.ends, part.first, part.last = self.workers[k].ends, first, last
            for order in range(self.first, self.last + 1):
                columns = self.columns[order - 1]
                layer = &part.layers[part.n_layers]
                if columns.shape[0] == 0:
                    continue
                layer.columns = &columns[0]
                layer.ids, layer.counts = self._ids(order, k, base), self._counts(order, k, base)
                part.n_layers += 1
            result.append(part)
        return result

    def terms(self, run):
        """The terms of the columns.

        Returns
        -------
        content : ndarray, uint8
            UTF-8, end to end.
        ends : ndarray of shape (n_columns,), int64
        """
        n = self.n_workers
        bounds = [self.n_columns * k // n for k in range(n + 1)]
        ends = np.empty(self.n_columns, np.int64)
        list(run(self._write_terms, [None] * n, [ends] * n, bounds, bounds[1:]))
        np.cumsum(ends, out=ends)
        size = int(ends[self.n_columns - 1]) if self.n_columns else 0
        content = np.empty(size, np.uint8)
        list(run(self._write_terms, [content] * n, [ends] * n, bounds, bounds[1:]))
        return content, ends

    def _write_terms(self, uint8_t[::1] content, int64_t[::1] ends, Py_ssize_t first, Py_ssize_t last):
        """Write the terms of some columns where their ends say; without content, their lengths into ends."""
        cdef WordTable* words = &self.workers[0].words
        cdef const uint32_t[::1] entries = self.entries
        cdef const uint64_t* keys[MAX_LAYERS]
        cdef Py_ssize_t bounds[MAX_LAYERS + 1]
        cdef const uint64_t[::1] of_order
        cdef int32_t chain[MAX_LAYERS]
        cdef uint8_t* target
        cdef const uint8_t* word
        cdef Py_ssize_t k, at, length, start
        cdef int64_t stop, limit
        cdef int j, n, order
        bounds[0] = 0
        bounds[1] = words.n
        for order in range(2, self.last + 1):
            of_order = self.keys[order - 2]
            keys[order - 1] = &of_order[0] if of_order.shape[0] else NULL
            bounds[order] = bounds[order - 1] + of_order.shape[0]
        with nogil:
            at = ends[first - 1] if content is not None and first else 0
            limit = ends[last - 1] if content is not None and last > first else 0
            for k in range(first, last):
                if k + AHEAD < last:
                    n = 1
                    while entries[k + AHEAD] >= bounds[n]:
                        n += 1
                    if n > 1:
                        fetch(&keys[n - 1][entries[k + AHEAD] - bounds[n - 1]])
                n = words_of(entries[k], bounds, keys, chain)
                stop = at
                for j in range(n):
                    start = word_start(words, chain[j])
                    length = words.ends[chain[j]] - start
                    if content is not None:
                        if j:
                            content[stop] = 32
                        word = words.bytes + start
                        target = &content[stop + (j > 0)]
                        if length <= SLACK and stop + 1 + SLACK <= limit:
                            memcpy(target, word, SLACK)  # what is too much is written over
                        else:
                            memcpy(target, word, length)
                    stop += length + (j > 0)
                if content is None:
                    ends[k] = stop - at
                else:
                    at = stop


cdef int words_of(
    uint32_t entry, const Py_ssize_t* bounds, const uint64_t** keys, int32_t* chain
) noexcept nogil:
    """The words of a term, and how many there are."""
    cdef int n = 1, j
    cdef uint64_t key
    cdef int32_t id
    while entry >= bounds[n]:
        n += 1
    id = <int32_t>(entry - bounds[n - 1])
    for j in range(n - 1, 0, -1):
        key = keys[j][id]
        chain[j] = <int32_t><uint32_t>key
        id = <int32_t>(key >> 32) - 1
    chain[0] = id
    return n


def fill_keys(
    uint64_t[::1] sort_by, uint32_t[::1] items, const uint64_t[::1] pairs, const int32_t[::1] places,
    const int32_t[::1] starts, const int32_t[::1] alone, const int32_t[::1] followed, Py_ssize_t n_known,
    Py_ssize_t n_ids, int shift, bint is_last,
):
    """Sort known terms by their places, and new pairs by that of their start and the rank of their last word.

    Unless there are longer terms, the pairs are entered twice: as terms, and as starts, whose ids follow.
    """
    cdef Py_ssize_t k, at = n_known
    cdef uint64_t start
    cdef uint32_t word
    with nogil:
        for k in range(n_known):
            sort_by[k] = <uint64_t>places[items[k]] << shift
        for k in range(pairs.shape[0]):
            if pairs[k] == 0:
                continue
            start = <uint64_t>starts[<Py_ssize_t>(pairs[k] >> 32) - 1] << shift
            word = <uint32_t>pairs[k]
            items[at] = <uint32_t>(n_ids + k)
            sort_by[at] = start | <uint64_t>(alone[word] + 1)
            at += 1
            if not is_last:
                items[at] = <uint32_t>(n_ids + pairs.shape[0] + k)
                sort_by[at] = start | <uint64_t>(followed[word] + 1)
                at += 1


def sort_items(uint64_t[::1] sort_by, uint32_t[::1] items):
    """Sort both by the first."""
    cdef int code = 0
    if items.shape[0]:
        with nogil:
            code = sort_keys(&sort_by[0], &items[0], items.shape[0])
    if code < 0:
        raise MemoryError


def inverse(const uint32_t[::1] items, Py_ssize_t n):
    """Where each of the numbers below n is among the items, or -1."""
    cdef Py_ssize_t k
    result = np.full(n, -1, np.int32)
    cdef int32_t[::1] places = result
    with nogil:
        for k in range(items.shape[0]):
            places[items[k]] = <int32_t>k
    return result


cdef bint has_control_characters(const WordTable* words, Py_ssize_t first) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(word_start(words, first) if first < words.n else words.n_bytes, words.n_bytes):
        if words.bytes[k] < 32:
            return True
    return False
