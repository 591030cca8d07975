"""Newton steps on the dual variables strictly between their bounds, for when coordinate steps are slow.

Once it is settled which dual variables are at a bound, the dual is a quadratic function of the others. If it
is flat in some directions, as with large C or a kernel of few columns, coordinate steps take thousands of
epochs.
"""

from bisect import bisect_left

import numpy as np

from ._values import aligned_take

# The effect of each constant is measured by `python -m benchmarks.tuning kernel`; see benchmarks/README.md.
CUBED = 0.1  # cost of solving a system, in multiplications of coordinate steps, per cube of its size
RIDGES = (1e-12, 1e-6)  # shares of the diagonal that make rounded kernel values positive definite


def newton_steps(block, rate, signs, weights, dual, scores, loss, budget, balanced=False):
    """Raise the dual by Newton steps, each as far as the bounds allow; change dual and scores in place.

    A step is clipped to the bounds if the dual rises all the way. Otherwise it ends at the first bound, and
    its variable leaves the set. If that would happen too often, the steps end at the best point of the
    clipped step.

    Parameters
    ----------
    block, rate, signs, weights, dual, scores : as in `_kernel.ascend`
    loss : Loss, with a quadratic dual
    budget : float
        The maximum cost, in multiplications of coordinate steps.
    balanced : bool
        Keep sum_i b_i y_i.

    Returns
    -------
    (spent, wanted) : the cost, and the budget from which another attempt is worthwhile
    """
    c = weights if weights.size else np.ones(len(dual))
    upper = loss.uppers(c)
    which = np.flatnonzero((dual > 0) & (dual < upper))
    spent = wanted = 0.0
    if not len(which) or _cost(which) > budget:
        return spent, wanted
    y, bend, most, before = signs[which], loss.curvature / c[which], upper[which], dual[which]
    rows = aligned_take(block, which)
    inner = np.take(rows, which, axis=1).astype(float)
    inner *= rate * y
    inner *= y[:, np.newaxis]
    inner.flat[:: len(which) + 1] += bend
    left, b, slope = np.arange(len(which)), before.copy(), 1 - bend * before - y * scores[which]
    while len(left):
        spent += _cost(left)
        step = _solution(inner, slope, y[left] if balanced else None)
        if step is None:
            break
        at = b[left]
        clipped = balance(at + step, y[left], most, at @ y[left]) if balanced else np.clip(at + step, 0, most)
        clipped -= at
        drop, rise = inner @ clipped, clipped @ slope
        share = min(1.0, rise / (clipped @ drop)) if rise > 0 else 0.0
        others = np.count_nonzero(clipped != step) * _cost(left)
        if share < 1 and spent + others > budget:
            b[left] = np.clip(at + share * clipped, 0, most)
            wanted = min(others, 2 * budget)
            break
        if share < 1:
            edge, room = np.where(step < 0, 0, most), np.full(len(step), np.inf)
            np.divide(edge - at, step, out=room, where=step != 0)
            share, drop = room.min(initial=1.0), inner @ step
            at = np.where(room == share, edge, np.clip(at + share * step, 0, most))
        else:
            at = np.clip(at + clipped, 0, most)
        b[left] = at
        slope = slope - share * drop
        inside = (at > 0) & (at < most)
        if inside.all():
            break
        left, slope, most, inner = left[inside], slope[inside], most[inside], inner[np.ix_(inside, inside)]
    if balanced:  # corrects rounding errors, if the values come from few columns
        top = upper[which]
        inside = (b > 0) & (b < top)
        rest = before @ y - b[~inside] @ y[~inside]
        b[inside] = balance(b[inside], y[inside], top[inside], rest)
    dual[which] = b
    scores += rate * np.matmul(y * (b - before), rows)
    return spent, wanted


def _cost(which):
    return CUBED * len(which) ** 3


def balance(dual, signs, upper, total):
    """The dual variables within their bounds with sum_i b_i y_i = `total`, each moved by the same amount.

    The sum is a linear function of the move between those moves at which a variable meets its bound. If the
    bounds do not allow this sum, the nearest sum is reached.
    """

    def moved(by):
        return np.clip(dual + by * signs, 0, upper)

    ends = np.concatenate([-signs * dual, signs * (upper - dual), [0.0]])
    ends = np.sort(ends[np.isfinite(ends)])
    far = 1 + np.abs(ends).max()
    k = bisect_left(ends, total, key=lambda by: moved(by) @ signs)
    low, high = np.concatenate([[-2 * far], ends, [2 * far]])[k : k + 2]
    middle = dual + (low + high) / 2 * signs
    moves, start = np.count_nonzero((middle > 0) & (middle < upper)), ends[max(k - 1, 0)]
    return moved(start + (total - moved(start) @ signs) / max(moves, 1))


def _solution(A, slope, signs=None):
    """The step with A step = slope, or the best with step.signs = 0; None if A is not positive definite."""
    from scipy.linalg import lapack  # imported only when needed

    for ridge in RIDGES:
        factor = A.copy()
        factor.flat[:: len(A) + 1] *= 1 + ridge
        factor, failed = lapack.dpotrf(factor.T, lower=1, clean=0, overwrite_a=1)
        if failed:
            continue
        step = lapack.dpotrs(factor, slope, lower=1)[0]
        if signs is not None:
            of_signs = lapack.dpotrs(factor, signs, lower=1)[0]
            step -= (signs @ step) / (signs @ of_signs) * of_signs
        return step
    return None
