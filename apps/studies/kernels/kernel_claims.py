"""The claims of the document on kernels: each a row, with what was measured of it.

Intervals are Student's over the folds, whose test digits are all different; settings are compared fold by
fold, on the same draws of rows.
"""

from dataclasses import dataclass

import numpy as np

from ...common.statistics import wilson_interval
from ..frame.claim_judging import (
    Statistic,
    above,
    below,
    fixed,
    inside,
    judge,
    mean,
    meets,
    reaches,
    spelled,
    untested,
)
from ..frame.study_context import Arrays
from ..frame.study_report import Claim
from .kernel_digits import Digits
from .kernel_grid import (
    BEST_GAUSSIAN,
    BEST_POLYNOMIAL,
    GAUSSIANS,
    LAMBDAS,
    MEMORY_ROWS,
    POLYNOMIALS,
    Cell,
    Size,
)

NO_EFFECT = 0.002  # of an error: about a standard error of the best ones, on USPS's 9,298 digits
GROUPED = 0.9  # of the digits lie next to the same digit
MUCH = 10  # times as fast
ROUNDED = 0.05  # of a number of bytes
LINEAR = (0.8, 1.2)  # exponents of T
SEVERE = 10  # times as many of one digit as of another
POINTS = spelled("+.2f", " points", 100)
OTHERS = "These are other digits; it needs USPS (--data)."


@dataclass(frozen=True)
class KernelFindings:
    """All that was measured: errors and times by kernel, (lambdas, steps, folds), and the other parts."""

    digits: Digits
    size: Size
    grids: dict[str, Arrays]
    race: Arrays
    plane: Arrays
    memory: Arrays
    wider: dict[str, Arrays]

    @property
    def steps(self) -> tuple[int, ...]:
        """The values of T."""
        return self.size.steps

    def errors(self, kernel: str) -> np.ndarray:
        """Return the test errors of a kernel."""
        return self.grids[kernel]["error"]

    def at(self, cell: Cell) -> np.ndarray:
        """Return the errors of a cell."""
        kernel, steps, alpha = cell
        return self.errors(kernel)[LAMBDAS.index(alpha), self.steps.index(steps)]

    def best(self, kernels) -> Cell:
        """Return the cell of some kernels with the lowest mean."""
        lowest = {}
        for kernel in kernels:
            means = self.errors(kernel).mean(axis=-1)
            alpha, step = np.unravel_index(means.argmin(), means.shape)
            lowest[kernel, self.steps[step], LAMBDAS[alpha]] = means.min()
        return min(lowest, key=lowest.__getitem__)

    def effect(self, kernel: str) -> np.ndarray:
        """Return how much the error differs between the worst and the best lambda, on average over T."""
        errors = self.errors(kernel)
        means = errors.mean(axis=-1)
        worst, best = means.argmax(axis=0), means.argmin(axis=0)
        return np.mean([errors[worst[t], t] - errors[best[t], t] for t in range(len(self.steps))], axis=0)

    def missing(self, steps: int) -> str:
        """Return why nothing is measured at so many steps, or ""."""
        return "" if steps in self.steps else f"It takes {steps:,} steps; run without --quick."


def claims(*measured) -> list[Claim]:
    """Judge the claims, in the order of the document; `measured` as of `KernelFindings`."""
    found = KernelFindings(*measured)
    every = [*first_claims(found), *error_claims(found), *lambda_claims(found), *step_claims(found)]
    return every + ([wider_claim(found)] if found.wider else [])


def place(cell: Cell) -> str:
    """Return the words for a cell of the grid."""
    return f"{cell[0]}, T {cell[1]:,}, lambda {cell[2]:g}"


def points(values: np.ndarray) -> str:
    """Write errors as percentage points."""
    return f"{100 * values.mean():+.2f}"


# fmt: off
def first_claims(found: KernelFindings) -> list[Claim]:
    """Judge the claims on the digits, the plane and the race."""
    counts = np.unique(found.digits.y, return_counts=True)[1]
    nearest, labels = found.plane["nearest"], found.plane["labels"]
    shares = {label: nearest[labels == label].mean() for label in np.unique(labels)}
    worst = min(shares, key=shares.__getitem__)
    grouped = Statistic(nearest.mean(), *wilson_interval(int(nearest.sum()), len(nearest)))
    naive, vectorised, compiled = found.race["seconds"][:, -1]  # at the most steps
    most, logs = found.size.race_steps[-1], mean(np.log(naive / vectorised))
    faster = Statistic(*np.exp(logs))
    return [
        judge("The classes are not severely imbalanced", "figure 2",
              fixed(counts.max() / counts.min()),
              below(SEVERE),
              lambda s: f"the most frequent digit occurs {s.value:.1f} times as often as the rarest"),
        judge("t-SNE shows ten groups that are clearly apart", "figure 3", grouped, above(GROUPED),
              lambda s: f"{spelled('.1f', ' %', 100)(s)} of the digits lie next to one of their kind; "
                        f"fewest of {worst}, {100 * shares[worst]:.1f} %",
              why=f"Groups are apart where surely more than {100 * GROUPED:.0f} % do."),
        judge("Vectorised sums and a kernel matrix make training much faster", "figure 4", faster,
              above(MUCH), lambda s: f"{spelled('.0f', ' times as fast')(s)} at T {most:,}; "
                                     f"compiled {np.median(naive / compiled):.0f} times",
              why=f"Much is more than {MUCH} times; the kernel matrix costs the same at any T."),
        *(judge(f"{words} takes {theirs:g} GB", f"{theirs:g} GB, section 2.3",
                fixed(float(found.memory[name])), meets(theirs * (1 - ROUNDED), theirs * (1 + ROUNDED)),
                lambda s: f"{s.value:.3g} GB",
                why=f"{MEMORY_ROWS} rows of float32, scaled to 9,298; within {100 * ROUNDED:g} %.")
          for words, theirs, name in (("The kernel matrix of all digits", 0.34, "matrix"),
                                      ("The tensor of all differences", 87, "tensor"))),
    ]


