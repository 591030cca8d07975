"""The l1 penalty: passes over the columns of X.

With the penalty a1 ||w||_1 + a2/2 ||w||^2, and b_i = c_i (-phi'(m_i)), v_j = 1/n sum_i b_i y_i x_ij, an
optimum has |v_j - a2 w_j| <= a1, with equality if w_j is not 0.

A Newton step p minimises, on a working set of columns, the penalty at w + p and the model of the loss::

    -v.p + 1/2 p.(H - t t^T / s) p,    H = 1/n sum_i h_i x_i x_i^T,  t = 1/n sum_i h_i x_i,  s = 1/n sum_i h_i

The term with t is the gain of the best change of the intercept, (1/n sum_i b_i y_i - t.p) / s. Columns are
minimised one at a time: z = w_j + p_j becomes soft(c z + g, a1) / (c + a2), with curvature c and negative
gradient g. If steps are too long, as on rows whose h_i is nearly 0, damping raises every h_i of the model.
"""

import cython
import numpy as np

from libc.math cimport INFINITY, copysign, fabs
from libc.string cimport memcpy, memset

from ._losses cimport LOG, Loss
from ._rows cimport Rows, axpy, dot, row_start, shift
from ._simd cimport clip_terms, log_terms
from ._types cimport head, index, int32_t, int64_t, real


cdef enum:
    BLOCK_ROWS = 256  # rows whose terms are on the stack at a time; samples consist of such blocks
    GRAM_ROWS = 1024  # the same for products of dense columns
    PANEL = 16  # rows that are copied to dense columns at a time
    SAMPLE_ROWS = 50  # the minimum number of rows of a sample per column
    MOST_ROUNDS = 50  # rounds of a step, each a sweep over all columns and
    MOST_SWEEPS = 20  # at most so many sweeps over those with a weight
    MOST_CONJUGATE = 50  # successive conjugate gradient iterations
    FEW = 2  # iterations that were not worthwhile
    MOST_WAIT = 16  # sweeps before the next iterations

cdef double ROWS_LEFT = 0.5  # share of the violation that a step may leave in the model
cdef double GRAM_LEFT = 0.02  # the same if sweeps read no rows
cdef double SUPPORT_LEFT = 0.1  # share of a sweep's violation that may be left for columns with a weight
cdef double SHORTEST = 1e-3  # the smallest share of a step
cdef double FLAT = 1e-12  # share of its columns' curvatures below which the curvature of a step is rounding
cdef double LONG_ENOUGH = 0.25  # share of a step from which the next step needs no further damping
cdef double FIRST_DAMPING = 0.01  # the minimum, as a share of the mean h_i
cdef double DAMPING_FACTOR = 8  # change of the damping per step
cdef double DECREASE = 1e-4  # share of the promised decrease that a step must bring


# X to columns.


def fill_columns(
    Rows rows, const real[::1] values, const index[::1] columns, const int32_t[::1] place,
    const int64_t[::1] starts, int64_t[::1] stops, real[::1] x, int32_t[::1] row,
    Py_ssize_t first, Py_ssize_t last,
):
    """Append the rows' values to the columns with a `place`, which end at `stops`; sum repeated columns."""
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
    """Copy these columns of dense rows to adjacent memory."""
    cdef Py_ssize_t i, k, bottom, n = rows.n_rows, d = rows.n_columns
    with nogil:
        while first < last:
            bottom = min(first + PANEL, last)
            for k in range(which.shape[0]):
                for i in range(first, bottom):
                    x[k * n + i] = values[i * d + which[k]]
            first = bottom


# Products of columns.


def column_products(
    const real[::1] values, const int32_t[::1] rows, const int64_t[::1] starts, const int64_t[::1] stops,
    const double[::1] vector, double factor, double[::1] out,
):
    """Write x_j . vector, times `factor`, to `out`, for each column."""
    cdef const real* x = head(values)
    cdef const int32_t* row = head(rows)
    cdef Py_ssize_t j
    with nogil:
        for j in range(starts.shape[0]):
            out[j] = factor * dot(x + starts[j], shift(row, starts[j]), stops[j] - starts[j], &vector[0])


