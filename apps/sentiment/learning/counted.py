"""Counted texts, and what is learned from them: alpha, a model, its probabilities."""

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

from fastsvm.fitting import Pipeline
from fastsvm.text import Bag, Selection, Union

from ...common.errors import USAGE, AppError
from ...common.progress import UNWATCHED, Stages
from ..data.corpus import Source
from ..measures.scores import HeldOut
from ..settings import Settings
from . import steps
from .alpha_choice import Choice, choose_alpha, inner_folds
from .calibration import LeftOut
from .kept import NOTHING, Kept

EXTENSIONS = 3  # of the grid of alphas, at most


class Learned(NamedTuple):
    """A model, and how it was made: with what alpha, by which decision values, of which columns."""

    model: Pipeline
    settings: Settings
    choice: Choice | None
    left_out: LeftOut | None
    selection: Selection | None
    n_seen: int

    def try_on(self, X: csr_matrix, texts: Sequence[str], labels: Sequence[str]) -> HeldOut:
        """Return what the model says of other texts, of which the same terms were counted."""
        X = (X if self.selection is None else self.selection.transform(X)).astype(np.float32, copy=False)
        for _, step in self.model.steps[1:-1]:
            X = step.transform(X)
        decision = self.model["classifier"].decision_function(X)
        known = hasattr(self.model, "predict_proba")
        probabilities = self.model["classifier"].predict_proba(X) if known else None
        return HeldOut(texts, labels, decision, probabilities)


class Counted(NamedTuple):
    """The counts of texts, what counted them, and the texts' labels."""

    vectorizer: Bag | Union
    X: csr_matrix
    y: np.ndarray

    @classmethod
    def of(cls, source: Source, texts: Sequence[str], y: Sequence[str], settings: Settings) -> "Counted":
        """Count the terms of texts."""
        # Selection adds up counts, exactly; nothing else needs them to be integers.
        vectorizer = steps.vectorizer(settings, np.float32 if settings.k is None else np.int64)
        return cls(vectorizer, steps.count_terms(source, texts, vectorizer), np.asarray(y))

    def parted(self, source: Source, train, test) -> tuple["Counted", csr_matrix]:
        """Return some rows as if those texts alone had been counted, and the same terms of others."""
        X = self.X[train]
        if X.shape[0] == len(self.y):
            return self, self.X[test]
        terms = steps.terms_of(source, X, self.vectorizer.min_df)
        vectorizer = copy(self.vectorizer).restrict(terms, indices=True)
        return Counted(vectorizer, X[:, terms], self.y[train]), self.X[test][:, terms]

    def learn(self, settings: Settings, stage: Stages = UNWATCHED, kept: Kept = NOTHING) -> Learned:
        """Return a model of these texts: choose alpha, unless it is given, and learn probabilities."""
        choice = None
        if is_automatic(settings):
            choice = kept.result("choose alpha", lambda: self.choose(settings, stage), Choice)
            settings = replace(settings, alpha=choice.alpha if choice else None)
        left_out = self._left_out(settings, choice, stage, kept)
        left_out = left_out and left_out.shifted(settings.threshold)
        with stage("train"):
            return self.fit(settings, choice, left_out, kept.fit("train"))

    def fit(
        self,
        settings: Settings,
        choice: Choice | None = None,
        left_out: LeftOut | None = None,
        checkpoint: Path | None = None,
    ) -> Learned:
        """Return a model of these texts, of the alpha of the settings."""
        n_seen = self.X.shape[1]
        selection = steps.selection(settings)
        X = steps.select_terms(self.vectorizer, self.X, self.y, selection)
        estimator = steps.classifier(settings)
        model = steps.fit(self.vectorizer, X, self.y, steps.weighting(settings), estimator, checkpoint)
        if left_out is not None:
            if len(estimator.classes_) == 2:
                estimator.intercept_ = estimator.intercept_ - np.float32(left_out.shift)
            estimator.calibration_ = left_out.calibration(estimator.classes_)
        return Learned(model, settings, choice, left_out, selection, n_seen)

    def choose(self, settings: Settings, stage: Stages) -> Choice | None:
        """Choose alpha within these texts; None if they are too few."""
        folds = inner_folds(self.y, settings.seed)
        recipe = steps.recipe(settings)
        alphas = settings.method.alphas if steps.has_norm(recipe["weighting"]) else None
        with stage("choose alpha", total=len(folds)) as advance:
            if not folds:
                return None
            grid = {"alphas": alphas, "n_alphas": 10, "extensions": EXTENSIONS}
            return choose_alpha(self.X, self.y, folds, **recipe, **grid, advance=advance)

    def _left_out(
        self, settings: Settings, choice: Choice | None, stage: Stages, kept: Kept
    ) -> LeftOut | None:
        """Return what probabilities are learned from; None if there are to be none, or texts are too few."""
        if choice is not None:
            return LeftOut.of_choice(choice, self.y)
        folds = inner_folds(self.y, settings.seed)

        def tried() -> LeftOut | None:
            return LeftOut.of_folds(self.X, self.y, folds, settings) if folds else None

        with stage("calibrate"):
            return kept.result("calibrate", tried, LeftOut)


def is_automatic(settings: Settings) -> bool:
    """Tell whether alpha is to be chosen.

    Raises
    ------
    AppError
        When it is to be, and cannot.
    """
    alphas = settings.method.alphas
    if settings.alpha == "auto" and alphas is None:
        raise AppError(
            f"--alpha auto is not for the {settings.classifier}; give a number, or leave it out", USAGE
        )
    return settings.alpha == "auto" or (settings.alpha is None and alphas is not None)
