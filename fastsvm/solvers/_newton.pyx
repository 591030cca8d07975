"""Newton's method: the passes over rows of an iteration.

With m_i = y_i w.x_i and b_i = c_i (-phi'(m_i)), the primal and its derivatives are::

    P(w) = alpha/2 ||w||^2 + 1/n sum_i c_i phi(m_i)
    g    = alpha w - 1/n sum_i b_i y_i x_i
    H    = alpha I + 1/n sum_i h_i x_i x_i^T,    h_i = -db_i/dm_i

The step is w + t p with H p = -g and t from a line search. The bound is the dual's value at b::

    D(b) = 1/n sum_i c_i psi(b_i / c_i) - alpha/2 ||1/(alpha n) sum_i b_i y_i x_i||^2

The hinge has no second derivative, but its dual's augmented Lagrangian does: b_i = clip(o_i + c_i penalty (1
- m_i), 0, c_i), and h_i = c_i penalty if 0 < b_i < c_i. Once a minimum is near, the multipliers o are set to
b (the method of multipliers), and the penalty grows.

Sources: Rockafellar, Augmented Lagrangians and applications of the proximal point algorithm, Math. Oper.
Res. 1 (1976). Yin & Li, A semismooth Newton method for support vector classification and regression, Comput.
Optim. Appl. 73 (2019).

All functions work on the rows `which`, and on arrays with an entry for each. w has an extra entry for the
intercept, whose column is 1.
"""

import cython
import numpy as np

from libc.math cimport INFINITY, copysign, fabs, isinf, sqrt
from libc.stdint cimport uint8_t
from libc.string cimport memset

from ._losses cimport HINGE, LOG, SMOOTH_HINGE, SQUARED_HINGE, Loss, dual_term, loss_value
from ._rows cimport Rows, axpy, columns_of, dot, row_start, shift
from ._simd cimport add_rows, block_scores, clip_terms, dense_axpy, log_terms
from ._types cimport head, index, int8_t, int32_t, real


cdef enum:
    BLOCK_ROWS = 256  # rows whose terms are on the stack at a time
    PASS_ROWS = 32  # rows that are read twice, the second time from the cache
    TILE = 16  # columns of the Hessian whose cache lines are read again before they are evicted


@cython.final
cdef class ActiveSet:
    """Rows near the bend of the loss, and their state in a Newton iteration.

    Parameters
    ----------
    loss : `Loss.struct`
    which : int32 array, the rows
    weights : float64 array of their c_i, or of length 0 when all are 1
    margin, dual : float64 arrays of the same length as `which`

    Attributes
    ----------
    penalty : the hinge's augmented Lagrangian has b = clip(multiplier + c penalty (1 - m), 0, c); 1 for other
        losses
    multiplier : these multipliers
    change : the changes of the margins in a step
    curvature, held : -db/dm over the penalty, and the part of it that the Hessian contains
    next : b at the margins
    """

    cdef Loss loss
    cdef readonly const int32_t[::1] which
    cdef readonly object weights, margin, dual, change, multiplier, curvature, held, next
    cdef const double* c  # NULL when all are 1
    cdef double *m  # the arrays above, for loops without the GIL
    cdef double *b
    cdef double *dm
    cdef double *o
    cdef double *h
    cdef double *had
    cdef double *new
    cdef public double penalty

    def __init__(self, Loss loss, which, weights, margin, dual):
        cdef const double[::1] given = weights
        if not has_curvature(loss.code):
            raise ValueError(f"Newton's method does not support the loss of code {loss.code}")
        count = len(which)
        self.loss, self.which, self.weights = loss, which, weights
        self.margin, self.dual = margin, dual
        # One block of memory, for which the system may use large pages.
        self.change, self.multiplier, self.curvature, self.held, self.next = np.zeros((5, count))
        self.c = head(given)
        self.m, self.b, self.dm = start_of(self.margin), start_of(self.dual), start_of(self.change)
        self.o, self.h, self.had = start_of(self.multiplier), start_of(self.curvature), start_of(self.held)
        self.new = start_of(self.next)
        self.penalty = 1


