"""The scores w.x_i of all rows, and the loss as a function of the intercept."""

import numpy as np

from ._losses cimport Loss, loss_value, minus_slope
from ._rows cimport Rows, columns_of, dot, row_start, shift
from ._rows import map_chunks
from ._types cimport head, index, int8_t, int32_t, real


def _scores(
    Rows rows, const real[::1] values, const index[::1] columns, const double[::1] w,
    const int32_t[::1] which, double[::1] out, Py_ssize_t first, Py_ssize_t last,
):
    cdef const real* x = head(values)
    cdef const index* j = columns_of(rows, columns)
    cdef const double* v = head(w)
    cdef const int32_t* numbers = head(which)
    cdef Py_ssize_t k, i, start
    with nogil:
        for k in range(first, last):
            i = k if numbers == NULL else numbers[k]
            start = row_start(&rows.layout, i)
            out[k] = dot(x + start, shift(j, start), row_start(&rows.layout, i + 1) - start, v)


def scores_of(Rows rows, w, threads=1):
    """Return w.x_i, float64 of shape (n_rows,), in one pass."""
    out = np.empty(rows.n_rows)
    map_chunks(rows, lambda *part: _scores(*rows.matrix, w, None, out, *part), threads)
    return out


def scores_at(Rows rows, w, which):
    """Return w.x_i for the rows with the int32 numbers `which`."""
    out, step = np.empty(len(which)), rows.chunk_rows()
    for first in range(0, len(which), step):
        last = min(first + step, len(which))
        _scores(*rows.matrix, w, which, out, first, last)
        rows.release()
    return out


def loss_and_slope(
    const double[::1] scores, const int8_t[::1] signs, const double[::1] weights, double intercept, Loss loss
):
    """sum_i c_i phi(y_i (s_i + intercept)) and its derivative by the intercept; one-sided at a kink."""
    cdef const double* weight = head(weights)
    cdef Py_ssize_t i
    cdef double m, c = 1, total = 0, slope = 0
    with nogil:
        for i in range(scores.shape[0]):
            if weight != NULL:
                c = weight[i]
            m = signs[i] * (scores[i] + intercept)
            total += c * loss_value(loss, m)
            slope -= c * signs[i] * minus_slope(loss, m)
    return total, slope
