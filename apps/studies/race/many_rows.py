"""Pegasos against SDCA where rows are many: on skin, to levels that one epoch does not meet."""

import numpy as np

from fastsvm.fitting import SDCA, Pegasos

from ..data.public_sets import public_set_at_hand
from ..report.claim_judging import Region, judge, median, show_ratio
from ..report.study_report import Claim, Context
from .cost_to_level import level_beyond_an_epoch, paired_ratio
from .race_curves import Curves, race_curves

ALPHAS = 1e-2, 1e-4, 1 / 245_057  # the last is 1/n
RUNS, EPOCHS = 9, 20
QUICK_ROWS = 20_000
ABSENT = "skin.tsv.gz is not in the folder of data, and nothing else at hand has so many rows."


def race_on_many_rows(context: Context, *, intercept: bool, batch_size: int = 1) -> dict[float, Curves] | str:
    """Run Pegasos and SDCA on standardised rows of skin with each lambda; or say why there are no rows."""
    found = public_set_at_hand("skin", context.data)
    if found is None:
        return ABSENT
    X, y = found[0].astype(float), found[1]
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    if context.quick:
        chosen = np.random.default_rng(context.seed).permutation(len(y))[:QUICK_ROWS]
        X, y = X[chosen], y[chosen]
    how, curves = {"max_iter": EPOCHS, "fit_intercept": intercept}, {}
    for alpha in ALPHAS:
        solvers = {
            "Pegasos": Pegasos(alpha=alpha, batch_size=batch_size, **how),
            "SDCA": SDCA(alpha=alpha, **how),
        }
        key = {"X": X, "y": y, "alpha": alpha, "batch_size": batch_size, **how}
        part = f"many-rows-{alpha:.0e}"
        curves[alpha] = race_curves(context, part, solvers, (X, y, None, None), RUNS, **key)
    return curves


def judge_many_rows(
    race: dict[float, Curves] | str, words: str, theirs: str, region: Region, *, of_sdca: bool = False
) -> Claim:
    """Judge how many times as much CPU time Pegasos needs as SDCA, or the reverse, by lambda and level."""
    if isinstance(race, str):
        return judge(words, theirs, race, region)
    cases, firsts = {}, []
    for alpha, curves in race.items():
        excess, way = [curves.excess(name) for name in curves.of], -1 if of_sdca else 1
        level, seconds = level_beyond_an_epoch(*excess), [runs["seconds"] for runs in curves.of.values()]
        ratios = paired_ratio(excess[::way], seconds[::way], level)
        cases[f"lambda {alpha:.1g}, to {100 * level:.4g} %"] = median(ratios)
        firsts.append(" and ".join(f"{100 * np.median(one[:, 0]):.2g} %" for one in excess))
    why = (
        "Skin, to 1 % of P* or to the first tenth of that and so on which neither meets in one epoch. Excess "
        f"after one epoch, Pegasos and SDCA: {'; '.join(firsts)}."
    )
    return judge(words, theirs, cases, region, show_ratio, why=why)
