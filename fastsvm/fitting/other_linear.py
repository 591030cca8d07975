"""The other linear models, plain: Pegasos, the perceptron and the accelerated SDCA."""

from __future__ import annotations

from dataclasses import dataclass

from ..solvers.params import ASDCAParams, PegasosParams, PerceptronParams
from .linear_model import LinearModel, OnlineModel


@dataclass(eq=False, repr=False)
class Pegasos(OnlineModel, PegasosParams):
    """Pegasos, stochastic sub-gradient steps; parameters and attributes as in `fastsvm.PegasosClassifier`."""

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

    def _solver_makers(self, X, y, sample_weight, params, starts, relative=False):
        return super()._solver_makers(X, y, sample_weight, params, starts, relative)


@dataclass(eq=False, repr=False)
class ASDCA(LinearModel, ASDCAParams):
    """Accelerated mini-batch SDCA; parameters and attributes as in `fastsvm.ASDCAClassifier`."""

    def _set_results(self, results, X, y):
        super()._set_results(results, X, y)
        self._set_dual_coef(results, y)
