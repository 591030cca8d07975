"""Cross-validation of a recipe, and its learning curve."""

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from fastsvm.fitting import ConvergenceWarning

from ...common.errors import AppError
from ...common.statistics import mean_interval
from ..data.text_source import CorpusError
from ..measures.answer_scores import AnswerScores
from ..settings import Settings
from .learned_model import Counted, LearnedModel
from .text_splits import text_folds

SHARES = (1 / 16, 1 / 8, 1 / 4, 1 / 2)  # of the training texts, for a learning curve, which ends at all
FEWEST = 20  # training texts in a learning curve


def cross_validate(everything: Counted, settings: Settings, advance: Callable[[], object]) -> dict[str, Any]:
    """For each of `settings.cv` parts of the texts, train on the other parts, and test on this part.

    Alpha is chosen anew each time.

    Returns
    -------
    dict
        The `accuracies` of the parts, their `values` by the metric, the means and their 95 % intervals, and
        the numbers of training and test texts in the first fold.

    Raises
    ------
    CorpusError
        If the texts outside a part have only one label.
    """
    accuracies, values, k = [], [], settings.cv
    folds = text_folds(everything.y, k, settings.seed)
    if len(everything.y) < 2 * k or not folds:
        raise CorpusError(f"{len(everything.y)} texts are too few for --folds {k}; give more texts")
    for train, test in folds:
        if len(everything.y[train].label_counts) < 2:
            raise CorpusError(f"a part of --folds {k} leaves only texts of one label; give more texts")
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
    """Return the 95 % interval of a mean, wider than Student's since the training parts overlap."""
    low, high = mean_interval(values, n_test / n_train)
    return [max(low, 0.0), min(high, 1.0)]


def learning_curve(
    everything: Counted, n_train: int, learned: LearnedModel, evaluation: AnswerScores
) -> list[dict]:
    """Return the scores, on the held-out texts, of models of growing shares of the training texts.

    Parameters
    ----------
    everything : CountedTexts
        All texts: the training texts in random order, and then the held-out texts.
    n_train : int
        Number of training texts.
    learned : LearnedModel
        The model of all training texts. In the other models, a text has the same weight against the
        regularisation.
    evaluation : AnswerScores
        The evaluation of this model, which is the end of the curve.

    Returns
    -------
    list of dict
        The number of training texts, the accuracy and the value by the metric. The last item is for all
        training texts. Shares too small to learn from are left out.
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
