"""Moves of many dual variables of SDCA at once, for when coordinate steps are slow.

Once it is settled which dual variables are at a bound, the dual is a quadratic function of the others. In the
few directions in which it is flat, coordinate steps take hundreds of epochs, and conjugate gradients a few
steps.
"""

from functools import partial

import numpy as np

from ._scores import scores_at

MOST_STEPS = 30  # conjugate gradient steps, each a product with the rows strictly between their bounds
LEAST_RESIDUAL = 1e-8  # share of the squared residual at which they end
dot = partial(np.einsum, "i,i->")  # BLAS's result may depend on the alignment of the vectors


def free_variable_cg(problem, loss, alpha, intercept_step, w, intercept, dual):
    """Raise the dual by moving the variables strictly between their bounds; change w and dual in place.

    Parameters
    ----------
    problem : Problem
    loss : Loss, with a quadratic dual
    alpha, intercept_step, w, intercept, dual : as in `_sdca.SDCAState`; w is w(dual)

    Returns
    -------
    float, the intercept
    """
    which = np.flatnonzero(problem.is_free(dual, loss)).astype(np.int32)
    if not len(which):
        return intercept
    c = problem.weights[which] if problem.weights.size else 1.0
    y, curvature, sparse = problem.signs[which], loss.curvature / c, np.zeros(problem.n)

    def apply(p):
        sparse[which] = p
        u = problem.primal_from_dual(sparse, alpha)
        return y * (scores_at(problem.rows, u, which) + intercept_step * float(p @ y)) + curvature * p

    b, upper = dual[which], np.broadcast_to(problem.upper(loss), problem.n)[which]
    slope = 1 - curvature * b - y * (scores_at(problem.rows, w, which) + intercept)
    step = projected_cg_step(b, upper, slope, apply)
    if step is None:
        return intercept
    dual[which] = b + step
    sparse[which] = step
    w += problem.primal_from_dual(sparse, alpha)
    return intercept + intercept_step * float(step @ y)


def projected_cg_step(b, upper, slope, apply):
    """A step that raises a concave quadratic function and keeps the variables within their bounds.

    Parameters
    ----------
    b : array, the starting point
    upper : array, the upper bounds; the lower bounds are 0
    slope : array, the gradient at b
    apply : callable
        ``apply(p)`` returns by how much a step of p lowers the gradient.

    Returns
    -------
    array, or None if conjugate gradients find no ascent direction
    """
    step, residual, direction = np.zeros(len(b)), slope, slope
    size = first = dot(residual, residual)
    for _ in range(MOST_STEPS):
        bend = apply(direction)
        steepness = dot(direction, bend)
        if not size > LEAST_RESIDUAL * first or not steepness > 0:
            break
        length = size / steepness
        step, residual = step + length * direction, residual - length * bend
        size, before = dot(residual, residual), size
        direction = residual + size / before * direction
    step = np.clip(b + step, 0, upper) - b
    bend, gain = apply(step), dot(step, slope)
    if not gain > 0:
        return None
    return np.clip(b + min(1.0, gain / dot(step, bend)) * step, 0, upper) - b  # the best point of the step
