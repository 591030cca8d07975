"""The error of probabilities: how far they are from the shares of right answers."""

from collections.abc import Sequence

import numpy as np

from ...common.statistics import wilson_interval

BINS = 15  # of as many texts each
GROUPS = 10  # of equal ranges of a probability


def calibration_error(
    classes: np.ndarray, labels: Sequence[str], probabilities: np.ndarray
) -> tuple[float, float]:
    """Return the expected calibration error (Naeini, Cooper & Hauskrecht, AAAI 2015) on labelled texts.

    Returns
    -------
    value : float
        Mean over `BINS` groups of as many texts each, sorted by probability, of the distance between the mean
        probability and the share of texts with the label: the second of two, the most probable of more.
    by_chance : float
        The value for right probabilities on so few texts.
    """
    y = np.asarray(labels, dtype=object)
    if len(classes) == 2:
        sure, is_it = probabilities[:, 1], y == str(classes[1])
    else:
        best = probabilities.argmax(axis=1)
        sure, is_it = probabilities.max(axis=1), y == classes.astype(str).astype(object)[best]
    groups = np.array_split(np.argsort(sure, kind="stable"), min(BINS, len(y)))
    value = sum(abs(float(np.sum(sure[group] - is_it[group]))) for group in groups) / len(y)
    # The mean of a normal deviate's absolute value is sqrt(2 / pi) standard deviations.
    spread = sum(np.sqrt(2 / np.pi * np.sum(sure[group] * (1 - sure[group]))) for group in groups)
    return value, float(spread) / len(y)


def probability_groups(probability: np.ndarray, right: np.ndarray, n_groups: int = GROUPS) -> list[tuple]:
    """Split texts into groups by equal ranges of a probability.

    Returns
    -------
    list of tuple
        Of each group the lowest, the highest and the mean probability, the number of texts, the share of
        right answers, and its interval.
    """
    group_of = np.minimum((probability * n_groups).astype(int), n_groups - 1)
    groups = []
    for number in np.unique(group_of):
        values, hits = probability[group_of == number], right[group_of == number]
        n, n_right = len(hits), int(hits.sum())
        ends = float(values.min()), float(values.max()), float(values.mean())
        groups.append((*ends, n, n_right / n, wilson_interval(n_right, n)))
    return groups
