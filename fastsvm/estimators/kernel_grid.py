"""Kernel Pegasos over a grid of parameters; all folds share the rows of one kernel matrix."""

from itertools import count
from threading import Lock

import numpy as np
from sklearn.model_selection import check_cv
from sklearn.utils import check_random_state

from .._utils.threads import in_threads, one_blas_thread
from ..fitting.kernel import gamma_to_use
from ..fitting.labels import Targets
from ..fitting.path import decreasing_alphas
from ..fitting.prediction import winners
from ..solvers._input import as_state, positive
from ..solvers._random import draw_rows
from ..solvers.kernel._gram import make_gram
from ..solvers.kernel._problem import KernelProblem
from ..solvers.kernel.pegasos_solver import KernelPegasosSolver
from .cross_validation import fold_decision
from .kernel_pegasos import KernelPegasosClassifier

ADDITIONS = 1 << 27  # between looks at whether to stop: some tenths of a second


def kernel_pegasos_grid(
    X, y, *, kernels, alphas, n_iters, cv=None, cache_size=1024, n_jobs=None, random_state=None, progress=None
):
    """Compute the errors of :class:`KernelPegasosClassifier` on cross-validation folds, over a grid.

    Each kernel matrix is computed once, for all rows, and shared by all folds, alphas and threads. Only
    the largest number of steps is run; the smaller numbers are measured during this run.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        The rows.
    y : array of shape (n_samples,)
        Labels of any kind, two classes or more.
    kernels : list of dict
        Parameters of :class:`KernelPegasosClassifier`: kernel, gamma, degree, coef0, with its defaults. The
        gammas "scale" and "auto" are computed from all rows.
    alphas : list of float > 0
        Regularisation strengths to try.
    n_iters : list of int > 0
        Numbers of steps (T in Shalev-Shwartz et al. 2011).
    cv : int, splitter or iterable, default=None
        Number of stratified folds, 5 by default; or a splitter as in scikit-learn.
    cache_size : float > 0, default=1024
        MiB of kernel values to keep. If the drawn rows do not fit, runs take turns and compute values again;
        the errors are the same.
    n_jobs : int or None, default=None
        Number of threads, first over folds and alphas; -1: all processors. Any number gives the same errors.
    random_state : int, RandomState or None, default=None
        All runs draw the same numbers: up to rounding of kernel values, the error equals the error of a
        KernelPegasosClassifier with this `random_state`, fitted to the fold's training rows.
    progress : callable, default=None
        Called as progress(done, total) after each run, by one thread at a time.

    Returns
    -------
    ndarray of shape (n_kernels, n_alphas, n_iters, n_folds)
        Kernels are in the given order; alphas and numbers of steps increase. A structured array, whose
        `ravel()` is a table; its fields are kernel (a callable's name), gamma, degree, coef0, alpha, n_iter,
        fold, error, and seconds, the CPU time of the steps so far for all classes, without the kernel matrix.

    Raises
    ------
    ValueError, MemoryError
        In the same cases as `KernelPegasosClassifier.fit`.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from fastsvm import kernel_pegasos_grid
    >>> X, y = load_digits(return_X_y=True)
    >>> kernels = [{"gamma": 0.001}, {"kernel": "poly", "degree": 2}]
    >>> grid = kernel_pegasos_grid(
    ...     X, y, kernels=kernels, alphas=[1e-5, 1e-3], n_iters=[500, 5000], random_state=0
    ... )
    >>> grid.shape
    (2, 2, 2, 5)
    >>> bool(grid["error"].mean(axis=-1).min() < 0.05)
    True
    """
    alphas, n_iters = decreasing_alphas(alphas)[::-1], _increasing_n_iters(n_iters)
    if not kernels or not all(isinstance(parameters, dict) for parameters in kernels):
        raise ValueError(f'kernels must be a list of dicts, such as [{{"kernel": "rbf"}}]; got {kernels!r}.')
    models = [_grid_model(parameters, cache_size, n_jobs) for parameters in kernels]
    for model in models:
        X, y = model._validated(X, y)
        model.classes_, model.gamma_ = Targets(y).classes, gamma_to_use(model, X)
    folds = list(check_cv(cv, y, classifier=True).split(X, y))
    seed = check_random_state(random_state).randint(2**31 - 1)
    orders = [_grid_order(train, n_iters[-1], seed) for train, _ in folds]

    grid = _grid_table(models, alphas, n_iters, len(folds))
    done, lock = count(1), Lock()

    def report():
        if progress is not None:
            with lock:
                progress(next(done), grid[:, :, 0].size)

    with one_blas_thread:
        for model, part in zip(models, grid, strict=True):
            _measure_grid(model, X, y, folds, orders, part, report)
    return grid


