"""Metrics: scores of labelled texts and of guessing, the best thresholds, and the error of probabilities."""

from collections.abc import Iterable

import numpy as np

from fastsvm.fitting import sharpness, softmax

from ...common.statistics import wilson_interval
from ..data.text_labels import TextLabels
from .thresholds import ThresholdLadder

BINS = 15  # with the same number of texts each
GROUPS = 10  # of equal ranges of a probability
UNLIKELY = 0.005  # no label with a lower probability is given: the best threshold is half of the F1


def right_counts(y: TextLabels, given: TextLabels) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return how many texts have each label, how many are given it, and how many of these have it."""
    return y.counts, given.counts, np.bincount(y.codes[given.contains(y)], minlength=len(y.names))


def score_labels(metric: str, y: TextLabels, given: TextLabels) -> float:
    """Compare given labels with the true ones, as scikit-learn's functions of these names do.

    Parameters
    ----------
    metric : {"accuracy", "balanced-accuracy", "macro-f1", "micro-f1"}
        The accuracy is the share of the texts that are given exactly their labels. If texts have one label,
        it equals the micro-F1.
    y, given : TextLabels
        Labels of the same texts, with the same names.

    Returns
    -------
    float
    """
    if metric == "accuracy":
        return float(y.same(given).mean())
    n_true, n_given, n_right = right_counts(y, given)
    if metric == "micro-f1":
        return float(2 * n_right.sum() / max(n_true.sum() + n_given.sum(), 1))
    whole = n_true if metric == "balanced-accuracy" else (n_true + n_given) / 2
    return float((n_right[whole > 0] / whole[whole > 0]).mean())


def best_f1(is_it: np.ndarray, decision: np.ndarray, n_having: float | None = None) -> tuple[float, float]:
    """Return the best F1 of all thresholds of the decision values, and this threshold.

    Parameters
    ----------
    is_it, decision : ndarray of shape (n,)
        For each pair of a text and a label: whether the text has the label, or the probability; the score.
    n_having : float, optional
        The sum of `is_it` over all pairs, if the arrays leave out pairs that are never given the label.
    """
    n_having = is_it.sum(dtype=float) if n_having is None else n_having
    most = min(int(8 * n_having) + 1, len(decision))  # F1 is below 0.23 where more are given
    top = np.flatnonzero(decision >= np.partition(decision, -most)[-most])
    order = top[np.argsort(-decision[top], kind="stable")]
    f1 = 2 * np.cumsum(is_it[order]) / (np.arange(1, len(order) + 1) + n_having)
    best = int(f1.argmax())
    return float(f1[best]), float(decision[order[best : best + 2]].mean())


def score_sets(metric: str, y: TextLabels, decision: np.ndarray) -> float:
    """Return a score of several labels per text, with the threshold that is best for the micro-F1 of all.

    The macro-F1 uses the best threshold of each label.
    """
    table = y.table
    if metric == "macro-f1":
        return float(np.mean([best_f1(*pair)[0] for pair in zip(table.T, decision.T, strict=True)]))
    f1, threshold = best_f1(table.ravel(), decision.ravel())
    if metric == "micro-f1":
        return f1
    return score_labels(metric, y, TextLabels.of_matrix(y.names, decision > threshold))


def columns_of(decision: np.ndarray) -> np.ndarray:
    """Return decision values with a column for each label, also for two labels."""
    return np.column_stack([-decision, decision]) if decision.ndim == 1 else decision


def squared_errors(codes: np.ndarray, decision: np.ndarray) -> np.ndarray:
    """Return the Brier score of each text.

    The probabilities are the softmax of the decision values times the factor of maximum likelihood. `codes`
    are the columns of the labels; two labels may share one column. A label that a model did not know has the
    lowest of all values.
    """
    z = columns_of(np.asarray(decision, float))
    z = np.maximum(z, z[np.isfinite(z)].min())
    likely = softmax(sharpness(z, codes) * z)
    return np.square(likely - (np.arange(z.shape[1]) == codes[:, np.newaxis])).sum(axis=1)


def average_precision(is_it: np.ndarray, decision: np.ndarray) -> float:
    """Return the area under the steps of precision over recall; nan if no text has the label.

    Parameters
    ----------
    is_it : ndarray of shape (n,) and dtype bool
        Which texts have the label.
    decision : ndarray of shape (n,)
        The higher the value, the more likely the label. Equal values are one step.
    """
    return ThresholdLadder(is_it, decision).average_precision if is_it.any() else float("nan")


def set_thresholds(metric: str, columns: Iterable[np.ndarray]) -> np.ndarray:
    """Return the threshold of each label in log odds, if a text may have several labels.

    All labels share one probability as their threshold, the one with the best micro-F1; for the macro-F1 each
    label has its own. The F1 is the expected one under the probabilities, as in `threshold_for_metric`: with
    the true labels, the threshold of a rare label would depend on a few texts.

    Parameters
    ----------
    metric : one of `METRICS`
    columns : iterable of ndarray
        The probabilities of each label for all texts, one column at a time.
    """
    columns = (np.nan_to_num(column) for column in columns)  # of a label that no model of a fold can tell
    if metric == "macro-f1":
        numbers = np.array([best_f1(column, column)[1] for column in columns])
    else:
        sums, likely = zip(*((column.sum(), column[column > UNLIKELY]) for column in columns), strict=True)
        likely = np.concatenate(likely)
        numbers = np.full(len(sums), best_f1(likely, likely, float(sum(sums)))[1])
    numbers = np.clip(numbers, UNLIKELY, 1 - UNLIKELY)
    return np.log(numbers / (1 - numbers))


def score_decision(
    metric: str, y: TextLabels, decision: np.ndarray, thresholds: np.ndarray | None = None
) -> float:
    """Return a score of decision values.

    Parameters
    ----------
    metric : one of `METRICS`
        The average precision is the rarer label's for two exclusive labels, and the mean for more labels.
    y : TextLabels
        True labels; their names begin with the model's, in its order.
    decision : ndarray
        As `decision_function` returns it.
    thresholds : ndarray of shape (n_labels,), optional
        With several labels per text, the thresholds above which labels are given.

    Returns
    -------
    float
    """
    if metric != "average-precision":
        return score_labels(metric, y, TextLabels.given(y.names, decision, thresholds))
    found = [average_precision(y.has(k), column) for k, column in enumerate(columns_of(decision).T)]
    if decision.ndim == 1:
        found = [found[int(2 * y.counts[1] <= len(y))]]
    return float(np.nanmean(found)) if np.isfinite(found).any() else 0.0


def score_guessing(metric: str, y: TextLabels, guess: int) -> float:
    """Return the score of giving every text the same label, or of equal decision values for all texts."""
    if metric != "average-precision":
        return score_labels(metric, y, TextLabels.of_codes(y.names, np.full(len(y), guess)))
    shares = y.present().counts / len(y)
    return float(min(shares) if y.exclusive and len(shares) == 2 else shares.mean())


def threshold_for_metric(metric: str, decision: np.ndarray, likely: np.ndarray) -> float:
    """Return the best threshold of the decision values for the second of two labels.

    The score is the expected one under the probabilities. With the true labels, and fifty texts of a label,
    the threshold would depend on a few of these texts.

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
    given, n, second = np.arange(1, len(order)), len(order), likely.sum()
    right = np.cumsum(likely[order])[:-1]  # of those given the second label, up to each place
    first_right = n - given - (second - right)  # of those given the first
    if metric == "macro-f1":
        scores = 2 * right / (given + second) + 2 * first_right / (2 * n - given - second)
    elif metric == "balanced-accuracy":
        scores = right / second + first_right / (n - second)
    else:
        scores = right + first_right
    best = int(scores.argmax())
    return float(decision[order[best : best + 2]].mean())