def wider_claim(found: KernelFindings) -> Claim:
    """Judge what the document leaves to further research; each fold is told by the cells of the others."""
    theirs, ours = (
        _chosen_errors(np.concatenate([grid["error"].reshape(-1, grid["error"].shape[-1]) for grid in grids]))
        for grids in ([found.grids[name] for name in GAUSSIANS], found.wider.values())
    )
    best = {name: 100 * grid["error"].mean(axis=-1).min() for name, grid in found.wider.items()}
    return judge("Lower lambda and higher gamma lower the error of the gaussians", "section 4",
                 mean(theirs - ours), above(0), POINTS,
                 why="The document's gaussians less wider ones, each at the best cell of the other folds. "
                     "Lowest means: "
                     f"{', '.join(f'{name} {error:.2f} %' for name, error in best.items())}.")


def _chosen_errors(errors: np.ndarray) -> np.ndarray:
    """Return the error of each fold at the cell with the lowest mean of the other folds."""
    others = errors.sum(axis=-1, keepdims=True) - errors
    return np.take_along_axis(errors, others.argmin(axis=0)[None], axis=0)[0]


def error_claims(found: KernelFindings) -> list[Claim]:
    """Judge the errors that the document gives."""
    return [document_error(found, *row) for row in (
        ("The best polynomial is of degree 3, at T 50,000 and lambda 1, with an error of 2.65 %",
         "2.65 %, figure 6", 0.0265, BEST_POLYNOMIAL),
        ("Degree 4 is very close, with 2.7 %", "2.7 %, figure 7", 0.027, found.best(["degree 4"])),
        ("The best gaussian is of gamma 2, at T 25,000 and lambda 1e-5, with an error of 2.7 %",
         "2.7 %, figure 11", 0.027, BEST_GAUSSIAN),
        ("At T 1,000 the gaussian of gamma 2 has some 7.0 % already",
         "7.0 %, figure 11", 0.070, (BEST_GAUSSIAN[0], 1000, BEST_GAUSSIAN[2])),
    )]


def document_error(found: KernelFindings, words: str, theirs: str, value: float, cell: Cell) -> Claim:
    """Judge an error that the document gives."""
    if found.missing(cell[1]):
        return judge(words, theirs, found.missing(cell[1]), above(0))
    best, better = found.best(POLYNOMIALS if cell[0] in POLYNOMIALS else GAUSSIANS), ""
    if cell in (BEST_POLYNOMIAL, BEST_GAUSSIAN) and best != cell:
        better = f"; the best of its kind is {100 * found.at(best).mean():.2f} % at {place(best)}"
    claim = judge(words, theirs, mean(100 * found.at(cell)), reaches(100 * value, unit=" %"),
                  lambda s: f"{spelled('.2f', ' %')(s)} at {place(cell)}{better}")
    return claim if found.digits.usps else untested(claim, OTHERS)


