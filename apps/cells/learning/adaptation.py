"""A classifier for a laboratory that has labelled a few cells.

It learns from these cells and from the training cells of an earlier model. Each of the two sets is
standardised by its own mean and spread over the classes that both have, with equal weights. What remains are
the differences between classes, which hardly depend on stain, camera and scale. Cells without a label do not
help: their classes are unknown, and would move the mean.
"""

from collections.abc import Sequence

import numpy as np

from fastsvm.fitting import SDCA, Pipeline

from ..measuring.cell_features import n_travelling
from .cautious_model import balanced_scaler, balanced_weights
from .model_notes import class_means
from .training_samples import TrainingSamples

ALPHA = 0.1
OWN_WEIGHT = 2.0  # of a class's cells in the laboratory, over that of the others; 1 to 4 give like errors
MIN_SPREAD = 0.25  # of the laboratory's cells, over that of the others: a few may be alike by chance


def fit_adapted_model(others: Sequence[np.ndarray], own: TrainingSamples) -> tuple[Pipeline, np.ndarray]:
    """Fit a model for a laboratory.

    Parameters
    ----------
    others : pair of ndarray
        The features that travel (one row per cell) and the labels of the earlier training cells.
    own : TrainingSamples
        The laboratory's cells.

    Returns
    -------
    model : Pipeline
        The scaler is the laboratory's.
    means : ndarray of shape (n_classes, n_features)
        As `class_means` returns them: of the laboratory's cells, or of the others if it has none of a class.
    """
    labels, rest = others[1], own.X.shape[1] - n_travelling()
    # Features that do not travel are 0, and so get no weight.
    X, own_X = (np.pad(each[:, : n_travelling()], ((0, 0), (0, rest))) for each in (others[0], own.X))
    common, is_common = np.isin(labels, own.y), np.isin(own.y, labels)
    shown = np.append(~common, np.ones(len(own.y), bool))
    if not common.any():
        common[:] = is_common[:] = True
    scaler_of_others = balanced_scaler(X[common], labels[common])
    least = MIN_SPREAD**2 * scaler_of_others.var_
    scaler = balanced_scaler(own_X[is_common], own.y[is_common], least)
    rows = np.vstack([scaler_of_others.transform(X), scaler.transform(own_X)])
    y = np.append(labels, own.y)
    # A class that only one set has gets the same weight.
    weights = np.append(balanced_weights(labels), OWN_WEIGHT * balanced_weights(own.y))
    weights = balanced_weights(y, weights)
    classifier = SDCA(loss="log", alpha=ALPHA, random_state=0)
    classifier.fit(rows, y, weights / weights.mean())
    return Pipeline([("scaler", scaler), ("classifier", classifier)]), class_means(rows[shown], y[shown])
