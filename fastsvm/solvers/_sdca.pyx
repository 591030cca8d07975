"""SDCA: one dual coordinate at a time, maximised exactly (Shalev-Shwartz & Zhang 2013; Hsieh et al. 2008)."""

import cython

from libc.float cimport DBL_MIN
from libc.math cimport INFINITY, fabs

from ._losses cimport (
    Loss, dual_slope, dual_step, dual_term, gap_term, loss_of_dual, loss_value, momentum_step,
)
from ._random cimport fisher_yates
from ._rows cimport AHEAD, Rows, axpy, columns_of, dot, prefetch, prefetch_row, row_start, shift
from ._simd cimport squares
from ._types cimport SHORT, head, index, int8_t, int32_t, real, uint64_t

# How much each matters is measured by `python -m benchmarks.tuning sdca`; see benchmarks/README.md.
MOMENTUM = 0.55  # times the square of the gap's ratio to the one before is the momentum of a step's
MOST_MOMENTUM = 0.3  # the largest momentum
SHRINK_SLOPE = 0.25  # of the largest slope, above which a row at its bound is left out (LIBLINEAR: 1)
HOPEFUL_GAP = 1.5  # times the gap of `tol`, up to which some rows are to be looked at again
SLOW_BALANCE = 0.5  # of an epoch's imbalance left by the next, above which the intercept's steps get longer
LONGER_STEPS = 4  # times as long


cdef struct Rules:
    double momentum, most_momentum, shrink_slope, hopeful_gap, slow_balance, longer_steps


