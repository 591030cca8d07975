"""A classifier for a laboratory that has labelled a handful of cells.

It learns from these cells and from those that a model has learned from before. Each kind is standardised by
its own mean and spread, over the classes that both have, which all count the same: what remains is how the
classes differ, and that hardly depends on stain, camera and scale. Cells without a label are no help: which
classes they are of is unknown, and would move the mean.
"""

from collections.abc import Sequence

import numpy as np

from fastsvm.fitting import SDCA, Pipeline

from ..measuring.cell_features import n_travelling
from .cautious_model import balanced_scaler, balanced_weights
from .model_notes import class_means
from .training_samples import TrainingSamples

ALPHA = 0.1
OWN_WEIGHT = 2.0  # of a class' cells in the laboratory, over that of the others; from 1 to 4 errors are alike
MIN_SPREAD = 0.25  # of the laboratory's cells, over that of the others: a few may be alike by chance


def fit_adapted_model(others: Sequence[np.ndarray], own: TrainingSamples) -> tuple[Pipeline, np.ndarray]:
    """Fit a model for a laboratory.

    Parameters
    ----------
    others : pair of ndarray
        The features that travel, a row each, and the labels of cells that were known before.
    own : TrainingSamples
        The laboratory's cells.

    Returns
    -------
    model : Pipeline
        The scaler is the laboratory's.
    means : ndarray of shape (n_classes, n_features)
        As of `class_means`: of the laboratory's cells, or of the others where it has none of a class.
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
    # A class that only one kind has counts as much.
    weights = np.append(balanced_weights(labels), OWN_WEIGHT * balanced_weights(own.y))
    weights = balanced_weights(y, weights)
    classifier = SDCA(loss="log", alpha=ALPHA, random_state=0)
    classifier.fit(rows, y, weights / weights.mean())
    return Pipeline([("scaler", scaler), ("classifier", classifier)]), class_means(rows[shown], y[shown])
