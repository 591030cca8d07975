"""`compare`: all runs of all solvers, epoch by epoch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from fastsvm._utils.threads import number_of_threads, one_blas_thread
from fastsvm.fitting.labels import as_labels
from fastsvm.solvers import params
from fastsvm.solvers._input import as_matrix, one_of, positive, with_square
from fastsvm.solvers.losses import LOSSES, as_loss

from .solver_comparison import Comparison
from .solver_contender import FORCED, Contender, Objective, Products, Task

if TYPE_CHECKING:
    from fastsvm.solvers.annotations import ArrayLike, ArrayOrSparse, Callable

RACERS = params.SDCAFields, params.PegasosFields, params.ASDCAFields, params.PerceptronFields
MEMORY = 1 << 29  # bytes, about, that the states and iterates of simultaneous runs may take


def compare(
    solvers: Mapping[str, params.Fields],
    X: ArrayOrSparse,
    y: ArrayLike,
    *,
    runs: int = 10,
    X_test: ArrayOrSparse | None = None,
    y_test: ArrayLike | None = None,
    loss: str | None = None,
    n_jobs: int | None = None,
    random_state: int = 0,
    parts: int = 1,
    every: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Comparison:
    """Run several solvers several times, and measure all of them in the same way after every epoch.

    The runs go side by side, epoch by epoch, and the iterates of all runs of a solver are scored in one
    product with X, which costs a fraction of a trace for each run. Only updates are timed.

    Parameters
    ----------
    solvers : dict of str to model
        By label, `SDCAClassifier`, `PegasosClassifier`, `ASDCAClassifier`, `PerceptronClassifier`, or the
        plain models of `fastsvm.fitting`; they need not be fitted, and are not changed. Each runs exactly its
        `max_iter` epochs, but a perceptron stops after an epoch without a mistake. `tol` counts as None, and
        SDCA takes coordinate steps.
    X : array or sparse matrix of shape (n_samples, n_features)
        float32 or float64; CSR or C-ordered arrays are not copied.
    y : array of shape (n_samples,)
        Labels. With more than two classes, each is compared with the rest; primal and gap are then means over
        these binary problems, and visits, steps and seconds are sums.
    runs : int, default=10
        Number of runs of each solver, with the seeds random_state, random_state + 1 and so on.
    X_test, y_test : as X and y, default=None
        Rows for the test error.
    loss : {"hinge", "squared_hinge", "smooth_hinge", "log"}, default=None
        The loss by which all are measured, each with its own alpha. A perceptron gets the alpha of the
        others; the smooth hinge has width 1, except for models with this loss. None: each by its own loss.
    n_jobs : int, default=None
        Threads, over runs; -1 for all processors. Changes only the seconds.
    random_state : int, default=0
        The first seed. A run returns what a fit with its seed would, up to rounding.
    parts : int, default=1
        Number of parts of the first epoch, inside which runs are also measured: after 1, 2, 3, 4, 6, 8, 12,
        ... parts. On many rows, a solver may be near the optimum long before the end of an epoch. Does not
        change the runs.
    every : int, default=None
        Number of steps between further measurements inside every epoch; None: no such measurements.
    progress : callable, default=None
        Called as ``progress(done, total)`` with the number of epochs.

    Returns
    -------
    Comparison

    Raises
    ------
    ValueError
        If the input or a parameter of a model is invalid, or if a perceptron is compared and no alpha is
        known for its objective.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from fastsvm import PegasosClassifier, SDCAClassifier
    >>> from fastsvm_apps.studies.race import compare
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> solvers = {
    ...     "SDCA": SDCAClassifier(alpha=0.01, max_iter=10),
    ...     "Pegasos": PegasosClassifier(alpha=0.01, max_iter=10),
    ... }
    >>> c = compare(solvers, scale(X), y, runs=3)
    >>> c.table.dtype.names
    ('solver', 'run', 'epoch', 'visits', 'steps', 'seconds', 'primal', 'gap', 'error')
    >>> last = c.table[c.table["epoch"] == 10]
    >>> [bool((last["gap"][last["solver"] == label] < 0.01).all()) for label in solvers]
    [True, False]
    """
    threads = number_of_threads(n_jobs)
    runs = positive("runs", runs, kind=int)
    if not (isinstance(random_state, int | np.integer) and 0 <= random_state <= 2**32 - runs):
        raise ValueError(f"random_state must be an int, the first of the seeds; it is {random_state!r}.")
    shares = _shares_inside(positive("parts", parts, kind=int))
    every = None if every is None else positive("every", every, kind=int)
    X, rows = as_matrix(X, threads)
    y = as_labels(y, rows.n_rows)
    classes = np.unique(y)
    test, winners = _test_rows(X_test, y_test, classes, rows.n_columns, threads)
    models = _plain_models(solvers)
    objectives = _race_objectives(models, loss)
    rows.squared_norms()  # before threads need them
    products, seed = Products(X, rows, threads), int(random_state)
    task = Task(products, y, classes, test, winners, seed, threads, shares, every)
    contenders = [Contender(label, model, objectives[label], task, runs) for label, model in models.items()]
    with one_blas_thread:
        _run_contenders(contenders, runs, progress or (lambda done, total: None))
    return Comparison(contenders)


def _run_contenders(contenders, runs, progress):
    """Run all epochs, with as many runs at a time as `MEMORY` allows; contenders take turns."""
    epochs = [contender.model.max_iter for contender in contenders]
    done, total = 0, runs * sum(epochs)
    size = max(1, MEMORY // sum(contender.run_bytes for contender in contenders))
    for first in range(0, runs, size):
        side_by_side = range(first, min(first + size, runs))
        for contender in contenders:
            contender.start(side_by_side)
        for epoch in range(1, max(epochs) + 1):
            for contender, last in zip(contenders, epochs, strict=True):
                if epoch <= last:
                    contender.advance()
                    done += len(side_by_side)
                    progress(done, total)
        for contender in contenders:
            contender.end()


def _shares_inside(parts):
    """Return the shares of the first epoch at which it is measured, without its end."""
    counts = np.outer(2 ** np.arange(parts.bit_length()), (1, 1.5)).ravel()
    return counts[(counts % 1 == 0) & (counts < parts)] / parts


def _test_rows(X, y, classes, n_columns, threads):
    """Return the test rows, and the number of each row's class."""
    if X is None and y is None:
        return None, None
    X, rows = as_matrix(X, threads)
    if rows.n_columns != n_columns:
        raise ValueError(f"X_test has {rows.n_columns} columns, but X has {n_columns}.")
    y = as_labels(y, rows.n_rows)
    unknown = np.setdiff1d(y, classes)
    if len(unknown):
        raise ValueError(f"y_test has the label {unknown.tolist()[0]!r}, which is not in y.")
    return Products(X, rows, threads), np.searchsorted(classes, y)