cdef double* start_of(double[::1] array):
    return <double*>head(array)


cdef inline bint has_curvature(int code) noexcept nogil:
    """Whether this loss has formulas here."""
    return code == HINGE or code == SQUARED_HINGE or code == SMOOTH_HINGE or code == LOG


cdef void terms(ActiveSet s, double t, Py_ssize_t first, Py_ssize_t n, double* b, double* h) noexcept nogil:
    """For n rows, once their margins have changed by t dm_i: b(m), which is c (-phi'(m)) or, for the hinge,
    its smoothed form; and -b'(m) over the penalty.
    """
    cdef const double* c = NULL if s.c == NULL else s.c + first
    cdef const double* m = s.m + first
    cdef const double* dm = s.dm + first
    cdef double slant = 1
    cdef Py_ssize_t k
    if s.loss.code != LOG:
        if s.loss.code != HINGE:
            slant = 2 if s.loss.code == SQUARED_HINGE else 1 / s.loss.width
        clip_terms(m, t, dm, s.o + first, c, n, slant, s.penalty, s.loss.upper, b, h)
        return
    log_terms(m, t, dm, n, NULL, b, h)
    if c != NULL:
        for k in range(n):
            b[k] *= c[k]
            h[k] *= c[k]


def newton_margins(
    Rows rows, const real[::1] values, const index[::1] columns, const int8_t[::1] signs,
    const int32_t[::1] which, const double[::1] w, double[::1] margin, Py_ssize_t first, Py_ssize_t last,
):
    """Write the margins at w to `margin`; return the sum of their squared changes."""
    cdef const real* x = head(values)
    cdef const index* j = columns_of(rows, columns)
    cdef const double* v = &w[0]
    cdef const int32_t* row = head(which)
    cdef double* out = <double*>head(margin)
    cdef Py_ssize_t i, k, start
    cdef double m, moved = 0, intercept = w[rows.n_columns]
    with nogil:
        for k in range(first, last):
            i = row[k]
            start = row_start(&rows.layout, i)
            m = signs[i] * (
                dot(x + start, shift(j, start), row_start(&rows.layout, i + 1) - start, v) + intercept
            )
            moved += (m - out[k]) * (m - out[k])
            out[k] = m
    return moved


def newton_loss_sum(Loss loss, const double[::1] margin, const double[::1] weights):
    """sum_i c_i phi(m_i)."""
    cdef const double* weight = head(weights)
    cdef const double* z = head(margin)
    cdef Py_ssize_t k, first = 0, count, n = margin.shape[0]
    cdef double[BLOCK_ROWS] loss_of
    cdef double m, total = 0
    with nogil:
        if loss.code == HINGE or (loss.code == SQUARED_HINGE and isinf(loss.upper)):  # without branches
            for k in range(n):
                m = 1 - z[k]
                m = 0 if m < 0 else m  # NaN stays
                m = m if loss.code == HINGE else m * m
                total += m if weight == NULL else weight[k] * m
        elif loss.code == LOG:
            while first < n:
                count = min(n - first, <Py_ssize_t>BLOCK_ROWS)
                log_terms(z + first, 0, z + first, count, loss_of, NULL, NULL)
                for k in range(count):
                    total += loss_of[k] if weight == NULL else weight[first + k] * loss_of[k]
                first += count
        else:
            for k in range(n):
                m = loss_value(loss, margin[k])
                total += m if weight == NULL else weight[k] * m
    return total


def newton_row_sums(
    Rows rows, const real[::1] values, const index[::1] columns, const int8_t[::1] signs,
    const int32_t[::1] which, const double[::1] dual, double[:, ::1] z, Py_ssize_t first, Py_ssize_t last,
):
    """Add sum_i b_i y_i x_i, and as last entry sum_i b_i y_i, to the rows of z for y = -1 and y = 1."""
    cdef const real* x = head(values)
    cdef const index* j = columns_of(rows, columns)
    cdef Py_ssize_t i, k, start
    cdef double a
    cdef double* line
    with nogil:
        for k in range(first, last):
            if dual[k] != 0:
                i = which[k]
                a = signs[i] * dual[k]
                start = row_start(&rows.layout, i)
                line = &z[signs[i] > 0, 0]
                axpy(a, x + start, shift(j, start), row_start(&rows.layout, i + 1) - start, line)
                line[rows.n_columns] += a


