"""Models of the options of `fit` and `cv`, and their cross-validation."""

from collections.abc import Callable, Sequence
from typing import Any

from ...common.errors import USAGE, AppError

# LIBLINEAR's numbers.
SOLVER_TYPES = {"0": "log", "1": "squared_hinge", "2": "squared_hinge", "3": "hinge", "7": "log"}


def make_model(
    y,
    *,
    cost: float,
    loss: str | None = None,
    solver_type: str | None = None,
    weight: Sequence[tuple[str, float]] = (),
    kernel: str = "linear",
    gamma: float | None = None,
    degree: int = 3,
    coef0: float = 0.0,
    seed: int = 0,
    no_intercept: bool = False,
    **parameters: Any,
):
    """Return the model, not fitted, that minimises 1/2 ||w||^2 + C sum_i c_i phi(y_i (w.x_i + b0)).

    Parameters
    ----------
    y : ndarray
        The labels of the rows it will be fitted to.
    cost : float
        C.
    loss, solver_type
        A loss, or LIBLINEAR's number of it; by default squared_hinge or, with a kernel, hinge.
    weight : pairs of a label, as text, and its c_i
    kernel, gamma, degree, coef0, **parameters
        As of `fastsvm.fitting.KernelSDCA`, but kernel="linear" is an `SDCA`.
    """
    import numpy as np

    from fastsvm import fitting

    if solver_type is not None and loss not in (None, SOLVER_TYPES[solver_type]):
        raise AppError(f"-s {solver_type} and --loss {loss} differ; give one of them", USAGE)
    by_label, total = {}, float(len(y))
    if weight:
        labels, counts = np.unique(y, return_counts=True)
        by_label = {_label_of(text, labels): value for text, value in weight}
        total = counts @ [by_label.get(label, 1.0) for label in labels.tolist()]
    loss = loss or SOLVER_TYPES.get(solver_type) or ("squared_hinge" if kernel == "linear" else "hinge")
    parameters |= {"loss": loss, "alpha": 1 / (cost * total), "class_weight": by_label or None}
    parameters |= {"random_state": seed, "fit_intercept": not no_intercept}
    if kernel == "linear":
        return fitting.SDCA(**parameters)
    given = {"gamma": gamma or "scale", "degree": degree, "coef0": coef0}
    return fitting.KernelSDCA(kernel, **given, **parameters)


def _label_of(text: str, labels):
    known = {str(label): label for label in labels.tolist()}
    if (name := text.removeprefix("+")) not in known:
        raise AppError(f"-w {text}: no row has this label; there are {', '.join([*known][:10])}", USAGE)
    return known[name]


def cross_validate(
    X, y, folds: int, costs: Sequence[float], advance: Callable[[], None], seed: int, **options
):
    """Return the share of right predictions of each fold for each C: an array (n_costs, n_folds)."""
    import numpy as np

    from ...common.folds import stratified_folds

    shares = np.empty((len(costs), folds))
    for fold, (train, test) in enumerate(stratified_folds(y, folds, seed)):
        X_train, X_test, model = X[train], X[test], None
        for place in np.argsort(costs):  # each begins with the solution of the one before
            made = make_model(y[train], cost=costs[place], seed=seed, warm_start=True, **options)
            model = model.set_params(alpha=made.alpha) if model is not None else made
            model.fit(X_train, y[train])
            shares[place, fold] = np.mean(model.predict(X_test) == y[test])
            advance()
    return shares
