"""Texts cut into words, exactly as Python's str.lower and re do, without using them.

A document's characters are lower-cased into UTF-8 in one pass, which marks the bytes that belong to words;
a second pass goes over the marks 64 at a time. Characters of the basic plane go through two tables, made
from Python's own at import. Python lower-cases capital sigma, which depends on the context, and dotted
capital I, which becomes two characters, before.
"""

from unicodedata import category, normalize

from cpython.unicode cimport PyUnicode_DATA, PyUnicode_GET_LENGTH, PyUnicode_KIND
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memcpy, memset

from ._memory cimport TOO_LONG, lowest_bit, reserve

cdef extern from "Python.h":
    bint Py_UNICODE_ISALNUM(Py_UCS4 character) noexcept nogil
    bint Py_UNICODE_ISPRINTABLE(Py_UCS4 character) noexcept nogil
    bint Py_UNICODE_ISSPACE(Py_UCS4 character) noexcept nogil
    Py_UCS4 Py_UNICODE_TOLOWER(Py_UCS4 character) noexcept nogil
    bint PyUnicode_IS_ASCII(object text)

cdef enum:
    PLANE = 1 << 16
    WORD = 1
    SOLID = 2  # not white space
    MARK = 4
    FIRST_MARK = 0x300
    FIRST_SELECTOR = 0xE0100  # the only marks beyond two planes
    LAST_SELECTOR = 0xE01EF

ctypedef fused character:
    uint8_t
    uint16_t
    uint32_t

cdef uint16_t lowered[PLANE]
cdef uint8_t kinds[2 * PLANE]


cdef inline uint8_t kind_of(Py_UCS4 c) noexcept nogil:
    cdef uint8_t mark = MARK if FIRST_SELECTOR <= c <= LAST_SELECTOR else 0
    return mark | (WORD if Py_UNICODE_ISALNUM(c) or c == c"_" else 0) | SOLID * (not Py_UNICODE_ISSPACE(c))


cdef void fill_character_kinds() noexcept:
    cdef Py_UCS4 c
    for c in range(<Py_UCS4>(2 * PLANE)):
        kinds[c] = kind_of(c)
        if c < PLANE:
            lowered[c] = <uint16_t>Py_UNICODE_TOLOWER(c)


fill_character_kinds()


def combining_marks():
    """Return characters that continue a word but begin none, as ranges for `re`, and put them into the table.

    These are the marks of Unicode and the two joiners: "Extend" and "ZWJ" in UAX #29.
    """
    cdef uint32_t c
    ranges = []
    for c in range(2 * PLANE - 2, FIRST_MARK - 2, -1):  # the first mark comes last: then all are known
        is_other = kinds[c] & WORD or not Py_UNICODE_ISPRINTABLE(c)
        if c in (0x200C, 0x200D) or (not is_other and category(chr(c))[0] == "M"):
            kinds[c] |= MARK
            if not kinds[c + 1] & MARK:
                ranges.append(f"-{chr(c)}")
        elif kinds[c + 1] & MARK:
            ranges.append(chr(c + 1))
    return "".join([*reversed(ranges), f"{chr(FIRST_SELECTOR)}-{chr(LAST_SELECTOR)}"])


cdef void read_ascii(
    const uint8_t* source, uint8_t* target, uint8_t* inside, Py_ssize_t n, bint lower, bint split
) noexcept nogil:
    """Two loops without tables and branches, so that the compiler vectorises them."""
    cdef Py_ssize_t k
    cdef uint8_t c, shift = 5 if lower else 8
    if split:
        for k in range(n):
            c = source[k]
            target[k] = c | <uint8_t>((<uint8_t>(c - 65) < 26) << shift)
            inside[k] = not ((<uint8_t>(c - 9) < 5) | (<uint8_t>(c - 28) < 5))
    else:
        for k in range(n):
            c = source[k]
            target[k] = c | <uint8_t>((<uint8_t>(c - 65) < 26) << shift)
            inside[k] = (<uint8_t>((c | 32) - 97) < 26) | (<uint8_t>(c - 48) < 10) | (c == 95)


cdef Py_ssize_t read_unicode(
    const character* source, uint8_t* target, uint8_t* inside, Py_ssize_t n, bint lower, const Rule* rule
) noexcept nogil:
    """Return the number of bytes."""
    cdef Py_ssize_t k, p = 0
    cdef uint32_t c
    cdef uint8_t kind, begins = SOLID if rule.split else WORD, goes_on = begins | (MARK if rule.marks else 0)
    cdef bint is_inside = False
    for k in range(n):
        c = source[k]
        if c < PLANE:
            if lower:
                c = lowered[c]
            kind = kinds[c]
        else:
            if lower:
                c = Py_UNICODE_TOLOWER(c)
            kind = kinds[c] if c < 2 * PLANE else kind_of(c)
        is_inside = (kind & (goes_on if is_inside else begins)) != 0
        inside[p] = is_inside
        if c < 0x80:
            target[p] = c
            p += 1
            continue
        inside[p + 1] = is_inside
        if c < 0x800:
            target[p] = 0xC0 | (c >> 6)
            target[p + 1] = 0x80 | (c & 0x3F)
            p += 2
            continue
        inside[p + 2] = is_inside
        if c < PLANE:  # a lone surrogate becomes three bytes, as with errors="surrogatepass"
            target[p] = 0xE0 | (c >> 12)
            target[p + 1] = 0x80 | ((c >> 6) & 0x3F)
            target[p + 2] = 0x80 | (c & 0x3F)
            p += 3
            continue
        inside[p + 3] = is_inside
        target[p] = 0xF0 | (c >> 18)
        target[p + 1] = 0x80 | ((c >> 12) & 0x3F)
        target[p + 2] = 0x80 | ((c >> 6) & 0x3F)
        target[p + 3] = 0x80 | (c & 0x3F)
        p += 4
    return p