def smooth_pass(
    const real[::1] values, const int8_t[::1] signs, const double[::1] weights, Loss loss,
    const double[::1] w, double[::1] dual, double[::1] curvature, double[:, ::1] z, double[:, ::1] sums,
    Py_ssize_t first, Py_ssize_t last,
):
    """Measure w in one pass over dense rows, for a smooth loss.

    Writes b_i = c_i (-phi'(m_i)) to `dual`, -db_i/dm_i to `curvature` unless it is empty, and adds to z as
    `newton_row_sums` does. Adds sum_i c_i phi(m_i), p and q to `sums`, per sign: if all b_i become (1 - t)
    b_i, sum_i c_i psi(b_i / c_i) is at most t p + t^2 q below the tangent of slope m_i; p comes from b_i at a
    bound.
    """
    cdef const real* x = head(values)
    cdef const double* c = head(weights)
    cdef double* h_of = <double*>head(curvature)
    cdef Py_ssize_t i, k, count, d = w.shape[0] - 1
    cdef Py_ssize_t[2] n_of
    cdef int32_t[2][PASS_ROWS] rows_of
    cdef double[PASS_ROWS] m, b, h, loss_of, none
    cdef double bend, intercept = w[d]
    cdef double half_curvature = 0.25 if loss.code == SQUARED_HINGE else 0.5 * loss.width
    cdef bint side
    with nogil:
        memset(none, 0, sizeof(none))
        while first < last:
            count = min(last - first, <Py_ssize_t>PASS_ROWS)
            block_scores(x + first * d, &w[0], d, count, m)
            for k in range(count):
                m[k] = signs[first + k] * (m[k] + intercept)
            if loss.code == LOG:
                log_terms(m, 0, m, count, loss_of, b, h)
            else:
                clip_terms(m, 0, m, none, NULL, count, 0.5 / half_curvature, 1, loss.upper, b, h)
            n_of[0] = n_of[1] = 0
            for k in range(count):
                if loss.code == LOG:
                    bend = b[k] * b[k] / max(h[k], 1e-300)  # exp(-m)
                else:
                    bend = half_curvature * b[k] * b[k]
                    loss_of[k] = b[k] * (1 - m[k]) - bend
                if c != NULL:
                    bend *= c[first + k]
                    loss_of[k] *= c[first + k]
                    b[k] *= c[first + k]
                    h[k] *= c[first + k]
                side = signs[first + k] > 0
                sums[side, 0] += loss_of[k]
                if loss.straight:
                    sums[side, 1] += loss_of[k] - bend  # c (1 - m) - c width, or 0
                sums[side, 2] += bend
                dual[first + k] = b[k]
                if h_of != NULL:
                    h_of[first + k] = h[k]
                rows_of[side][n_of[side]] = <int32_t>k
                n_of[side] += 1
                b[k] *= signs[first + k]
                z[side, d] += b[k]
            for i in range(2):
                add_rows(x + first * d, &rows_of[i][0], b, n_of[i], &z[i, 0], d)
            first += count


def sweep(const double[:, ::1] H, double[::1] slope, double[::1] z, const double[::1] a):
    """Minimise a quadratic function plus sum_j a_j |z_j| over each z_j in turn; update its slope.

    Returns the largest change of a slope by its own z_j.
    """
    cdef double new, bend, change, most = 0
    cdef Py_ssize_t j, d = z.shape[0]
    with nogil:
        for j in range(d):
            bend = H[j, j]
            if bend <= 0:
                continue
            new = bend * z[j] - slope[j]
            new = copysign(max(fabs(new) - a[j], 0.0), new) / bend
            change = new - z[j]
            if change != 0:
                z[j] = new
                most = max(most, bend * fabs(change))
                dense_axpy(change, &H[j, 0], &slope[0], d)
    return most


