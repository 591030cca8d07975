"""Several classifiers on the same splits of a corpus."""

import warnings
from dataclasses import dataclass, field, replace
from statistics import fmean, median
from time import process_time

import numpy as np

from fastsvm.fitting import ConvergenceWarning

from ...common.errors import AppError, Skipped
from ...common.progress import UNWATCHED, Stages
from ...common.statistics import resampled_interval, wilson_interval
from ..data.corpus import Source
from . import steps
from .alpha_choice import split_texts
from .prediction import decide
from .settings import CLASSIFIERS, Settings

COUNTS = Settings(weighting="counts", ngrams=(1, 1), min_df=1, k=5000)

# In the order of the article that this app redoes.
COMPARED = ("perceptron", "pegasos-svm", "pegasos-logistic", "sdca-svm", "sdca-logistic")

Interval = tuple[float, float]


@dataclass
class Runs:
    """What one classifier did on each split.

    Attributes
    ----------
    classifier : str
    alpha : float or None
    accuracies, seconds : list of float
        On the held-out texts; CPU seconds of the training alone.
    gaps : list of float
        Relative duality gaps, of several labels the largest; empty where there is no dual problem.
    stopped_short : int
        Runs whose gap is above the one aimed at.
    interval : (float, float)
        95 % interval of the accuracy.
    behind_best : float
        Mean difference from the classifier with the best mean, on the same splits; 0 for that one.
    behind_best_interval : (float, float) or None
        Its 95 % interval; None for the best one, and after one run.
    """

    classifier: str
    alpha: float | None = None
    accuracies: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    gaps: list[float] = field(default_factory=list)
    stopped_short: int = 0
    interval: Interval = (0.0, 1.0)
    behind_best: float = 0.0
    behind_best_interval: Interval | None = None

    @property
    def accuracy(self) -> float:
        """The mean."""
        return fmean(self.accuracies)

    @property
    def worst(self) -> float:
        """The accuracy on the split with the lowest."""
        return min(self.accuracies)

    @property
    def best(self) -> float:
        """The accuracy on the split with the highest."""
        return max(self.accuracies)

    @property
    def median_seconds(self) -> float:
        """The median."""
        return median(self.seconds)

    @property
    def gap(self) -> float | None:
        """The largest."""
        return max(self.gaps, default=None)


@dataclass(frozen=True)
class Comparison:
    """What `compare` did; `majority` is the share of the most frequent label."""

    seeds: list[int]
    tokens: str
    n_train: int
    n_test: int
    label_counts: dict[str, int]
    n_features: list[int]
    results: list[Runs]
    skipped: Skipped

    @property
    def majority(self) -> float:
        """What always guessing the most frequent label would get right."""
        return max(self.label_counts.values()) / sum(self.label_counts.values())

    @property
    def interval_kind(self) -> str:
        """How the intervals were computed."""
        if len(self.seeds) == 1:
            return "Wilson's, of one split"
        return "Nadeau and Bengio's corrected t, wider than Student's as the splits share their texts"


