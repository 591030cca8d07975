"""Digits: errors of five folds, and the time that each fold takes."""

from functools import partial

import numpy as np
from sklearn.model_selection import StratifiedKFold

from ..common import aligned, spread, usps
from .contenders import Contender, Libsvm, chosen, pegasos, sdca, svc, timed

# SVC's best, by the errors of these folds, of C = 1, 3, 10, 30, 100 and gamma from .01 to .06.
BEST = {"C": 3, "gamma": 0.025}
# The best of C = 5, 10, 30 and gamma = .025, .04; four folds have 7,438 rows.
OWN = {"gamma": 0.04, "alpha": 1 / (5 * 7438)}
CUBIC = {"kernel": "poly", "gamma": 1, "coef0": 1, "degree": 3, "n_iter": 50_000, "alpha": 1}
GAUSSIAN = {"gamma": 1 / 4, "n_iter": 25_000, "alpha": 1e-5}  # g = 2

CONTENDERS = (
    Contender("fastsvm SDCA", partial(sdca, **OWN, tol=1e-2)),
    Contender("SVC", partial(svc, **BEST)),
    Contender(
        "LIBSVM", partial(Libsvm, "-t 2 -c {C} -g {gamma}".format(**BEST)), "libsvm", "libsvm-official"
    ),
    Contender("fastsvm Pegasos, degree 3", partial(pegasos, **CUBIC)),
    Contender("fastsvm Pegasos, g = 2", partial(pegasos, **GAUSSIAN)),
)


def folds(options):
    """Rows and labels to learn, and to predict, of each of five folds of 9,298 digits."""
    X, y = usps(options.data)
    splits = list(StratifiedKFold(5, shuffle=True, random_state=0).split(X, y))
    return [(X[train], y[train], X[test], y[test]) for train, test in splits[: 2 if options.quick else 5]]


def table(options):
    """Fit and predict each fold, the contenders one after the other; print medians over the folds."""
    contenders = chosen(CONTENDERS, options.contenders)
    figures = {c.name: {"error": [], "fit": [], "system": [], "predict": []} for c in contenders}
    data = folds(options)
    for c in contenders:  # what a first call imports and allocates is nobody's time
        timed(c.make(), *(part[:500] for part in data[0][:3]))
    for X, y, X_new, y_new in data:
        for c in contenders:
            times = timed(c.make(), X, y, X_new)
            figures[c.name]["error"].append(float(np.mean(times.labels != y_new)))
            for task in "fit", "system", "predict":
                figures[c.name][task].append(getattr(times, task))
    rows = [["", "error", "fit, CPU s", "of it system", "times ours", "predict, CPU s", "times ours"]]
    for c in contenders:
        of, ours = figures[c.name], figures.get(CONTENDERS[0].name)
        row = [c.name, f"{np.mean(of['error']):.4f}"]
        for task in "fit", "predict":
            times = spread(np.divide(of[task], ours[task])).strip() if ours else ""
            system = [spread(of["system"]).strip()] if task == "fit" else []
            row += [spread(of[task]).strip(), *system, times]
        rows.append(row)
    print(aligned(rows))
    return figures
