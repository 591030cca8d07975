"""From estimates to verdicts: what must be seen for a claim to hold."""

from collections.abc import Callable, Sequence
from math import inf, isfinite
from typing import NamedTuple

from ..frame.report import Claim, Verdict
from .measures import Estimate

FEW_RUNS = "The interval of a median needs six runs."
NO_CASE = "No algorithm at issue converges."
ALIKE = 2.0  # times: costs within this factor of each other count as alike


class Case(NamedTuple):
    """One of the comparisons that a claim makes."""

    where: str
    found: Estimate


class Rule(NamedTuple):
    """What an estimate must be for a case to hold.

    Attributes
    ----------
    holds, fails : callable
        Of an estimate; where neither is true, the runs vary too much to tell.
    margin : callable
        The smaller, the further the estimate is from what the claim says.
    """

    holds: Callable[[Estimate], bool]
    fails: Callable[[Estimate], bool]
    margin: Callable[[Estimate], float]


class Judged(NamedTuple):
    """A claim, and the comparisons that it rests on."""

    claim: Claim
    cases: Sequence[Case]
    hold: Sequence[bool]


def above(limit: float) -> Rule:
    """Hold where the whole interval is above a limit. One that includes the limit shows no difference."""
    return Rule(lambda e: e.low > limit, lambda e: e.low <= limit, lambda e: e.low)


def not_below(limit: float) -> Rule:
    """Hold where no part of the interval is below a limit; fail where all of it is."""
    return Rule(lambda e: e.low >= limit, lambda e: e.high < limit, lambda e: e.low)


def below(limit: float) -> Rule:
    """Hold where the whole interval is below a limit."""
    return Rule(lambda e: e.high < limit, lambda e: e.high >= limit, lambda e: -e.high)


def within(low: float, high: float) -> Rule:
    """Hold where the whole interval is inside; fail where the whole of it is outside."""
    return Rule(
        lambda e: low <= e.low and e.high <= high,
        lambda e: e.high < low or e.low > high,
        lambda e: min(e.value - low, high - e.value),
    )


def including(number: float) -> Rule:
    """Hold where the interval includes a number: no difference from it is seen."""
    return Rule(
        lambda e: e.low <= number <= e.high,
        lambda e: not e.low <= number <= e.high,
        lambda e: min(e.high - number, number - e.low),
    )


def judge(
    words: str,
    theirs: str,
    cases: Sequence[Case],
    rule: Rule,
    show: Callable[[Estimate], str],
    *,
    why: str = "",
    absent: str = "",
) -> Judged:
    """Return a claim that holds if each of its cases does.

    Parameters
    ----------
    words, theirs : str
    cases : sequence of Case
    rule : Rule
    show : callable
        Writes an estimate.
    why : str, default=""
        A sentence that explains what is found.
    absent : str, default=""
        Why some cases could not be tried; "" if all were.
    """
    if not cases:
        return Judged(Claim(words, theirs, "", Verdict.UNTESTED, absent or NO_CASE), [], [])
    if any(case.found.low == -inf for case in cases):
        return Judged(Claim(words, theirs, "", Verdict.UNTESTED, FEW_RUNS), [], [])
    hold = [rule.holds(case.found) for case in cases]
    weakest = min(cases, key=lambda case: rule.margin(case.found))
    ours = f"{weakest.where}: {show(weakest.found)}"
    if len(cases) > 1:
        ours = f"{sum(hold)} of {len(cases)} comparisons hold; weakest: {ours}"
    if any(rule.fails(case.found) for case in cases):
        verdict, reason = Verdict.NOT_HELD, why
    elif not all(hold):
        verdict, reason = Verdict.UNTESTED, "The runs vary too much to tell."
    elif absent:
        verdict, reason = Verdict.UNTESTED, absent
    else:
        verdict, reason = Verdict.HELD, why
    return Judged(Claim(words, theirs, ours, verdict, reason), cases, hold)


def show_ratio(found: Estimate) -> str:
    """Write how many times as much the first needs as the second."""
    if found.low == inf:
        return "only the second gets there"
    if found.high == 0:
        return "only the first gets there"
    high = f"{found.high:.2g}" if isfinite(found.high) else "∞"
    if found.value == inf:
        return f"most often only the second gets there [{found.low:.2g}, {high}]"
    if found.value == 0:
        return f"most often only the first gets there [{found.low:.2g}, {high}]"
    return f"{found.value:.2g} times as much [{found.low:.2g}, {high}]"


def show_difference(found: Estimate) -> str:
    """Write a difference of accuracies."""
    return f"{found.value:+.4f} [{found.low:+.4f}, {found.high:+.4f}]"


def show_share(found: Estimate) -> str:
    """Write a share."""
    return f"{found.value:.2f} [{found.low:.2f}, {found.high:.2f}]"


def show_decades(found: Estimate) -> str:
    """Write a difference of logarithms."""
    return f"{found.value:+.2g} decades [{found.low:+.2g}, {found.high:+.2g}]"
