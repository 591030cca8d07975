"""What the article says of points in the plane, and what was measured of it.

- An accuracy is reached where the 95 % interval of the mean does not lie below it.
- A time is kept where 97.5 % of the fits take no longer.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...common.statistics import mean_interval, resampled_interval
from ..frame.claim_judging import above, judge, mean
from ..frame.study_report import Claim, Verdict
from .plane_experiments import Surfaces
from .text_claims import SIGNED


class Stated(NamedTuple):
    """What the article says of a method on points, and how it spells it."""

    words: str
    accuracy: float
    percent: str
    seconds: float
    time: str


# In the order of `plane_experiments.planes`.
STATED = (
    Stated("The SVM on 200 points, linear with overlap,", 0.95, "95 %", 0.024, "24 ms"),
    Stated("Logistic regression on the same points", 0.975, "97.5 %", 0.027, "27 ms"),
    Stated("Kernel Pegasos on flame", 0.958, "95.8 %", 2.09, "2.09 s"),
    Stated("Kernel Pegasos on jain", 1.0, "100 %", 5.1, "5.1 s"),
)
OTHER_OVERLAP = "The article's points are unknown; ours have an overlap of their own."
MOONS = "These are two moons, not the article's points."


def of_planes(found: Sequence[Surfaces | str]) -> list[Claim]:
    """Return the claims."""
    claims = []
    for each, stated in zip(found, STATED, strict=True):
        claims += [_accuracy_claim(each, stated), _time_claim(each, stated)]
    svm, logistic = found[:2]
    if isinstance(svm, Surfaces) and isinstance(logistic, Surfaces):
        claims.append(_overlap_claim(logistic.accuracies - svm.accuracies))
    return claims


def interval_of(each: Surfaces) -> tuple[float, float]:
    """Return the 95 % interval of the mean accuracy, within what can be."""
    accuracies = each.accuracies.tolist()
    if each.plane.is_fresh:
        low, high = mean_interval(accuracies)
    else:
        low, high = resampled_interval(accuracies, each.n_train, each.n_test)
    return max(low, 0.0), min(high, 1.0)


def _accuracy_claim(each: Surfaces | str, stated: Stated) -> Claim:
    words = f"{stated.words} is right on {stated.percent} of the points held out"
    if isinstance(each, str):
        return Claim(words, stated.percent, "", Verdict.UNTESTED, each)
    low, high = interval_of(each)
    runs = f"{len(each.accuracies)} {'sets' if each.plane.is_fresh else 'splits'}"
    ours = f"{each.accuracies.mean():.3f} ({low:.3f} to {high:.3f}), {runs}"
    if not each.plane.is_articles:
        why = OTHER_OVERLAP if each.plane.is_fresh else MOONS
        return Claim(words, stated.percent, ours, Verdict.UNTESTED, why)
    what = "reaches" if high >= stated.accuracy else "does not reach"
    why = f"The interval {what} the article's figure, of one split with {each.n_test} points held out."
    return Claim(words, stated.percent, ours, Verdict.of(high >= stated.accuracy), why)


def _time_claim(each: Surfaces | str, stated: Stated) -> Claim:
    words = f"{stated.words} trains in {stated.time}"
    if isinstance(each, str):
        return Claim(words, stated.time, "", Verdict.UNTESTED, each)
    low, high = np.percentile(each.seconds, (2.5, 97.5))
    ours = f"{1e3 * np.median(each.seconds):.2g} ms ({1e3 * low:.2g} to {1e3 * high:.2g}) of CPU"
    if not (each.plane.is_articles or each.plane.is_fresh):
        return Claim(words, stated.time, ours, Verdict.UNTESTED, MOONS)
    why = f"97.5 % of the fits take no more than {1e3 * high:.2g} ms, with {each.steps[-1]:,} steps each."
    return Claim(words, stated.time, ours, Verdict.of(high <= stated.seconds), why)


def _overlap_claim(gain: np.ndarray) -> Claim:
    words = "Logistic regression beats the SVM on points with overlap"
    why = f"Paired differences on {len(gain)} sets of ours, the same for both."
    return judge(words, "97.5 %, 95 %", mean(gain), above(0), SIGNED, why=why)
