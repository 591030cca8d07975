"""Conjugate gradients on the dual variables inside their box, for when coordinate steps crawl.

Once the rows at the bounds are settled, the dual is a quadratic function of the others, and the few
directions in which it is flat take coordinate steps hundreds of epochs.
"""

import numpy as np

from ._rows import margins

STEPS = 30
CURVATURE = {"hinge": 0.0, "squared_hinge": 0.5, "smooth_hinge": 1.0}  # -psi''


def polish(problem, loss, alpha, bias_rate, w, bias, dual):
    """Raise the dual, by moving the variables inside their box; change w and dual in place.

    Parameters
    ----------
    problem : Problem
    loss : {"hinge", "squared_hinge", "smooth_hinge"}
    alpha, bias_rate, w, bias, dual : as in `_sdca.State`; w is w(dual)

    Returns
    -------
    float, the bias
    """
    which = np.flatnonzero(problem.inside(dual, loss)).astype(np.int32)
    if not len(which):
        return bias
    top = np.broadcast_to(problem.top(loss), problem.n)[which]
    c = problem.weights[which] if problem.weights.size else 1.0
    b, y, curvature = dual[which], problem.signs[which], CURVATURE[loss] / c
    sparse = np.zeros(problem.n)

    def apply(p):
        """How a change p of b changes the slopes, and w."""
        sparse[which] = p
        u = problem.combine(sparse, alpha)
        return margins(problem, which, u, bias_rate * float(p @ y)) + curvature * p, u

    slope = 1 - curvature * b - margins(problem, which, w, bias)
    step, rest, direction = np.zeros(len(which)), slope, slope
    size = first = rest @ rest
    for _ in range(STEPS):
        bend, _ = apply(direction)
        if not size > 1e-8 * first or not direction @ bend > 0:
            break
        length = size / (direction @ bend)
        step, rest = step + length * direction, rest - length * bend
        size, before = rest @ rest, size
        direction = rest + size / before * direction

    step = np.clip(b + step, 0, top) - b
    bend, u = apply(step)
    gain = step @ slope
    if not gain > 0:
        return bias
    share = min(1.0, gain / (step @ bend))  # the best place on the way, which lies inside the box
    dual[which] = np.clip(b + share * step, 0, top)
    w += share * u
    return bias + share * bias_rate * float(step @ y)
