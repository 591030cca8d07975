"""Fits of linear models: parameters, rows and labels in, a `LinearFit` out."""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import cache, partial, wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from .._utils.atomic import held
from .._utils.sparse import as_dense
from ..solvers import as_rows
from ..solvers._input import as_random, as_weights
from ..solvers._problem import Problem
from ..solvers._solver import Result, as_array
from ..solvers.make_solver import LinearParams, make_solver
from ..solvers.params import PegasosParams, SDCAParams
from .convergence_advice import FitEnd, warn_if_short
from .engine import solve_independent, workers_for
from .labels import Targets, as_coefficients, targets_of

if TYPE_CHECKING:
    from os import PathLike

    from ..solvers.annotations import ArrayLike, ArrayOrSparse

FAR = 10  # with an alpha up to this many times smaller, the last fit's dual variables are used unscaled
# Attributes of a fit that the next fit may lack.
OF_ONE_FIT = (
    *("calibration_", "squares_", "objective_", "dual_gap_", "history_", "dual_coef_", "_states"),
    *("thresholds_", "sparse_output_"),
)

Starts = Callable[[int], Any]
Makers = list[tuple[object, Callable[[int], Any]]]


Method = TypeVar("Method", bound=Callable[..., Any])


def all_or_nothing(fit: Method) -> Method:
    """Make a failed or interrupted `fit` leave the model as it was."""

    @wraps(fit)
    def safe_fit(self: Any, *args: Any, **kwargs: Any) -> Any:
        before = vars(self).copy()
        try:
            return fit(self, *args, **kwargs)
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise

    return cast(Method, safe_fit)


class Fit:
    """What a fit found. Models take it as attributes, which their predictions read."""

    def attributes(self) -> dict[str, Any]:
        """Return the attributes of a fitted model, by name."""
        raise NotImplementedError

    def set_attributes(self, model: Any) -> None:
        """Set these attributes of a model, and remove all of an earlier fit."""
        forget_fit(model)
        vars(model).update(self.attributes())


def forget_fit(model: Any) -> None:
    """Remove the attributes of a fit that the next fit may lack."""
    for name in OF_ONE_FIT:
        vars(model).pop(name, None)


def one_or_all(values: Any) -> Any:
    """Return the values of all problems; a single value alone, a number as a float."""
    if values is None or len(values) != 1:
        return values
    return float(values[0]) if isinstance(values, np.ndarray) else values[0]


def has_same_problems(model: Any, targets: Targets) -> bool:
    """Whether a model's last fit had these labels, and like them one or several per row."""
    return np.array_equal(targets.classes, getattr(model, "classes_", ())) and targets.is_several == hasattr(
        model, "thresholds_"
    )


def alpha_n_of_last_fit(model: Any, targets: Targets) -> float | None:
    """Return alpha n of a model's last fit, if `warm_start` asks for it, and labels and n are the same."""
    alpha_n: float | None = getattr(model, "_alpha_n", None) if getattr(model, "warm_start", False) else None
    same = alpha_n is not None and targets.n_rows == model._n_rows and has_same_problems(model, targets)
    return alpha_n if same and hasattr(model, "dual_coef_") else None


@dataclass(frozen=True)
class LinearFit(Fit):
    """What a fit of a linear model found; None for what its method does not find.

    Attributes
    ----------
    targets : Targets
        What was learned, and whether a row has one label or several.
    coef : ndarray of shape (n_scores, n_features), of the dtype of X
    intercept : ndarray of shape (n_scores,)
    n_iter : int, the epochs of the longest problem
    objective, gap : ndarray of shape (n_problems,)
    history : list of structured arrays, one per problem
    dual_coef : ndarray of shape (n_scores, n_rows), y_i b_i / (alpha n)
    solver : list of str, the methods used, one per problem
    alpha_n : float, alpha times the number of rows
    n_rows : int
    t : int, steps of Pegasos
    states : list of dict, from which `partial_fit` continues
    short : list of FitEnd, of the problems that ended above `tol`, except those that a callback stopped
    """

    targets: Targets
    coef: np.ndarray
    intercept: np.ndarray
    n_iter: int
    objective: np.ndarray | None = None
    gap: np.ndarray | None = None
    history: list[np.ndarray] | None = None
    dual_coef: np.ndarray | None = None
    solver: list[str] | None = None
    alpha_n: float | None = None
    n_rows: int | None = None
    t: int | None = None
    states: list[dict[str, Any]] | None = None
    short: list[FitEnd] = field(default_factory=list)

    def attributes(self) -> dict[str, Any]:  # noqa: D102 (inherited)
        found = {
            **self.targets.attributes(),
            "coef_": self.coef,
            "intercept_": self.intercept,
            "n_iter_": self.n_iter,
            "objective_": one_or_all(self.objective),
            "dual_gap_": one_or_all(self.gap),
            "history_": one_or_all(self.history),
            "dual_coef_": self.dual_coef,
            "solver_": self.solver[0] if self.solver and len(set(self.solver)) == 1 else self.solver,
            "t_": self.t,
            "_alpha_n": self.alpha_n,
            "_n_rows": self.n_rows,
            "_states": self.states,
        }
        return {name: value for name, value in found.items() if value is not None}


