"""The plain models that can also learn batch by batch: Pegasos and the perceptron."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ..solvers import as_rows
from ..solvers._input import as_first_averaged, as_weights, one_of, positive
from ..solvers._problem import Problem
from ..solvers._progress import Start
from ..solvers.losses import PEGASOS_LOSSES
from ..solvers.pegasos_solver import PEGASOS_ORDERS, PEGASOS_OUTPUTS, PegasosSolver, as_intercept
from ..solvers.perceptron_solver import PERCEPTRON_OUTPUTS, PerceptronSolver
from .labels import as_coefficients, as_labels, as_start, held_out, signs_of
from .linear_model import LinearModel
from .one_vs_rest import FLAGS, all_or_nothing

if TYPE_CHECKING:
    from typing import Self

    from ..solvers.annotations import ArrayLike, ClassWeight, EstimatorSeed, Matrix

__all__ = ["OnlineModel", "Pegasos", "Perceptron"]

AS_GIVEN = "given"  # an order that a solver leaves as it is
USUAL_PROGRESS, USUAL_PATIENCE = 1e-3, 5  # with early stopping: of the error in an epoch, and in epochs


class OnlineModel(LinearModel):
    """A linear model that can also learn batch by batch."""

    early_stopping: bool
    validation_fraction: float
    warm_start: bool

    _norms = False
    _init: tuple[ArrayLike | None, ArrayLike | None] = None, None
    _held_out: tuple | None = None
    """The rows, labels and weights by which a fit that stops early sees whether it gets on."""

    _goes_on = False
    """Whether the fit started from the last one."""

    def _check_params(self):
        super()._check_params()
        if not 0 < positive("validation_fraction", self.validation_fraction) < 1:
            raise ValueError(f"validation_fraction must be below 1; got {self.validation_fraction!r}.")

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

    def _solver_makers(self, X, y, sample_weight, max_iter, starts, relative=True):
        makers = super()._solver_makers(X, y, sample_weight, max_iter, starts, relative)
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
        solvers = self._solver_makers(X, y, sample_weight, 1, lambda k: None, relative=False)
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
