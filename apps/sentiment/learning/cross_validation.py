"""Cross-validation of a recipe, and its learning curve."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_matrix

from fastsvm.fitting import ConvergenceWarning

from ...common.errors import AppError
from ...common.folds import stratified_folds
from ...common.statistics import resampled_interval
from ..data.text_source import CorpusError
from ..text_recipes import RecipeSettings
from .counted_texts import CountedTexts, LearnedModel

SHARES = (1 / 16, 1 / 8, 1 / 4, 1 / 2)  # of the training texts, for a learning curve; the last is all
FEWEST = 20  # texts to train on in a learning curve


@dataclass(frozen=True)
class CrossValidation:
    """The scores of a recipe on each part of all texts; alpha is chosen anew on the others.

    Attributes
    ----------
    metric : str
        One of `settings.METRICS`.
    accuracies, values : list of float
        Of each part; `values` by the metric.
    n_train, n_test : int
        Texts in the first fold's two parts.
    """

    metric: str
    accuracies: list[float]
    values: list[float]
    n_train: int
    n_test: int

    def interval(self, values: list[float]) -> tuple[float, float]:
        """Return the 95 % interval of a mean, wider than Student's as the training parts overlap."""
        low, high = resampled_interval(values, self.n_train, self.n_test)
        return max(low, 0.0), min(high, 1.0)


@dataclass(frozen=True)
class LearningCurvePoint:
    """A point of a learning curve: the scores of a model of the first `n_train` training texts."""

    n_train: int
    accuracy: float
    value: float


def cross_validate(
    everything: CountedTexts, settings: RecipeSettings, k: int, advance: Callable[[], object]
) -> CrossValidation:
    """Train on all parts of the texts but one, and try that, for each of `k` parts.

    Raises
    ------
    CorpusError
        When a part has too few labels to train without it.
    """
    accuracies, values = [], []
    if len(everything.y) < 2 * k:
        raise CorpusError(f"{len(everything.y)} texts are too few for --cv {k}")
    folds = stratified_folds(everything.y, k, settings.seed)
    for train, test in folds:
        if len(set(everything.y[train])) < 2:
            raise CorpusError(f"texts of one label only are left by a part of --cv {k}; give more")
        part, X_test = everything.parted(train, test)
        with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
            learned = part.learn(settings)
        accuracy, value = _scores_on_part(learned, X_test, everything.y[test])
        accuracies.append(accuracy)
        values.append(value)
        advance()
    return CrossValidation(settings.metric, accuracies, values, len(folds[0][0]), len(folds[0][1]))


def learning_curve(everything: CountedTexts, n_train: int, learned: LearnedModel) -> list[LearningCurvePoint]:
    """Return how models of growing shares of the training texts do on the texts held out.

    Parameters
    ----------
    everything : CountedTexts
        All texts: those to train on, in random order, and then those held out.
    n_train : int
        How many there are to train on.
    learned : LearnedModel
        The model of all of them; a text weighs the same against the regularisation in the others.

    Returns
    -------
    list of CurvePoint
        The last is that of all training texts; shares too small to learn from are left out.
    """
    points, settings, labels = [], learned.settings, set(everything.y[:n_train])
    for share in (*SHARES, 1.0):
        n = round(share * n_train)
        if n < FEWEST or set(everything.y[:n]) != labels:
            continue
        try:
            part, X_test = everything.parted(slice(n), slice(n_train, None))
        except AppError:  # no term is frequent enough
            continue
        if share < 1:
            alpha = settings.alpha and settings.alpha / share
            with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
                learned_of_less = part.fit(replace(settings, alpha=alpha))
        else:
            learned_of_less = learned
        points.append(
            LearningCurvePoint(n, *_scores_on_part(learned_of_less, X_test, everything.y[n_train:]))
        )
    return points


def _scores_on_part(learned: LearnedModel, X: csr_matrix, y: np.ndarray) -> tuple[float, float]:
    """Return the accuracy, and the score by the metric."""
    evaluation = learned.evaluated(X, [], y.tolist())
    return evaluation.accuracy, evaluation.value