def fit_linear(
    params: LinearParams,
    X: Any,
    y: Any,
    sample_weight: ArrayLike | None = None,
    *,
    threads: int = 1,
    start_of: Callable[[Targets], Starts | None] | None = None,
    rows_of: Callable[[int], ArrayOrSparse] | None = None,
    checkpoint: str | PathLike[str] | None = None,
    keep_dual: bool = True,
    tasks: Any = None,
) -> LinearFit:
    """Fit a linear model: a binary problem for each class against the rest, or one problem for all classes.

    Parameters
    ----------
    params : SDCAParams, PegasosParams, PerceptronParams or ASDCAParams, checked
    X : ndarray or CSR matrix of shape (n, n_features), or Rows
    y : array of shape (n,), the labels; an indicator matrix of several labels per row; or Targets
    sample_weight : array of shape (n,), default=None
    threads : int, default=1
    start_of : callable, default=None
        From the targets to a function from k to the start of the k-th problem, or to None for zero.
    rows_of : callable, default=None
        From k to the rows of the k-th binary problem, instead of X; called when its turn comes.
    checkpoint : str or path-like, default=None
        The file that keeps the dual variables, and from which the fit resumes.
    keep_dual : bool, default=True
        False: drop the dual variables of each problem at its end, 8 bytes per row.
    tasks : TaskCallbacks, default=None

    Returns
    -------
    LinearFit

    Raises
    ------
    ValueError
        On invalid rows or labels, and if the checkpoint is of another fit.
    """
    validation, targets = None, targets_of(y)
    targets.warn_of_constants()
    if targets.is_several and is_joint(params, targets.classes):
        raise ValueError("multi_class='multinomial' needs one label per row; for several labels use 'ovr'.")
    if getattr(params, "early_stopping", False):
        X, targets, sample_weight, validation = _with_rows_held_out(params, X, targets, sample_weight)
    with nullcontext() if checkpoint is None else held(checkpoint):
        starts = None if start_of is None else start_of(targets)
        steps_before = starts(0)[-1] if starts is not None and isinstance(params, PegasosParams) else 0
        rows = as_rows(X, threads, params.is_dual)
        weights, kept = targets.weights_of(params.class_weight, sample_weight), None
        if checkpoint is not None:
            kept = _checkpoint_of(checkpoint, params, rows, targets, weights)
            starts = kept.starts(starts)
        makers = solver_makers(
            params, rows, targets, weights, threads, starts=starts, rows_of=rows_of, validation=validation
        )
        if tasks is not None:
            tasks.start([label for label, _ in makers], targets.classes)
        coef = np.empty((len(targets.labels), rows.n_columns), rows.unchecked_values.dtype)

        def kept_part(k: int, result: Result) -> Result:
            """Move the w of an ended problem into `coef`, so that no w is kept twice."""
            w = coef if result.w.ndim == 2 else coef[k]
            w[...] = as_coefficients(result.w, coef.dtype)
            return result._replace(w=w, dual=result.dual if keep_dual else None)

        watching = [each for each in (kept, tasks) if each is not None]
        results = solve_independent(
            makers,
            tol=params.gap_tol,
            trace=params.trace or params.verbose or tasks is not None,
            n_threads=workers_for(rows, threads) if isinstance(params, SDCAParams) else threads,
            verbose=params.verbose,
            kept=kept_part,
            watchers_of=lambda k: [each.watcher(k) for each in watching],
        )
        if kept is not None:
            kept.write()
    stopped = () if tasks is None else tasks.stopped
    fit = as_fit(targets, results, coef, params.gap_tol, stopped)
    n = targets.n_rows
    own: dict[str, Any] = {} if isinstance(params, SDCAParams) else {"solver": None}
    if isinstance(params, PegasosParams):
        own["t"] = steps_before + fit.n_iter * -(-n // min(params.batch_size, n))
    if params.is_dual:
        dual_coef = _dual_coef(params, targets, results) if keep_dual else None
        own |= {"dual_coef": dual_coef, "alpha_n": params.alpha * n, "n_rows": n}
    return replace(fit, **own)


def as_fit(
    targets: Targets,
    results: list[Result],
    coef: np.ndarray,
    tol: float | None,
    stopped: Collection[int] = (),
) -> LinearFit:
    """Return the LinearFit of results, one per problem.

    Parameters
    ----------
    targets : Targets
    results : list of Result
    coef : ndarray of shape (n_scores, n_features), their w in the dtype of X
    tol : float or None, the relative gap to reach
    stopped : the numbers of the problems that a callback has stopped
    """
    certified, short = results[0].gap is not None, []
    for k, result in enumerate(results):
        if tol is not None and result.gap is not None and not result.gap <= tol * result.objective:
            short += [FitEnd.of(result)] if k not in stopped else []
    return LinearFit(
        targets,
        coef,
        as_coefficients(np.hstack([result.intercept for result in results]), coef.dtype),
        max(result.n_iter for result in results),
        np.array([result.objective for result in results]),
        np.array([result.gap for result in results]) if certified else None,
        [as_array(result.history) for result in results],
        solver=[result.solver for result in results],
        short=short,
    )


def solver_makers(
    params: LinearParams,
    rows: Any,
    targets: Targets,
    weights: Callable[[int], np.ndarray | None],
    threads: int = 1,
    *,
    starts: Starts | None = None,
    rows_of: Callable[[int], ArrayOrSparse] | None = None,
    validation: tuple[Any, Targets, Any] | None = None,
    relative: bool = True,
) -> Makers:
    """Return for each problem its label and a function that makes its solver; rows are shared.

    Parameters
    ----------
    params, threads, rows_of : as in `fit_linear`
    rows : Rows
    targets : Targets
    weights : callable, from k to the weights of the rows in the k-th problem, or None
    starts : callable, default=None
        From k to the start of the k-th problem.
    validation : (Rows, Targets, weights), default=None
        Rows on which a solver measures its progress.
    relative : bool, default=True
        Divide the weights by their mean, if the method does.
    """
    if is_joint(params, targets.classes):
        return [("all classes", partial(_multinomial_solver, params, rows, targets, weights(0), starts))]
    n = len(targets.labels)
    # NumPy's generators take 8 ms to import, and Newton's method needs none.
    seeds = cache(lambda: as_random(params.random_state).randint(2**31 - 1, size=n))
    if not (isinstance(params.random_state, int) and 0 <= params.random_state < 1 << 32):
        seeds()  # they depend on the time of drawing, or the number is refused

    def make(k: int, threads: int) -> Any:
        own = rows if rows_of is None else as_rows(rows_of(k), threads, params.is_dual)
        relative_here = relative and params.relative_weights
        problem = Problem(own, targets.signs(k), weights(k), threads, relative=relative_here)
        start = None if starts is None else starts(k)
        solver: Any = make_solver(params, problem, lambda: np.array([seeds()[k]], np.uint64), start)
        solver.kept_as = rows.unchecked_values.dtype
        if validation is not None:
            held_rows, held_targets, held_weights = validation
            solver.progress.validation = Problem(held_rows, held_targets.signs(k), held_weights, threads)
        return solver

    return [(label, partial(make, k)) for k, label in enumerate(targets.labels)]


def is_joint(params: Any, classes: np.ndarray) -> bool:
    """Whether one problem has all classes."""
    return getattr(params, "multi_class", "ovr") == "multinomial" and len(classes) > 2


def _multinomial_solver(
    params: Any, rows: Any, targets: Targets, weights: Any, starts: Starts | None, threads: int
) -> Any:
    from ..solvers.multinomial_solver import MultinomialProblem, MultinomialSolver

    places = np.searchsorted(targets.classes, targets.y)
    problem: Any = MultinomialProblem(rows, places, len(targets.classes), weights, threads)
    solver: Any = MultinomialSolver(problem, params, None if starts is None else starts(0))
    solver.kept_as = rows.unchecked_values.dtype
    return solver


def _checkpoint_of(path: Any, params: Any, rows: Any, targets: Targets, weights: Any) -> Any:
    """The Checkpoint of a fit."""
    if is_joint(params, targets.classes):
        raise ValueError("A checkpoint does not support multi_class='multinomial': use 'ovr'.")
    if params.l1_share:
        raise ValueError(
            "A checkpoint keeps the dual variables, from which a fit with an l1 penalty cannot resume."
        )
    if params.averaging != "last":
        raise ValueError("A checkpoint keeps the last iterate only: leave averaging at 'last'.")
    from .checkpoint import Checkpoint, fit_fingerprint

    objective = ("loss", "hinge_width", "alpha", "fit_intercept")
    own = {name: getattr(params, name) for name in objective}
    return Checkpoint(path, fit_fingerprint(rows, targets, weights(0)) | own)


def _with_rows_held_out(params: Any, X: Any, targets: Targets, sample_weight: Any) -> Any:
    """Return X, labels and weights without the rows for early stopping; and the same for these rows."""
    weights = None if sample_weight is None else as_weights(sample_weight, targets.n_rows)
    seeds = as_random(params.random_state).randint(2**31 - 1, size=1)
    held_rows = targets.held_out(params.validation_fraction, np.random.default_rng(seeds))
    own, other = (
        [X[rows], targets.taken(rows), None if weights is None else weights[rows]]
        for rows in (~held_rows, held_rows)
    )
    return *own, (as_rows(other[0]), *other[1:])


def _dual_coef(params: Any, targets: Targets, results: list[Result]) -> np.ndarray:
    """y_i b_i / (alpha n), written over the solvers' b; for the multinomial, c_i (e_yi - p_i) / (alpha n)."""
    n = targets.n_rows
    duals = [np.asarray(result.dual) for result in results]
    if is_joint(params, targets.classes):
        return np.asarray(duals[0] / (params.alpha * n))
    dual_coef = duals[0][np.newaxis] if len(duals) == 1 else np.array(duals)
    for k, row in enumerate(dual_coef):
        row *= targets.signs(k)
        row /= params.alpha * n
    return dual_coef


def linear_warm_start(model: Any) -> Callable[[Targets], Starts | None] | None:
    """Return what SDCA starts from with `warm_start`: dual variables, if rows and labels are the same.

    With an l1 penalty, fits start from weights, if the last fit had this penalty, labels and columns.
    """
    if not model.warm_start:
        return None

    def start_of(targets: Targets) -> Starts | None:
        if model.penalty != "l2" and model._params.of(model).l1_share:
            l1 = getattr(model, "solver_", None) in ("columns", "newton")  # "newton" is for few columns
            if not l1 or not has_same_problems(model, targets):
                return None
            coef, intercept = as_dense(model.coef_).astype(float), model.intercept_.astype(float)
            return lambda k: (coef[k], float(intercept[k]))
        alpha_n = alpha_n_of_last_fit(model, targets)
        if alpha_n is None:
            return None
        # With a much smaller alpha, w(b) would be much too large. Coordinate steps correct some of it.
        far = FAR if model.solver_ == "coordinate" else 1
        alpha_n = min(alpha_n, far * model.alpha * targets.n_rows)
        duals, intercepts = model.dual_coef_, model.intercept_
        if is_joint(model, targets.classes):
            return lambda k: (duals * alpha_n, intercepts)
        return lambda k: (np.abs(duals[k]) * alpha_n, float(intercepts[k]))

    return start_of


def warn_if_linear_fit_is_short(
    fit: LinearFit, params: LinearParams, X: Any, category: type[Warning]
) -> None:
    """Warn of a fit that ended short of its tolerance, unless a callback ended it."""
    if fit.short:
        warn_if_short(fit.short, params.gap_tol, X, params.max_iter, category=category)
