"""The claims on rates: numbers of steps, the bounds that are proven, and the size of a batch."""

from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np

from ....common.statistics import wilson_interval
from ...report.claim_judging import (
    Region,
    Statistic,
    above,
    alike,
    below,
    judge,
    mean,
    median,
    spelled,
    within,
)
from ...report.study_report import Arrays, Claim
from .rate_experiments import ALPHAS, DELTA, EPSILONS, ROWS, STEP_COUNTS, STOP_BATCH, STOP_STEPS
from .solver_experiments import BATCHES, Curves, Results

SLOPE, RATIO, SHARE = spelled(".2f"), spelled(".2g", " times"), spelled(".3f")
FLAT = 0.15  # an exponent of n within this of 0: no growth
GOOD = 0.1  # of P*: what a good solution is within
MATTERS = 2.0  # times: an excess that differs by more is a significant effect of the batch


def rate_claims(rates: Arrays, stops: Arrays) -> list[Claim]:
    """Judge the claims on numbers of steps."""
    log = np.log(np.minimum(rates["needed"], 2 * STEP_COUNTS[-1]))  # (draws, methods, rows, alphas, epsilons)
    logs = np.meshgrid(np.log(rates["n"]), -np.log(ALPHAS), -np.log(EPSILONS), indexing="ij")
    both = np.log(rates["n"][:, None, None] + 1 / np.multiply.outer(ALPHAS, EPSILONS))
    slopes = np.array([[_slopes(of_method, *logs) for of_method in draw] for draw in log])
    together = np.array([_slopes(draw[1], both)[0] for draw in log])
    many = log[:, 1, -1, 0] - log[:, 0, -1, 0]  # SDCA's over Pegasos', most rows, strongest lambda
    precise = log[:, 0, 0, -1] - log[:, 1, 0, -1]
    n, least = rates["n"], rates["n"][0]
    inside = [stops["excess"] <= stops["bound"], stops["excess"] <= GOOD * stops["optimum"]]
    better = inside[1].reshape(-1, 2).any(axis=1)
    times = float(stops["bound"] / np.median(stops["excess"]))
    most = within(-np.inf, 1 + FLAT)
    at_most = "fitted over lambda, epsilon and n."

    def ratio(logs: np.ndarray) -> Statistic:
        return Statistic(*np.exp(mean(logs)))

    return [
        judge("Pegasos needs O(1/(lambda epsilon)) steps to an excess of epsilon", "section 2.3",
              {"power of 1/lambda": mean(slopes[:, 0, 1]), "power of 1/epsilon": mean(slopes[:, 0, 2])},
              most, SLOPE, why=f"Powers {at_most}"),
        judge("And its steps do not depend on the number of rows", "section 2.3", mean(slopes[:, 0, 0]),
              alike(FLAT), lambda s: f"they grow with n to the power {SLOPE(s)}, n {least:,} to {n[-1]:,}"),
        judge("SDCA needs O(n + 1/(lambda epsilon)) steps", "section 2.3", mean(together), most,
              lambda s: f"they grow with n + 1/(lambda epsilon) to the power {SLOPE(s)}",
              why=f"The power {at_most}"),
        judge("So on many rows with a strong lambda Pegasos needs fewer steps", "section 2.3",
              {f"epsilon {epsilon:g}": ratio(many[:, k]) for k, epsilon in enumerate(EPSILONS)}, above(1),
              lambda s: f"SDCA takes {RATIO(s)} as many",
              why=f"n {n[-1]:,}, lambda {ALPHAS[0]:g}; SDCA's over those of Pegasos."),
        judge("For accurate solutions SGD is slow: on few rows with a weak lambda SDCA needs fewer steps",
              "section 2.3", ratio(precise[:, -1]), above(1), lambda s: f"Pegasos takes {RATIO(s)} as many",
              why=f"n {least:,}, epsilon {EPSILONS[-1]:g}, lambda {ALPHAS[-1]:g}."),
        judge("T0 + n + 5/(lambda epsilon) steps of SDCA bring the expected gap to epsilon", "section 2.4",
              {f"n {n[r]:,}, lambda {alpha:g}, epsilon {epsilon:g}": mean(rates["gaps"][:, r, a, e])
               for r in range(len(ROWS)) for a, alpha in enumerate(ALPHAS)
               for e, epsilon in enumerate(EPSILONS)},
              within(-np.inf, 1), lambda s: f"a gap of {SHARE(s)} epsilon",
              why="Rows scaled to norm 1 at most, L = 1, T0 = max(0, n log(lambda n / 2)), the average of "
                  "the last half; the mean gap over epsilon, in every case."),
        judge("In half of the cases Pegasos stopped at random is within 42 c ln(T/delta) / (lambda T)",
              "section 3.3", _share(inside[0]), above(0.5),
              lambda s: f"{SHARE(s)} of {len(inside[0])} stops; the bound is {times:,.0f} times the median "
                        "excess",
              why=f"Simulated rows, lambda 1/n, T {STOP_STEPS:,}, batches of {STOP_BATCH}, delta {DELTA:g}, "
                  "c = 4 R^2."),
        judge("After two attempts one is likely to have a good solution", "section 3.3", _share(better),
              above(0.5), lambda s: f"{SHARE(s)} of {len(better)} pairs, {inside[1].mean():.3f} of stops",
              why=f"Good is within {100 * GOOD:g} % of P*."),
    ]  # fmt: skip


