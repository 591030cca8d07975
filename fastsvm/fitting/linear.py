"""The plain model of SDCA, or Newton's method: `fastsvm.SDCAClassifier` without scikit-learn's contract."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .._utils.atomic import held
from ..solvers import as_rows
from ..solvers.params import SDCAParams
from .engine import workers_for
from .linear_model import LinearModel
from .one_vs_rest import all_or_nothing

if TYPE_CHECKING:
    from collections.abc import Callable
    from os import PathLike
    from typing import Self

    from ..solvers.annotations import ArrayLike, Matrix


@dataclass(eq=False, repr=False)
class SDCA(LinearModel, SDCAParams):
    """Dual coordinate ascent, or Newton's method; parameters, attributes as in `fastsvm.SDCAClassifier`."""

    @property
    def _joint(self):
        """Whether one problem has all classes."""
        return self.multi_class == "multinomial" and len(self.classes_) > 2

    @all_or_nothing
    def fit(
        self,
        X: Matrix,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        checkpoint: str | PathLike | None = None,
        rows_of: Callable[[int], Matrix] | None = None,
    ) -> Self:
        """Fit from scratch, or with `warm_start` from the last fit's solution.

        A fit that fails or is interrupted leaves the estimator as it was.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            float32 and float64, CSR or C-ordered, with int32 or int64 indices, are used without a copy;
            anything else is converted. The attributes take the dtype of X.
        y : array of shape (n_samples,)
            Labels of any kind, two classes or more.
        sample_weight : array of shape (n_samples,), default=None
            Non-negative weights c_i, multiplied by those of `class_weight` and then divided by their mean:
            2 is as a row twice, and 0 as none.
        checkpoint : str or path-like, default=None
            A file for the dual variables, 8 bytes a row and class, written every 10 seconds at most. If it is
            there, the fit goes on from it: it must be of the same rows, labels, weights, loss, alpha and
            intercept. A fit that is done leaves it, and has nothing to do the next time; remove it once the
            model is safe.
        rows_of : callable, default=None
            Of the k-th binary problem, the rows that it sees in place of X; made when its turn comes.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        ValueError
            On bad parameters, NaN or infinite values (with row and column), different lengths, a single
            class, or the checkpoint of another fit.
        BlockingIOError
            If another fit is writing the checkpoint.
        """
        self._rows_of = rows_of
        try:
            with held(checkpoint):
                return self._check_and_fit(X, y, sample_weight, checkpoint)
        finally:
            del self._rows_of

    def _make_checkpoint(self, path, rows, y, weights):
        if self._joint:
            raise ValueError("A checkpoint is of one-vs-rest fits: there is none with 'multinomial'.")
        if self.averaging != "last":
            raise ValueError("A checkpoint has the last iterate only: leave averaging at 'last'.")
        from .checkpoint import Checkpoint, fit_fingerprint

        objective = ("loss", "hinge_width", "alpha", "fit_intercept")
        own = {name: getattr(self, name) for name in objective}
        return Checkpoint(path, fit_fingerprint(rows, y, weights) | own)

    def _workers(self, rows):
        return workers_for(rows, self._threads())

    def _solver_makers(self, X, y, sample_weight, params, starts, relative=True):
        if not self._joint:
            return super()._solver_makers(X, y, sample_weight, params, starts)
        from ..solvers.multinomial_solver import MultinomialProblem, MultinomialSolver

        rows = as_rows(X, self._threads())
        places, weights = np.searchsorted(self.classes_, y), self._weights(y, sample_weight)

        def make(threads):
            problem = MultinomialProblem(rows, places, len(self.classes_), weights, threads)
            solver = MultinomialSolver(problem, params, starts(0))
            solver.kept_as = rows.unchecked_values.dtype
            return solver

        return [("all classes", make)]

    def _solver_starts(self, classes, n):
        scale = self._dual_scale(classes, n)
        if scale is None:
            return super()._solver_starts(classes, n)
        duals, intercepts = self.dual_coef_, self.intercept_
        if self.multi_class == "multinomial" and len(classes) > 2:
            return lambda k: (duals * scale, intercepts)
        return lambda k: (np.abs(duals[k]) * scale, float(intercepts[k]))

    def _set_results(self, results, X, y):
        super()._set_results(results, X, y)
        methods = [r.solver for r in results]
        self.solver_ = methods[0] if len(set(methods)) == 1 else methods
        self._remember_fit(len(y))
        if self._joint:
            self.dual_coef_ = results[0].dual / (self.alpha * len(y))
        else:
            self._set_dual_coef(results, y)