cdef int read_text(Text* text, const Document* document, const Rule* rule) noexcept nogil:
    """Read a document; -1 if there is no memory, -2 if it is too long."""
    cdef Py_ssize_t n = document.length, most, room = text.capacity
    cdef const void* source = document.characters
    most = n if document.is_ascii else n * (document.kind if document.kind == 4 else document.kind + 1)
    if most >= <Py_ssize_t>0xFFFFFFFF - PADDING:
        return TOO_LONG
    if (
        reserve(<void**>&text.bytes, &room, most + PADDING, 1) < 0
        or reserve(<void**>&text.inside, &text.capacity, most + PADDING, 1) < 0
    ):
        return -1
    if document.is_ascii:
        read_ascii(<const uint8_t*>source, text.bytes, text.inside, n, document.lower, rule.split)
    elif document.kind == 1:
        n = read_unicode(<const uint8_t*>source, text.bytes, text.inside, n, document.lower, rule)
    elif document.kind == 2:
        n = read_unicode(<const uint16_t*>source, text.bytes, text.inside, n, document.lower, rule)
    else:
        n = read_unicode(<const uint32_t*>source, text.bytes, text.inside, n, document.lower, rule)
    memset(text.inside + n, 0, PADDING)
    memset(text.bytes + n, 0, PADDING)
    text.length = n
    text.next = 0
    text.start = -1
    return 0


cdef inline uint64_t word_marks(const uint8_t* inside) noexcept nogil:
    """Pack 64 bytes of 0 and 1 into the bits of a word."""
    cdef uint64_t eight, word = 0
    cdef int k
    for k in range(8):
        memcpy(&eight, inside + 8 * k, 8)
        word |= ((eight * <uint64_t>0x0102040810204080) >> 56) << (8 * k)
    return word


cdef bint cut_words(Text* text, const Rule* rule, Cut* cut) noexcept nogil:
    """Cut the next words, at most a block; return False if none are left."""
    cdef uint64_t word, edges
    cdef Py_ssize_t length, edge, start = text.start, n = 0
    while text.next <= text.length and n <= BLOCK_WORDS - 32:  # 64 bytes hold no more than 32 words
        word = word_marks(text.inside + text.next)
        edges = word ^ ((word << 1) | (start >= 0))
        while edges:
            edge = text.next + lowest_bit(edges)
            edges &= edges - 1
            if start < 0:
                start = edge
                continue
            length = edge - start
            if rule.least == 1 or length > character_bytes(text.bytes[start]):
                cut.starts[n] = <uint32_t>start
                cut.lengths[n] = <uint32_t>length
                n += 1
            start = -1
        text.next += 64
    text.start = start
    cut.n = n
    return n > 0 or text.next <= text.length


cdef void free_text(Text* text) noexcept nogil:
    free(text.bytes)
    free(text.inside)
    memset(text, 0, sizeof(Text))


cdef class Batch:
    def __cinit__(self):
        self.texts = []
        self.documents = NULL

    def __dealloc__(self):
        free(self.documents)

    cdef int append(self, str text, bint lower) except -1:
        cdef Document* document
        if reserve(<void**>&self.documents, &self.capacity, self.n + 1, sizeof(Document)) < 0:
            raise MemoryError
        document = &self.documents[self.n]
        document.characters = PyUnicode_DATA(text)
        document.length = PyUnicode_GET_LENGTH(text)
        document.kind = PyUnicode_KIND(text)
        document.is_ascii = PyUnicode_IS_ASCII(text)
        document.lower = lower
        self.texts.append(text)
        self.n += 1
        self.n_characters += document.length
        return 0

    def parts(self, int n_parts):
        """Return the bounds of n_parts runs of documents of about equal length."""
        cdef Py_ssize_t k, seen = 0
        bounds = [0]
        for k in range(self.n):
            if seen * n_parts >= len(bounds) * self.n_characters and len(bounds) < n_parts:
                bounds.append(k)
            seen += self.documents[k].length
        return [*bounds, *[self.n] * (n_parts + 1 - len(bounds))]


def batches(documents, as_text, prepare, bint lower, Py_ssize_t size, bint composed=False):
    """Gather documents into batches of about `size` characters.

    Parameters
    ----------
    documents : iterable
    as_text : callable
        Makes a str of what is none, and of its row.
    prepare : callable or None
        Makes the str to be cut out of one that is not ASCII, lower-casing included; None lower-cases.
    lower : bool
    size : int
    composed : bool
        Put texts into Unicode's form NFC, for rules with `marks`.

    Yields
    ------
    Batch
    """
    cdef Batch batch = Batch()
    cdef str text
    cdef Py_ssize_t row
    for row, document in enumerate(documents):
        text = document if type(document) is str else as_text(document, row)
        if composed and PyUnicode_KIND(text) > 1:  # others are composed, and have no marks
            text = normalize("NFC", text)
            if not kinds[FIRST_MARK] & MARK:
                combining_marks()
        if PyUnicode_IS_ASCII(text):
            batch.append(text, lower)
        elif prepare is not None:
            batch.append(prepare(text), False)
        elif lower and PyUnicode_KIND(text) > 1 and ("\u0130" in text or "\u03a3" in text):
            batch.append(text.lower(), False)
        else:
            batch.append(text, lower)
        if batch.n_characters >= size or batch.n >= 1 << 16:
            yield batch
            batch = Batch()
    if batch.n:
        yield batch
