"""The l1 penalty: passes over the columns of X.

With the penalty a1 ||w||_1 + a2/2 ||w||^2, and b_i = c_i (-phi'(m_i)), v_j = 1/n sum_i b_i y_i x_ij, an
optimum has |v_j - a2 w_j| <= a1, with equality where w_j is not 0.

A Newton step p minimises, on a working set of columns, the penalty at w + p and the model of the loss::

    -v.p + 1/2 p.(H - t t^T / s) p,    H = 1/n sum_i h_i x_i x_i^T,  t = 1/n sum_i h_i x_i,  s = 1/n sum_i h_i

The last term is what the best change of the intercept, (1/n sum_i b_i y_i - t.p) / s, takes off. It does so
column by column: from z = w_j + p_j to soft(c z + g, a1) / (c + a2), of curvature c and negative gradient g.
"""

import cython
import numpy as np

from libc.math cimport fabs, sqrt

from ._losses cimport LOG, Loss
from ._rows cimport Rows, axpy, columns_of, dot, row_start, shift
from ._simd cimport clip_terms, log_terms
from ._types cimport head, index, int8_t, int32_t, int64_t, real


cdef enum:
    BLOCK_ROWS = 256  # rows whose terms are on the stack at a time
    PANEL = 64  # rows that are copied to dense columns at a time


# X to columns.


def add_signed_sums(
    Rows rows, const real[::1] values, const index[::1] columns, const int8_t[::1] signs,
    const double[::1] weights, double[:, ::1] sums, Py_ssize_t first, Py_ssize_t last,
):
    """Add c_i |x_ij| to `sums` of the column: in the first place where y_i x_ij > 0, else in the second."""
    cdef const real* x = head(values)
    cdef const index* j = columns_of(rows, columns)
    cdef const double* weight = head(weights)
    cdef Py_ssize_t i, k, start, stop
    cdef double a
    with nogil:
        for i in range(first, last):
            start, stop = row_start(&rows.layout, i), row_start(&rows.layout, i + 1)
            a = signs[i] if weight == NULL else signs[i] * weight[i]
            for k in range(start, stop):
                sums[j[k] if j != NULL else k - start, a * x[k] < 0] += fabs(a * x[k])


def count_columns(
    Rows rows, const real[::1] values, const index[::1] columns, const int32_t[::1] place,
    int64_t[::1] counts, Py_ssize_t first, Py_ssize_t last,
):
    """Add the numbers of values of the columns whose `place` is not negative to `counts`, at that place."""
    cdef Py_ssize_t k
    with nogil:
        for k in range(row_start(&rows.layout, first), row_start(&rows.layout, last)):
            if place[columns[k]] >= 0:
                counts[place[columns[k]]] += 1


def fill_columns(
    Rows rows, const real[::1] values, const index[::1] columns, const int32_t[::1] place,
    const int64_t[::1] starts, int64_t[::1] stops, real[::1] x, int32_t[::1] row,
    Py_ssize_t first, Py_ssize_t last,
):
    """Append the rows' values to the columns that have a `place`, which end at `stops`; add repeated ones."""
    cdef Py_ssize_t i, k, at
    cdef int64_t end
    with nogil:
        for i in range(first, last):
            for k in range(row_start(&rows.layout, i), row_start(&rows.layout, i + 1)):
                at = place[columns[k]]
                if at < 0:
                    continue
                end = stops[at]
                if end > starts[at] and row[end - 1] == i:
                    x[end - 1] += values[k]
                else:
                    x[end], row[end], stops[at] = values[k], i, end + 1


def copy_columns(
    Rows rows, const real[::1] values, const int32_t[::1] which, real[::1] x,
    Py_ssize_t first, Py_ssize_t last,
):
    """Copy these columns of dense rows, one after the other."""
    cdef Py_ssize_t i, k, bottom, n = rows.n_rows, d = rows.n_columns
    with nogil:
        while first < last:
            bottom = min(first + PANEL, last)
            for k in range(which.shape[0]):
                for i in range(first, bottom):
                    x[k * n + i] = values[i * d + which[k]]
            first = bottom


