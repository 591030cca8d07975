"""The claims of the document on blood cells, and what must be measured for each to hold."""

from collections.abc import Sequence
from itertools import combinations
from math import floor, inf, log10
from typing import NamedTuple

import numpy as np

from ...common.statistics import mean_interval, median_interval, resampled_interval
from ..frame.deciding import decided
from ..frame.report import Claim, Verdict
from .experiments import FEATURES, PEGASOS, RAW, SDCA_LABEL, SOLVERS, STARTED, WHITENED, Curves, Errors, Trace

NEAR = 0.01  # of P*: what counts as converged
SAME = 0.01  # of the test error: what counts as no difference
ROUGHLY = 0.2  # of a number that is "about" so large
GAIN = 0.057  # of the test error, by components; the document's
FAR = 2.0  # times: "far faster"
DRAWS = 1000  # of runs with replacement, for an interval of what has no formula
DECIMALS = 8  # of a measure, at most


class Measure(NamedTuple):
    """A number with its 95 % interval, and how many runs that is of."""

    value: float
    low: float
    high: float
    runs: int


class Rule(NamedTuple):
    """Where the interval of a measure must lie for a claim to hold.

    Attributes
    ----------
    low, high : float
    whole : bool
        Whether all of the interval must be between them, or some of it will do.
    words : str
    """

    low: float
    high: float
    whole: bool
    words: str

    def verdict(self, measure: Measure) -> tuple[Verdict, str]:
        """Return the verdict, and a sentence on too few runs."""
        if self.whole:
            return decided((measure.low, measure.high), (self.low, self.high), measure.runs)
        return Verdict.of(measure.low <= self.high and measure.high >= self.low), ""


def between(low: float, high: float) -> Rule:
    """Hold where the interval meets a range."""
    return Rule(low, high, False, f"Holds where the interval meets {low:.3g} to {high:.3g}.")


def about(number: float) -> Rule:
    """Hold where the interval meets a number, give or take `ROUGHLY`."""
    return between((1 - ROUGHLY) * number, (1 + ROUGHLY) * number)


def exactly(number: float) -> Rule:
    """Hold where the interval includes a number."""
    return Rule(number, number, False, f"Holds where the interval includes {number:g}.")


def at_most(number: float) -> Rule:
    """Hold where the interval reaches down to a number."""
    return Rule(-inf, number, False, f"Holds where the interval reaches {number:g} or less.")


def above(number: float) -> Rule:
    """Hold where the whole interval is above a number."""
    return Rule(number, inf, True, f"Holds where the whole interval is above {number:g}.")


def alike(margin: float) -> Rule:
    """Hold where the whole interval is within a margin of 0."""
    return Rule(-margin, margin, True, f"Holds where the whole interval is within {margin:g} of 0.")


# Measures


def median(values: np.ndarray) -> Measure:
    """Return the median of runs, which may be infinite."""
    return Measure(float(np.median(values)), *median_interval(values.tolist()), len(values))


def mean(values: np.ndarray) -> Measure:
    """Return the mean of runs, or of paired differences of them."""
    return Measure(float(np.mean(values)), *mean_interval(values.tolist()), len(values))


def over_splits(values: np.ndarray, sizes: tuple[float, float]) -> Measure:
    """Return the mean over splits, which share most of the images they train on."""
    return Measure(float(np.mean(values)), *resampled_interval(values.tolist(), *sizes), len(values))


def seconds_to(curves: Curves, level: float) -> np.ndarray:
    """Return each run's CPU seconds to the first epoch with an objective of `level` or less, or infinity."""
    there = curves.primal <= level
    first = there.argmax(axis=1)
    return np.where(there.any(axis=1), curves.seconds[np.arange(len(there)), first], np.inf)


def seconds_of_epoch(curves: Curves) -> np.ndarray:
    """Return each run's CPU seconds of an epoch, on average."""
    return curves.seconds[:, -1] / curves.seconds.shape[1]


