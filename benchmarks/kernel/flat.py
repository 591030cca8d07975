"""Two sets in the plane: accuracy over random splits, and the time of a fit."""

import warnings
from functools import partial

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split

from ..common import aligned, cpu, spread
from .contenders import Contender, chosen, pegasos, sdca, svc

WIDTHS = {"gamma": [0.03, 0.1, 0.3, 1, 3]}
ALPHAS = {"alpha": [1e-4, 1e-3, 1e-2]}
FOLDS = StratifiedKFold(10, shuffle=True, random_state=0)
GRIDS = {"SVC": {"C": [1, 10, 100]}}
CONTENDERS = (
    Contender("fastsvm SDCA", sdca),
    Contender("fastsvm Pegasos, T = 10,000", partial(pegasos, n_iter=10_000)),
    Contender("SVC", svc),
)


def flat(options):
    """80/20, gamma and alpha chosen by 10 folds of the 80, then a timed fit; 40 random splits."""
    print("gamma and alpha by 10-fold cross-validation inside each training part")
    figures, rows = {}, [["", "", "accuracy, mean", "least", "a fit, CPU ms"]]
    for name in "flame", "jain":
        table = np.loadtxt(options.data / f"{name}.csv", delimiter=",", skiprows=1)
        X, y = table[:, :2], table[:, 2].astype(np.int64)
        for c in chosen(CONTENDERS, options.contenders):
            accuracies, seconds = [], []
            for seed in range(5 if options.quick else 40):
                X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.2, random_state=seed)
                grid = WIDTHS | GRIDS.get(c.name, ALPHAS)
                search = GridSearchCV(c.make(), grid, cv=FOLDS, refit=False)
                # Corners of the grid may take long.
                with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
                    search.fit(X_train, y_train)
                model = c.make(**search.best_params_)
                seconds.append(cpu(lambda m=model, X=X_train, y=y_train: m.fit(X, y)))
                accuracies.append(model.score(X_test, y_test))
            figures[f"{name}, {c.name}"] = {"accuracy": accuracies, "fit": seconds}
            accuracy = f"{np.mean(accuracies):.4f}", f"{np.min(accuracies):.4f}"
            rows.append([name, c.name, *accuracy, spread(seconds, 1e3).strip()])
    print(aligned(rows))
    return figures