def activate_rows(
    Loss loss, const double[::1] margin, const double[::1] weights, const double[::1] dual, double radius,
    uint8_t[::1] active,
):
    """Mark rows as active if they are within `radius` of the bend, or their b does not fit their margin.

    Active rows stay active. The loss of the others is a straight line around their margin.
    """
    cdef const double* weight = head(weights)
    cdef Py_ssize_t k
    cdef double m, c = 1
    cdef double low = 1 - loss.width if loss.code == SMOOTH_HINGE else 1
    with nogil:
        for k in range(margin.shape[0]):
            m = margin[k]
            if weight != NULL:
                c = weight[k]
            if m > 1 + radius and loss.code != LOG:
                active[k] |= dual[k] != 0
            elif m < low - radius and (loss.code == HINGE or loss.code == SMOOTH_HINGE):
                active[k] |= dual[k] != c
            else:
                active[k] = 1


def update_duals(
    Rows rows, const real[::1] values, const index[::1] columns, const int8_t[::1] signs, ActiveSet s,
    double[:, ::1] z, Py_ssize_t first, Py_ssize_t last,
):
    """Compute b and the curvature at the margins, and update z.

    Returns the hinge's slack sum_i c_i phi(m_i) - b_i (1 - m_i), the number of rows with curvature, and
    the number whose curvature differs from `held`.
    """
    cdef const real* x = head(values)
    cdef const index* j = columns_of(rows, columns)
    cdef Py_ssize_t i, k, start, curved = 0, changed = 0
    cdef double a, slack
    cdef double* line
    with nogil:
        slack = duals_of_margins(s, first, last)
        for k in range(first, last):
            curved += s.h[k] != 0
            changed += s.h[k] != s.had[k]
            if s.new[k] != s.b[k]:
                i = s.which[k]
                a = signs[i] * (s.new[k] - s.b[k])
                s.b[k] = s.new[k]
                start = row_start(&rows.layout, i)
                line = &z[signs[i] > 0, 0]
                axpy(a, x + start, shift(j, start), row_start(&rows.layout, i + 1) - start, line)
                line[rows.n_columns] += a
    return slack, curved, changed


cdef double duals_of_margins(ActiveSet s, Py_ssize_t first, Py_ssize_t last) noexcept nogil:
    cdef double short_by, slack = 0
    cdef Py_ssize_t k
    terms(s, 0, first, last - first, s.new + first, s.h + first)
    if s.loss.code == HINGE:
        for k in range(first, last):
            short_by = 1 - s.m[k]
            slack -= s.new[k] * short_by
            slack += (1 if s.c == NULL else s.c[k]) * (short_by if short_by > 0 else 0)
    return slack


def update_hessian(
    Rows rows, const real[::1] values, const index[::1] columns, ActiveSet s, double[:, ::1] half,
    Py_ssize_t first, Py_ssize_t last,
):
    """Update `half` to the present curvature; half + half^T = sum_i h_i x_i x_i^T."""
    cdef const real* x = head(values)
    cdef const index* j = columns_of(rows, columns)
    cdef const real* value
    cdef const index* column
    cdef Py_ssize_t i, k, p, start, count, d = rows.n_columns
    cdef double h, a
    cdef double* line
    with nogil:
        for k in range(first, last):
            h = s.h[k] - s.had[k]
            if h == 0:
                continue
            s.had[k] = s.h[k]
            i = s.which[k]
            start = row_start(&rows.layout, i)
            count = row_start(&rows.layout, i + 1) - start
            value = x + start
            column = shift(j, start)
            for p in range(count):
                a = h * value[p]
                line = &half[column[p] if column != NULL else p, 0]
                line[column[p] if column != NULL else p] += 0.5 * a * value[p]
                line[d] += a
                if column != NULL:
                    axpy(a, value + p + 1, column + p + 1, count - p - 1, line)
                else:
                    axpy(a, value + p + 1, column, count - p - 1, line + p + 1)
            half[d, d] += 0.5 * h


