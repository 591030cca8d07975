"""Character n-grams, exactly as CountVectorizer's "char_wb" counts them, inside words, and its "char".

Words, divided by white space, are counted first. Each different word is then cut into its n-grams once,
however often the texts have it: the counts of n-grams are the product of two sparse matrices, texts x words
and words x n-grams. For "char", a text is one word, with one blank for several.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libc.stdlib cimport free
from libc.string cimport memcpy

from ._memory cimport MOST, NO_MEMORY, TOO_MANY, check, reserve
from ._parts cimport Counts, Layer, Part, column_of
from ._tables cimport (
    AHEAD, WordKey, WordSlot, WordTable, add_word, free_words, key_words, next_word, reserve_words, slot_of
)
from ._tally cimport count_found, expect, make_room
from ._vocabulary cimport Vocabulary
from ._words cimport BLOCK_WORDS, PADDING, Batch, Cut, Rule, Text, character_bytes, free_text, read_text

from ._counter import Counter
from ._parts import frequencies

TOO_MANY_GRAMS = "character n-grams; count them in several parts"


cdef class _Spelling:
    """The numbers of the n-grams of some words, each as often as the word has it."""

    cdef int32_t* ids
    cdef Py_ssize_t n, capacity
    cdef Py_ssize_t[::1] ends  # of each word's
    cdef Text word  # that is being cut: `next` is the number of its characters
    cdef uint32_t* starts  # of these
    cdef Py_ssize_t start_capacity

    def __dealloc__(self):
        free(self.ids)
        free_text(&self.word)
        free(self.starts)


cdef Part each_alone(Py_ssize_t n):
    """Return rows that each have one word, their own number."""
    cdef Counts counts = Counts(n, 0)
    cdef Py_ssize_t k
    check(make_room(&counts.tally, n), "texts")
    for k in range(n):
        counts.tally.columns[k], counts.tally.counts[k], counts.ends[k] = <int32_t>k, 1, k + 1
    counts.n_rows = n
    return counts.part()


cdef class _Grams:
    """The numbers of n-grams."""

    cdef WordTable table
    cdef int first, last
    cdef bint whole

    def __cinit__(self, int first, int last, bint whole, *others):
        self.first, self.last, self.whole = first, last, whole

    def __dealloc__(self):
        free_words(&self.table)

    cdef _Spelling spell(self, const uint8_t[::1] words, const int64_t[::1] ends, bint learn):
        """Cut words, in UTF-8 and end to end; n-grams without a number get one, or are left out."""
        cdef _Spelling spelling = _Spelling()
        cdef Py_ssize_t k, start = 0
        cdef int code = 0
        spelling.ends = np.zeros(ends.shape[0] + 1, np.intp)
        with nogil:
            for k in range(ends.shape[0]):
                code = self.pad(spelling, &words[start], ends[k] - start)
                if code == 0:
                    code = self.cut(spelling, learn)
                if code < 0:
                    break
                spelling.ends[k + 1] = spelling.n
                start = ends[k]
        check(code, TOO_MANY_GRAMS)
        return spelling

    cdef _Spelling spell_whole(self, Batch batch, Py_ssize_t first, Py_ssize_t last, bint learn):
        """Cut texts that are each one word, as `spell` does."""
        cdef _Spelling spelling = _Spelling()
        cdef Rule rule
        cdef Py_ssize_t k
        cdef int code = 0
        rule.split, rule.least, rule.marks = True, 1, False
        spelling.ends = np.zeros(last - first + 1, np.intp)
        with nogil:
            for k in range(first, last):
                code = read_text(&spelling.word, &batch.documents[k], &rule)
                if code == 0:
                    code = self.collapse(spelling)
                if code == 0:
                    code = self.cut(spelling, learn)
                if code < 0:
                    break
                spelling.ends[k - first + 1] = spelling.n
        check(code, TOO_MANY_GRAMS)
        return spelling

    cdef int collapse(self, _Spelling spelling) noexcept nogil:
        """Put one blank for several characters of white space, and find where characters begin, as `pad`."""
        cdef Text* text = &spelling.word
        cdef Py_ssize_t p = 0, end = 0, size, k
        cdef bint after_space = False
        if reserve(<void**>&spelling.starts, &spelling.start_capacity, text.length + 1, sizeof(uint32_t)) < 0:
            return NO_MEMORY
        text.next = 0
        while p < text.length:
            size = character_bytes(text.bytes[p])
            if after_space and not text.inside[p]:
                end = spelling.starts[text.next - 1]
                text.bytes[end] = 32
                end += 1
            else:
                after_space = not text.inside[p]
                spelling.starts[text.next] = <uint32_t>end
                text.next += 1
                for k in range(size):
                    text.bytes[end + k] = text.bytes[p + k]
                end += size
            p += size
        spelling.starts[text.next] = <uint32_t>end
        text.length = end
        return 0

    cdef int pad(self, _Spelling spelling, const uint8_t* word, Py_ssize_t length) noexcept nogil:
        """Copy a word between blanks, and find where its characters begin."""
        cdef Text* padded = &spelling.word
        cdef Py_ssize_t p = 0
        if (
            reserve(<void**>&padded.bytes, &padded.capacity, length + 2 + PADDING, 1) < 0
            or reserve(<void**>&spelling.starts, &spelling.start_capacity, length + 3, sizeof(uint32_t)) < 0
        ):
            return NO_MEMORY
        padded.bytes[0] = padded.bytes[length + 1] = 32
        memcpy(padded.bytes + 1, word, length)
        padded.length = length + 2
        padded.next = 0
        while p < padded.length:
            spelling.starts[padded.next] = <uint32_t>p
            padded.next += 1
            p += character_bytes(padded.bytes[p])
        spelling.starts[padded.next] = <uint32_t>padded.length
        return 0

    cdef int cut(self, _Spelling spelling, bint learn) noexcept nogil:
        """Number the n-grams of a word; a padded word that is shorter is itself an n-gram."""
        cdef const uint32_t* starts = spelling.starts
        cdef Cut cut
        cdef Py_ssize_t k, n_grams, n_characters = spelling.word.next
        cdef int size, code
        cut.n = 0
        for size in range(self.first, self.last + 1):
            n_grams = n_characters - size + 1
            if n_grams < 1:
                if self.whole:
                    break
                n_grams = 1
            for k in range(n_grams):
                cut.starts[cut.n] = starts[k]
                cut.lengths[cut.n] = starts[min(k + size, n_characters)] - starts[k]
                cut.n += 1
                if cut.n == BLOCK_WORDS:
                    code = self.number(spelling, &cut, learn)
                    if code < 0:
                        return code
            if n_grams == 1:
                break
        return self.number(spelling, &cut, learn)

    cdef int number(self, _Spelling spelling, Cut* cut, bint learn) noexcept nogil:
        cdef WordKey keys[BLOCK_WORDS + AHEAD]
        cdef WordSlot* slot
        cdef const uint8_t* gram
        cdef Py_ssize_t k
        if spelling.n + cut.n > MOST or self.table.n + cut.n > <Py_ssize_t>0x7FFFFFFF:
            return TOO_MANY
        if (
            reserve_words(&self.table, cut.n if learn else 0) < 0
            or reserve(<void**>&spelling.ids, &spelling.capacity, spelling.n + cut.n, sizeof(int32_t)) < 0
        ):
            return NO_MEMORY
        key_words(&spelling.word, cut, keys)
        for k in range(cut.n):
            gram = spelling.word.bytes + cut.starts[k]
            slot = next_word(&self.table, &keys[k], gram, cut.lengths[k])
            if slot.high == 0:
                if not learn:
                    continue
                if add_word(&self.table, slot, &keys[k], gram, cut.lengths[k]) < 0:
                    return NO_MEMORY
            spelling.ids[spelling.n] = slot.id if learn else <int32_t>(slot.last - 1)
            spelling.n += 1
        cut.n = 0
        return 0

    def counts(self, Part words, _Spelling spelling, Py_ssize_t n_columns):
        """Count the n-grams of rows whose words are counted; return their Part."""
        cdef Counts counts = Counts(words.last - words.first, n_columns)
        cdef Layer* layer = &words.layers[0]
        cdef Py_ssize_t row, p, k, start
        cdef int32_t word
        cdef int code = 0
        with nogil:
            start = words.ends[words.first - 1] if words.first else 0
            for row in range(words.first, words.last):
                counts.tally.start = counts.tally.n
                for p in range(start, words.ends[row]):
                    word = column_of(layer, words.every, p)
                    if word < 0:
                        continue
                    k = spelling.ends[word]
                    while k < spelling.ends[word + 1] and code == 0:
                        if counts.tally.n_found == BLOCK_WORDS:
                            count_found(&counts.tally)
                        if counts.tally.n_found == 0:
                            code = make_room(&counts.tally, BLOCK_WORDS)
                        expect(&counts.tally, spelling.ids[k], layer.counts[p])
                        k += 1
                    if code < 0:
                        break
                if code < 0:
                    break
                count_found(&counts.tally)
                start = words.ends[row]
                counts.ends[row - words.first] = counts.tally.n
                counts.n_rows += 1
        check(code, "entries; count the documents in several parts")
        return counts.part()


cdef class CharacterCounter(_Grams):
    """Counts n-grams while it learns them, as `Counter` does with words.

    Parameters
    ----------
    first, last : int
        Minimum and maximum number of characters of an n-gram.
    whole : bool
        Whether a text is one word.
    n_workers : int
    """

    cdef object words
    cdef list found
    cdef int n_workers
    cdef readonly Py_ssize_t n_documents
    cdef readonly Vocabulary vocabulary

    def __init__(self, int first, int last, bint whole, int n_workers):
        self.words = None if whole else Counter(n_workers, True, 1, [], 1, 1)
        self.n_workers = n_workers
        self.found = []

    @property
    def is_empty(self):
        """Whether no document has a word; valid before `finish`."""
        return self.table.n == 0 if self.whole else self.words.is_empty

    @property
    def n_columns(self):
        """How many n-grams have been found."""
        return len(self.vocabulary.entries)

    def add(self, batch, run):
        """Count the words of some documents."""
        if self.whole:
            n = (<Batch>batch).n
            spelling = self.spell_whole(batch, 0, n, True)
            self.found.append(self.counts(each_alone(n), spelling, self.table.n))
            self.n_documents += n
            return
        self.words.add(batch, run)
        self.n_documents = self.words.n_documents

    def finish(self, run, int32_t least):
        """Count n-grams, and sort into columns all n-grams in at least `least` documents."""
        if not self.whole:
            self.words.finish(run, 1)
            content, ends = self.words.vocabulary.terms(run)
            spelling = self.spell(content, ends, True)
            parts = self.words.parts()
            n = len(parts)
            self.found = list(run(self.counts, parts, [spelling] * n, [self.table.n] * n))
            self.words = None
        kept = frequencies(self.found, self.table.n)[0] >= least if least > 1 else None
        self.vocabulary = Vocabulary([], 0, 1, self.n_workers)
        self.vocabulary.words = &self.table
        self.vocabulary.sort(run, kept)

    def parts(self):
        """Return the counts as a list of Part; it must not outlive this object."""
        cdef Part part
        cdef const int32_t[::1] columns = self.vocabulary.columns[0]
        for part in self.found:
            part.layers[0].columns = &columns[0]
        return self.found


cdef class CharacterLookup(_Grams):
    """Counts the n-grams of a vocabulary, as `Lookup` does with words.

    Parameters
    ----------
    first, last, whole : as in `CharacterCounter`
    content : ndarray, uint8
        The n-grams, UTF-8, end to end.
    ends : ndarray of shape (n_grams,), int64
    """

    cdef readonly Py_ssize_t n_columns

    def __init__(self, int first, int last, bint whole, content, const int64_t[::1] ends):
        cdef const uint8_t[::1] grams = np.append(content, np.zeros(16, np.uint8))  # can be read behind
        cdef Py_ssize_t k, start = 0
        cdef WordSlot* slot
        cdef int code = reserve_words(&self.table, ends.shape[0])
        self.n_columns = ends.shape[0]
        with nogil:
            for k in range(ends.shape[0] if code == 0 else 0):
                if ends[k] > start:  # no text has an empty one
                    slot = slot_of(&self.table, &grams[start], ends[k] - start)
                    if slot == NULL:
                        code = NO_MEMORY
                        break
                    slot.last = <uint32_t>(k + 1)
                start = ends[k]
        check(code, None)

    def count(self, batch, first, last):
        """Count the documents from `first` to before `last`; return their Part."""
        if self.whole:
            spelling = self.spell_whole(batch, first, last, False)
            return self.counts(each_alone(last - first), spelling, self.n_columns)
        words = Counter(1, True, 1, [], 1, 1)
        words.add_some(batch, first, last)
        words.finish(map, 1)
        content, ends = words.vocabulary.terms(map)
        spelling = self.spell(content, ends, False)
        parts = words.parts()
        return self.counts(parts[0], spelling, self.n_columns) if parts else Part()
