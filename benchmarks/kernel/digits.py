"""The digits: 9,298 x 256, in five folds."""

import numpy as np
from sklearn.model_selection import StratifiedKFold


def folds(options):
    """Rows and labels to learn, and to predict, of each fold."""
    data = np.load(options.data / "usps.npz")
    X, y = data["X"], data["y"].astype(np.int64)
    splits = list(StratifiedKFold(5, shuffle=True, random_state=0).split(X, y))
    return [(X[train], y[train], X[test], y[test]) for train, test in splits[: 2 if options.quick else 5]]