def gather_hessian_rows(
    Rows rows, const real[::1] values, const index[::1] columns, ActiveSet s, int side, double[:, ::1] block,
    Py_ssize_t first,
):
    """Fill `block` with rows times the root of what `half` lacks (side 1) or must lose (side -1).

    Returns the number of rows written, and the position to continue from.
    """
    cdef const real* x = head(values)
    cdef const index* j = columns_of(rows, columns)
    cdef Py_ssize_t i, k = first, p, start, stop, count = 0, d = rows.n_columns, n = s.which.shape[0]
    cdef double h
    with nogil:
        while k < n and count < block.shape[0]:
            h = side * (s.h[k] - s.had[k])
            if h > 0:
                s.had[k] = s.h[k]
                h = sqrt(h)
                i = s.which[k]
                start = row_start(&rows.layout, i)
                stop = row_start(&rows.layout, i + 1)
                if j != NULL:
                    memset(&block[count, 0], 0, d * sizeof(double))
                    for p in range(start, stop):
                        block[count, j[p]] += h * x[p]
                else:
                    for p in range(d):
                        block[count, p] = h * x[start + p]
                block[count, d] = h
                count += 1
            k += 1
    return count, k


def update_multipliers(ActiveSet s):
    """Set the multipliers to the hinge's b at the margins, a step of the method of multipliers."""
    with nogil:
        duals_of_margins(s, 0, s.which.shape[0])
    s.multiplier[:] = s.next


def newton_excess(ActiveSet s):
    """sum_i c_i phi(m_i) + b_i m_i - c_i psi(b_i / c_i) at the margins changed by dm_i."""
    cdef double c = 1, m, total = 0
    cdef Loss loss = s.loss
    cdef Py_ssize_t k
    with nogil:
        for k in range(s.which.shape[0]):
            if s.c != NULL:
                c = s.c[k]
            m = s.m[k] + s.dm[k]
            total += c * (loss_value(loss, m) - dual_term(loss, s.b[k] / c)) + s.b[k] * m
    return total


cdef (double, double, double) newton_slope(ActiveSet s, double t) noexcept nogil:
    """sum_i b_i dm_i, sum_i h_i dm_i^2 and sum_i |b_i dm_i| once all margins have changed by t dm_i."""
    cdef double[BLOCK_ROWS] b, h
    cdef double down = 0, bend = 0, size = 0
    cdef const double* change
    cdef Py_ssize_t k, first = 0, count
    while first < s.which.shape[0]:
        count = min(s.which.shape[0] - first, <Py_ssize_t>BLOCK_ROWS)
        change = s.dm + first
        terms(s, t, first, count, b, h)
        for k in range(count):
            down += change[k] * b[k]
            bend += change[k] * change[k] * h[k]
            size += fabs(change[k]) * b[k]
        first += count
    return down, bend, size


def take_step(
    ActiveSet s, const double[::1] step, const double[:, ::1] z, double[::1] w, double alpha, double share,
    double slope_left,
):
    """Move w and the margins along `step`, until the slope is at most `slope_left` times its first value."""
    cdef Py_ssize_t k, _try, n = s.which.shape[0], d = w.shape[0] - 1
    cdef const double* p = &step[0]
    cdef double low = 0, high = INFINITY, t = 1, ridge, pull, fixed, down, bend, rounded, slope, newton
    with nogil:
        ridge = alpha * dot[double, int32_t](p, NULL, d, p)
        pull = share * dot[double, int32_t](s.b, NULL, n, s.dm)
        fixed = alpha * dot[double, int32_t](&w[0], NULL, d, p) + pull
        fixed -= share * dot[double, int32_t](&z[0, 0], NULL, d + 1, p)
        fixed -= share * dot[double, int32_t](&z[1, 0], NULL, d + 1, p)
        for _try in range(60):
            down, bend, rounded = newton_slope(s, t)
            slope = fixed + t * ridge - share * down
            if fabs(slope) <= slope_left * fabs(fixed - pull) + 1e-14 * (fabs(fixed) + share * rounded):
                break
            if slope < 0:
                low = t
            else:
                high = t
            if high == INFINITY:
                t *= 4
                continue
            bend = ridge + share * s.penalty * bend
            newton = t - slope / bend if bend > 0 else INFINITY
            t = newton if low < newton < high else (low + high) / 2
        for k in range(d + 1):
            w[k] += t * p[k]
        for k in range(n):
            s.m[k] += t * s.dm[k]


