"""What the article says of points in the plane, and what was measured of it."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...report.claim_judging import (
    Statistic,
    above,
    judge,
    mean,
    of_a_draw,
    over_splits,
    reaches,
    spelled,
    untested,
)
from ...report.study_report import Claim
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


def accuracy_of(each: Surfaces) -> Statistic:
    """Return the mean accuracy with its interval, within what can be."""
    fresh = each.plane.is_fresh
    s = mean(each.accuracies) if fresh else over_splits(each.accuracies, (each.n_train, each.n_test))
    return s._replace(low=max(s.low, 0.0), high=min(s.high, 1.0))


def _accuracy_claim(each: Surfaces | str, stated: Stated) -> Claim:
    words = f"{stated.words} is right on {stated.percent} of the points held out"
    region = reaches(stated.accuracy, less=False)
    if isinstance(each, str):
        return judge(words, stated.percent, each, region)
    runs = f"{len(each.accuracies)} {'sets' if each.plane.is_fresh else 'splits'}"
    claim = judge(words, stated.percent, accuracy_of(each), region, lambda s: f"{spelled('.3f')(s)}, {runs}")
    if each.plane.is_articles:
        return claim
    return untested(claim, OTHER_OVERLAP if each.plane.is_fresh else MOONS)


def _time_claim(each: Surfaces | str, stated: Stated) -> Claim:
    words, region = f"{stated.words} trains in {stated.time}", reaches(1e3 * stated.seconds, unit=" ms")
    if isinstance(each, str):
        return judge(words, stated.time, each, region)
    claim = judge(words, stated.time, of_a_draw(1e3 * each.seconds), region,
                  lambda s: f"{s.value:.2g} ms of CPU (95 % of the fits to {s.high:.2g} ms), "
                            f"{each.steps[-1]:,} steps each")  # fmt: skip
    return claim if each.plane.is_articles or each.plane.is_fresh else untested(claim, MOONS)


def _overlap_claim(gain: np.ndarray) -> Claim:
    words = "Logistic regression beats the SVM on points with overlap"
    why = f"Paired differences on {len(gain)} sets of ours, the same for both."
    return judge(words, "97.5 %, 95 %", mean(gain), above(0), SIGNED, why=why)
