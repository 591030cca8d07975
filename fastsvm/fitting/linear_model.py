"""The base classes of linear models: fitting and prediction."""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING

import numpy as np

from .._utils import sparse
from ..solvers import as_rows
from ..solvers._input import as_weights
from ..solvers._problem import Problem
from ..solvers._progress import Start
from ..solvers._solver import as_array
from ..solvers._windows import blocks
from . import decision_scores
from .convergence_advice import FitEnd, warn_if_short
from .engine import solve_all
from .labels import as_coefficients, as_labels, as_start, classes_of, held_out, signs_of
from .one_vs_rest import OneVsRest, all_or_nothing, require_finite_rows

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

    from ..solvers.annotations import ArrayLike, Matrix


class LinearModel(OneVsRest):
    """A linear classifier, binary or one-vs-rest, fitted by a `Solver`.

    A subclass has the fields of its `Params`.
    """

    coef_: np.ndarray | sparse.csr_array
    intercept_: np.ndarray
    dual_gap_: float | np.ndarray
    checked: Callable

    _rows_of: Callable[[int], Matrix] | None = None
    """What gives the k-th binary problem rows of its own, during a fit; None where all have those of X."""

    def _solver_starts(self, classes, n):
        """For the k-th binary problem what to start from; None for zero."""
        return lambda k: None

    def _check_params(self):
        self.checked()

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
        self._warn_if_short(results, X)
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
        rows, kept = as_rows(X, self._threads(), self.needs_norms), None
        if checkpoint is not None:
            kept = self._make_checkpoint(checkpoint, rows, y, self._weights(y, sample_weight))
            starts = kept.starts(starts)
        solvers = self._solver_makers(rows, y, sample_weight, self.checked(), starts)
        tasks = None if watch is None else watch([label for label, _ in solvers])
        watching = [each for each in (kept, tasks) if each is not None]
        results = solve_all(
            solvers,
            tol=self.gap_tol,
            trace=self._trace or tasks is not None,
            n_threads=self._workers(rows),
            verbose=self.verbose,
            watchers_of=lambda k: [each.watcher(k) for each in watching],
        )
        if kept is not None:
            kept.finish()
        self._set_results(results, X, y)
        if tasks is not None:
            tasks.finish()
            results = [result for k, result in enumerate(results) if k not in tasks.stopped]
        return results

    def _workers(self, rows):
        """The threads of a fit to these `Rows`."""
        return self._threads()

    def _warn_if_short(self, results, X):
        if self.gap_tol is not None:
            ended = [*map(FitEnd.of, results)]
            warn_if_short(ended, self.gap_tol, X, self.max_iter, category=self._warning)

    def _solver_makers(self, X, y, sample_weight, params, starts, relative=True):
        """For each binary problem its label and what makes its solver; rows and weights are shared."""
        rows = as_rows(X, self._threads(), self.needs_norms)
        weights = self._weights(y, sample_weight)
        labels = self._positive_labels()
        # NumPy's generators take 8 ms to import, and Newton's method needs none.
        seeds = cache(partial(self._seeds, len(labels)))
        if not (isinstance(self.random_state, int) and 0 <= self.random_state < 1 << 32):
            seeds()  # they depend on when they are drawn, or the number is refused

        def draw(k):
            return np.array([seeds()[k]], np.uint64)

        def make(k, threads):
            own = rows if self._rows_of is None else as_rows(self._rows_of(k), threads, self.needs_norms)
            problem = Problem(own, signs_of(y, labels[k]), weights, threads, relative=relative)
            solver = params.make_solver(problem, partial(draw, k), starts(k))
            solver.kept_as = rows.unchecked_values.dtype
            return solver

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


