"""SDCA: one dual coordinate at a time, maximised exactly.

Minimises over w, and over b0 if there is an intercept, with m_i = y_i (w.x_i + b0)::

    P(w, b0) = alpha/2 ||w||^2 + 1/n sum_i c_i phi(m_i)

by maximising over b, b_i in [0, c_i] or [0, inf), and with an intercept sum_i b_i y_i = 0::

    D(b) = 1/n sum_i c_i psi(b_i / c_i) - alpha/2 ||w(b)||^2,    w(b) = 1/(alpha n) sum_i b_i y_i x_i

A step on row i, with q_i = ||x_i||^2 / (alpha n) and upper = 1 or inf (`dual_step` of `_losses.pxd`)::

    hinge           b' = clip(b_i + (1 - m_i) / q_i,  0, c_i)
    squared hinge   b' = max(0, b_i + (1 - m_i - b_i / (2 c_i)) / (q_i + 1 / (2 c_i)))
    smooth hinge    b' = clip(b_i + (1 - m_i - g b_i / c_i) / (q_i + g / c_i),  0, c_i)
    log             the b' with log((c_i - b') / b') = m_i + q_i (b' - b_i), by Newton's method
    then            w += (b' - b_i) / (alpha n) y_i x_i

The intercept is found by proximal steps, the method of multipliers for sum_i b_i y_i = 0: within an epoch
b0 += s (b' - b_i) y_i and q_i += s, s the `intercept_step`; after it b0 += s sum_i b_i y_i (`end_epoch`).
Modified SGD, for a first epoch, treats the t-th row as the last one of a problem with t rows or, in a milder
form, (t + ahead) n / (n + ahead) rows. The intercept, which is not regularised, does not change.
Momentum adds a share of a row's last change to its step (`momentum_step`). Shrinking leaves out a row at a
bound if the slope of the dual pushes it beyond the bound by more than a threshold (`count_in`).

Sources: Shalev-Shwartz & Zhang, Stochastic dual coordinate ascent methods for regularized loss minimization,
JMLR 14 (2013), fig. 1 and sec. 5. Hsieh et al., A dual coordinate descent method for large-scale linear SVM,
ICML 2008, alg. 3 (shrinking). Yu, Huang & Lin, Dual coordinate descent methods for logistic regression and
maximum entropy models, Mach. Learn. 85 (2011). Rockafellar, Augmented Lagrangians and applications of the
proximal point algorithm, Math. Oper. Res. 1 (1976), for the intercept.
"""

import cython

from libc.float cimport DBL_MIN
from libc.math cimport INFINITY, copysign, fabs

from ._losses cimport (
    Loss, dual_slope, dual_step, dual_term, gap_term, loss_of_dual, loss_value, momentum_step,
)
from ._random cimport fisher_yates
from ._rows cimport AHEAD, Rows, axpy, columns_of, dot, prefetch, prefetch_row, row_start, shift, sums_by_sign
from ._simd cimport squares
from ._types cimport SHORT, head, index, int8_t, int32_t, real, uint64_t

# The effect of each constant is measured by `python -m benchmarks.tuning sdca`; see benchmarks/README.md.
MOMENTUM = 0.55  # the momentum, over the squared ratio of the gap to the previous gap
MOST_MOMENTUM = 0.3  # the largest momentum
SHRINK_SLOPE = 0.25  # share of the largest slope above which a row at a bound is left out (LIBLINEAR: 1)
NEAR_GAP = 1.5  # times the gap of `tol`: up to this gap, some rows are measured again
SLOW_BALANCE = 0.5  # share of the imbalance left by an epoch above which the intercept's steps get longer
LONGER_STEPS = 4  # the factor by which they do


cdef struct Rules:
    double momentum, most_momentum, shrink_slope, near_gap, slow_balance, longer_steps


