"""The effect of each threshold of a score: curves, a table, and the best threshold for a purpose."""

from collections.abc import Callable

import numpy as np

PROBABILITIES = tuple(i / 10 for i in range(1, 10))  # thresholds of a table
RECALLS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 1.0)  # of a table, if there are no probabilities


class ThresholdEffect:
    """The effect of giving a label from a threshold upwards.

    Attributes
    ----------
    threshold : float
    n, given : int
        Number of texts, and of texts that get the label.
    precision : float or None
        Of the texts that get the label, the share that have it.
    recall : float
        Of the texts that have the label, the share that get it.
    f1 : float
        Harmonic mean of precision and recall.
    false_positives, false_negatives : int
        Number of texts that wrongly get the label, and of texts that wrongly do not get it.
    accuracy : float
        Share of the texts for which the decision about this label is right.
    """

    def __init__(self, threshold: float, n: int, given: int, right: int, having: int) -> None:
        self.threshold, self.n, self.given = threshold, n, given
        self.precision, self.recall = right / given if given else None, right / having
        self.f1 = 2 * right / (given + having)
        self.false_positives, self.false_negatives = given - right, having - right
        self.accuracy = 1 - (self.false_positives + self.false_negatives) / n

    def cells(self, show: Callable[[float | None], str]) -> tuple[str, ...]:
        """Return the cells of a table: the threshold, four shares as `show` writes them, and the mistakes."""
        shares = map(show, (self.precision, self.recall, self.f1, self.accuracy))
        return f"{self.threshold:g}", *shares, f"{self.false_positives:,}", f"{self.false_negatives:,}"

    def record(self) -> dict:
        """Return the numbers by name."""
        names = ("threshold", "precision", "recall", "f1", "accuracy", "false_positives", "false_negatives")
        return {name: getattr(self, name) for name in names}


class ThresholdLadder:
    """All distinct thresholds, the highest first: how many texts reach each, and how many of these are right.

    Parameters
    ----------
    has_it : ndarray of bool, shape (n_texts,)
        Whether each text has the label; at least one text must have it, and at least one must not.
    value : ndarray of shape (n_texts,)
        The score or probability of each text.

    Attributes
    ----------
    values : ndarray of shape (n_values,)
        Scores or probabilities, descending.
    given, right : ndarray of int
    n, having : int
        Number of texts, and of texts that have the label.
    share : float
        Share of the texts that have the label, which is the precision of guessing.
    """

    def __init__(self, has_it: np.ndarray, value: np.ndarray) -> None:
        order = np.argsort(-value, kind="stable")
        value, right = value[order], np.cumsum(has_it[order])
        last = np.flatnonzero(np.append(np.diff(value) != 0, True))  # of equal values
        self.values, self.given, self.right = value[last], last + 1, right[last]
        self.n, self.having = len(value), int(right[-1])
        self.share = self.having / self.n

    @property
    def area(self) -> float:
        """Area under the ROC curve: how often a text with the label has the higher score; ties count half."""
        false, true = self.roc.T
        return float(np.diff(false) @ (true[1:] + true[:-1])) / 2

    @property
    def roc(self) -> np.ndarray:
        """Points of the false and the true positive rate."""
        false = (self.given - self.right) / (self.n - self.having)
        return np.vstack([(0, 0), np.column_stack([false, self.right / self.having])])

    @property
    def precision_recall(self) -> np.ndarray:
        """Points of recall and precision."""
        points = np.column_stack([self.right / self.having, self.right / self.given])
        return np.vstack([(0, 1), points])

    @property
    def average_precision(self) -> float:
        """Area under the precision-recall curve, by steps."""
        return float(np.sum(np.diff(self.right, prepend=0) / self.having * self.right / self.given))

    def at(self, threshold: float) -> ThresholdEffect:
        """Return the effect of a threshold."""
        count = int(np.searchsorted(-self.values, -threshold, side="right"))
        given, right = (int(x[count - 1]) if count else 0 for x in (self.given, self.right))
        return ThresholdEffect(threshold, self.n, given, right, self.having)

    def best(self, gain: np.ndarray) -> ThresholdEffect | None:
        """Return the threshold with the largest gain, the highest of equal ones; None if all are -inf.

        The threshold lies between two values, with as few digits as possible.
        """
        i = int(gain.argmax())
        if not np.isfinite(gain[i]):
            return None
        below = self.values[i + 1] if i + 1 < len(self.values) else None
        return self.at(_short_number_between(below, self.values[i]))

    def for_precision(self, wanted: float) -> ThresholdEffect | None:
        """Return the threshold with the highest recall among those with at least this precision."""
        return self.best(np.where(self.right / self.given >= wanted, self.right, -np.inf))

    def for_recall(self, wanted: float) -> ThresholdEffect | None:
        """Return the threshold with the highest precision among those with at least this recall."""
        return self.best(np.where(self.right / self.having >= wanted, self.right / self.given, -np.inf))

    def for_cost(self, false_positive: float, false_negative: float) -> ThresholdEffect | None:
        """Return the threshold at which mistakes have the lowest cost; None if giving no label costs less."""
        saved = false_negative * self.right - false_positive * (self.given - self.right)
        return self.best(np.where(saved >= 0, saved, -np.inf))


def _short_number_between(below: float | None, at: float) -> float:
    """Return a short number above one value and not above the other."""
    middle = at if below is None else below / 2 + at / 2  # their sum may be beyond the largest number
    for digits in range(2, 18):
        short = float(f"{middle:.{digits}g}")
        if (below is None or below < short) and short <= at and np.isfinite(short):
            return short
    return float(at)
