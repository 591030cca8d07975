"""Stochastic steps that continue from a given start, from the last fit, or batch by batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .._utils.sparse import as_dense
from ..solvers import as_rows
from ..solvers.params import PegasosParams, PerceptronParams
from .fit import LinearFit, Starts, has_same_problems, solver_makers
from .labels import Targets, as_coefficients, as_start, batch_targets

if TYPE_CHECKING:
    from ..solvers.annotations import ArrayLike


def online_start(
    model: Any, coef_init: ArrayLike | None, intercept_init: ArrayLike | None
) -> Callable[[Targets], Starts | None]:
    """Return where a fit starts from: what is given, or with `warm_start` where the model's last fit ended.

    The model knows the number of columns already.
    """

    def start_of(targets: Targets) -> Starts | None:
        coef, intercept, t, n_columns = coef_init, intercept_init, 0, model.n_features_in_
        if coef is None and intercept is None:
            same = model.warm_start and has_same_problems(model, targets)
            if not same or model.coef_.shape[1] != n_columns:
                return None
            coef, intercept, t = as_dense(model.coef_), model.intercept_, getattr(model, "t_", 0)
        n_problems = len(targets.labels)
        w = as_start("coef_init", coef, (n_problems, n_columns))
        b = as_start("intercept_init", intercept, (n_problems,))
        return lambda k: (w[k], float(b[k]), t)

    return start_of


def require_batches(params: PegasosParams | PerceptronParams) -> None:
    """Raise a ValueError if these parameters need all rows at once."""
    if params.early_stopping:
        raise ValueError("early_stopping=True needs all rows: use fit.")
    if params.fit_intercept == "search":
        raise ValueError("fit_intercept='search' needs all rows: use fit.")


def fit_batch(
    params: PegasosParams | PerceptronParams,
    model: Any,
    X: Any,
    y: Any,
    classes: ArrayLike | None,
    sample_weight: ArrayLike | None,
    threads: int,
    first: dict[str, Any] | None = None,
) -> LinearFit:
    """Make one pass over rows from a model's state; the LinearFit has the new states and no objective.

    Parameters
    ----------
    params : PegasosParams or PerceptronParams, of one epoch, checked
    model : fitted or not; it is not changed
    X, y, sample_weight, threads : as in `fit_linear`
    classes : array of shape (n_classes,), default=None
        All labels of all batches; required if the model is not fitted.
    first : dict, default=None
        Entries of the solvers' state at the first batch, or at the first after a fit.
    """
    targets = batch_targets(model, y, X.shape[0], classes, params.class_weight)
    rows = as_rows(X, threads, params.is_dual)
    weights = targets.weights_of(params.class_weight, sample_weight)
    makers = solver_makers(params, rows, targets, weights, threads, relative=False)
    points, states = [], []
    for (_, make), state in zip(makers, _states_of(model, len(makers), first), strict=True):
        solver = make(1)
        solver.resume(state)
        solver.run_epoch()
        points.append(solver.output())
        states.append(solver.snapshot())
    dtype = model.coef_.dtype if hasattr(model, "coef_") else X.dtype
    return LinearFit(
        targets,
        as_coefficients([w for w, _ in points], dtype),
        as_coefficients([intercept for _, intercept in points], dtype),
        getattr(model, "n_iter_", 0) + 1,
        t=states[0]["t"] if isinstance(params, PegasosParams) else None,
        states=states,
    )


def _states_of(model: Any, n: int, first: dict[str, Any] | None) -> list[dict[str, Any] | None]:
    """Return the states in which n problems continue: after the last batch, a fit, or at zero."""
    if states := getattr(model, "_states", None):
        return list(states)
    if not hasattr(model, "coef_"):
        return [first] * n
    return [
        {**(first or {}), "w": w, "intercept": float(intercept), "t": int(getattr(model, "t_", 0))}
        for w, intercept in zip(as_dense(model.coef_), model.intercept_, strict=True)
    ]
