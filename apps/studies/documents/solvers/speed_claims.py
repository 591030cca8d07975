"""The claims about which algorithm, order or lambda converges faster."""

from collections.abc import Collection, Iterator
from itertools import pairwise
from math import inf

import numpy as np

from ...race.cost_to_level import TOLERANCE, level_beyond_an_epoch
from ...report.claim_judging import (
    Region,
    Statistic,
    above,
    below,
    judge,
    median,
    show_ratio,
    spelled,
    within,
)
from ...report.study_report import Claim
from .convergence_costs import AXES, cost_ratio, ratio_of_optima, rises
from .document_solvers import (
    ASDCA_NAME,
    CYCLIC,
    FOUR,
    MINI_BATCH,
    ORDERS,
    PEGASOS,
    PERMUTATION,
    PROJECTIONS,
    VANILLA,
)
from .solver_experiments import ASDCA_PAPER, LAMBDAS, LEAST_GAP, Curves, Results
from .solver_sets import LONG, SIMULATED, WIDE

EVERY = SIMULATED, WIDE, LONG
NO_CASE = "No algorithm at issue converges."
ALIKE = 2.0  # times: costs within this factor of each other count as alike
FAR = 1.0  # of P*: orders that all end further above it do not converge, and are not compared
SAME = within(1 / ALIKE, ALIKE)
NOT_BELOW = within(1, inf)
BEST_THETA = (
    "ASDCA counts to 10 % and 1 % of the optimum of its smooth hinge, with the best theta of its grid."
)
SAME_WORDS = f"Alike: within a factor of {ALIKE:g}."
DECADES = spelled("+.2g", " decades", ends="[{}, {}]")
RISES = "Measured by the sum of the objective's rises from epoch to epoch, in decades; paired differences."


def speed_claims(results: Results) -> list[Claim]:
    """Judge all of them."""
    every = [
        *_rank_claims(results),
        *_order_claims(results),
        *_lambda_claims(results),
        *_conclusion_claims(),
    ]
    return [_judge_speed(results, **row) if isinstance(row, dict) else row for row in every]


# fmt: off
def _rank_claims(results: Results) -> Iterator[dict]:
    """Yield the rows of the claims on the four algorithms."""
    for axis, unit in AXES.items():
        yield row(f"Plain Pegasos is the slowest of the four on every set, by the {unit}", "figures 1 to 3",
                  EVERY, _pairs_of(PEGASOS, slower=True), above(1), axis,
                  why=_against_batches(results, axis))
    for axis in ("steps", "seconds"):
        yield row(f"On high-dimensional rows mini-batch Pegasos is the fastest, by the {AXES[axis]}",
                  "figure 2", [WIDE], _pairs_of(MINI_BATCH), above(1), axis,
                  why=_excess_words(results, [WIDE], [MINI_BATCH, VANILLA]))
    yield row("With many rows and few columns SDCA and ASDCA are both faster than mini-batch Pegasos",
              "figures 1 and 3", [SIMULATED, LONG], [(MINI_BATCH, VANILLA), (MINI_BATCH, ASDCA_NAME)],
              above(1), "visits", "seconds")
    for axis in ("steps", "visits"):
        yield row("On simulated rows ASDCA is the fastest, closely followed by SDCA, by the "
                  f"{AXES[axis]}", "figure 1", [SIMULATED],
                  [*_pairs_of(ASDCA_NAME), (PEGASOS, VANILLA), (MINI_BATCH, VANILLA)], above(1), axis)
    yield row("On skin SDCA and ASDCA converge at the same rate", "figure 3",
              [LONG], [(ASDCA_NAME, VANILLA)], SAME, why=SAME_WORDS)