def fill_system(
    const double[:, ::1] half, double curvature, const double[:, ::1] z, const double[::1] w, double alpha,
    double share, double[::1] g, double[:, ::1] H, double[::1] short,
):
    """Write the gradient to g, and the Hessian to H; without the intercept if they have no entry for it.

    An intercept without curvature gets a small value on the diagonal.

    Writes w - w(b) to `short`, with b balanced if there is an intercept. Returns what this difference adds to
    the gap: half its square, measured by H, and what balancing may cost.
    """
    cdef Py_ssize_t i, k, first = 0, last, size = g.shape[0], d = short.shape[0]
    cdef double a, excess, total = z[0, d] + z[1, d], cost = 0, balancing = 0
    cdef const double* heavier = NULL
    with nogil:
        while first < size:
            last = min(first + <Py_ssize_t>TILE, size)
            for i in range(last):
                for k in range(max(i, first), last):
                    a = (half[i, k] + half[k, i]) * curvature
                    H[i, k] = a
                    H[k, i] = a
            first = last
        for i in range(size):
            g[i] = -share * (z[0, i] + z[1, i])
        for i in range(d):
            H[i, i] += alpha
            g[i] += alpha * w[i]
            short[i] = g[i]
        if size > d:
            H[d, d] += 1e-3 * fabs(g[d]) + 1e-300
            if total != 0:
                heavier = &z[total > 0, 0]
                excess = 1 if heavier[d] == 0 else min(1.0, total / heavier[d])
                for i in range(d):
                    short[i] += share * excess * heavier[i]
                balancing = fabs(g[d]) * (1 + fabs(w[d]))
        for i in range(d):
            short[i] /= alpha
        for i in range(d):
            cost += short[i] * dot[double, int32_t](&H[i, 0], NULL, d, &short[0])
    return 0.5 * cost + balancing


def cholesky(const double[:, ::1] H, double[:, ::1] factor):
    """Write the lower triangular factor of H = factor factor^T; False if H is not positive definite."""
    cdef Py_ssize_t i, k, n = H.shape[0]
    cdef double square = 1
    with nogil:
        for i in range(n):
            for k in range(i):
                factor[i, k] = H[i, k] - dot[double, int32_t](&factor[i, 0], NULL, k, &factor[k, 0])
                factor[i, k] /= factor[k, k]
            square = H[i, i] - dot[double, int32_t](&factor[i, 0], NULL, i, &factor[i, 0])
            if not square > 0:  # nor NaN
                break
            factor[i, i] = sqrt(square)
    return square > 0


def solve_factorised(const double[:, ::1] H, const double[:, ::1] factor, const double[::1] slope):
    """Solve H p = slope, with the lower triangular factor of H, and one step of iterative refinement."""
    cdef Py_ssize_t i, n = slope.shape[0]
    found = np.array(slope)
    cdef double[::1] p = found, rest = np.empty(n)
    with nogil:
        substitute(factor, p)
        for i in range(n):
            rest[i] = slope[i] - dot[double, int32_t](&H[i, 0], NULL, n, &p[0])
        substitute(factor, rest)
        for i in range(n):
            p[i] += rest[i]
    return found


cdef void substitute(const double[:, ::1] factor, double[::1] x) noexcept nogil:
    """Solve factor factor^T p = x, with a lower triangular factor; p replaces x."""
    cdef Py_ssize_t i, n = factor.shape[0]
    for i in range(n):
        x[i] = (x[i] - dot[double, int32_t](&factor[i, 0], NULL, i, &x[0])) / factor[i, i]
    for i in range(n - 1, -1, -1):
        x[i] /= factor[i, i]
        axpy[double, int32_t](-x[i], &factor[i, 0], NULL, i, &x[0])
