"""Where coordinate steps start from, if no start is given: near the optimum where alpha is large."""

import math

import numpy as np

from ._rows import sums_by_sign
from .losses import dual_term

SIZES = np.linspace(0, 2, 512, endpoint=False)  # tried, times the dual variable at a margin of 0


def first_intercept(problem, loss):
    """The best intercept of w = 0, for the hinge a little nearer to 0."""
    above, below = masses(problem)
    if not (above and below):
        return 0.0
    odds = math.log(above / below)
    if not loss.quadratic:
        return odds
    return min(1.0, max(-1.0, odds)) if loss.straight else math.tanh(odds / 2)


def even_start(problem, loss, alpha, fit_intercept):
    """The best of the dual variables that are alike for rows of a class, times their weights; and w(b).

    From b = 0 the rows that an epoch meets first get too much, since w explains nothing yet.

    Parameters
    ----------
    problem : Problem
    loss : Loss
    alpha : float
    fit_intercept : bool

    Returns
    -------
    (dual, w)
    """
    c = problem.weights if problem.weights.size else np.ones(problem.n)
    above, below = factors = problem.balance(c) if fit_intercept else (1.0, 1.0)
    w = problem.primal_from_dual(c, alpha, factors)
    sizes = -float(loss.slope(np.zeros(1))[0]) * SIZES
    terms = (
        mass * dual_term(loss, f * sizes) for mass, f in zip(masses(problem), factors, strict=True) if mass
    )
    size = sizes[np.argmax(sum(terms) / problem.n - alpha / 2 * float(w @ w) * sizes**2)]
    return size * c * np.where(problem.signs > 0, above, below), size * w


def masses(problem):
    """The sums of the weights of the rows of sign +1 and of sign -1."""
    c = problem.weights if problem.weights.size else np.ones(problem.n)
    return sums_by_sign(problem.signs, c)