def _order_claims(results: Results) -> Iterator[dict | Claim]:
    """Yield the claims on the orders of SDCA and on the projection."""
    pairs = [(PERMUTATION, VANILLA), (CYCLIC, VANILLA), (CYCLIC, PERMUTATION)]
    yield row("On high-dimensional rows the random permutation is the slowest order of SDCA", "figure 4",
              [WIDE], [(PERMUTATION, VANILLA), (PERMUTATION, CYCLIC)], above(1),
              why=_excess_words(results, [WIDE], ORDERS), near=ORDERS)
    yield row("On high-dimensional rows all three orders converge at almost the same rate", "figure 4",
              [WIDE], pairs, SAME, why=SAME_WORDS, near=ORDERS)
    yield row("On skin the cyclic order is slower than the two others", "figure 5",
              [LONG], pairs[1:], above(1), why=_excess_words(results, [LONG], ORDERS), near=ORDERS)
    yield row("On skin the permutation is as fast as draws at random", "figure 5",
              [LONG], pairs[:1], SAME, why=SAME_WORDS, near=ORDERS)
    yield row("Draws at random are a good default for SDCA", "section 4.3",
              EVERY, [(VANILLA, PERMUTATION), (VANILLA, CYCLIC)], within(-inf, ALIKE),
              why=f"Good: it never needs {ALIKE:g} times what another order needs.", near=ORDERS)
    yield _claim_of(results, [LONG], "On skin the permutation varies more than draws at random", "figure 5",
                  {title: _rises_beyond(c, PERMUTATION, VANILLA)
                   for title, c in _sets_near_optimum(results, [LONG], ORDERS)},
                  above(0), DECADES, RISES)
    yield row("With and without projection Pegasos converges at the same speed", "figure 6",
              [WIDE], list(PROJECTIONS.items()), SAME,
              why=f"{SAME_WORDS} Sets on which none comes within {100 * FAR:g} % of P* do not count.",
              near=[name for pair in PROJECTIONS.items() for name in pair])
    yield _claim_of(results, [WIDE], "The projection makes convergence smoother", "figure 6",
                  {f"{title}, {plain}": _rises_beyond(c, projected, plain)
                   for title, c in results.of([WIDE]) for plain, projected in PROJECTIONS.items()},
                  below(0), DECADES, RISES)


def _lambda_claims(results: Results) -> Iterator[Claim]:
    """Yield the claims on lambda."""
    known = results.lambdas
    grids = [(data.title, known[data.name]) for data in results.sets if data.name in known]
    steps = [
        (f"{title}, {name}", (grid[small], grid[large]), (f"{small:g}", f"{large:g}"), name)
        for title, grid in grids for large, small in pairwise(LAMBDAS) for name in FOUR
    ]
    optima = [(title, [grid[a].optimum for a in LAMBDAS[::-1]]) for title, grid in grids]
    spelled = [f"{title}: {', '.join(f'{p:.2g}' for p in values)}" for title, values in optima]
    theirs = "figures 8 to 11"
    yield _claim_of(results, [WIDE], "The larger lambda, the faster the convergence", theirs, {
        f"{where}, {small} against {large}": cost_ratio(pair, (name, name), "visits")
        for where, pair, (small, large), name in steps
    }, NOT_BELOW, show_ratio,
        "Each lambda against the next larger one, by the excess over its own P*; a step may be a draw.")
    yield _claim_of(results, [WIDE], "The objective that is reached in the end, P*, grows with lambda",
                  theirs,
                  {
        f"{title}, {large:g} against {small:g}": ratio_of_optima(more, less) for title, values in optima
        for (small, large), (less, more) in zip(pairwise(LAMBDAS[::-1]), pairwise(values), strict=True)
    }, above(1), show_ratio, f"Certified P* from the least to the largest lambda, {'; '.join(spelled)}.")
    yield _claim_of(results, [WIDE], "So does the objective after the last epoch of each algorithm", theirs, {
        f"{where}, {large} against {small}": median(_ends_at(c_large, name) / _ends_at(c_small, name))
        for where, (c_small, c_large), (small, large), name in steps
    }, above(1), show_ratio,
        "Each lambda against the next smaller one, after as many epochs; not all have converged by then.")


def _conclusion_claims() -> Iterator[dict]:
    """Yield the rows of the conclusions."""
    yield row("SDCA always converges faster than Pegasos", "conclusion", EVERY, [(PEGASOS, VANILLA)],
              above(1),
              "visits", "seconds", why="SDCA's draws at random against plain Pegasos, on every set.")
    yield row("The mini-batch variants yield better results overall", "conclusion",
              EVERY, [(VANILLA, ASDCA_NAME), (PEGASOS, MINI_BATCH)], above(1),
              why="By the row visit: a variant sees as many rows in an epoch as the plain algorithm.")
# fmt: on


def _pairs_of(name: str, slower: bool = False) -> list[tuple[str, str]]:
    """Return the pairs of an algorithm and the other three; the claim has the first as the slower one."""
    return [(name, other) if slower else (other, name) for other in FOUR if other != name]


