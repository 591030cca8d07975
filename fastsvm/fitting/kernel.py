"""The kernel machines, plain: what `fastsvm.KernelSDCAClassifier` and its sibling add scikit-learn to."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..solvers import LOSSES
from ..solvers._input import flag, one_of, positive
from ..solvers.kernel._problem import KernelProblem
from ..solvers.kernel.pegasos_solver import KernelPegasosSolver, drawn_pegasos_rows
from ..solvers.kernel.sdca_solver import KernelSDCASolver
from .convergence_advice import fit_ends, warn_if_short
from .kernel_model import KernelModel

if TYPE_CHECKING:
    from ..solvers.annotations import ArrayLike, Callable, ClassWeight, EstimatorSeed


@dataclass(eq=False, repr=False)
class KernelPegasos(KernelModel):
    """Pegasos on kernel machines; parameters and attributes as in `fastsvm.KernelPegasosClassifier`."""

    kernel: str | Callable[..., ArrayLike] = "rbf"
    _: KW_ONLY
    alpha: float = 1e-4
    n_iter: int | None = None
    gamma: str | float = "scale"
    degree: int = 3
    coef0: float = 0.0
    class_weight: ClassWeight = None
    cache_size: float = 1024
    n_jobs: int | None = None
    trace: bool = False
    verbose: bool = False
    random_state: EstimatorSeed = None

    def _check_params(self):
        super()._check_params()
        if self.n_iter is not None:
            positive("n_iter", self.n_iter, kind=int)

    def _make_run(self, X, y, sample_weight):
        order = drawn_pegasos_rows(len(y), self.n_iter, int(self._seeds(1)[0]))
        signs, weights = self._signs(y), self._weights(y, sample_weight)
        return KernelPegasosSolver.of_rows(
            X, signs, weights, self.alpha, order, self._gram, self.cache_size, self._precomputed
        )

    def _rounds(self, run, watched):
        return run.epochs(self.trace or self.verbose or watched)

    def _set_result(self, X, result):
        super()._set_result(X, result)
        self.t_, self._n_seen = result.n_iter, result.dual_coef.shape[1]


@dataclass(eq=False, repr=False)
class KernelSDCA(KernelModel):
    """SDCA on kernel machines; parameters and attributes as in `fastsvm.KernelSDCAClassifier`."""

    kernel: str | Callable[..., ArrayLike] = "rbf"
    _: KW_ONLY
    loss: str = "hinge"
    alpha: float = 1e-4
    fit_intercept: bool = False
    gamma: str | float = "scale"
    degree: int = 3
    coef0: float = 0.0
    max_iter: int = -1
    tol: float | None = 1e-3
    class_weight: ClassWeight = None
    cache_size: float = 1024
    warm_start: bool = False
    n_jobs: int | None = None
    trace: bool = False
    verbose: bool = False
    random_state: EstimatorSeed = None

    _unlimited = True

    def _check_params(self):
        super()._check_params()
        one_of("loss", self.loss, LOSSES)
        flag("fit_intercept", self.fit_intercept)

    def _make_run(self, X, y, sample_weight):
        problem = KernelProblem(self._gram(X), self._signs(y), self._weights(y, sample_weight))
        [seed] = self._seeds(1)
        return self._make_solver(problem, seed, self._start(len(y)))

    def _start(self, n):
        """Return the dual variables of the last fit, with `warm_start`; None if they do not fit."""
        scale = self._dual_scale(self.classes_, n)
        if scale is None:
            return None
        start = np.zeros((len(self.dual_coef_), n))
        start[:, self.support_] = np.abs(self.dual_coef_) * scale
        return start

    def _rounds(self, run, watched):
        return run.epochs(self.tol, self.trace)

    def _make_solver(self, problem, seed, start=None):
        return KernelSDCASolver(
            problem,
            loss=self.loss,
            alpha=self.alpha,
            max_iter=self.max_iter,
            random=np.array([seed], np.uint64),
            start=start,
            fit_intercept=self.fit_intercept,
        )

    def _set_result(self, X, result):
        super()._set_result(X, result)
        self.n_iter_ = result.n_iter
        self._remember_fit(result.dual_coef.shape[1])

    def _warn_if_short(self, run, X):
        X = None if self._precomputed or X.ndim == 1 else X
        ends, advice = fit_ends(run.primal, run.gap, run.done), None
        if run.stalled.any() and run.is_indefinite():
            advice = (
                "the kernel is not positive semi-definite, so that the gap is no bound: use kernel='rbf', or "
                "raise tol or alpha"
            )
        warn_if_short(ends, self.tol, X, run.max_iter, category=self._warning, advice=advice)
