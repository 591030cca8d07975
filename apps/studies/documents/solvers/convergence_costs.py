"""How fast runs converge, and how two algorithms differ over paired runs."""

import numpy as np

from ...race.cost_to_level import TOLERANCE, paired_ratio
from ...report.claim_judging import Statistic, median
from .solver_experiments import Curves

CERTIFIED = 1e-7  # of P*: what the optimum of a comparison is known to
AXES = {"steps": "step", "visits": "row visit", "seconds": "CPU second"}  # a curve's field: one of it


def ratio_of_optima(one: float, other: float) -> Statistic:
    """Return how many times as large one least objective is as another, as far as both are certified."""
    ratio = one / other
    return Statistic(ratio, ratio / (1 + CERTIFIED), ratio * (1 + CERTIFIED))


def cost_ratio(
    pair: tuple[Curves, Curves], names: tuple[str, str], axis: str, level: float = TOLERANCE
) -> Statistic:
    """Return how many times as much the first algorithm needs as the second: above 1 it is slower.

    Both are run with the same seeds. What a run needs is what it has spent when it comes for good, until
    its last epoch, to within the level of its least objective; see `paired_ratio`.
    """
    first, second = (curves.excess(name) for curves, name in zip(pair, names, strict=True))
    spent = pair[0].of[names[0]][axis], pair[1].of[names[1]][axis]
    return median(paired_ratio((first, second), spent, level))


def rises(objective: np.ndarray) -> np.ndarray:
    """Return the sum of each run's rises of log10 of the objective: 0 of one that only falls."""
    return np.maximum(0, np.diff(np.log10(objective), axis=1)).sum(axis=1)
