"""Fit a classifier of cells, and measure it honestly: no split has copies of one original on both sides.

Nothing is chosen on the images that it is measured on. Where the strength of the regularisation is not given,
it is chosen anew inside the training part of each fold, by a cross-validation of its own.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedGroupKFold
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

import fastsvm

from ..common.errors import USAGE, AppError
from ..common.progress import Stages
from .choices import ALPHAS, CLASSIFIERS, USUAL_ALPHA
from .images import processors

INNER_FOLDS = 3
LOOSE = 1e-2  # gap at which a fit is good enough to choose by

T, R = TypeVar("T"), TypeVar("R")
Split = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Settings:
    """How a model is made.

    Attributes
    ----------
    classifier : str
        A key of `CLASSIFIERS`.
    alpha, epochs : float and int, optional
        Strength of the regularisation, chosen by cross-validation if None, and most passes.
    intercept : bool
        Whether the decision has one.
    scale : bool
        Whether features are brought to mean 0 and variance 1.
    pca : int, optional
        How many whitened principal components replace the features.
    seed : int
        Of every random choice.
    """

    classifier: str = "sdca-logistic"
    alpha: float | None = None
    epochs: int | None = None
    intercept: bool = True
    scale: bool = True
    pca: int | None = None
    seed: int = 0

    def preparation(self) -> list[tuple[str, object]]:
        """Return the steps before the classifier."""
        steps: list[tuple[str, object]] = [("scaler", StandardScaler())] if self.scale else []
        if self.pca:
            steps.append(("pca", PCA(self.pca, whiten=True, random_state=self.seed)))
        return steps

    def estimator(self, alpha: float, **parameters):
        """Return the classifier."""
        recipe = CLASSIFIERS[self.classifier]
        return getattr(fastsvm, recipe.estimator)(
            **recipe.parameters,
            **parameters,
            alpha=alpha,
            max_iter=self.epochs or recipe.epochs,
            fit_intercept=self.intercept,
            random_state=self.seed,
        )

    def estimators(self) -> Iterator:
        """Yield a classifier for each of the strengths to choose from, each fitted no better than needed."""
        certified = hasattr(self.estimator(1.0), "tol")
        for alpha in ALPHAS:
            yield self.estimator(alpha, **({"tol": LOOSE} if certified else {}))


@dataclass(frozen=True, eq=False)
class Samples:
    """Features, labels and originals of images, a row each."""

    X: np.ndarray
    y: np.ndarray
    groups: np.ndarray

    def rows(self, rows: np.ndarray) -> Samples:
        """Return some of them."""
        return Samples(self.X[rows], self.y[rows], self.groups[rows])

    def splits(self, folds: int, seed: int) -> list[Split]:
        """Split into training and test rows, every original on one side and every label on both.

        There are fewer folds where a label has fewer originals, and none at all where it has only one.
        """
        n_groups = (len(np.unique(self.groups[self.y == label])) for label in np.unique(self.y))
        folds = min(folds, *n_groups)
        if folds < 2:
            return []
        splitter = StratifiedGroupKFold(folds, shuffle=True, random_state=seed)
        splits = list(splitter.split(self.y, self.y, self.groups))
        complete = all(len(np.unique(self.y[train])) == len(np.unique(self.y)) for train, _ in splits)
        return splits if complete else []


@dataclass(frozen=True, eq=False)
class Validation:
    """What grouped cross-validation found.

    Attributes
    ----------
    predicted : ndarray or None
        The label of each sample by the model that has not seen its original; None without folds.
    alphas : list of float
        The strength chosen in each fold.
    alpha : float
        The strength chosen on all samples.
    """

    predicted: np.ndarray | None
    alphas: list[float]
    alpha: float


def validate(samples: Samples, settings: Settings, folds: int, stage: Stages) -> Validation:
    """Choose the strength, and cross-validate the whole procedure, this choice included.

    Parameters
    ----------
    samples : Samples
    settings : Settings
    folds : int
        Most folds; below 2 there are none, and the strength is still chosen.
    stage : Stages
        Shows how far it is.

    Returns
    -------
    Validation
    """
    splits = samples.splits(folds, settings.seed)
    # A warning of each fit would be about choices that are not made.
    with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
        everything = np.arange(len(samples.y))
        *alphas, alpha = _chosen_alphas(
            samples, settings, [*(train for train, _ in splits), everything], stage
        )
        if not splits:
            return Validation(None, alphas, alpha)
        predicted = np.empty_like(samples.y)
        jobs = list(zip(splits, alphas, strict=True))

        def predict(job):
            (train, test), alpha = job
            return test, fit(samples.rows(train), settings, alpha).predict(samples.X[test])

        with stage("validate", total=len(jobs)) as advance:
            for test, labels in _in_threads(predict, jobs, advance):
                predicted[test] = labels
    return Validation(predicted, alphas, alpha)


def fit(samples: Samples, settings: Settings, alpha: float) -> Pipeline:
    """Fit a model, preparation and classifier."""
    steps = [*settings.preparation(), ("classifier", settings.estimator(alpha))]
    return Pipeline(steps).fit(samples.X, samples.y)


def check_components(samples: Samples, settings: Settings, folds: int) -> None:
    """Refuse more principal components than the smallest part that is trained on can have."""
    if settings.pca is None:
        return
    smallest = len(samples.y)
    for train, _ in samples.splits(folds, settings.seed):
        inner = samples.rows(train).splits(INNER_FOLDS, settings.seed) if settings.alpha is None else []
        smallest = min(smallest, len(train), *(len(rows) for rows, _ in inner))
    most = min(smallest, samples.X.shape[1])
    if settings.pca > most:
        raise AppError(f"--pca {settings.pca} is too much for these images; {most} is the most", USAGE)


def _chosen_alphas(
    samples: Samples, settings: Settings, parts: Sequence[np.ndarray], stage: Stages
) -> list[float]:
    """Return the best strength for each part of the samples, by a cross-validation inside the part."""
    if settings.alpha is not None:
        return [settings.alpha] * len(parts)
    jobs = []
    for number, part in enumerate(parts):
        inner = samples.rows(part).splits(INNER_FOLDS, settings.seed)
        jobs += [(number, part[train], part[test]) for train, test in inner]

    def measure(job):
        number, train, test = job
        return number, _losses(samples.rows(train), samples.rows(test), settings)

    totals: dict[int, np.ndarray] = {}
    with stage("choose alpha", total=len(jobs)) as advance:
        for number, losses in _in_threads(measure, jobs, advance):
            totals[number] = totals.get(number, 0) + losses
    return [_best(totals[number]) if number in totals else USUAL_ALPHA for number in range(len(parts))]


def _losses(train: Samples, test: Samples, settings: Settings) -> np.ndarray:
    """Sum the classifier's own loss over the test samples and labels, for each strength.

    With few originals the count of mistakes jumps about, and would choose by chance.
    """
    X, X_test = train.X, test.X
    for _, step in settings.preparation():
        X, X_test = step.fit_transform(X), step.transform(X_test)
    losses = []
    for estimator in settings.estimators():
        decision = estimator.fit(X, train.y).decision_function(X_test)
        if decision.ndim == 1:
            margins = np.where(test.y == estimator.classes_[1], decision, -decision)
        else:
            margins = np.where(test.y[:, None] == estimator.classes_, decision, -decision)
        log = estimator.loss == "log"
        losses.append((np.logaddexp(0, -margins) if log else np.maximum(0, 1 - margins)).sum())
    return np.array(losses)


def _best(losses: np.ndarray) -> float:
    """Return the strongest regularisation of those with the least loss."""
    return ALPHAS[np.flatnonzero(losses == losses.min())[-1]]


def _in_threads(work: Callable[[T], R], items: Iterable[T], advance: Callable[[], None]) -> Iterator[R]:
    pool = ThreadPoolExecutor(processors())
    try:
        for result in pool.map(work, items):
            advance()
            yield result
    finally:
        pool.shutdown(cancel_futures=True)