def lambda_claims(found: KernelFindings) -> list[Claim]:
    """Judge the claims on lambda and on degree 7."""
    worse = found.errors("degree 7") - found.errors("degree 2")
    by_steps = {f"{steps:,}": worse[:, t].mean(axis=0) for t, steps in enumerate(found.steps)}
    cells = worse.mean(axis=-1) > 0
    lowest = [found.errors(name).mean(axis=-1).min(axis=0) for name in ("degree 7", "degree 2")]
    gains = {
        (name, t): mean(found.errors(name)[-1, t] - found.errors(name)[0, t])
        for name in GAUSSIANS for t in range(len(found.steps))
    }
    lower = sum(gain.value > 0 for gain in gains.values())
    surely = sum(gain.low > 0 for gain in gains.values())
    return [
        hardly(found, "Lambda matters little, but for degree 2", "figures 5 to 8", "degree 2",
               [name for name in POLYNOMIALS if name != "degree 2"]),
        judge("Degree 7 does not depend on lambda at all", "figure 8",
              mean(found.effect("degree 7")), below(NO_EFFECT),
              lambda s: f"{POINTS(s)} between the best and the worst lambda",
              why=f"No effect is one below {100 * NO_EFFECT:.1f} points."),
        judge("Degree 7 is worse than degree 2 at every T", "figures 5 and 8",
              {steps: mean(each) for steps, each in by_steps.items()}, above(0),
              ours=f"worse in {cells.sum()} of {cells.size} cells; points by T, mean over lambda: "
                   f"{', '.join(map(points, by_steps.values()))}; of the best lambdas: "
                   f"{', '.join(map(points, lowest[0] - lowest[1]))}",
              why="The mean over lambda, at every T."),
        hardly(found, "Lambda hardly matters at gamma 0.25 and 0.75, and much at 2", "figures 9 to 11",
               "gamma 2", ["gamma 0.25", "gamma 0.75"]),
        judge("With gaussians a low lambda is better, at every gamma and T", "figures 9 to 11", gains,
              above(0), ours=f"lambda {LAMBDAS[0]:g} has a lower error than {LAMBDAS[-1]:g} in {lower} "
                             f"of {len(gains)} rows, surely in {surely}",
              why="In all of them."),
    ]


def hardly(found: KernelFindings, words: str, theirs: str, sensitive: str, others: list[str]) -> Claim:
    """Judge whether lambda matters little for some kernels, compared with a sensitive one."""
    most = found.effect(sensitive)
    less = {name: found.effect(name) for name in others}
    cases = {name: mean(most / 2 - effect) for name, effect in less.items()}
    cases[sensitive] = mean(most - NO_EFFECT)
    parts = [f"{name} {100 * effect.mean():.2f}" for name, effect in ({sensitive: most} | less).items()]
    return judge(words, theirs, cases, above(0),
                 ours=f"points between the best and the worst lambda: {', '.join(parts)}",
                 why=f"Little is surely less than half of what {sensitive} has.")


def step_claims(found: KernelFindings) -> list[Claim]:
    """Judge the claims on the best settings, their numbers of steps, and time."""
    (gaussian, early, low), (polynomial, late, high) = BEST_GAUSSIAN, BEST_POLYNOMIAL
    few = {steps: found.at((polynomial, steps, high)) - found.at((gaussian, steps, low))
           for steps in found.steps if steps < late}
    better = gains = found.missing(late)
    sooner = ""
    if not better:
        better = mean(found.at(BEST_GAUSSIAN) - found.at(BEST_POLYNOMIAL))
        fall = [found.at((kernel, early, alpha)) - found.at((kernel, late, alpha))
                for kernel, alpha in ((gaussian, low), (polynomial, high))]
        gains = mean(fall[1] - fall[0])
        sooner = (f"from T 25,000 to 50,000 the gaussian gains {POINTS(mean(fall[0]))}, the polynomial "
                  f"{POINTS(mean(fall[1]))}")
    seconds = {name: grid["seconds"].mean(axis=0) for name, grid in found.grids.items()}  # (steps, folds)
    fastest = np.min([seconds[name] for name in GAUSSIANS], axis=0)
    slowest = np.max([seconds[name] for name in POLYNOMIALS], axis=0)
    ratios = fastest.mean(axis=-1) / slowest.mean(axis=-1)
    exponents = {
        name: mean(np.polyfit(np.log(found.steps), np.log(each), 1)[0]) for name, each in seconds.items()
    }
    return [
        judge("The best polynomial is better than the best gaussian, by little", "2.65 and 2.7 %", better,
              above(0), lambda s: f"the document's best gaussian has {POINTS(s)}"),
        judge("Up to T 25,000 the best gaussian setting is better than the best polynomial one",
              "figures 6 and 11", {f"T {steps:,}": mean(each) for steps, each in few.items()}, above(0),
              ours="the polynomial's error is higher by, in points: "
                   + ", ".join(f"T {steps:,} {points(each)}" for steps, each in few.items())),
        judge("The gaussian reaches its lowest error with half the steps of the polynomial", "25,000, 50,000",
              gains, above(0), ours=sooner, why="What the polynomial gains more."),
        judge("Training takes longer with a gaussian than with a polynomial, at every T", "figure 12",
              {f"{steps:,}": mean(each) for steps, each in zip(found.steps, fastest - slowest, strict=True)},
              above(0), ours=f"the fastest gaussian takes {ratios.min():.1f} to {ratios.max():.1f} times as "
                             "long as the slowest polynomial",
              why="The fastest gaussian less the slowest polynomial, seconds, at each T."),
        judge("The time grows about linearly with T", "figure 12", exponents, inside(*LINEAR),
              ours=f"exponents of T: {', '.join(f'{name} {s.value:.2f}' for name, s in exponents.items())}",
              why=f"About linear is surely from {LINEAR[0]} to {LINEAR[1]}, for each kernel. Here a step "
                  "without a loss costs next to nothing, and the document's as much as any."),
    ]
