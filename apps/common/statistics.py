"""Confusion tables and confidence intervals."""

from collections import Counter
from collections.abc import Sequence
from math import comb, floor, inf, log10
from statistics import fmean, variance

import numpy as np


def confusion(truth: Sequence, predicted: Sequence, labels: Sequence) -> np.ndarray:
    """Count how often each label was predicted for each true label.

    Parameters
    ----------
    truth, predicted : sequence
        What is true, and what was predicted. Pairs with a label that is not in `labels` do not count.
    labels : sequence
        The labels, each once.

    Returns
    -------
    ndarray of shape (n_labels, n_labels) and dtype int
        Rows are true labels, columns predicted ones.
    """
    number = {label: k for k, label in enumerate(labels)}
    table = np.zeros((len(number), len(number)), int)
    for pair, count in Counter(zip(truth, predicted, strict=True)).items():
        if pair[0] in number and pair[1] in number:
            table[number[pair[0]], number[pair[1]]] += count
    return table


def shown(interval: Sequence[float], *shares: float, sign: str = "", least: int = 2) -> list[str]:
    """Return shares as text, with the digits that an interval justifies: 3 if it is 0.06 wide.

    The shares have at least `least` digits, and at most two more.
    """
    width = interval[1] - interval[0]
    digits = min(max(1 - floor(log10(width)), least), least + 2) if width > 0 else least + 2
    return [f"{share:{sign}.{digits}f}" for share in shares]


def wilson_interval(successes: int, n: int, z: float = 1.959964) -> tuple[float, float]:
    """Return Wilson's interval of a proportion, 95 % by default."""
    p = successes / n
    centre = (p + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * (p * (1 - p) / n + z**2 / (4 * n**2)) ** 0.5
    return max(0.0, centre - half), min(1.0, centre + half)


def mean_interval(values: Sequence[float], tested_share: float = 0.0) -> tuple[float, float]:
    """Return Student's 95 % interval of the mean of independent runs, or of their paired differences.

    Parameters
    ----------
    values : sequence of float
    tested_share : float, default=0.0
        For scores over random splits of the same data: test rows divided by training rows. The splits share
        most training rows, so their scores differ less than scores on new data. Nadeau and Bengio (2003,
        Inference for the generalization error) therefore widen the interval: the variance of the mean is
        ``1 / n + tested_share`` times the variance of the values, not ``1 / n`` times.

    Raises
    ------
    ValueError
        If there are fewer than two values, whose variance is unknown.
    """
    from scipy.special import stdtrit

    if len(values) < 2:
        raise ValueError("an interval needs two values or more")
    mean, factor = fmean(values), 1 / len(values) + tested_share
    half = float(stdtrit(len(values) - 1, 0.975)) * (variance(values, mean) * factor) ** 0.5
    return mean - half, mean + half


def median_interval(values: Sequence[float]) -> tuple[float, float]:
    """Return a 95 % interval, or a little more, of the median of independent runs; values may be infinite.

    The ends are two of the values. The only assumption is that each value is as likely above the median as
    below (the interval of the sign test). With fewer than six values, the interval is infinite.
    """
    n, outside, tail = len(values), 0, 0.5 ** len(values)
    while tail <= 0.025:
        outside += 1
        tail += comb(n, outside) / 2**n
    ordered = sorted(values)
    return (ordered[outside - 1], ordered[n - outside]) if outside else (-inf, inf)
