"""Open-addressing tables: words by their bytes, n-grams by the pair (prefix, last word)."""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memcmp, memcpy, memset

from ..solvers._prefetch cimport prefetch
from ._memory cimport reserve, zeros
from ._words cimport BLOCK_WORDS, Cut, Text

cdef enum:
    AHEAD = 12  # slots that are fetched before they are needed
    INLINE = 15  # bytes of a word that lie in its key
    LONG = 0xFF  # the length in the key of a longer one


cdef struct WordKey:
    uint64_t low  # the first eight bytes, or the hash of a long word
    uint64_t high  # the next seven, and the length in the topmost; never 0
    uint64_t hash


cdef struct WordSlot:
    uint64_t low
    uint64_t high  # 0: the slot is free
    int32_t id
    uint32_t last  # the learner's: where the word began to be counted last, plus 1; or its column, plus 1


cdef struct WordTable:
    WordSlot* slots
    uint64_t mask
    Py_ssize_t n
    uint8_t* bytes  # the words, end to end, and 16 bytes that can be read behind them
    Py_ssize_t n_bytes, byte_capacity
    Py_ssize_t* ends  # of each word in `bytes`
    Py_ssize_t end_capacity


cdef struct PairSlot:
    uint64_t key  # 0: the slot is free
    int32_t id
    uint32_t last


cdef struct PairTable:
    PairSlot* slots
    int shift  # 64 - log2 of the number of slots
    Py_ssize_t n


cdef struct PairBlock:  # pairs that are looked up one after the other
    uint64_t keys[BLOCK_WORDS]
    uint64_t hashes[BLOCK_WORDS + AHEAD]
    Py_ssize_t places[BLOCK_WORDS]  # where they are from
    Py_ssize_t n


cdef inline uint64_t mix(uint64_t low, uint64_t high) noexcept nogil:
    cdef uint64_t h = low * <uint64_t>0x9E3779B97F4A7C15
    high *= <uint64_t>0xC2B2AE3D27D4EB4F
    h ^= (high << 32) | (high >> 32)
    h ^= h >> 29
    h *= <uint64_t>0xBF58476D1CE4E5B9
    return h ^ (h >> 32)


cdef inline WordKey word_key(const uint8_t* word, Py_ssize_t length) noexcept nogil:
    """Return the key of a word; 16 bytes are read, whatever its length."""
    cdef WordKey key
    cdef uint64_t eight
    cdef Py_ssize_t k
    memcpy(&key.low, word, 8)
    if length <= 8:
        if length < 8:
            key.low &= (<uint64_t>1 << (8 * length)) - 1
        key.high = <uint64_t>length << 56
    elif length <= INLINE:
        memcpy(&key.high, word + 8, 8)
        key.high &= (<uint64_t>1 << (8 * (length - 8))) - 1
        key.high |= <uint64_t>length << 56
    else:
        for k in range(8, length - 7, 8):
            memcpy(&eight, word + k, 8)
            key.low = mix(key.low, eight)
        memcpy(&eight, word + length - 8, 8)
        key.low = mix(key.low, eight + <uint64_t>length)
        key.high = <uint64_t>LONG << 56
    key.hash = mix(key.low, key.high)
    return key


cdef inline void key_words(const Text* text, const Cut* cut, WordKey* keys) noexcept nogil:
    """Compute the keys of words, and pad them by the number that `next_word` looks ahead."""
    cdef Py_ssize_t k
    for k in range(cut.n):
        keys[k] = word_key(text.bytes + cut.starts[k], cut.lengths[k])
    for k in range(cut.n, cut.n + AHEAD):
        keys[k].hash = 0


cdef inline Py_ssize_t word_start(const WordTable* table, Py_ssize_t id) noexcept nogil:
    return table.ends[id - 1] if id else 0


cdef inline bint is_word(
    const WordTable* table, const WordSlot* slot, const uint8_t* word, Py_ssize_t length
) noexcept nogil:
    """Whether a long word is the word of a slot with the same key."""
    cdef Py_ssize_t start = word_start(table, slot.id)
    return table.ends[slot.id] - start == length and memcmp(table.bytes + start, word, length) == 0


