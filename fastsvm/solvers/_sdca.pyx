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
    last_gap, pace : the gap as met in the last epoch but one, and its ratio to the one before
    anchor : the intercept when the rows left out were dropped
    largest : the largest ||w||^2 at the end of an epoch
    straight, shrinking, has_momentum : of the solver
    slope_share, hopeful, momentum_share, most_momentum, slow_balance : its constants
    """

    cdef Loss loss
    cdef double rate
    cdef public double bias_rate, most_bias_rate, imbalance, slow_balance
    cdef double[::1] w, dual, averaging_correction, above
    cdef const double[::1] squared_norms
    cdef int8_t[::1] dropped
    cdef float[::1] moves
    cdef public double bias, momentum, threshold, violation, dropped_loss, dropped_dual_margins
    cdef readonly double gap, loss_sum, dual_margins
    cdef public Py_ssize_t averaged, seen
    cdef public double last_gap, pace, anchor, largest, slope_share, hopeful, momentum_share, most_momentum
    cdef public bint straight, shrinking, has_momentum

    def __init__(
        self, Loss loss, double rate, double bias_rate, w, dual, squared_norms, dropped=None,
        averaging_correction=None, above=None, moves=None,
    ):
        self.loss, self.rate, self.bias_rate = loss, rate, bias_rate
        self.w, self.dual, self.squared_norms, self.dropped = w, dual, squared_norms, dropped
        self.averaging_correction, self.above, self.moves = averaging_correction, above, moves
        self.seen = -1
        self.threshold = INFINITY
        self.dropped_loss = self.dropped_dual_margins = 0

    cpdef void begin(self) noexcept nogil:
        """Reset the sums of an epoch."""
        self.gap = self.violation = 0
        self.loss_sum, self.dual_margins = self.dropped_loss, self.dropped_dual_margins


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
    Py_ssize_t most=1,
):
    """Take the coordinate step on the rows of `order`, an epoch or a part of one, one after the other.

    In the modified-SGD epoch (`state.seen` >= 0) the t-th row is treated as the last of a problem of
    t rows: w_t = w n / t, and 1 / (alpha t) stands for 1 / (alpha n).

    Up to `most` epochs follow one another, each of permuted rows, up to one whose end is not `passed`.

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
            if epochs >= most or not passed(state, &signs[0], visits, &n_visits):
                break
            bias = state.bias
            fisher_yates(visits, n_visits, draws)
    return epochs, n_visits


cdef bint passed(
    SDCAState s, const int8_t* signs, int32_t* visits, Py_ssize_t* n_visits
) noexcept nogil:
    """End an epoch and begin the next as `SDCASolver` does; False, all but, if there is more to decide."""
    cdef double above = 0, below = 0, imbalance, pace
    cdef double gap = max(s.gap, 0.0), threshold = s.slope_share * s.violation
    cdef Py_ssize_t i
    for i in range(s.dual.shape[0]):
        if signs[i] > 0:
            above += s.dual[i]
        else:
            below += s.dual[i]
    imbalance = fabs(above - below)
    if s.bias_rate > 0 and s.straight:
        gap += imbalance * s.loss_sum / max(above + below, DBL_MIN)
    pace = gap / s.last_gap if gap < s.last_gap else 1
    if gap * pace <= s.hopeful * (s.loss_sum + s.dual_margins / 2):
        return False
    if imbalance > s.slow_balance * s.imbalance and s.bias_rate < s.most_bias_rate:
        return False
    if s.shrinking:
        if fabs(s.bias - s.anchor) > threshold:
            return False
        n_visits[0] = kept_rows(visits, n_visits[0], &s.dropped[0])
        if n_visits[0] == 0:
            return False
        s.threshold = threshold
    if s.bias_rate > 0:
        s.bias += s.bias_rate * (above - below)
        s.imbalance = imbalance
        s.largest = max(s.largest, squares(&s.w[0], s.w.shape[0]))
    s.last_gap, s.pace = gap, pace
    if s.has_momentum:
        s.momentum = min(s.most_momentum, s.momentum_share * (pace * pace))
    s.begin()
    return True


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