def _plain_models(solvers):
    """Return checked copies that run exactly their epochs."""
    if not isinstance(solvers, Mapping) or not solvers:
        raise ValueError("solvers must be a dict of labels to models, with at least one model.")
    models = {}
    for label, model in solvers.items():
        if not isinstance(model, RACERS):
            raise ValueError(
                f"solvers[{label!r}] must be SDCA, Pegasos, ASDCA or a perceptron of fastsvm; "
                f"it is {model!r}."
            )
        parameters = model.get_params(deep=False)
        copy = type(model)(**parameters | {k: v for k, v in FORCED.items() if k in parameters})
        copy._params.of(copy)  # checks them
        models[str(label)] = copy
    return models


def _race_objectives(models, loss):
    """Return the objective of each model, by label."""
    if loss is not None:
        one_of("loss", loss, LOSSES)
    alphas = {model.alpha for model in models.values() if hasattr(model, "alpha")}
    objectives = {}
    for label, model in models.items():
        own = getattr(model, "loss", "perceptron")
        alpha = getattr(model, "alpha", None)
        if loss is not None and alpha is None:
            if len(alphas) != 1:
                raise ValueError(
                    f"solvers[{label!r}] has no alpha for its objective, and the others do not share any."
                )
            [alpha] = alphas
        width = with_square("hinge_width", getattr(model, "hinge_width", 1.0)) if loss in (None, own) else 1.0
        objectives[label] = Objective(
            as_loss(loss or own, width), alpha, model.fit_intercept, model.class_weight
        )
    return objectives
