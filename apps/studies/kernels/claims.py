"""What the document says, and what was measured of it.

Intervals are Student's over the folds, whose test digits are all different; settings are compared fold by
fold, on the same draws of rows.
"""

import numpy as np

from ...common.statistics import mean_interval, wilson_interval
from ..frame.parts import Arrays
from ..frame.report import Claim, Verdict
from .data import Digits
from .settings import BEST_GAUSSIAN, BEST_POLYNOMIAL, GAUSSIANS, LAMBDAS, POLYNOMIALS, Cell, Size

NO_EFFECT = 0.002  # of an error: about a standard error of the best ones, on USPS's 9,298 digits
GROUPED = 0.9  # of the digits lie next to the same digit
MUCH = 10  # times as fast
LINEAR = (0.8, 1.2)  # exponents of T
SEVERE = 10  # times as many of one digit as of another


def claims(digits: Digits, size: Size, grids: dict[str, Arrays], race: Arrays, plane: Arrays) -> list[Claim]:
    """Judge the claims, in the order of the document."""
    errors = Errors(digits, size, grids)
    return [
        _balance(digits),
        _groups(plane),
        _speed(race["seconds"], size),
        errors.figure(
            "The best polynomial is of degree 3, at T 50,000 and lambda 1, with an error of 2.65 %",
            *("2.65 %, figure 6", 0.0265, BEST_POLYNOMIAL),
        ),
        errors.figure(
            "Degree 4 is very close, with 2.7 %", "2.7 %, figure 7", 0.027, errors.best(["degree 4"])
        ),
        errors.figure(
            "The best gaussian is of gamma 2, at T 25,000 and lambda 1e-5, with an error of 2.7 %",
            *("2.7 %, figure 11", 0.027, BEST_GAUSSIAN),
        ),
        errors.figure(
            "At T 1,000 the gaussian of gamma 2 has some 7.0 % already",
            *("7.0 %, figure 11", 0.070, (BEST_GAUSSIAN[0], 1000, BEST_GAUSSIAN[2])),
        ),
        _lambda_of_polynomials(errors),
        _insensitive(errors),
        _overfitting(errors),
        _lambda_of_gaussians(errors),
        _low_lambdas(errors),
        _best_of_both(errors),
        _few_steps(errors),
        _sooner(errors),
        _slower(grids, size),
        _linear(grids, size),
    ]


class Errors:
    """Test errors by kernel, T and lambda, each an array over the folds."""

    def __init__(self, digits: Digits, size: Size, grids: dict[str, Arrays]) -> None:
        self._usps, self.steps = digits.usps, size.steps
        self.of = {name: grid["error"] for name, grid in grids.items()}  # (lambdas, steps, folds)

    def at(self, cell: Cell) -> np.ndarray:
        """Return the errors of a cell."""
        kernel, steps, alpha = cell
        return self.of[kernel][LAMBDAS.index(alpha), self.steps.index(steps)]

    def best(self, kernels) -> Cell:
        """Return the cell of some kernels with the lowest mean."""
        lowest = {}
        for kernel in kernels:
            mean = self.of[kernel].mean(axis=-1)
            alpha, step = np.unravel_index(mean.argmin(), mean.shape)
            lowest[kernel, self.steps[step], LAMBDAS[alpha]] = mean.min()
        return min(lowest, key=lowest.__getitem__)

    def effect(self, kernel: str) -> np.ndarray:
        """Return how much the error differs between the worst and the best lambda, on average over T."""
        errors = self.of[kernel]
        mean = errors.mean(axis=-1)
        worst, best = mean.argmax(axis=0), mean.argmin(axis=0)
        every = range(len(self.steps))
        return np.mean([errors[worst[t], t] - errors[best[t], t] for t in every], axis=0)

    def figure(self, words: str, theirs: str, value: float, cell: Cell) -> Claim:
        """Judge an error that the document gives."""
        if cell[1] not in self.steps:
            return _untested(words, theirs, f"It takes {cell[1]:,} steps; run without --quick.")
        found = self.at(cell)
        low, high = mean_interval(found.tolist())
        family = POLYNOMIALS if cell[0] in POLYNOMIALS else GAUSSIANS
        best = self.best(family)
        ours = f"{_percent(found)} at {_place(cell)}"
        if cell in (BEST_POLYNOMIAL, BEST_GAUSSIAN) and best != cell:
            ours += f"; the best of its kind is {100 * self.at(best).mean():.2f} % at {_place(best)}"
        if not self._usps:
            return Claim(
                words, theirs, ours, Verdict.UNTESTED, "These are other digits; it needs USPS (--data)."
            )
        holds = low <= value <= high
        why = f"The document's error lies {'in' if holds else 'outside'} the interval of the mean over folds."
        return _judged(words, theirs, ours, holds, why)


def _judged(words: str, theirs: str, ours: str, holds: bool, why: str) -> Claim:
    return Claim(words, theirs, ours, Verdict.of(holds), why)