def calibration_error(sure: np.ndarray, is_it: np.ndarray) -> tuple[float, float]:
    """Return the expected calibration error (Naeini, Cooper & Hauskrecht, AAAI 2015) on labelled texts.

    Parameters
    ----------
    sure, is_it : ndarray
        Probabilities, and whether their events are true; see `probabilities_to_judge`.

    Returns
    -------
    value : float
        Mean, over `BINS` groups of equal size sorted by probability, of the distance between the mean
        probability and the share of true events.
    by_chance : float
        The expected value for right probabilities on this number of texts.
    """
    n = len(sure)
    groups = np.array_split(np.argsort(sure, kind="stable"), min(BINS, n))
    value = sum(abs(float(np.sum(sure[group] - is_it[group]))) for group in groups) / n
    # The mean of a normal deviate's absolute value is sqrt(2 / pi) standard deviations.
    spread = sum(np.sqrt(2 / np.pi * np.sum(sure[group] * (1 - sure[group]))) for group in groups)
    return value, float(spread) / n


def probabilities_to_judge(y: TextLabels, probabilities: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the probabilities by which a model is judged, and whether their events are true.

    These are the probabilities of the second of two labels, of the most probable of more labels, or of all
    labels if a text may have several.
    """
    n_labels = probabilities.shape[1]
    if not y.exclusive:
        return probabilities.ravel(), y.table[:, :n_labels].ravel()
    if n_labels == 2:
        return probabilities[:, 1], y.has(1)
    return probabilities.max(axis=1), y.codes == probabilities.argmax(axis=1)


def probability_groups(probability: np.ndarray, right: np.ndarray, n_groups: int = GROUPS) -> list[tuple]:
    """Split texts into groups by equal ranges of a probability.

    Returns
    -------
    list of tuple
        For each group, the lowest, the highest and the mean probability, the number of texts, the share of
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
