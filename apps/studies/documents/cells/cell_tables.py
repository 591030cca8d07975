"""Tables of errors and of times."""

import numpy as np

from ...report.claim_judging import over_splits
from ...report.study_report import Table
from .cell_claims import NEAR_SHARE, seconds_of_epoch, seconds_to
from .cell_experiments import FEATURES, SOLVERS, CellErrors, Traces

TIMES_HEADER = (
    *("features", "solver", "ms an epoch", "ms to 1 %", "5 %", "95 %", "runs there"),
    "(P - P*) / P* at the end",
)


def tables(traces: Traces, at_random: CellErrors, grouped: CellErrors | None) -> list[Table]:
    """Return all tables."""
    return [_errors(at_random, grouped), _times(traces), _curves(traces)]


def _errors(at_random: CellErrors, grouped: CellErrors | None) -> Table:
    rows = []
    for words, found in (("random", at_random), ("grouped", grouped)):
        for feature in FEATURES if found else ():
            for solver in SOLVERS:
                values = found.of(feature, solver)
                (mean, low, high), splits = over_splits(values, found.sizes), len(values)
                rows.append((words, splits, feature, solver, mean, low, high, float(values.std(ddof=1))))
    return Table(
        "errors",
        "Test errors",
        "Means over splits, with 95 % intervals (Nadeau and Bengio's, as splits share images) and standard "
        "deviations. Copies of an original are in one part of a grouped split, and in any of a random one.",
        ("split", "splits", "features", "solver", "error", "low", "high", "sd"),
        rows,
    )


def _times(traces: Traces) -> Table:
    rows = []
    for feature, trace in traces.items():
        for label, curves in trace.items():
            times = 1e3 * seconds_to(curves, (1 + NEAR_SHARE) * curves.optimum)
            epoch = 1e3 * seconds_of_epoch(curves)
            last = np.median(curves.excess[:, -1])
            ends = np.quantile(times, (0.05, 0.95), method="closest_observation")
            reached = float(np.isfinite(times).mean())
            middle = float(np.quantile(times, 0.5, method="closest_observation"))
            finite = [value if np.isfinite(value) else None for value in (middle, *map(float, ends))]
            rows.append((feature, label, float(np.median(epoch)), *finite, reached, float(last)))
    return Table(
        "times",
        "CPU times of the updates",
        "Medians over runs. Time to 1 % of P*: until the first epoch after which the loss is at most 1 % "
        "above its least value, with the runs' 5 % and 95 % quantiles.",
        TIMES_HEADER,
        rows,
    )


def _curves(traces: Traces) -> Table:
    rows = [
        (feature, label, run + 1, epoch + 1, *(float(values[run, epoch]) for values in curves[:-1]))
        for feature, trace in traces.items()
        for label, curves in trace.items()
        for run, epoch in np.ndindex(curves.primal.shape)
    ]
    header = ("features", "solver", "run", "epoch", "CPU s", "loss", "gap", "test error")
    return Table("curves", "Every epoch of every run", "", header, rows, shown=False)