def _untested(words: str, theirs: str, why: str) -> Claim:
    return Claim(words, theirs, "", Verdict.UNTESTED, why)


def _place(cell: Cell) -> str:
    kernel, steps, alpha = cell
    return f"{kernel}, T {steps:,}, lambda {alpha:g}"


def _percent(errors: np.ndarray) -> str:
    low, high = mean_interval(errors.tolist())
    return f"{100 * errors.mean():.2f} % ({100 * low:.2f} to {100 * high:.2f})"


def _points(differences: np.ndarray) -> str:
    low, high = mean_interval(differences.tolist())
    return f"{100 * differences.mean():+.2f} points ({100 * low:+.2f} to {100 * high:+.2f})"


def _above(values: np.ndarray, bound: float = 0.0) -> bool:
    return mean_interval(values.tolist())[0] > bound


def _balance(digits: Digits) -> Claim:
    counts = np.unique(digits.y, return_counts=True)[1]
    ratio = counts.max() / counts.min()
    return _judged(
        *("The classes are not severely imbalanced", "figure 2"),
        f"the most frequent digit occurs {ratio:.1f} times as often as the rarest",
        ratio < SEVERE,
        f"Severe would be {SEVERE} times as often.",
    )


def _groups(plane: Arrays) -> Claim:
    nearest = plane["nearest"]
    low, high = wilson_interval(int(nearest.sum()), len(nearest))
    shares = {label: nearest[plane["labels"] == label].mean() for label in np.unique(plane["labels"])}
    worst = min(shares, key=shares.__getitem__)
    return _judged(
        *("t-SNE shows ten groups that are clearly apart", "figure 3"),
        f"{100 * nearest.mean():.1f} % ({100 * low:.1f} to {100 * high:.1f}) of the digits lie next to one "
        f"of their kind; fewest of {worst}, {100 * shares[worst]:.1f} %",
        low > GROUPED,
        f"Groups are apart where surely more than {100 * GROUPED:.0f} % do.",
    )


def _speed(seconds: np.ndarray, size: Size) -> Claim:
    naive, vectorised, compiled = seconds[:, -1]  # at the most steps
    logs = np.log(naive / vectorised)
    low, high = np.exp(mean_interval(logs.tolist()))
    return _judged(
        *("Vectorised sums and a kernel matrix make training much faster", "figure 4"),
        f"{np.exp(logs.mean()):.0f} times as fast ({low:.0f} to {high:.0f}) at T {size.race_steps[-1]:,}; "
        f"compiled {np.median(naive / compiled):.0f} times",
        low > MUCH,
        f"Much is more than {MUCH} times; the kernel matrix costs the same at any T.",
    )


def _lambda_of_polynomials(errors: Errors) -> Claim:
    others = [name for name in POLYNOMIALS if name != "degree 2"]
    return _hardly(errors, "Lambda matters little, but for degree 2", "figures 5 to 8", "degree 2", others)


def _lambda_of_gaussians(errors: Errors) -> Claim:
    words = "Lambda hardly matters at gamma 0.25 and 0.75, and much at 2"
    return _hardly(errors, words, "figures 9 to 11", "gamma 2", ["gamma 0.25", "gamma 0.75"])


def _hardly(errors: Errors, words: str, theirs: str, sensitive: str, others: list[str]) -> Claim:
    most = errors.effect(sensitive)
    less = {name: errors.effect(name) for name in others}
    holds = all(_above(most / 2 - effect) for effect in less.values()) and _above(most, NO_EFFECT)
    parts = [f"{name} {100 * effect.mean():.2f}" for name, effect in ({sensitive: most} | less).items()]
    why = f"Little is surely less than half of what {sensitive} has."
    return _judged(
        words, theirs, f"points between the best and the worst lambda: {', '.join(parts)}", holds, why
    )


def _insensitive(errors: Errors) -> Claim:
    effect = errors.effect("degree 7")
    return _judged(
        *("Degree 7 does not depend on lambda at all", "figure 8"),
        f"{_points(effect)} between the best and the worst lambda",
        mean_interval(effect.tolist())[1] < NO_EFFECT,
        f"No effect is one below {100 * NO_EFFECT:.1f} points.",
    )


def _overfitting(errors: Errors) -> Claim:
    worse = errors.of["degree 7"] - errors.of["degree 2"]
    by_steps = [worse[:, t].mean(axis=0) for t in range(len(errors.steps))]
    cells = worse.mean(axis=-1) > 0
    lowest = [errors.of[name].mean(axis=-1).min(axis=0) for name in ("degree 7", "degree 2")]
    shown, at_best = (
        ", ".join(f"{100 * each.mean():+.2f}" for each in differences)
        for differences in (by_steps, lowest[0] - lowest[1])
    )
    return _judged(
        *("Degree 7 is worse than degree 2 at every T", "figures 5 and 8"),
        f"worse in {cells.sum()} of {cells.size} cells; points by T, mean over lambda: {shown}; of the best "
        f"lambdas: {at_best}",
        all(_above(each) for each in by_steps),
        "At every T the mean over lambda would have to be surely higher.",
    )