def column_sizes(
    const real[::1] values, const int64_t[::1] starts, const int64_t[::1] stops, double[::1] norms,
    double[::1] largest,
):
    """Write ||x_j|| and max_i |x_ij| of all columns."""
    cdef Py_ssize_t j, k
    cdef double square, most
    with nogil:
        for j in range(starts.shape[0]):
            square = most = 0
            for k in range(starts[j], stops[j]):
                square += <double>values[k] * values[k]
                most = max(most, fabs(values[k]))
            norms[j], largest[j] = sqrt(square), most


# The loss of all rows.


def look(
    Loss loss, const double[::1] scores, const double[::1] signs, double intercept,
    const double[::1] weights, double[::1] pull, double[::1] bend,
):
    """At the margins `scores` + y_i intercept write y_i b_i to `pull` and h_i = c_i phi''(m_i) to `bend`.

    Returns the sums of c_i phi(m_i), of b_i over the rows of sign +1 and of -1, and of h_i.
    """
    cdef const double* c = head(weights)
    cdef double[BLOCK_ROWS] value, b, none
    cdef double total = 0, positive = 0, negative = 0, bent = 0, weight = 1
    cdef Py_ssize_t i, k, first = 0, count, n = scores.shape[0]
    with nogil:
        for k in range(BLOCK_ROWS):
            none[k] = 0
        while first < n:
            count = min(n - first, <Py_ssize_t>BLOCK_ROWS)
            if loss.code == LOG:
                log_terms(&scores[first], intercept, &signs[first], count, value, b, &bend[first])
            else:
                clip_terms(
                    &scores[first], intercept, &signs[first], none, NULL, count, 2, 1, loss.upper, b,
                    &bend[first],
                )
                for k in range(count):
                    value[k] = b[k] * b[k] / 4
            for k in range(count):
                i = first + k
                if c != NULL:
                    weight = c[i]
                    value[k], b[k], bend[i] = weight * value[k], weight * b[k], weight * bend[i]
                total += value[k]
                bent += bend[i]
                pull[i] = signs[i] * b[k]
                if signs[i] > 0:
                    positive += b[k]
                else:
                    negative += b[k]
            first += count
    return total, positive, negative, bent


# Products of columns.


def column_products(
    const real[::1] values, const int32_t[::1] rows, const int64_t[::1] starts, const int64_t[::1] stops,
    const int32_t[::1] which, const double[::1] vector, double factor, double[::1] out,
):
    """Write x_j . vector, times `factor`, to `out`, for the columns in `which`."""
    cdef const real* x = head(values)
    cdef const int32_t* row = head(rows)
    cdef Py_ssize_t j, k
    with nogil:
        for k in range(which.shape[0]):
            j = which[k]
            out[k] = factor * dot(x + starts[j], shift(row, starts[j]), stops[j] - starts[j], &vector[0])


def add_columns(
    const real[::1] values, const int32_t[::1] rows, const int64_t[::1] starts, const int64_t[::1] stops,
    const int32_t[::1] which, const double[::1] factors, double[::1] out,
):
    """Add the columns in `which`, times `factors`, to `out`."""
    cdef const real* x = head(values)
    cdef const int32_t* row = head(rows)
    cdef Py_ssize_t j, k
    with nogil:
        for k in range(which.shape[0]):
            j = which[k]
            if factors[k] != 0:
                axpy(factors[k], x + starts[j], shift(row, starts[j]), stops[j] - starts[j], &out[0])


# The model of a Newton step.


