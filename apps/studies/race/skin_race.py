"""Pegasos against SDCA where rows are many: on skin, standardised, for several lambdas."""

from collections.abc import Sequence

import numpy as np

from fastsvm.fitting import Pegasos

from ..data.public_sets import public_set_at_hand
from ..report.runs import Runs
from ..report.study import Context
from ..report.verdicts import Statistic
from .kept_races import NEAR, add_race, cost_ratio, plain_sdca

SKIN, ABSENT = (
    "skin",
    "skin.tsv.gz is not in the folder of data, and nothing else available has as many rows.",
)
RUNS, EPOCHS, PARTS = 7, 10, 128
QUICK_ROWS = 20_000
PEGASOS, SDCA_NAME = "Pegasos", "SDCA"
COSTS = {"visits": "rows visited", "seconds": "CPU time"}


def add_skin_race(
    runs: Runs, context: Context, alphas: Sequence[float], *, intercept: bool, batch_size: int = 1
) -> bool:
    """Run Pegasos and plain SDCA on skin with each lambda; return whether there is skin.

    They become ``runs["many rows", "skin", "Pegasos", "lambda 0.1"]`` and the same of "SDCA", with the fields
    of `add_race`: measured after 1, 2, 3, 4, 6, ... of 128 parts of the first epoch, and after each of 10
    epochs. `skin_ratios` compares them.

    Parameters
    ----------
    runs : Runs
    context : Context
    alphas : sequence of float
    intercept : bool
    batch_size : int, default=1
        Of Pegasos.
    """
    found = public_set_at_hand(SKIN, context.data)
    if found is None:
        return False
    X, y = found[0].astype(float), found[1]
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    if context.quick:
        chosen = np.random.default_rng(context.seed).permutation(len(y))[:QUICK_ROWS]
        X, y = X[chosen], y[chosen]
    for alpha in alphas:
        options = {"max_iter": EPOCHS, "fit_intercept": intercept, "batch_size": batch_size}
        models = {
            PEGASOS: Pegasos(alpha=alpha, **options),
            SDCA_NAME: plain_sdca(alpha, EPOCHS, fit_intercept=intercept),
        }
        setting, rows = _setting(alpha), (X, y, None, None)
        add_race(runs, context, "many rows", SKIN, models, rows, setting=setting, repeats=RUNS, parts=PARTS)
    return True


def skin_ratios(runs: Runs, alphas: Sequence[float], cost: str, level: float = NEAR) -> dict[str, Statistic]:
    """Return how many times as much SDCA needs as Pegasos until it is within 1 % of P* for good.

    Medians of paired runs with 95 % intervals, for `Found`: ``{"lambda 0.1, rows visited": ...}``. Above 1
    Pegasos is faster. A lambda for which neither gets there is left out; without skin there are none.

    Parameters
    ----------
    runs : Runs
        In which `add_skin_race` was.
    alphas : sequence of float
    cost : {"visits", "seconds"}
        Rows visited, or CPU time, which is never to be judged by a number other than 1.
    level : float, default=0.01
    """
    found = {}
    for alpha in alphas:
        known = runs.select("many rows", SKIN)
        both = [fields for key, fields in known.items() if key.setting == _setting(alpha)]
        if len(both) == 2 and (ratio := cost_ratio(both[1], both[0], cost, level)):
            found[f"{_setting(alpha)}, {COSTS[cost]}"] = ratio
    return found


def _setting(alpha: float) -> str:
    return f"lambda {alpha:.2g}"
