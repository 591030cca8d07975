"""Test saved models on labelled texts."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ...common.errors import USAGE, AppError
from ...common.progress import UNWATCHED, Stages
from ...common.statistics import wilson_interval
from ...common.training_items import count_learned, text_hashes, too_good
from ..data.corpus import Corpus, read_corpus
from ..data.text_source import TextSource, names_corpus
from ..measures.answer_scores import AnswerScores
from ..measures.drift import TextWatch
from ..measures.prediction import classify_shard, separator_of_model, thresholds_of
from ..measures.thresholds import ThresholdEffect

Z = 1.959964  # of a 95 % interval
GROUP_COLUMNS = "value", "n", "accuracy", "interval"


class CorpusEvaluation:
    """The result of `evaluate`: a saved model, tested on a corpus.

    Parameters
    ----------
    models : sequence of (str, model, dict)
        The name of a model, the model, and the `about` of its file; a second model is compared with it.
    source : TextSource
        The labelled texts.
    groups : str, optional
        A column; the accuracy is computed for each of its values.
    goal : (str, float or (float, float)), optional
        What the threshold is to reach; see `advise_threshold`.
    stage : Stages, optional
        Times the stages.

    Attributes
    ----------
    model : TextScorer or Pipeline
    evaluation : AnswerScores
    places : list of int or str
        Places of the texts.
    skipped : Skipped
    learned : dict
        For the path of each model, how many of the texts it has learned; None if its file does not tell.
    watches : dict
        For the path of each model, the `TextWatch` that has seen the texts.
    groups : list of tuple or None
        The `GROUP_COLUMNS` for each value of the column, those with the most texts first.
    paired : dict or None
        The result of `compare_models`, if there is a second model.
    advice : (ThresholdEffect, str, str) or None
        The recommended threshold, why it is best, and the options of `predict` that apply it.
    """

    @names_corpus
    def __init__(
        self,
        models: Sequence[tuple[str, Any, Mapping[str, Any]]],
        source: TextSource,
        *,
        groups: str | None = None,
        goal: tuple[str, float | tuple[float, float]] | None = None,
        stage: Stages = UNWATCHED,
    ) -> None:
        paths, scorers, about = zip(*models, strict=True)
        with stage("read"):
            corpus = read_corpus(_as_models_learned(source, paths[0], scorers, about[0]), groups=groups)
        with stage("evaluate"):
            watches = [*map(TextWatch, scorers, about)]
            self.watches = dict(zip(paths, watches, strict=True))
            pairs = zip(scorers, watches, strict=True)
            first, *others = [_scores_on_corpus(*pair, corpus, source) for pair in pairs]
            self.path, self.model, self.evaluation = paths[0], scorers[0], first
            self.places, self.skipped = corpus.places, corpus.skipped
            counts = map(partial(count_learned, text_hashes(corpus.texts)), about)
            self.learned = dict(zip(paths, counts, strict=True))
            self.groups = None if corpus.groups is None else _group_scores(corpus.groups, first.right)
            self.paired = compare_models(paths[1], first.right, others[0].right) if others else None
            self.advice = None if goal is None else advise_threshold(first, *goal)

    @property
    def warnings(self) -> list[str]:
        """What makes the figures too good, and how the texts differ from the training texts."""
        told = [(path, too_good(n, self.evaluation.n, "text")) for path, n in self.learned.items()]
        for path, watch in self.watches.items():
            if 2 * (self.learned[path] or 0) <= self.evaluation.n:  # texts of the training differ anyway
                told.append((path, watch.strangeness or watch.difference))
        return [f"{path}: {words}" if self.paired else words for path, words in told if words]


def _scores_on_corpus(model, watch: TextWatch, corpus: Corpus, source: TextSource) -> AnswerScores:
    shard = source.name, corpus.texts, corpus.places
    found = classify_shard(shard, model, {"proba": hasattr(model, "predict_proba")})
    watch.add(corpus.texts, found)
    return AnswerScores(model, corpus.texts, corpus.labels, found.decision, found.probabilities)


def _as_models_learned(source: TextSource, path: str, models: Sequence, about: Mapping) -> TextSource:
    """Return a source with one label per text or several, as the models have; `about` is the first one's."""
    first, *others = (thresholds_of(model) is not None for model in models)
    if any(other != first for other in others):
        told = "one model gives a text one label, and the other several; give two models of one kind"
        raise AppError(told, USAGE)
    if source.label_separator is None:
        own = {**source.remembered, "separator": separator_of_model(about)}
        return replace(source, remembered=own, label_separator=None if first else "")
    if bool(source.label_separator) != first:
        told = "several labels; leave out --label-sep ''" if first else "one label; leave out --label-sep"
        raise AppError(f"{path}: the model gives a text {told}", USAGE)
    return source