def add_columns(
    const real[::1] values, const int32_t[::1] rows, const int64_t[::1] starts, const int64_t[::1] stops,
    const double[::1] factors, double[::1] out,
):
    """Add the columns, times `factors`, to `out`."""
    cdef const real* x = head(values)
    cdef const int32_t* row = head(rows)
    cdef Py_ssize_t j
    with nogil:
        for j in range(starts.shape[0]):
            if factors[j] != 0:
                axpy(factors[j], x + starts[j], shift(row, starts[j]), stops[j] - starts[j], &out[0])


# Newton steps.


@cython.final
cdef class Descent:
    """The margins and the loss of an iterate, and the model of a step on some columns.

    Parameters
    ----------
    loss : `Loss.struct`
    signs, weights : int8 and float64 arrays, y_i and c_i; no weights when all are 1
    a1, a2 : the weights of the penalty
    has_intercept : whether b0 is free
    balanced : the sum_i b_i y_i that may be left at the best b0, as a share of sum_i b_i

    Attributes
    ----------
    scores, pull : float64 arrays, y_i w.x_i and y_i b_i
    intercept, loss_sum : b0 and sum_i c_i phi(m_i)
    positive, negative : the sums of b_i over the rows of sign +1 and of -1
    w : float64 array, the weights of the columns of `begin_steps`
    """

    cdef readonly object scores, pull, w
    cdef public double intercept
    cdef readonly double loss_sum, positive, negative
    cdef object of_rows, of_columns, ends, gram, lines, line_columns, line_values
    cdef Loss loss
    cdef const double[::1] weights
    cdef double a1, a2, balanced, bent, shift, gain, damping
    cdef bint has_intercept, by_sweeps  # `conjugate` went too far: columns are minimised one by one
    cdef Py_ssize_t n, count, stride
    # For rows: y_i, y_i w.x_i, y_i b_i, h_i, y_i b_i - h_i p.x_i, and sums of columns.
    cdef double *y, *m, *r, *h, *rest, *sum
    # For columns: their ends; w_j, p_j, the model's negative gradient, c_j, t_j, and memory of `conjugate`.
    cdef const int64_t *start, *stop
    cdef double *weight, *p, *g, *c, *t, *d, *u
    cdef double *G  # H - t t^T / s, or NULL
    cdef double *room  # for G, or NULL
    cdef double price, spent  # the cost of G, and of sweeps without it, in multiplications
    # Sparse columns, row by row, for G.
    cdef int64_t *line
    cdef int32_t *column
    cdef double *value

    def __init__(self, Loss loss, signs, const double[::1] weights, a1, a2, has_intercept, balanced):
        cdef double[:, ::1] rows = np.zeros((6, len(signs)))
        self.loss, self.weights, self.n = loss, weights, len(signs)
        self.a1, self.a2, self.has_intercept, self.balanced = a1, a2, has_intercept, balanced
        self.of_rows = np.asarray(rows)
        self.of_rows[0] = signs
        self.scores, self.pull = self.of_rows[1], self.of_rows[2]
        self.y, self.m, self.r, self.h = &rows[0, 0], &rows[1, 0], &rows[2, 0], &rows[3, 0]
        self.rest, self.sum = &rows[4, 0], &rows[5, 0]

    def fit_intercept(self):
        """Find the best intercept for the scores, and its loss."""
        with nogil:
            best_intercept(self)

    def begin_steps(self, w, starts, stops, bint with_room, bint with_gram, bint roughly):
        """Set the columns, by their ends and weights; use G at once, or once sweeps have cost as much."""
        cdef double[:, ::1] columns = np.zeros((7, len(w))), gram
        cdef int64_t[:, ::1] ends = np.array((starts, stops))
        cdef int64_t[::1] line
        cdef int32_t[::1] column
        cdef double[::1] value
        self.stride = 1
        while with_gram and roughly and 2 * SAMPLE_ROWS * self.stride * len(w) <= self.n:
            self.stride *= 2
        self.of_columns, self.ends, self.count = np.asarray(columns), ends, len(w)
        self.w = self.of_columns[0]
        self.w[:] = w
        self.start, self.stop, self.G = &ends[0, 0], &ends[1, 0], NULL
        self.room, self.price, self.spent, self.by_sweeps = NULL, 0, 0, False
        self.weight, self.p, self.g, self.c = &columns[0, 0], &columns[1, 0], &columns[2, 0], &columns[3, 0]
        self.t, self.d, self.u = &columns[4, 0], &columns[5, 0], &columns[6, 0]
        if with_room:
            count = (np.asarray(ends[1]) - ends[0]).sum() + 1
            self.gram = gram = np.empty((len(w), len(w)))
            self.lines = line = np.zeros(self.n + 1, np.int64)
            self.line_columns, self.line_values = column, value = np.empty(count, np.int32), np.empty(count)
            self.room, self.line, self.column, self.value = &gram[0, 0], &line[0], &column[0], &value[0]
            if with_gram:
                self.G = self.room