@cython.final
cdef class SDCAState:
    """The state of an epoch, changed in place.

    Parameters
    ----------
    loss : `Loss.struct`
    rate : 1 / (alpha n)
    bias_rate : the same for the intercept's own proximal term; 0 for no intercept
    w, dual, squared_norms : float64 arrays
    dropped : int8 of shape (n_rows,), or None
        Set to 1 for rows that need no more visits for now.
    averaging_correction : float64 of shape (n_rows,), or None
        Per row, the dual mass times the number of averaged steps it was missing from.
    above : float64 of w's shape, or None
        The share of w that the rows of sign +1 have.
    moves : float32 of shape (n_rows,), or None
        The last change of each dual variable.

    Attributes
    ----------
    bias : the intercept
    bias_rate, most_bias_rate, imbalance : its rate, the most that may become, |sum_i b_i y_i| an epoch ago
    momentum : share of its last change that a step gets
    threshold : a row at a bound of its box is dropped if the dual's slope pushes it there by more
    violation : the largest slope that moved a row
    gap, loss_sum, dual_margins : sums of gap terms, losses and b_i m_i over the rows, each as it was met
    dropped_loss, dropped_dual_margins : the same of the rows dropped
    averaged : steps since averaging began
    seen : rows seen by the modified-SGD epoch; -1 outside it
    last_gap, pace : the gap as estimated at the end of the last epoch, and its ratio to the one before
    anchor : the intercept when the rows left out were dropped
    largest : the largest ||w||^2 at the end of an epoch
    shrinking : whether rows are left out
    """

    cdef Loss loss
    cdef Rules rules
    cdef double rate
    cdef public double bias_rate, most_bias_rate, imbalance
    cdef double[::1] w, dual, averaging_correction, above
    cdef const double[::1] squared_norms
    cdef int8_t[::1] dropped
    cdef float[::1] moves
    cdef public double bias, momentum, threshold, violation, dropped_loss, dropped_dual_margins
    cdef readonly double gap, loss_sum, dual_margins
    cdef public Py_ssize_t averaged, seen
    cdef readonly double last_gap, pace
    cdef public double anchor, largest
    cdef public bint shrinking

    def __init__(
        self, Loss loss, double rate, double bias_rate, w, dual, squared_norms, dropped=None,
        averaging_correction=None, above=None, moves=None,
    ):
        self.rules = Rules(MOMENTUM, MOST_MOMENTUM, SHRINK_SLOPE, HOPEFUL_GAP, SLOW_BALANCE, LONGER_STEPS)
        self.loss, self.rate, self.bias_rate = loss, rate, bias_rate
        self.w, self.dual, self.squared_norms, self.dropped = w, dual, squared_norms, dropped
        self.averaging_correction, self.above, self.moves = averaging_correction, above, moves
        self.seen = -1
        self.threshold = self.imbalance = INFINITY
        self.dropped_loss = self.dropped_dual_margins = 0

    cpdef void begin(self) noexcept nogil:
        """Reset the sums of an epoch."""
        self.gap = self.violation = 0
        self.loss_sum, self.dual_margins = self.dropped_loss, self.dropped_dual_margins

    cpdef bint must_revisit(self) noexcept nogil:
        """Set the threshold as the slopes of this epoch suggest.

        Return whether the intercept has moved by more since rows were dropped: then all are to be visited.
        """
        self.threshold = self.rules.shrink_slope * self.violation
        return fabs(self.bias - self.anchor) > self.threshold

    cpdef bint is_hopeful(self, double gap, double tol) noexcept nogil:
        """Whether a gap, a sum over the rows, is so near to `tol` that a look at some rows pays."""
        return gap <= self.rules.hopeful_gap * (tol * (self.loss_sum + self.dual_margins / 2))

    cpdef bint end_epoch(
        self, const int8_t[::1] signs, double tol=0, bint unless_hopeful=False
    ) noexcept nogil:
        """End an epoch: estimate the gap, step on the intercept, and set the momentum of the next epoch.

        The gap was summed over the rows as they were met. Balance costs something, too: the heavier class
        is scaled down, at its mean slack for each unit. `tol` 0: no gap is estimated.

        The step on the intercept is a proximal one: the centre moves to the intercept reached, which keeps
        what the dual adds. Steps become longer where they leave most of the imbalance.

        Returns
        -------
        bool : False if `unless_hopeful` and the gap may be near `tol`: then nothing is changed
        """
        cdef double positive = 0, negative = 0, imbalance, pace, gap
        cdef Py_ssize_t i
        if self.bias_rate > 0:
            for i in range(self.dual.shape[0]):
                if signs[i] > 0:
                    positive += self.dual[i]
                else:
                    negative += self.dual[i]
        imbalance = fabs(positive - negative)
        if tol > 0:
            gap = max(self.gap, 0.0)
            if self.bias_rate > 0 and self.loss.straight:
                gap += imbalance * self.loss_sum / max(positive + negative, DBL_MIN)
            pace = gap / self.last_gap if gap < self.last_gap else 1
            if unless_hopeful and self.is_hopeful(gap * pace, tol):
                return False
            self.last_gap, self.pace = gap, pace
            if self.moves is not None:
                self.momentum = min(self.rules.most_momentum, self.rules.momentum * (pace * pace))
        if self.bias_rate > 0:
            self.bias += self.bias_rate * (positive - negative)
            if imbalance > self.rules.slow_balance * self.imbalance:
                self.bias_rate = max(
                    self.bias_rate, min(self.rules.longer_steps * self.bias_rate, self.most_bias_rate)
                )
            self.imbalance = imbalance
            if self.above is None:  # w is not summed again where its dual is balanced
                self.largest = max(self.largest, squares(&self.w[0], self.w.shape[0]))
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
    const double[::1] scores, const int8_t[::1] signs, const double[::1] weights, double bias, SDCAState state
):
    """Three sums over the rows at these scores w.x_i, and which rows need no visits.

    Of c_i phi(m_i); of the same over the rows dropped, and of their b_i m_i.
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
            m = signs[i] * (scores[i] + bias)
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
    const double[::1] weights, const int32_t[::1] which, Py_ssize_t step, const double[::1] w, double bias,
    const double[::1] dual, SDCAState state,
):
    """Mean of what every step-th row of `which` adds to the gap: c phi(m) - c psi(b/c) + b m at (w, bias)."""
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
            m = signs[i] * (dot(x + start, shift(j, start), row_start(&rows.layout, i + 1) - start, v) + bias)
            total += c * (loss_value(loss, m) - dual_term(loss, dual[i] / c)) + dual[i] * m
    return total / max(1, -(-n // step))


def run_epoch(
    Rows rows, const real[::1] values, const index[::1] columns, const int8_t[::1] signs,
    const double[::1] weights, const int32_t[::1] order, SDCAState state, uint64_t[::1] random=None,
    Py_ssize_t most=1, double tol=0,
):
    """Take the coordinate step on the rows of `order`, an epoch or a part of one, one after the other.

    In the modified-SGD epoch (`state.seen` >= 0) the t-th row is treated as the last of a problem of
    t rows: w_t = w n / t, and 1 / (alpha t) stands for 1 / (alpha n).

    Up to `most` epochs follow one another, each of permuted rows. The last is not ended: all rows may have to
    be visited after it, or none may be left, or its gap may be near `tol`.

    Returns
    -------
    (epochs, rows) : their number, and that of the rows left of `order`
    """
    cdef const real* x = head(values)
    cdef const index* j = columns_of(rows, columns)
    cdef const double* weight = head(weights)
    cdef double* w = <double*>head(state.w)
    cdef double* dual = <double*>head(state.dual)
    cdef double* averaging_correction = <double*>head(state.averaging_correction)
    cdef double* above = <double*>head(state.above)
    cdef float* moves = <float*>head(state.moves)
    cdef int32_t* visits = <int32_t*>head(order)
    cdef uint64_t* draws = &random[0] if random is not None else NULL
    cdef int8_t* dropped = <int8_t*>head(state.dropped)
    cdef const double* norms = head(state.squared_norms)
    cdef double n = rows.n_rows, rate = state.rate, bias_rate = state.bias_rate, bias = state.bias
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
                    if moves != NULL:
                        prefetch(moves + visits[k + AHEAD])
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
                m = signs[i] * (dot(x + start, shift(j, start), count, w) + bias)
                q = rate * norms[i] + bias_rate
                if seen > 0:
                    m = m * n / (seen - 1) if seen > 1 else 0
                    q *= n / seen
                b = dual[i]
                if momentum > 0:
                    change = momentum_step(loss, m, b, q, c, momentum, moves[i]) - b
                else:
                    change = dual_step(loss, m, b, q, c) - b
                if moves != NULL:
                    moves[i] = <float>change
                if dropped != NULL:
                    count_in(&tally, dropped + i, loss, m, b, change, q, c)
                if change != 0:
                    dual[i] = b + change
                    axpy(rate * change * signs[i], x + start, shift(j, start), count, w)
                    if above != NULL and signs[i] > 0:
                        axpy(rate * change, x + start, shift(j, start), count, above)
                    bias += bias_rate * change * signs[i]
                    if averaging_correction != NULL:
                        averaging_correction[i] += change * (state.averaged - 1)
            state.bias, state.seen, state.violation = bias, seen, tally.violation
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
            bias, bias_rate = state.bias, state.bias_rate
            fisher_yates(visits, n_visits, draws)
    return epochs, n_visits


cdef struct Tally:
    double threshold, violation, gap, loss, dual_margins, dropped_loss, dropped_dual_margins


cdef inline void count_in(
    Tally* tally, int8_t* dropped, Loss loss, double m, double b, double change, double q, double c
) noexcept nogil:
    """Add a row to the epoch's sums, and drop it if it sits firmly at a bound of its box."""
    cdef double value, slope
    cdef bint moved = change != 0 or (loss.quadratic and 0 < b < loss.upper * c)  # or would but for momentum
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