def _grid_model(parameters, cache_size, n_jobs):
    for name in parameters.keys() - {"kernel", "gamma", "degree", "coef0"}:
        raise ValueError(f"A dict of kernels may have kernel, gamma, degree and coef0, not {name!r}.")
    model = KernelPegasosClassifier(**parameters, cache_size=cache_size, n_jobs=n_jobs)
    model._params.of(model)
    return model


def _increasing_n_iters(n_iters):
    n_iters = [positive("n_iters", n_iter, kind=int) for n_iter in n_iters]
    if not n_iters:
        raise ValueError("n_iters must be a list of positive integers; it is empty.")
    return np.sort(n_iters)


def _grid_order(train, n_iter, seed):
    """Return the rows that a KernelPegasosClassifier would draw from `train`."""
    order = np.empty(n_iter, np.int32)
    draw_rows(order, len(train), as_state(seed))
    return train[order].astype(np.int32)


def _grid_table(models, alphas, n_iters, n_folds):
    """Return the grid, without measurements."""
    kernels = [getattr(model.kernel, "__name__", model.kernel) for model in models]
    columns = {
        "kernel": np.reshape(kernels, (-1, 1, 1, 1)),
        "gamma": np.reshape([model.gamma_ for model in models], (-1, 1, 1, 1)),
        "degree": np.reshape([model.degree for model in models], (-1, 1, 1, 1)),
        "coef0": np.reshape([float(model.coef0) for model in models], (-1, 1, 1, 1)),
        "alpha": np.reshape(alphas, (-1, 1, 1)),
        "n_iter": np.reshape(n_iters, (-1, 1)),
        "fold": np.arange(n_folds),
        "error": np.array(np.nan),
        "seconds": np.array(np.nan),
    }
    shape = np.broadcast_shapes(*(values.shape for values in columns.values()))
    grid = np.empty(shape, [(name, values.dtype) for name, values in columns.items()])
    for name, values in columns.items():
        grid[name] = values
    return grid


def _measure_grid(model, X, y, folds, orders, grid, report):
    """Fill in one kernel's part of the grid."""
    gram = make_gram(X, model, model.gamma_, model._threads())
    signs = Targets(y, model.classes_).all_signs()
    problems = [KernelProblem(gram, signs, rows=train) for train, _ in folds]
    places = np.searchsorted(model.classes_, y)
    runs = list(np.ndindex(grid[:, 0].shape))[::-1]  # those at large alphas take longest
    n_workers = gram.share_threads(np.unique(np.concatenate(orders)), len(runs), model._threads())
    step = max(1, ADDITIONS // signs.size)
    stopping = []

    def measure(which):
        alpha, fold = which
        cells, test, order = grid[alpha, :, fold], folds[fold][1], orders[fold]
        gram.forget_uses()
        run = KernelPegasosSolver(problems[fold], cells["alpha"][0])
        for k, n_iter in enumerate(cells["n_iter"]):
            while run.t < n_iter:
                if stopping:
                    raise KeyboardInterrupt
                run.run_epoch(order[run.t : min(n_iter, run.t + step)])
            cells["error"][k] = np.mean(winners(fold_decision(run.scores, test)) != places[test])
            cells["seconds"][k] = run.seconds
        report()

    in_threads(measure, runs, n_workers, stopping.append)
