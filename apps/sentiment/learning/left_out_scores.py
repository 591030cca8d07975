"""Probabilities from every classifier, learned from the decision values of texts that were left out."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_matrix

from fastsvm.fitting import Calibration, ConvergenceWarning

from ..measures.thresholds import threshold_for_metric
from ..text_recipes import RecipeSettings
from . import pipeline_steps
from .alpha_choice import AlphaChoice, fold_part
from .text_splits import Fold


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
        cls, X: csr_matrix, y: np.ndarray, folds: Sequence[Fold], settings: RecipeSettings
    ) -> "LeftOutScores":
        """Train on each fold, with the weight that a text has against the regularisation in all of them."""
        labels, codes = np.unique(y, return_inverse=True)
        decision = np.full((len(y), len(labels)), -np.inf, np.float32)
        for fold in folds:
            part = fold_part(
                X,
                codes,
                labels,
                fold,
                pipeline_steps.selection(settings),
                pipeline_steps.weighting(settings),
                None,
            )
            estimator = pipeline_steps.classifier(settings, len(part.y))
            if hasattr(estimator, "alpha"):
                estimator.set_params(alpha=estimator.alpha / part.share)
            with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
                if part.own is None:
                    estimator.fit(part.X, labels[part.y])
                else:
                    part.own.fit_classifier(estimator, part.X, labels[part.y])
            found = estimator.decision_function(part.X_test)
            found = np.column_stack([-found, found]) if found.ndim == 1 else found
            decision[np.ix_(fold[1], np.searchsorted(labels, estimator.classes_))] = found
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
            found = calibration.probabilities(self.decision)
        if self.decision.ndim > 1:
            found[np.isneginf(self.decision)] = np.nan
        return found

    def apply(self, estimator) -> None:
        """Give a fitted classifier the calibration, and with two labels the shift."""
        if len(estimator.classes_) == 2:
            intercept = estimator.intercept_
            estimator.intercept_ = intercept - np.float32(self.shift)
        estimator.calibration_ = self.calibration(estimator.classes_)
