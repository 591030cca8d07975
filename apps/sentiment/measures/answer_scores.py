"""The evaluation of a model on labelled texts: its answers, and all scores that follow from them."""

from collections import Counter
from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ...common.printing import many
from ...common.statistics import confusion, wilson_interval
from ..text_recipes import usual_metric
from .metrics import calibration_error, score_decision, score_guessing
from .prediction import winners_of

if TYPE_CHECKING:
    from .thresholds import ThresholdEffect, ThresholdLadder

NAMED = 5  # labels in a message
LABEL_COLUMNS = "label", "n", "precision", "recall", "f1", "roc_area", "average_precision"


class AnswerScores:
    """The answers of a model to labelled texts.

    Parameters
    ----------
    model : fitted classifier or pipeline
    texts, truth : list of str
        The texts, and their labels; the model may not know some of the labels.
    decision : ndarray
        As `decision_function` returns it.
    probabilities : ndarray, optional
    metric : one of `settings.METRICS`, optional
        By default the usual one for these labels.
    y_train : iterable or Counter of str, optional
        The labels of the training texts; by default those of the texts.

    Attributes
    ----------
    classes : list of str
        The labels that the model can give, sorted.
    guess : str
        The most frequent label of the training texts.
    n : int
        Texts.
    label_counts : dict
        Texts with each label, in the order of labels.
    unknown_labels, labels : list of str
        Those of texts that the model does not know; and the labels of the model, then these: the rows and
        columns of `confusion`.
    given : ndarray of str
        The label that the model gives to each text.
    right : ndarray of bool
        The texts whose given label is the true one.
    accuracy : float
    interval : (float, float)
        Wilson's 95 % interval of the accuracy.
    """

    def __init__(
        self,
        model,
        texts: list[str],
        truth: list[str],
        decision: np.ndarray,
        probabilities: np.ndarray | None = None,
        *,
        metric: str | None = None,
        y_train: Iterable[str] | None = None,
    ) -> None:
        self.classes = [str(label) for label in model.classes_.tolist()]
        self.texts, self.truth, self.decision, self.probabilities = texts, truth, decision, probabilities
        self.metric = metric or usual_metric(truth)
        counts = Counter(truth if y_train is None else y_train)
        self.guess = min(counts, key=lambda label: (-counts[label], label))
        self.n, self.label_counts = len(truth), dict(sorted(Counter(truth).items()))
        self.unknown_labels = sorted(self.label_counts.keys() - set(self.classes))
        self.labels = self.classes + self.unknown_labels
        self.given = np.array(self.classes, dtype=object)[winners_of(decision)[0]]
        self._truth = np.asarray(truth, dtype=object)
        self.right = self.given == self._truth
        n_right = int(self.right.sum())
        self.accuracy, self.interval = n_right / self.n, wilson_interval(n_right, self.n)

    @cached_property
    def mistakes(self) -> np.ndarray:
        """The places of the texts with a wrong label, those that the model was surest of first."""
        wrong = np.flatnonzero(~self.right)
        return wrong[np.argsort(-self.margins[wrong], kind="stable")]

    @cached_property
    def margins(self) -> np.ndarray:
        """The lead of each answer: over the threshold for two labels, over the second label for more."""
        if self.decision.ndim == 1:
            return np.abs(self.decision)
        second, first = np.partition(self.decision, -2, axis=1)[:, -2:].T
        return first - second

    @cached_property
    def confusion(self) -> list[list[int]]:
        """Number of texts with each true label (rows) and each given label (columns)."""
        return confusion(self.truth, self.given, self.labels).tolist()

    @property
    def recalls(self) -> dict[str, float | None]:
        """Of each label the share of its texts that are given it."""
        rows = zip(self.labels, self.confusion, strict=True)
        return {label: _share_of(row[i], sum(row)) for i, (label, row) in enumerate(rows)}

    @cached_property
    def label_rows(self) -> list[tuple]:
        """The `LABEL_COLUMNS` of each label, in the order of `labels`; None stands for a share of nothing."""
        counts = np.asarray(self.confusion)
        right, true, given = counts.diagonal(), counts.sum(axis=1), counts.sum(axis=0)
        ladders = map(self.ladder, self.labels)
        areas = [(each.area, each.average_precision) if each else (None, None) for each in ladders]
        return [
            (label, int(t), _share_of(r, g), _share_of(r, t), _share_of(2 * r, t + g), *both)
            for label, r, t, g, both in zip(self.labels, right, true, given, areas, strict=True)
        ]

    def score(self, metric: str) -> float:
        """Return a score of the answers, by one of `settings.METRICS`."""
        return score_decision(metric, np.array(self.classes), self.truth, self.decision)

    def guessing(self, metric: str) -> float:
        """Return the score of always giving the label `guess`."""
        return score_guessing(metric, self.truth, self.guess)

    @cached_property
    def value(self) -> float:
        """The score by the metric."""
        return self.score(self.metric)

    @cached_property
    def calibration(self) -> tuple[float, float] | None:
        """The error of the probabilities, and the one to expect by chance; None if there are none."""
        if self.probabilities is None:
            return None
        return calibration_error(np.array(self.classes), self.truth, self.probabilities)

    def ladder(self, label: str) -> "ThresholdLadder | None":
        """Return what each threshold of a label's score gives."""
        if label not in self.classes:
            return None
        j = self.classes.index(label)
        values = self.decision[:, j] if self.decision.ndim > 1 else self.decision if j else -self.decision
        return _ladder(self._truth == label, values)

    @cached_property
    def steps(self) -> "ThresholdLadder | None":
        """The effect of each threshold: for the second of two labels; for more labels, on the right answers.

        The threshold is one of probabilities; without them, with two labels, one of scores. None if all texts
        are alike.
        """
        if len(self.classes) > 2:
            if self.probabilities is None:
                return None
            return _ladder(self.right, self.probabilities.max(axis=1))
        second = self.classes[1]
        if self.probabilities is None:
            return self.ladder(second)
        return _ladder(self._truth == second, self.probabilities[:, 1])

    def threshold_table(self) -> "list[ThresholdEffect]":
        """Return the effect of a few thresholds; nothing if there are none."""
        from .thresholds import threshold_table

        return [] if self.steps is None else threshold_table(self.steps, self.probabilities is not None)

    @property
    def warnings(self) -> list[str]:
        """Faults of a model that may look good."""
        said = []
        if never := sorted(self.label_counts.keys() - set(self.given)):
            names = ", ".join(never[:NAMED])
            more = f" and {len(never) - NAMED:,} more" if never[NAMED:] else ""
            said.append(
                f"{many(len(never), 'label')} of held-out texts never predicted: {names}{more}"
                "; try --class-weight balanced, or give more texts of them"
            )
        if self.value <= (least := self.guessing(self.metric)):
            said.append(
                f"the model is no better than always guessing '{self.guess}': "
                f"{self.metric} {self.value:.4f} against {least:.4f} on the held-out texts"
            )
        return said

    @property
    def record(self) -> dict:
        """What `--json` prints of any evaluation."""
        return {
            "accuracy": self.accuracy,
            "accuracy_interval": list(self.interval),
            "baseline": {"label": self.guess, "accuracy": self.guessing("accuracy")},
            "macro_f1": self.score("macro-f1"),
            "labels": self.labels,
            "confusion": self.confusion,
            "calibration_error": self.calibration
            and dict(zip(("value", "by_chance"), self.calibration, strict=True)),
        }


def _ladder(has_it: np.ndarray, value: np.ndarray) -> "ThresholdLadder | None":
    """Return what each threshold gives; None where all texts have the label, or none has it."""
    from .thresholds import ThresholdLadder

    return ThresholdLadder(has_it, value) if has_it.any() and not has_it.all() else None


def _share_of(part: int, whole: int) -> float | None:
    return float(part / whole) if whole else None
