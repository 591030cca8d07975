"""The base class of linear models: fitting and prediction."""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING

import numpy as np

from .._utils import sparse
from ..solvers import as_rows
from ..solvers._problem import Problem
from ..solvers._solver import as_array
from ..solvers._windows import blocks
from . import decision_scores
from .convergence_advice import ConvergenceWarning, FitEnd, warn_if_short
from .engine import solve_all
from .labels import as_coefficients, as_labels, classes_of, signs_of
from .one_vs_rest import OneVsRest, all_or_nothing, require_finite_rows

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

    from ..solvers.annotations import ArrayLike, Matrix

__all__ = ["LinearModel"]


class LinearModel(OneVsRest):
    """A linear classifier, binary or one-vs-rest, fitted by a `Solver`.

    A subclass has its parameters in `__init__` (with at least `class_weight`, `n_jobs`, `random_state`
    and `verbose`), checks them in `_check_params` and makes a solver in `_make_solver`.
    """

    coef_: np.ndarray | sparse.csr_array
    intercept_: np.ndarray
    dual_gap_: float | np.ndarray

    _tol = None
    """The relative gap at which to stop; None where there is no such stop."""

    _rows_of: Callable[[int], Matrix] | None = None
    """What gives the k-th binary problem rows of its own, during a fit; None where all have those of X."""

    _norms = True
    """Whether the solver reads the rows' norms."""

    def _make_solver(self, problem, random, max_iter, *, start=None):
        """A `Solver` of one binary problem, with a start if it can use one; `random()` is its state."""
        raise NotImplementedError

    def _solver_starts(self, classes, n):
        """For the k-th binary problem what to start from; None for zero."""
        return lambda k: None

    @property
    def _trace(self):
        return self.verbose or self.trace

    @all_or_nothing
    def fit(self, X: Matrix, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
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

        Returns
        -------
        self

        Raises
        ------
        ValueError
            On bad parameters, NaN or infinite values (with row and column), different lengths, or a
            single class.
        """
        return self._check_and_fit(X, y, sample_weight)

    def _check_and_fit(self, X, y, sample_weight, checkpoint=None):
        """Fit, called by `fit`."""
        self._check_params()
        X = self._checked(X)
        results = self._fit(X, as_labels(y, X.shape[0]), sample_weight, checkpoint=checkpoint)
        self._warn_if_short(results, X, ConvergenceWarning, stacklevel=5)
        return self

    def _make_checkpoint(self, path, rows, y, weights):
        """The `Checkpoint` of a fit, for models whose `fit` takes one."""
        raise NotImplementedError

    def _fit(self, X, y, sample_weight, watch=None, checkpoint=None):
        """Fit to what was checked; the Results.

        `watch` makes of the labels the `Tasks` of callbacks, or None.
        """
        classes = classes_of(y)
        starts = self._solver_starts(classes, len(y))
        self._set_classes(classes)
        rows, kept = as_rows(X, self._threads(), self._norms), None
        if checkpoint is not None:
            kept = self._make_checkpoint(checkpoint, rows, y, self._weights(y, sample_weight))
            starts = kept.starts(starts)
        solvers = self._solver_makers(rows, y, sample_weight, self.max_iter, starts)
        tasks = None if watch is None else watch([label for label, _ in solvers])
        results = solve_all(
            solvers,
            tol=self._tol,
            trace=self._trace or tasks is not None,
            n_threads=self._workers(rows),
            verbose=self.verbose,
            tasks=tasks,
            checkpoint=kept,
        )
        self._set_results(results, X, y)
        if tasks is not None:
            tasks.finish()
            results = [result for k, result in enumerate(results) if k not in tasks.stopped]
        return results

    def _workers(self, rows):
        """The threads of a fit to these `Rows`."""
        return self._threads()

    def _warn_if_short(self, results, X, category, stacklevel):
        if self._tol is not None:
            ended = [*map(FitEnd.of, results)]
            warn_if_short(ended, self._tol, X, self.max_iter, category=category, stacklevel=stacklevel + 1)

    def _solver_makers(self, X, y, sample_weight, max_iter, starts, relative=True):
        """For each binary problem its label and what makes its solver; rows and weights are shared."""
        rows = as_rows(X, self._threads(), self._norms)
        weights = self._weights(y, sample_weight)
        labels = self._positive_labels()
        # NumPy's generators take 8 ms to import, and Newton's method needs none.
        seeds = cache(partial(self._seeds, len(labels)))
        if not (isinstance(self.random_state, int) and 0 <= self.random_state < 1 << 32):
            seeds()  # they depend on when they are drawn, or the number is refused

        def draw(k):
            return np.array([seeds()[k]], np.uint64)

        def make(k, threads):
            own = rows if self._rows_of is None else as_rows(self._rows_of(k), threads, self._norms)
            problem = Problem(own, signs_of(y, labels[k]), weights, threads, relative=relative)
            return self._make_solver(problem, partial(draw, k), max_iter, start=starts(k))

        return [(label, partial(make, k)) for k, label in enumerate(labels)]

    def _set_results(self, results, X, y):
        for stale in ("calibration_", "squares_"):  # of other scores
            vars(self).pop(stale, None)
        self.coef_ = as_coefficients(np.vstack([r.w for r in results]), X.dtype)
        self.intercept_ = as_coefficients(np.hstack([r.intercept for r in results]), X.dtype)
        self.n_iter_ = max(r.n_iter for r in results)
        binary = len(results) == 1
        histories = [as_array(r.history) for r in results]
        self.history_ = histories[0] if binary else histories
        self.objective_ = results[0].objective if binary else np.array([r.objective for r in results])
        if results[0].gap is not None:
            self.dual_gap_ = results[0].gap if binary else np.array([r.gap for r in results])

    def _set_dual_coef(self, results, y):
        """y_i b_i / (alpha n), written over the solvers' b."""
        duals = [r.dual for r in results]
        self.dual_coef_ = duals[0][np.newaxis] if len(duals) == 1 else np.array(duals)
        for row, label in zip(self.dual_coef_, self._positive_labels(), strict=True):
            row *= signs_of(y, label)
            row /= self.alpha * len(y)

    def decision_function(self, X: Matrix) -> np.ndarray:
        """Signed scores w.x + b0.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or, for more than two classes, (n_samples, n_classes)
            Of two classes, above 0 means `classes_[1]`.

        Notes
        -----
        Memory-mapped rows are read some at a time, and do not stay in memory.
        """
        found = []
        for rows in blocks(X):
            try:
                found.append(self._scores(rows))
            except ValueError:
                if rows is not X:
                    as_rows(X)  # says where in all of X
                raise
        return found[0] if len(found) == 1 else np.concatenate(found)

    def _scores(self, X):
        X = self._checked(X, reset=False)
        found = decision_scores.decision_scores(
            X, self.coef_, self.intercept_, getattr(self, "squares_", None)
        )
        # SciPy multiplies every value, so that NaN shows in the scores, unless both factors are sparse.
        require_finite_rows(X, found if sparse.issparse(X) and not sparse.issparse(self.coef_) else X)
        return found

    @property
    def _dense_coef(self):
        return self.coef_.toarray() if sparse.issparse(self.coef_) else self.coef_

    def sparsify(self) -> Self:
        """Make `coef_` a CSR array, which is smaller where more than half of the weights are 0.

        Predictions are the same up to rounding. A file has the dense `coef_`, and further fits make it.

        Returns
        -------
        self
        """
        self._require_fitted()
        self.coef_ = sparse.csr_array(self.coef_)
        return self

    def densify(self) -> Self:
        """Make `coef_` an ndarray again, as it is after a fit.

        Returns
        -------
        self
        """
        self._require_fitted()
        self.coef_ = self._dense_coef
        return self

    def _require_fitted(self):
        if not hasattr(self, "coef_"):
            raise AttributeError(f"This {type(self).__name__} is not fitted yet: call fit first.")