cdef void look(Descent s, const double* scores, double intercept) noexcept nogil:
    """The loss, y_i b_i and h_i at the margins `scores` + y_i intercept, and their sums."""
    cdef const double* c = &s.weights[0] if s.weights.shape[0] else NULL
    cdef double[BLOCK_ROWS] value, b, none
    cdef Py_ssize_t i, k, first = 0, count
    s.loss_sum = s.positive = s.negative = s.bent = 0
    memset(none, 0, sizeof(none))
    while first < s.n:
        count = min(s.n - first, <Py_ssize_t>BLOCK_ROWS)
        if s.loss.code == LOG:
            log_terms(scores + first, intercept, s.y + first, count, value, b, s.h + first)
        else:
            clip_terms(
                scores + first, intercept, s.y + first, none, NULL, count, 2, 1, s.loss.upper, b, s.h + first
            )
            for k in range(count):
                value[k] = b[k] * b[k] / 4
        for k in range(count):
            i = first + k
            if c != NULL:
                value[k], b[k], s.h[i] = c[i] * value[k], c[i] * b[k], c[i] * s.h[i]
            s.loss_sum += value[k]
            s.bent += s.h[i]
            s.r[i] = s.y[i] * b[k]
            if s.y[i] > 0:
                s.positive += b[k]
            else:
                s.negative += b[k]
        first += count


cdef void best_intercept(Descent s) noexcept nogil:
    """Find the intercept at which b is balanced, by safeguarded Newton steps."""
    cdef double low = -INFINITY, high = INFINITY, reach = 1, rise, step, following
    look(s, s.m, s.intercept)
    while s.has_intercept:
        rise = s.positive - s.negative
        if fabs(rise) <= s.balanced * (s.positive + s.negative):
            break
        if rise > 0:
            low = s.intercept
        else:
            high = s.intercept
        step = rise / s.bent if s.bent > 0 else copysign(1, rise)
        following = s.intercept + min(max(step, -reach), reach)
        reach *= 4
        if not low < following < high:
            following = (low + high) / 2
        if following == low or following == high:
            break
        s.intercept = following
        look(s, s.m, following)


cdef inline double violation(double g, double z, double a1, double a2) noexcept nogil:
    """How far a negative gradient is from what the penalty allows at z."""
    if z == 0:
        return max(0.0, fabs(g) - a1)
    return fabs(g - a2 * z - copysign(a1, z))


def largest_violation(const double[::1] v, const double[::1] w, double a1, double a2):
    """The largest distance of a v_j from what the penalty allows."""
    cdef double most = 0
    cdef Py_ssize_t j
    with nogil:
        for j in range(v.shape[0]):
            most = max(most, violation(v[j], w[j], a1, a2))
    return most


