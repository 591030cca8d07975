"""Kernel machines: the steps of Pegasos and SDCA on rows of a kernel matrix, and sums over panels of rows.

All one-vs-rest problems share the kernel matrix; signs, dual variables and scores are arrays of shape
(n_classes, n). Row i of the matrix is rows[slots[i]], or not kept if slots[i] is -1.
"""

from libc.math cimport INFINITY, fabs, fabsf, sqrt

from .._losses cimport Loss, clip, curvature, dual_slope, dual_step, dual_term, loss_value
from .._random cimport fisher_yates
from .._rows cimport Rows, axpy, columns_of, row_start
from .._simd cimport add_four, exp_row, partner, step_and_choose, step_of_pair
from .._types cimport head, index, int8_t, int32_t, int64_t, real, uint64_t

cdef enum:
    COLUMNS = 512  # scores of a class that stay in the cache while rows are added
    CHECKS = 4  # checks of the gap per n steps
    LOOKS = 16  # the same, once the slopes of pairs are near enough
    LINE = 16  # values that may share a cache line, read in order while columns are mirrored

cdef double LEAST_VIOLATION = 1e-9  # the square root of a gain, in units of n D, that rounding hides
cdef double AT_BOUND = 1e-12  # of a row's weight: rounding leaves dual variables this far from a bound


def pegasos(
    const real[:, ::1] rows, const int32_t[::1] slots, int64_t[::1] used, const int32_t[::1] order,
    const int8_t[:, ::1] signs, const double[::1] weights, double alpha, int64_t t,
    double[:, ::1] counts, double[:, ::1] scores,
):
    """Take the steps t + 1, t + 2, ... on the rows in `order`, up to one whose values are missing.

    scores_i = sum_j counts_j y_j K(x_j, x_i), and row i changes f if y_i scores_i < alpha t. The last use of
    each row is written to `used`, unless that is empty.

    Returns
    -------
    int, the number of steps taken
    """
    cdef const double* weight = head(weights)
    cdef Py_ssize_t n = slots.shape[0], n_classes = signs.shape[0], k, c, i
    cdef double limit, step
    cdef bint any_short
    with nogil:
        for k in range(order.shape[0]):
            i = order[k]
            step = 1 if weight == NULL else weight[i]
            if step == 0:
                continue
            limit = alpha * <double>(t + k + 1)
            any_short = False
            for c in range(n_classes):
                any_short |= signs[c, i] * scores[c, i] < limit
            if not any_short:
                continue
            if slots[i] < 0:
                break
            if used.shape[0]:
                used[slots[i]] = t + k + 1
            for c in range(n_classes):
                if signs[c, i] * scores[c, i] < limit:
                    counts[c, i] += step
                    axpy(signs[c, i] * step, &rows[slots[i], 0], <const int32_t*>NULL, n, &scores[c, 0])
        else:
            k = order.shape[0]
    return k


def add_rows(
    const real[:, ::1] rows, const int32_t[::1] slots, const int32_t[::1] which,
    const double[:, ::1] factors, double[:, ::1] scores, Py_ssize_t first, Py_ssize_t last,
):
    """scores += factors @ K[which], for the columns from first to last.

    `factors` has the shape (n_classes, len(which)); zeros cost nothing.
    """
    cdef Py_ssize_t start, k, c, n, found
    cdef double a[4]
    cdef const real* x[4]
    with nogil:
        for start from first <= start < last by COLUMNS:
            n = min(<Py_ssize_t>COLUMNS, last - start)
            for c in range(factors.shape[0]):
                found = 0
                for k in range(which.shape[0]):
                    if factors[c, k] != 0:
                        a[found] = factors[c, k]
                        x[found] = &rows[slots[which[k]], start]
                        found += 1
                        if found == 4:
                            add_four(a, x, &scores[c, start], n)
                            found = 0
                for k in range(found):
                    axpy(a[k], x[k], <const int32_t*>NULL, n, &scores[c, start])