def batch_claims(results: Results) -> Iterator[Claim]:
    """Yield the claims on the size of a batch: after as many steps, and after as many rows."""
    known = {f"{title}, {name}": grid for title, of in results.batches.items() for name, grid in of.items()}
    absent = "; ".join(results.absent.values())

    def claim(words: str, theirs: str, cases: dict[str, Statistic], region: Region, why: str) -> Claim:
        return judge(words, theirs, cases, region, RATIO, why=why, absent=absent)

    def next_larger(ends: Callable[[Curves, str], np.ndarray]) -> dict[str, Statistic]:
        """Return the ratios of what runs have at the end, each size against the next smaller one."""
        return {
            f"{where}, {more} against {less}": median(ends(grid, str(more)) / ends(grid, str(less)))
            for where, grid in known.items()
            for less, more in pairwise(BATCHES)
        }

    sizes = ", ".join(map(str, BATCHES))
    # fmt: off
    yield claim("With a larger batch convergence is better after as many steps", "section 4.2",
                next_larger(lambda grid, size: grid.excess(size)[:, -1]), below(1),
                f"Excess at the end, {sizes}, larger over smaller.")
    yield claim("At the cost of a higher run time", "section 4.2",
                next_larger(lambda grid, size: grid.of[size]["seconds"][:, -1]), above(1),
                "CPU of as many steps, larger over smaller.")
    yield claim("The batch has a significant effect on convergence, and should be tuned", "conclusion",
                {where: _spread(grid) for where, grid in known.items()}, above(MATTERS),
                f"After as many rows visited, worst over best excess of the batches {sizes}.")
    # fmt: on


def _spread(grid: Curves) -> Statistic:
    """Return by how much the excess differs between the median-worst and the median-best batch, over runs."""
    epochs = min(grid.of[str(size)]["primal"].shape[1] for size in BATCHES)
    ends = {size: grid.excess(str(size))[:, epochs - 1] for size in BATCHES}
    order = sorted(ends, key=lambda size: np.median(ends[size]))
    return median(ends[order[-1]] / ends[order[0]])


def _share(holds: np.ndarray) -> Statistic:
    return Statistic(float(holds.mean()), *wilson_interval(int(holds.sum()), len(holds)))


def _slopes(logs: np.ndarray, *of: np.ndarray) -> np.ndarray:
    """Return the least-squares powers of some quantities, all given as logarithms."""
    columns = np.column_stack([*(np.ravel(each) for each in of), np.ones(logs.size)])
    return np.linalg.lstsq(columns, logs.ravel(), rcond=None)[0][:-1]
