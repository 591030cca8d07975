"""The plain model of the accelerated SDCA."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING

from ..solvers._input import one_of
from ..solvers.asdca_solver import ASDCA_ORDERS, ASDCA_OUTPUTS, ASDCASolver, as_theta
from ..solvers.losses import SMOOTH_LOSSES, as_loss
from .linear_model import LinearModel

if TYPE_CHECKING:
    from ..solvers.annotations import ArrayLike, ClassWeight, EstimatorSeed

__all__ = ["ASDCA"]


@dataclass(eq=False, repr=False)
class ASDCA(LinearModel):
    """Accelerated mini-batch SDCA; parameters and attributes as in `fastsvm.ASDCAClassifier`."""

    loss: str = "smooth_hinge"
    _: KW_ONLY
    hinge_width: float = 1.0
    alpha: float = 1e-4
    max_iter: int = 1000
    tol: float | None = 1e-3
    fit_intercept: bool = True
    batch_size: int = 8
    theta: str | float = "paper"
    order: str | ArrayLike = "permutation"
    averaging: str = "last"
    class_weight: ClassWeight = None
    n_jobs: int | None = None
    trace: bool = False
    verbose: bool = False
    random_state: EstimatorSeed = None

    @property
    def _tol(self):
        return self.tol

    def _check_params(self):
        super()._check_params()
        one_of("loss", self.loss, SMOOTH_LOSSES)
        as_theta(self.theta)
        one_of("order", self.order, ASDCA_ORDERS)
        one_of("averaging", self.averaging, ASDCA_OUTPUTS)

    def _make_solver(self, problem, random, max_iter, **_):
        return ASDCASolver(
            problem,
            loss=as_loss(self.loss, self.hinge_width),
            alpha=self.alpha,
            fit_intercept=self.fit_intercept,
            max_iter=max_iter,
            batch_size=self.batch_size,
            theta=as_theta(self.theta),
            order=self.order,
            averaging=self.averaging,
            random=random,
        )

    def _set_results(self, results, X, y):
        super()._set_results(results, X, y)
        self._set_dual_coef(results, y)
