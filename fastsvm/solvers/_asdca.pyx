"""ASDCA: mini-batch steps on the dual variables, with momentum.

Minimises P(w, b0) = alpha/2 ||w||^2 + 1/n sum_i c_i phi(y_i (w.x_i + b0)), phi with a continuous slope, and
maximises the dual::

    D(b) = 1/n sum_i c_i psi(b_i / c_i) - alpha/2 ||w(b)||^2,    w(b) = 1/(alpha n) sum_i b_i y_i x_i

A step on a batch A of m rows, theta in (0, 1]::

    u   = (1 - theta) w + theta w(b)
    b_i = (1 - theta) b_i + theta c_i (-phi'(y_i u.x_i))   for i in A
    w   = (1 - theta) w + theta w(b)                       with the new b

A step costs O(values of A), since w and w(b) are combinations of two vectors (`ASDCAState`). The theta with a
proof is in `asdca_theta`. The intercept is found as in SDCA, by a constant column and proximal steps.

Sources: Shalev-Shwartz & Zhang, Accelerated mini-batch stochastic dual coordinate ascent, NIPS 2013.
"""

import cython

from ._losses cimport Loss, minus_slope
from ._rows cimport Rows, axpy, columns_of, prefetch_row, row_start, shift
from ._types cimport head, index, int8_t, int32_t, int64_t, real

cdef double FLOOR = 1e-200  # the smallest scale


@cython.final
cdef class ASDCAState:
    """The two vectors of ASDCA, w(b) = v and w = v + scale * z, and the dual variables; changed in place.

    A change of b moves v. w takes a share theta of this change, and moves towards v by a share theta of the
    distance: these are a change of z in the same columns, and a change of the scale.

    Parameters
    ----------
    loss : `Loss.struct`
    theta
    rate : 1 / (alpha n)
    intercept_step : the same for the intercept's own proximal term; 0 for no intercept
    pairs : float64 of shape (2 * n_columns,)
        v and z, interleaved, since they are read together.
    dual : float64 of shape (n_rows,)
    changes : float64 of shape (batch_size,), scratch
    tail : float64 of shape (n_columns,) or None
        The sum of the v after each averaged step is averaged * v + tail.

    Attributes
    ----------
    scale : of z
    intercept, intercept_z : v and z of the intercept
    averaging : whether iterates are being averaged
    averaged, intercept_sum : the number of averaged iterates, and the sum of their intercepts
    """

    cdef Loss loss
    cdef double rate, intercept_step, theta
    cdef double[::1] pairs, dual, changes, tail
    cdef public double scale, intercept, intercept_z, intercept_sum
    cdef public int64_t averaged
    cdef public bint averaging

    def __init__(
        self, Loss loss, double theta, double rate, double intercept_step, pairs, dual, changes, tail=None,
    ):
        self.loss, self.theta, self.rate, self.intercept_step = loss, theta, rate, intercept_step
        self.pairs, self.dual, self.changes, self.tail = pairs, dual, changes, tail
        self.scale = 1

cdef void shrink(ASDCAState state) noexcept nogil:
    """Move w towards v; fold the scale into z before it underflows."""
    cdef Py_ssize_t k
    if state.theta == 1:  # w is v, and z stays 0
        return
    state.scale *= 1 - state.theta
    if state.scale < FLOOR:
        for k in range(1, state.pairs.shape[0], 2):
            state.pairs[k] *= state.scale
        state.intercept_z *= state.scale
        state.scale = 1


cdef inline double dot_pairs(
    double scale, const real* x, const index* j, Py_ssize_t n, const double* pairs
) noexcept nogil:
    """(v + scale * z) . x"""
    cdef double on_v = 0, on_z = 0
    cdef const double* at
    cdef Py_ssize_t k
    for k in range(n):
        at = pairs + 2 * (j[k] if j != NULL else k)
        on_v += x[k] * at[0]
        on_z += x[k] * at[1]
    return on_v + scale * on_z


cdef inline void axpy_pairs(
    double a, double b, const real* x, const index* j, Py_ssize_t n, double* pairs
) noexcept nogil:
    """v += a x, z += b x."""
    cdef double* at
    cdef Py_ssize_t k
    for k in range(n):
        at = pairs + 2 * (j[k] if j != NULL else k)
        at[0] += a * x[k]
        at[1] += b * x[k]


def run_epoch(
    Rows rows, const real[::1] values, const index[::1] columns, const int8_t[::1] signs,
    const double[::1] weights, const int32_t[::1] order, ASDCAState state,
):
    """Take a step per batch of `order`, which is an epoch or a part of one."""
    cdef const real* x = head(values)
    cdef const index* j = columns_of(rows, columns)
    cdef const double* weight = head(weights)
    cdef double* pairs = &state.pairs[0]
    cdef double* changes = &state.changes[0]
    cdef double scale, intercept, goal, share, a
    cdef Py_ssize_t first = 0, n = order.shape[0], size, i, k, start, count
    with nogil:
        while first < n:
            size = min(state.changes.shape[0], n - first)
            scale = (1 - state.theta) * state.scale  # u = v + scale * z
            intercept = state.intercept + scale * state.intercept_z
            for k in range(size):
                prefetch_row(&rows.layout, x, j, &order[first], k, n - first)
                i = order[first + k]
                changes[k] = 0
                if weight != NULL and weight[i] == 0:
                    continue
                start = row_start(&rows.layout, i)
                count = row_start(&rows.layout, i + 1) - start
                goal = dot_pairs(scale, x + start, shift(j, start), count, pairs)
                goal = minus_slope(state.loss, signs[i] * (goal + intercept))
                if weight != NULL:
                    goal *= weight[i]
                changes[k] = state.theta * (goal - state.dual[i])
                state.dual[i] += changes[k]
            share = -1 / state.scale if state.theta < 1 else 0  # of z in a change of v
            for k in range(size):
                if changes[k] == 0:
                    continue
                i = order[first + k]
                a = changes[k] * signs[i]
                state.intercept += state.intercept_step * a
                state.intercept_z += share * state.intercept_step * a
                a *= state.rate
                start = row_start(&rows.layout, i)
                count = row_start(&rows.layout, i + 1) - start
                axpy_pairs(a, share * a, x + start, shift(j, start), count, pairs)
                if state.averaged > 0:  # the iterates averaged so far do not have this change
                    axpy(-state.averaged * a, x + start, shift(j, start), count, &state.tail[0])
            shrink(state)
            if state.averaging:
                state.averaged += 1
                state.intercept_sum += state.intercept + state.scale * state.intercept_z
            first += size
