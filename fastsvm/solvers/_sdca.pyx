"""SDCA: one dual coordinate at a time, maximised exactly (Shalev-Shwartz & Zhang 2013; Hsieh et al. 2008)."""

import cython

from ._losses cimport dual_step
from ._rows cimport Rows, axpy, dot, prefetch_row, row_start, shift
from ._types cimport head, index, int8_t, int32_t, real


@cython.final
cdef class State:
    """What an epoch reads and changes in place.

    Parameters
    ----------
    loss : int
    rate : 1 / (alpha n)
    bias_rate : the same for the intercept's own proximal term; 0 for no intercept
    w, dual, squared_norms : float64 arrays
    lag : float64 of shape (n_rows,) or None
        Per row, the dual mass times the number of averaged steps it was missing from.

    Attributes
    ----------
    bias : the intercept
    averaged : steps since averaging began
    seen : rows seen by the modified-SGD epoch; -1 outside it
    """

    cdef int loss
    cdef double rate, bias_rate
    cdef double[::1] w, dual, lag
    cdef const double[::1] squared_norms
    cdef public double bias
    cdef public Py_ssize_t averaged, seen

    def __init__(self, int loss, double rate, double bias_rate, w, dual, squared_norms, lag=None):
        self.loss, self.rate, self.bias_rate = loss, rate, bias_rate
        self.w, self.dual, self.squared_norms, self.lag = w, dual, squared_norms, lag
        self.seen = -1


def visit(
    Rows rows, const real[::1] values, const index[::1] columns, const int8_t[::1] signs,
    const double[::1] weights, const int32_t[::1] order, State state,
):
    """Take the coordinate step on the rows of `order`, one after the other.

    In the modified-SGD epoch (`state.seen` >= 0) the t-th row is treated as the last of a problem of
    t rows: w_t = w n / t, and 1 / (alpha t) stands for 1 / (alpha n).
    """
    cdef const real* x = head(values)
    cdef const index* j = head(columns)
    cdef const double* weight = head(weights)
    cdef double* w = <double*>head(state.w)
    cdef double* lag = <double*>head(state.lag)
    cdef double n = rows.n_rows
    cdef double c = 1, m, q, b, change
    cdef Py_ssize_t i, k, start, count, n_visits = order.shape[0]
    with nogil:
        for k in range(n_visits):
            prefetch_row(&rows.layout, x, j, &order[0], k, n_visits)
            i = order[k]
            if lag != NULL:
                state.averaged += 1
            if state.seen >= 0:
                state.seen += 1
            if weight != NULL:
                c = weight[i]
                if c == 0:
                    continue
            start = row_start(&rows.layout, i)
            count = row_start(&rows.layout, i + 1) - start
            m = signs[i] * (dot(x + start, shift(j, start), count, w) + state.bias)
            q = state.rate * state.squared_norms[i] + state.bias_rate
            if state.seen > 0:
                m = m * n / (state.seen - 1) if state.seen > 1 else 0
                q *= n / state.seen
            b = dual_step(state.loss, m, state.dual[i], q, c)
            change = b - state.dual[i]
            if change != 0:
                state.dual[i] = b
                axpy(state.rate * change * signs[i], x + start, shift(j, start), count, w)
                state.bias += state.bias_rate * change * signs[i]
                if lag != NULL:
                    lag[i] += change * (state.averaged - 1)
