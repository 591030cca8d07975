"""The parameters of kernel machines; see `fastsvm.solvers.params`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from .._input import as_limit
from ..losses import LOSSES
from ..params import Params

if TYPE_CHECKING:
    from ..annotations import ArrayLike, ClassWeight, EstimatorSeed
    from ._problem import KernelSolver

MAX_ITER = {"max_iter": partial(as_limit, "max_iter")}  # -1: no limit


@dataclass(eq=False, repr=False)
class KernelSDCAParams(Params):
    """The parameters of dual coordinate ascent on kernel machines; as in `fastsvm.KernelSDCAClassifier`."""

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

    CHOICES: ClassVar[Mapping[str, tuple[str, ...]]] = {"loss": LOSSES}
    OWN_CHECKS: ClassVar[Mapping[str, Callable[[Any], Any]]] = MAX_ITER

    counter: ClassVar[str] = "n_iter_"
    """The attribute that counts epochs or steps."""

    @property
    def gap_tol(self) -> float | None:
        """The relative gap at which to stop."""
        return self.tol

    def measures_all(self, watched: bool) -> bool:
        """Whether each epoch is measured; `watched` if callbacks look at the fit."""
        return self.trace

    def make_solver(
        self, X: Any, signs: Any, weights: Any, gram_of: Callable[[Any], Any], seed: int, start: Any = None
    ) -> KernelSolver:
        """Return the solver for all classes.

        Parameters
        ----------
        X : ndarray or CSR matrix, or array of objects, of n rows
        signs : int8 array of shape (n_classes, n)
        weights : array of shape (n,), or None
        gram_of : callable
            It makes the `Gram` of some rows.
        seed : int
        start : array of shape (n_classes, n), default=None
            Dual variables.
        """
        from ._problem import KernelProblem
        from .sdca_solver import KernelSDCASolver

        problem = KernelProblem(gram_of(X), signs, weights)
        return KernelSDCASolver(problem, self, np.array([seed], np.uint64), start)


@dataclass(eq=False, repr=False)
class KernelPegasosParams(Params):
    """The parameters of sub-gradient steps on kernel machines; as in `fastsvm.KernelPegasosClassifier`."""

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

    counter: ClassVar[str] = "t_"
    gap_tol: ClassVar[None] = None

    def measures_all(self, watched: bool) -> bool:
        """Whether each epoch is measured; `watched` if callbacks look at the fit."""
        return bool(self.trace or self.verbose or watched)

    def make_solver(
        self, X: Any, signs: Any, weights: Any, gram_of: Callable[[Any], Any], seed: int, start: Any = None
    ) -> KernelSolver:
        """Return the solver for all classes, which has no start; parameters as of `KernelSDCAParams`'s."""
        from .pegasos_solver import KernelPegasosSolver, drawn_pegasos_rows

        order = drawn_pegasos_rows(X.shape[0], self.n_iter, seed)
        return KernelPegasosSolver.of_rows(X, signs, weights, self, order, gram_of)


@dataclass(eq=False, repr=False)
class KernelSDCACVParams(Params):
    """The parameters of a choice of gamma and alpha; as in `fastsvm.KernelSDCAClassifierCV`."""

    kernel: str | Callable[..., ArrayLike] = "rbf"
    _: KW_ONLY
    loss: str = "hinge"
    gammas: ArrayLike | None = None
    alphas: ArrayLike | None = None
    degree: int = 3
    coef0: float = 0.0
    cv: object = None
    scoring: str | Callable[..., float] | None = None
    max_iter: int = -1
    tol: float | None = 1e-3
    class_weight: ClassWeight = None
    cache_size: float = 1024
    n_jobs: int | None = None
    verbose: bool = False
    random_state: EstimatorSeed = None

    CHOICES: ClassVar[Mapping[str, tuple[str, ...]]] = {"loss": LOSSES}
    OWN_CHECKS: ClassVar[Mapping[str, Callable[[Any], Any]]] = MAX_ITER
