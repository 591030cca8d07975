"""The evaluation of a model on labelled texts: its answers, and all scores that follow from them."""

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from ...common.printing import many, percent
from ...common.statistics import confusion, shown, wilson_interval
from ..data.label_fields import LabelField
from ..data.text_labels import TextLabels
from ..text_recipes import usual_metric
from . import metrics
from .prediction import least_sure, thresholds_of
from .thresholds import PROBABILITIES, RECALLS, ThresholdEffect, ThresholdLadder

NAMED = 5  # labels in a message
MISTAKES = 12  # texts on a page
PLACES = 1, 3, 5  # numbers of best labels whose precision is shown if a text may have several labels
LABEL_COLUMNS = "label", "n", "precision", "recall", "f1", "roc_area", "average_precision"


class AnswerScores:
    """The answers of a model to labelled texts, with one label each or several.

    Parameters
    ----------
    model : fitted classifier or pipeline
    texts : list of str
    truth : TextLabels or sequence of str
        The labels of the texts; the model may not know some of them.
    decision : ndarray
        As `decision_function` returns it.
    probabilities : ndarray, optional
    metric : one of `settings.METRICS`, optional
        By default the usual metric for these labels.
    train_counts : mapping of str to int, optional
        The number of training texts with each label; by default the number of these texts.

    Attributes
    ----------
    classes : list of str
        The labels that the model can give, sorted.
    guess : str
        The most frequent label of the training texts.
    n, n_different : int
        Number of texts, and of those that are no copies of others.
    label_counts : dict
        Number of texts with each label, in the order of labels.
    unknown_labels, labels : list of str
        Labels of texts that the model does not know; and all labels, the model's first, then the unknown
        ones: the rows and columns of `confusion`.
    truth, given : TextLabels
        The true labels of each text, and the labels that the model gives it; their names are `labels`.
    right : ndarray of bool
        Whether each text is given exactly its true labels.
    accuracy : float
    interval : (float, float)
        Wilson's 95 % interval of the accuracy, in which copies of a text count as one text.
    """

    def __init__(
        self,
        model,
        texts: list[str],
        truth: TextLabels | Sequence[LabelField],
        decision: np.ndarray,
        probabilities: np.ndarray | None = None,
        *,
        metric: str | None = None,
        train_counts: Mapping[str, int] | None = None,
    ) -> None:
        self.classes, truth = [str(label) for label in model.classes_.tolist()], TextLabels.of(truth)
        self.texts, self.decision, self.probabilities = texts, decision, probabilities
        self.n, self.label_counts = len(truth), truth.label_counts
        self.metric = metric or usual_metric(self.label_counts, truth.exclusive)
        counts = train_counts or self.label_counts
        self.guess = min(counts, key=lambda label: (-counts[label], label))
        self.unknown_labels = sorted(self.label_counts.keys() - set(self.classes))
        self.labels = self.classes + self.unknown_labels
        self.truth, self._thresholds = truth.named(np.array(self.labels)), thresholds_of(model)
        self.given = TextLabels.given(self.truth.names, decision, self._thresholds)
        self.right = self.truth.same(self.given)
        self.accuracy, self.n_different = float(self.right.mean()), len(np.unique(truth.copies))
        self.interval = wilson_interval(self.accuracy * self.n_different, self.n_different)

    def __repr__(self) -> str:
        accuracy, low, high = map(self.shown, (self.accuracy, *self.interval))
        return f"<AnswerScores: accuracy {accuracy} on {self.on} (95 % interval {low} to {high})>"

    @property
    def on(self) -> str:
        """The number of texts in words, and how many of them differ."""
        different = f", {self.n_different:,} of them different" if self.n_different < self.n else ""
        return many(self.n, "text") + different

    @cached_property
    def mistakes(self) -> np.ndarray:
        """The indices of the texts with a wrong label, those with the largest `margins` first."""
        wrong = np.flatnonzero(~self.right)
        return wrong[np.argsort(-self.margins[wrong], kind="stable")]

    @cached_property
    def margins(self) -> np.ndarray:
        """The lead of each answer: over the threshold for two labels, over the second label for more.

        If a text may have several labels, it is the largest distance of a wrong score from its threshold.
        """
        several = self._thresholds is not None
        return self._wrong_margins.max(axis=1) if several else least_sure(self.decision, None)[1]

    @cached_property
    def _wrong_margins(self) -> np.ndarray:
        """How far a score is on the wrong side of its threshold; 0 on the right one."""
        known = slice(len(self.classes))
        wrong = self.truth.table[:, known] != self.given.table[:, known]
        return np.where(wrong, np.abs(self.decision - self._thresholds), 0)

    def doubted_label(self, i: int) -> int:
        """Return the label to explain in a mistake: the given one, or the most certain of several."""
        return int(self.given.codes[i] if self._thresholds is None else self._wrong_margins[i].argmax())

    @cached_property
    def confusion(self) -> list[list[int]] | None:
        """Number of texts by true label (row) and given label (column); None for several labels per text."""
        if not self.truth.exclusive:
            return None
        return confusion(self.truth.codes, self.given.codes, range(len(self.labels))).tolist()

    @property
    def recalls(self) -> dict[str, float | None]:
        """The recall of each label: the share of its texts that are given it; None without such texts."""
        n_true, _, n_right = metrics.right_counts(self.truth, self.given)
        return {label: _share_of(*n) for label, *n in zip(self.labels, n_right, n_true, strict=True)}

    @cached_property
    def label_rows(self) -> list[tuple]:
        """The `LABEL_COLUMNS` of each label, in the order of `labels`; None if a share is undefined."""
        true, given, right = metrics.right_counts(self.truth, self.given)
        ladders = map(self.ladder, self.labels)
        areas = [(each.area, each.average_precision) if each else (None, None) for each in ladders]
        return [
            (label, int(t), _share_of(r, g), _share_of(r, t), _share_of(2 * r, t + g), *both)
            for label, r, t, g, both in zip(self.labels, right, true, given, areas, strict=True)
        ]

    def shown(self, value: float | None) -> str:
        """Return a score as text, with the digits that the interval justifies."""
        return "-" if value is None else shown(self.interval, value)[0]

    def score(self, metric: str) -> float:
        """Return a score of the answers, by one of `settings.METRICS`."""
        return metrics.score_decision(metric, self.truth, self.decision, self._thresholds)

    def guessing(self, metric: str) -> float:
        """Return the score of always giving the label `guess`."""
        return metrics.score_guessing(metric, self.truth, self.labels.index(self.guess))

    @cached_property
    def precision_at(self) -> dict[int, float]:
        """The precision of the best labels of each text, by their number; empty for one label per text."""
        if self.truth.exclusive:
            return {}
        most = [k for k in PLACES if k <= len(self.classes)]
        best = np.argsort(-self.decision, axis=1, kind="stable")[:, : most[-1]]
        right = np.take_along_axis(self.truth.table, best, axis=1)
        return {k: float(right[:, :k].mean()) for k in most}

    @property
    def main_metric(self) -> str:
        """The score that is shown first, for one label per text or several."""
        return "accuracy" if self.truth.exclusive else "micro-f1"

    @cached_property
    def value(self) -> float:
        """The score by the metric."""
        return self.score(self.metric)

    @cached_property
    def calibration(self) -> tuple[float, float] | None:
        """The calibration error, and the error to expect by chance; None without probabilities."""
        if self.probabilities is None:
            return None
        return metrics.calibration_error(*metrics.probabilities_to_judge(self.truth, self.probabilities))

    def ladder(self, label: str) -> ThresholdLadder | None:
        """Return the effects of all thresholds of a label's score."""
        if label not in self.classes:
            return None
        j = self.classes.index(label)
        return _ladder(self.truth.has(j), metrics.columns_of(self.decision)[:, j])

    @property
    def has_threshold(self) -> bool:
        """Whether a threshold decides about the second of two labels, or about each of several per text."""
        return self.decision.ndim == 1 or self._thresholds is not None

    @cached_property
    def steps(self) -> ThresholdLadder | None:
        """The effects of thresholds for the second of two labels; for more labels, on the right answers.

        Thresholds apply to probabilities or, with two labels and no probabilities, to scores. If a text may
        have several labels, all labels have the same threshold. None if all texts are alike.
        """
        if self.probabilities is None:
            return self.ladder(self.classes[1]) if self.decision.ndim == 1 else None
        return _ladder(*metrics.probabilities_to_judge(self.truth, self.probabilities)[::-1])

    def threshold_table(self) -> list[ThresholdEffect]:
        """Return the effects of a few thresholds: probabilities, or scores at a few recalls."""
        if self.steps is None:
            return []
        if self.probabilities is not None:
            return [*map(self.steps.at, PROBABILITIES)]
        found = {each.threshold: each for each in map(self.steps.for_recall, RECALLS)}
        return [found[threshold] for threshold in sorted(found)]

    @property
    def warnings(self) -> list[str]:
        """Faults of a model that may look good."""
        said = []
        if never := self.label_counts.keys() - self.given.label_counts.keys():
            names = sorted(never, key=lambda label: (-self.label_counts[label], label))
            more = f" and {len(names) - NAMED:,} more" if names[NAMED:] else ""
            concerned = self.truth.rows[np.isin(self.truth.names[self.truth.codes], names)]
            said.append(
                f"{many(len(names), 'label')} of held-out texts never predicted: {', '.join(names[:NAMED])}"
                f"{more}; {percent(len(np.unique(concerned)) / self.n)} of the texts have such a label"
                "; try --class-weight balanced, or give more texts with these labels"
            )
        if self.value <= (least := self.guessing(self.metric)):
            told = f"{self.metric} {self.value:.4f} against {least:.4f} on the held-out texts"
            said.append(f"the model is no better than always guessing '{self.guess}': {told}")
        return said

    @property
    def record(self) -> dict:
        """What `--json` prints for any evaluation."""
        return {
            "accuracy": self.accuracy,
            "accuracy_interval": list(self.interval),
            "baseline": {"label": self.guess, "accuracy": self.guessing("accuracy")},
            "micro_f1": self.score("micro-f1"),
            "macro_f1": self.score("macro-f1"),
            "precision_at": self.precision_at,
            "labels": self.labels,
            "confusion": self.confusion,
            "calibration_error": self.calibration
            and dict(zip(("value", "by_chance"), self.calibration, strict=True)),
        }


def _ladder(has_it: np.ndarray, value: np.ndarray) -> ThresholdLadder | None:
    """Return the effects of thresholds; None if all texts have the label, or none has it."""
    return ThresholdLadder(has_it, value) if has_it.any() and not has_it.all() else None


def _share_of(part: int, whole: int) -> float | None:
    return float(part / whole) if whole else None