def settled(error: np.ndarray) -> np.ndarray:
    """Return from which epoch on each curve of test errors stays within `SAME` of its end."""
    away = np.abs(error - error[:, -1:]) > SAME + 1e-9
    return np.where(away.any(axis=1), away.shape[1] - away[:, ::-1].argmax(axis=1), 0) + 1


def settling(curves: Curves) -> Measure:
    """Return from which epoch on the runs' mean test error is settled; the interval is of drawn runs."""
    runs = len(curves.error)
    drawn = np.random.default_rng(0).multinomial(runs, np.full(runs, 1 / runs), DRAWS)
    low, high = np.quantile(settled(drawn @ curves.error / runs), (0.025, 0.975))
    epoch = settled(curves.error.mean(axis=0, keepdims=True))[0]
    return Measure(float(epoch), float(low), float(high), runs)


def slowness(trace: Trace, slow: str, fast: str) -> Measure:
    """Return how many times as long one solver takes to 1 % of P* as another."""
    level = (1 + NEAR) * trace.optimum
    times = [seconds_to(trace.curves[label], level) for label in (slow, fast)]
    if np.isinf(times).all(axis=0).any():  # neither gets there
        return Measure(np.nan, np.nan, np.nan, len(times[0]))
    return median(times[0] / times[1])


# Claims


def judged(words: str, theirs: str, measure: Measure, rule: Rule, unit: str = "") -> Claim:
    """Return a claim with its verdict."""
    if np.isnan(measure.value):
        return Claim(words, theirs, "", Verdict.UNTESTED, "Some runs did not get to 1 % of the optimum.")
    if not np.isfinite([measure.low, measure.high]).any():
        return Claim(words, theirs, "", Verdict.UNTESTED, "An interval of a median needs six runs.")
    verdict, unsure = rule.verdict(measure)
    return Claim(words, theirs, shown(measure) + unit, verdict, rule.words + unsure)


def shown(measure: Measure) -> str:
    """Write a measure and its interval, to two digits of how uncertain it is."""
    half = (measure.high - measure.low) / 2
    decimals = 1 - floor(log10(half)) if 0 < half < inf else 2
    value, low, high = (f"{number:.{min(max(decimals, 0), DECIMALS)}f}" for number in measure[:3])
    return f"{value} ({low} to {high})"


def claims(
    traces: dict[str, Trace], at_random: Errors, grouped: Errors | None, photographs: bool
) -> list[Claim]:
    """Judge all claims.

    Parameters
    ----------
    traces : dict of str to Trace
        By features.
    at_random, grouped : Errors
        Over random splits, and over folds that share no original; None where there are too few originals.
    photographs : bool
        Whether the images are the document's: of others its errors say nothing.
    """
    return [
        *_speed(traces),
        *_levels(at_random, photographs),
        *_gain(at_random, grouped),
        *_likeness(traces),
        *_start(traces),
        *_epochs(traces[RAW]),
    ]


def _speed(traces: dict[str, Trace]) -> list[Claim]:
    raw, pca = traces[RAW], traces[WHITENED]
    epoch = median(seconds_of_epoch(pca.curves[SDCA_LABEL]) / seconds_of_epoch(pca.curves[PEGASOS]))
    last = raw.curves[SDCA_LABEL].primal.shape[1] - 1
    lead = (raw.curves[PEGASOS].primal[:, last] - raw.curves[SDCA_LABEL].primal[:, last]) / raw.optimum
    return [
        judged(
            "Raw crops: Pegasos takes about 3 times as long as SDCA to converge (to 1 % of P*)",
            "about 3 (figure 2a)",
            slowness(raw, PEGASOS, SDCA_LABEL),
            about(3),
            " times",
        ),
        judged(
            "Raw crops: so it does against SDCA with an SGD start",
            "about 3 (figure 2a)",
            slowness(raw, PEGASOS, STARTED),
            about(3),
            " times",
        ),
        judged(
            "Raw crops: SDCA is the more precise: after as many epochs its loss is lower (by so much of P*)",
            "conclusions",
            mean(100 * lead),
            above(0),
            " %",
        ),
        judged(
            "PCA: Pegasos' epochs are way faster (an epoch of SDCA / one of Pegasos)",
            "figure 3a",
            epoch,
            above(FAR),
            " times",
        ),
        judged(
            "PCA: Pegasos performs way better than SDCA (time of SDCA to 1 % of P* / that of Pegasos)",
            "conclusions",
            slowness(pca, SDCA_LABEL, PEGASOS),
            above(FAR),
            " times",
        ),
    ]


