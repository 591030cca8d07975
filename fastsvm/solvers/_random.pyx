"""Orders in which rows are visited."""

from ._random cimport draw64, draw_below
from ._types cimport int32_t, uint64_t


def shuffle(int32_t[::1] order, uint64_t[::1] state):
    """Permute `order` in place, uniformly (Fisher-Yates)."""
    cdef Py_ssize_t k, other
    cdef uint64_t s = state[0]
    with nogil:
        for k in range(order.shape[0] - 1, 0, -1):
            other = <Py_ssize_t>draw_below(k + 1, &s)
            order[k], order[other] = order[other], order[k]
    state[0] = s


def draw_rows(int32_t[::1] order, uint64_t n_rows, uint64_t[::1] state):
    """Fill `order` with rows drawn uniformly, with replacement."""
    cdef Py_ssize_t k
    cdef uint64_t s = state[0]
    with nogil:
        for k in range(order.shape[0]):
            order[k] = <int32_t>draw_below(n_rows, &s)
    state[0] = s


def draw_integer(uint64_t bound, uint64_t[::1] state):
    """One uniform integer on 0 ... bound - 1."""
    cdef uint64_t s = state[0]
    cdef uint64_t mask = bound - 1, drawn
    for k in (1, 2, 4, 8, 16, 32):  # the smallest 2**k - 1 that is not below bound - 1
        mask |= mask >> k
    drawn = draw64(&s) & mask
    while drawn >= bound:
        drawn = draw64(&s) & mask
    state[0] = s
    return drawn
