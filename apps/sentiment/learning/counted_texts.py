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
from ..measures.answer_scores import AnswerScores, score_answers
from ..text_recipes import RecipeSettings, short_alphas
from . import pipeline_steps
from .alpha_choice import AlphaChoice, choose_alpha
from .left_out_scores import LeftOutScores
from .text_splits import Fold, inner_folds
from .training_checkpoint import NO_CACHE

EXTENSIONS = 3  # of the grid of alphas, at most


class LearnedModel(NamedTuple):
    """A model, and how it was made: its alpha, the decision values of left-out texts, its columns."""

    model: Pipeline
    settings: RecipeSettings
    choice: AlphaChoice | None
    left_out: LeftOutScores | None
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
    ) -> AnswerScores:
        """Return the evaluation on texts that the model has not seen."""
        scores = self.scores(X)
        return score_answers(self.model, texts, y, *scores, metric=self.settings.metric, y_train=y_train)


class CountedTexts(NamedTuple):
    """The counts of texts, the vectorizer that counted them, and the labels of the texts."""

    vectorizer: Bag | Union
    X: csr_matrix
    y: np.ndarray

    @classmethod
    def of(
        cls, texts: Sequence[str], y: Sequence[str], settings: RecipeSettings, start: None = None
    ) -> "CountedTexts":
        """Count the terms of texts, for a new model."""
        # Selection adds up counts, exactly; nothing else needs them to be integers.
        vectorizer = pipeline_steps.vectorizer(settings, np.float32 if settings.k is None else np.int64)
        return cls(vectorizer, pipeline_steps.count_terms(texts, vectorizer), np.asarray(y))

    def parted(self, train, test) -> tuple["CountedTexts", csr_matrix]:
        """Return some rows as if those texts alone had been counted, and the same terms of others."""
        X = self.X[train]
        if X.shape[0] == len(self.y):
            return self, self.X[test]
        terms = pipeline_steps.frequent_terms(X, self.vectorizer.min_df)
        vectorizer = copy(self.vectorizer).restrict(terms, indices=True)
        return CountedTexts(vectorizer, X[:, terms], self.y[train]), self.X[test][:, terms]

    def learn(
        self, settings: RecipeSettings, stage: Stages = UNWATCHED, cache: Cache = NO_CACHE
    ) -> LearnedModel:
        """Return a model of these texts: choose alpha, unless it is given, and learn probabilities."""
        choice = left_out = None
        folds = inner_folds(self.y, settings.seed)
        if pipeline_steps.chooses_alpha(settings):
            if folds:
                found = cache.get("choose alpha", lambda: vars(self.choose(settings, folds, stage)))
                choice = AlphaChoice(**found)
                left_out = LeftOutScores.of_choice(choice, self.y)
            settings = replace(settings, alpha=choice and choice.alpha)
        elif folds:
            with stage("calibrate"):
                left_out = LeftOutScores(
                    **cache.get(
                        "calibrate", lambda: vars(LeftOutScores.of_folds(self.X, self.y, folds, settings))
                    )
                )
        left_out = left_out and left_out.shifted(settings.threshold)
        with stage("train"):
            return self.fit(settings, choice, left_out, cache.path("train", ".fit"))

    def fit(
        self,
        settings: RecipeSettings,
        choice: AlphaChoice | None = None,
        left_out: LeftOutScores | None = None,
        checkpoint: Path | None = None,
    ) -> LearnedModel:
        """Return a model of these texts, with the alpha of the settings."""
        n_seen = self.X.shape[1]
        selection = pipeline_steps.selection(settings)
        X = pipeline_steps.select_terms(self.vectorizer, self.X, self.y, selection)
        estimator = pipeline_steps.classifier(settings, len(self.y))
        model = pipeline_steps.fit_pipeline(
            self.vectorizer, X, self.y, pipeline_steps.weighting(settings), estimator, checkpoint
        )
        if left_out is not None:
            left_out.apply(estimator)
        return LearnedModel(model, settings, choice, left_out, selection, n_seen)

    def choose(self, settings: RecipeSettings, folds: list[Fold], stage: Stages) -> AlphaChoice:
        """Choose alpha on folds of these texts."""
        recipe = pipeline_steps.alpha_choice_options(settings)
        is_even = settings.has_norm or settings.method.is_kernel  # the values of a gaussian are up to 1
        alphas = (settings.method.alphas or short_alphas(len(self.y))) if is_even else None
        with stage("choose alpha", total=len(folds)) as advance:
            grid = {"alphas": alphas, "n_alphas": 10, "extensions": EXTENSIONS}
            return choose_alpha(self.X, self.y, folds, **recipe, **grid, advance=advance)