def _levels(at_random: Errors, photographs: bool) -> list[Claim]:
    found = []
    for feature, number, words in ((RAW, 0.263, "raw crops"), (WHITENED, 0.206, "PCA with 40 components")):
        words = f"Test error of SDCA, {words}, random split"
        measure = over_splits(at_random.of(feature), at_random.sizes)
        claim = judged(words, f"{number:.3f}", measure, exactly(number))
        if not photographs:
            why = "The document's number is of its photographs; these images are drawn."
            claim = Claim(words, f"{number:.3f}", claim.ours, Verdict.UNTESTED, why)
        found.append(claim)
    return found


def _gain(at_random: Errors, grouped: Errors | None) -> list[Claim]:
    words = "PCA lowers the test error (raw - whitened PCA of SDCA), {}"
    theirs = ".263 - .206 = .057"
    where = "folds that share no copies of an original"
    found = [_gained(words.format("random splits"), theirs, at_random)]
    if grouped is None:
        why = "There are too few originals for folds that share none."
        return [*found, Claim(words.format(where), theirs, "", Verdict.UNTESTED, why)]
    return [*found, _gained(words.format(where), theirs, grouped)]


def _gained(words: str, theirs: str, errors: Errors) -> Claim:
    gain = over_splits(errors.of(RAW) - errors.of(WHITENED), errors.sizes)
    if gain.low <= 0 and gain.high >= GAIN:
        why = "The interval has both 0 and the document's gain."
        return Claim(words, theirs, shown(gain), Verdict.UNTESTED, why)
    return judged(words, theirs, gain, above(0))


def _likeness(traces: dict[str, Trace]) -> list[Claim]:
    theirs = {RAW: ".263 and .264", WHITENED: ".206 and .207; figure 3b"}
    return [
        judged(
            f"{words}: all three score alike (largest difference of their test errors)",
            theirs[feature],
            _widest([traces[feature].curves[label].error[:, -1] for label in SOLVERS]),
            alike(SAME),
        )
        for feature, words in ((RAW, "Raw crops"), (WHITENED, "PCA"))
    ]


def _widest(values: Sequence[np.ndarray]) -> Measure:
    """Return, of the paired differences of all pairs, that whose interval reaches furthest."""
    differences = [mean(one - other) for one, other in combinations(values, 2)]
    return max(differences, key=lambda m: max(-m.low, m.high))


def _start(traces: dict[str, Trace]) -> list[Claim]:
    found = []
    for feature in FEATURES:
        without, started = (traces[feature].curves[label].primal for label in (SDCA_LABEL, STARTED))
        found.append(
            judged(
                f"The SGD start lowers the loss after the first epoch, {feature} (without - with, of P*)",
                "figures 2a and 3a",
                mean(100 * (without - started)[:, 0] / traces[feature].optimum),
                above(0),
                " %",
            )
        )
    without, started = (traces[RAW].curves[label].error[:, -1] for label in (SDCA_LABEL, STARTED))
    words = "Raw crops: the SGD start does not change the test error (without - with)"
    return [*found, judged(words, "the same (figure 2b)", mean(without - started), alike(SAME))]


def _epochs(raw: Trace) -> list[Claim]:
    words = f"Raw crops: {{}} (epoch from which on the mean test error stays within {SAME:g} of the last)"
    sdca, pegasos = (settling(raw.curves[label]) for label in (SDCA_LABEL, PEGASOS))
    return [
        judged(words.format("SDCA is at its best score after 2 epochs"), "2 (figure 2b)", sdca, at_most(2)),
        judged(
            words.format("Pegasos is stable at about its 4th epoch"), "4 (figure 2b)", pegasos, between(3, 5)
        ),
    ]