def newton_step(Descent s, const real[::1] values, const int32_t[::1] rows, double target, double rounding):
    """Minimise the model of the objective at the margins, and step to its minimum, or part of the way.

    Parameters
    ----------
    s, values, rows
    target : the violation at which nothing is done
    rounding : the relative rounding error of the objective

    Returns
    -------
    whether it made a step, or another attempt may succeed
    """
    cdef const real* x = head(values)
    cdef const int32_t* row = head(rows)
    cdef double met
    cdef bint moved = False
    with nogil:
        met = most_violation(s, x, row)
        if met > target:
            fill_model(s, x, row)
            minimise(s, x, row, (ROWS_LEFT if s.G == NULL else GRAM_LEFT) * met)
            moved = take_step(s, x, row, rounding)
    return moved


cdef inline double column_dot(
    Descent s, const real* x, const int32_t* row, Py_ssize_t j, const double* vector
) noexcept nogil:
    """1/n x_j . vector."""
    return dot(x + s.start[j], shift(row, s.start[j]), s.stop[j] - s.start[j], vector) / s.n


cdef double most_violation(Descent s, const real* x, const int32_t* row) noexcept nogil:
    """The largest violation of the columns; sets their negative gradients."""
    cdef double most = 0
    cdef Py_ssize_t j
    for j in range(s.count):
        s.g[j] = column_dot(s, x, row, j, s.r)
        most = max(most, violation(s.g[j], s.weight[j], s.a1, s.a2))
    return most


cdef void fill_model(Descent s, const real* x, const int32_t* row) noexcept nogil:
    """Set up the model at p = 0, whose gradient is known."""
    cdef double c, tilted
    cdef Py_ssize_t i, j, k
    s.bent += s.n * s.damping
    tilted = s.n / s.bent if s.has_intercept and s.bent > 0 else 0
    s.shift = s.gain = 0
    for i in range(s.n):
        s.rest[i] = s.r[i]
        s.h[i] += s.damping
    for j in range(s.count):
        s.p[j] = s.t[j] = c = 0
        if s.G == NULL or s.stride > 1:
            for k in range(s.start[j], s.stop[j]):
                c += s.h[row[k] if row != NULL else k - s.start[j]] * x[k] * x[k]
        s.c[j] = c / s.n
        if tilted > 0 and s.G == NULL:
            s.t[j] = column_dot(s, x, row, j, s.h)
            s.c[j] = max(0.0, s.c[j] - s.t[j] * s.t[j] * tilted)
    if s.G != NULL:
        fill_gram(s, x, row)


cdef void fill_gram(Descent s, const real* x, const int32_t* row) noexcept nogil:
    """Compute G from all rows or a sample."""
    cdef double c, share, tilted = s.n / s.bent if s.has_intercept and s.bent > 0 else 0
    cdef Py_ssize_t j, k
    memset(s.t, 0, s.count * sizeof(double))
    memset(s.G, 0, s.count * s.count * sizeof(double))
    share = s.bent / max(1e-300, sparse_gram(s, x, row) if row != NULL else dense_gram(s, x)) / s.n
    for j in range(s.count):
        s.t[j] = s.t[j] * share if tilted > 0 else 0
    for j in range(s.count):
        for k in range(j, s.count):
            s.G[j * s.count + k] = share * s.G[j * s.count + k] - s.t[j] * s.t[k] * tilted
            s.G[k * s.count + j] = s.G[j * s.count + k]
        c = s.c[j] - s.t[j] * s.t[j] * tilted  # from all rows
        s.c[j] = s.G[j * s.count + j] = max(0.0, c, s.G[j * s.count + j])


