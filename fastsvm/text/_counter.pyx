"""A vocabulary and the counts of its terms, from one pass over the texts.

Each thread numbers words as they come; the threads' numbers are then joined. An n-gram is a pair of numbers
(see `_worker.pxd`), and terms are sorted as numbers too (`_vocabulary.pyx`). Results depend on texts only.
"""

import numpy as np

from libc.stdint cimport int32_t, uint64_t
from libc.stdlib cimport calloc, free

from ._memory cimport MOST, TOO_MANY, check, zeros
from ._parts cimport MAX_LAYERS, Layer, Part
from ._tables cimport enter_words, free_words, join_words, reserve_pairs
from ._vocabulary cimport Vocabulary
from ._worker cimport Shard, Stream, Worker, count_pairs, count_words, free_shard, renumber
from ._words cimport Batch, Rule, free_text

MAX_N = MAX_LAYERS
TOO_MANY_WORDS = "words; count them in several parts"


cdef class Counter:
    """Counts terms while it learns them.

    Parameters
    ----------
    n_workers : int
    split : bool
        White space divides words; else words are runs of letters, digits and underscores.
    least : int
        Minimum number of characters of a word, 1 or 2.
    stop_words : list of bytes
        Words, UTF-8, that are ignored.
    first, last : int
        Minimum and maximum number of words of a term.
    marks : bool
        Combining marks belong to the word before them.
    """

    cdef Worker* workers
    cdef Shard* shards  # of the order that is being counted
    cdef int n_workers, n_stop, first, last
    cdef Rule rule
    cdef list numbers  # of each worker's words, unless the streams have them
    cdef list segments  # worker, its first document, the one behind its last: in the order of the documents
    cdef readonly Vocabulary vocabulary

    def __cinit__(
        self, int n_workers, bint split, int least, list stop_words, int first, int last, bint marks=False
    ):
        cdef int k
        self.n_workers = n_workers
        self.workers = <Worker*>calloc(n_workers, sizeof(Worker))
        self.shards = <Shard*>calloc(n_workers, sizeof(Shard))
        if self.workers == NULL or self.shards == NULL:
            raise MemoryError
        self.rule.split, self.rule.least, self.rule.marks = split, least, marks
        self.first, self.last = first, last
        self.segments, self.numbers = [], None
        for k in range(n_workers):
            enter_words(&self.workers[k].words, stop_words)
        self.n_stop = self.workers[0].words.n

    def __dealloc__(self):
        cdef int k, order
        for k in range(self.n_workers if self.workers != NULL and self.shards != NULL else 0):
            free_shard(&self.shards[k])
            free_text(&self.workers[k].text)
            free_words(&self.workers[k].words)
            free(self.workers[k].ends)
            for order in range(MAX_LAYERS):
                free(self.workers[k].streams[order].ids)
                free(self.workers[k].streams[order].counts)
        free(self.workers)
        free(self.shards)

    @property
    def n_documents(self):
        """The number of documents counted so far."""
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

    def add_some(self, Batch batch, Py_ssize_t first, Py_ssize_t last):
        """Count the words of the documents from `first` to before `last`, by one worker."""
        before = self.workers[0].n_documents
        self._add(0, batch, first, last)
        if first < last:
            self.segments.append((0, before, self.workers[0].n_documents))

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
        """Whether no document has enough words for one term."""
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
        """Count n-grams, and sort into columns all terms in at least `least` documents."""
        cdef int k
        cdef Py_ssize_t total = 0
        for k in range(self.n_workers):
            total += self.workers[k].n
        if total > MOST:
            check(TOO_MANY, TOO_MANY_WORDS)
        kept = self._number_words(run, least)
        keys = [self._number_pairs(run, order, least) for order in range(2, self.last + 1)]
        self.vocabulary = Vocabulary(keys, self.n_stop, self.first, self.n_workers)
        self.vocabulary.words = &self.workers[0].words
        self.vocabulary.complete = kept is None or self.last > 1  # else rare words have no column
        self.vocabulary.sort(run, kept)

    def _number_words(self, run, int32_t least):
        """Give all workers the first one's word numbers; return a mask of frequent words, or None: all."""
        cdef int k
        n = self.n_workers
        if n == 1 and least <= 1:
            return None
        found = list(run(self._count_documents, range(n))) if least > 1 else []
        numbers = [self._join(k) for k in range(n)]
        kept = None
        if least > 1:
            documents = np.zeros(self.workers[0].words.n, np.int32)
            for own, count in zip(numbers, found):
                documents[own] += count
            kept = documents >= least
        if self.last == 1:
            self.numbers = numbers
            return kept
        if least > 1:
            for own in numbers:
                own[~kept[own]] = -1
        self._renumber_all(run, 1, numbers)
        return kept

    def _count_documents(self, int k):
        """Return, for each word of a worker, the number of its documents with the word."""
        cdef Worker* worker = &self.workers[k]
        cdef Py_ssize_t p
        result = np.zeros(worker.words.n + 1, np.int32)
        cdef int32_t[::1] documents = result
        with nogil:
            for p in range(worker.n):
                documents[worker.streams[0].ids[p]] += worker.streams[0].counts[p] > 0
        return result[:worker.words.n]

    def _join(self, int k):
        """Return the first worker's numbers of a worker's words, and free its table."""
        cdef int code = 0
        cdef Py_ssize_t n = self.workers[k].words.n
        if k == 0:
            return np.arange(n, dtype=np.int32)
        result = np.empty(n + 1, np.int32)
        cdef int32_t[::1] numbers = result
        with nogil:
            code = join_words(&self.workers[0].words, &self.workers[k].words, &numbers[0])
            free_words(&self.workers[k].words)
        check(code, None)
        return result[:n]

    def _renumber_all(self, run, int order, numbers):
        """Renumber each worker's terms of `order` words, in parts; the first worker's are right."""
        cdef int k, part
        n = self.n_workers
        tasks = [(k, part) for k in range(n) for part in range(n)]
        list(run(self._renumber, [order] * n * n, [numbers[k] for k, _ in tasks], *zip(*tasks)))

    def _renumber(self, int order, const int32_t[::1] numbers, int k, int part):
        cdef Worker* worker = &self.workers[k]
        cdef Py_ssize_t n = self.n_workers
        if numbers.shape[0]:
            with nogil:
                renumber(
                    &worker.streams[order - 1], &numbers[0], worker.n * part // n, worker.n * (part + 1) // n
                )

    def _number_pairs(self, run, int order, int32_t least):
        """Number the terms of two or more words; return the pair of each number, 0 for none."""
        cdef Stream* stream
        cdef int k
        cdef Py_ssize_t most
        n = self.n_workers
        for k in range(n):
            stream = &self.workers[k].streams[order - 1]
            stream.ids = <int32_t*>zeros(self.workers[k].n + 1, sizeof(int32_t))
            stream.counts = <int32_t*>zeros(self.workers[k].n + 1, sizeof(int32_t))
            if stream.ids == NULL or stream.counts == NULL:
                raise MemoryError
        sizes = list(run(self._count_pairs, [order] * n, [least] * n, range(n)))
        most = n * max([self.shards[k].table.n for k in range(n)])
        keys = np.zeros(sum(sizes) if least > 1 else most, np.uint64)
        # Where no term begins the stream has a 0, which must not be the number of a pair.
        numbers = np.full(most if least > 1 else 0, -1, np.int32)
        starts = [sum(sizes[:k]) for k in range(n)]
        list(run(self._take_keys, range(n), starts, [least] * n, [keys] * n, [numbers] * n))
        self._renumber_all(run, order, [numbers] * n)
        return keys

    def _count_pairs(self, int order, int32_t least, int index):
        """Count the pairs of a shard; return how many are in enough documents."""
        cdef Shard* shard = &self.shards[index]
        cdef Worker* worker
        cdef int k, n = self.n_workers, code
        cdef Py_ssize_t base = 0, total = 0, id, n_kept = 0
        with nogil:
            for k in range(n):
                total += self.workers[k].n
            # Texts of some length have a new pair for every three or four words.
            code = reserve_pairs(&shard.table, total // (4 * n))
            for k in range(n if code == 0 else 0):
                worker = &self.workers[(k + index) % n]  # threads that write side by side are slow
                code = count_pairs(shard, worker, base, order, index, n, least > 1)
                if code < 0:
                    break
                base += worker.n
            for id in range(shard.table.n):
                n_kept += shard.documents[id] >= least
        check(code, None)
        return n_kept

    def _take_keys(self, int index, int32_t start, int32_t least, uint64_t[::1] keys, int32_t[::1] numbers):
        """Write the pair of each number of a shard, and free the shard.

        If only frequent pairs are kept, they get new numbers from `start` on, and rare pairs get -1.
        """
        cdef Shard* shard = &self.shards[index]
        cdef Py_ssize_t id
        cdef int n = self.n_workers
        with nogil:
            for id in range(shard.table.n):
                if least <= 1:
                    keys[id * n + index] = shard.keys[id]
                elif shard.documents[id] >= least:
                    keys[start] = shard.keys[id]
                    numbers[id * n + index] = start
                    start += 1
            free_shard(shard)

    @property
    def n_columns(self):
        """The number of terms."""
        return len(self.vocabulary.entries)

    def parts(self):
        """Return the counts as a list of Part; it must not outlive this object."""
        cdef Part part
        cdef Layer* layer
        cdef const int32_t[::1] columns
        cdef int k, order
        result, words = [], [self.vocabulary.columns[0]] * self.n_workers
        if self.numbers is not None:
            words = [of_words[own] for of_words, own in zip(words, self.numbers)]
        for k, first, last in self.segments:
            part = Part()
            part.owner, part.complete = (self, words), self.vocabulary.complete
            part.ends, part.first, part.last = self.workers[k].ends, first, last
            for order in range(self.first, self.last + 1):
                columns = words[k] if order == 1 else self.vocabulary.columns[order - 1]
                if columns.shape[0] == 0:
                    continue
                layer = &part.layers[part.n_layers]
                layer.columns = &columns[0]
                layer.ids = self.workers[k].streams[order - 1].ids
                layer.counts = self.workers[k].streams[order - 1].counts
                part.n_layers += 1
            result.append(part)
        return result
