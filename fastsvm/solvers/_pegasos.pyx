"""Pegasos: stochastic sub-gradient steps.

Minimises P(w, b0) = alpha/2 ||w||^2 + 1/n sum_i c_i phi(m_i), m_i = y_i (w.x_i + b0).
For t = 1, 2, ... with a batch A of k rows, eta = 1 / (alpha t) and g_i = c_i (-phi'(m_i))::

    w  = (1 - eta alpha) w + eta/k sum_{i in A} g_i y_i x_i
    b0 = b0 + min(eta, 1/sqrt(t))/k sum_{i in A} g_i y_i     or with steps of eta
    w  = min(1, r / ||w||) w           if projected: the ball of radius r contains the optimum

After t steps w is w(b) = 1/(alpha n) sum_i b_i y_i x_i, b_i = n/(k t) times the sum of the g_i so far. A step
costs O(values of A), since w = scale * v. The average of iterates is a combination of v and another vector.

Source: Shalev-Shwartz, Singer, Srebro & Cotter, Pegasos: primal estimated sub-gradient solver for SVM, Math.
Program. 127 (2011), fig. 1 and 2, sec. 4 (losses) and 6 (intercept).
"""

import cython

from libc.math cimport sqrt

from ._losses cimport Loss, loss_value, minus_slope
from ._rows cimport Rows, axpy, axpy_growth, columns_of, dot, prefetch_row, row_start, shift
from ._types cimport head, index, int8_t, int32_t, int64_t, real


@cython.final
cdef class PegasosState:
    """w = scale * v, so that shrinking w costs nothing; changed in place.

    Parameters
    ----------
    loss : `Loss.struct`
    alpha, radius (0: no projection), fit_intercept
    same_step : whether the intercept takes steps as long as w's
    v : float64 of shape (n_columns,)
    slopes : float64 of shape (batch_size,), scratch: c_i (-phi'(m_i))
    scaled_dual : float64 of shape (n_rows,)
        v = sum_i scaled_dual_i y_i x_i: the dual variables in v's units.
    tail : float64 of shape (n_columns,) or None
        The averaged iterates sum to mass * v + tail.

    Attributes
    ----------
    t : steps taken
    earlier : steps before, which shorten those here: the t-th has length 1 / (alpha (earlier + t))
    scale, intercept : w = scale * v and the intercept
    squared_norm : ||v||^2, kept only when projecting
    averaging, growing : whether iterates are averaged, and whether the t-th has the weight t, not 1
    averaged, mass, intercept_sum : the sums of the weights, weighted scales and weighted intercepts so far
    watched, met : whether to sum the weighted losses of the rows as visited, and their sum
    """

    cdef Loss loss
    cdef double alpha, radius
    cdef bint fit_intercept, same_step
    cdef double[::1] v, slopes, scaled_dual, tail
    cdef public double scale, intercept, squared_norm, mass, intercept_sum, averaged, earlier, met
    cdef public int64_t t
    cdef public bint averaging, growing, watched

    def __init__(
        self, Loss loss, double alpha, double radius, bint fit_intercept, bint same_step, v, slopes,
        scaled_dual, tail=None,
    ):
        self.same_step = same_step
        self.loss, self.alpha, self.radius, self.fit_intercept = loss, alpha, radius, fit_intercept
        self.v, self.slopes, self.scaled_dual, self.tail = v, slopes, scaled_dual, tail
        self.scale = 1


cdef void fold_scale(PegasosState state) noexcept nogil:
    """Fold the scale into v, and the average so far into the tail."""
    cdef Py_ssize_t k
    if state.mass > 0:
        for k in range(state.v.shape[0]):
            state.tail[k] += state.mass * state.v[k]
        state.mass = 0
    for k in range(state.v.shape[0]):
        state.v[k] *= state.scale
    for k in range(state.scaled_dual.shape[0]):
        state.scaled_dual[k] *= state.scale
    state.squared_norm *= state.scale * state.scale
    state.scale = 1


def run_epoch(
    Rows rows, const real[::1] values, const index[::1] columns, const int8_t[::1] signs,
    const double[::1] weights, const int32_t[::1] order, PegasosState state,
):
    """Take a step per batch of `order`, which is an epoch or a part of one."""
    cdef const real* x = head(values)
    cdef const index* j = columns_of(rows, columns)
    cdef const double* weight = head(weights)
    cdef double* v = <double*>head(state.v)
    cdef double* scaled_dual = &state.scaled_dual[0]
    cdef double* tail = <double*>head(state.tail)
    cdef double* slopes = &state.slopes[0]
    cdef double m, step, a, norm, share, t
    cdef Py_ssize_t first = 0, n = order.shape[0], size, i, k, start, count
    with nogil:
        while first < n:
            size = min(state.slopes.shape[0], n - first)
            for k in range(first, first + size):
                prefetch_row(&rows.layout, x, j, &order[0], k, n)
                i = order[k]
                start = row_start(&rows.layout, i)
                count = row_start(&rows.layout, i + 1) - start
                m = state.scale * dot(x + start, shift(j, start), count, v) + state.intercept
                slopes[k - first] = minus_slope(state.loss, signs[i] * m)
                if state.watched:
                    state.met += loss_value(state.loss, signs[i] * m) * (1 if weight == NULL else weight[i])
                if weight != NULL:
                    slopes[k - first] *= weight[i]
            state.t += 1
            t = state.earlier + state.t
            if t > 1:  # at t = 1 the factor is 0, and w was 0 already
                state.scale *= (t - 1) / t
            for k in range(first, first + size):
                if slopes[k - first] == 0:
                    continue
                i = order[k]
                start = row_start(&rows.layout, i)
                count = row_start(&rows.layout, i + 1) - start
                step = slopes[k - first] / (state.alpha * t * size)  # eta / k times the slope
                if state.same_step:
                    state.intercept += step * signs[i]
                elif state.fit_intercept:
                    state.intercept += min(step, slopes[k - first] / (sqrt(t) * size)) * signs[i]
                step /= state.scale
                a = step * signs[i]
                if state.radius > 0:
                    state.squared_norm += axpy_growth(a, x + start, shift(j, start), count, v)
                else:
                    axpy(a, x + start, shift(j, start), count, v)
                if state.mass > 0:  # the iterates averaged so far do not have this change
                    axpy(-state.mass * a, x + start, shift(j, start), count, tail)
                scaled_dual[i] += step
            if state.radius > 0:
                norm = state.scale * sqrt(state.squared_norm) if state.squared_norm > 0 else 0
                if norm > state.radius:
                    state.scale *= state.radius / norm
            # Projections may shrink w so fast that the scale underflows, or that the average loses its digits
            # in the difference of mass * v and tail.
            if state.scale < 1e-100 or state.mass > 1e3 * state.averaged * state.scale:
                fold_scale(state)
            if state.averaging:
                share = state.t if state.growing else 1
                state.averaged += share
                state.mass += share * state.scale
                state.intercept_sum += share * state.intercept
            first += size