class OnlineModel(LinearModel):
    """A linear model that can also learn batch by batch."""

    early_stopping: bool
    validation_fraction: float
    warm_start: bool

    _init: tuple[ArrayLike | None, ArrayLike | None] = None, None
    _held_out: tuple | None = None
    """The rows, labels and weights by which a fit that stops early sees whether it gets on."""

    _goes_on = False
    """Whether the fit started from the last one."""

    @all_or_nothing
    def fit(
        self,
        X: Matrix,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        coef_init: ArrayLike | None = None,
        intercept_init: ArrayLike | None = None,
    ) -> Self:
        """Fit from zero, from a given start, or with `warm_start` from the last fit's solution.

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
        coef_init : array of the shape of `coef_`, default=None
            Weights to start from. Steps are as short as after an epoch, so that the start is not lost.
        intercept_init : array of the shape of `intercept_`, default=None
            Intercepts to start from.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            On bad parameters, NaN or infinite values (with row and column), different lengths, or a
            single class.
        """
        return self._fit_from(X, y, sample_weight, coef_init, intercept_init)

    def _fit_from(self, X, y, sample_weight, coef_init, intercept_init):
        """Fit, called by `fit`."""
        self._init = coef_init, intercept_init
        try:
            return self._check_and_fit(X, y, sample_weight)
        finally:
            for name in ("_init", "_held_out", "_goes_on"):
                vars(self).pop(name, None)

    def _fit(self, X, y, sample_weight, watch=None, checkpoint=None):
        if self.early_stopping:
            weights = None if sample_weight is None else as_weights(sample_weight, len(y))
            held = held_out(y, self.validation_fraction, np.random.default_rng(self._seeds(1)))
            self._held_out, *kept = (
                [part if part is None else part[rows] for part in (X, y, weights)] for rows in (held, ~held)
            )
            [[X, y, sample_weight]] = kept
        return super()._fit(X, y, sample_weight, watch, checkpoint)

    def _solver_makers(self, X, y, sample_weight, params, starts, relative=True):
        makers = super()._solver_makers(X, y, sample_weight, params, starts, relative)
        if self._held_out is None:
            return makers
        X_held, y_held, weights = self._held_out
        rows = as_rows(X_held, self._threads(), norms=False)

        def make(label, make_solver, threads):
            solver = make_solver(threads)
            solver.progress.validation = Problem(rows, signs_of(y_held, label), weights, threads)
            return solver

        labels = self._positive_labels()
        return [
            (name, partial(make, label, make_solver))
            for label, (name, make_solver) in zip(labels, makers, strict=True)
        ]

    def _solver_starts(self, classes, n):
        coef, intercept = self._init
        same = self.warm_start and np.array_equal(classes, getattr(self, "classes_", None))
        self._goes_on = coef is None and intercept is None and same and self._same_columns()
        if self._goes_on:
            coef, intercept, t = self._dense_coef, self.intercept_, getattr(self, "t_", 0)
        elif coef is None and intercept is None:
            return super()._solver_starts(classes, n)
        else:
            t = 0
        n_problems = 1 if len(classes) == 2 else len(classes)
        coef = as_start("coef_init", coef, (n_problems, self.n_features_in_))
        intercept = as_start("intercept_init", intercept, (n_problems,))
        return lambda k: Start(coef[k], float(intercept[k]), t)

    def _same_columns(self):
        return getattr(self, "coef_", np.empty((0, 0))).shape[1] == self.n_features_in_

    def partial_fit(
        self,
        X: Matrix,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Make one pass over X, continuing from where the last call, or `fit`, stopped.

        After `fit` it starts from `coef_` and `intercept_` (and Pegasos from step `t_`). With averaging,
        the average goes over the steps made in `partial_fit`. There is no objective or gap, which would
        be those of this batch alone.

        Parameters
        ----------
        X, y, sample_weight : as in `fit`
        classes : array of shape (n_classes,), default=None
            All labels that will ever come; needed in the first call. `class_weight="balanced"` needs
            `fit`.

        Returns
        -------
        self
        """
        if self.early_stopping:
            raise ValueError("early_stopping=True needs all rows: use fit.")
        X, y, first = self._begin_batch(X, y, classes)
        params = self.checked(max_iter=1)
        solvers = self._solver_makers(X, y, sample_weight, params, lambda k: None, relative=False)
        states = getattr(self, "_states", None) or self._initial_states(len(solvers))
        points = []
        for k, (_, make) in enumerate(solvers):
            solver = make(1)
            solver.resume(states[k])
            solver.run_epoch()
            states[k] = solver.snapshot()
            points.append(solver.output())
        dtype = X.dtype if first else self.coef_.dtype
        coef = as_coefficients([w for w, _ in points], dtype)
        self.intercept_ = as_coefficients([intercept for _, intercept in points], dtype)
        self.coef_, self._states = coef, states
        self.n_iter_ = getattr(self, "n_iter_", 0) + 1
        for stale in ("calibration_", "squares_", "objective_", "dual_gap_", "history_"):
            self.__dict__.pop(stale, None)
        return self

    def _checked_batch(self, X, y, first):
        X = self._checked(X, reset=first)
        return X, as_labels(y, X.shape[0])

    def _initial_states(self, n):
        if not hasattr(self, "coef_"):
            return [None] * n
        return [
            {"w": w, "bias": float(intercept), "t": getattr(self, "t_", 0)}
            for w, intercept in zip(self._dense_coef, self.intercept_, strict=True)
        ]

    def _set_results(self, results, X, y):
        super()._set_results(results, X, y)
        self._states = None
