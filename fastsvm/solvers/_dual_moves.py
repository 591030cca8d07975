"""Moves of all dual variables of SDCA at once: where it starts, and steps for when its own crawl.

From b = 0 the rows that an epoch meets first get too much, since w explains nothing yet. So SDCA starts from
the best of the points that are alike for the rows of a class, where alpha is large.

Once the rows at the bounds are settled, the dual is a quadratic function of the others, and the few
directions in which it is flat take coordinate steps hundreds of epochs: conjugate gradients take them at
once.
"""

from functools import partial

import numpy as np

from ._scores import scores_at
from .losses import dual_term

SIZES = np.linspace(0, 2, 512, endpoint=False)  # of the start tried, times the dual variable at a margin of 0
MOST_STEPS = 30  # conjugate gradient steps, each a product with the rows inside their box
LEAST_RESIDUAL = 1e-8  # share of the squared residual at which they end
dot = partial(np.einsum, "i,i->")  # BLAS's may depend on where the vectors begin


def constant_dual_start(problem, loss, alpha, has_intercept):
    """The best of the dual variables that are alike for rows of a class, times their weights; and w(b).

    Parameters
    ----------
    problem : Problem
    loss : Loss
    alpha : float
    has_intercept : bool

    Returns
    -------
    (dual, w)
    """
    c = problem.weights if problem.weights.size else np.ones(problem.n)
    positive, negative = factors = problem.balance_factors(c) if has_intercept else (1.0, 1.0)
    w = problem.primal_from_dual(c, alpha, factors)
    sizes = -float(loss.slope(np.zeros(1))[0]) * SIZES
    terms = (
        total * dual_term(loss, factor * sizes)
        for total, factor in zip(problem.class_weight_sums(), factors, strict=True)
        if total
    )
    size = sizes[np.argmax(sum(terms) / problem.n - alpha / 2 * float(w @ w) * sizes**2)]
    return size * c * np.where(problem.signs > 0, positive, negative), size * w


def free_variable_cg(problem, loss, alpha, intercept_step, w, intercept, dual):
    """Raise the dual, by moving the variables inside their box; change w and dual in place.

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
    """A step that raises a concave quadratic function, and stays in the box.

    Parameters
    ----------
    b : array, where to start from
    upper : array, the upper ends of the box; the lower are 0
    slope : array, the gradient at b
    apply : callable
        ``apply(p)`` is by how much a step of p lowers the gradient.

    Returns
    -------
    array, or None where conjugate gradients find nothing that rises
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
    return np.clip(b + min(1.0, gain / dot(step, bend)) * step, 0, upper) - b  # the best place on the way
