"""What is learned from counted texts: alpha, a model, and its probabilities."""

import warnings
from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

from fastsvm.fitting import Calibration, ConvergenceWarning, Pipeline
from fastsvm.text import OwnRatios

from ...common.cache import NO_CACHE, Cache
from ...common.progress import UNWATCHED, Stages
from ..measures.answer_scores import AnswerScores
from ..measures.metrics import threshold_for_metric
from ..settings import Settings
from ..text_recipes import short_alphas
from . import pipeline_steps
from .alpha_choice import AlphaChoice, FoldPart
from .text_splits import Fold, inner_folds

if TYPE_CHECKING:
    from fastsvm.text import Bag, Selection, Union

EXTENSIONS = 3  # of the grid of alphas, at most


@dataclass(frozen=True)
class LeftOutScores:
    """Decision values of texts by models that had not seen them; -inf for a label unknown to the model.

    They were lowered by `shift`, as those of the model that is made with them are to be. `rows` are the
    texts among those trained on, unless the texts are streamed.
    """

    classes: np.ndarray
    y: np.ndarray
    decision: np.ndarray
    shift: float = 0.0
    rows: np.ndarray | None = None

    @classmethod
    def of_choice(cls, choice: AlphaChoice, y: np.ndarray) -> "LeftOutScores":
        """Take those that were computed while alpha was chosen."""
        return cls(np.unique(y), y[choice.rows], choice.decision, rows=choice.rows)

    @classmethod
    def of_folds(
        cls, X: csr_matrix, y: np.ndarray, folds: Sequence[Fold], settings: Settings
    ) -> "LeftOutScores":
        """Train on each fold, with the weight that a text has against the regularisation in all of them."""
        labels, codes = np.unique(y, return_inverse=True)
        decision = np.full((len(y), len(labels)), -np.inf, np.float32)
        for fold in folds:
            steps = pipeline_steps.selection(settings), pipeline_steps.weighting(settings)
            part = FoldPart(X, codes, labels, fold, *steps)
            estimator = pipeline_steps.classifier(settings, len(part.y))
            if hasattr(estimator, "alpha"):
                estimator.set_params(alpha=estimator.alpha / part.share)
            with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
                if part.label_ratios is None:
                    estimator.fit(part.X, labels[part.y])
                else:
                    part.label_ratios.fit_classifier(estimator, part.X, labels[part.y])
            scores = estimator.decision_function(part.X_test)
            scores = np.column_stack([-scores, scores]) if scores.ndim == 1 else scores
            decision[np.ix_(fold[1], np.searchsorted(labels, estimator.classes_))] = scores
        tried = np.concatenate([test for _, test in folds])
        scores = decision[tried, 1] if len(labels) == 2 else decision[tried]
        return cls(labels, y[tried], scores, rows=tried)

    def shifted(self, metric: str | None) -> "LeftOutScores":
        """Return them such that giving the second of two labels from 0 on is best by a metric."""
        if metric is None or len(self.classes) > 2:
            return self
        calibration = self.calibration(self.classes)
        if not calibration.slopes[0]:
            return self
        likely = calibration.probabilities(self.decision)[:, 1]
        shift = threshold_for_metric(metric, self.decision, likely)
        return replace(self, decision=self.decision - np.float32(shift), shift=shift)

    def calibration(self, classes: np.ndarray) -> Calibration:
        """Return the calibration of a model of these classes or more."""
        decision = self.decision
        if len(classes) > len(self.classes):
            known = np.column_stack([-decision, decision]) if decision.ndim == 1 else decision
            decision = np.full((len(self.y), len(classes)), -np.inf)
            decision[:, np.searchsorted(classes, self.classes)] = known
        return Calibration.fit(decision, self.y, classes)

    def probabilities(self, calibration: Calibration) -> np.ndarray:
        """Return the probabilities of the classes; nan for a label unknown to the model."""
        with np.errstate(invalid="ignore"):  # a score without effect times -inf
            likely = calibration.probabilities(self.decision)
        if self.decision.ndim > 1:
            likely[np.isneginf(self.decision)] = np.nan
        return likely

    def apply(self, estimator) -> None:
        """Give a fitted classifier the calibration, and with two labels the shift."""
        if len(estimator.classes_) == 2:
            intercept = estimator.intercept_
            estimator.intercept_ = intercept - np.float32(self.shift)
        estimator.calibration_ = self.calibration(estimator.classes_)


