"""`python -m benchmarks.tuning NAME --data DIR`: what each constant of a solver is worth."""

import time
from functools import partial
from itertools import product

import numpy as np
from threadpoolctl import threadpool_limits

from fastsvm import certify
from fastsvm.solvers import kernel_sdca, sdca

from ..common import aligned
from ..machine import parser_of
from .constants import CONSTANTS
from .problems import load

LOSSES = ("hinge", "log")
LONG = 0.3  # seconds of a fit that is not repeated
TOLS = (1e-3, 1e-6)
ALPHAS = (1e-2, 1e-5)
KERNEL_ALPHAS = (1e-3, 1e-6)
ROUGH_TOLS = (1e-1, 1e-3)  # gaps of what is certified


def main():
    """Measure, and print a line for each constant and value."""
    parser = parser_of("tuning", __doc__)
    parser.add_argument("name", choices=CONSTANTS)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    constants = [(c, value) for c in CONSTANTS[options.name] for value in c.alternatives()]
    with threadpool_limits(1):
        ratios = measure(options.name, options.data, constants, options.rounds)
    print(table(constants, ratios))


def measure(group, folder, constants, rounds):
    """(name, time ratio, epoch ratio) for each constant's value, of all problems that both have solved."""
    ratios = [[] for _ in constants]
    for name, X, y in load(group, folder):
        fits = [fit for fit in _fits(group, X, y) if np.isfinite(_timed(fit)[0])]
        for fit in fits:
            for of_value, found in zip(ratios, _compare(fit, constants, rounds), strict=True):
                of_value.append((name, *found))
        print(f"# {name}: {X.shape[0]} x {X.shape[1]}, {len(fits)} fits certified", flush=True)
    return ratios


def _fits(group, X, y):
    for loss, tol in product(("log",) if group == "rare" else LOSSES, TOLS):
        if group == "kernel":
            variance = X.toarray().var() if hasattr(X, "toarray") else X.var()
            for alpha in KERNEL_ALPHAS:
                options = {"gamma": 1 / (X.shape[1] * variance), "alpha": alpha, "max_iter": 3000}
                yield partial(kernel_sdca, X, y, loss=loss, tol=tol, random_state=0, **options)
        elif group == "certify":
            for alpha, rough in product(ALPHAS, ROUGH_TOLS):
                options = {"solver": "coordinate", "fit_intercept": False, "random_state": 0}
                w = sdca(X, y, loss=loss, alpha=alpha, tol=rough, **options).w
                yield partial(certify, w, X, y, loss=loss, alpha=alpha, tol=tol, random_state=0)
        else:
            solver = {"sdca": "coordinate", "rare": "coordinate"}.get(group, group)
            for alpha in ALPHAS:
                options = {"solver": solver, "alpha": alpha, "max_iter": 1000}
                options["fit_intercept"] = group == "rare" or alpha > 1e-3
                yield partial(sdca, X, y, loss=loss, tol=tol, random_state=0, **options)


def _compare(fit, constants, rounds):
    """For each value: its CPU time and epochs over those of the defaults, fitted every four values."""
    times, epochs = [[] for _ in constants], [np.nan] * len(constants)
    own = []
    for _ in range(rounds):
        for k, (constant, value) in enumerate(constants):
            if k % 4 == 0:
                seconds, own_epochs = _timed(fit)
                own.append(seconds)
            with constant.set_to(value):
                seconds, epochs[k] = _timed(fit)
            times[k].append(seconds)
        if np.median(own) > LONG:  # once is enough
            break
    for seconds, n_iter in zip(times, epochs, strict=True):
        yield np.median(seconds) / np.median(own), n_iter / own_epochs


def _timed(fit):
    """CPU seconds and epochs; NaN if the fit has not reached its tolerance, or needed no epoch."""
    start = time.process_time()
    result = fit()
    seconds = time.process_time() - start
    allowed = fit.keywords["tol"] * np.asarray(result.objective)
    if fit.func is certify:
        allowed = np.maximum(allowed, 2 * np.asarray(result.gap_at_least))  # its default accuracy
    reached = result.n_iter and np.all(result.gap <= allowed)
    return (seconds, result.n_iter) if reached else (np.nan, np.nan)


def table(constants, ratios):
    """A line for each value: medians, the data sets' extremes, and how many fits did not get to the end."""
    lines = [
        ("constant", "value", "tried", "time", "lowest", "highest of a data set", "epochs", "not certified")
    ]
    for (constant, value), found in zip(constants, ratios, strict=True):
        names, times, epochs = (np.array(column) for column in zip(*found, strict=True))
        ok = np.isfinite(times)
        by_set = {name: np.median(times[ok & (names == name)]) for name in dict.fromkeys(names[ok])}
        least, most = min(by_set, key=by_set.get), max(by_set, key=by_set.get)
        lines.append(
            (
                *(constant.name, f"{constant.value:g}", f"{value:g}", f"{np.median(times[ok]):.2f}"),
                *(f"{by_set[name]:.2f} {name}" for name in (least, most)),
                *(f"{np.median(epochs[ok]):.2f}", str(int((~ok).sum()))),
            )
        )
    return aligned(lines)


if __name__ == "__main__":
    main()
