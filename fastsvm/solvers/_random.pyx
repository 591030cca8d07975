"""Orders in which rows are visited."""

import numpy as np

from ._random cimport draw64, draw_below, fisher_yates
from ._types cimport SHORT, head, int32_t, int64_t, uint64_t

cdef enum:
    BLOCK_ROWS = 8


def block_numbers(n_rows):
    """Return the numbers of the blocks that `shuffle_blocks` permutes."""
    return np.arange(-(-n_rows // BLOCK_ROWS), dtype=np.int32)


def shuffle(int32_t[::1] order, uint64_t[::1] state):
    """Permute `order` in place, uniformly."""
    cdef int32_t* items = <int32_t*>head(order)
    cdef uint64_t s = state[0]
    if order.shape[0] < SHORT:
        fisher_yates(items, order.shape[0], &s)
    else:
        with nogil:
            fisher_yates(items, order.shape[0], &s)
    state[0] = s


def shuffle_blocks(const int32_t[::1] rows, int32_t[::1] order, int32_t[::1] blocks, uint64_t[::1] state):
    """Fill `order` with a grouped permutation of `rows`, which is as long; None: of 0 ... n - 1.

    Blocks of BLOCK_ROWS adjacent rows are in random order, as are the rows of each block: reading them from
    memory is faster than in a full permutation.

    `blocks` holds the numbers 0 ... ceil(n / BLOCK_ROWS) - 1 in any order, and is shuffled too.
    """
    cdef int32_t* numbers = <int32_t*>head(blocks)
    cdef const int32_t* source = head(rows)
    cdef Py_ssize_t n = order.shape[0], i, k, size, first, filled = 0
    cdef uint64_t s = state[0]
    with nogil:
        fisher_yates(numbers, blocks.shape[0], &s)
        for k in range(blocks.shape[0]):
            first = <Py_ssize_t>blocks[k] * BLOCK_ROWS
            size = min(BLOCK_ROWS, n - first)
            for i in range(size):
                order[filled + i] = <int32_t>(first + i) if source == NULL else source[first + i]
            fisher_yates(&order[filled], size, &s)
            filled += size
    state[0] = s


def shuffle_windows(
    const int32_t[::1] rows, int32_t[::1] order, const int32_t[::1] segments, const int64_t[::1] bounds,
    const int64_t[::1] lasts, int64_t[::1] ends, uint64_t[::1] state,
):
    """Fill `order` with a permutation of `rows`, which is as long, within windows; None: of 0 ... n - 1.

    Segment s is rows[bounds[s]:bounds[s + 1]]. Window k has segments[lasts[k - 1]:lasts[k]], and the
    rows of each window are in random order. The ends of the windows in `order` are written to `ends`.
    """
    cdef const int32_t* source = head(rows)
    cdef int32_t* target = <int32_t*>head(order)
    cdef Py_ssize_t window, k = 0, i, filled = 0, begun
    cdef uint64_t s = state[0]
    with nogil:
        for window in range(lasts.shape[0]):
            begun = filled
            while k < lasts[window]:
                for i in range(bounds[segments[k]], bounds[segments[k] + 1]):
                    target[filled] = <int32_t>i if source == NULL else source[i]
                    filled += 1
                k += 1
            fisher_yates(target + begun, filled - begun, &s)
            ends[window] = filled
    state[0] = s


def draw_rows(int32_t[::1] order, uint64_t n_rows, uint64_t[::1] state):
    """Fill `order` with rows drawn uniformly, with replacement."""
    cdef Py_ssize_t k
    cdef uint64_t s = state[0]
    with nogil:
        for k in range(order.shape[0]):
            order[k] = <int32_t>draw_below(n_rows, &s)
    state[0] = s


def draw_batches(int32_t[::1] pool, int32_t[::1] order, Py_ssize_t batch_size, uint64_t[::1] state):
    """Fill `order` with batches, each of different rows of `pool` drawn anew; the last may be shorter.

    `pool` holds at least as many rows as a batch, in any order, and is partly shuffled.
    """
    cdef Py_ssize_t k, other, place
    cdef uint64_t s = state[0]
    with nogil:
        for k in range(order.shape[0]):
            place = k % batch_size
            other = place + <Py_ssize_t>draw_below(pool.shape[0] - place, &s)
            pool[place], pool[other] = pool[other], pool[place]
            order[k] = pool[place]
    state[0] = s


def draw_integer(uint64_t bound, uint64_t[::1] state):
    """Draw a uniform integer from 0 ... bound - 1."""
    cdef uint64_t s = state[0]
    cdef uint64_t mask = bound - 1, drawn
    for k in (1, 2, 4, 8, 16, 32):  # the smallest 2**k - 1 that is not below bound - 1
        mask |= mask >> k
    drawn = draw64(&s) & mask
    while drawn >= bound:
        drawn = draw64(&s) & mask
    state[0] = s
    return drawn
