"""A second, cautious model for images unlike those of training: another stain, camera or laboratory.

It learns from the cells of several laboratories, with equal weights, and from versions of them with other
stains, by the features that travel. It consists of two linear models: one of shapes and of colours relative
to the cell's nucleus, the other also of the colours of the whole cell. A cell gets a label only if both are
sure. Two kinds of cells lose it: cells with finer structure than all training cells (of a held-out laboratory
with such a camera, half of the labels were wrong at any score), and cells that may be of a class that the
first model does not know.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from fastsvm.fitting import SDCA, Scaler

from ..measuring.cell_features import GROUPS, columns_of, n_travelling
from .calibration import least_score

if TYPE_CHECKING:
    from .training_samples import TrainingSamples

# Figures are from leaving out one laboratory at a time: the share of its cells that gets a label, and of
# these labels the share that is wrong.
ALPHA = 0.1  # with 0.05 to 0.2 as many are wrong where as many get a label
# The lowest score of a label: 0.53 of the cells got one, and 0.037 of these were wrong. What is added for an
# image alone, whose scale is less sure: 0.47 and 0.026, without it 0.56 and 0.055.
MIN_SCORE, MORE_ALONE = 0.55, 0.05
VERSIONS_WEIGHT = 3.0  # of all versions of a cell, over that of the cell
MAX_DEVIATION = 4.0  # standard deviations; larger ones count as this
# Structure is too fine if more than this share of its features is more than TOO_FINE deviations off.
TOO_FINE, FINE_SHARE = 3.0, 0.2
MAX_OTHER = 0.25  # the probability, in either model, of a class that the first model does not know
REFUSED = 0.1  # what the scores of such cells are multiplied by: they get a label only where every cell does
MODEL_DIGITS = 5  # of the numbers of a model, which its file holds as text
_round_for_file = np.vectorize(lambda value: float(f"{value:.{MODEL_DIGITS}g}"))


@dataclass(frozen=True, eq=False)
class CautiousModel:
    """Two linear models, one against the rest.

    Attributes
    ----------
    classes : tuple of str
    center, scale : ndarray of shape (n_travelling,)
        Mean and standard deviation of each feature.
    coef : ndarray of shape (2, n_classes, n_travelling)
        The first model has 0 for colours of the whole cell.
    intercept : ndarray of shape (2, n_classes)
    min_score : float
        The lowest score of a label.
    """

    classes: tuple[str, ...]
    center: np.ndarray
    scale: np.ndarray
    coef: np.ndarray
    intercept: np.ndarray
    min_score: float = MIN_SCORE

    def scores(self, X: np.ndarray, classes: Sequence[str]) -> np.ndarray:
        """Return the lower of two probabilities of each class per row; 0 for a class that it does not know.

        Parameters
        ----------
        X : ndarray of shape (n, n_features)
        classes : sequence of str
            Those of the first model.
        """
        rows = (X[:, : len(self.center)] - self.center) / self.scale
        rows = np.clip(rows, -MAX_DEVIATION, MAX_DEVIATION)
        odds = np.einsum("ij,kcj->kic", rows, self.coef) + self.intercept[:, None]
        chances = np.exp(-np.logaddexp(0, -odds))
        chances /= np.maximum(chances.sum(axis=2, keepdims=True), 1e-300)
        known = np.isin(self.classes, classes)
        is_other = (chances[..., ~known] > MAX_OTHER).any(axis=(0, 2))
        lower = chances.min(axis=0)
        is_other |= ~known[lower.argmax(axis=1)]
        of_label = dict(zip(self.classes, lower.T, strict=True))
        scores = np.column_stack([of_label.get(label, np.zeros(len(X))) for label in classes])
        scores[is_other | self.is_too_fine(X)] *= REFUSED
        return scores

    def is_too_fine(self, X: np.ndarray) -> np.ndarray:
        """Return for each row whether the cell has finer structure than the training cells."""
        grains = columns_of("ratio_grain_")
        deviations = np.abs(X[:, grains] - self.center[grains]) / self.scale[grains]
        return (deviations > TOO_FINE).mean(axis=1) > FINE_SHARE


def fit_cautious_model(laboratories: Sequence["TrainingSamples"], seed: int) -> CautiousModel:
    """Fit a cautious model, with equal weights of laboratories and of classes."""
    X = np.concatenate([each.stained[:, : n_travelling()] for each in laboratories]).astype(float)
    y = np.concatenate([each.y for each in laboratories])
    weights = balanced_weights(y, np.concatenate([_weights_within(each) for each in laboratories]))
    scaler = balanced_scaler(X, y, weights=weights)
    rows = np.clip((X - scaler.mean_) / scaler.scale_, -MAX_DEVIATION, MAX_DEVIATION).astype(np.float32)
    coef, intercept = [], []
    for columns in (columns_of(*GROUPS[:3]), np.arange(rows.shape[1])):
        fitted = SDCA(loss="log", alpha=ALPHA, random_state=seed)
        fitted.fit(np.ascontiguousarray(rows[:, columns]), y, weights / weights.mean())
        own, constant = np.asarray(fitted.coef_, float), np.ravel(fitted.intercept_)
        if len(fitted.classes_) == 2:  # one row serves both
            own, constant = np.vstack([-own, own]), np.append(-constant, constant)
        coef.append(np.zeros((len(own), rows.shape[1])))
        coef[-1][:, columns] = own
        intercept.append(constant)
    numbers = scaler.mean_, scaler.scale_, np.array(coef), np.array(intercept)
    return CautiousModel(tuple(map(str, fitted.classes_)), *map(_round_for_file, numbers))


def _weights_within(samples: "TrainingSamples") -> np.ndarray:
    """Return weights of a laboratory's rows, such that those of each class sum to 1."""
    n_versions = np.count_nonzero(samples.is_version)
    of_version = VERSIONS_WEIGHT * (len(samples.y) - n_versions) / max(n_versions, 1)
    return balanced_weights(samples.y, np.where(samples.is_version, of_version, 1.0))