def gather(const real[:, ::1] rows, const int32_t[::1] places, const int32_t[::1] columns, real[:, ::1] out):
    """out[k] = rows[places[k], columns], for places[k] other than -1."""
    cdef Py_ssize_t k, j
    with nogil:
        for k in range(places.shape[0]):
            if places[k] >= 0:
                for j in range(columns.shape[0]):
                    out[k, j] = rows[places[k], columns[j]]


def spread(real[:, ::1] rows, const int32_t[::1] places, const int32_t[::1] columns, real[:, :] tile):
    """rows[places[k], columns[j]] = tile[k, j]."""
    cdef Py_ssize_t k, j
    with nogil:
        for k in range(places.shape[0]):
            for j in range(columns.shape[0]):
                rows[places[k], columns[j]] = tile[k, j]


def mirror(
    real[:, ::1] rows, const int32_t[::1] slots, const int32_t[::1] sources, const int32_t[::1] targets,
):
    """K[t, s] = K[s, t] for all s in `sources` and t in `targets`, where rows[slots[i]] is row i of K."""
    cdef Py_ssize_t start, k, j, t
    cdef real* target
    with nogil:
        for start from 0 <= start < targets.shape[0] by LINE:
            for k in range(start, min(start + LINE, targets.shape[0])):
                t = targets[k]
                target = &rows[slots[t], 0]
                for j in range(sources.shape[0]):
                    target[sources[j]] = rows[slots[sources[j]], t]


def gap_terms(
    const int8_t[::1] signs, const double[::1] weights, const double[::1] dual, const double[::1] scores,
    Loss loss, double[::1] terms, double intercept=0,
):
    """The term of each row in n (P - D), c phi(m) - c psi(b/c) + b m >= 0, if sum_i b_i y_i intercept = 0.

    Returns
    -------
    (gap, losses, dual_margins) : the sums of the terms, of c phi(m) and of b m
    """
    cdef const double* weight = head(weights)
    cdef double gap = 0, losses = 0, dual_margins = 0, c, m
    cdef Py_ssize_t i
    with nogil:
        for i in range(signs.shape[0]):
            c = 1 if weight == NULL else weight[i]
            m = signs[i] * (scores[i] + intercept)
            terms[i] = row_gap(loss, m, dual[i], c)
            gap += terms[i]
            losses += c * loss_value(loss, m)
            dual_margins += dual[i] * m
    return gap, losses, dual_margins


cdef inline double row_gap(Loss loss, double m, double b, double c) noexcept nogil:
    # For the log loss at its optimum, rounding errors have either sign.
    return max(c * (loss_value(loss, m) - dual_term(loss, b / c)) + b * m, 0.0) if c > 0 else 0


def ascend(
    const real[:, ::1] block, const double[::1] steepness, double rate, const int8_t[::1] signs,
    const double[::1] weights, double[::1] dual, double[::1] scores, Loss loss, int32_t[::1] order,
    uint64_t[::1] random, Py_ssize_t epochs, double goal, double intercept=0, double intercept_step=0,
):
    """Exact steps on one dual variable after another, in permuted passes, until their gap is `goal` or less.

    An intercept is found by proximal steps, one per epoch, which nearly keep sum_i b_i y_i.

    Parameters
    ----------
    block : kernel values among the rows, of shape (n, n)
    steepness : K(x_i, x_i) / (alpha n)
    rate : 1 / (alpha n)
    order : a permutation, which is shuffled unless `random` is empty
    intercept_step : the squared value of the intercept's column, over alpha n; 0 for no intercept

    Returns
    -------
    (epochs, gap, intercept)
    """
    cdef const double* weight = head(weights)
    cdef Py_ssize_t n = order.shape[0], k, i, done = 0
    cdef double gap = 0, excess = 0, change, c
    cdef uint64_t state = random[0] if random.shape[0] else 0
    with nogil:
        while done < epochs:
            if random.shape[0]:
                fisher_yates(&order[0], n, &state)
            for k in range(n):
                i = order[k]
                c = 1 if weight == NULL else weight[i]
                if c == 0:
                    continue
                change = dual_step(
                    loss, signs[i] * (scores[i] + intercept), dual[i], steepness[i] + intercept_step, c
                ) - dual[i]
                if change != 0:
                    dual[i] += change
                    excess += change * signs[i]
                    intercept += change * signs[i] * intercept_step
                    axpy(change * signs[i] * rate, &block[i, 0], <const int32_t*>NULL, n, &scores[0])
            done += 1
            intercept += intercept_step * excess
            gap = 0
            for i in range(n):
                c = 1 if weight == NULL else weight[i]
                gap += row_gap(loss, signs[i] * (scores[i] + intercept), dual[i], c)
            if gap <= goal:
                break
    if random.shape[0]:
        random[0] = state
    return done, gap, intercept


