"""Counted texts, and what is learned from them: alpha, a model, its probabilities."""

from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

from fastsvm.fitting import Pipeline
from fastsvm.text import Bag, Selection, Union

from ...common.cache import Cache
from ...common.progress import UNWATCHED, Stages
from ..measures.evaluation import Evaluation, evaluation_of
from ..settings import Settings
from . import steps
from .alpha_choice import Choice, choose_alpha
from .calibration import LeftOut
from .checkpoint import NO_CACHE
from .splits import Fold, inner_folds

EXTENSIONS = 3  # of the grid of alphas, at most


class Learned(NamedTuple):
    """A model, and how it was made: its alpha, the decision values of left-out texts, its columns."""

    model: Pipeline
    settings: Settings
    choice: Choice | None
    left_out: LeftOut | None
    selection: Selection | None
    n_seen: int

    def scores(self, X: csr_matrix) -> tuple[np.ndarray, np.ndarray | None]:
        """Return the decision values and the probabilities of texts, whose terms were counted alike."""
        X = (X if self.selection is None else self.selection.transform(X)).astype(np.float32, copy=False)
        for _, step in self.model.steps[1:-1]:
            X = step.transform(X)
        classifier = self.model["classifier"]
        has_probabilities = hasattr(self.model, "predict_proba")
        return classifier.decision_function(X), classifier.predict_proba(X) if has_probabilities else None

    def evaluated(
        self, X: csr_matrix, texts: list[str], y: list[str], y_train: Iterable[str] | None = None
    ) -> Evaluation:
        """Return the evaluation on texts that the model has not seen."""
        scores = self.scores(X)
        return evaluation_of(self.model, texts, y, *scores, metric=self.settings.metric, y_train=y_train)


class Counted(NamedTuple):
    """The counts of texts, the vectorizer that counted them, and the labels of the texts."""

    vectorizer: Bag | Union
    X: csr_matrix
    y: np.ndarray

    @classmethod
    def of(cls, texts: Sequence[str], y: Sequence[str], settings: Settings, start: None = None) -> "Counted":
        """Count the terms of texts, for a new model."""
        # Selection adds up counts, exactly; nothing else needs them to be integers.
        vectorizer = steps.vectorizer(settings, np.float32 if settings.k is None else np.int64)
        return cls(vectorizer, steps.count_terms(texts, vectorizer), np.asarray(y))

    def parted(self, train, test) -> tuple["Counted", csr_matrix]:
        """Return some rows as if those texts alone had been counted, and the same terms of others."""
        X = self.X[train]
        if X.shape[0] == len(self.y):
            return self, self.X[test]
        terms = steps.terms_of(X, self.vectorizer.min_df)
        vectorizer = copy(self.vectorizer).restrict(terms, indices=True)
        return Counted(vectorizer, X[:, terms], self.y[train]), self.X[test][:, terms]

    def learn(self, settings: Settings, stage: Stages = UNWATCHED, cache: Cache = NO_CACHE) -> Learned:
        """Return a model of these texts: choose alpha, unless it is given, and learn probabilities."""
        choice = left_out = None
        folds = inner_folds(self.y, settings.seed)
        if steps.is_automatic(settings):
            if folds:
                found = cache.get("choose alpha", lambda: vars(self.choose(settings, folds, stage)))
                choice = Choice(**found)
                left_out = LeftOut.of_choice(choice, self.y)
            settings = replace(settings, alpha=choice and choice.alpha)
        elif folds:
            with stage("calibrate"):
                left_out = LeftOut(
                    **cache.get("calibrate", lambda: vars(LeftOut.of_folds(self.X, self.y, folds, settings)))
                )
        left_out = left_out and left_out.shifted(settings.threshold)
        with stage("train"):
            return self.fit(settings, choice, left_out, cache.path("train", ".fit"))

    def fit(
        self,
        settings: Settings,
        choice: Choice | None = None,
        left_out: LeftOut | None = None,
        checkpoint: Path | None = None,
    ) -> Learned:
        """Return a model of these texts, with the alpha of the settings."""
        n_seen = self.X.shape[1]
        selection = steps.selection(settings)
        X = steps.select_terms(self.vectorizer, self.X, self.y, selection)
        estimator = steps.classifier(settings)
        model = steps.fit(self.vectorizer, X, self.y, steps.weighting(settings), estimator, checkpoint)
        if left_out is not None:
            left_out.apply(estimator)
        return Learned(model, settings, choice, left_out, selection, n_seen)

    def choose(self, settings: Settings, folds: list[Fold], stage: Stages) -> Choice:
        """Choose alpha on folds of these texts."""
        recipe = steps.recipe(settings)
        alphas = settings.method.alphas if steps.has_norm(recipe["weighting"]) else None
        with stage("choose alpha", total=len(folds)) as advance:
            grid = {"alphas": alphas, "n_alphas": 10, "extensions": EXTENSIONS}
            return choose_alpha(self.X, self.y, folds, **recipe, **grid, advance=advance)