cdef double dense_gram(Descent s, const real* x) noexcept nogil:
    """sum_i h_i x_i x_i^T and sum_i h_i x_i, for dense columns and sampled rows; returns sum_i h_i."""
    cdef Py_ssize_t i, j, k, first = 0, count
    cdef double[GRAM_ROWS] hx
    cdef double bent = 0
    while first < s.n:
        count = min(s.n - first, <Py_ssize_t>GRAM_ROWS)
        for i in range(count):
            bent += s.h[first + i]
        for j in range(s.count):
            for i in range(count):
                hx[i] = s.h[first + i] * x[s.start[j] + first + i]
            s.t[j] += dot[real, int32_t](x + s.start[j] + first, NULL, count, s.h + first)
            for k in range(j + 1):
                s.G[k * s.count + j] += dot[real, int32_t](x + s.start[k] + first, NULL, count, hx)
        first += GRAM_ROWS * s.stride
    return bent


cdef double sparse_gram(Descent s, const real* x, const int32_t* row) noexcept nogil:
    """The same for sparse columns, whose values are first gathered by rows."""
    cdef Py_ssize_t i, j, k
    cdef double a, bent = 0
    if s.line[s.n] == 0:
        fill_lines(s, x, row)
    for i in range(s.n):
        if s.h[i] != 0 and is_sampled(s, i):
            bent += s.h[i]
            for k in range(s.line[i], s.line[i + 1]):
                a, j = s.h[i] * s.value[k], s.column[k]
                s.t[j] += a
                axpy(a, s.value + k, s.column + k, s.line[i + 1] - k, s.G + j * s.count)
    return bent


cdef double fill_lines(Descent s, const real* x, const int32_t* row) noexcept nogil:
    """Gather the values of each row; returns the number of their pairs."""
    cdef Py_ssize_t i, j, k, p
    cdef double pairs = 0
    for j in range(s.count):
        for k in range(s.start[j], s.stop[j]):
            if is_sampled(s, row[k]):
                s.line[row[k] + 1] += 1
                pairs += s.line[row[k] + 1]
    for i in range(s.n):
        s.line[i + 1] += s.line[i]
    for j in range(s.count):
        for k in range(s.start[j], s.stop[j]):
            if is_sampled(s, row[k]):
                p = s.line[row[k]]
                s.column[p], s.value[p], s.line[row[k]] = <int32_t>j, x[k], p + 1
    for i in range(s.n, 0, -1):
        s.line[i] = s.line[i - 1]
    s.line[0] = 0
    return pairs


cdef inline bint is_sampled(Descent s, Py_ssize_t i) noexcept nogil:
    return i // BLOCK_ROWS & (s.stride - 1) == 0


