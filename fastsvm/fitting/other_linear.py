"""The other linear models, plain: Pegasos, the perceptron and the accelerated SDCA."""

from __future__ import annotations

from dataclasses import dataclass

from ..solvers.asdca_solver import ASDCASolver
from ..solvers.losses import as_loss
from ..solvers.params import (
    AS_GIVEN,
    USUAL_PROGRESS,
    ASDCAParams,
    PegasosParams,
    PerceptronParams,
    as_theta,
)
from ..solvers.pegasos_solver import PegasosSolver
from ..solvers.perceptron_solver import PerceptronSolver
from .linear_model import LinearModel, OnlineModel


@dataclass(eq=False, repr=False)
class Pegasos(OnlineModel, PegasosParams):
    """Pegasos, stochastic sub-gradient steps; parameters and attributes as in `fastsvm.PegasosClassifier`."""

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
            n_iter_no_change=self.patience,
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
class Perceptron(OnlineModel, PerceptronParams):
    """Rosenblatt's perceptron; parameters and attributes as in `fastsvm.PerceptronClassifier`."""

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
            n_iter_no_change=self.patience,
            start=start,
        )


@dataclass(eq=False, repr=False)
class ASDCA(LinearModel, ASDCAParams):
    """Accelerated mini-batch SDCA; parameters and attributes as in `fastsvm.ASDCAClassifier`."""

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