cdef inline WordSlot* find_word(
    const WordTable* table, const WordKey* key, const uint8_t* word, Py_ssize_t length
) noexcept nogil:
    """Return the slot of a word, or the free slot where it belongs."""
    cdef uint64_t place = key.hash & table.mask
    cdef WordSlot* slot
    while True:
        slot = &table.slots[place]
        if slot.high == 0:
            return slot
        if slot.low == key.low and slot.high == key.high and (
            length <= INLINE or is_word(table, slot, word, length)
        ):
            return slot
        place = (place + 1) & table.mask


cdef inline WordSlot* next_word(
    const WordTable* table, const WordKey* key, const uint8_t* word, Py_ssize_t length
) noexcept nogil:
    """Do `find_word` for one of many keys, and prefetch the slot of a later key."""
    prefetch(&table.slots[key[AHEAD].hash & table.mask])
    return find_word(table, key, word, length)


cdef inline int reserve_words(WordTable* table, Py_ssize_t n) noexcept nogil:
    """Make room in the slots for n more words; -1 if there is no memory."""
    cdef uint64_t size = table.mask + 1 if table.slots != NULL else 0
    cdef uint64_t place, k
    cdef WordSlot* slots
    cdef WordSlot* slot
    if <uint64_t>(table.n + n) * 3 <= size * 2:
        return 0
    size = max(size, <uint64_t>1024)
    while <uint64_t>(table.n + n) * 3 > size * 2:
        size *= 2
    slots = <WordSlot*>zeros(size, sizeof(WordSlot))
    if slots == NULL:
        return -1
    for k in range(table.mask + 1 if table.slots != NULL else 0):
        slot = &table.slots[k]
        if slot.high:
            place = mix(slot.low, slot.high) & (size - 1)
            while slots[place].high:
                place = (place + 1) & (size - 1)
            slots[place] = slot[0]
    free(table.slots)
    table.slots = slots
    table.mask = size - 1
    return 0


cdef inline void copy_word(
    uint8_t* target, const uint8_t* word, Py_ssize_t length, bint has_room
) noexcept nogil:
    """Copy a word in blocks of 16 bytes, which is twice as fast; 16 bytes behind it must be readable."""
    if has_room and length <= 16:
        memcpy(target, word, 16)
    else:
        memcpy(target, word, length)


cdef inline int add_word(
    WordTable* table, WordSlot* slot, const WordKey* key, const uint8_t* word, Py_ssize_t length
) noexcept nogil:
    """Put a word in the slot that `find_word` found; -1 if there is no memory. 16 bytes behind are read."""
    if (
        reserve(<void**>&table.bytes, &table.byte_capacity, table.n_bytes + length + 16, 1) < 0
        or reserve(<void**>&table.ends, &table.end_capacity, table.n + 1, sizeof(Py_ssize_t)) < 0
    ):
        return -1
    copy_word(table.bytes + table.n_bytes, word, length, True)
    table.n_bytes += length
    table.ends[table.n] = table.n_bytes
    slot.low = key.low
    slot.high = key.high
    slot.id = <int32_t>table.n
    slot.last = 0
    table.n += 1
    return 0


cdef inline WordSlot* slot_of(WordTable* words, const uint8_t* word, Py_ssize_t length) noexcept nogil:
    """Return the slot of a word, entered if new; NULL if there is no memory. 16 bytes behind are read."""
    cdef WordKey key = word_key(word, length)
    cdef WordSlot* slot
    if reserve_words(words, 1) < 0:
        return NULL
    slot = find_word(words, &key, word, length)
    if slot.high == 0 and add_word(words, slot, &key, word, length) < 0:
        return NULL
    return slot