@cython.final
cdef class Model:
    """The model of the objective on a working set, and the step that minimises it.

    Parameters
    ----------
    starts, stops : int64 arrays, where the set's columns begin and end
    weights, limits : float64 arrays, w_j, and how far from it a step may end
    rest : float64 array of shape (n_rows,), y_i b_i, from which steps take h_i p.x_i: it is changed
    bend : float64 array of shape (n_rows,), h_i
    imbalance, s : 1/n sum_i y_i b_i, and s; both 0 where there is no intercept
    a1, a2 : of the penalty

    Attributes
    ----------
    step, slope, curvature, tilt : float64 arrays, p, v, c and t; `slope` is without the intercept's part
    gradient : float64 array, the model's negative gradient at `step`, if there is a `gram`
    shift : the change of the intercept
    gain : by how much the steps have lowered the model
    """

    cdef readonly object starts, stops, weights, limits, rest, bend
    cdef readonly object step, slope, curvature, tilt, gradient, gram
    cdef readonly double imbalance, s, a1, a2
    cdef public double shift, gain
    cdef Py_ssize_t count, n
    cdef const int64_t* start  # the arrays above, for loops without the GIL
    cdef const int64_t* stop
    cdef const double* w
    cdef const double* limit
    cdef const double* h
    cdef double* r
    cdef double* p
    cdef double* v
    cdef double* c
    cdef double* t
    cdef double* g
    cdef const double* G

    def __init__(self, starts, stops, weights, limits, rest, bend, imbalance, s, a1, a2):
        cdef const int64_t[::1] first = starts, last = stops
        self.starts, self.stops, self.weights, self.limits = starts, stops, weights, limits
        self.rest, self.bend, self.gram = rest, bend, None
        self.step, self.slope, self.curvature, self.tilt, self.gradient = np.zeros((5, len(weights)))
        self.count, self.n = len(weights), len(rest)
        self.start, self.stop, self.G = head(first), head(last), NULL
        self.w, self.limit = start_of(weights), start_of(limits)
        self.r, self.h = start_of(rest), start_of(bend)
        self.p, self.v, self.c = start_of(self.step), start_of(self.slope), start_of(self.curvature)
        self.t, self.g = start_of(self.tilt), start_of(self.gradient)
        self.imbalance, self.s, self.a1, self.a2 = imbalance, s, a1, a2
        self.shift, self.gain = imbalance / s if s else 0.0, 0.0

    def use_gram(self, const double[:, ::1] gram):
        """Take H - t t^T / s, where `slope` and `tilt` are there: no pass over rows is needed any more."""
        self.gram, self.G = gram, &gram[0, 0]
        self.gradient[:] = self.slope
        self.curvature[:] = np.diagonal(gram)


cdef double* start_of(double[::1] array):
    return <double*>head(array)


cdef inline double violation(double g, double z, double a1, double a2) noexcept nogil:
    """How far a negative gradient is from what the penalty allows at z."""
    if z == 0:
        return max(0.0, fabs(g) - a1)
    return fabs(g - a2 * z - (a1 if z > 0 else -a1))


cdef inline double soft(double a, double a1) noexcept nogil:
    """a, by a1 nearer to 0."""
    return a - a1 if a > a1 else (a + a1 if a < -a1 else 0)


def largest_violation(const double[::1] v, const double[::1] w, double a1, double a2):
    """How far v is from what the penalty allows, at most."""
    cdef double most = 0
    cdef Py_ssize_t j
    with nogil:
        for j in range(v.shape[0]):
            most = max(most, violation(v[j], w[j], a1, a2))
    return most


def fill_model(Model model, const real[::1] values, const int32_t[::1] rows):
    """Fill slope, curvature and tilt."""
    cdef const real* x = head(values)
    cdef const int32_t* row = head(rows)
    cdef double v, c, t, a
    cdef Py_ssize_t i, j, k
    with nogil:
        for j in range(model.count):
            v = c = t = 0
            for k in range(model.start[j], model.stop[j]):
                i = row[k] if row != NULL else k - model.start[j]
                a = model.h[i] * x[k]
                v += model.r[i] * x[k]
                t += a
                c += a * x[k]
            v, c, t = v / model.n, c / model.n, t / model.n
            if model.s > 0:
                model.t[j] = t
                c -= t * t / model.s
            model.c[j] = max(c, 0.0)
            model.v[j] = v - model.shift * t if model.s > 0 else v


