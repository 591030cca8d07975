"""Digits: error against time at growing budgets, and the document's naive and vectorised programs."""

import warnings
from functools import partial

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ..common import aligned, cpu
from .contenders import Contender, chosen, pegasos, reference, sdca, svc, timed
from .digits import folds
from .table import BEST, GAUSSIAN, OWN

G = 2
DRAWS = (100, 300, 1000, 3000, 10_000)
NAIVE_DRAWS = 1000  # more take too long
PASSES = (1, 2, 3, 5, 8, 12, 20, 40, 80)
BUDGETS = (1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000)
STEPS = (10, 30, 100, 300, 1000, 3000)
TOLERANCES = (1.9, 1.0, 0.3, 0.1, 0.01, 1e-3)


def curve(options):
    """Print both tables, and plot them where an output is asked for."""
    budgets, draws = error_against_time(options), time_against_draws(options)
    if options.output:
        options.output.mkdir(parents=True, exist_ok=True)
        plot(options.output / "kernel.png", budgets, draws)
    return {"budgets": budgets, "draws": draws}


def ladders():
    """Each contender at each of its budgets, from small to large: name, budget, maker."""
    document = {"gamma": 1 / (2 * G), "alpha": GAUSSIAN["alpha"]}
    for name, what, budgets, make in (
        ("fastsvm SDCA", "passes", PASSES, lambda k: sdca(**OWN, tol=None, max_iter=k)),
        ("fastsvm Pegasos, g = 2", "draws", BUDGETS, lambda k: pegasos(**document, n_iter=k)),
        ("SVC, steps", "steps a pair", STEPS, lambda k: svc(**BEST, max_iter=k)),
        ("SVC, tolerances", "tol", TOLERANCES, lambda k: svc(**BEST, tol=k)),
    ):
        yield Contender(name, [(f"{what} {k:g}", partial(make, k)) for k in budgets])


def error_against_time(options):
    """Medians of the time and means of the error over the folds, by contender and budget."""
    kept = [
        (c.name, *cell)
        for c in chosen(list(ladders()), options.contenders)
        for cell in c.make[:: 3 if options.quick else 1]
    ]
    figures = {(name, budget): [] for name, budget, _ in kept}
    for X, y, X_new, y_new in folds(options):
        for name, budget, make in kept:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)  # that is what a budget is
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


def time_against_draws(options):
    """CPU seconds of a single binary classifier of 1,000 rows, as in the document's figure 4."""
    X, labels, *_ = folds(options)[0]
    X, y = X[:1000], np.where(labels[:1000] == 0, 1, -1)

    def gaussian(x, z):
        return np.exp(-(np.linalg.norm(x - z) ** 2) / (2 * G))

    def naive(n):
        rng = np.random.default_rng(0)
        reference.naive_kernel_pegasos(X, y, n, GAUSSIAN["alpha"], gaussian, rng)

    def vectorised(n):
        K, rng = reference.document_gram(X, X, g=G), np.random.default_rng(0)
        reference.document_kernel_pegasos(K, y[np.newaxis], n, GAUSSIAN["alpha"], rng)

    def ours(n):
        pegasos(gamma=1 / (2 * G), alpha=GAUSSIAN["alpha"], n_iter=n).fit(X, y)

    programs = {"naive": naive, "vectorised": vectorised, "fastsvm Pegasos": ours}
    if options.contenders and not "fastsvm Pegasos".startswith(tuple(options.contenders)):
        del programs["fastsvm Pegasos"]
    rows = [["draws of 1,000 rows, CPU s", *programs]]
    curves = {name: [] for name in programs}
    for n in DRAWS[: 3 if options.quick else None]:
        row = [f"{n:,}"]
        for name, program in programs.items():
            if name == "naive" and n > NAIVE_DRAWS:
                row.append("-")
                continue
            seconds = np.median(
                [cpu(lambda p=program, n=n: p(n)) for _ in range(1 if name == "naive" else 3)]
            )
            curves[name].append((n, seconds))
            row.append(f"{seconds:.4f}")
        rows.append(row)
    print(aligned(rows), flush=True)
    return curves


def plot(path, budgets, draws):
    """Two panels."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12, 5), layout="constrained")
    errors, times = figure.subplots(1, 2)
    for (name, points), marker in zip(budgets.items(), "osv^", strict=False):
        style = "-" if name.startswith("fastsvm") else "-."
        errors.plot([s for _, s, _ in points], [e for *_, e in points], style, marker=marker, label=name)
    errors.set(xscale="log", yscale="log", xlabel="fit, CPU s", ylabel="error, mean of the folds")
    errors.yaxis.set_major_formatter("{x:g}")
    errors.yaxis.set_minor_formatter("{x:g}")
    errors.set_title("10 digits, 7,438 rows")
    for (name, points), marker in zip(draws.items(), "osv", strict=False):
        times.plot(*zip(*points, strict=True), marker=marker, label=name)
    times.set(xscale="log", yscale="log", xlabel="T, rows drawn", ylabel="fit, CPU s")
    times.set_title("one digit against the rest, 1,000 rows, g = 2")
    for axes in errors, times:
        axes.grid(which="both", color="gainsboro", linewidth=0.6)
        axes.legend()
    figure.savefig(path, dpi=110)
