"""How fast runs converge, and how two algorithms differ over paired runs."""

import numpy as np

from ..frame.claim_judging import Statistic, median
from .solver_experiments import Curves

CERTIFIED = 1e-7  # of P*: what the optimum of a comparison is known to
TOLERANCE = 0.01  # of P*: the level that counts as converged
AXES = {"steps": "step", "visits": "row visit", "seconds": "CPU second"}  # a curve's field: one of it


def ratio_of_optima(one: float, other: float) -> Statistic:
    """Return how many times as large one least objective is as another, as far as both are certified."""
    ratio = one / other
    return Statistic(ratio, ratio / (1 + CERTIFIED), ratio * (1 + CERTIFIED))


def cost_ratio(pair: tuple[Curves, Curves], names: tuple[str, str], axis: str) -> Statistic:
    """Return how many times as much the first algorithm needs as the second: above 1 it is slower.

    Both are run with the same seeds. What a run needs is what it has spent when it comes for good, until
    its last epoch, to within `TOLERANCE` of the least objective. If only one of the two gets there, the
    ratio is 0 or infinite. If none does, they need only come as low as the worse of the two ends.
    """
    excess = [curves.excess(name) for curves, name in zip(pair, names, strict=True)]
    ends = np.stack([one[:, -1] for one in excess])
    level = np.where(ends.min(axis=0) <= TOLERANCE, TOLERANCE, ends.max(axis=0))
    spent = [curves.of[name][axis] for curves, name in zip(pair, names, strict=True)]
    first, second = (cost_to_level(one, cost, level) for one, cost in zip(excess, spent, strict=True))
    return median(first / second)


def cost_to_level(excess: np.ndarray, cost: np.ndarray, level: np.ndarray) -> np.ndarray:
    """Return what each run has spent when it comes to its level for good; infinite if it does not.

    Parameters
    ----------
    excess, cost : ndarray of shape (n_runs, n_epochs)
    level : ndarray of shape (n_runs,) or float

    Returns
    -------
    ndarray of shape (n_runs,)
    """
    above = excess > np.broadcast_to(level, len(excess))[:, None]
    epochs = np.where(above.any(axis=1), excess.shape[1] - above[:, ::-1].argmax(axis=1), 0)
    padded = np.column_stack([cost, np.full(len(cost), np.inf)])
    return padded[np.arange(len(cost)), epochs]


def rises(objective: np.ndarray) -> np.ndarray:
    """Return the sum of each run's rises of log10 of the objective: 0 of one that only falls."""
    return np.maximum(0, np.diff(np.log10(objective), axis=1)).sum(axis=1)