def _low_lambdas(errors: Errors) -> Claim:
    gains = [
        errors.of[name][-1, t] - errors.of[name][0, t] for name in GAUSSIANS for t in range(len(errors.steps))
    ]
    sure = sum(_above(gain) for gain in gains)
    lower = sum(gain.mean() > 0 for gain in gains)
    return _judged(
        *("With gaussians a low lambda is better, at every gamma and T", "figures 9 to 11"),
        f"lambda {LAMBDAS[0]:g} has a lower error than {LAMBDAS[-1]:g} in {lower} of {len(gains)} rows, "
        f"surely in {sure}",
        sure == len(gains),
        "It would have to be surely lower in all of them.",
    )


def _best_of_both(errors: Errors) -> Claim:
    words, theirs = "The best polynomial is better than the best gaussian, by little", "2.65 and 2.7 %"
    if BEST_POLYNOMIAL[1] not in errors.steps:
        return _untested(words, theirs, f"It takes {BEST_POLYNOMIAL[1]:,} steps; run without --quick.")
    better = errors.at(BEST_GAUSSIAN) - errors.at(BEST_POLYNOMIAL)
    why = "The two cannot be told apart: the interval of the paired differences has 0."
    if _above(better) or _above(-better):
        why = f"The interval of the paired differences is {'above' if _above(better) else 'below'} 0."
    return _judged(words, theirs, f"the document's best gaussian has {_points(better)}", _above(better), why)


def _few_steps(errors: Errors) -> Claim:
    few = [steps for steps in errors.steps if steps < BEST_POLYNOMIAL[1]]
    (gaussian, _, low), (polynomial, _, high) = BEST_GAUSSIAN, BEST_POLYNOMIAL
    better = {
        steps: errors.at((polynomial, steps, high)) - errors.at((gaussian, steps, low)) for steps in few
    }
    parts = [f"T {steps:,} {100 * each.mean():+.2f}" for steps, each in better.items()]
    unsure = [f"{steps:,}" for steps, each in better.items() if not _above(each)]
    why = "The paired differences are surely above 0 at each T."
    if unsure:
        why = f"The paired differences are not surely above 0 at T {' and '.join(unsure)}."
    return _judged(
        *(
            "Up to T 25,000 the best gaussian setting is better than the best polynomial one",
            "figures 6 and 11",
        ),
        f"the polynomial's error is higher by, in points: {', '.join(parts)}",
        not unsure,
        why,
    )


def _sooner(errors: Errors) -> Claim:
    words, theirs = (
        "The gaussian reaches its lowest error with half the steps of the polynomial",
        "25,000, 50,000",
    )
    (gaussian, early, low), (polynomial, late, high) = BEST_GAUSSIAN, BEST_POLYNOMIAL
    if late not in errors.steps:
        return _untested(words, theirs, f"It takes {late:,} steps; run without --quick.")
    gains = [
        errors.at((kernel, early, alpha)) - errors.at((kernel, late, alpha))
        for kernel, alpha in ((gaussian, low), (polynomial, high))
    ]
    return _judged(
        *(words, theirs),
        f"from T 25,000 to 50,000 the gaussian gains {_points(gains[0])}, the polynomial {_points(gains[1])}",
        _above(gains[1] - gains[0]),
        "The polynomial would have to gain surely more.",
    )


def _slower(grids: dict[str, Arrays], size: Size) -> Claim:
    seconds = {name: grid["seconds"].mean(axis=0) for name, grid in grids.items()}  # (steps, folds)
    fastest = np.min([seconds[name] for name in GAUSSIANS], axis=0)
    slowest = np.max([seconds[name] for name in POLYNOMIALS], axis=0)
    ratios = fastest.mean(axis=-1) / slowest.mean(axis=-1)
    return _judged(
        *("Training takes longer with a gaussian than with a polynomial, at every T", "figure 12"),
        f"the fastest gaussian takes {ratios.min():.1f} to {ratios.max():.1f} times as long as the slowest "
        "polynomial",
        all(_above(longer) for longer in fastest - slowest),
        f"At each of the {len(size.steps)} T the difference over folds would have to be surely above 0.",
    )


def _linear(grids: dict[str, Arrays], size: Size) -> Claim:
    exponents = {}
    for name, grid in grids.items():
        exponents[name], _ = np.polyfit(np.log(size.steps), np.log(grid["seconds"].mean(axis=0)), 1)
    ends = [mean_interval(each.tolist()) for each in exponents.values()]
    parts = [f"{name} {each.mean():.2f}" for name, each in exponents.items()]
    return _judged(
        *("The time grows about linearly with T", "figure 12"),
        f"exponents of T: {', '.join(parts)}",
        all(LINEAR[0] < low and high < LINEAR[1] for low, high in ends),
        f"About linear is surely from {LINEAR[0]} to {LINEAR[1]}, for each kernel. Here a step without a "
        "loss costs next to nothing, and the document's as much as any.",
    )
