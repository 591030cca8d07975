"""What a new or continued model learns from counted texts: alpha, weights and probabilities."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastsvm.fitting import Calibration, ConvergenceWarning, Pipeline
from fastsvm.text import OwnRatios, first_terms

from ...common.cache import NO_CACHE, Cache
from ...common.errors import USAGE, AppError
from ...common.progress import UNWATCHED, Stages
from ..data.text_labels import TextLabels
from ..data.text_source import CorpusError
from ..measures.answer_scores import AnswerScores
from ..measures.metrics import set_thresholds, threshold_for_metric
from ..measures.prediction import TRAIN_AGAIN, bags_of_model, thresholds_of, weighed
from ..measures.term_effects import check_linear, of_terms
from ..settings import Settings
from ..text_recipes import CLASSIFIERS, short_alphas
from . import pipeline_steps
from .alpha_choice import AlphaChoice, FoldPart
from .text_splits import Fold, inner_folds

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

    from fastsvm.text import Bag, Union

EXTENSIONS = 3  # of the grid of alphas, at most
L1_EPS = 3e-3  # the smallest alpha tried with an l1 penalty, as a share of the one that leaves no word
MOST_TRIED = 50  # labels by which alpha is chosen, if a text may have several
LOWEST = np.finfo(np.float32).min  # counts as the score of a label unknown to a model, in products
OTHERWISE = "train a new model on the old and the new texts, without --continue"


@dataclass(frozen=True)
class LeftOutScores:
    """Decision values of texts by models trained without them; -inf for a label unknown to the model.

    `y` are the labels of these texts. The values were lowered by `shift`; the final model is shifted alike.
    The thresholds of several labels per text are the best by `metric`. `rows` are the rows of these
    texts among the training texts, unless the texts are streamed.
    """

    y: TextLabels
    decision: np.ndarray
    shift: float = 0.0
    metric: str | None = None
    rows: np.ndarray | None = None

    @classmethod
    def of(cls, y: TextLabels, settings: Settings, rows: np.ndarray, decision: np.ndarray) -> LeftOutScores:
        """Return the values of some rows of the texts with labels y, shifted as the settings say."""
        return cls(y[rows], decision, metric=settings.metric, rows=rows).shifted(settings.threshold)

    def shifted(self, metric: str | None) -> LeftOutScores:
        """Return the values shifted such that 0 is the best threshold for the second of two labels."""
        if metric is None or len(self.y.names) > 2:
            return self
        calibration = self.calibration(self.y.names)
        if not calibration.slopes[0]:
            return self
        likely = calibration.probabilities(self.decision)[:, 1]
        shift = threshold_for_metric(metric, self.decision, likely)
        return replace(self, decision=self.decision - np.float32(shift), shift=shift)

    @cached_property
    def _calibration(self) -> Calibration:
        """The calibration for the names of `y`; a label that no text has gets the mean of the others."""
        if self.y.exclusive:
            return Calibration.fit_common(self.decision, self.y.target, self.y.names)
        known = np.flatnonzero(self.y.counts)
        # One label at a time: all in double precision would take more room than the model.
        pairs = (Calibration.fit(self.decision[:, k], self.y.has(k), [False, True]) for k in known)
        lines = np.array([(each.slopes[0], each.intercepts[0]) for each in pairs])
        return _complete_calibration(lines, known, len(self.y.names))

    def calibration(self, classes: np.ndarray) -> Calibration:
        """Return the calibration for a model with these classes, perhaps more than `y` has."""
        if len(classes) == len(self.y.names):
            return self._calibration
        if not self.y.exclusive:
            own, places = self._calibration, np.searchsorted(classes, self.y.names)
            lines = np.column_stack([own.slopes, own.intercepts])
            return _complete_calibration(lines, places, len(classes))
        decision = self.decision
        known = np.column_stack([-decision, decision]) if decision.ndim == 1 else decision
        decision = np.full((len(self.y), len(classes)), -np.inf)
        decision[:, np.searchsorted(classes, self.y.names)] = known
        return replace(self, y=self.y.named(classes), decision=decision)._calibration

    def probabilities(self) -> np.ndarray:
        """Return the probabilities of the classes; nan for a label unknown to the model."""
        with np.errstate(invalid="ignore"):  # a score without effect times -inf
            likely = self.calibration(self.y.names).probabilities(self.decision)
        if self.decision.ndim > 1:
            likely[np.isneginf(self.decision)] = np.nan
        return likely

    def apply(self, estimator) -> None:
        """Give a fitted classifier the calibration, and the shift of two labels or the thresholds of several.

        The scores of several labels become log odds, so that the best label is the most probable one.
        """
        calibration, classes = self.calibration(estimator.classes_), estimator.classes_
        if not self.y.exclusive:
            from scipy.special import expit

            slopes, intercepts = calibration.slopes, calibration.intercepts
            estimator.coef_ *= slopes[:, np.newaxis].astype(estimator.coef_.dtype)
            estimator.intercept_ = (estimator.intercept_ * slopes + intercepts).astype(estimator.coef_.dtype)
            calibration = Calibration(np.ones(len(classes)), np.zeros(len(classes)), independent=True)
            estimator.thresholds_ = intercepts.copy()  # a score of 0, as in training
            known = self.y.counts > 0
            own = self._calibration
            columns = (
                expit(own.slopes[k] * np.maximum(self.decision[:, k], LOWEST) + own.intercepts[k])
                for k in np.flatnonzero(known)
            )
            thresholds = set_thresholds(self.metric, columns)
            estimator.thresholds_[np.searchsorted(classes, self.y.names[known])] = thresholds
        elif len(classes) == 2:
            estimator.intercept_ = estimator.intercept_ - np.float32(self.shift)
        estimator.calibration_ = calibration


def decisions_of_folds(X: csr_matrix, y: TextLabels, folds: list[Fold], settings: Settings) -> dict[str, Any]:
    """Train on each fold; a text has the same weight against the regularisation as among all texts.

    Return arguments for `LeftOutScores.of`, in a form that a cache can keep.
    """
    decision = np.full((len(y), len(y.names)), -np.inf, np.float32)
    for fold in folds:
        part = FoldPart(X, y, fold, pipeline_steps.selection(settings), pipeline_steps.weighting(settings))
        target = part.y.present().target
        estimator = pipeline_steps.classifier(settings, len(part.y))
        if hasattr(estimator, "alpha"):
            estimator.set_params(alpha=estimator.alpha / part.share)
        with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
            pipeline_steps.fit_classifier(estimator, part.X, target, ratios=part.label_ratios)
        scores = estimator.decision_function(part.X_test)
        scores = np.column_stack([-scores, scores]) if scores.ndim == 1 else scores
        decision[np.ix_(fold[1], np.searchsorted(y.names, estimator.classes_))] = scores
    tried = np.concatenate([test for _, test in folds])
    scores = decision[tried, 1] if y.exclusive and len(y.names) == 2 else decision[tried]
    return {"rows": tried, "decision": scores}


def _complete_calibration(lines: np.ndarray, places: np.ndarray, n: int) -> Calibration:
    """Return the calibration of n labels, several per text; labels not at `places` get the mean."""
    every = np.tile(lines.mean(axis=0), (n, 1))
    every[places] = lines
    return Calibration(*every.T, independent=True)


class LearnedModel(NamedTuple):
    """A model, and how it was made: its alpha, the decision values of left-out texts, its columns.

    `columns` are the terms of the model among the counted terms; None if the model has all.
    """

    model: Pipeline
    settings: Settings
    choice: AlphaChoice | None
    left_out: LeftOutScores | None
    columns: np.ndarray | None
    n_seen: int

    def chosen(self, X: csr_matrix) -> csr_matrix:
        """Return the columns of X that are terms of the model."""
        return X if self.columns is None else X[:, self.columns]

    def scores(self, X: csr_matrix) -> tuple[np.ndarray, np.ndarray | None]:
        """Return the decision values and the probabilities of texts with the counts X."""
        X = weighed(self.model, self.chosen(X).astype(np.float32, copy=False))
        classifier = self.model["classifier"]
        has_probabilities = hasattr(self.model, "predict_proba")
        return classifier.decision_function(X), classifier.predict_proba(X) if has_probabilities else None

    def with_terms_of(self, texts: Sequence[str]) -> LearnedModel:
        """Return the model with only the terms of texts to explain; a kernel machine stays the same."""
        if self.settings.method.is_kernel:
            return self
        places = self.model["vectorizer"].transform([*texts, ""]).indices
        return self._replace(model=of_terms(self.model, np.union1d(places, [0])))

    def evaluated(
        self, X: csr_matrix, texts: list[str], y: TextLabels, train_counts: Mapping[str, int] | None = None
    ) -> AnswerScores:
        """Return the evaluation on texts that the model has not seen."""
        options = {"metric": self.settings.metric, "train_counts": train_counts}
        return AnswerScores(self.model, texts, y, *self.scores(X), **options)


class CountedTexts(NamedTuple):
    """The counts of texts, the vectorizer that counted them, and the labels of the texts."""

    vectorizer: Bag | Union
    X: csr_matrix
    y: TextLabels

    @classmethod
    def of(cls, texts: Sequence[str], y: TextLabels, settings: Settings) -> CountedTexts:
        """Count the terms of texts, for a new model."""
        # Selection adds up counts, exactly; nothing else needs them to be integers.
        vectorizer = pipeline_steps.vectorizer(settings, np.float32 if settings.k is None else np.int64)
        return cls(vectorizer, pipeline_steps.count_terms(texts, vectorizer), y)

    def parted(self, train, test) -> tuple[CountedTexts, csr_matrix]:
        """Return `train` as if only these texts had been counted, and the same terms of `test`."""
        X = self.X[train]
        if X.shape[0] == len(self.y):
            return self, self.X[test]
        frequency = np.bincount(X.indices, minlength=X.shape[1])  # a text has a term once
        terms = np.flatnonzero(frequency >= self.vectorizer.min_df)
        if not len(terms):
            raise pipeline_steps.too_rare_error(self.vectorizer.min_df)
        vectorizer = copy(self.vectorizer).restrict(terms, indices=True)
        return CountedTexts(vectorizer, X[:, terms], self.y[train]), self.X[test][:, terms]

    def terms_elsewhere(self, rows) -> np.ndarray:
        """Return how many terms of each of `rows` a model of the other texts would know, in the first bag."""
        X = self.X[rows]
        frequency = np.bincount(self.X.indices, minlength=X.shape[1])
        X.data = (frequency > self.vectorizer.min_df)[X.indices]
        X.eliminate_zeros()
        return first_terms(self.vectorizer, X)

    def learn(self, settings: Settings, stage: Stages = UNWATCHED, cache: Cache = NO_CACHE) -> LearnedModel:
        """Return a model of these texts: choose alpha, unless it is given, and learn probabilities."""
        choice = left_out = None
        y = self.y.present()
        folds = inner_folds(y, settings.seed)
        if settings.chooses_alpha:
            if folds:
                choose = partial(self.choose, settings, folds, stage)
                choice = AlphaChoice(**cache.get("choose alpha", lambda: vars(choose())))
                left_out = {"rows": choice.rows, "decision": choice.decision}
            settings = replace(settings, alpha=choice and choice.alpha)
        elif folds:
            with stage("calibrate"):
                left_out = cache.get("calibrate", lambda: decisions_of_folds(self.X, y, folds, settings))
        if left_out is not None:
            left_out = LeftOutScores.of(y, settings, **left_out)
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
        vectorizer, X, y, columns = self.vectorizer, self.X, self.y.present().target, None
        selection, weighting = pipeline_steps.selection(settings), pipeline_steps.weighting(settings)
        if selection is not None:
            columns = selection.fit(X, y).get_support(indices=True)
            vectorizer, X = copy(vectorizer).restrict(columns, indices=True), X[:, columns]
        vectorizer.set_params(dtype=np.float32)
        X = X.astype(np.float32, copy=False)
        if weighting is not None:
            X = weighting.fit(X, y).transform(X)
        ratios = weighting if isinstance(weighting, OwnRatios) else None
        estimator = pipeline_steps.classifier(settings, len(self.y))
        pipeline_steps.fit_classifier(estimator, X, y, checkpoint, ratios)
        if left_out is not None:
            left_out.apply(estimator)
        weighting = weighting if ratios is None else ratios.presence
        steps = [("vectorizer", vectorizer), ("weighting", weighting), ("classifier", estimator)]
        model = Pipeline([(name, step) for name, step in steps if step is not None])
        if settings.penalty == "l1":
            kept = np.flatnonzero(estimator.coef_.any(axis=0))
            kept = kept if len(kept) else np.array([0])  # a vectorizer needs a term
            certificate = {name: getattr(estimator, name) for name in ("objective_", "dual_gap_")}
            model = of_terms(model, kept)
            vars(model["classifier"]).update(certificate)
            columns = kept if columns is None else columns[kept]
        return LearnedModel(model, settings, choice, left_out, columns, self.X.shape[1])

    def choose(self, settings: Settings, folds: list[Fold], stage: Stages) -> AlphaChoice:
        """Choose alpha on folds of these texts."""
        is_even = settings.has_norm or settings.method.is_kernel  # the values of a gaussian are up to 1
        alphas = settings.method.alphas or short_alphas(len(self.y), settings.several)
        grid = {"alphas": alphas if is_even else None, "n_alphas": 10, "extensions": EXTENSIONS}
        grid |= {"eps": L1_EPS} if settings.penalty == "l1" else {}
        search, some = pipeline_steps.alpha_search(settings, **grid), self.y.some_labels(MOST_TRIED)
        with stage("choose alpha", total=len(folds)) as advance:
            choice = search.choose(self.X, some, folds, advance)
            if some is not self.y:  # at that alpha, all labels are scored
                one = replace(search, alphas=[choice.alpha], extensions=0).choose(self.X, self.y, folds)
                choice = replace(choice, rows=one.rows, decision=one.decision)
            return choice


class ContinuedModel:
    """New texts for an existing model, in place of `CountedTexts`, with the terms that the model knows.

    The scores of the old model are an additional column beside the terms (or one column per label), and the
    new classifier is trained on all columns. With old weights w0, its weights are ``t w0 + v``. If the new
    texts agree with the old ones, t is enough, at hardly any cost. Differences go into v, which the
    regularisation keeps small. If the old scores are useless, t is near 0. The optimum is certified as usual.

    Parameters
    ----------
    texts : list of str
    y : TextLabels
        Their labels, which the model must have.
    model : Pipeline
        The old model.

    Attributes
    ----------
    counts : CSR matrix
        How often each text has each term of the model.
    weighed : CountedTexts
        The weighed terms, and the scores, divided by `scale`.
    scale : float
        Mean size of the scores.
    """

    def __init__(self, texts: list[str], y: TextLabels, model: Pipeline) -> None:
        for label in sorted(y.label_counts.keys() - set(map(str, model.classes_.tolist()))):
            raise CorpusError(f"the model does not know the label {label!r}; {OTHERWISE}")
        self.model, self.counts = model, model["vectorizer"].transform(texts).astype(np.float32)
        X = weighed(model, self.counts)
        with np.errstate(over="ignore", invalid="ignore"):  # found below
            scores = model["classifier"].decision_function(X).reshape(len(y), -1)
        if not np.isfinite(scores).all():
            raise CorpusError(f"a score is beyond range; {TRAIN_AGAIN}")
        from scipy.sparse import csr_matrix, hstack

        self.scale = float(np.abs(scores).mean(dtype=float)) or 1.0
        X = hstack([X, csr_matrix((scores / self.scale).astype(np.float32))], format="csr")
        self.y = y
        self.weighed = CountedTexts(model["vectorizer"], X, self.y)

    def parted(self, train, test) -> tuple[ContinuedModel, csr_matrix]:
        """Return the texts of `train`, and the counts of `test`; both have all terms of the model."""
        part, known = copy(self), self.model.classes_.tolist()
        part.counts, part.y = self.counts[train], self.y[train]
        part.weighed = self.weighed._replace(X=self.weighed.X[train], y=part.y)
        for label in sorted(set(map(str, known)) - part.y.label_counts.keys()):
            raise CorpusError(f"too few texts of {label!r}, which the model knows; give more of these texts")
        return part, self.counts[test]

    def terms_elsewhere(self, rows) -> np.ndarray:
        """Return how many terms of some texts the model knows, in the first bag."""
        return first_terms(self.model["vectorizer"], self.counts[rows])

    def learn(self, settings: Settings, stage: Stages = UNWATCHED, cache: Cache = NO_CACHE) -> LearnedModel:
        """Return the model after training on these texts; see `CountedTexts.learn`."""
        return self._in_terms(self.weighed.learn(_settings_as_counted(settings), stage, cache), settings)

    def fit(self, settings: Settings, *args, **options) -> LearnedModel:
        """Return the model after a fit to these texts with the alpha of the settings: `CountedTexts.fit`."""
        return self._in_terms(self.weighed.fit(_settings_as_counted(settings), *args, **options), settings)

    def _in_terms(self, learned: LearnedModel, settings: Settings) -> LearnedModel:
        """Return a model of the terms only, over which the weights of the scores are distributed."""
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
    """Return settings without weighting and selection, which the old model has done."""
    return replace(settings, weighting="counts", k=None)


def continued_settings(model: Pipeline, settings: Settings) -> Settings:
    """Return settings with the recipe of a model: SDCA with its loss, or else with the hinge loss."""
    check_linear(model, "--continue")
    if thresholds_of(model) is not None:
        raise AppError(f"a model of several labels per text cannot be trained further; {OTHERWISE}", USAGE)
    names = [name for name, usual in CLASSIFIERS.items() if usual.model == "SDCA"]
    if hasattr(model["classifier"], "squares_"):
        told = "a model whose labels scale texts to different lengths cannot be trained further"
        raise AppError(f"{told}; {OTHERWISE}")
    loss = getattr(model["classifier"], "loss", None)
    same = [name for name in names if CLASSIFIERS[name].parameters["loss"] == loss]
    weighting = model.named_steps.get("weighting")
    ranges = {bag.analyzer == "char_wb": bag.ngram_range for bag in bags_of_model(model)}
    features = {"ngrams": ranges.get(False), "chars": ranges.get(True), "min_df": 1, "k": None}
    features["weighting"] = "counts" if weighting is None else weighting.weighting
    return replace(settings, recipe=None, classifier=(same or names)[0], **features)
