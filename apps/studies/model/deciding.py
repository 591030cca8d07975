"""When an interval decides about a claim."""

from .report import Verdict

ENOUGH = 5  # runs; as many as the folds of a cross-validation, the fewest that a whole study has

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