@cython.final
cdef class SDCAState:
    """The state of an epoch, changed in place.

    Parameters
    ----------
    loss : `Loss.struct`
    rate : 1 / (alpha n)
    intercept_step : the same for the intercept's own proximal term; 0 for no intercept
    w, dual, squared_norms : float64 arrays
    dropped : int8 of shape (n_rows,), or None
        Set to 1 for rows that need no more visits for now.
    averaging_correction : float64 of shape (n_rows,), or None
        The sum of each change of a dual variable times the number of averaged steps before the change.
    w_positive : float64 of w's shape, or None
        The part of w from the rows of sign +1.
    last_changes : float32 of shape (n_rows,), or None
        The last change of each dual variable.

    Attributes
    ----------
    intercept : the intercept
    longest_intercept_step : the largest allowed `intercept_step`
    imbalance : sum_i b_i y_i an epoch ago
    momentum : the share of a row's last change that is added to its step
    threshold : a row at a bound is dropped if the dual's slope pushes it beyond the bound by more
    violation : the largest slope that moved a row
    gap, loss_sum, dual_margins : sums of gap terms, losses and b_i m_i over the rows, as visited
    dropped_loss, dropped_dual_margins : the same for the dropped rows
    averaged : steps since averaging began
    seen : rows seen by the modified-SGD epoch; -1 in other epochs
    ahead : rows that this epoch counts as already seen
    gap_estimate, gap_ratio : the gap estimated after the last epoch, and its ratio to the previous one
    screening_intercept : the intercept at which rows were dropped
    largest_squared_norm : the largest ||w||^2 after any epoch so far
    shrinking : whether rows are left out
    """

    cdef Loss loss
    cdef Rules rules
    cdef double rate
    cdef public double intercept_step, longest_intercept_step, imbalance
    cdef double[::1] w, dual, averaging_correction, w_positive
    cdef const double[::1] squared_norms
    cdef int8_t[::1] dropped
    cdef float[::1] last_changes
    cdef public double intercept, momentum, threshold, violation, dropped_loss, dropped_dual_margins
    cdef readonly double gap, loss_sum, dual_margins
    cdef public Py_ssize_t averaged, seen
    cdef public double ahead
    cdef readonly double gap_estimate, gap_ratio
    cdef public double screening_intercept, largest_squared_norm
    cdef public bint shrinking

    def __init__(
        self, Loss loss, double rate, double intercept_step, w, dual, squared_norms, dropped=None,
        averaging_correction=None, w_positive=None, last_changes=None,
    ):
        self.rules = Rules(MOMENTUM, MOST_MOMENTUM, SHRINK_SLOPE, NEAR_GAP, SLOW_BALANCE, LONGER_STEPS)
        self.loss, self.rate, self.intercept_step = loss, rate, intercept_step
        self.w, self.dual, self.squared_norms, self.dropped = w, dual, squared_norms, dropped
        self.averaging_correction, self.w_positive = averaging_correction, w_positive
        self.last_changes = last_changes
        self.seen, self.ahead = -1, 0
        self.threshold = self.imbalance = INFINITY
        self.dropped_loss = self.dropped_dual_margins = 0

    cpdef void begin(self) noexcept nogil:
        """Reset the sums of an epoch."""
        self.gap = self.violation = 0
        self.loss_sum, self.dual_margins = self.dropped_loss, self.dropped_dual_margins

    cpdef bint must_revisit(self) noexcept nogil:
        """Set the threshold according to the slopes of this epoch.

        Return whether the intercept has moved by more than that since rows were dropped, so that all rows
        must be visited.
        """
        self.threshold = self.rules.shrink_slope * self.violation
        return fabs(self.intercept - self.screening_intercept) > self.threshold

    cpdef bint is_near_tol(self, double gap, double tol) noexcept nogil:
        """Whether a gap, a sum over the rows, is so near to `tol` that measuring some rows again pays."""
        return gap <= self.rules.near_gap * (tol * (self.loss_sum + self.dual_margins / 2))

    cpdef bint end_epoch(
        self, const int8_t[::1] signs, double tol=0, bint unless_near_tol=False
    ) noexcept nogil:
        """End an epoch: estimate the gap, step on the intercept, and set the momentum of the next epoch.

        The gap was summed over the rows as visited. Balancing adds to it: the class with the larger sum is
        scaled down, at the cost of its mean slack per unit. With `tol` 0, no gap is estimated.

        The step on the intercept is a proximal step: the centre moves to the intercept reached. Steps become
        longer if they leave most of the imbalance.

        Returns
        -------
        bool : False if `unless_near_tol` and the gap may be near `tol`; nothing is changed then
        """
        cdef double positive = 0, negative = 0, imbalance, gap_ratio, gap, longer, squared_norm
        if self.intercept_step > 0:
            positive, negative = sums_by_sign(signs, self.dual)
        imbalance = positive - negative
        if tol > 0:
            gap = max(self.gap, 0.0)
            if self.intercept_step > 0 and self.loss.straight:
                gap += fabs(imbalance) * self.loss_sum / max(positive + negative, DBL_MIN)
            gap_ratio = gap / self.gap_estimate if gap < self.gap_estimate else 1
            if unless_near_tol and self.is_near_tol(gap * gap_ratio, tol):
                return False
            self.gap_estimate, self.gap_ratio = gap, gap_ratio
            if self.last_changes is not None:
                self.momentum = min(self.rules.most_momentum, self.rules.momentum * (gap_ratio * gap_ratio))
        if self.intercept_step > 0:
            self.intercept += self.intercept_step * imbalance
            if copysign(1, self.imbalance) * imbalance > self.rules.slow_balance * fabs(self.imbalance):
                longer = min(self.rules.longer_steps * self.intercept_step, self.longest_intercept_step)
                self.intercept_step = max(self.intercept_step, longer)
            self.imbalance = imbalance
            if self.w_positive is None:  # w is then not computed anew for the balanced dual
                squared_norm = squares(&self.w[0], self.w.shape[0])
                self.largest_squared_norm = max(self.largest_squared_norm, squared_norm)
        return True


