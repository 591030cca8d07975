"""A second, cautious model for cells unlike those of training: another stain, camera or laboratory.

It learns from shapes, and from colours and textures relative to the cell's own nucleus: they hardly change
with the stain. It is strongly regularised, all classes count the same, and it labels only what it is very
sure of.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from fastsvm.fitting import SDCA, Scaler

from ..measuring.cell_features import feature_names
from .calibration import CellCalibration, calibrate_scores

if TYPE_CHECKING:
    from .training_samples import TrainingSamples

STAIN_INVARIANT = ("nucleus_", "cell_", "ratio_")
# Trained on photographs of one laboratory, the error on 291 cells of another was 0.22 for any from 0.03 to 1.
ALPHA = 0.1
# Share of the labels that may be wrong on versions of other originals. Other laboratories are harder: there
# 3 % of the labels were wrong.
WANTED_ERROR = 0.01
MODEL_DIGITS = 5  # of the numbers of a model, which its file holds as text


def stain_invariant_columns() -> np.ndarray:
    """Return the columns of the features that hardly change with the stain."""
    return np.flatnonzero([name.startswith(STAIN_INVARIANT) for name in feature_names()])


@dataclass(frozen=True, eq=False)
class CautiousModel:
    """A linear model of the features of `stain_invariant_columns`, one against the rest.

    Attributes
    ----------
    center, scale : ndarray of shape (n_features,)
        Mean and standard deviation of each feature, all classes counting the same.
    coef : ndarray of shape (n_classes, n_features)
    intercept : ndarray of shape (n_classes,)
    calibration : CellCalibration
    """

    center: np.ndarray
    scale: np.ndarray
    coef: np.ndarray
    intercept: np.ndarray
    calibration: CellCalibration = field(default_factory=CellCalibration)

    def raw_probabilities(self, X: np.ndarray) -> np.ndarray:
        """Return the scores of the classes for each row of all features, as they come."""
        decision = (X[:, stain_invariant_columns()] - self.center) / self.scale @ self.coef.T + self.intercept
        chances = np.exp(-np.logaddexp(0, -decision))
        return chances / np.maximum(chances.sum(axis=1, keepdims=True), 1e-300)

    def probabilities(self, X: np.ndarray) -> np.ndarray:
        """Return calibrated probabilities."""
        return self.calibration.calibrated(self.raw_probabilities(X))


def fit_cautious_model(samples: "TrainingSamples", seed: int) -> CautiousModel:
    """Fit a cautious model; its scores are not calibrated yet."""
    X = samples.X[:, stain_invariant_columns()].astype(float)
    scaler, weights = balanced_scaler(X, samples.y), balanced_weights(samples.y)
    Z = ((X - scaler.mean_) / scaler.scale_).astype(np.float32)
    fitted = SDCA(loss="log", alpha=ALPHA, random_state=seed).fit(Z, samples.y, weights / weights.mean())
    coef, intercept = np.asarray(fitted.coef_, float), np.ravel(fitted.intercept_)
    if len(fitted.classes_) == 2:  # one row serves both
        coef, intercept = np.vstack([-coef, coef]), np.append(-intercept, intercept)
    return CautiousModel(scaler.mean_, scaler.scale_, coef, intercept)


def balanced_weights(y: np.ndarray) -> np.ndarray:
    """Return a weight of each row, such that those of a class sum to 1."""
    number = np.unique(y, return_inverse=True)[1]
    return 1 / np.bincount(number)[number]


def balanced_scaler(X: np.ndarray, y: np.ndarray, least: np.ndarray | float = 0.0) -> Scaler:
    """Return a scaler of rows, all classes counting the same; no variance is smaller than `least`."""
    shares = balanced_weights(y) / len(np.unique(y))
    scaler = Scaler().fit(X)
    scaler.mean_ = shares @ X.astype(float)
    scaler.var_ = np.maximum(shares @ (X - scaler.mean_) ** 2, least)
    scaler.scale_ = np.sqrt(np.where(scaler.var_ > 1e-18 * (1 + scaler.mean_**2), scaler.var_, 1))
    return scaler


def calibrated_cautious_model(
    samples: "TrainingSamples", parts: list[np.ndarray], seed: int
) -> CautiousModel:
    """Fit a cautious model, and learn from those of the folds which scores are enough for a label."""
    truth = np.unique(samples.y, return_inverse=True)[1]
    scores = samples.held_out_scores(
        parts, lambda k, others, X: fit_cautious_model(others, seed).raw_probabilities(X)
    )
    calibration = calibrate_scores(scores, truth, samples.shares, parts, WANTED_ERROR)
    fitted = fit_cautious_model(samples, seed)
    arrays = {
        name: _round_for_file(getattr(fitted, name)) for name in ("center", "scale", "coef", "intercept")
    }
    return CautiousModel(**arrays, calibration=calibration)


def _round_for_file(values: np.ndarray) -> np.ndarray:
    return np.vectorize(lambda value: float(f"{value:.{MODEL_DIGITS}g}"))(values)
