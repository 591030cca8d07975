"""Try saved models on labelled texts."""

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean
from typing import NamedTuple

import numpy as np

from ...common.errors import USAGE, AppError, Skipped, place_of
from ...common.progress import UNWATCHED, Stages
from ...common.statistics import wilson_interval
from ..data.corpus import Corpus, Source, read_corpus
from ..learning.calibration import CalibrationError, calibration_error
from ..measures.diagnostics import LabelScore, correct, label_scores, margins
from ..measures.metrics import usual_metric
from ..measures.prediction import classify, decide, load_scorer
from ..measures.scores import HeldOut, Scores, Trial, scores_of, trial_of
from ..measures.thresholds import Ladder, Operating, ladder, table

Z = 1.959964  # of a 95 % interval


class GroupScore(NamedTuple):
    """The texts that have one value in a column: how many, and the share found right."""

    value: str
    n: int
    accuracy: float
    interval: tuple[float, float]


class Paired(NamedTuple):
    """Two models on the same texts: those that only one gets right, and McNemar's exact test.

    Attributes
    ----------
    model : str
        The second one.
    accuracy : float
        Its.
    only_first, only_second : int
        How many texts only one of the two gets right.
    p_value : float
        How probable at least so uneven a split of these is if both were equally good (McNemar 1947, exact).
    difference : float
        Of the accuracies, the first less the second.
    interval : (float, float)
        Of it, 95 %: Bonett and Price (2012, Adjusted Wald confidence interval for a difference of binomial
        proportions based on paired data).
    """

    model: str
    accuracy: float
    only_first: int
    only_second: int
    p_value: float
    difference: float
    interval: tuple[float, float]


@dataclass(frozen=True)
class Evaluation:
    """How a saved model does on a corpus, and what was left out of it."""

    model: str
    fitted: object
    scores: Scores
    held_out: HeldOut
    places: list[int | str]
    skipped: Skipped
    groups: list[GroupScore] | None = None
    paired: Paired | None = None

    @cached_property
    def label_counts(self) -> dict[str, int]:
        """How many texts have each label, in the order of labels."""
        return dict(sorted(Counter(self.held_out.labels).items()))

    @cached_property
    def label_scores(self) -> list[LabelScore]:
        """Precision, recall and F1 of each label."""
        return label_scores(self.scores)

    @cached_property
    def classes(self) -> list[str]:
        """The labels of the model, as those of texts are."""
        return [str(label) for label in self.fitted.classes_.tolist()]

    def ladder(self, label: str) -> Ladder | None:
        """Return what each threshold of a label's score gives."""
        if label not in self.classes:
            return None
        j, decision = self.classes.index(label), self.held_out.decision
        values = decision[:, j] if decision.ndim > 1 else decision if j else -decision
        return ladder(self._has(label), values)

    def _has(self, label: str) -> np.ndarray:
        return np.asarray(self.held_out.labels, dtype=object) == label

    @cached_property
    def calibration(self) -> CalibrationError | None:
        """How far probabilities are from what is true; None where there are none."""
        probabilities = self.held_out.probabilities
        if probabilities is None:
            return None
        return calibration_error(np.array(self.classes), self.held_out.labels, probabilities)

    @cached_property
    def trial(self) -> Trial:
        """What the model gets, and what saying the most frequent label gets."""
        y = self.held_out.labels
        return trial_of(usual_metric(y), np.array(self.classes), self.held_out, y)

    @cached_property
    def steps(self) -> Ladder | None:
        """What each threshold gives: of two labels for the second; of more, how many answers are right.

        It is of a probability, where there are some, else of two labels of the score. None where all texts
        are of one kind.
        """
        probability = self.held_out.probabilities
        if len(self.classes) > 2:
            return None if probability is None else ladder(self.right, probability.max(axis=1))
        if probability is None:
            return self.ladder(self.classes[1])
        return ladder(self._has(self.classes[1]), probability[:, 1])

    def threshold_table(self) -> list[Operating]:
        """Return what a few thresholds give; nothing where there are none."""
        return [] if self.steps is None else table(self.steps, self.held_out.probabilities is not None)

    @property
    def balanced_accuracy(self) -> float | None:
        """The mean recall of the labels that texts have."""
        return fmean(each.recall for each in self.label_scores if each.recall is not None)

    @property
    def macro_f1(self) -> float:
        """The mean F1 of the labels that texts have or were given."""
        return fmean(each.f1 for each in self.label_scores if each.f1 is not None)

    @cached_property
    def given(self) -> np.ndarray:
        """The label that each text was given."""
        return decide(np.array(self.classes, dtype=object), self.held_out.decision)

    @cached_property
    def right(self) -> np.ndarray:
        """Whether that is its own."""
        return correct(np.array(self.classes, dtype=object), self.held_out)

    @cached_property
    def mistakes(self) -> np.ndarray:
        """The places of the texts given a wrong label, those the model was surest of first."""
        wrong = np.flatnonzero(~self.right)
        return wrong[np.argsort(-margins(self.held_out.decision)[wrong], kind="stable")]


