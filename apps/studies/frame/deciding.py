"""When an interval, or where draws lie, decides about a claim."""

from .report import Verdict

ENOUGH = 5  # runs; as many as the folds of a cross-validation, the fewest that a whole study has
ENOUGH_DRAWS = 40  # of fewer, all that there are is less than 95 % of what may come

Interval = tuple[float, float]


def decided(interval: Interval, region: Interval, runs: int) -> tuple[Verdict, str]:
    """Judge by its interval whether a mean lies in a region.

    Where the interval is partly inside, the claim is not shown, and so does not hold; but fewer runs than
    `ENOUGH` decide nothing then.

    Parameters
    ----------
    interval : (float, float)
        Of 95 %.
    region : (float, float)
        Where the claim has the mean; its ends are outside.
    runs : int
        That the interval is of.

    Returns
    -------
    Verdict
    str
        A sentence, after a blank, on too few runs; "" where they decide.
    """
    (low, high), (least, most) = interval, region
    if least < low and high < most:
        return Verdict.HELD, ""
    if runs < ENOUGH and high > least and low < most:
        return Verdict.UNTESTED, f" So few runs ({runs}) decide nothing."
    return Verdict.NOT_HELD, ""


def typical(inside: bool, draws: int) -> tuple[Verdict, str]:
    """Judge by whether it lies among 95 % of our draws what somebody had of one draw.

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
