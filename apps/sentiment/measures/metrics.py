"""The metrics: four scores of labelled texts, those of guessing, the best threshold, and the error of
probabilities: how far they are from the shares of right answers.
"""

from collections.abc import Sequence

import numpy as np

from fastsvm.fitting import sharpness, softmax

from ...common.statistics import wilson_interval

BINS = 15  # of as many texts each
GROUPS = 10  # of equal ranges of a probability


def score_labels(metric: str, y: np.ndarray, predicted: np.ndarray) -> float:
    """Compare predicted labels with the true ones, as scikit-learn's function of that name does.

    Parameters
    ----------
    metric : {"accuracy", "balanced-accuracy", "macro-f1"}
    y, predicted : ndarray of shape (n,)
        Labels, of any one kind.

    Returns
    -------
    float
    """
    if metric == "accuracy":
        return float((y == predicted).mean())
    labels, codes = np.unique(np.concatenate([y, predicted]), return_inverse=True)
    true, found = np.split(codes, 2)
    parts = true, found, true[true == found]
    n_true, n_found, n_right = (np.bincount(part, minlength=len(labels)) for part in parts)
    if metric == "balanced-accuracy":
        there = n_true > 0
        return float((n_right[there] / n_true[there]).mean())
    return float((2 * n_right / (n_true + n_found)).mean())


def squared_errors(codes: np.ndarray, decision: np.ndarray) -> np.ndarray:
    """Return the squared distance of each text between the truth and its probabilities.

    These are the softmax of the decision values times the factor that makes it likeliest. `codes` are columns
    of the labels, of which two may have one column; one that a model did not know is as unlikely as any.
    """
    z = np.asarray(decision, float)
    z = np.column_stack([-z, z]) if z.ndim == 1 else np.maximum(z, z[np.isfinite(z)].min())
    likely = softmax(sharpness(z, codes) * z)
    return np.square(likely - (np.arange(z.shape[1]) == codes[:, np.newaxis])).sum(axis=1)


def average_precision(is_it: np.ndarray, decision: np.ndarray) -> float:
    """Return the area under the steps of precision over recall; nan where no text has the label.

    Parameters
    ----------
    is_it : ndarray of shape (n,) and dtype bool
        Which texts have the label.
    decision : ndarray of shape (n,)
        The higher, the more likely the label; equal ones are one step.
    """
    if not is_it.any():
        return float("nan")
    order = np.argsort(-decision, kind="stable")
    last = np.append(np.flatnonzero(np.diff(decision[order])), len(order) - 1)  # of equal decisions
    right = np.cumsum(is_it[order])[last]
    return float(np.sum(np.diff(right, prepend=0) / right[-1] * right / (last + 1)))


def score_decision(metric: str, classes: np.ndarray, y: Sequence, decision: np.ndarray) -> float:
    """Return a score of decision values.

    Parameters
    ----------
    metric : one of `METRICS`
        The average precision of two labels is that of the rarer one, of more their mean.
    classes : ndarray of shape (n_labels,), sorted
    y : sequence of shape (n_texts,)
        True labels; a model may not know some of them.
    decision : ndarray
        As `decision_function` returns it.

    Returns
    -------
    float
    """
    y = np.asarray(y, dtype=object)
    if metric == "average-precision":
        if decision.ndim > 1:
            columns = [(y == label, decision[:, i]) for i, label in enumerate(classes)]
        elif 2 * (second := y == classes[1]).sum() <= len(y):
            columns = [(second, decision)]
        else:
            columns = [(y == classes[0], -decision)]
        found = [average_precision(*column) for column in columns]
        return float(np.nanmean(found)) if np.isfinite(found).any() else 0.0
    winners = (decision > 0).astype(int) if decision.ndim == 1 else decision.argmax(axis=1)
    return score_labels(metric, y.astype(str), classes[winners].astype(str))


def score_guessing(metric: str, y: Sequence, guess: str) -> float:
    """Return the score of one label for every text: as `score_decision`, and of all texts being alike."""
    y = np.asarray(y, dtype=str)
    if metric != "average-precision":
        return score_labels(metric, y, np.full_like(y, guess, shape=y.shape))
    counts = np.unique(y, return_counts=True)[1]
    shares = counts / len(y)
    return float(min(shares) if len(shares) == 2 else shares.mean())


def threshold_for_metric(metric: str, decision: np.ndarray, likely: np.ndarray) -> float:
    """Return the decision value that is best to give the second of two labels from.

    The score is the one that probabilities lead to expect, and not that of the labels: fifty texts of a label
    would make the threshold a matter of a few of them.

    Parameters
    ----------
    metric : {"accuracy", "balanced-accuracy", "macro-f1"}
    decision, likely : ndarray of shape (n,)
        Decision values, and probabilities of the second label that grow with them.

    Returns
    -------
    float
        Halfway between two decision values.
    """
    order = np.argsort(-decision, kind="stable")
    right = np.cumsum(likely[order])[:-1]  # of those given the second label, where so many are
    given = np.arange(1, len(order))
    second, n = likely.sum(), len(order)
    first_right = n - given - (second - right)  # of those given the first
    if metric == "macro-f1":
        scores = 2 * right / (given + second) + 2 * first_right / (2 * n - given - second)
    elif metric == "balanced-accuracy":
        scores = right / second + first_right / (n - second)
    else:
        scores = right + first_right
    best = int(scores.argmax())
    return float(decision[order[best : best + 2]].mean())


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
