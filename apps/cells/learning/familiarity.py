"""Whether the cells of a folder are of the kind that a model has learned from.

The colours of the cells tell: their means over the folder are compared with the nearest mix of the means over
the classes, so that a folder of lymphocytes is as familiar as one with all classes.
"""

import numpy as np
from scipy.optimize import nnls

from ..measuring.cell_features import feature_names

# Standard deviations; a value beyond counts as this. Rare colours vary so little in training that one cell
# of another stain would decide by itself.
MAX_DEVIATION = 4.0
# Root mean square of the means' distances, in standard deviations, up to which cells are familiar: of many
# cells, and what a single cell adds. Of 10 cells left out of training, mixed or of one class, under twelve
# conditions, the worst had 0.32 (5: 0.60, 20: 0.28); of 10 cells of another laboratory the least was 0.89.
SHIFT, SHIFT_OF_ONE = 0.3, 1.0
SUM_WEIGHT = 100.0  # weight of the equation that the shares of a mix sum to 1


def is_familiar(Z: np.ndarray, means: np.ndarray, noise: float = 0.0) -> bool:
    """Return whether cells are of the kind that a model has learned from.

    Parameters
    ----------
    Z : ndarray of shape (n, n_features)
        Their features, standardised as the model's; n is at least 1.
    means : ndarray of shape (n_classes, n_features)
        Of the cells of each class in training, as `class_means` returns them.
    noise : float, default=0
        What the limit gets for the chance in the means themselves, as of `mean_noise`.
    """
    return colour_shift(Z, means) <= np.hypot(np.hypot(SHIFT, noise), mean_noise(len(Z)))


def mean_noise(n: float) -> float:
    """Return how far the mean of n cells may be from that of all of their kind."""
    return SHIFT_OF_ONE / n**0.5


def colour_shift(Z: np.ndarray, means: np.ndarray) -> float:
    """Return how far the mean colours of cells are from the nearest mix of the classes' mean colours."""
    colours = [k for k, name in enumerate(feature_names()) if name.startswith("colour_")]
    mean, means = _clipped(Z[:, colours]).mean(axis=0), np.asarray(means)[:, colours]
    equations = np.vstack([means.T, np.full(len(means), SUM_WEIGHT)])
    shares, _ = nnls(equations, np.append(mean, SUM_WEIGHT))
    return float(np.sqrt(np.mean((mean - shares @ means) ** 2)))


def class_means(Z: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the mean of each feature (columns) over the cells of each class (rows)."""
    return np.array([_clipped(Z[y == label]).mean(axis=0) for label in np.unique(y)])


def _clipped(Z: np.ndarray) -> np.ndarray:
    return np.clip(Z, -MAX_DEVIATION, MAX_DEVIATION)
