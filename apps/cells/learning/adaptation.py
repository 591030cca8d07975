"""A classifier for a laboratory that has labelled a handful of cells.

It learns from these cells and from those that a model has learned from before. Each kind is standardised by
its own mean and spread, over the classes that both have, which all count the same: what remains is how the
classes differ, and that hardly depends on stain, camera and scale. Cells without a label are no help: which
classes they are of is unknown, and would move the mean.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fastsvm.fitting import SDCA, Pipeline

from .cautious_model import CautiousModel, balanced_scaler, balanced_weights, stain_invariant_columns
from .familiarity import class_means
from .training_samples import TrainingSamples

ALPHA = 0.1
OWN_WEIGHT = 2.0  # of a class' cells in the laboratory, over that of the others; from 1 to 4 errors are alike
# What features that change with the stain are multiplied by. With 10 cells a class, the error on the rest of
# two laboratories was 0.109 and 0.022 with 1, 0.099 and 0.028 with 0.5, 0.103 and 0.039 with 0.
DAMPING = 0.5
MIN_SPREAD = 0.25  # of the laboratory's cells, over that of the others: a few may be alike by chance
NO_DECISION = -30.0  # decision of a class that a model does not know


def fit_adapted_model(others: Sequence[np.ndarray], own: TrainingSamples) -> tuple[Pipeline, np.ndarray]:
    """Fit a model for a laboratory.

    Parameters
    ----------
    others : pair of ndarray
        The features, a row each, and the labels of cells that were known before.
    own : TrainingSamples
        The laboratory's cells.

    Returns
    -------
    model : Pipeline
        The scaler is the laboratory's.
    means : ndarray of shape (n_classes, n_features)
        As of `class_means`: of the laboratory's cells, or of the others where it has none of a class.
    """
    X, labels = others
    common, is_common = np.isin(labels, own.y), np.isin(own.y, labels)
    shown = np.append(~common, np.ones(len(own.y), bool))
    if not common.any():
        common[:] = is_common[:] = True
    scaler_of_others = balanced_scaler(X[common], labels[common])
    least = MIN_SPREAD**2 * scaler_of_others.var_
    scaler = balanced_scaler(own.X[is_common], own.y[is_common], least)
    rows = np.vstack([scaler_of_others.transform(X), scaler.transform(own.X)])
    y = np.append(labels, own.y)
    weights = np.append(balanced_weights(labels), OWN_WEIGHT * balanced_weights(own.y))
    number = np.unique(y, return_inverse=True)[1]
    weights /= np.bincount(number, weights)[number]  # a class that only one kind has counts as much
    damping = np.full(rows.shape[1], DAMPING, np.float32)
    damping[stain_invariant_columns()] = 1
    classifier = SDCA(loss="log", alpha=ALPHA, random_state=0)
    classifier.fit(rows * damping, y, weights / weights.mean())
    classifier.coef_ *= damping  # as for features that are not damped
    return Pipeline([("scaler", scaler), ("classifier", classifier)]), class_means(rows[shown], y[shown])


def with_classes(cautious: CautiousModel, known: np.ndarray, classes: np.ndarray) -> CautiousModel:
    """Return a cautious model with more classes than it knows, which it never gives."""
    coef, intercept = np.zeros((len(classes), cautious.coef.shape[1])), np.full(len(classes), NO_DECISION)
    places = np.searchsorted(classes, known)
    coef[places], intercept[places] = cautious.coef, cautious.intercept
    return replace(cautious, coef=coef, intercept=intercept)
