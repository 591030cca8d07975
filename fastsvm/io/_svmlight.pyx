"""Parses lines of the svmlight format of LIBSVM: `label index:value index:value # comment`."""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.math cimport isfinite
from libc.stdint cimport uint8_t, uint64_t

from ..solvers._types cimport int32_t, int64_t, real

cdef extern from *:
    """
    #include <float.h>
    #if LDBL_MANT_DIG >= 64
    #define LONG_DIGITS 1
    #else
    #define LONG_DIGITS 0
    #endif
    """
    const bint LONG_DIGITS  # whether a long double holds all of an uint64_t

cdef enum:
    LARGEST_POWER = 22  # of ten, that a double holds without rounding
    LARGEST_LONG = 27  # and a long double of 64 bits
    MOST_DIGITS = 19  # that an uint64_t holds

cdef enum:
    FINE, BAD_LABEL, BAD_INDEX, BAD_VALUE, NOT_INCREASING

WRONG = {
    BAD_LABEL: "the label is not a finite number",
    BAD_INDEX: "an index is not a whole number from {first} to {last}",
    BAD_VALUE: "an index without a finite number after its colon",
    NOT_INCREASING: "indices must increase",
}

cdef long double ROUNDING = 2.2e-19  # of a long double of 64 bits: twice its half unit in the last place
cdef double[LARGEST_POWER + 1] POWERS
cdef long double[LARGEST_LONG + 1] LONG_POWERS


cdef void fill_powers_of_ten() noexcept:
    cdef int k
    cdef long double power = 1
    for k in range(LARGEST_LONG + 1):
        LONG_POWERS[k] = power
        if k <= LARGEST_POWER:
            POWERS[k] = <double>power
        power *= 10


fill_powers_of_ten()


cdef inline bint is_space(uint8_t c) noexcept nogil:
    return c == 32 or c == 9 or c == 13 or c == 11 or c == 12


cdef inline bint is_digit(uint8_t c) noexcept nogil:
    return 48 <= c <= 57


cdef const uint8_t* slow_number(const uint8_t* p, const uint8_t* end, double* value) noexcept with gil:
    """Read a number with Python's own reader, which rounds every decimal correctly."""
    cdef const uint8_t* stop = p
    while stop < end and not is_space(stop[0]) and stop[0] != 10 and stop[0] != 35:
        stop += 1
    try:
        written = PyBytes_FromStringAndSize(<const char*>p, stop - p)
        if b"_" in written:  # Python has 1_000
            return NULL
        value[0] = float(written)
    except ValueError:
        return NULL
    return stop


cdef const uint8_t* number(const uint8_t* p, const uint8_t* end, double* value) noexcept nogil:
    """Read a number, rounded as Python rounds it; return its end, or NULL."""
    cdef const uint8_t* begin = p
    cdef uint64_t mantissa = 0
    cdef int digits = 0, exponent = 0, shift = 0
    cdef bint negative = False, seen = False, below = False
    cdef long double scaled
    if p < end and (p[0] == 45 or p[0] == 43):
        negative = p[0] == 45
        p += 1
    while p < end:
        if is_digit(p[0]):
            seen = True
            if mantissa or p[0] != 48:
                digits += 1
            if digits > MOST_DIGITS:
                return slow_number(begin, end, value)
            mantissa = mantissa * 10 + (p[0] - 48)
            exponent -= below
        elif p[0] == 46 and not below:
            below = True
        else:
            break
        p += 1
    if not seen:
        return slow_number(begin, end, value)  # such as nan, which `slow_number` refuses
    if p < end and (p[0] == 101 or p[0] == 69):
        p += 1
        below = p < end and p[0] == 45
        if p < end and (p[0] == 45 or p[0] == 43):
            p += 1
        if p == end or not is_digit(p[0]):
            return NULL
        while p < end and is_digit(p[0]):
            if shift < 10000:
                shift = shift * 10 + (p[0] - 48)
            p += 1
        exponent += -shift if below else shift
    if mantissa <= <uint64_t>1 << 53 and -LARGEST_POWER <= exponent <= LARGEST_POWER:
        # Both are exact, so one operation rounds correctly.
        value[0] = mantissa * POWERS[exponent] if exponent >= 0 else mantissa / POWERS[-exponent]
    elif LONG_DIGITS and -LARGEST_LONG <= exponent <= 0:
        # Rounded to 64 bits and then to 53: correct, unless it lies in the middle between two.
        scaled = <long double>mantissa / LONG_POWERS[-exponent]
        value[0] = <double>scaled
        if <double>(scaled - scaled * ROUNDING) != <double>(scaled + scaled * ROUNDING):
            return slow_number(begin, end, value)
    else:
        return slow_number(begin, end, value)
    if negative:
        value[0] = -value[0]
    return p


def parse(
    bytes text, double[::1] labels, int64_t[::1] ends, int32_t[::1] indices, real[::1] values,
    Py_ssize_t first_index, int64_t n_features, Py_ssize_t size,
):
    """Read whole lines.

    Parameters
    ----------
    text : bytes
        Each line ends with a line feed.
    labels, ends : of the rows: float64, and int64 places in `values`; room for one per line
    indices, values : room for one a colon; indices from 0
    first_index : 0 or 1, the number of the first column
    n_features : columns that there may be
    size : bytes of `text` to read

    Returns
    -------
    rows, lines : int
        The numbers that were read.
    largest : int
        The largest index; -1 if there is none.
    wrong : int
        0, or what is wrong with the next line, a key of `WRONG`.
    """
    cdef const uint8_t* p = <const uint8_t*><const char*>text
    cdef const uint8_t* end = p + size
    cdef const uint8_t* line
    cdef Py_ssize_t rows = 0, lines = 0, filled = 0
    cdef int64_t column, before, largest = -1
    cdef double value = 0
    cdef int wrong = FINE
    with nogil:
        while p < end:
            while p < end and is_space(p[0]):
                p += 1
            if p[0] != 10 and p[0] != 35:
                p = number(p, end, &value)
                if p == NULL or not isfinite(value) or not (is_space(p[0]) or p[0] == 10 or p[0] == 35):
                    wrong = BAD_LABEL
                    break
                labels[rows] = value
                before = -1
                while True:
                    while is_space(p[0]):
                        p += 1
                    if p[0] == 10 or p[0] == 35:
                        break
                    if p[0] == 113 and p[1] == 105 and p[2] == 100 and p[3] == 58:  # qid: is not a column
                        while not is_space(p[0]) and p[0] != 10:
                            p += 1
                        continue
                    column = 0
                    line = p
                    while is_digit(p[0]) and p - line < 11:
                        column = column * 10 + (p[0] - 48)
                        p += 1
                    column -= first_index
                    if p == line or p[0] != 58 or not 0 <= column < n_features:
                        wrong = BAD_INDEX
                        break
                    if column <= before:
                        wrong = NOT_INCREASING
                        break
                    p += 1
                    while is_space(p[0]):  # LIBLINEAR's files have "63: .5"
                        p += 1
                    p = number(p, end, &value)
                    if p == NULL or not (is_space(p[0]) or p[0] == 10 or p[0] == 35) or not isfinite(
                        <real>value
                    ):
                        wrong = BAD_VALUE
                        break
                    before = column
                    indices[filled] = <int32_t>column
                    values[filled] = <real>value
                    filled += 1
                if wrong:
                    break
                largest = max(largest, before)
                ends[rows] = filled
                rows += 1
            while p[0] != 10:
                p += 1
            p += 1
            lines += 1
    return rows, lines, largest, wrong
