"""Solvers compared on the user's own data."""

from dataclasses import dataclass
from math import inf

import numpy as np

from ...common.errors import USAGE, AppError
from ...common.folds import split
from ...common.statistics import mean_interval

# What is within so much of the optimum, as a share of it, counts as solved.
NEAR = 0.01
UNLIKE = 100  # times: standard deviations of columns that differ by more slow all solvers down

SOLVERS = {
    "sdca": "coordinate steps on the dual",
    "sdca-sgd": "the same, after an epoch of modified SGD",
    "pegasos": "sub-gradient steps, the last iterate",
    "pegasos-tail": "the same, the average of the second half",
    "asdca": "accelerated mini-batch steps on the dual",
    "perceptron": "Rosenblatt's, averaged",
}


@dataclass(frozen=True)
class Settings:
    """What all solvers have in common.

    Attributes
    ----------
    loss : str
        What all are measured by; ASDCA minimises the smooth hinge in the place of the hinge.
    alpha : float
    epochs, batch_size : int
    intercept : bool
    """

    loss: str
    alpha: float
    epochs: int
    batch_size: int
    intercept: bool


def make_solver(name: str, settings: Settings):
    """Return the model of a solver's name.

    Raises
    ------
    AppError
        Where it cannot minimise the loss.
    """
    from fastsvm.fitting import ASDCA, SDCA, Pegasos, Perceptron

    shared = {"max_iter": settings.epochs, "fit_intercept": settings.intercept}
    if name == "perceptron":
        return Perceptron(averaging="all", **shared)
    shared |= {"loss": settings.loss, "alpha": settings.alpha}
    if name.startswith("sdca"):
        return SDCA(sgd_init=name == "sdca-sgd", **shared)
    if name == "asdca":
        shared["loss"] = {"hinge": "smooth_hinge"}.get(settings.loss, settings.loss)
        return ASDCA(batch_size=settings.batch_size, **shared)
    if settings.loss not in ("hinge", "log"):
        raise AppError(
            f"{name} minimises hinge or log, not {settings.loss}; leave it out of --solvers", USAGE
        )
    averaging = "tail" if name == "pegasos-tail" else "last"
    return Pegasos(batch_size=settings.batch_size, averaging=averaging, **shared)


def split_rows(path: str, X, y, share: float, seed: int):
    """Return (X, y) of the rows to run on, and of a share held out, with labels in like proportions."""
    try:
        train, test = split(len(y), share, seed, y.tolist())
    except ValueError as error:
        raise AppError(f"{path}: {share:g} of the rows cannot be held out: {error}") from error
    return (X[train], y[train]), (X[test], y[test])


def check_alike(path: str, rows, test_path: str, test_rows) -> None:
    """Find out whether rows to test on have the columns and labels of those to run on."""
    n_columns, n_test_columns = rows.X.shape[1], test_rows.X.shape[1]
    if n_test_columns != n_columns:
        raise AppError(f"{test_path}: {n_test_columns:,} columns, but {path} has {n_columns:,}")
    unknown = np.setdiff1d(test_rows.y, rows.y)
    if len(unknown):
        raise AppError(f"{test_path}: the label '{unknown[0]}' is not in {path}")


def is_unscaled(X) -> bool:
    """Tell whether dense columns vary on such different scales that the solvers hardly converge."""
    from scipy import sparse

    if sparse.issparse(X):
        return False
    varying = X.std(axis=0)
    varying = varying[varying > 0]
    return len(varying) > 0 and varying.max() > UNLIKE * varying.min()


def scaled(path: str, rows, test_rows):
    """Return both, their columns brought to what makes those of `rows` of mean 0 and variance 1."""
    from scipy import sparse

    from fastsvm.fitting import Scaler

    if sparse.issparse(rows.X) or sparse.issparse(test_rows.X):
        raise AppError(f"{path}: sparse columns cannot be centred; leave --scale out", USAGE)
    scaler = Scaler().fit(rows.X)
    return ((scaler.transform(part.X), part.y) for part in (rows, test_rows))


@dataclass(frozen=True)
class Summary:
    """What is told of one solver, of its last epoch but for `near`.

    Attributes
    ----------
    solver : str
    visits, steps : int
    seconds : float, mean over the runs
    near : float or None, CPU seconds until half of the runs are within 1 % of the optimum; None: never
    objective, error : (float, float, float) or None, mean over the runs, and its interval; None: no test rows
    gap : float or None, mean over the runs; None: there is none
    """

    solver: str
    visits: int
    steps: int
    seconds: float
    near: float | None
    objective: tuple[float, float, float]
    gap: float | None
    error: tuple[float, float, float] | None


def summaries(comparison) -> list[Summary]:
    """Return what is told of each solver."""
    table, excess = comparison.table, comparison.excess
    found = []
    for label, coef in comparison.coef.items():
        own = table["solver"] == label
        lines = table[own].reshape(len(coef), -1)
        last = lines[:, -1]
        solved = np.median(excess[own].reshape(lines.shape), axis=0) <= NEAR
        found.append(
            Summary(
                solver=label,
                visits=int(last["visits"].max()),
                steps=int(last["steps"].max()),
                seconds=float(last["seconds"].mean()),
                near=float(np.median(lines["seconds"][:, solved.argmax()])) if solved.any() else None,
                objective=_with_interval(last["primal"]),
                gap=None if np.isnan(last["gap"]).any() else float(last["gap"].mean()),
                error=None if np.isnan(last["error"]).any() else _with_interval(last["error"], 1.0),
            )
        )
    return found


def _with_interval(values, most=inf):
    """Return the mean and its interval, within what can be."""
    low, high = mean_interval(values.tolist())
    return float(values.mean()), max(low, 0.0), min(high, most)
