"""How a model does on labelled texts."""

from dataclasses import dataclass

import numpy as np

from ...common.statistics import confusion, wilson_interval
from .prediction import decide


@dataclass(frozen=True)
class HeldOut:
    """The texts a model was tried on: true labels, and decision values as `decision_function` gives them.

    `probabilities` are a row for each text and a column for each label, where the model has them.
    """

    texts: list[str]
    labels: list[str]
    decision: np.ndarray
    probabilities: np.ndarray | None = None


@dataclass(frozen=True)
class Scores:
    """How a model did on labelled texts; rows of `confusion` are true labels, in the order of `labels`."""

    n: int
    accuracy: float
    interval: tuple[float, float]
    labels: list[str]
    confusion: list[list[int]]
    unknown_labels: list[str]


def scores_of(classes: np.ndarray, held_out: HeldOut) -> Scores:
    """Compare what decision values stand for with the true labels; some of these a model may not know."""
    classes = np.array([str(label) for label in classes.tolist()])  # as the labels of texts are
    y, predicted = held_out.labels, decide(classes, held_out.decision)
    known = classes.tolist()
    unknown = sorted(set(y) - set(known))
    table = confusion(y, predicted, known + unknown)
    right = int(table.trace())
    interval = wilson_interval(right, len(y))
    return Scores(len(y), right / len(y), interval, known + unknown, table.tolist(), unknown)
