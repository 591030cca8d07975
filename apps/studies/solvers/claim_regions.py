"""The regions in which claims on solvers hold, and how their statistics are written."""

from math import inf, isfinite

from ..frame.claim_judging import Region, Statistic

NO_CASE = "No algorithm at issue converges."
ALIKE = 2.0  # times: costs within this factor of each other count as alike


def above(limit: float) -> Region:
    """Hold where the whole interval is above a limit. One that includes the limit shows no difference."""
    return Region("", lambda s: s.low > limit, lambda s: s.low <= limit, lambda s: s.low)


def not_below(limit: float) -> Region:
    """Hold where no part of the interval is below a limit; fail where all of it is."""
    return Region("", lambda s: s.low >= limit, lambda s: s.high < limit, lambda s: s.low)


def below(limit: float) -> Region:
    """Hold where the whole interval is below a limit."""
    return Region("", lambda s: s.high < limit, lambda s: s.high >= limit, lambda s: -s.high)


def within(low: float, high: float) -> Region:
    """Hold where the whole interval is inside; fail where the whole of it is outside."""
    return Region(
        "",
        lambda s: low <= s.low and s.high <= high,
        lambda s: s.high < low or s.low > high,
        lambda s: min(s.value - low, high - s.value),
    )


def including(number: float) -> Region:
    """Hold where the interval includes a number: no difference from it is seen."""
    return Region(
        "",
        lambda s: s.low <= number <= s.high,
        lambda s: not s.low <= number <= s.high,
        lambda s: min(s.high - number, number - s.low),
    )


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


def show_difference(found: Statistic) -> str:
    """Write a difference of accuracies."""
    return f"{found.value:+.4f} [{found.low:+.4f}, {found.high:+.4f}]"


def show_share(found: Statistic) -> str:
    """Write a share."""
    return f"{found.value:.2f} [{found.low:.2f}, {found.high:.2f}]"


def show_decades(found: Statistic) -> str:
    """Write a difference of logarithms."""
    return f"{found.value:+.2g} decades [{found.low:+.2g}, {found.high:+.2g}]"