def evaluate(
    model_path: str,
    source: Source,
    *,
    other: str | None = None,
    groups: str | None = None,
    stage: Stages = UNWATCHED,
) -> Evaluation:
    """Try a saved model on a corpus.

    Parameters
    ----------
    model_path : str
    source : Source
        The labelled texts.
    other : str, optional
        A second model to compare it with.
    groups : str, optional
        A column; the accuracy is found for each of its values.
    stage : Stages, optional
        Times the stages.

    Returns
    -------
    Evaluation
    """
    with stage("load"):
        models = [load_scorer(path) for path in (model_path, other) if path is not None]
    with stage("read"):
        corpus = read_corpus(source, places=True, groups=groups)
    with stage("evaluate"):
        first, *others = [_tried(model, corpus, source) for model in models]
        right, *rights = [correct(_names(m), h) for m, h in zip(models, (first, *others), strict=True)]
        return Evaluation(
            model_path,
            models[0],
            scores_of(models[0].classes_, first),
            first,
            corpus.places,
            corpus.skipped,
            None if corpus.groups is None else _group_scores(corpus.groups, right),
            paired(other, right, rights[0]) if rights else None,
        )


def _names(model) -> np.ndarray:
    return np.array([str(label) for label in model.classes_.tolist()], dtype=object)


def _tried(model, corpus: Corpus, source: Source) -> HeldOut:
    found = classify(
        model,
        corpus.texts,
        proba=hasattr(model, "predict_proba"),
        place=lambda i: f"{source.name}, {place_of(corpus.places[i])}",
    )
    return HeldOut(corpus.texts, corpus.labels, found.decision, found.probabilities)


def _group_scores(values: list[str], right: np.ndarray) -> list[GroupScore]:
    """Return the accuracy of each group, those of the most texts first."""
    n, n_right = Counter(values), Counter(value for value, ok in zip(values, right, strict=True) if ok)
    return [
        GroupScore(value, count, n_right[value] / count, wilson_interval(n_right[value], count))
        for value, count in sorted(n.items(), key=lambda item: (-item[1], item[0]))
    ]


def paired(name: str, first: np.ndarray, second: np.ndarray) -> Paired:
    """Compare two models by which texts each gets right: arrays of bool of shape (n_texts,)."""
    from scipy.special import bdtr

    n = len(first)
    b, c = int(np.sum(first & ~second)), int(np.sum(~first & second))
    p_value = min(1.0, 2 * float(bdtr(min(b, c), b + c, 0.5))) if b + c else 1.0
    more, less = (b + 1) / (n + 2), (c + 1) / (n + 2)
    half = Z * ((more + less - (more - less) ** 2) / (n + 2)) ** 0.5
    interval = max(-1.0, more - less - half), min(1.0, more - less + half)
    return Paired(name, float(second.mean()), b, c, p_value, (b - c) / n, interval)


class Wish(NamedTuple):
    """What a threshold is for: a precision, a recall, or costs of a wrong label and of a missed one."""

    precision: float | None = None
    recall: float | None = None
    cost: tuple[float, float] | None = None


class Advice(NamedTuple):
    """A threshold for a wish: what it gives, what it is, and the option of `predict` that takes it."""

    found: Operating
    why: str
    option: str


def advise(evaluation: Evaluation, wish: Wish) -> Advice:
    """Choose a threshold on the texts of an evaluation: of two labels, of the second's probability or score.

    Of more labels it is the best probability that a text has to reach, or be left unsure.

    Raises
    ------
    AppError
        When there is none, or when a wish has no meaning.
    """
    two, with_proba = len(evaluation.classes) == 2, evaluation.held_out.probabilities is not None
    if not two and wish.precision is None:
        raise AppError(
            f"this wish is for models of two labels; this one has {len(evaluation.classes)}", USAGE
        )
    if not two and not with_proba:
        raise AppError(
            "the scores of this model are no probabilities, which a threshold of many labels needs", USAGE
        )
    steps = evaluation.steps
    if steps is None:
        raise AppError("no threshold can be chosen on texts that are all alike; give texts with both labels")
    if wish.precision is not None:
        found, why = (
            steps.for_precision(wish.precision),
            f"the highest recall at a precision of {wish.precision:g}",
        )
        why = why if two else f"the most texts answered with {wish.precision:g} of them right"
    elif wish.recall is not None:
        found, why = steps.for_recall(wish.recall), f"the highest precision at a recall of {wish.recall:g}"
    else:
        found, why = steps.for_cost(*wish.cost), "the lowest cost at {:g}:{:g}".format(*wish.cost)
    if found is None:
        highest = float((steps.right / steps.given).max())
        what = "precision" if two else "share of right answers"
        raise AppError(
            f"no threshold has a {what} of {wish.precision:g} on these texts; the highest is {highest:.4g}"
        )
    option = f"--threshold {found.threshold!r}" if two else f"--unsure {found.threshold!r}"
    return Advice(found, why, f"--proba {option}" if two and with_proba else option)