class LearnedModel(NamedTuple):
    """A model, and how it was made: its alpha, the decision values of left-out texts, its columns."""

    model: Pipeline
    settings: Settings
    choice: AlphaChoice | None
    left_out: LeftOutScores | None
    selection: "Selection | None"
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
        return AnswerScores(self.model, texts, y, *scores, metric=self.settings.metric, y_train=y_train)


class CountedTexts(NamedTuple):
    """The counts of texts, the vectorizer that counted them, and the labels of the texts."""

    vectorizer: "Bag | Union"
    X: csr_matrix
    y: np.ndarray

    @classmethod
    def of(cls, texts: Sequence[str], y: Sequence[str], settings: Settings) -> "CountedTexts":
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

    def learn(self, settings: Settings, stage: Stages = UNWATCHED, cache: Cache = NO_CACHE) -> LearnedModel:
        """Return a model of these texts: choose alpha, unless it is given, and learn probabilities."""
        choice = left_out = None
        folds = inner_folds(self.y, settings.seed)
        if settings.chooses_alpha:
            if folds:
                kept = cache.get("choose alpha", lambda: vars(self.choose(settings, folds, stage)))
                choice = AlphaChoice(**kept)
                left_out = LeftOutScores.of_choice(choice, self.y)
            settings = replace(settings, alpha=choice and choice.alpha)
        elif folds:
            with stage("calibrate"):
                kept = cache.get(
                    "calibrate", lambda: vars(LeftOutScores.of_folds(self.X, self.y, folds, settings))
                )
                left_out = LeftOutScores(**kept)
        left_out = left_out and left_out.shifted(settings.threshold)
        with stage("train"):
            return self.fit(settings, choice, left_out, cache.path("train", ".fit"))

    def fit(
        self,
        settings: Settings,
        choice: AlphaChoice | None = None,
        left_out: LeftOutScores | None = None,
        checkpoint: Path | None = None,
    ) -> LearnedModel:
        """Return a model of these texts, with the alpha of the settings."""
        vectorizer, X, y = self
        selection, weighting = pipeline_steps.selection(settings), pipeline_steps.weighting(settings)
        if selection is not None:
            best = selection.fit(X, y).get_support(indices=True)
            vectorizer.restrict(best, indices=True)
            X = X[:, best]
        vectorizer.set_params(dtype=np.float32)
        X = X.astype(np.float32, copy=False)
        if weighting is not None:
            X = weighting.fit(X, y).transform(X)
        ratios = weighting if isinstance(weighting, OwnRatios) else None
        estimator = pipeline_steps.classifier(settings, len(y))
        pipeline_steps.fit_classifier(estimator, X, y, checkpoint, ratios)
        if left_out is not None:
            left_out.apply(estimator)
        weighting = weighting if ratios is None else ratios.presence
        steps = [("vectorizer", vectorizer), ("weighting", weighting), ("classifier", estimator)]
        model = Pipeline([(name, step) for name, step in steps if step is not None])
        return LearnedModel(model, settings, choice, left_out, selection, self.X.shape[1])

    def choose(self, settings: Settings, folds: list[Fold], stage: Stages) -> AlphaChoice:
        """Choose alpha on folds of these texts."""
        is_even = settings.has_norm or settings.method.is_kernel  # the values of a gaussian are up to 1
        alphas = (settings.method.alphas or short_alphas(len(self.y))) if is_even else None
        search = pipeline_steps.alpha_search(settings)
        search = replace(search, alphas=alphas, n_alphas=10, extensions=EXTENSIONS)
        with stage("choose alpha", total=len(folds)) as advance:
            return search.choose(self.X, self.y, folds, advance)
