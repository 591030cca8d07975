"""From statistics to verdicts: one function judges every claim, by rules fixed before measuring."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import floor, inf, isfinite, log10, nextafter
from typing import NamedTuple

import numpy as np

from ...common.statistics import mean_interval, median_interval
from .study_report import Claim, Verdict

WORSE = Verdict.HELD, Verdict.UNDECIDED, Verdict.REFUTED  # one case decides a claim of several
FEW_RUNS = "An interval of a median needs six runs."
DECIMALS = 8  # at most


class Statistic(NamedTuple):
    """A number with its 95 % interval."""

    value: float
    low: float
    high: float


def mean(values: np.ndarray) -> Statistic:
    """Return the mean of runs, or of their paired differences."""
    return Statistic(float(np.mean(values)), *mean_interval(values.tolist()))


def median(values: np.ndarray) -> Statistic:
    """Return the median of runs, which may be infinite."""
    return Statistic(float(np.median(values)), *median_interval(values.tolist()))


def over_splits(values: np.ndarray, sizes: tuple[float, float]) -> Statistic:
    """Return the mean over random splits, which share most of their training rows."""
    return Statistic(float(np.mean(values)), *mean_interval(values.tolist(), sizes[1] / sizes[0]))


def of_a_draw(values: np.ndarray) -> Statistic:
    """Return the mean of draws, and where 95 % of single draws are, such as the document's: Student's."""
    return Statistic(float(np.mean(values)), *mean_interval(values.tolist(), 1))


def fixed(value: float) -> Statistic:
    """Return a number without uncertainty."""
    return Statistic(value, value, value)


class Region(NamedTuple):
    """Where a statistic must lie for a claim to hold.

    Attributes
    ----------
    words : str
        The rule, a sentence.
    low, high : float
        Its limits, which belong to it.
    touch : bool
        Whether it is enough that the interval reaches into it: the rule for numbers of the document.
    """

    words: str
    low: float
    high: float
    touch: bool = False

    def verdict(self, s: Statistic) -> Verdict:
        """Judge by where the interval lies."""
        if s.high < self.low or s.low > self.high:
            return Verdict.REFUTED
        whole = self.low <= s.low and s.high <= self.high
        return Verdict.HELD if whole or self.touch else Verdict.UNDECIDED

    def margin(self, s: Statistic) -> float:
        """Return a number that is the smaller, the further the statistic is from the claim."""
        low, high = (s.high, s.low) if self.touch else (s.low, s.high)
        return min(low - self.low, self.high - high)

    def better(self, s: Statistic) -> bool:
        """Tell whether the whole interval is on the better side of a number of the document."""
        below, above = self.low == -inf and s.high < self.high, self.high == inf and s.low > self.low
        return self.touch and (below or above)


def within(low: float, high: float) -> Region:
    """Hold where the whole interval is inside, limits included."""
    ends = [f"at least {low:.3g}"] * (low > -inf) + [f"at most {high:.3g}"] * (high < inf)
    return Region(f"Holds where the whole interval is {' and '.join(ends)}.", low, high)


def inside(low: float, high: float, words: str = "") -> Region:
    """Hold where the whole interval is inside, limits excluded."""
    words = words or f"Holds where the whole interval is between {low:g} and {high:g}."
    return Region(words, nextafter(low, inf), inf if high == inf else nextafter(high, -inf))


def above(limit: float) -> Region:
    """Hold where the whole interval is above a number."""
    return inside(limit, inf, f"Holds where the whole interval is above {limit:g}.")


def below(limit: float) -> Region:
    """Hold where the whole interval is below a number."""
    return inside(-inf, limit, f"Holds where the whole interval is below {limit:g}.")


def alike(margin: float) -> Region:
    """Hold where the whole interval is within a margin of 0."""
    return inside(-margin, margin, f"Holds where the whole interval is within {margin:g} of 0.")


def meets(low: float, high: float) -> Region:
    """Hold where the interval meets a range: of numbers of which none is better than another."""
    words = f"{low:.3g} to {high:.3g}" if low < high else f"{low:.3g}"
    return Region(f"Holds where the interval meets {words}.", low, high, touch=True)


def reaches(number: float, *, less: bool = True, unit: str = "") -> Region:
    """Hold where the interval has a number of the document or is better: the one rule of all studies.

    Parameters
    ----------
    number : float
    less : bool, default=True
        Whether less is better, as of errors and times.
    unit : str
    """
    words = f"Holds where the interval has {number:.3g}{unit} or is all {'below' if less else 'above'} it."
    return Region(words, *((-inf, number) if less else (number, inf)), touch=True)


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
        What stands behind the rule of the region.
    absent : str, default=""
        Why the claim, or one of its comparisons, cannot be tested; it may still be refuted.
    """
    if not found or isinstance(found, str):
        return Claim(words, theirs, "", Verdict.UNTESTED, found or absent)
    cases = {"": found} if isinstance(found, Statistic) else found
    if any(s.low == -inf and s.high == inf for s in cases.values()):
        return Claim(words, theirs, "", Verdict.UNTESTED, FEW_RUNS)
    write = show if callable(show) else lambda s: shown(s) + show
    verdicts = {where: region.verdict(s) for where, s in cases.items()}
    weakest = min(cases, key=lambda where: (-WORSE.index(verdicts[where]), region.margin(cases[where])))
    found_here = ours or (f"{weakest}: " if weakest else "") + write(cases[weakest])
    if len(cases) > 1 and not ours:
        held = [*verdicts.values()].count(Verdict.HELD)
        found_here = f"{held} of {len(cases)} comparisons hold; weakest: {found_here}"
    verdict, why = max(verdicts.values(), key=WORSE.index), f"{region.words} {why}"
    if absent and verdict is not Verdict.REFUTED:
        verdict, why = Verdict.UNTESTED, absent
    if all(map(region.better, cases.values())):
        why = f"Better than the document's. {why}"
    details = tuple((where, *s, verdicts[where]) for where, s in cases.items())
    return Claim(words, theirs, found_here, verdict, why.strip(), details)


def untested(claim: Claim, why: str) -> Claim:
    """Return a claim without its verdict: what was measured is not what the document measured."""
    return replace(claim, verdict=Verdict.UNTESTED, why=why)


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


def show_ratio(found: Statistic) -> str:
    """Write how many times as much the first needs as the second."""
    if found.low == inf:
        return "only the second gets there"
    if found.high == 0:
        return "only the first gets there"
    value = {inf: "most often only the second gets there", 0: "most often only the first gets there"}.get(
        found.value, f"{found.value:.2g} times as much"
    )
    return f"{value} [{found.low:.2g}, {f'{found.high:.2g}' if isfinite(found.high) else '∞'}]"
