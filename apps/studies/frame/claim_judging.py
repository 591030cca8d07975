"""From statistics to verdicts: one function judges every claim, by rules fixed before measuring."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import floor, inf, log10
from typing import NamedTuple

import numpy as np

from ...common.statistics import mean_interval, median_interval, resampled_interval
from .study_report import Claim, Verdict

ENOUGH = 5  # runs; as many as the folds of a cross-validation, the fewest that a whole study has
ENOUGH_DRAWS = 40  # the range of fewer draws covers less than 95 % of what may come
FEW_RUNS = "An interval of a median needs six runs."
DECIMALS = 8  # at most


class Statistic(NamedTuple):
    """A number with its 95 % interval, and the number of runs."""

    value: float
    low: float
    high: float
    runs: int


def mean(values: np.ndarray) -> Statistic:
    """Return the mean of runs, or of their paired differences."""
    return Statistic(float(np.mean(values)), *mean_interval(values.tolist()), len(values))


def median(values: np.ndarray) -> Statistic:
    """Return the median of runs, which may be infinite."""
    return Statistic(float(np.median(values)), *median_interval(values.tolist()), len(values))


def over_splits(values: np.ndarray, sizes: tuple[float, float]) -> Statistic:
    """Return the mean over random splits, which share most of their training rows."""
    return Statistic(float(np.mean(values)), *resampled_interval(values.tolist(), *sizes), len(values))


def fixed(value: float) -> Statistic:
    """Return a number without uncertainty."""
    return Statistic(value, value, value, ENOUGH)


class Region(NamedTuple):
    """Where a statistic must lie for a claim to hold.

    Attributes
    ----------
    words : str
        The rule, a sentence.
    holds, fails : callable
        Of a statistic; where neither is true, the runs vary too much to tell.
    margin : callable
        The smaller, the further the statistic is from the claim.
    """

    words: str
    holds: Callable[[Statistic], bool]
    fails: Callable[[Statistic], bool]
    margin: Callable[[Statistic], float]


def inside(low: float, high: float, words: str = "") -> Region:
    """Hold where the whole interval is inside.

    An interval that is partly inside does not show the claim, which so fails; but fewer runs than `ENOUGH`
    decide nothing then.
    """

    def holds(s: Statistic) -> bool:
        return low < s.low and (s.high < high or high == inf)

    def fails(s: Statistic) -> bool:
        return not holds(s) and (s.runs >= ENOUGH or s.high <= low or s.low >= high)

    return Region(words, holds, fails, lambda s: min(s.low - low, high - s.high))


def above(limit: float) -> Region:
    """Hold where the whole interval is above a number."""
    return inside(limit, inf, f"Holds where the whole interval is above {limit:g}.")


def below(limit: float) -> Region:
    """Hold where the whole interval is below a number."""
    return inside(-inf, limit, f"Holds where the whole interval is below {limit:g}.")


def alike(margin: float) -> Region:
    """Hold where the whole interval is within a margin of 0."""
    return inside(-margin, margin, f"Holds where the whole interval is within {margin:g} of 0.")


def meets(low: float, high: float, words: str = "") -> Region:
    """Hold where the interval meets a range."""
    return Region(
        words or f"Holds where the interval meets {low:.3g} to {high:.3g}.",
        lambda s: s.low <= high and s.high >= low,
        lambda s: s.low > high or s.high < low,
        lambda s: min(s.high - low, high - s.low),
    )


def within(low: float, high: float) -> Region:
    """Hold where the whole interval is inside; fail where the whole of it is outside."""
    return Region(
        "",
        lambda s: low <= s.low and s.high <= high,
        lambda s: s.high < low or s.low > high,
        lambda s: min(s.value - low, high - s.value),
    )


def judge(
    words: str,
    theirs: str,
    found: Statistic | Mapping[str, Statistic] | str,
    region: Region,
    show: str | Callable[[Statistic], str] = "",
    *,
    ours: str = "",
    why: str = "",
    absent: str = "",
) -> Claim:
    """Return a claim with its sentence and its verdict.

    Parameters
    ----------
    words, theirs : str
        See `Claim`.
    found : Statistic, mapping of str to Statistic, or str
        A mapping has the statistic of each comparison; all must hold. A string: why nothing was measured.
    region : Region
    show : str or callable
        The unit, or a function that writes a statistic.
    ours : str, default=""
        The sentence, if `show` does not write it.
    why : str, default=""
        A sentence in place of the words of the region.
    absent : str, default=""
        Why the claim, or one of its comparisons, cannot be tested; it may still be refuted.
    """
    if not found or isinstance(found, str):
        return Claim(words, theirs, "", Verdict.UNTESTED, found or absent)
    cases = {"": found} if isinstance(found, Statistic) else found
    if any(s.low == -inf for s in cases.values()):
        return Claim(words, theirs, "", Verdict.UNTESTED, FEW_RUNS)
    write = show if callable(show) else lambda s: shown(s) + show
    hold = {where: region.holds(s) for where, s in cases.items()}
    weakest = min(cases, key=lambda where: region.margin(cases[where]))
    found_here = ours or (f"{weakest}: " if weakest else "") + write(cases[weakest])
    if len(cases) > 1 and not ours:
        found_here = f"{sum(hold.values())} of {len(cases)} comparisons hold; weakest: {found_here}"
    verdict, why = Verdict.HELD, why or region.words
    if any(region.fails(s) for s in cases.values()):
        verdict = Verdict.NOT_HELD
    elif not all(hold.values()):
        verdict, runs = Verdict.UNTESTED, min(s.runs for s in cases.values())
        why += (
            f" So few runs ({runs}) decide nothing." if runs < ENOUGH else " The runs vary too much to tell."
        )
    elif absent:
        verdict, why = Verdict.UNTESTED, absent
    details = tuple((where, *s[:3], hold[where]) for where, s in cases.items())
    return Claim(words, theirs, found_here, verdict, why.strip(), details)


def untested(claim: Claim, why: str) -> Claim:
    """Return a claim without its verdict: what was measured is not what the document measured."""
    return replace(claim, verdict=Verdict.UNTESTED, why=why)


def typical(inside: bool, draws: int) -> tuple[Verdict, str]:
    """Judge a figure of one draw by whether it lies among 95 % of our draws.

    Parameters
    ----------
    inside : bool
    draws : int

    Returns
    -------
    Verdict
    str
        A sentence, after a blank, on too few draws; "" where they decide.
    """
    if not inside and draws < ENOUGH_DRAWS:
        return Verdict.UNTESTED, f" Where 95 % of the draws lie takes {ENOUGH_DRAWS} of them to say."
    return Verdict.of(inside), ""


def shown(s: Statistic) -> str:
    """Write a statistic with its interval, to two digits of the uncertainty."""
    half = (s.high - s.low) / 2
    decimals = 1 - floor(log10(half)) if 0 < half < inf else 2
    return spelled(f".{min(max(decimals, 0), DECIMALS)}f")(s)


def spelled(
    format: str, unit: str = "", factor: float = 1, ends: str = "({} to {})"
) -> Callable[[Statistic], str]:
    """Return a function that writes a statistic with its interval."""

    def write(s: Statistic) -> str:
        value, *interval = (f"{factor * number:{format}}" for number in s[:3])
        return f"{value}{unit} {ends.format(*interval)}"

    return write