def keep_rows(int32_t[::1] rows, const int8_t[::1] dropped):
    """Move the rows that are not dropped to the front of `rows`; return their number."""
    cdef Py_ssize_t kept, n = rows.shape[0]
    cdef int32_t* front = <int32_t*>head(rows)
    cdef const int8_t* marks = head(dropped)
    if n < SHORT:
        return kept_rows(front, n, marks)
    with nogil:
        kept = kept_rows(front, n, marks)
    return kept


cdef Py_ssize_t kept_rows(int32_t* rows, Py_ssize_t n, const int8_t* dropped) noexcept nogil:
    cdef Py_ssize_t k, kept = 0
    for k in range(n):
        rows[kept] = rows[k]
        kept += 1 - dropped[rows[k]]
    return kept


def screen_rows(
    const double[::1] scores, const int8_t[::1] signs, const double[::1] weights, double intercept,
    SDCAState state,
):
    """Mark the rows that need no visits at these scores w.x_i, and return three sums.

    They are the sums of c_i phi(m_i) over all rows and over the dropped rows, and of b_i m_i over the latter.
    """
    cdef const double* weight = head(weights)
    cdef Py_ssize_t i
    cdef double c = 1, m, b, slope, value, total = 0, dropped_loss = 0, dropped_dual_margins = 0
    with nogil:
        for i in range(scores.shape[0]):
            state.dropped[i] = 1
            if weight != NULL:
                c = weight[i]
                if c == 0:
                    continue
            m = signs[i] * (scores[i] + intercept)
            b = state.dual[i]
            value = c * loss_value(state.loss, m)
            slope = dual_slope(state.loss, m, b, c)
            total += value
            if b >= c * state.loss.upper and slope > state.threshold:
                dropped_loss += value
                dropped_dual_margins += b * m
            elif b > 0 or slope >= -state.threshold:
                state.dropped[i] = 0
    return total, dropped_loss, dropped_dual_margins