cdef inline int join_words(WordTable* words, const WordTable* more, int32_t* numbers) noexcept nogil:
    """Enter the words of another table, and write the new number of each; -1 if there is no memory."""
    cdef WordKey key
    cdef WordSlot* slot
    cdef const uint8_t* word
    cdef Py_ssize_t start, length
    cdef uint64_t place
    for place in range(more.mask + 1 if more.slots != NULL else 0):  # both tables are in the order of hashes
        if more.slots[place].high == 0:
            continue
        key.low, key.high = more.slots[place].low, more.slots[place].high
        key.hash = mix(key.low, key.high)
        if reserve_words(words, 1) < 0:
            return -1
        start = word_start(more, more.slots[place].id)
        word, length = more.bytes + start, more.ends[more.slots[place].id] - start
        slot = find_word(words, &key, word, length)
        if slot.high == 0 and add_word(words, slot, &key, word, length) < 0:
            return -1
        numbers[more.slots[place].id] = slot.id
    return 0


cdef inline int enter_words(WordTable* table, list words) except -1:
    """Enter words, given as UTF-8, with numbers from 0."""
    cdef const uint8_t* readable
    for word in words:
        padded = word + bytes(16)
        readable = padded
        if slot_of(table, readable, len(word)) == NULL:
            raise MemoryError
    return 0


cdef inline void free_words(WordTable* table) noexcept nogil:
    free(table.slots)
    free(table.bytes)
    free(table.ends)
    memset(table, 0, sizeof(WordTable))


cdef inline uint64_t pair_key(int32_t first, int32_t word) noexcept nogil:
    return (<uint64_t>(first + 1) << 32) | <uint32_t>word


cdef inline uint64_t pair_hash(uint64_t key) noexcept nogil:
    """Hash a pair; the high bits are the number of the slot."""
    key ^= key >> 32
    return key * <uint64_t>0x9E3779B97F4A7C15


cdef inline PairSlot* find_pair(const PairTable* table, uint64_t key, uint64_t hash) noexcept nogil:
    """Return the slot of a pair, or the free slot where it belongs."""
    cdef uint64_t place = hash >> table.shift
    cdef uint64_t mask = (<uint64_t>1 << (64 - table.shift)) - 1
    cdef PairSlot* slot
    while True:
        slot = &table.slots[place]
        if slot.key == key or slot.key == 0:
            return slot
        place = (place + 1) & mask


cdef inline void add_pair(PairBlock* block, uint64_t key, Py_ssize_t place) noexcept nogil:
    """Write a pair behind the last of a block; the caller counts it by raising `n`."""
    block.keys[block.n] = key
    block.hashes[block.n] = pair_hash(key)
    block.places[block.n] = place


cdef inline void end_pairs(PairBlock* block) noexcept nogil:
    """Pad a block by the number of pairs that `next_pair` looks ahead."""
    memset(block.hashes + block.n, 0, AHEAD * sizeof(uint64_t))


cdef inline PairSlot* next_pair(const PairTable* table, const PairBlock* block, Py_ssize_t k) noexcept nogil:
    """Do `find_pair` for a pair of a block, and prefetch the slot of a later pair."""
    prefetch(&table.slots[block.hashes[k + AHEAD] >> table.shift])
    return find_pair(table, block.keys[k], block.hashes[k])


cdef inline int reserve_pairs(PairTable* table, Py_ssize_t n) noexcept nogil:
    """Make room in the slots for n more pairs; -1 if there is no memory."""
    cdef uint64_t size = <uint64_t>1 << (64 - table.shift) if table.slots != NULL else 0
    cdef uint64_t place, k, old = size
    cdef int shift
    cdef PairSlot* slots
    if <uint64_t>(table.n + n) * 4 <= size * 3:
        return 0
    size = max(size, <uint64_t>4096)
    while <uint64_t>(table.n + n) * 4 > size * 3:
        size *= 2
    slots = <PairSlot*>zeros(size, sizeof(PairSlot))
    if slots == NULL:
        return -1
    shift = 64
    while <uint64_t>1 << (64 - shift) < size:
        shift -= 1
    for k in range(old):
        if table.slots[k].key:
            place = pair_hash(table.slots[k].key) >> shift
            while slots[place].key:
                place = (place + 1) & (size - 1)
            slots[place] = table.slots[k]
    free(table.slots)
    table.slots = slots
    table.shift = shift
    return 0


cdef inline void free_pairs(PairTable* table) noexcept nogil:
    free(table.slots)
    memset(table, 0, sizeof(PairTable))
