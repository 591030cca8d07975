"""The other linear models, plain: Pegasos, the perceptron and the accelerated SDCA."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING

from ..solvers._input import as_first_averaged, one_of, positive
from ..solvers.asdca_solver import ASDCA_ORDERS, ASDCA_OUTPUTS, ASDCASolver, as_theta
from ..solvers.losses import PEGASOS_LOSSES, SMOOTH_LOSSES, as_loss
from ..solvers.pegasos_solver import PEGASOS_ORDERS, PEGASOS_OUTPUTS, PegasosSolver, as_intercept
from ..solvers.perceptron_solver import PERCEPTRON_OUTPUTS, PerceptronSolver
from .linear_model import AS_GIVEN, LinearModel, OnlineModel
from .one_vs_rest import FLAGS

if TYPE_CHECKING:
    from ..solvers.annotations import ArrayLike, ClassWeight, EstimatorSeed

USUAL_PROGRESS, USUAL_PATIENCE = 1e-3, 5  # with early stopping: of the error in an epoch, and in epochs


@dataclass(eq=False, repr=False)
class Pegasos(OnlineModel):
    """Pegasos, stochastic sub-gradient steps; parameters and attributes as in `fastsvm.PegasosClassifier`."""

    loss: str = "hinge"
    _: KW_ONLY
    alpha: float = 1e-4
    max_iter: int = 20
    fit_intercept: bool | str = True
    batch_size: int = 1
    order: str | ArrayLike = "permutation"
    project: bool = False
    averaging: str = "last"
    average_from: int | None = None
    early_stopping: bool = False
    validation_fraction: float = 0.1
    n_iter_no_change: int = 5
    tol: float | None = None
    shuffle: bool = True
    class_weight: ClassWeight = None
    warm_start: bool = False
    n_jobs: int | None = None
    trace: bool = False
    certify: bool = False
    verbose: bool = False
    random_state: EstimatorSeed = None

    _flags = tuple(name for name in FLAGS if name != "fit_intercept")

    @property
    def _patience(self):
        """The epochs without progress that end a fit; None: it does not look."""
        return self.n_iter_no_change if self.early_stopping or self.tol is not None else None

    def _check_params(self):
        super()._check_params()
        one_of("loss", self.loss, PEGASOS_LOSSES)
        one_of("order", self.order, PEGASOS_ORDERS)
        one_of("averaging", self.averaging, PEGASOS_OUTPUTS)
        as_first_averaged(self.average_from)
        as_intercept(self.fit_intercept)
        positive("n_iter_no_change", self.n_iter_no_change, kind=int)
        if self._patience is not None and self.averaging == "random":
            raise ValueError(
                "averaging='random' draws from the second half of max_iter epochs: it has no early stopping."
            )
        if not self.shuffle and self.order != "permutation":
            raise ValueError(f"shuffle=False visits rows in their order: it has no order={self.order!r}.")

    def _make_solver(self, problem, random, max_iter, *, start=None):
        return PegasosSolver(
            problem,
            loss=self.loss,
            alpha=self.alpha,
            fit_intercept=self.fit_intercept,
            max_iter=max_iter,
            batch_size=self.batch_size,
            order=self.order if self.shuffle else AS_GIVEN,
            project=self.project,
            averaging=self.averaging,
            average_from=self.average_from,
            random=random,
            tol=USUAL_PROGRESS if self.tol is None else self.tol,
            n_iter_no_change=self._patience,
            start=start,
        )

    def partial_fit(self, X, y, classes=None, sample_weight=None):  # noqa: D102 (inherited)
        if self.fit_intercept == "search":
            raise ValueError("fit_intercept='search' needs all rows: use fit.")
        super().partial_fit(X, y, classes, sample_weight)
        self.t_ = self._states[0]["t"]
        return self

    partial_fit.__doc__ = OnlineModel.partial_fit.__doc__

    def _set_results(self, results, X, y):
        super()._set_results(results, X, y)
        before = getattr(self, "t_", 0) if self._goes_on else 0
        self.t_ = before + self.n_iter_ * -(-len(y) // min(self.batch_size, len(y)))


@dataclass(eq=False, repr=False)
class Perceptron(OnlineModel):
    """Rosenblatt's perceptron; parameters and attributes as in `fastsvm.PerceptronClassifier`."""

    _: KW_ONLY
    max_iter: int = 10
    tol: float | None = 1e-3
    n_iter_no_change: int | None = None
    averaging: str = "last"
    fit_intercept: bool = True
    early_stopping: bool = False
    validation_fraction: float = 0.1
    shuffle: bool = True
    class_weight: ClassWeight = None
    warm_start: bool = False
    n_jobs: int | None = None
    trace: bool = False
    verbose: bool = False
    random_state: EstimatorSeed = None

    def _check_params(self):
        super()._check_params()
        one_of("averaging", self.averaging, PERCEPTRON_OUTPUTS)

    def _solver_makers(self, X, y, sample_weight, max_iter, starts, relative=False):
        return super()._solver_makers(X, y, sample_weight, max_iter, starts, relative)

    def _make_solver(self, problem, random, max_iter, *, start=None):
        return PerceptronSolver(
            problem,
            fit_intercept=self.fit_intercept,
            max_iter=max_iter,
            averaging=self.averaging,
            order="permutation" if self.shuffle else AS_GIVEN,
            random=random,
            tol=self.tol,
            n_iter_no_change=self.n_iter_no_change or (USUAL_PATIENCE if self.early_stopping else None),
            start=start,
        )


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
