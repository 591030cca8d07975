"""What a new model, or one that learns on, learns from counted texts: alpha, weights and probabilities."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fastsvm.fitting import Calibration, ConvergenceWarning, Pipeline
from fastsvm.text import OwnRatios

from ...common.cache import NO_CACHE, Cache
from ...common.errors import AppError
from ...common.progress import UNWATCHED, Stages
from ..data.text_source import CorpusError
from ..measures.answer_scores import AnswerScores
from ..measures.metrics import threshold_for_metric
from ..measures.prediction import TRAIN_AGAIN, bags_of_model
from ..measures.term_effects import check_linear
from ..settings import Settings
from ..text_recipes import CLASSIFIERS, short_alphas
from . import pipeline_steps
from .alpha_choice import AlphaChoice, FoldPart
from .text_splits import Fold, inner_folds

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

    from fastsvm.text import Bag, Selection, Union

EXTENSIONS = 3  # of the grid of alphas, at most
OTHERWISE = "train a model of old and new texts without --continue"


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
    def of_folds(cls, X: csr_matrix, y: np.ndarray, folds: list[Fold], settings: Settings) -> LeftOutScores:
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

    def shifted(self, metric: str | None) -> LeftOutScores:
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
            estimator.intercept_ = estimator.intercept_ - np.float32(self.shift)
        estimator.calibration_ = self.calibration(estimator.classes_)


class LearnedModel(NamedTuple):
    """A model, and how it was made: its alpha, the decision values of left-out texts, its columns."""

    model: Pipeline
    settings: Settings
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
        return AnswerScores(self.model, texts, y, *scores, metric=self.settings.metric, y_train=y_train)


class CountedTexts(NamedTuple):
    """The counts of texts, the vectorizer that counted them, and the labels of the texts."""

    vectorizer: Bag | Union
    X: csr_matrix
    y: np.ndarray

    @classmethod
    def of(cls, texts: Sequence[str], y: Sequence[str], settings: Settings) -> CountedTexts:
        """Count the terms of texts, for a new model."""
        # Selection adds up counts, exactly; nothing else needs them to be integers.
        vectorizer = pipeline_steps.vectorizer(settings, np.float32 if settings.k is None else np.int64)
        return cls(vectorizer, pipeline_steps.count_terms(texts, vectorizer), np.asarray(y))

    def parted(self, train, test) -> tuple[CountedTexts, csr_matrix]:
        """Return some rows as if those texts alone had been counted, and the same terms of others."""
        X = self.X[train]
        if X.shape[0] == len(self.y):
            return self, self.X[test]
        frequency = np.bincount(X.indices, minlength=X.shape[1])  # a text has a term once
        terms = np.flatnonzero(frequency >= self.vectorizer.min_df)
        if not len(terms):
            raise pipeline_steps.too_rare_error(self.vectorizer.min_df)
        vectorizer = copy(self.vectorizer).restrict(terms, indices=True)
        return CountedTexts(vectorizer, X[:, terms], self.y[train]), self.X[test][:, terms]

    def learn(self, settings: Settings, stage: Stages = UNWATCHED, cache: Cache = NO_CACHE) -> LearnedModel:
        """Return a model of these texts: choose alpha, unless it is given, and learn probabilities."""
        choice = left_out = None
        folds = inner_folds(self.y, settings.seed)
        if settings.chooses_alpha:
            if folds:
                choose = partial(self.choose, settings, folds, stage)
                choice = AlphaChoice(**cache.get("choose alpha", lambda: vars(choose())))
                rows = choice.rows
                left_out = LeftOutScores(np.unique(self.y), self.y[rows], choice.decision, rows=rows)
            settings = replace(settings, alpha=choice and choice.alpha)
        elif folds:
            with stage("calibrate"):
                scored = partial(LeftOutScores.of_folds, self.X, self.y, folds, settings)
                left_out = LeftOutScores(**cache.get("calibrate", lambda: vars(scored())))
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
        grid = {"alphas": alphas, "n_alphas": 10, "extensions": EXTENSIONS}
        search = pipeline_steps.alpha_search(settings, **grid)
        with stage("choose alpha", total=len(folds)) as advance:
            return search.choose(self.X, self.y, folds, advance)


class ContinuedModel:
    """New texts for a model that is there, in the place of `CountedTexts`, with the terms that it knows.

    The scores that it gives are one more column beside the terms (of several labels, one for each), and the
    new classifier is trained on all of them. With old weights w0 its weights are ``t w0 + v``. Where the new
    texts say what the old ones said, t does it all at hardly any cost. What is different goes into v, which
    the regularisation keeps small. Where the old scores are of no use, t is near 0. The optimum is certified
    as any.

    Parameters
    ----------
    texts, y : list of str
        The texts and their labels, which the model must have.
    model : Pipeline
        As it was before.

    Attributes
    ----------
    counts : CSR matrix
        How often each text has each term of the model.
    weighed : CountedTexts
        The weighed terms, and the scores, divided by `scale`.
    scale : float
        Mean size of the scores.
    """

    def __init__(self, texts: list[str], y: list[str], model: Pipeline) -> None:
        for label in sorted(set(y) - set(map(str, model.classes_.tolist()))):
            raise CorpusError(f"the model does not know the label {label!r}; {OTHERWISE}")
        self.model, self.counts = model, model["vectorizer"].transform(texts).astype(np.float32)
        X = self.counts
        for _, step in model.steps[1:-1]:
            X = step.transform(X)
        with np.errstate(over="ignore", invalid="ignore"):  # found below
            scores = model["classifier"].decision_function(X).reshape(len(y), -1)
        if not np.isfinite(scores).all():
            raise CorpusError(f"a score is beyond range; {TRAIN_AGAIN}")
        from scipy.sparse import csr_matrix, hstack

        self.scale = float(np.abs(scores).mean(dtype=float)) or 1.0
        X = hstack([X, csr_matrix((scores / self.scale).astype(np.float32))], format="csr")
        self.y = np.asarray(y)
        self.weighed = CountedTexts(model["vectorizer"], X, self.y)

    def parted(self, train, test) -> tuple[ContinuedModel, csr_matrix]:
        """Return some texts, and the counts of others; all have the terms of the model."""
        part, known = copy(self), self.model.classes_.tolist()
        part.counts, part.y = self.counts[train], self.y[train]
        part.weighed = self.weighed._replace(X=self.weighed.X[train], y=part.y)
        for label in sorted(set(map(str, known)) - set(part.y.tolist())):
            raise CorpusError(f"too few texts of {label!r}, which the model knows; give more")
        return part, self.counts[test]

    def learn(self, settings: Settings, stage: Stages = UNWATCHED, cache: Cache = NO_CACHE) -> LearnedModel:
        """Return the model as it is after these texts: see `CountedTexts.learn`."""
        return self._in_terms(self.weighed.learn(_settings_as_counted(settings), stage, cache), settings)

    def fit(self, settings: Settings, *args, **options) -> LearnedModel:
        """Return the model after these texts, with the alpha of the settings: see `CountedTexts.fit`."""
        return self._in_terms(self.weighed.fit(_settings_as_counted(settings), *args, **options), settings)

    def _in_terms(self, learned: LearnedModel, settings: Settings) -> LearnedModel:
        """Return a model of the terms alone: the weights of the scores are shared out among them."""
        old, estimator = self.model["classifier"], learned.model["classifier"]
        n_terms = self.counts.shape[1]
        coef, share = estimator.coef_[:, :n_terms], estimator.coef_[:, n_terms:] / self.scale
        estimator.coef_ = np.ascontiguousarray(coef + share @ old.coef_, coef.dtype)
        estimator.intercept_ = np.asarray(estimator.intercept_ + share @ old.intercept_, coef.dtype)
        estimator.n_features_in_ = n_terms
        return learned._replace(
            model=Pipeline([*self.model.steps[:-1], ("classifier", estimator)]),
            settings=replace(settings, alpha=learned.settings.alpha),
            n_seen=n_terms,
        )


Counted = CountedTexts | ContinuedModel


def _settings_as_counted(settings: Settings) -> Settings:
    """Return settings by which nothing more is weighed or chosen."""
    return replace(settings, weighting="counts", k=None)


def continued_settings(model: Pipeline, settings: Settings) -> Settings:
    """Return settings with the recipe of a model: SDCA of its loss, or else of the hinge loss."""
    check_linear(model, "--continue")
    names = [name for name, usual in CLASSIFIERS.items() if usual.model == "SDCA"]
    if hasattr(model["classifier"], "squares_"):
        told = "each label of this model scales texts to a length of its own: it cannot learn on"
        raise AppError(f"{told}; {OTHERWISE}")
    loss = getattr(model["classifier"], "loss", None)
    same = [name for name in names if CLASSIFIERS[name].parameters["loss"] == loss]
    weighting = model.named_steps.get("weighting")
    ranges = {bag.analyzer == "char_wb": bag.ngram_range for bag in bags_of_model(model)}
    features = {"ngrams": ranges.get(False), "chars": ranges.get(True), "min_df": 1, "k": None}
    features["weighting"] = "counts" if weighting is None else weighting.weighting
    return replace(settings, recipe=None, classifier=(same or names)[0], **features)