def row(words, theirs, kinds, pairs, region, *axes, why="", near=()) -> dict:
    """Return a claim on speed as a row.

    Parameters
    ----------
    words, theirs : str
    kinds : collection of str
        Of sets.
    pairs : sequence of (str, str)
        Algorithms: what the first needs as a multiple of what the second needs is judged.
    region : Region
    *axes : str
        What is needed: fields of a curve; rows visited, unless they are given.
    why : str
    near : collection of str, default=()
        Only sets on which one of these algorithms converges.
    """
    return {
        "texts": (words, theirs, why), "kinds": kinds, "pairs": pairs, "region": region,
        "axes": axes or ("visits",), "near": near,
    }  # fmt: skip


def _judge_speed(results: Results, texts, kinds, pairs, region: Region, axes, near) -> Claim:
    """Judge a row by the ratios of costs; ASDCA with its best theta, and beside it with the paper's."""
    words, theirs, why = texts

    def claim(asdca: str, why: str) -> Claim:
        renamed = [[asdca if name == ASDCA_NAME else name for name in pair] for pair in pairs]
        cases = {
            f"{title}, {first} against {second}, to {_percent_text(level)}"
            + (f", by the {AXES[axis]}" if len(axes) > 1 else ""): cost_ratio(
                (c, c), (first, second), axis, level
            )
            for title, c in (_sets_near_optimum(results, kinds, near) if near else results.of(kinds))
            for first, second in renamed
            for level in _levels(c, first, second)
            for axis in axes
        }
        return _claim_of(results, kinds, words, theirs, cases, region, show_ratio, why)

    if any(ASDCA_NAME in pair for pair in pairs):
        papers = claim(ASDCA_PAPER, "")
        why += f" {BEST_THETA} With the paper's: {papers.verdict}, {papers.ours.partition(';')[0]}."
    return claim(ASDCA_NAME, why.strip())


def _levels(curves: Curves, *names: str) -> list[float]:
    """Return to which levels two algorithms are compared: ones that no first epoch meets."""
    levels = (10 * TOLERANCE, TOLERANCE) if {ASDCA_NAME, ASDCA_PAPER} & {*names} else (TOLERANCE,)
    excess = [curves.excess(name) for name in names]
    return [*dict.fromkeys(level_beyond_an_epoch(*excess, level=level) for level in levels)]


def _claim_of(results: Results, kinds, words, theirs, cases, region: Region, show, why: str) -> Claim:
    absent = "; ".join(reason for kind, reason in results.absent.items() if kind in kinds)
    if not cases:
        return judge(words, theirs, absent or NO_CASE, region)
    return judge(words, theirs, cases, region, show, why=why, absent=absent)


def _sets_near_optimum(
    results: Results, kinds: Collection[str], names: Collection[str]
) -> list[tuple[str, Curves]]:
    """Return sets on which at least one algorithm converges, if slowly."""
    return [
        (title, curves)
        for title, curves in results.of(kinds)
        if min(_final_excess(curves, name) for name in names) <= FAR
    ]


def _excess_words(results: Results, kinds: Collection[str], names: Collection[str]) -> str:
    """Say how far above P* algorithms end."""
    ends = [
        f"{title}: " + ", ".join(f"{name} {_percent_text(_final_excess(curves, name))}" for name in names)
        for title, curves in results.of(kinds)
    ]
    return f"Excess over P* after the last epoch, {'; '.join(ends)}."


def _against_batches(results: Results, axis: str) -> str:
    """Say what plain Pegasos needs as a multiple of what batches need."""
    found = [cost_ratio((c, c), (PEGASOS, MINI_BATCH), axis).value for _, c in results.of(EVERY)]
    return f"Against mini-batch Pegasos alone it is {min(found):.2g} to {max(found):.2g} times, by set."


def _final_excess(curves: Curves, name: str) -> float:
    return float(np.median(curves.excess(name)[:, -1]))


def _percent_text(share: float) -> str:
    """Write a share with two digits or more."""
    if share < LEAST_GAP:
        return f"< {100 * LEAST_GAP:g} %"
    return f"{100 * share:,.0f} %" if share >= 1 else f"{100 * share:.2g} %"


def _rises_beyond(curves: Curves, name: str, other: str) -> Statistic:
    """Return by how many decades more an algorithm's objective rises than another's, over paired runs."""
    return median(rises(curves.of[name]["primal"]) - rises(curves.of[other]["primal"]))


def _ends_at(curves: Curves, name: str) -> np.ndarray:
    return curves.of[name]["primal"][:, -1]
