"""What the document says, and what was measured of it."""

from math import inf

import numpy as np

from ...common.statistics import mean_interval
from ..frame.context import Arrays
from ..frame.deciding import decided, typical
from ..frame.report import Claim, Verdict
from .experiments import EPOCHS, INTERCEPTS, METHODS, PACE_EPOCHS, STEPS, Digits, wrong

# Of the document: errors, true label in rows; the whole script.
TRAIN, TEST = np.array([[98, 2], [0, 100]]), np.array([[285, 15], [8, 292]])
SECONDS = 0.53
TOLERANCE = 0.005  # an error that differs by less than half a point is the same for a reader
PEGASOS = [*METHODS].index("Pegasos")
SDCA = [*METHODS].index("SDCA")


def claims(digits: Digits, rates: Arrays, pace: Arrays) -> list[Claim]:
    """Judge the claims."""
    return [
        _test_error(digits, rates),
        _training_errors(digits, rates),
        _labels(digits, rates),
        _asymmetry(digits, rates),
        _epochs(rates),
        _time(rates),
        _dual(pace),
    ]


def ends(values: np.ndarray) -> tuple[float, float]:
    """Return between which values 95 % of the draws lie."""
    low, high = np.quantile(values, (0.025, 0.975))
    return float(low), float(high)


def _among(digits: Digits, words: str, theirs: str, value: float, draws: np.ndarray, spelling: str) -> Claim:
    """Judge a figure of one draw by where it lies among ours."""
    low, high = ends(draws)
    mean_low, mean_high = mean_interval(draws.tolist())
    shown = [spelling.format(number) for number in (draws.mean(), mean_low, mean_high, low, high)]
    ours = "{} on average ({} to {}); 95 % of {n} draws have {} to {}".format(*shown, n=len(draws))
    if not digits.original:
        return Claim(words, theirs, ours, Verdict.UNTESTED, "These are other images; it needs USPS (--data).")
    inside = bool(low <= value <= high)
    verdict, unsure = typical(inside, len(draws))
    return Claim(
        words, theirs, ours, verdict, f"It lies {'among' if inside else 'outside'} 95 % of the draws.{unsure}"
    )


def _test_error(digits: Digits, rates: Arrays) -> Claim:
    words = "Pegasos with an intercept, lambda 1 and 20 epochs has a test error of 3.83 %"
    error = 100 * wrong(rates["test"][PEGASOS]) / (2 * digits.n_test)
    theirs = f"{wrong(TEST)} of {TEST.sum()}, one draw"
    return _among(digits, words, theirs, 100 * wrong(TEST) / TEST.sum(), error, "{:.2f} %")


def _training_errors(digits: Digits, rates: Arrays) -> Claim:
    words = "It gets 2 of the 200 training images wrong"
    theirs = "98, 2 / 0, 100"
    return _among(digits, words, theirs, wrong(TRAIN), wrong(rates["train"][PEGASOS]), "{:.1f}")


def _labels(digits: Digits, rates: Arrays) -> Claim:
    words = "Of the 600 test images it calls 293 a 5 and 307 a 6"
    fives = rates["test"][PEGASOS][:, :, 0].sum(axis=1)
    return _among(digits, words, "293 called 5", TEST[:, 0].sum(), fives, "{:.1f}")


def _asymmetry(digits: Digits, rates: Arrays) -> Claim:
    words = "More 5s are taken for 6s than 6s for 5s"
    theirs = f"{TEST[0, 1]} and {TEST[1, 0]} of 300 each"
    tables = rates["test"][PEGASOS]
    more = tables[:, 0, 1] - tables[:, 1, 0]
    low, high = mean_interval(more.tolist())
    ours = f"{tables[:, 0, 1].mean():.1f} and {tables[:, 1, 0].mean():.1f} of {digits.n_test} each; "
    ours += f"{more.mean():.1f} more ({low:.1f} to {high:.1f})"
    if not digits.original:
        return Claim(words, theirs, ours, Verdict.UNTESTED, "These are other images; it needs USPS (--data).")
    verdict, unsure = decided((low, high), (0.0, inf), len(more))
    why = f"The mean of the paired differences is {'above' if low > 0 else 'not surely above'} 0.{unsure}"
    return Claim(words, theirs, ours, verdict, why)


def _epochs(rates: Arrays) -> Claim:
    words = "A fixed number of epochs will do"
    at_20 = rates["steps"][STEPS.index(EPOCHS)]
    of_optimum = wrong(rates["test"][SDCA]) / rates["test"][SDCA].sum(axis=(1, 2))
    more = at_20 - of_optimum
    low, high = mean_interval(more.tolist())
    ours = f"{100 * more.mean():+.2f} points of error ({100 * low:.2f} to {100 * high:.2f}) to the optimum's"
    verdict, unsure = decided((low, high), (-TOLERANCE, TOLERANCE), len(more))
    surely = "" if verdict is Verdict.HELD else "not surely "
    why = f"The error is {surely}within half a point of that of the certified optimum.{unsure}"
    return Claim(words, f"T = {EPOCHS}", ours, verdict, why)


def _time(rates: Arrays) -> Claim:
    words = "All of it takes half a second"
    seconds = rates["seconds"][PEGASOS]
    low, high = ends(seconds)
    median, low, high = 1e3 * np.median(seconds), 1e3 * low, 1e3 * high
    ours = f"{median:.1f} ms of CPU for a fit (95 % of them {low:.1f} to {high:.1f})"
    held = high <= 1e3 * SECONDS
    why = "A fit here is all of it in a fraction; theirs is R on another machine, with files and tables."
    return Claim(words, f"{SECONDS} s, R", ours, Verdict.of(held), why if held else "A fit is slower.")


def _dual(pace: Arrays) -> Claim:
    words = "On many rows the dual is less practical than SGD on the primal"
    reached = pace["reached"][0, 0, -1]
    (ratio, low, high), (plain, plain_low, plain_high) = (_ratio(pace, b) for b in range(len(INTERCEPTS)))
    n = pace["n"][-1]
    ours = f"Pegasos takes {_short(ratio)} times SDCA's CPU ({_short(low)} to {_short(high)}) to 1 % of P*, "
    ours += f"{n:,} rows"
    verdict, unsure = decided((low, high), (0.0, 1.0), len(reached))
    if verdict is Verdict.HELD and not reached.all():
        verdict = Verdict.NOT_HELD
    why = "SGD is not shown to be faster with the document's intercept."
    if verdict is Verdict.HELD:
        why = "SGD is faster there."
    why += f"{unsure} Without one the ratio is {_short(plain)} ({_short(plain_low)} to {_short(plain_high)})."
    if not reached.all():
        short = f"{np.sum(~reached)} of its {len(reached)} runs"
        why += f" After {PACE_EPOCHS} epochs {short} are not there, and count as if they were."
    return Claim(words, "introduction", ours, verdict, why)


def _ratio(pace: Arrays, intercept: int) -> tuple[float, float, float]:
    """Return the geometric mean of Pegasos' times over SDCA's on all rows, and its interval."""
    pegasos, sdca = pace["seconds"][:, intercept, -1]
    logs = np.log(pegasos / sdca)
    low, high = np.exp(mean_interval(logs.tolist()))
    return float(np.exp(logs.mean())), float(low), float(high)


def _short(number: float) -> str:
    """Write a number to two digits, without an exponent unless it is huge."""
    return f"{float(f'{number:.2g}'):g}"
