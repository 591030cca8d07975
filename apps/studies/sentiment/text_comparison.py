"""What train makes by default, and what else one might have taken, on the same splits of a corpus."""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean, median
from time import process_time

import numpy as np

from fastsvm.fitting import ConvergenceWarning

from ...common.errors import AppError
from ...common.statistics import resampled_interval, wilson_interval
from ...sentiment.data.text_source import TextSource
from ...sentiment.learning.counted_texts import CountedTexts
from ...sentiment.learning.recipe_choice import choose_recipe
from ...sentiment.learning.text_splits import LabelledTexts
from ...sentiment.measures.metrics import score_decision
from ...sentiment.text_recipes import AUTO, RecipeSettings, recipe_settings
from . import literal_classifiers
from .literal_classifiers import LITERAL, LiteralSettings

# In the order of the article that this app redoes.
ARTICLE = ("perceptron", "pegasos-svm", "pegasos-logistic")
TO_THE_LETTER = "-literal"
FEWEST_RUNS = 3  # for an interval from what differs between runs

Interval = tuple[float, float]


@dataclass
class Runs:
    """What one classifier did on each split.

    Attributes
    ----------
    classifier : str
        The name of a contender.
    settings : Settings
        How it is trained.
    accuracies, seconds : list of float
        On the held-out texts; CPU seconds from texts to a model.
    interval : (float, float)
        95 % interval of the accuracy, within [0, 1].
    values : list of float
        Scores by the metric of the comparison: the accuracies, unless most texts have one label.
    behind_best : float
        Mean difference, by the metric, from the one with the best mean, on the same splits; 0 for that one.
    behind_best_interval : (float, float) or None
        Its 95 % interval; None for the best one, after too few runs, and where all of them agree.
    """

    classifier: str
    settings: RecipeSettings
    accuracies: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    interval: Interval = (0.0, 1.0)
    behind_best: float = 0.0
    behind_best_interval: Interval | None = None

    @property
    def accuracy(self) -> float:
        """The mean."""
        return fmean(self.accuracies)

    @property
    def value(self) -> float:
        """The mean by the metric."""
        return fmean(self.values)

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


@dataclass(frozen=True)
class Comparison:
    """What `compare` did; `majority` is the share of the most frequent label."""

    seeds: list[int]
    metric: str
    n_train: int
    n_test: int
    label_counts: dict[str, int]
    results: list[Runs]

    @property
    def majority(self) -> float:
        """What always guessing the most frequent label would get right."""
        return max(self.label_counts.values()) / sum(self.label_counts.values())

    @property
    def too_few(self) -> bool:
        """Whether the splits are too few for an interval from what differs between them."""
        return len(self.seeds) < FEWEST_RUNS


def contenders(settings: RecipeSettings) -> dict[str, RecipeSettings]:
    """Return how each is trained: by default, as a plain logistic regression, and as in the article.

    Parameters
    ----------
    settings : LiteralSettings
        Of the article's classifiers, which are there twice, with averages and to the letter. The others share
        the seed, the metric and how texts are cut.
    """
    same = {name: getattr(settings, name) for name in ("tokens", "markup", "seed", "metric")}
    plain = RecipeSettings("sdca-logistic", "tfidf", ngrams=(1, 1), min_df=1, **same)
    found = {"default": recipe_settings(AUTO, same), "logistic-regression": plain}
    averaged = RecipeSettings(**vars(settings))
    for suffix, made in ("", averaged), (TO_THE_LETTER, settings):
        found |= {f"{name}{suffix}": replace(made, classifier=name) for name in ARTICLE}
    return found


def compare(
    source: TextSource,
    settings: RecipeSettings = LITERAL,
    *,
    runs: int = 5,
    contenders: Callable[[RecipeSettings], dict[str, RecipeSettings]] = contenders,
) -> Comparison:
    """Train and try each of the contenders on the same splits.

    Run number `i` has the article's split by `seed + i`.

    Parameters
    ----------
    source : Source
        The labelled texts.
    settings : Settings
        Of the classifiers of the article. Whatever is learned, terms, weights and alpha, is learned from the
        training part of a split.
    runs : int
        How many splits.
    contenders : callable, optional
        Takes the settings, with how texts are cut, and returns those of each contender by its name.

    Returns
    -------
    Comparison
    """
    corpus, settings = literal_classifiers.read(source, settings)
    results = [Runs(name, recipe) for name, recipe in contenders(settings).items()]
    seeds = list(range(settings.seed, settings.seed + runs))
    for run, seed in enumerate(seeds):
        train, test = literal_classifiers.split_texts(corpus.texts, corpus.labels, settings.holdout, seed)
        if len(set(train[1])) < 2:
            raise AppError(
                f"{source.name}: with seed {seed}, only the label {train[1][0]!r} is left to train on; "
                "give more texts"
            )
        if run == 0:  # what the first training of a process pays for is nobody's
            _run_contender(Runs("warm-up", results[-1].settings), seed, train, test)
        # Each classifier comes first in its turn: none is always the one that finds cold caches.
        for result in results[run % len(results) :] + results[: run % len(results)]:
            _run_contender(result, seed, train, test)
    set_intervals(results, len(train[0]), len(test[0]))
    return Comparison(
        seeds,
        settings.metric,
        len(train[0]),
        len(test[0]),
        corpus.label_counts,
        results,
    )


def _run_contender(result: Runs, seed: int, training: LabelledTexts, trial: LabelledTexts) -> None:
    """Train and try a contender once."""
    settings = replace(result.settings, seed=seed)
    texts, y = training
    with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
        start = process_time()
        if settings.recipe == AUTO:
            settings, _ = choose_recipe(texts, y, settings)
        if isinstance(settings, LiteralSettings):
            model = literal_classifiers.fit(texts, y, settings).model
        else:
            model = CountedTexts.of(texts, y, settings).learn(settings).model
        result.seconds.append(process_time() - start)
    decision = model.decision_function(trial[0])
    result.accuracies.append(score_decision("accuracy", model.classes_, trial[1], decision))
    result.values.append(score_decision(settings.metric, model.classes_, trial[1], decision))


def set_intervals(results: Sequence[Runs], n_train: int, n_test: int) -> None:
    """Set what the runs of all say together: intervals, and how far each is behind the best."""
    best = max(results, key=lambda result: result.value)
    for result in results:
        interval = _bounded_interval(result.accuracies, n_train, n_test)
        result.interval = interval or wilson_interval(round(result.accuracy * n_test), n_test)
        if result is not best:
            behind = np.subtract(best.values, result.values)
            result.behind_best = float(behind.mean())
            result.behind_best_interval = _bounded_interval(behind, n_train, n_test, -1.0)


def _bounded_interval(
    values: Sequence[float], n_train: int, n_test: int, least: float = 0.0
) -> Interval | None:
    """Return an interval within what is possible; None from few runs, or from those that all agree."""
    # What differs by rounding only is the same.
    if len(values) < FEWEST_RUNS or max(values) - min(values) < 0.5 / n_test:
        return None
    low, high = resampled_interval(values, n_train, n_test)
    return max(low, least), min(high, 1.0)
