"""Digits: error against time at growing budgets."""

import warnings
from functools import partial

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ..common import aligned
from .contenders import Contender, chosen, pegasos, sdca, svc, timed
from .table import BEST, GAUSSIAN, OWN, folds

PASSES = (1, 2, 3, 5, 8, 12, 20, 40, 80)
BUDGETS = (1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000)
STEPS = (10, 30, 100, 300, 1000, 3000)
TOLERANCES = (1.9, 1.0, 0.3, 0.1, 0.01, 1e-3)


def ladders():
    """Each contender at each of its budgets, from small to large: name, budget, maker."""
    for name, what, budgets, make in (
        ("fastsvm SDCA", "passes", PASSES, lambda k: sdca(**OWN, tol=None, max_iter=k)),
        ("fastsvm Pegasos, g = 2", "draws", BUDGETS, lambda k: pegasos(**GAUSSIAN | {"n_iter": k})),
        ("SVC, steps", "steps a pair", STEPS, lambda k: svc(**BEST, max_iter=k)),
        ("SVC, tolerances", "tol", TOLERANCES, lambda k: svc(**BEST, tol=k)),
    ):
        yield Contender(name, [(f"{what} {k:g}", partial(make, k)) for k in budgets])


def curve(options):
    """Medians of the time and means of the error over the folds, by contender and budget."""
    kept = [
        (c.name, *cell)
        for c in chosen(list(ladders()), options.contenders)
        for cell in c.make[:: 3 if options.quick else 1]
    ]
    figures = {(name, budget): [] for name, budget, _ in kept}
    for X, y, X_new, y_new in folds(options):
        for name, budget, make in kept:
            # They are what a budget is.
            with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
                times = timed(make(), X, y, X_new)
            figures[name, budget].append((times.fit, np.mean(times.labels != y_new)))
    rows = [["", "budget", "fit, CPU s", "error"]]
    curves = {}
    for (name, budget), values in figures.items():
        seconds, error = np.median([s for s, _ in values]), np.mean([e for _, e in values])
        rows.append([name, budget, f"{seconds:.3f}", f"{error:.4f}"])
        curves.setdefault(name, []).append((budget, float(seconds), float(error)))
    print(aligned(rows), flush=True)
    return curves
