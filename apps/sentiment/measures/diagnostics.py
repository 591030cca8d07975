"""What a model's decisions on held-out texts say about it: per label, over all thresholds, and how sure."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...common.statistics import wilson_interval
from .prediction import decide
from .scores import HeldOut, Scores

GROUPS = 10  # of equal ranges of a probability


class LabelScore(NamedTuple):
    """How one label fared; None stands for a share of nothing."""

    label: str
    n: int
    precision: float | None
    recall: float | None
    f1: float | None


@dataclass(frozen=True)
class Curves:
    """One label against the rest, over all thresholds; points are (x, y).

    Attributes
    ----------
    label : str
    share : float
        Of the texts that have the label: the precision of guessing.
    roc, precision_recall : ndarray of shape (n_points, 2)
        False and true positive rate; recall and precision.
    area, average_precision : float
    """

    label: str
    share: float
    roc: np.ndarray
    precision_recall: np.ndarray
    area: float
    average_precision: float


class Group(NamedTuple):
    """Texts about which the model was about equally sure: how many, how sure, and how often right."""

    n: int
    low: float
    high: float
    mean: float
    share: float
    interval: tuple[float, float]


def label_scores(scores: Scores) -> list[LabelScore]:
    """Return the scores of every label, in the order of `Scores.labels`."""
    confusion = np.asarray(scores.confusion)
    right, true, predicted = confusion.diagonal(), confusion.sum(axis=1), confusion.sum(axis=0)
    return [
        LabelScore(label, int(t), _share(r, p), _share(r, t), _share(2 * r, t + p))
        for label, r, t, p in zip(scores.labels, right, true, predicted, strict=True)
    ]


def _share(part: int, whole: int) -> float | None:
    return float(part / whole) if whole else None


def curves(classes: np.ndarray, held_out: HeldOut, label: str) -> Curves | None:
    """Return the curves of a label, or None where the held-out texts all have it or all lack it."""
    is_it = np.asarray(held_out.labels, dtype=object) == label
    if is_it.all() or not is_it.any():
        return None
    index = classes.tolist().index(label)
    decision = held_out.decision
    if decision.ndim > 1:
        decision = decision[:, index]
    elif index == 0:
        decision = -decision
    order = np.argsort(-decision, kind="stable")
    given = np.append(np.flatnonzero(np.diff(decision[order])), len(order) - 1) + 1  # at each threshold
    right = np.cumsum(is_it[order])[given - 1]
    recall, precision = right / right[-1], right / given
    false = (given - right) / (len(order) - right[-1])
    roc = np.vstack([(0, 0), np.column_stack([false, recall])])
    return Curves(
        label,
        float(is_it.mean()),
        roc,
        np.vstack([(0, 1), np.column_stack([recall, precision])]),
        float(np.sum(np.diff(roc[:, 0]) * (roc[1:, 1] + roc[:-1, 1]) / 2)),
        float(np.sum(np.diff(recall, prepend=0) * precision)),
    )


def correct(classes: np.ndarray, held_out: HeldOut) -> np.ndarray:
    """Return for each held-out text whether its label was found."""
    return decide(classes, held_out.decision).astype(object) == np.asarray(held_out.labels, dtype=object)


def margins(decision: np.ndarray) -> np.ndarray:
    """Return how far the winner is ahead: of the threshold for two labels, of the second for several."""
    if decision.ndim == 1:
        return np.abs(decision)
    second, first = np.partition(decision, -2, axis=1)[:, -2:].T
    return first - second


def by_probability(probability: np.ndarray, right: np.ndarray, n_groups: int = GROUPS) -> list[Group]:
    """Split texts into groups by equal ranges of a probability."""
    return _groups(probability, right, np.minimum((probability * n_groups).astype(int), n_groups - 1))


def _groups(value: np.ndarray, right: np.ndarray, group: np.ndarray) -> list[Group]:
    groups = []
    for number in np.unique(group):
        values, hits = value[group == number], right[group == number]
        n, n_right = len(hits), int(hits.sum())
        low, high, mean = float(values.min()), float(values.max()), float(values.mean())
        groups.append(Group(n, low, high, mean, n_right / n, wilson_interval(n_right, n)))
    return groups
