"""Probabilities from every classifier, and how far they can be trusted."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_matrix

from fastsvm.fitting import Calibration, ConvergenceWarning

from ..measures.metrics import best_threshold
from ..settings import Settings
from . import steps
from .alpha_choice import Choice, Fold, part_of

BINS = 15  # of as many texts each


@dataclass(frozen=True)
class LeftOut:
    """Decision values of texts by models that had not seen them; -inf for a label unknown to the model.

    They were lowered by `shift`, as those of the model that is made with them are to be.
    """

    classes: np.ndarray
    y: np.ndarray
    decision: np.ndarray
    shift: float = 0.0

    @classmethod
    def of_choice(cls, choice: Choice, y: np.ndarray) -> "LeftOut":
        """Take those that were computed while alpha was chosen."""
        return cls(np.unique(y), y[choice.rows], choice.decision)

    @classmethod
    def of_folds(cls, X: csr_matrix, y: np.ndarray, folds: Sequence[Fold], settings: Settings) -> "LeftOut":
        """Train on each fold, with the weight that a text has against the regularisation in all of them."""
        labels, codes = np.unique(y, return_inverse=True)
        decision = np.full((len(y), len(labels)), -np.inf, np.float32)
        for fold in folds:
            part = part_of(X, codes, labels, fold, steps.selection(settings), steps.weighting(settings), None)
            estimator = steps.classifier(settings)
            if hasattr(estimator, "alpha"):
                estimator.set_params(alpha=estimator.alpha / part.share)
            with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
                estimator.fit(part.X, labels[part.y])
            found = estimator.decision_function(part.X_test)
            found = np.column_stack([-found, found]) if found.ndim == 1 else found
            decision[np.ix_(fold[1], np.searchsorted(labels, estimator.classes_))] = found
        tried = np.concatenate([test for _, test in folds])
        return cls(labels, y[tried], decision[tried, 1] if len(labels) == 2 else decision[tried])

    def shifted(self, metric: str | None) -> "LeftOut":
        """Return them such that giving the second of two labels from 0 on is best by a metric."""
        if metric is None or len(self.classes) > 2:
            return self
        calibration = self.calibration(self.classes)
        if not calibration.slopes[0]:
            return self
        likely = calibration.probabilities(self.decision)[:, 1]
        shift = best_threshold(metric, self.decision, likely)
        return replace(self, decision=self.decision - np.float32(shift), shift=shift)

    def calibration(self, classes: np.ndarray) -> Calibration:
        """Return the calibration of a model of these classes or more."""
        decision = self.decision
        if len(classes) > len(self.classes):
            known = np.column_stack([-decision, decision]) if decision.ndim == 1 else decision
            decision = np.full((len(self.y), len(classes)), -np.inf)
            decision[:, np.searchsorted(classes, self.classes)] = known
        return Calibration.fit(decision, self.y, classes)


@dataclass(frozen=True)
class CalibrationError:
    """How far probabilities are from what is true.

    Attributes
    ----------
    value : float
        Mean over `BINS` groups of as many texts each, sorted by probability, of the distance between the mean
        probability and the share of texts with the label: the second of two, the most probable of more.
    by_chance : float
        What the right probabilities would have, for there are only so many texts.
    """

    value: float
    by_chance: float


def calibration_error(
    classes: np.ndarray, labels: Sequence[str], probabilities: np.ndarray
) -> CalibrationError:
    """Return the expected calibration error (Naeini, Cooper & Hauskrecht, AAAI 2015) on labelled texts."""
    y = np.asarray(labels, dtype=object)
    if len(classes) == 2:
        sure, is_it = probabilities[:, 1], y == str(classes[1])
    else:
        best = probabilities.argmax(axis=1)
        sure, is_it = probabilities.max(axis=1), y == classes.astype(str).astype(object)[best]
    groups = np.array_split(np.argsort(sure, kind="stable"), min(BINS, len(y)))
    value = sum(abs(float(np.sum(sure[group] - is_it[group]))) for group in groups) / len(y)
    # The mean of a normal deviate's absolute value is sqrt(2 / pi) standard deviations.
    spread = sum(np.sqrt(2 / np.pi * np.sum(sure[group] * (1 - sure[group]))) for group in groups)
    return CalibrationError(value, float(spread) / len(y))