cdef inline void set_ways(
    Loss loss, double b, double y, double steepness, double c, double* up, double* down
) noexcept nogil:
    # A step gains the square of slope / sqrt(steepness), if it does not end at a bound.
    cdef double share = 1 / sqrt(max(steepness + curvature(loss, c), 1e-300))
    cdef double more = share if b < loss.upper * c else 0, less = share if b > 0 else 0
    up[0] = more if y > 0 else less
    down[0] = less if y > 0 else more


def climb(
    const real[:, ::1] block, const double[::1] steepness, double rate, const int8_t[::1] signs,
    const double[::1] weights, double[::1] dual, double[::1] scores, Loss loss, double[:, ::1] room,
    Py_ssize_t steps, double goal,
):
    """Exact steps, each on the dual variable that gains most, until their gap is `goal` or less.

    The next variable is chosen while the scores are updated.

    Parameters
    ----------
    block, steepness, rate : as in `ascend`
    loss : Loss, with a quadratic dual
    room : scratch, of shape (3, n)

    Returns
    -------
    (steps, gap)
    """
    cdef const double* weight = head(weights)
    cdef Py_ssize_t n = signs.shape[0], every = max(n // CHECKS, 1), i, k, done = 0
    cdef double* slope = &room[0, 0]  # of the dual by y b: the loop then needs no signs
    cdef double* up = &room[1, 0]
    cdef double* down = &room[2, 0]
    cdef double gap = 0, most = 0, change, c
    with nogil:
        for i in range(n):
            c = 1 if weight == NULL else weight[i]
            slope[i] = signs[i] * dual_slope(loss, signs[i] * scores[i], dual[i], c if c > 0 else 1)
            up[i] = down[i] = 0
            if c > 0:
                set_ways(loss, dual[i], signs[i], steepness[i], c, up + i, down + i)
        i = step_and_choose(0, &block[0, 0], slope, up, down, n, &most)
        while True:
            if done % every == 0 or done == steps or most < LEAST_VIOLATION:
                gap = 0
                for k in range(n):
                    c = 1 if weight == NULL else weight[k]
                    if c > 0:
                        gap += row_gap(loss, dual_slope(loss, signs[k] * slope[k], dual[k], c), dual[k], c)
                if gap <= goal or done == steps or most < LEAST_VIOLATION:
                    break
            c = 1 if weight == NULL else weight[i]
            change = dual[i]
            dual[i] = dual_step(
                loss, dual_slope(loss, signs[i] * slope[i], dual[i], c), dual[i], steepness[i], c
            )
            change = signs[i] * (dual[i] - change)
            slope[i] -= curvature(loss, c) * change
            set_ways(loss, dual[i], signs[i], steepness[i], c, up + i, down + i)
            i = step_and_choose(rate * change, &block[i, 0], slope, up, down, n, &most)
            done += 1
        for i in range(n):  # the formula from margins to slopes, the other way
            c = 1 if weight == NULL else weight[i]
            scores[i] = signs[i] * dual_slope(loss, signs[i] * slope[i], dual[i], c if c > 0 else 1)
    return done, gap


cdef inline void set_bounds(Loss loss, double b, double y, double c, double* up, double* down) noexcept nogil:
    # Whether y b may rise, and fall: infinities take the row out of the choice.
    cdef bint more = c > 0 and b < (loss.upper - AT_BOUND) * c, less = c > 0 and b > AT_BOUND * c
    up[0] = 0 if (more if y > 0 else less) else -INFINITY
    down[0] = 0 if (less if y > 0 else more) else INFINITY


cdef inline double room_of(Loss loss, double b, double y, double c) noexcept nogil:
    """How far y b may rise."""
    return loss.upper * c - b if y > 0 else b


def climb_in_pairs(
    const real[:, ::1] block, const double[::1] steepness, double rate, const int8_t[::1] signs,
    const double[::1] weights, double[::1] dual, double[::1] scores, Loss loss, double[:, ::1] room,
    Py_ssize_t steps, double goal, double tol, double slack,
):
    """Exact steps on two dual variables that keep sum_i b_i y_i, with LIBSVM's second-order selection.

    The first is the one whose y b has the steepest upward slope, the second the one that then gains most.

    Parameters
    ----------
    block, steepness, rate, loss : as in `climb`
    room : scratch, of shape (4, n)
    goal, tol : stop at a gap of `goal`, or of `tol` times the objective if that is larger,
    slack : and at this difference of slopes

    Returns
    -------
    (steps, whether the goal is not reached yet)
    """
    cdef const double* weight = head(weights)
    cdef Py_ssize_t n = signs.shape[0], every = max(n // LOOKS, 1), next_look = 0, i, j, k, done = 0
    cdef double* slope = &room[0, 0]  # of the dual by y b
    cdef double* up = &room[1, 0]
    cdef double* down = &room[2, 0]
    cdef double* bend = &room[3, 0]
    cdef double gap = 0, primal, high, low, middle, c, d, t, most
    with nogil:
        for i in range(n):
            c = 1 if weight == NULL else weight[i]
            slope[i] = signs[i] * dual_slope(loss, signs[i] * scores[i], dual[i], c if c > 0 else 1)
            bend[i] = steepness[i] + (curvature(loss, c) if c > 0 else 0)
            set_bounds(loss, dual[i], signs[i], c, up + i, down + i)
        i = step_of_pair(0, &block[0, 0], &block[0, 0], slope, up, down, n, &high, &low)
        while True:
            if done == steps or high - low < LEAST_VIOLATION or (done >= next_look and high - low <= slack):
                gap = primal = 0
                next_look = done + every
                middle = middle_of(high, low)
                for k in range(n):
                    c = 1 if weight == NULL else weight[k]
                    if c > 0:
                        t = dual_slope(loss, signs[k] * slope[k], dual[k], c) + signs[k] * middle
                        gap += row_gap(loss, t, dual[k], c)
                        primal += c * loss_value(loss, t) + dual[k] * t / 2
                if gap <= max(goal, tol * primal) or done == steps or high - low < LEAST_VIOLATION:
                    break
            j = partner(high, bend[i], 2 * rate, &block[i, 0], slope, down, bend, n)
            if j < 0:  # slopes that are not finite
                break
            c = 1 if weight == NULL else weight[i]
            d = 1 if weight == NULL else weight[j]
            t = (slope[i] - slope[j]) / max(bend[i] + bend[j] - 2 * rate * block[i, j], 1e-12)
            most = min(room_of(loss, dual[i], signs[i], c), room_of(loss, dual[j], -signs[j], d))
            t = min(t, most)
            dual[i] = clip(dual[i] + signs[i] * t, loss.upper * c)
            dual[j] = clip(dual[j] - signs[j] * t, loss.upper * d)
            slope[i] -= curvature(loss, c) * t
            slope[j] += curvature(loss, d) * t
            set_bounds(loss, dual[i], signs[i], c, up + i, down + i)
            set_bounds(loss, dual[j], signs[j], d, up + j, down + j)
            i = step_of_pair(rate * t, &block[i, 0], &block[j, 0], slope, up, down, n, &high, &low)
            done += 1
        for i in range(n):  # the formula from margins to slopes, the other way
            c = 1 if weight == NULL else weight[i]
            scores[i] = signs[i] * dual_slope(loss, signs[i] * slope[i], dual[i], c if c > 0 else 1)
    return done, gap > max(goal, tol * primal) or high - low > slack


def intercept_of(
    const int8_t[::1] signs, const double[::1] weights, const double[::1] dual, const double[::1] scores,
    Loss loss,
):
    """The intercept midway between the extreme slopes, and the largest difference of a pair's slopes."""
    cdef const double* weight = head(weights)
    cdef double high = -INFINITY, low = INFINITY, up, down, slope, c
    cdef Py_ssize_t i
    with nogil:
        for i in range(signs.shape[0]):
            c = 1 if weight == NULL else weight[i]
            if c > 0:
                set_bounds(loss, dual[i], signs[i], c, &up, &down)
                slope = signs[i] * dual_slope(loss, signs[i] * scores[i], dual[i], c)
                high, low = max(high, slope + up), min(low, slope + down)
    return middle_of(high, low), high - low


cdef inline double middle_of(double high, double low) noexcept nogil:
    """The mean of two slopes; if all rows are of one class, the finite slope, or 0."""
    if high == -INFINITY or low == INFINITY:
        return high if high > -INFINITY else (low if low < INFINITY else 0)
    return (high + low) / 2


def address(const unsigned char[::1] room):
    """The address of an array, ten times as fast as its `ctypes.data`."""
    return <size_t>&room[0]


def exp_of_distances(real[:, :] tile, real rate, const real[::1] few, const real[::1] many):
    """tile <- exp(min(0, rate tile - few' - many)); the rows of the tile need not be adjacent."""
    cdef Py_ssize_t k
    with nogil:
        for k in range(tile.shape[0]):
            exp_row(&tile[k, 0], rate, few[k], &many[0], tile.shape[1])


# Panels: the values of a few rows side by side, of shape (n_columns, n_panel), compared with all rows of X.


def scatter(
    Rows rows, const real[::1] values, const index[::1] columns, const int32_t[::1] which, real[:, ::1] panel,
):
    """Add the rows in `which` to the panel's columns."""
    cdef const real* x = head(values)
    cdef const index* j = columns_of(rows, columns)
    cdef Py_ssize_t k, p, start
    with nogil:
        for k in range(which.shape[0]):
            start = row_start(&rows.layout, which[k])
            for p in range(start, row_start(&rows.layout, which[k] + 1)):
                panel[j[p] if j != NULL else p - start, k] += x[p]


cdef inline real absolute(real v) noexcept nogil:
    if real is float:
        return fabsf(v)
    else:
        return fabs(v)


def panel_sums(
    Rows rows, const real[::1] values, const index[::1] columns, const real[:, ::1] panel,
    const real[::1] sizes, bint distances, Py_ssize_t first, real[:, ::1] out,
):
    """Dot products of X[first : first + len(out)] and the panel's rows, or their city-block distances.

    The sums begin at `sizes`: zeros for dot products; for distances, those of the rows from 0. Rows must not
    have repeated columns then.
    """
    cdef const real* x = head(values)
    cdef const index* j = columns_of(rows, columns)
    cdef Py_ssize_t m = panel.shape[1], i, k, p, start
    cdef const real* a
    cdef real* total
    cdef real v
    with nogil:
        for i in range(out.shape[0]):
            total = &out[i, 0]
            for k in range(m):
                total[k] = sizes[k]
            start = row_start(&rows.layout, first + i)
            for p in range(start, row_start(&rows.layout, first + i + 1)):
                a = &panel[j[p] if j != NULL else p - start, 0]
                v = x[p]
                if distances:
                    for k in range(m):
                        total[k] += absolute(a[k] - v) - absolute(a[k])
                else:
                    for k in range(m):
                        total[k] += v * a[k]