cdef void minimise(Descent s, const real* x, const int32_t* row, double enough) noexcept nogil:
    """Minimise the model until the largest violation in a sweep is `enough`."""
    cdef double met
    cdef int _round, _sweep, count, wait = 1, due = MOST_ROUNDS * MOST_SWEEPS if s.by_sweeps else 1
    for _round in range(MOST_ROUNDS):
        met = sweep(s, x, row, True)
        if met <= enough:
            break
        for _sweep in range(MOST_SWEEPS):
            if s.room != NULL and s.G == NULL:
                consider_gram(s, x, row)
            if sweep(s, x, row, False) <= SUPPORT_LEFT * met:
                break
            due -= 1
            if due > 0:
                continue
            count = conjugate(s, x, row, SUPPORT_LEFT * met)
            if count == 0:
                break
            due = wait = min(2 * wait, MOST_WAIT) if count <= FEW else max(1, wait // 2)


cdef void consider_gram(Descent s, const real* x, const int32_t* row) noexcept nogil:
    """Compute G once the sweeps have cost as much."""
    cdef Py_ssize_t j
    if s.price == 0:
        s.price = 0.5 * s.n * s.count * s.count if row == NULL else fill_lines(s, x, row)
    if s.spent > s.price:
        for j in range(s.count):
            s.g[j] = gradient(s, x, row, j)
        s.G = s.room
        fill_gram(s, x, row)


cdef double sweep(Descent s, const real* x, const int32_t* row, bint everything) noexcept nogil:
    """Minimise over each column in turn, or each with a weight; returns the largest violation."""
    cdef double most = 0, g, z, met, new, a, c
    cdef Py_ssize_t j
    for j in range(s.count):
        z = s.weight[j] + s.p[j]
        if z == 0 and not everything:
            continue
        c = s.c[j] + s.a2
        g = gradient(s, x, row, j)
        met = violation(g, z, s.a1, s.a2)
        if met == 0:
            continue
        a = s.c[j] * z + g
        new = copysign(max(0.0, fabs(a) - s.a1), a) / c if c > 0 else 0
        if new == z:
            continue
        most = max(most, met)
        s.gain += (new - z) * (g - 0.5 * s.c[j] * (new - z))
        s.gain += s.a1 * (fabs(z) - fabs(new)) + 0.5 * s.a2 * (z * z - new * new)
        s.p[j] = new - s.weight[j]
        move(s, x, row, j, new - z)
    return most


cdef inline double gradient(Descent s, const real* x, const int32_t* row, Py_ssize_t j) noexcept nogil:
    """The model's negative gradient by p_j."""
    if s.G != NULL:
        return s.g[j]
    s.spent += s.stop[j] - s.start[j]
    return column_dot(s, x, row, j, s.rest) - s.shift * s.t[j]


cdef void move(Descent s, const real* x, const int32_t* row, Py_ssize_t j, double a) noexcept nogil:
    """Update the gradient after a change of p_j."""
    cdef Py_ssize_t i, k
    if s.t[j] != 0:
        s.shift -= a * s.t[j] * s.n / s.bent
    if s.G != NULL:
        axpy[double, int32_t](-a, s.G + j * s.count, NULL, s.count, s.g)
    else:
        for k in range(s.start[j], s.stop[j]):
            i = row[k] if row != NULL else k - s.start[j]
            s.rest[i] -= a * s.h[i] * x[k]


cdef int conjugate(Descent s, const real* x, const int32_t* row, double enough) noexcept nogil:
    """Conjugate gradients on the columns with a weight, until one would change its sign; it is set to 0.

    Returns 0 once their violation is `enough`, otherwise the number of iterations.
    """
    cdef double z, new, g, most, fresh, last = 0, bend, stiff, tilted, a
    cdef Py_ssize_t i, j
    cdef int count = 0
    cdef bint cut = False
    memset(s.d, 0, s.count * sizeof(double))
    while count < MOST_CONJUGATE and not cut:
        count += 1
        most = fresh = bend = stiff = tilted = 0
        for j in range(s.count):
            z = s.weight[j] + s.p[j]
            if z != 0 and s.c[j] + s.a2 > 0:
                g = gradient(s, x, row, j) - s.a2 * z - copysign(s.a1, z)
                most = max(most, fabs(g))
                s.u[j] = g / (s.c[j] + s.a2)
                fresh += g * s.u[j]
        if most <= enough:
            return 0
        for j in range(s.count):
            if s.weight[j] + s.p[j] != 0 and s.c[j] + s.a2 > 0:
                s.d[j] = s.u[j] + (fresh / last * s.d[j] if last > 0 else 0)
                bend += s.a2 * s.d[j] * s.d[j]
                stiff += (s.c[j] + s.a2) * s.d[j] * s.d[j]
                tilted += s.t[j] * s.d[j]
        bend += apply(s, x, row, tilted)
        if not bend > FLAT * stiff:
            break
        a, last = fresh / bend, fresh
        s.gain += a * fresh - 0.5 * a * a * bend
        if tilted != 0:
            s.shift -= a * tilted * s.n / s.bent
        if s.G != NULL:
            axpy[double, int32_t](-a, s.u, NULL, s.count, s.g)
        else:
            for i in range(s.n):
                s.rest[i] -= a * s.h[i] * s.sum[i]
        for j in range(s.count):
            z = s.weight[j] + s.p[j]
            s.p[j] += a * s.d[j]
            new = s.weight[j] + s.p[j]
            if new * z < 0:
                g = gradient(s, x, row, j) - s.a2 * new - copysign(s.a1, z)
                s.gain -= new * (g + 0.5 * (s.c[j] + s.a2) * new)
                s.p[j] = -s.weight[j]
                move(s, x, row, j, -new)
                cut = True
    return count


cdef double apply(Descent s, const real* x, const int32_t* row, double tilted) noexcept nogil:
    """Write the product of the model's Hessian and d to u, or X d to `sum`; returns the curvature along d."""
    cdef double bend = 0
    cdef Py_ssize_t i, j
    if s.G != NULL:
        memset(s.u, 0, s.count * sizeof(double))
        for j in range(s.count):
            if s.d[j] != 0:
                axpy[double, int32_t](s.d[j], s.G + j * s.count, NULL, s.count, s.u)
        return dot[double, int32_t](s.u, NULL, s.count, s.d)
    combine(s, x, row, s.d)
    for i in range(s.n):
        bend += s.h[i] * s.sum[i] * s.sum[i]
    return bend / s.n - (tilted * tilted * s.n / s.bent if tilted != 0 else 0)


cdef void combine(Descent s, const real* x, const int32_t* row, const double* factors) noexcept nogil:
    """Write the sum of the columns, times `factors`, to `sum`."""
    cdef Py_ssize_t j
    memset(s.sum, 0, s.n * sizeof(double))
    for j in range(s.count):
        if factors[j] != 0:
            axpy(factors[j], x + s.start[j], shift(row, s.start[j]), s.stop[j] - s.start[j], s.sum)


cdef double objective(Descent s, double share) noexcept nogil:
    """The objective after this share of the step."""
    cdef double z, size = 0, square = 0
    cdef Py_ssize_t j
    for j in range(s.count):
        z = s.weight[j] + share * s.p[j]
        size += fabs(z)
        square += z * z
    return s.loss_sum / s.n + s.a1 * size + 0.5 * s.a2 * square


cdef inline double more_damping(Descent s) noexcept nogil:
    # On rows without loss nothing is curved, and 1 is the order of the curvatures on others.
    return max(DAMPING_FACTOR * s.damping, FIRST_DAMPING * (s.bent / s.n if s.bent > 0 else 1))


cdef bint take_step(Descent s, const real* x, const int32_t* row, double rounding) noexcept nogil:
    """Take the step, halved until the objective falls; returns whether another attempt may succeed."""
    cdef double old = objective(s, 0), share = 1
    cdef Py_ssize_t i, j
    cdef bint lower = False
    if not s.gain > 0:  # the model is flat along a column constant in all curved rows, or got worse
        look(s, s.m, s.intercept)
        s.by_sweeps = True
        if s.damping * s.n >= s.bent:
            return False
        s.damping = more_damping(s)
        return True
    combine(s, x, row, s.p)
    while share > SHORTEST and not lower:
        for i in range(s.n):
            s.rest[i] = s.m[i] + share * s.y[i] * s.sum[i]
        look(s, s.rest, s.intercept + share * s.shift)
        lower = objective(s, share) <= old * (1 + rounding) - DECREASE * share * s.gain
        if not lower:
            share /= 2
    if lower:
        memcpy(s.m, s.rest, s.n * sizeof(double))
        for j in range(s.count):
            s.weight[j] += share * s.p[j]
        s.intercept += share * s.shift
        best_intercept(s)
    else:
        look(s, s.m, s.intercept)
    if share < LONG_ENOUGH:
        s.damping = more_damping(s)
    elif share == 1:
        s.damping = s.damping / DAMPING_FACTOR if s.damping > FIRST_DAMPING * s.bent / s.n else 0
    return lower or s.gain > rounding * old
