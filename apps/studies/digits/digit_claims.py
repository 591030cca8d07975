"""The claims of the document on two digits: each a row, with what was measured of it."""

import numpy as np

from ..frame.claim_judging import (
    Region,
    above,
    below,
    inside,
    judge,
    mean,
    meets,
    of_a_draw,
    reaches,
    show_ratio,
    untested,
)
from ..frame.study_context import Arrays
from ..frame.study_report import Claim
from ..race.many_rows import cpu_ratios, decisive
from .digit_experiments import EPOCHS, EPOCHS_TRIED, METHODS, Digits, wrong

# Of the document: errors, true label in rows; the whole script.
TRAIN, TEST = np.array([[98, 2], [0, 100]]), np.array([[285, 15], [8, 292]])
SECONDS = 0.53
TOLERANCE = 0.005  # an error that differs by less than half a point is the same for a reader
PEGASOS = [*METHODS].index("Pegasos")
SDCA = [*METHODS].index("SDCA")
OTHERS = "These are other images; it needs USPS (--data)."


# fmt: off
def claims(digits: Digits, rates: Arrays, race: Arrays | str) -> list[Claim]:
    """Judge the claims."""
    train, test = rates["train"][PEGASOS], rates["test"][PEGASOS]
    optimum = wrong(rates["test"][SDCA]) / rates["test"][SDCA].sum(axis=(1, 2))
    return [
        *(among(digits, *row) for row in (
            ("Pegasos with an intercept, lambda 1 and 20 epochs has a test error of 3.83 %",
             f"{wrong(TEST)} of {TEST.sum()}, one draw", 100 * wrong(test) / (2 * digits.n_test),
             reaches(100 * wrong(TEST) / TEST.sum(), unit=" %"), "{:.2f} %"),
            ("It gets 2 of the 200 training images wrong", "98, 2 / 0, 100", wrong(train),
             reaches(wrong(TRAIN)), "{:.1f}"),
            ("Of the 600 test images it calls 293 a 5 and 307 a 6", "293 called 5",
             test[:, :, 0].sum(axis=1), meets(*2 * (TEST[:, 0].sum(),)), "{:.1f}"),
        )),
        asymmetry(digits, test),
        judge("A fixed number of epochs will do", f"T = {EPOCHS}",
              mean(rates["steps"][EPOCHS_TRIED.index(EPOCHS)] - optimum), inside(-TOLERANCE, TOLERANCE),
              lambda s: f"{100 * s.value:+.2f} points of error ({100 * s.low:.2f} to {100 * s.high:.2f}) "
                        f"to the "
                        "optimum's",
              why="The error less that of the certified optimum, within half a point."),
        judge("All of it takes half a second", f"{SECONDS} s, R",
              of_a_draw(1e3 * rates["seconds"][PEGASOS]), reaches(1e3 * SECONDS, unit=" ms"),
              lambda s: f"{s.value:.1f} ms of CPU for a fit (95 % of them to {s.high:.1f})",
              why="A fit is a fraction of all of it; theirs is R on another machine, with files and tables."),
        dual(race),
    ]


def among(digits: Digits, words: str, theirs: str, draws: np.ndarray, region: Region, spelling: str) -> Claim:
    """Judge a figure of one draw by where 95 % of ours are."""
    mean_of, low, high = (spelling.format(number) for number in of_a_draw(draws))
    ours = f"{mean_of} on average of {len(draws)} draws; 95 % of single draws have {low} to {high}"
    claim = judge(words, theirs, of_a_draw(draws), region, ours=ours)
    return claim if digits.original else untested(claim, OTHERS)


def asymmetry(digits: Digits, tables: np.ndarray) -> Claim:
    """Judge whether more 5s are taken for 6s."""
    fives, sixes = tables[:, 0, 1], tables[:, 1, 0]
    claim = judge(
        "More 5s are taken for 6s than 6s for 5s", f"{TEST[0, 1]} and {TEST[1, 0]} of 300 each",
        mean(fives - sixes), above(0),
        lambda s: f"{fives.mean():.1f} and {sixes.mean():.1f} of {digits.n_test} each; {s.value:.1f} more "
                  f"({s.low:.1f} to {s.high:.1f})")
    return claim if digits.original else untested(claim, OTHERS)


def dual(race: Arrays | str) -> Claim:
    """Judge whether SGD on the primal is the faster on many rows, with the document's intercept."""
    return judge(
        "On many rows the dual is less practical than SGD on the primal (CPU time of Pegasos / that of SDCA)",
        "introduction", race if isinstance(race, str) else cpu_ratios(race), below(1), show_ratio,
        why=decisive(race))
# fmt: on
