"""The best intercept for given scores: a convex problem in one variable, which reads no rows."""

import math

from ._scores import loss_and_slope

SURE = 750.0  # a margin without loss in double precision, where exp(-margin) is 0
FIRST_STEP = 2**-7  # of the search for a bracket; margins that matter are about 1
MOST_LOOKS = 60  # the largest number of passes over the scores


def lossless_intercept(problem, loss):
    """The intercept at which w = 0 has no loss, if all rows have one sign; otherwise 0."""
    positive, negative = problem.class_weight_sums()
    if positive and negative:
        return 0.0
    return math.copysign(1.0 if loss.quadratic else SURE, positive - negative)


def best_intercept(problem, scores, intercept, loss, accuracy):
    """An intercept for which the mean loss is within `accuracy` of the minimum, and that loss.

    Between two intercepts with slopes of opposite sign, the tangents bound the loss from below. The loss is
    computed where they meet, until it is at most `accuracy` above the bound.

    Parameters
    ----------
    problem : Problem
    scores : ndarray of shape (n_rows,), w.x_i
    intercept : float, the starting point
    loss : Loss
    accuracy : float

    Returns
    -------
    (float, float)
        The best intercept found, and its mean loss.
    """

    def look(intercept):
        total, slope = loss_and_slope(scores, problem.signs, problem.weights, intercept, loss.struct)
        return total / problem.n, intercept, slope / problem.n

    best = here = look(intercept)
    low = high = None  # where the loss falls, and where it rises
    step = FIRST_STEP
    for _ in range(MOST_LOOKS):
        _, at, slope = here
        if slope == 0:
            break
        low, high = (here, high) if slope < 0 else (low, here)
        if low is None or high is None:
            following = at - math.copysign(step, slope)
            step *= 4
        else:
            following = (high[0] - low[0] + low[2] * low[1] - high[2] * high[1]) / (low[2] - high[2])
            bound = low[0] + low[2] * (following - low[1])
            if best[0] - bound <= accuracy or not low[1] < following < high[1]:
                break
        here = look(following)
        best = min(best, here)
    return best[1], best[0]
