"""The plain linear models: parameters and predictions of `fastsvm.SDCAClassifier` and its siblings.

They do not follow scikit-learn's contract, and import nothing from it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..solvers.params import (
    ASDCAFields,
    ASDCAParams,
    PegasosFields,
    PegasosParams,
    PerceptronFields,
    PerceptronParams,
    SDCAFields,
    SDCAParams,
)
from .convergence_advice import ConvergenceWarning
from .fit import all_or_nothing, fit_linear, linear_warm_start, warn_if_linear_fit_is_short
from .labels import as_targets
from .online import fit_batch, online_start, require_batches
from .plain_model import PlainModel
from .prediction import LinearPrediction

if TYPE_CHECKING:
    from collections.abc import Callable
    from os import PathLike
    from typing import Any, Self

    from ..solvers.annotations import ArrayLike, ArrayOrSparse


class PlainLinear(PlainModel, LinearPrediction):
    """A linear model without scikit-learn's contract: `fit_linear` with checks of X and y."""

    @all_or_nothing
    def _fit(self, X: Any, y: Any, sample_weight: Any, **options: Any) -> Self:
        """Fit, called by `fit`, with these options of `fit_linear`."""
        params, X = self._params.of(self), self._checked(X)
        y = as_targets(y, X.shape[0])
        fit = fit_linear(params, X, y, sample_weight, threads=self._threads(), **options)
        warn_if_linear_fit_is_short(fit, params, X, ConvergenceWarning)
        fit.set_attributes(self)
        return self


class SDCA(PlainLinear, SDCAFields):
    """SDCA or Newton's method; parameters and attributes as in `fastsvm.SDCAClassifier`."""

    _params = SDCAParams

    def fit(
        self,
        X: ArrayOrSparse,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        checkpoint: str | PathLike[str] | None = None,
        rows_of: Callable[[int], ArrayOrSparse] | None = None,
        keep_dual: bool = True,
    ) -> Self:
        """Fit from scratch, or with `warm_start` from the last fit's solution.

        A fit that fails or is interrupted leaves the model as it was.

        Parameters
        ----------
        X, y, sample_weight, checkpoint : as in `fastsvm.SDCAClassifier.fit`
            Rows, labels, weights and a file.
            To name several labels per row, pass y as `LabelSets(indicator, names)`.
        rows_of : callable, default=None
            From k to the rows of the k-th binary problem, instead of X; called when its turn comes.
        keep_dual : bool, default=True
            False: drop `dual_coef_`, 8 bytes per row and problem, which warm starts need.

        Returns
        -------
        self
            The fitted model.
        """
        start_of = linear_warm_start(self)
        options = {"rows_of": rows_of, "checkpoint": checkpoint, "keep_dual": keep_dual}
        return self._fit(X, y, sample_weight, start_of=start_of, **options)


class ASDCA(PlainLinear, ASDCAFields):
    """Accelerated mini-batch SDCA; parameters and attributes as in `fastsvm.ASDCAClassifier`."""

    _params = ASDCAParams

    def fit(self, X: ArrayOrSparse, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit from scratch.

        Parameters
        ----------
        X, y, sample_weight : as in `fastsvm.ASDCAClassifier.fit`
            Rows, labels and weights.

        Returns
        -------
        self
            The fitted model.
        """
        return self._fit(X, y, sample_weight)


class OnlineModel(PlainLinear):
    """A plain linear model that can also learn batch by batch."""

    def fit(
        self,
        X: ArrayOrSparse,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        coef_init: ArrayLike | None = None,
        intercept_init: ArrayLike | None = None,
    ) -> Self:
        """Fit from zero, from a given start, or with `warm_start` from the last fit's solution.

        A fit that fails or is interrupted leaves the model as it was.

        Parameters
        ----------
        X, y, sample_weight, coef_init, intercept_init : as in `fastsvm.PegasosClassifier.fit`

        Returns
        -------
        self
        """
        return self._fit(X, y, sample_weight, start_of=online_start(self, coef_init, intercept_init))

    @all_or_nothing
    def partial_fit(
        self,
        X: ArrayOrSparse,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Make one pass over X, continuing from where the last call, or `fit`, stopped.

        Parameters
        ----------
        X, y, classes, sample_weight : as in `fastsvm.PegasosClassifier.partial_fit`

        Returns
        -------
        self
        """
        params = self._params.of(self, max_iter=1)
        require_batches(params)
        X = self._checked(X, reset=not hasattr(self, "classes_"))
        fit_batch(params, self, X, y, classes, sample_weight, self._threads()).set_attributes(self)
        return self


class Pegasos(OnlineModel, PegasosFields):
    """Pegasos, stochastic sub-gradient steps; parameters and attributes as in `fastsvm.PegasosClassifier`."""

    _params = PegasosParams


class Perceptron(OnlineModel, PerceptronFields):
    """Rosenblatt's perceptron; parameters and attributes as in `fastsvm.PerceptronClassifier`."""

    _params = PerceptronParams
