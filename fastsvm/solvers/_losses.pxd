"""Losses of the margin m = y (w.x + b0): value, slope, dual term, dual coordinate step.

Codes and widths are those of the table in `losses.py`, which has the other properties. Everything is for
sample weight c = 1, except where c is an argument. The dual variable b is in c * domain.
"""

from libc.math cimport exp, fabs, log, log1p


cdef enum:
    HINGE = 0
    SQUARED_HINGE = 1
    SMOOTH_HINGE = 2
    LOG = 3
    PERCEPTRON = 4  # only its value is defined here


cdef struct Loss:  # properties from the table in losses.py
    int code
    double width  # of the bend of the smooth hinge
    double upper  # upper bound of the dual variable of a row of weight 1
    bint quadratic  # whether the dual term is quadratic between the bounds
    bint straight  # whether the loss is a straight line below its bend


cdef inline double sigmoid(double z) noexcept nogil:
    """1 / (1 + exp(-z)), without overflow."""
    cdef double e
    if z >= 0:
        return 1 / (1 + exp(-z))
    e = exp(z)
    return e / (1 + e)


cdef inline double loss_value(Loss loss, double m) noexcept nogil:
    cdef double short_by = 1 - m
    if loss.code == LOG:
        return log1p(exp(-m)) if m > 0 else log1p(exp(m)) - m
    if loss.code == PERCEPTRON:
        return -m if m < 0 else 0
    if short_by <= 0:
        return 0
    if loss.code == HINGE:
        return short_by
    if loss.code == SQUARED_HINGE:  # straight beyond: the modified Huber loss
        if 2 * short_by > loss.upper:
            return loss.upper * (short_by - 0.25 * loss.upper)
        return short_by * short_by
    if short_by >= loss.width:
        return short_by - 0.5 * loss.width
    return 0.5 * short_by * short_by / loss.width


cdef inline double minus_slope(Loss loss, double m) noexcept nogil:
    """-phi'(m) >= 0, the dual variable of a row with margin m at the optimum."""
    cdef double short_by = 1 - m
    if loss.code == LOG:
        return sigmoid(-m)
    if short_by <= 0:
        return 0
    if loss.code == HINGE:
        return 1
    if loss.code == SQUARED_HINGE:
        return min(2 * short_by, loss.upper)
    return 1 if short_by >= loss.width else short_by / loss.width


cdef inline double dual_term(Loss loss, double b) noexcept nogil:
    """psi(b) = -phi*(-b)."""
    if loss.code == HINGE:
        return b
    if loss.code == SQUARED_HINGE:
        return b - 0.25 * b * b
    if loss.code == SMOOTH_HINGE:
        return b - 0.5 * loss.width * b * b
    return (-b * log(b) if b > 0 else 0) - ((1 - b) * log1p(-b) if b < 1 else 0)


cdef inline double loss_of_dual(Loss loss, double b) noexcept nogil:
    """phi(m) at the margin m with -phi'(m) = b, for a loss whose dual is not quadratic: log."""
    return -log1p(-b)


cdef inline double clip(double b, double upper) noexcept nogil:
    return 0 if b <= 0 else (upper if b >= upper else b)


cdef inline double log_step(double m, double b, double q, double c) noexcept nogil:
    """The b' with log((c - b')/b') = m + q (b' - b), through s, the margin after the step.

    With b' = c sigmoid(-s), the equation is h(s) = s - m - q (c sigmoid(-s) - b) = 0. h is increasing,
    convex for s < 0 and concave for s > 0, so Newton steps that start at 0 and stay on the root's side of 0
    approach the root without passing it (the safeguard of Yu, Huang & Lin 2011).
    """
    cdef double s = m, z, h, step, slope
    cdef double side = 1 if m + q * (0.5 * c - b) > 0 else -1  # the sign of -h(0) is that of the root
    cdef int k
    for k in range(100):
        if s * side < 0:
            s = 0
        z = sigmoid(-s)
        slope = z * (1 - z)
        h = s - m - q * (c * z - b)
        if k > 0 and h * side >= 0:  # only rounding takes a step past the root
            return c * z
        step = h / (1 + q * c * slope)
        s -= step
        if fabs(step) <= 1e-6 * fabs(s):  # errors are quadratic in the last step
            return c * (z + slope * step)
    return c * sigmoid(-s)


cdef inline double curvature(Loss loss, double c) noexcept nogil:
    """-psi'' of quadratic dual terms, for weight c."""
    if loss.code == HINGE:
        return 0
    return 1 / (2 * c) if loss.code == SQUARED_HINGE else loss.width / c


cdef inline double dual_slope(Loss loss, double m, double b, double c) noexcept nogil:
    """The derivative of n D by this coordinate at margin m; for losses with a quadratic dual."""
    return 1 - m - curvature(loss, c) * b


cdef inline double dual_step(Loss loss, double m, double b, double q, double c) noexcept nogil:
    """The b that maximises the dual over this coordinate, for margin m and q = ||x||^2 / (alpha n)."""
    cdef double slope, steepness
    if loss.code == LOG:
        return log_step(m, b, q, c)
    slope = dual_slope(loss, m, b, c)
    steepness = q + curvature(loss, c)
    if steepness == 0:  # a row of zeros has margin 0, and the hinge's term is linear in b
        return c if slope > 0 else 0
    b += slope / steepness
    return clip(b, loss.upper * c)


cdef inline double momentum_step(
    Loss loss, double m, double b, double q, double c, double momentum, double last
) noexcept nogil:
    """The same, plus a share of the row's last change; for losses with a quadratic dual.

    The dual rises with any step in the direction of the exact step that is less than twice as long.
    """
    cdef double exact, step, steepness = q + curvature(loss, c)
    cdef double longer = 1 + 0.4 * momentum, farthest = 1.8  # of the exact step
    if steepness == 0:
        return dual_step(loss, m, b, q, c)
    exact = dual_slope(loss, m, b, c) / steepness
    step = longer * exact + momentum * last
    if exact > 0:
        step = max(0, min(step, farthest * exact))
    else:
        step = min(0, max(step, farthest * exact))
    return clip(b + step, loss.upper * c)


cdef inline double gap_term(Loss loss, double m, double b, double change, double q, double c) noexcept nogil:
    """c phi(m) - c psi(b/c) + b m >= 0, the term of a row with m and b in n (P(w(b)) - D(b)).

    If the dual is not quadratic, as for the log loss, it is computed to second order from the step's change.
    """
    cdef double h
    if not loss.quadratic:
        b += change
        h = c / max(b * (c - b), 1e-300)
        return 0.5 * change * change * (h + q) * (1 + q / h)
    return c * (loss_value(loss, m) - dual_term(loss, b / c)) + b * m