def tried(
    model: CautiousModel, samples: "TrainingSamples", classes: Sequence[str]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the best score of each cell of another laboratory, whether it is right, and the class."""
    images = samples.rows(~samples.is_version)
    scores = model.scores(images.X, classes)
    return scores.max(axis=1), np.array(classes)[scores.argmax(axis=1)] == images.y, images.y


def calibrated_cautious_model(
    laboratories: Sequence["TrainingSamples"], classes: Sequence[str], seed: int
) -> CautiousModel:
    """Fit a cautious model; from three laboratories on, those left out give the lowest score of a label."""
    model = fit_cautious_model(laboratories, seed)
    if len(laboratories) < 3:
        return model
    score, right, weight = [], [], []
    for left_out in laboratories:
        others = fit_cautious_model([each for each in laboratories if each is not left_out], seed)
        best, is_right, y = tried(others, left_out, classes)
        counted = np.isin(y, classes)
        score.append(best[counted])
        right.append(is_right[counted])
        weight.append(np.full(counted.sum(), 1 / counted.sum()))
    score, right, weight = map(np.concatenate, (score, right, weight))
    return replace(model, min_score=max(MIN_SCORE, round(least_score(score, ~right, weight), 2)))


def balanced_weights(y: np.ndarray, weights: np.ndarray | float = 1.0) -> np.ndarray:
    """Return weights of the rows in proportion to those given, such that those of each class sum to 1."""
    number = np.unique(y, return_inverse=True)[1]
    weights = np.broadcast_to(weights, y.shape)
    return weights / np.bincount(number, weights)[number]


def balanced_scaler(
    X: np.ndarray, y: np.ndarray, least: np.ndarray | float = 0.0, weights: np.ndarray | float = 1.0
) -> Scaler:
    """Return a scaler of rows, all classes counting the same; no variance is smaller than `least`."""
    shares = balanced_weights(y, weights) / len(np.unique(y))
    scaler = Scaler().fit(X)
    scaler.mean_ = shares @ X.astype(float)
    scaler.var_ = np.maximum(shares @ (X - scaler.mean_) ** 2, least)
    scaler.scale_ = np.sqrt(np.where(scaler.var_ > 1e-18 * (1 + scaler.mean_**2), scaler.var_, 1))
    return scaler
