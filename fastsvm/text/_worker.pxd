"""The work of one thread while a vocabulary is learned: numbering words, and pairs of numbers.

The numbers are kept as a stream, one for each word of the texts, and beside each, where a document has the
word for the first time, how often it has it. An n-gram is a pair: the number of the (n-1)-gram before, that
of the last word. Pairs are shared out among the threads by their hashes, so that no tables have to be merged.
"""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memset

from ._memory cimport MOST, NO_MEMORY, TOO_MANY, reserve
from ._parts cimport MAX_LAYERS
from ._tables cimport (
    AHEAD, PairBlock, PairSlot, PairTable, WordKey, WordSlot, WordTable, add_pair, add_word,
    end_pairs, free_pairs, key_words, next_pair, next_word, pair_key, reserve_pairs, reserve_words,
)
from ._words cimport BLOCK_WORDS, Cut, Document, Rule, Text, cut_words, read_text


cdef struct Stream:  # the terms of one order: one for each word of the documents, its first word
    int32_t* ids  # -1: too rare to be kept
    int32_t* counts  # how often the document has the term, where it comes first; else 0


cdef struct Worker:
    Text text
    WordTable words
    Stream streams[MAX_LAYERS]
    Py_ssize_t n, id_capacity, count_capacity
    Py_ssize_t* ends  # of each document's words
    Py_ssize_t n_documents, end_capacity


cdef struct Shard:  # the pairs of one order whose hashes fall to one thread
    PairTable table
    uint64_t* keys
    int32_t* documents  # in how many each pair is
    Py_ssize_t key_capacity, document_capacity


cdef inline int count_words(
    Worker* worker, const Document* document, const Rule* rule, int n_stop
) noexcept nogil:
    """Add a document; return an error code, or 0."""
    cdef Cut cut
    cdef WordKey keys[BLOCK_WORDS + AHEAD]
    cdef Stream* stream = &worker.streams[0]
    cdef WordSlot* slot
    cdef const uint8_t* word
    cdef Py_ssize_t k, n, first = worker.n
    cdef int code = read_text(&worker.text, document, rule)
    if code < 0:
        return code
    while cut_words(&worker.text, rule, &cut):
        n = worker.n
        if n + cut.n > MOST:
            return TOO_MANY
        if (
            reserve_words(&worker.words, cut.n) < 0
            or reserve(<void**>&stream.ids, &worker.id_capacity, n + cut.n, sizeof(int32_t)) < 0
            or reserve(<void**>&stream.counts, &worker.count_capacity, n + cut.n, sizeof(int32_t)) < 0
        ):
            return NO_MEMORY
        key_words(&worker.text, &cut, keys)
        for k in range(cut.n):
            word = worker.text.bytes + cut.starts[k]
            slot = next_word(&worker.words, &keys[k], word, cut.lengths[k])
            if slot.high == 0:
                if add_word(&worker.words, slot, &keys[k], word, cut.lengths[k]) < 0:
                    return NO_MEMORY
            elif slot.id < n_stop:
                continue
            stream.ids[n] = slot.id
            if slot.last > first:
                stream.counts[slot.last - 1] += 1
                stream.counts[n] = 0
            else:
                stream.counts[n] = 1
                slot.last = <uint32_t>(n + 1)
            n += 1
        worker.n = n
    if reserve(<void**>&worker.ends, &worker.end_capacity, worker.n_documents + 1, sizeof(Py_ssize_t)) < 0:
        return NO_MEMORY
    worker.ends[worker.n_documents] = worker.n
    worker.n_documents += 1
    return 0


cdef inline int count_pairs(
    Shard* shard, Worker* worker, Py_ssize_t base, int order, int index, int n_shards, bint with_documents
) noexcept nogil:
    """Count those terms of `order` words in a worker's documents that belong to the shard.

    `base` is how many words of other workers the shard has seen.
    """
    cdef const int32_t* prefixes = worker.streams[order - 2].ids
    cdef int32_t* ids = worker.streams[order - 1].ids
    cdef PairBlock block
    cdef Py_ssize_t row, first = 0, stop, p, last
    for row in range(worker.n_documents):
        last = worker.ends[row] - order + 1  # behind the last term
        p = first
        while p < last:
            stop = min(p + BLOCK_WORDS, last)
            block.n = 0
            while p < stop:
                add_pair(&block, pair_key(prefixes[p], worker.streams[0].ids[p + order - 1]), p)
                # A term is no more frequent than what it begins and ends with.
                if prefixes[p] < 0 or prefixes[p + 1] < 0:
                    if index == 0:  # all shards would write the same
                        ids[p] = -1
                else:  # without a branch: which shard it is cannot be foretold
                    block.n += shard_of(block.hashes[block.n], n_shards) == index
                p += 1
            if enter_pairs(
                shard, &block, &worker.streams[order - 1], base, first, index, n_shards, with_documents
            ) < 0:
                return NO_MEMORY
        first = worker.ends[row]
    return 0


cdef inline int shard_of(uint64_t hash, int n_shards) noexcept nogil:
    return <int>((((hash >> 16) & 0xFFFF) * n_shards) >> 16)


cdef inline int enter_pairs(
    Shard* shard, PairBlock* block, Stream* stream, Py_ssize_t base, Py_ssize_t first, int index,
    int n_shards, bint with_documents,
) noexcept nogil:
    """Number and count some pairs of the document that begins at `first`."""
    cdef Py_ssize_t k, n = shard.table.n + block.n
    cdef PairSlot* slot
    if (
        reserve_pairs(&shard.table, block.n) < 0
        or reserve(<void**>&shard.keys, &shard.key_capacity, n, sizeof(uint64_t)) < 0
        or reserve(<void**>&shard.documents, &shard.document_capacity, n, sizeof(int32_t)) < 0
    ):
        return NO_MEMORY
    end_pairs(block)
    for k in range(block.n):
        slot = next_pair(&shard.table, block, k)
        if slot.key == 0:
            slot.key = block.keys[k]
            slot.id = <int32_t>shard.table.n
            shard.keys[slot.id] = slot.key
            shard.documents[slot.id] = 0
            shard.table.n += 1
        stream.ids[block.places[k]] = slot.id * n_shards + index
        if slot.last > base + first:
            stream.counts[slot.last - 1 - base] += 1
        else:
            stream.counts[block.places[k]] = 1
            slot.last = <uint32_t>(base + block.places[k] + 1)
            if with_documents:
                shard.documents[slot.id] += 1
    return 0


cdef inline void renumber(
    Stream* stream, const int32_t* numbers, Py_ssize_t first, Py_ssize_t last
) noexcept nogil:
    """Give terms other numbers; terms numbered -1 are dropped."""
    cdef Py_ssize_t p
    cdef int32_t id
    for p in range(first, last):
        id = stream.ids[p]
        id = numbers[id] if id >= 0 else -1
        stream.ids[p] = id
        stream.counts[p] &= -<int32_t>(id >= 0)


cdef inline void free_shard(Shard* shard) noexcept nogil:
    free_pairs(&shard.table)
    free(shard.keys)
    free(shard.documents)
    memset(shard, 0, sizeof(Shard))
