"""Test saved models on labelled texts."""

from collections import Counter
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...common.errors import USAGE, AppError, Skipped, place_of
from ...common.progress import UNWATCHED, Stages
from ...common.statistics import wilson_interval
from ...common.training_items import count_learned, text_hashes, too_good
from ..data.corpus import Corpus, read_corpus
from ..data.text_source import TextSource
from ..measures.answer_scores import AnswerScores, score_answers
from ..measures.prediction import about_model, classify, load_scorer
from ..measures.thresholds import ThresholdEffect

Z = 1.959964  # of a 95 % interval


class GroupScore(NamedTuple):
    """The texts that have one value in a column: how many, and the share found right."""

    value: str
    n: int
    accuracy: float
    interval: tuple[float, float]


class ModelComparison(NamedTuple):
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
class CorpusEvaluation:
    """The result of `evaluate`: the evaluation of a saved model on a corpus, and the places of the texts.

    Attributes
    ----------
    path : str
        The file of the model.
    model : TextScorer or Pipeline
    evaluation : AnswerScores
    places : list of int or str
    skipped : Skipped
    learned : dict
        By the path of each model, how many of the texts it has learned from; None if its file does not tell.
    groups : list of GroupScore or None
    paired : ModelComparison or None
    """

    path: str
    model: object
    evaluation: AnswerScores
    places: list[int | str]
    skipped: Skipped
    learned: dict[str, int | None]
    groups: list[GroupScore] | None = None
    paired: ModelComparison | None = None

    @property
    def warnings(self) -> list[str]:
        """What makes the figures look better than they are."""
        told = {path: too_good(n, self.evaluation.n, "text") for path, n in self.learned.items()}
        return [f"{path}: {words}" for path, words in told.items() if words]


def evaluate_on_corpus(
    model_path: str,
    source: TextSource,
    *,
    other: str | None = None,
    groups: str | None = None,
    stage: Stages = UNWATCHED,
) -> CorpusEvaluation:
    """Test a saved model on a corpus.

    Parameters
    ----------
    model_path : str
    source : TextSource
        The labelled texts.
    other : str, optional
        A second model to compare with.
    groups : str, optional
        A column; each of its values gets an accuracy of its own.
    stage : Stages, optional
        Times the stages.

    Returns
    -------
    CorpusEvaluation
    """
    with stage("load"):
        paths = [path for path in (model_path, other) if path is not None]
        models = [*map(load_scorer, paths)]
    with stage("read"):
        corpus = read_corpus(source, places=True, groups=groups)
    with stage("evaluate"):
        first, *others = [_scores_on_corpus(model, corpus, source) for model in models]
        return CorpusEvaluation(
            model_path,
            models[0],
            first,
            corpus.places,
            corpus.skipped,
            {path: count_learned(text_hashes(corpus.texts), about_model(path)) for path in paths},
            None if corpus.groups is None else _group_scores(corpus.groups, first.right),
            compare_models(other, first.right, others[0].right) if others else None,
        )


def _scores_on_corpus(model, corpus: Corpus, source: TextSource) -> AnswerScores:
    found = classify(
        model,
        corpus.texts,
        proba=hasattr(model, "predict_proba"),
        place=lambda i: f"{source.name}, {place_of(corpus.places[i])}",
    )
    return score_answers(model, corpus.texts, corpus.labels, found.decision, found.probabilities)


def _group_scores(values: list[str], right: np.ndarray) -> list[GroupScore]:
    """Return the accuracy of each group, those of the most texts first."""
    n, n_right = Counter(values), Counter(value for value, ok in zip(values, right, strict=True) if ok)
    return [
        GroupScore(value, count, n_right[value] / count, wilson_interval(n_right[value], count))
        for value, count in sorted(n.items(), key=lambda item: (-item[1], item[0]))
    ]


def compare_models(name: str, first: np.ndarray, second: np.ndarray) -> ModelComparison:
    """Compare two models by which texts each gets right: arrays of bool of shape (n_texts,)."""
    from scipy.special import bdtr

    n = len(first)
    b, c = int(np.sum(first & ~second)), int(np.sum(~first & second))
    p_value = min(1.0, 2 * float(bdtr(min(b, c), b + c, 0.5))) if b + c else 1.0
    more, less = (b + 1) / (n + 2), (c + 1) / (n + 2)
    half = Z * ((more + less - (more - less) ** 2) / (n + 2)) ** 0.5
    interval = max(-1.0, more - less - half), min(1.0, more - less + half)
    return ModelComparison(name, float(second.mean()), b, c, p_value, (b - c) / n, interval)


class ThresholdGoal(NamedTuple):
    """The goal of a threshold: a precision, a recall, or the costs of a wrong label and of a missed one."""

    precision: float | None = None
    recall: float | None = None
    cost: tuple[float, float] | None = None


class ThresholdAdvice(NamedTuple):
    """The best threshold for a goal: its effect, the reason, and the option of `predict` that takes it."""

    found: ThresholdEffect
    why: str
    option: str


def advise_threshold(evaluation: AnswerScores, goal: ThresholdGoal) -> ThresholdAdvice:
    """Choose a threshold on the texts of an evaluation.

    With two labels it is one of the probability, or of the score, of the second. With more it is one of the
    best probability; a text below it is left unsure.

    Raises
    ------
    AppError
        If there is no such threshold, or if the goal needs two labels.
    """
    two, with_proba = len(evaluation.classes) == 2, evaluation.probabilities is not None
    if not two and goal.precision is None:
        raise AppError(
            f"--recall and --cost are for models of two labels; this one has {len(evaluation.classes)}", USAGE
        )
    if not two and not with_proba:
        raise AppError(
            "a threshold for more than two labels needs probabilities, and this model has none", USAGE
        )
    steps = evaluation.steps
    if steps is None:
        raise AppError("the texts all have one label; give texts with both labels to choose a threshold")
    if goal.precision is not None:
        found, why = (
            steps.for_precision(goal.precision),
            f"the highest recall at a precision of {goal.precision:g}",
        )
        why = why if two else f"the most texts answered with {goal.precision:g} of them right"
    elif goal.recall is not None:
        found, why = steps.for_recall(goal.recall), f"the highest precision at a recall of {goal.recall:g}"
    else:
        found, why = steps.for_cost(*goal.cost), "the lowest cost at {:g}:{:g}".format(*goal.cost)
    if found is None:
        highest = float((steps.right / steps.given).max())
        what = "precision" if two else "share of right answers"
        raise AppError(
            f"no threshold has a {what} of {goal.precision:g} on these texts; the highest is {highest:.4g}"
        )
    option = f"--threshold {found.threshold!r}" if two else f"--unsure {found.threshold!r}"
    return ThresholdAdvice(found, why, f"--proba {option}" if two and with_proba else option)
