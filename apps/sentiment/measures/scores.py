"""How a model does on labelled texts."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...common.output import many, printable
from ...common.statistics import confusion, wilson_interval
from .metrics import guessing, judge
from .prediction import decide


@dataclass(frozen=True)
class HeldOut:
    """The texts a model was tried on: true labels, and what `decision_function` and `predict_proba` say."""

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


@dataclass(frozen=True)
class Trial:
    """What the scores of a training are worth.

    Attributes
    ----------
    metric : str
        One of `settings.METRICS`.
    value : float
        Of the model, by the metric.
    macro_f1 : float
    guess : str
        The most frequent label of the training texts.
    guessing, guessing_accuracy : float
        What guessing it every time gets: by the metric, and its accuracy.
    never_predicted : list of str
        Labels that held-out texts have, and that none of them was given.
    """

    metric: str
    value: float
    macro_f1: float
    guess: str
    guessing: float
    guessing_accuracy: float
    never_predicted: list[str]

    @property
    def warnings(self) -> list[str]:
        """What is wrong with a model that may look good."""
        said = []
        if self.never_predicted:
            names = ", ".join(map(printable, self.never_predicted[:NAMED]))
            more = f" and {len(self.never_predicted) - NAMED:,} more" if self.never_predicted[NAMED:] else ""
            said.append(
                f"{many(len(self.never_predicted), 'label')} of held-out texts never predicted: {names}{more}"
                "; try --class-weight balanced, or give more texts of them"
            )
        if self.value <= self.guessing:
            said.append(
                f"the model is no better than always guessing {printable(self.guess)!r}: "
                f"{self.metric} {self.value:.4f} against {self.guessing:.4f} on the held-out texts"
            )
        return said


NAMED = 5  # labels in a message


def trial_of(metric: str, classes: np.ndarray, held_out: HeldOut, y_train: Sequence[str]) -> Trial:
    """Judge decision values, and the guess that the training texts lead to."""
    y = held_out.labels
    counts = Counter(y_train)
    guess = min(counts, key=lambda label: (-counts[label], label))
    never = sorted(set(y) - set(map(str, decide(classes, held_out.decision))))
    return Trial(
        metric,
        judge(metric, classes, y, held_out.decision),
        judge("macro-f1", classes, y, held_out.decision),
        guess,
        guessing(metric, y, guess),
        guessing("accuracy", y, guess),
        never,
    )


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
