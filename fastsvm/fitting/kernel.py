"""Fits of kernel machines: parameters and rows in, a `KernelFit` out; and the plain models."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from .._utils.threads import one_blas_thread
from ..solvers._input import as_random
from ..solvers._solver import as_array
from ..solvers.kernel._gram import make_gram
from ..solvers.kernel._problem import KernelProblem, KernelResult, KernelSolver
from ..solvers.kernel._values import gamma_of
from ..solvers.kernel.params import (
    KernelPegasosFields,
    KernelPegasosParams,
    KernelSDCAFields,
    KernelSDCAParams,
)
from ..solvers.kernel.pegasos_solver import KernelPegasosSolver, drawn_pegasos_rows
from ..solvers.kernel.sdca_solver import KernelSDCASolver
from ..solvers.run import run
from .convergence_advice import ConvergenceWarning, fit_ends, warn_if_short
from .fit import Fit, all_or_nothing, alpha_n_of_last_fit, one_or_all
from .kernel_prediction import KernelPrediction
from .labels import Targets, as_labels
from .plain_model import PlainModel

if TYPE_CHECKING:
    from typing import Self

    from ..solvers.annotations import ArrayLike, ArrayOrSparse

KernelParams = KernelSDCAParams | KernelPegasosParams
NO_BOUND = (
    "the kernel is not positive semi-definite, so the gap is not a bound: use kernel='rbf', or raise tol "
    "or alpha"
)


@dataclass(frozen=True)
class KernelFit(Fit):
    """What a fit of a kernel machine found.

    Attributes
    ----------
    params : KernelSDCAParams or KernelPegasosParams
    classes : ndarray of shape (n_classes,)
    gamma : float
    support : int32 ndarray, the numbers of the rows with a coefficient in any class
    support_vectors : ndarray or CSR matrix; None where X is the kernel matrix
    dual_coef : ndarray of shape (n_problems, n_support), y_i b_i / (alpha n)
    result : KernelResult
    done : ndarray of shape (n_problems,), epochs, or steps of Pegasos
    n_rows : int
    stopped : bool, whether a callback ended it
    indefinite : bool, whether it ended because the kernel is not positive semi-definite
    """

    params: KernelParams
    classes: np.ndarray
    gamma: float
    support: np.ndarray
    support_vectors: Any
    dual_coef: np.ndarray
    result: KernelResult
    done: np.ndarray
    n_rows: int
    stopped: bool = False
    indefinite: bool = False

    def attributes(self) -> dict[str, Any]:  # noqa: D102 (inherited)
        found = {
            "classes_": self.classes,
            "gamma_": self.gamma,
            "support_": self.support,
            "dual_coef_": self.dual_coef,
            "intercept_": self.result.intercept.copy(),
            "objective_": one_or_all(self.result.objective),
            "dual_gap_": one_or_all(self.result.gap),
            "history_": one_or_all([as_array(history) for history in self.result.history]),
            "n_iter_" if self.params.is_dual else "t_": self.result.n_iter,
            "_alpha_n": self.params.alpha * self.n_rows,
            "_n_rows": self.n_rows,
            "_scoring": {},  # see `KernelPrediction`
        }
        if self.support_vectors is not None:
            found["support_vectors_"] = self.support_vectors
        return found


def fit_kernel(
    params: KernelParams,
    X: Any,
    y: np.ndarray,
    sample_weight: ArrayLike | None = None,
    *,
    threads: int = 1,
    start_of: Callable[[Targets], Any] | None = None,
    steps: Any = None,
) -> KernelFit:
    """Fit a kernel machine, one-vs-rest.

    Parameters
    ----------
    params : KernelSDCAParams or KernelPegasosParams, checked
    X : ndarray or CSR matrix of shape (n, n_features), or array of n objects
    y : array of shape (n,), the labels
    sample_weight : array of shape (n,), default=None
    threads : int, default=1
    start_of : callable, default=None
        From the targets to the dual variables to start from, or None; see `warm_start`.
    steps : StepCallbacks, default=None

    Returns
    -------
    KernelFit
    """
    targets, n = Targets(y), len(y)
    classes, signs = targets.classes, targets.all_signs()
    gamma = gamma_to_use(params, X)
    with one_blas_thread:
        gram_of = partial(make_gram, params=params, gamma=gamma, threads=threads)
        weights = targets.weights(params.class_weight, sample_weight)
        seed = int(as_random(params.random_state).randint(2**31 - 1, size=1)[0])
        solver: KernelSolver
        if isinstance(params, KernelPegasosParams):
            order = drawn_pegasos_rows(n, params.n_iter, seed)
            solver = KernelPegasosSolver.of_rows(X, signs, weights, params, order, gram_of)
        else:
            problem = KernelProblem(gram_of(X), signs, weights)
            start = None if start_of is None else start_of(targets)
            solver = KernelSDCASolver(problem, params, np.array([seed], np.uint64), start)
        if steps is not None:
            steps.start(solver.most_rounds)
            steps.fitted = lambda: as_fit(params, X, classes, gamma, solver).attributes()
        run(
            solver,
            params.gap_tol,
            bool(params.trace or (params.gap_tol is None and (params.verbose or steps is not None))),
            watchers=() if steps is None else [steps],
            labels=targets.labels.tolist() if params.verbose else (),
        )
        stopped = steps is not None and steps.stopped
        return as_fit(params, X, classes, gamma, solver, stopped, solver.is_indefinite())


def as_fit(
    params: KernelParams,
    X: Any,
    classes: np.ndarray,
    gamma: float,
    solver: Any,
    stopped: bool = False,
    indefinite: bool = False,
) -> KernelFit:
    """Return the KernelFit of a solver as it is now."""
    result, n = solver.result(), X.shape[0]
    support = support_of(params, X, result.dual_coef)
    return KernelFit(params, classes, gamma, *support, result, solver.done, n, stopped, indefinite)


def support_of(params: Any, X: Any, coef: np.ndarray) -> tuple[np.ndarray, Any, np.ndarray]:
    """Return the numbers of the rows with a coefficient, these rows (or None), and their coefficients."""
    support = np.flatnonzero(coef.any(axis=0)).astype(np.int32)
    vectors = None if params.kernel == "precomputed" else X[support]
    return support, vectors, np.ascontiguousarray(coef[:, support])


def gamma_to_use(params: Any, X: Any) -> float:
    """Return the gamma of a fit to X; 1 for kernels without gamma."""
    if callable(params.kernel) or params.kernel == "precomputed":
        return 1.0
    return float(gamma_of(params.gamma, X))


def kernel_warm_start(model: Any) -> Callable[[Targets], Any]:
    """Return what a fit starts from with `warm_start`: dual variables, if rows and classes are the same."""

    def start_of(targets: Targets) -> np.ndarray | None:
        alpha_n = alpha_n_of_last_fit(model, targets)
        if alpha_n is None:
            return None
        start = np.zeros((len(model.dual_coef_), targets.n_rows))
        start[:, model.support_] = np.abs(model.dual_coef_) * alpha_n
        return start

    return start_of


def warn_if_kernel_fit_is_short(
    fit: KernelFit, params: KernelParams, X: Any, category: type[Warning]
) -> None:
    """Warn of a fit that ended short of its tolerance, unless a callback ended it."""
    if isinstance(params, KernelPegasosParams) or params.tol is None or fit.stopped:
        return
    of_columns = None if params.kernel == "precomputed" or X.ndim == 1 else X
    limit = np.inf if params.max_iter == -1 else params.max_iter
    advice = NO_BOUND if fit.indefinite else None
    ends = fit_ends(fit.result.objective, fit.result.gap, fit.done)
    warn_if_short(ends, params.tol, of_columns, limit, category=category, advice=advice)


class PlainKernelMachine(PlainModel, KernelPrediction):
    """A kernel machine without scikit-learn's contract: parameters, and the attributes of a fit."""

    @all_or_nothing
    def fit(self, X: ArrayOrSparse, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit from scratch, or with `warm_start` from the last fit's solution.

        A fit that fails or is interrupted leaves the model as it was.

        Parameters
        ----------
        X, y, sample_weight : as in `fastsvm.KernelSDCAClassifier.fit`

        Returns
        -------
        self
        """
        params, X = self._params.of(self), self._checked(X)
        y, start_of = as_labels(y, X.shape[0]), kernel_warm_start(self)
        fit = fit_kernel(params, X, y, sample_weight, threads=self._threads(), start_of=start_of)
        warn_if_kernel_fit_is_short(fit, params, X, ConvergenceWarning)
        fit.set_attributes(self)
        return self


class KernelSDCA(PlainKernelMachine, KernelSDCAFields):
    """SDCA on kernel machines; parameters and attributes as in `fastsvm.KernelSDCAClassifier`."""

    _params = KernelSDCAParams


class KernelPegasos(PlainKernelMachine, KernelPegasosFields):
    """Pegasos on kernel machines; parameters and attributes as in `fastsvm.KernelPegasosClassifier`."""

    _params = KernelPegasosParams
