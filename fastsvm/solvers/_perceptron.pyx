"""The perceptron, plain and averaged.

Looks for (w, b0) with y_i (w.x_i + b0) > 0 for all rows. On each row where this does not hold::

    w = w + c_i y_i x_i,    b0 = b0 + c_i y_i

The average of all t iterates is w - 1/t sum of (change of w) * (steps before it), in O(values of a row).

Sources: Rosenblatt, The perceptron, Psychol. Rev. 65 (1958). Freund & Schapire, Large margin classification
using the perceptron algorithm, Mach. Learn. 37 (1999), for averaging.
"""

import cython

from ._rows cimport Rows, axpy, columns_of, dot, prefetch_row, row_start, shift
from ._types cimport head, index, int8_t, int32_t, int64_t, real


@cython.final
cdef class PerceptronState:
    """The state of an epoch, changed in place.

    Parameters
    ----------
    fit_intercept : bool
    w : float64 of shape (n_columns,)
    averaging_correction : float64 of shape (n_columns,) or None
        The sum of each change of w times the number of earlier steps; the average is w minus 1/t of it.

    Attributes
    ----------
    t, mistakes : numbers of rows seen, and of those that changed w
    loss : the sum of c max(0, -y (w.x + b0)) of the rows as visited
    intercept, intercept_correction : the intercept, and its averaging correction
    """

    cdef bint fit_intercept
    cdef double[::1] w, averaging_correction
    cdef public double intercept, intercept_correction, loss
    cdef public int64_t t, mistakes

    def __init__(self, bint fit_intercept, w, averaging_correction=None):
        self.fit_intercept, self.w, self.averaging_correction = fit_intercept, w, averaging_correction


def run_epoch(
    Rows rows, const real[::1] values, const index[::1] columns, const int8_t[::1] signs,
    const double[::1] weights, const int32_t[::1] order, PerceptronState state,
):
    """Visit the rows of `order`, an epoch or a part of one: if y (w.x + b0) <= 0, w += c y x, b0 += c y."""
    cdef const real* x = head(values)
    cdef const index* j = columns_of(rows, columns)
    cdef const double* weight = head(weights)
    cdef double* w = <double*>head(state.w)
    cdef double* averaging_correction = <double*>head(state.averaging_correction)
    cdef double a, score
    cdef Py_ssize_t i, k, start, count, n_visits = order.shape[0]
    with nogil:
        for k in range(n_visits):
            prefetch_row(&rows.layout, x, j, &order[0], k, n_visits)
            i = order[k]
            start = row_start(&rows.layout, i)
            count = row_start(&rows.layout, i + 1) - start
            a = signs[i] if weight == NULL else signs[i] * weight[i]
            state.t += 1
            if a == 0:
                continue
            score = dot(x + start, shift(j, start), count, w) + state.intercept
            if signs[i] * score <= 0:
                state.mistakes += 1
                state.loss -= a * score
                axpy(a, x + start, shift(j, start), count, w)
                if state.fit_intercept:
                    state.intercept += a
                if averaging_correction != NULL:
                    axpy(a * (state.t - 1), x + start, shift(j, start), count, averaging_correction)
                    if state.fit_intercept:
                        state.intercept_correction += a * (state.t - 1)