def compare(
    source: Source, settings: Settings = COUNTS, *, runs: int = 10, stage: Stages = UNWATCHED
) -> Comparison:
    """Train and try each classifier of `COMPARED` with its defaults on the same splits.

    Run number `i` has the split, the features and the seed that `training.train` has with `seed + i`.

    Parameters
    ----------
    source : Source
        The labelled texts.
    settings : Settings
        What all have in common. A weighting is fitted, like the choice of features, to the training part of a
        split; `alpha` is that of all that have one, or by default each has its own, meant for counts.
    runs : int
        How many splits.
    stage : Stages, optional
        Times the stages.

    Returns
    -------
    Comparison
    """
    with stage("read"):
        corpus, settings = steps.read_labelled(source, settings)
        # In an order that does not depend on that of the file, as `split_texts` has it.
        pairs = sorted(zip(corpus.labels, corpus.texts, strict=True))
        y, texts = [label for label, _ in pairs], [text for _, text in pairs]
        label_counts, skipped = corpus.label_counts, corpus.skipped
        del corpus, pairs

    with stage("vectorize"):
        X = steps.count_terms(source, texts, steps.vectorizer(settings))
        del texts

    results = [Runs(name) for name in COMPARED]
    seeds = list(range(settings.seed, settings.seed + runs))
    n_features = []
    with stage("compare", total=runs * len(results)) as advance:
        for run, seed in enumerate(seeds):
            (train, y_train), (test, y_test) = split_texts(range(len(y)), y, settings.holdout, seed)
            if len(set(y_train)) < 2:
                raise AppError(
                    f"{source.name}: with seed {seed}, only the label {y_train[0]!r} is left to train on; "
                    "give more texts"
                )
            X_train, X_test = _features(X, train, test, y_train, settings)
            weigh = steps.weighting(settings)
            if weigh is not None:
                weigh.fit(X_train, y_train)
                X_train, X_test = weigh.transform(X_train), weigh.transform(X_test)
            n_features.append(X_train.shape[1])
            if run == 0:  # what the first training of a process pays for is nobody's
                _run(Runs(COMPARED[0]), replace(settings, seed=seed), (X_train, y_train), (X_test, y_test))
            # Each classifier comes first in its turn: none is always the one that finds cold caches.
            for result in results[run % len(results) :] + results[: run % len(results)]:
                _run(result, replace(settings, seed=seed), (X_train, y_train), (X_test, y_test))
                advance()
    _set_intervals(results, len(train), len(test))
    return Comparison(
        seeds, settings.tokens, len(train), len(test), label_counts, n_features, results, skipped
    )


def _features(X, train: list[int], test: list[int], y_train: list[str], settings: Settings):
    """Return the features of both parts as if only the training part had been seen."""
    X_train, X_test = X[train], X[test]
    kept = np.flatnonzero(np.bincount(X_train.indices, minlength=X.shape[1]))
    if settings.k is not None and settings.k < len(kept):
        best = steps.selection(settings).fit(X_train[:, kept], y_train)
        kept = kept[best.get_support(indices=True)]
    return tuple(part[:, kept].astype(np.float32) for part in (X_train, X_test))


def _run(result: Runs, settings: Settings, training: tuple, trial: tuple) -> None:
    """Train and try a classifier once."""
    alpha = None if CLASSIFIERS[result.classifier].alpha is None else settings.alpha
    estimator = steps.classifier(replace(settings, classifier=result.classifier, alpha=alpha))
    with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):  # counted here
        start = process_time()
        steps.fit_classifier(estimator, *training)
        result.seconds.append(process_time() - start)
    result.alpha = getattr(estimator, "alpha", None)
    X, y = trial
    predicted = decide(estimator.classes_, estimator.decision_function(X))
    result.accuracies.append(float(np.mean(predicted == np.asarray(y, predicted.dtype))))
    if hasattr(estimator, "dual_gap_"):
        result.gaps.append(float(np.max(np.divide(estimator.dual_gap_, estimator.objective_))))
        result.stopped_short += hasattr(estimator, "tol") and result.gaps[-1] > estimator.tol


def _set_intervals(results: list[Runs], n_train: int, n_test: int) -> None:
    best = max(results, key=lambda result: result.accuracy)
    for result in results:
        if len(result.accuracies) == 1:
            result.interval = wilson_interval(round(result.accuracy * n_test), n_test)
        else:
            low, high = resampled_interval(result.accuracies, n_train, n_test)
            result.interval = max(low, 0.0), min(high, 1.0)
        if result is not best:
            behind = np.subtract(best.accuracies, result.accuracies)
            result.behind_best = float(behind.mean())
            if len(behind) > 1:
                result.behind_best_interval = resampled_interval(behind, n_train, n_test)