def mean_gap(
    Rows rows, const real[::1] values, const index[::1] columns, const int8_t[::1] signs,
    const double[::1] weights, const int32_t[::1] which, Py_ssize_t step, const double[::1] w,
    double intercept, const double[::1] dual, SDCAState state,
):
    """The mean of c phi(m) - c psi(b/c) + b m, a row's term of the gap, over every step-th row of `which`."""
    cdef const real* x = head(values)
    cdef const index* j = columns_of(rows, columns)
    cdef const double* weight = head(weights)
    cdef const double* v = head(w)
    cdef Loss loss = state.loss
    cdef Py_ssize_t i, k, start, n = which.shape[0]
    cdef double c = 1, m, total = 0
    with nogil:
        for k from 0 <= k < n by step:
            i = which[k]
            if weight != NULL:
                c = weight[i]
                if c == 0:
                    continue
            start = row_start(&rows.layout, i)
            m = signs[i] * (
                dot(x + start, shift(j, start), row_start(&rows.layout, i + 1) - start, v) + intercept
            )
            total += c * (loss_value(loss, m) - dual_term(loss, dual[i] / c)) + dual[i] * m
    return total / max(1, -(-n // step))


def run_epoch(
    Rows rows, const real[::1] values, const index[::1] columns, const int8_t[::1] signs,
    const double[::1] weights, const int32_t[::1] order, SDCAState state, uint64_t[::1] random=None,
    Py_ssize_t most=1, double tol=0,
):
    """Take the coordinate step on each row of `order`, which is an epoch or a part of one.

    In the modified-SGD epoch (`state.seen` >= 0), the t-th row is treated as the last row of a problem with t
    rows, plus `state.ahead`: w_t = w n / t, and 1 / (alpha t) replaces 1 / (alpha n).

    Up to `most` epochs are made, each on permuted rows. The caller ends the last one: all rows may have to be
    visited after it, or none may be left, or its gap may be near `tol`.

    Returns
    -------
    (epochs, rows) : their number, and the number of rows left of `order`
    """
    cdef const real* x = head(values)
    cdef const index* j = columns_of(rows, columns)
    cdef const double* weight = head(weights)
    cdef double* w = <double*>head(state.w)
    cdef double* dual = <double*>head(state.dual)
    cdef double* averaging_correction = <double*>head(state.averaging_correction)
    cdef double* w_positive = <double*>head(state.w_positive)
    cdef float* last_changes = <float*>head(state.last_changes)
    cdef int32_t* visits = <int32_t*>head(order)
    cdef uint64_t* draws = &random[0] if random is not None else NULL
    cdef int8_t* dropped = <int8_t*>head(state.dropped)
    cdef const double* norms = head(state.squared_norms)
    cdef double n = rows.n_rows, rate = state.rate, ahead = state.ahead, size
    cdef double intercept = state.intercept, intercept_step = state.intercept_step
    cdef double c = 1, m, q, b, change, momentum
    cdef Py_ssize_t i, k, start, count, n_visits = order.shape[0], seen = state.seen, epochs = 0
    cdef Loss loss = state.loss
    cdef Tally tally
    with nogil:
        while True:
            momentum = state.momentum
            tally.threshold, tally.violation = state.threshold, state.violation
            tally.gap = tally.loss = tally.dual_margins = 0
            tally.dropped_loss = tally.dropped_dual_margins = 0
            for k in range(n_visits):
                prefetch_row(&rows.layout, x, j, visits, k, n_visits)
                if k + AHEAD < n_visits:
                    prefetch(dual + visits[k + AHEAD])
                    prefetch(norms + visits[k + AHEAD])
                    if last_changes != NULL:
                        prefetch(last_changes + visits[k + AHEAD])
                i = visits[k]
                if averaging_correction != NULL:
                    state.averaged += 1
                if seen >= 0:
                    seen += 1
                if weight != NULL:
                    c = weight[i]
                    if c == 0:
                        continue
                start = row_start(&rows.layout, i)
                count = row_start(&rows.layout, i + 1) - start
                m = dot(x + start, shift(j, start), count, w)
                q = rate * norms[i]
                if 0 < seen <= n:
                    size = seen + ahead
                    m = m * (n + ahead) / (size - 1) if size > 1 else 0
                    q *= (n + ahead) / size
                m = signs[i] * (m + intercept)
                q += intercept_step
                b = dual[i]
                if momentum > 0:
                    change = momentum_step(loss, m, b, q, c, momentum, last_changes[i]) - b
                else:
                    change = dual_step(loss, m, b, q, c) - b
                if last_changes != NULL:
                    last_changes[i] = <float>change
                if dropped != NULL:
                    count_in(&tally, dropped + i, loss, m, b, change, q, c)
                if change != 0:
                    dual[i] = b + change
                    axpy(rate * change * signs[i], x + start, shift(j, start), count, w)
                    if w_positive != NULL and signs[i] > 0:
                        axpy(rate * change, x + start, shift(j, start), count, w_positive)
                    intercept += intercept_step * change * signs[i]
                    if averaging_correction != NULL:
                        averaging_correction[i] += change * (state.averaged - 1)
            state.intercept, state.seen, state.violation = intercept, seen, tally.violation
            state.gap += tally.gap
            state.loss_sum += tally.loss
            state.dual_margins += tally.dual_margins
            state.dropped_loss += tally.dropped_loss
            state.dropped_dual_margins += tally.dropped_dual_margins
            epochs += 1
            if epochs >= most:
                break
            if state.shrinking:
                if state.must_revisit():
                    break
                n_visits = kept_rows(visits, n_visits, dropped)
            if n_visits == 0 or not state.end_epoch(signs, tol, True):
                break
            state.begin()
            intercept, intercept_step = state.intercept, state.intercept_step
            fisher_yates(visits, n_visits, draws)
    return epochs, n_visits


cdef struct Tally:
    double threshold, violation, gap, loss, dual_margins, dropped_loss, dropped_dual_margins


cdef inline void count_in(
    Tally* tally, int8_t* dropped, Loss loss, double m, double b, double change, double q, double c
) noexcept nogil:
    """Add a row to the epoch's sums, and drop the row if the slope firmly holds its variable at a bound."""
    cdef double value, slope
    cdef bint moved = change != 0 or (loss.quadratic and 0 < b < loss.upper * c)  # or would
    if moved:
        tally.gap += gap_term(loss, m, b, change, q, c)
    elif b == 0:
        if m - 1 > tally.threshold:
            dropped[0] = 1
        return
    tally.dual_margins += b * m
    if not loss.quadratic:
        tally.loss += c * loss_of_dual(loss, (b + change) / c)  # after the step
        return
    value = c * loss_value(loss, m)
    tally.loss += value
    slope = fabs(dual_slope(loss, m, b, c))
    if moved:
        tally.violation = max(tally.violation, slope)
    elif slope > tally.threshold:
        dropped[0] = 1
        tally.dropped_loss += value
        tally.dropped_dual_margins += b * m
