"""Runs of several solvers that a study keeps, and their cost until they are near the optimum."""

from collections.abc import Mapping

import numpy as np

from fastsvm.fitting import SDCA

from ...common.progress import by_steps
from ...common.statistics import median_interval
from ..report.study import Advance, Arrays, Context, Runs
from ..report.verdicts import Statistic
from .compare_solvers import compare

FIELDS = "epoch", "visits", "steps", "seconds", "primal", "gap", "error"
NEAR = 0.01  # of P*: the level that counts as converged
ENOUGH_RUNS = 6  # the smallest number for an interval of a median
NEVER = 2**31 - 1  # a step that no run reaches

# X and y, to train on, and to test on if there are any.
Parts = tuple[np.ndarray, np.ndarray, np.ndarray | None, np.ndarray | None]


def plain_sdca(alpha: float, epochs: int, **options) -> SDCA:
    """Return SDCA as in the papers: permuted rows, coordinate steps from zero, no intercept.

    The package's SDCA begins with an epoch of modified SGD if lambda n is large, unless it averages. So this
    one averages its last iterate alone, which is that iterate.
    """
    plain = {"averaging": "tail", "average_from": NEVER, "solver": "coordinate", "fit_intercept": False}
    return SDCA(alpha=alpha, max_iter=epochs, tol=None, **plain | options)


def add_race(
    runs: Runs,
    context: Context,
    experiment: str,
    data: str,
    models: Mapping[str, object],
    rows: Parts,
    *,
    setting: object = "",
    repeats: int,
    **how: object,
) -> None:
    """Run solvers that share an objective, or read an earlier run's results, and add these to the runs.

    Each becomes ``runs[experiment, data, solver, setting]``, with the fields epoch, visits, steps, seconds,
    primal, optimum (P*), gap and error, of shape (repeats, points).

    Parameters
    ----------
    runs : Runs
    context : Context
    experiment, data : str
    models : mapping of str to model
        By the names of the solvers in the runs.
    rows : (X, y, X_test, y_test)
    setting : object, default=""
    repeats : int
        With the seeds context.seed, context.seed + 1 and so on, by which runs of two solvers are paired.
    **how
        `loss`, `parts` and `every` of `compare`.
    """
    X, y, X_test, y_test = rows

    def compute(advance: Advance) -> Arrays:
        options = {"n_jobs": context.threads, "random_state": context.seed, "progress": by_steps(advance)}
        found = compare(models, X, y, runs=repeats, X_test=X_test, y_test=y_test, **how, **options)
        [optimum] = set(found.optimum.values())
        return {"table": found.table, "optimum": np.array(optimum)}

    settings = {name: model.get_params() for name, model in models.items()}
    key = {"X": X, "y": y, "X_test": X_test, "models": settings, "seed": context.seed, "runs": repeats}
    part = "-".join(word.replace(" ", "_") for word in (experiment, data, str(setting)) if word)
    total = repeats * sum(model.max_iter for model in models.values())
    kept = context.part(part, compute, total=total, **key, **how)
    for name in models:
        lines = kept["table"][kept["table"]["solver"] == name].reshape(repeats, -1)
        known = {each: lines[each] for each in FIELDS if not np.isnan(lines[each]).all()}
        runs.add(experiment, data, name, setting, optimum=float(kept["optimum"]), **known)


def excess(race: Arrays) -> np.ndarray:
    """Return how far the objectives of runs are above the lowest one, as a share of it."""
    return race["primal"] / race["optimum"] - 1


def cost_to(race: Arrays, cost: str, level: float = NEAR, *, for_good: bool = True) -> np.ndarray:
    """Return the cost of each run until its excess is within the level; infinite if it never is.

    Parameters
    ----------
    race : dict of str to ndarray
        Fields of runs; they may have an "excess" of their own.
    cost : {"visits", "steps", "seconds", "epoch"}
    level : float
        Share of the optimum.
    for_good : bool, default=True
        Whether it must stay there until the end; False: the first time counts.
    """
    within = excess(race) <= level
    if for_good:
        within = np.logical_and.accumulate(within[:, ::-1], axis=1)[:, ::-1]
    return np.where(
        within.any(axis=1), np.take_along_axis(race[cost], within.argmax(axis=1)[:, None], 1)[:, 0], np.inf
    )


def cost_ratio(
    first: Arrays, second: Arrays, cost: str, level: float = NEAR, *, for_good: bool = True
) -> Statistic | None:
    """Return the cost of the first to the level over that of the second: the median of paired runs.

    It is infinite or 0 if only one of the two gets there; None if neither does in most pairs.
    """
    spent = [cost_to(race, cost, level, for_good=for_good) for race in (first, second)]
    known = np.isfinite(spent).any(axis=0)
    if known.sum() < max(ENOUGH_RUNS, len(known) / 2):
        return None
    ratio = spent[0][known] / spent[1][known]
    return Statistic(float(np.median(ratio)), *median_interval(ratio.tolist()))