def sweep(
    Model model, const real[::1] values, const int32_t[::1] rows, bint everything, double enough,
    double[:, ::1] steps,
):
    """Minimise the model over one column after the other, some times over.

    Parameters
    ----------
    model, values, rows
    everything : visit all columns, not only those whose weight is not 0
    enough : stop once the largest violation that a sweep met is this or less
    steps : the step after each sweep is written there: a line for each, as many as there are sweeps at most

    Returns
    -------
    (largest violation that the last sweep met, number of sweeps)
    """
    cdef const real* x = head(values)
    cdef const int32_t* row = head(rows)
    cdef double most = 0
    cdef Py_ssize_t j, count = 0
    with nogil:
        while count < steps.shape[0]:
            most = 0
            for j in range(model.count):
                if everything or model.w[j] + model.p[j] != 0:
                    most = max(most, visit(model, x, row, j))
            for j in range(model.count):
                steps[count, j] = model.p[j]
            count += 1
            if most <= enough:
                break
    return most, count


cdef double visit(Model model, const real* x, const int32_t* row, Py_ssize_t j) noexcept nogil:
    """Minimise over one column; return the violation that was met."""
    cdef Py_ssize_t start = model.start[j]
    cdef double g, z, c = model.c[j], low, high, new, met
    if model.G != NULL:
        g = model.g[j]
    else:
        g = dot(x + start, shift(row, start), model.stop[j] - start, model.r) / model.n
        g -= model.shift * model.t[j]
    z = model.w[j] + model.p[j]
    met = violation(g, z, model.a1, model.a2)
    if met == 0:
        return 0
    new = soft(c * z + g, model.a1) / (c + model.a2) if c + model.a2 > 0 else 0
    low, high = model.w[j] - model.limit[j], model.w[j] + model.limit[j]
    new = low if new < low else (high if new > high else new)
    if new == z:
        return 0  # as far as it may go
    model.gain += (new - z) * (g - 0.5 * c * (new - z))
    model.gain += model.a1 * (fabs(z) - fabs(new)) + 0.5 * model.a2 * (z * z - new * new)
    model.p[j] = new - model.w[j]
    move(model, x, row, j, new - z)
    return met


cdef void move(Model model, const real* x, const int32_t* row, Py_ssize_t j, double a) noexcept nogil:
    """Tell the gradient of a change of p_j."""
    cdef const double* line
    cdef Py_ssize_t i, k, start = model.start[j], count = model.stop[j] - start
    if model.s > 0:
        model.shift -= a * model.t[j] / model.s
    if model.G != NULL:
        line = model.G + j * model.count
        for k in range(model.count):
            model.g[k] -= a * line[k]
    elif row == NULL:
        for i in range(count):
            model.r[i] -= a * model.h[i] * x[start + i]
    else:
        for k in range(start, start + count):
            model.r[row[k]] -= a * model.h[row[k]] * x[k]


def sparse_gram(
    Model model, const real[::1] values, const int32_t[::1] rows, int64_t[::1] offsets, int32_t[::1] column,
    real[::1] x, double[:, ::1] gram,
):
    """Write 1/n sum_i h_i x_i x_i^T to `gram`.

    `offsets`, `column` and `x` hold the set's columns row by row; they are filled if offsets[n] is 0.
    """
    cdef Py_ssize_t i, j, k, p, n = model.n, d = model.count
    cdef double a
    with nogil:
        if offsets[n] == 0:
            for j in range(d):
                for k in range(model.start[j], model.stop[j]):
                    offsets[rows[k] + 1] += 1
            for i in range(n):
                offsets[i + 1] += offsets[i]
            for j in range(d):
                for k in range(model.start[j], model.stop[j]):
                    p = offsets[rows[k]]
                    column[p], x[p], offsets[rows[k]] = j, values[k], p + 1
            for i in range(n, 0, -1):
                offsets[i] = offsets[i - 1]
            offsets[0] = 0
        for i in range(n):
            a = model.h[i] / n
            if a == 0:
                continue
            for k in range(offsets[i], offsets[i + 1]):
                axpy(a * x[k], &x[k], &column[k], offsets[i + 1] - k, &gram[column[k], 0])
        for j in range(d):
            for k in range(j):
                gram[j, k] = gram[k, j]
