"""Cross-validation of a recipe, and its learning curve."""

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from fastsvm.fitting import ConvergenceWarning

from ...common.errors import AppError
from ...common.folds import stratified_folds
from ...common.statistics import mean_interval
from ..data.text_source import CorpusError
from ..measures.answer_scores import AnswerScores
from ..settings import Settings
from .learned_model import Counted, LearnedModel

SHARES = (1 / 16, 1 / 8, 1 / 4, 1 / 2)  # of the training texts, for a learning curve; the last is all
FEWEST = 20  # texts to train on in a learning curve


def cross_validate(everything: Counted, settings: Settings, advance: Callable[[], object]) -> dict[str, Any]:
    """Train on all parts of the texts but one, and try that one, for each of `settings.cv` parts.

    Alpha is chosen anew on the others.

    Returns
    -------
    dict
        The `accuracies` of the parts, their `values` by the metric, the means and their 95 % intervals, and
        the texts in the first fold's two parts.

    Raises
    ------
    CorpusError
        When a part has too few labels to train without it.
    """
    accuracies, values, k = [], [], settings.cv
    if len(everything.y) < 2 * k:
        raise CorpusError(f"{len(everything.y)} texts are too few for --folds {k}")
    folds = stratified_folds(everything.y.strata, k, settings.seed)
    for train, test in folds:
        if len(everything.y[train].label_counts) < 2:
            raise CorpusError(f"texts of one label only are left by a part of --folds {k}; give more")
        part, X_test = everything.parted(train, test)
        with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
            learned = part.learn(settings)
        scores = learned.evaluated(X_test, [], everything.y[test])
        accuracies.append(scores.accuracy)
        values.append(scores.value)
        advance()
    n_train, n_test = map(len, folds[0])
    return {
        "accuracy": float(np.mean(accuracies)),
        "accuracy_interval": _interval_of_mean(accuracies, n_train, n_test),
        "metric_value": float(np.mean(values)),
        "metric_interval": _interval_of_mean(values, n_train, n_test),
        "accuracies": accuracies,
        "values": values,
        "n_train": n_train,
        "n_test": n_test,
    }


def _interval_of_mean(values: list[float], n_train: int, n_test: int) -> list[float]:
    """Return the 95 % interval of a mean, wider than Student's as the training parts overlap."""
    low, high = mean_interval(values, n_test / n_train)
    return [max(low, 0.0), min(high, 1.0)]


def learning_curve(
    everything: Counted, n_train: int, learned: LearnedModel, evaluation: AnswerScores
) -> list[dict]:
    """Return how models of growing shares of the training texts do on the texts held out.

    Parameters
    ----------
    everything : CountedTexts
        All texts: those to train on, in random order, and then those held out.
    n_train : int
        How many there are to train on.
    learned : LearnedModel
        The model of all of them; a text weighs the same against the regularisation in the others.
    evaluation : AnswerScores
        Its own, the end of the curve.

    Returns
    -------
    list of dict
        The texts trained on, the accuracy and the value by the metric. The last is for all training
        texts; shares too small to learn from are left out.
    """
    points, settings, labels = [], learned.settings, everything.y[:n_train].label_counts.keys()
    for share in SHARES:
        n = round(share * n_train)
        if n < FEWEST or everything.y[:n].label_counts.keys() != labels:
            continue
        try:
            part, X_test = everything.parted(slice(n), slice(n_train, None))
        except AppError:  # no term is frequent enough
            continue
        alpha = settings.alpha and settings.alpha / share
        with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
            left_out = learned.left_out if settings.several else None  # it has their thresholds
            learned_of_part = part.fit(replace(settings, alpha=alpha), left_out=left_out)
        points.append((n, learned_of_part.evaluated(X_test, [], everything.y[n_train:])))
    points.append((n_train, evaluation))
    return [{"n_train": n, "accuracy": each.accuracy, "value": each.value} for n, each in points]
