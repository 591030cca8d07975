"""Digits: the whole grid of the document, errors of Pegasos by kernel, lambda and T; on all cores."""

import os
import time

import numpy as np
from sklearn.model_selection import StratifiedKFold

from fastsvm import kernel_pegasos_grid

from ..common import aligned
from ..machine import ALLOWED

POLYNOMIALS = {f"degree {n}": {"kernel": "poly", "gamma": 1, "coef0": 1, "degree": n} for n in (2, 3, 4, 7)}
GAUSSIANS = {f"g = {g}": {"kernel": "rbf", "gamma": 1 / (2 * g)} for g in (0.25, 0.75, 2)}
KERNELS = POLYNOMIALS | GAUSSIANS
LAMBDAS = (1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10)
STEPS = (1000, 5000, 10_000, 25_000, 50_000)
REPORTED = {  # in the document
    "degree 3, T 50,000, lambda 1": (0.0265, "degree 3", 50_000, 1),
    "g = 2, T 25,000, lambda 1e-05": (0.027, "g = 2", 25_000, 1e-5),
    "g = 2, T 1,000, lambda 1e-05": (0.070, "g = 2", 1000, 1e-5),
}


def grid(options):
    """Print a table a kernel, and plot them where an output is asked for."""
    data = np.load(options.data / "usps.npz")
    folds = list(StratifiedKFold(5, shuffle=True, random_state=0).split(data["X"], data["y"]))
    pinned = os.sched_getaffinity(0) if ALLOWED else None
    if ALLOWED:
        os.sched_setaffinity(0, ALLOWED)
    wall, cpu = time.perf_counter(), time.process_time()
    found = kernel_pegasos_grid(
        *(data["X"], data["y"]),
        kernels=list(KERNELS.values()),
        alphas=LAMBDAS,
        n_iters=STEPS[:2] if options.quick else STEPS,
        cv=folds[:2] if options.quick else folds,
        n_jobs=-1,
        random_state=0,
    )
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    if ALLOWED:
        os.sched_setaffinity(0, pinned)
    steps = found["seconds"][:, :, -1].sum()
    print(f"{found.size} errors in {wall:.0f} s, {cpu:.0f} s of CPU, {steps:.0f} s of it for steps; ", end="")
    print(f"{len(ALLOWED) or os.cpu_count()} cores")
    errors = dict(zip(KERNELS, found["error"].mean(axis=-1), strict=True))
    steps = found["n_iter"][0, 0, :, 0].tolist()
    for name, of_kernel in errors.items():
        rows = [[f"{name}, T", *(f"lambda {each:g}" for each in LAMBDAS)]]
        rows += [[f"{t:,}", *(f"{e:.4f}" for e in of_kernel[:, k])] for k, t in enumerate(steps)]
        print(f"\n{aligned(rows)}")
    print()
    for name, (error, kernel, t, alpha) in REPORTED.items():
        if t in steps:
            ours = errors[kernel][LAMBDAS.index(alpha), steps.index(t)]
            print(f"{name}: {ours:.4f}, in the document {error:.4f}")
    if options.output:
        options.output.mkdir(parents=True, exist_ok=True)
        plot(options.output / "kernel_grid.png", errors, steps)
    table = {name: found[name].ravel().tolist() for name in found.dtype.names}
    return {"wall": wall, "cpu": cpu, "grid": table}


def plot(path, errors, steps):
    """A panel a kernel: error against lambda, a line for each T."""
    from matplotlib import colormaps
    from matplotlib.figure import Figure

    figure = Figure(figsize=(14, 7), layout="constrained")
    panels = figure.subplots(2, 4, sharex=True, sharey=True).ravel()
    colours = colormaps["viridis"](np.linspace(0.9, 0, len(steps)))
    places = [*range(len(POLYNOMIALS)), *range(4, 4 + len(GAUSSIANS))]
    for place, (name, of_kernel) in zip(places, errors.items(), strict=True):
        axes = panels[place]
        for k, t in enumerate(steps):
            axes.plot(
                LAMBDAS, of_kernel[:, k], marker="o", markersize=3, color=colours[k], label=f"T = {t:,}"
            )
        axes.set(xscale="log", yscale="log", title=name)
        axes.yaxis.set_major_formatter("{x:g}")
        axes.yaxis.set_minor_formatter("{x:g}")
        axes.tick_params(labelbottom=True)
        axes.grid(color="gainsboro", linewidth=0.6)
        axes.grid(axis="y", which="minor", color="gainsboro", linewidth=0.6)
    for axes in panels[3:7]:
        axes.set_xlabel("lambda")
    for axes in panels[::4]:
        axes.set_ylabel("error, mean of the folds")
    panels[7].axis("off")
    panels[7].legend(*panels[0].get_legend_handles_labels(), loc="center")
    figure.savefig(path, dpi=110)
