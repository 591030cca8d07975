"""What train makes by default, and what else one might have taken, on the same splits of a corpus."""

import warnings
from dataclasses import dataclass, replace
from time import process_time

import numpy as np

from fastsvm.fitting import ConvergenceWarning

from ....sentiment.data.text_source import TextSource
from ....sentiment.learning.learned_model import CountedTexts
from ....sentiment.learning.recipe_choice import choose_recipe
from ....sentiment.learning.text_splits import LabelledTexts
from ....sentiment.measures.metrics import score_decision
from ....sentiment.settings import Settings, recipe_settings
from ....sentiment.text_recipes import AUTO
from ...report.claim_judging import Statistic, over_splits
from ...report.study_report import Arrays
from . import literal_classifiers
from .literal_classifiers import LITERAL, LiteralSettings

# In the order of the article that this app redoes.
ARTICLE = ("perceptron", "pegasos-svm", "pegasos-logistic")
TO_THE_LETTER = "-literal"


@dataclass(frozen=True)
class Comparison:
    """What `compare` did.

    Attributes
    ----------
    names : ndarray of str, shape (n_contenders,)
    accuracies, seconds : ndarray of shape (n_contenders, n_splits)
        On the texts held out; CPU seconds from texts to a model.
    sizes : ndarray of two int
        Texts to train on, and to test on.
    majority : ndarray of shape ()
        What always guessing the most frequent label would get right.
    recipe : ndarray of shape ()
        Which train chose by default, on the first split.
    """

    names: np.ndarray
    accuracies: np.ndarray
    seconds: np.ndarray
    sizes: np.ndarray
    majority: np.ndarray
    recipe: np.ndarray

    def row(self, name: str) -> int:
        """Return the row of a contender."""
        return self.names.tolist().index(name)

    def statistic(self, values: np.ndarray) -> Statistic:
        """Return the mean of accuracies, or of differences, with its interval within what is possible."""
        s = over_splits(values, tuple(self.sizes))
        return s._replace(low=max(s.low, -1.0), high=min(s.high, 1.0))


def contenders(settings: Settings, recipe: str) -> dict[str, Settings]:
    """Return how each is trained: by default, as a plain logistic regression, and as in the article.

    Parameters
    ----------
    settings : LiteralSettings
        Of the article's classifiers, which are there twice, with averages and to the letter. The others share
        the seed, the metric and how texts are cut.
    recipe : str
        That of the default.
    """
    same = {name: getattr(settings, name) for name in ("tokens", "markup", "seed", "metric")}
    plain = Settings("sdca-logistic", "tfidf", ngrams=(1, 1), min_df=1, **same)
    found = {"default": recipe_settings(recipe, **same), "logistic-regression": plain}
    averaged = Settings(**vars(settings))
    for suffix, made in ("", averaged), (TO_THE_LETTER, settings):
        found |= {f"{name}{suffix}": replace(made, classifier=name) for name in ARTICLE}
    return found


def compare(source: TextSource, runs: int, settings: Settings = LITERAL) -> Arrays:
    """Train and try each of the contenders on the same splits; return the fields of `Comparison`.

    Run number `i` has the article's split by `seed + i`. Whatever is learned, terms, weights and alpha, is
    learned from the training part of a split; the recipe of the default, from that of the first.
    """
    corpus, settings = literal_classifiers.read(source, settings)
    seeds = range(settings.seed, settings.seed + runs)
    texts, holdout = (corpus.texts, corpus.labels), settings.holdout
    train, _ = literal_classifiers.split_texts(*texts, holdout, seeds[0])
    recipe = choose_recipe(*train, contenders(settings, AUTO)["default"])[0].recipe
    made = contenders(settings, recipe)
    found = np.zeros((2, len(made), runs))
    # What the first training of a process pays for is nobody's.
    _run_contender(made[ARTICLE[-1]], train, train)
    for run, seed in enumerate(seeds):
        train, test = literal_classifiers.split_texts(*texts, holdout, seed)
        # Each classifier comes first in its turn: none is always the one that finds cold caches.
        for k in np.roll(np.arange(len(made)), -run):
            found[:, k, run] = _run_contender(replace([*made.values()][k], seed=seed), train, test)
    counts = corpus.label_counts.values()
    return {
        "names": np.array([*made]),
        "accuracies": found[0],
        "seconds": found[1],
        "sizes": np.array([len(train[0]), len(test[0])]),
        "majority": np.array(max(counts) / sum(counts)),
        "recipe": np.array(recipe),
    }


def _run_contender(settings: Settings, training: LabelledTexts, trial: LabelledTexts) -> tuple[float, float]:
    """Train and try a contender once; return its accuracy and its seconds."""
    with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
        start = process_time()
        if isinstance(settings, LiteralSettings):
            model = literal_classifiers.fit(*training, settings).model
        else:
            model = CountedTexts.of(*training, settings).learn(settings).model
        seconds = process_time() - start
    decision = model.decision_function(trial[0])
    return score_decision("accuracy", model.classes_, trial[1], decision), seconds