def _group_scores(values: list[str], right: np.ndarray) -> list[tuple]:
    """Return the `GROUP_COLUMNS` of each group, the groups with the most texts first."""
    n, n_right = Counter(values), Counter(value for value, ok in zip(values, right, strict=True) if ok)
    return [
        (value, count, n_right[value] / count, wilson_interval(n_right[value], count))
        for value, count in sorted(n.items(), key=lambda item: (-item[1], item[0]))
    ]


def compare_models(name: str, first: np.ndarray, second: np.ndarray) -> dict:
    """Compare two models by the texts that each gets right.

    Parameters
    ----------
    name : str
        Name of the second model.
    first, second : ndarray of bool, shape (n_texts,)

    Returns
    -------
    dict
        `model` and `accuracy` belong to the second. `only_first`, `only_second`: how many texts only one
        gets right. `p_value`: the probability of a split of these at least as uneven if both were equally
        good (McNemar 1947, exact). `difference`: the first accuracy minus the second, with its 95 %
        `interval` (Bonett and Price 2012, Adjusted Wald confidence interval for a difference of binomial
        proportions based on paired data).
    """
    from scipy.special import bdtr

    n = len(first)
    b, c = int(np.sum(first & ~second)), int(np.sum(~first & second))
    p_value = min(1.0, 2 * float(bdtr(min(b, c), b + c, 0.5))) if b + c else 1.0
    more, less = (b + 1) / (n + 2), (c + 1) / (n + 2)
    half = Z * ((more + less - (more - less) ** 2) / (n + 2)) ** 0.5
    interval = max(-1.0, more - less - half), min(1.0, more - less + half)
    return {
        "model": name,
        "accuracy": float(second.mean()),
        "only_first": b,
        "only_second": c,
        "p_value": p_value,
        "difference": (b - c) / n,
        "interval": interval,
    }


def advise_threshold(
    evaluation: AnswerScores, measure: str, wanted: float | tuple[float, float]
) -> tuple[ThresholdEffect, str, str]:
    """Choose a threshold on the texts of an evaluation.

    With two labels, the threshold applies to the probability, or else the score, of the second; with several
    labels per text, to the probability of each. Otherwise it applies to the highest probability, and a text
    below it is left unsure.

    Parameters
    ----------
    evaluation : AnswerScores
    measure : {"precision", "recall", "cost"}
    wanted : float or (float, float)
        The lowest precision or recall; or the costs of a wrong label and of a missed one.

    Returns
    -------
    ThresholdEffect, str, str
        What the threshold does, why it is best, and the options of `predict` that apply it.

    Raises
    ------
    AppError
        If there is no such threshold, or if the goal needs two labels.
    """
    n, with_proba = len(evaluation.classes), evaluation.probabilities is not None
    two = evaluation.has_threshold
    if not two and measure != "precision":
        told = "--recall and --cost need a model of two labels"
        raise AppError(f"{told}; this one has {n}; give --precision", USAGE)
    if n > 2 and not with_proba:
        told = "a threshold for more than two labels needs probabilities, and this model has none"
        raise AppError(told, USAGE)
    steps = evaluation.steps
    if steps is None:
        raise AppError("all texts have the same label; give texts with both labels to choose a threshold")
    if measure == "precision":
        found = steps.for_precision(wanted)
        why = f"the most texts answered with {wanted:g} of them right"
        why = f"the highest recall at a precision of {wanted:g}" if two else why
    elif measure == "recall":
        found, why = steps.for_recall(wanted), f"the highest precision at a recall of {wanted:g}"
    else:
        found, why = steps.for_cost(*wanted), "the lowest cost at {:g}:{:g}".format(*wanted)
    if found is None and measure == "cost":
        told = "at {:g}:{:g}, mistakes cost least if no text is given the label".format(*wanted)
        raise AppError(f"{told}: no threshold is worth it on these texts")
    if found is None:
        most = float((steps.right / steps.given).max())
        what = "precision" if two else "share of right answers"
        raise AppError(f"no threshold has a {what} of {wanted:g} on these texts; the highest is {most:.4g}")
    option = f"--threshold {found.threshold!r}" if two else f"--unsure {found.threshold!r}"
    return found, why, f"--proba {option}" if two and with_proba else option
