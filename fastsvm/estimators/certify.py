"""A proof of a fitted classifier's distance from the optimum of its objective."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils import compute_class_weight
from sklearn.utils.validation import check_is_fitted

from .._utils.sparse import as_dense
from .._utils.warnings import warn_user
from ..fitting.certificate import (
    TINY,
    Certificate,
    certificate_bracket,
    dual_of_scores,
    l1_bracket,
    multinomial_bracket,
)
from ..fitting.labels import as_targets
from ..fitting.prediction import LinearPrediction, has_several_labels, is_multinomial
from ..solvers._input import as_alpha, as_matrix, as_state, as_weights, one_of, positive
from ..solvers._problem import Problem
from ..solvers._scores import scores_of
from ..solvers.losses import PEGASOS_LOSSES
from ..solvers.multinomial_solver import MultinomialProblem, MultinomialSolver
from ..solvers.params import PENALTIES, SDCAParams, as_l1_ratio
from .base import ConvergenceWarning

if TYPE_CHECKING:
    from ..solvers.annotations import ArrayLike, ArrayOrSparse, Seed


def certify(
    model: object,
    X: ArrayOrSparse,
    y: ArrayLike,
    *,
    loss: str | None = None,
    alpha: float | None = None,
    penalty: str | None = None,
    l1_ratio: float | None = None,
    intercept: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    accuracy: float = 2.0,
    tol: float = 1e-8,
    max_iter: int = 1000,
    random_state: Seed = None,
) -> Certificate:
    """Prove a bound on how much lower the objective of a linear classifier could be.

    For each class against the rest the objective is::

        P(w, b0) = alpha/2 ||w||^2 + 1/n sum_i c_i phi(y_i (w.x_i + b0))

    Other penalties are as in `SDCAClassifier`. Here x_i is row i of X, y_i its label (1 for the class, -1 for
    the rest), c_i its weight (1 by default), n the number of rows, phi the loss, and w and b0 the model's
    weights and intercept. Any dual feasible b gives a lower bound D(b) <= min P, where D is the dual
    objective. The first b follows from the classifier's margins; then SDCA, or Newton's method if there are
    few columns, improves b until the bound is tight enough. An `SDCAClassifier` with
    multi_class="multinomial" has one problem for all classes, which is certified as such.

    Parameters
    ----------
    model : fitted classifier, or array of shape (n_features,) or (n_classes, n_features)
        `certify` reads the objective of LinearSVC, LogisticRegression, SGDClassifier, SVC with a linear
        kernel and fastsvm's models: loss, alpha or C = 1/(alpha n), class weights, and whether the intercept
        is regularised, as in LIBLINEAR. Other models with `coef_`, and bare coefficients, need `loss` and
        `alpha`.
    X : array or sparse matrix of shape (n_samples, n_features)
        The rows of the model's fit. They are copied only if LIBLINEAR's intercept needs another column.
    y : array of shape (n_samples,)
        Labels. If `model` is one row of coefficients, the larger of two labels is +1; several rows belong to
        the sorted labels.
    loss : {"hinge", "squared_hinge", "smooth_hinge", "log", "modified_huber"}, default=None
    alpha : float > 0, default=None
        Loss and alpha to use instead of the model's, to certify another objective. With both given, the
        model's penalty is ignored.
    penalty : {"l2", "l1", "elasticnet"}, default=None
        Penalty to use instead of the model's; with `loss` and `alpha`, "l2" by default.
    l1_ratio : float from 0 to 1, default=None
        The share of the l1 norm in the elastic net, 0.5 by default.
    intercept : float or array of shape (n_classes,), default=None
        b0 of bare coefficients, not regularised. None: the objective has no intercept.
    sample_weight : array of shape (n_samples,), default=None
        The sample weights of the model's fit; the model's class weights multiply them.
    accuracy : float > 1, default=2.0
        Stop when the gap is proven to be at most `accuracy` times the true distance.
    tol : float > 0, default=1e-8
        Stop when the relative gap is at most `tol`: the model is nearly optimal.
    max_iter : int, default=1000
        Maximum number of epochs for each class.
    random_state : int, numpy Generator or None, default=None
        Seed of all random choices.

    Returns
    -------
    Certificate
        Named tuple (loss, alpha, classes, objective, bound, attained, n_iter) with the properties `gap`,
        `gap_at_least` and `relative_gap`; it prints as a table.

    Raises
    ------
    ValueError
        If the model has an unsupported objective, or an argument is invalid. The message names the argument.

    Warns
    -----
    ConvergenceWarning
        If `max_iter` epochs, or double precision, were not enough. The returned bound is still proven.

    Notes
    -----
    The bound is lowered by the usual rounding error, sqrt(n) times the machine epsilon times the sizes of the
    summed terms, so that the gap is not below the true distance.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import SGDClassifier
    >>> from sklearn.preprocessing import scale
    >>> from fastsvm import certify
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = SGDClassifier(alpha=1e-2, random_state=0).fit(scale(X), y)
    >>> certificate = certify(model, scale(X), y, random_state=0)
    >>> bool(certificate.gap <= 2 * certificate.gap_at_least)
    True
    """
    positive("tol", tol)
    positive("max_iter", max_iter, kind=int)
    if positive("accuracy", accuracy) <= 1:
        raise ValueError(f"accuracy must be above 1; got {accuracy!r}.")
    X, rows = as_matrix(X, norms=True)
    targets = as_targets(y, X.shape[0], getattr(model, "classes_", None))
    coef, intercept = _certifiable_classifier(model, X, targets, intercept)
    classes, n = targets.classes, targets.n_rows
    joint = (loss is None or alpha is None) and is_multinomial(model)
    given = loss is not None and alpha is not None
    loss, alpha, own = _certified_objective(model, loss, alpha, len(classes), n)
    own = own if penalty is None else (penalty, 0.5 if l1_ratio is None else l1_ratio)
    one_of("loss", loss, PEGASOS_LOSSES)
    params = SDCAParams(
        loss,
        hinge_width=getattr(model, "hinge_width", 1.0),
        alpha=as_alpha(alpha),
        max_iter=max_iter,
        tol=tol,
        fit_intercept=intercept is not None,
        penalty=one_of("penalty", own[0], PENALTIES),
        l1_ratio=as_l1_ratio(own[1]),
    )
    params.check_together()
    random, found = as_state(random_state), []
    weights = _certified_weights(model, targets, sample_weight)
    n_problems = 0 if joint else len(targets.labels)
    if joint:
        problem = MultinomialProblem(rows, np.searchsorted(classes, targets.y), len(classes), weights(0))
        solver = MultinomialSolver(problem, params)
        found.append(multinomial_bracket(solver, coef, intercept, tol, accuracy))
    elif (column := _certified_intercept_column(model)) is not None:
        rows, coef = with_column(X, column), np.column_stack([coef, intercept / column])
        intercept = None
        params.fit_intercept = False
    duals = _certified_duals(model, n)
    relative = given or _kind_to_certify(model) == "fastsvm"  # others use weights as they are
    for k in range(n_problems):
        problem = Problem(rows, targets.signs(k), weights(k), relative=relative)
        rows = problem.rows  # checked once
        b0 = 0.0 if intercept is None else float(intercept[k])
        if params.l1_share:
            found.append(l1_bracket(problem, coef[k], b0, params, accuracy))
            continue
        dual = None if duals is None else duals[k]
        if dual is None:
            dual = dual_of_scores(problem, scores_of(rows, coef[k]) + b0, params.loss_entry)
        found.append(certificate_bracket(problem, coef[k], b0, dual, params, random, accuracy))
    *columns, epochs = zip(*found, strict=True)
    objective, bound, attained = (each[0] if len(found) == 1 else np.array(each) for each in columns)
    certificate = Certificate(loss, params.alpha, classes, objective, bound, attained, max(epochs))
    _warn_if_loose(certificate, accuracy, tol, np.array(epochs) < max_iter)
    return certificate


def _warn_if_loose(certificate, accuracy, tol, stalled):
    c = certificate
    loose = (c.gap > accuracy * c.gap_at_least) & (c.gap > np.maximum(tol * c.objective, TINY))
    if np.any(loose):
        stuck = np.all(stalled | ~loose)
        way_out = "more steps gain nothing, so raise tol" if stuck else "raise max_iter"
        warn_user(
            f"After {c.n_iter} epochs the bound is still loose, though proven (relative gap "
            f"{np.max(c.relative_gap):.1e}): {way_out}, or scale the columns of X before fitting.",
            ConvergenceWarning,
        )


# Reading the objective of a model.


def _certifiable_classifier(model, X, targets, intercept):
    """Return coef of shape (n_problems, n_features), and the intercept or None."""
    name = type(model).__name__
    if hasattr(model, "steps"):
        raise ValueError("model is a Pipeline: pass model[-1], and model[:-1].transform(X) as X.")
    if hasattr(model, "best_estimator_"):
        raise ValueError(f"model is a {name}: pass model.best_estimator_.")
    if hasattr(model, "fit"):
        if isinstance(model, BaseEstimator):
            check_is_fitted(model)
        if not (hasattr(model, "coef_") and hasattr(model, "classes_")):
            raise ValueError(f"A {name} has no coef_ or classes_: only linear classifiers can be certified.")
        if intercept is not None:
            raise ValueError("intercept is for bare coefficients only; a model has its own.")
        coef = model.coef_
        if has_several_labels(model) != targets.is_several:
            raise ValueError(
                "y must have the form of the model's fit: one label per row, or an indicator matrix."
            )
        if hasattr(model, "decision_function_shape") and len(targets.classes) > 2:
            raise ValueError(f"A {name} with more than two classes is one-vs-one; certify needs one-vs-rest.")
        intercept = model.intercept_ if getattr(model, "fit_intercept", True) else None
    else:
        coef = model
    if not targets.is_several and len(unknown := np.setdiff1d(targets.y, targets.classes)):
        raise ValueError(f"y has the label {unknown.tolist()[0]!r}, which the model does not have.")
    coef = np.ascontiguousarray(np.atleast_2d(as_dense(coef)), dtype=np.float64)
    expected = (len(targets.labels), X.shape[1])
    if coef.shape != expected:
        raise ValueError(
            f"coef has shape {coef.shape}; for {len(targets.classes)} classes and X of {X.shape[1]} columns "
            f"it must be {expected}."
        )
    if intercept is not None:
        intercept = np.asarray(intercept, dtype=np.float64).ravel()
        if len(intercept) not in (1, len(coef)):
            raise ValueError(f"intercept has {len(intercept)} values for {len(coef)} rows of coef.")
        intercept = np.broadcast_to(intercept, len(coef))
    if not (np.isfinite(coef).all() and (intercept is None or np.isfinite(intercept).all())):
        raise ValueError("coef and intercept must be finite.")
    return coef, intercept


def _kind_to_certify(model):
    """Return the name of a model's scikit-learn class, "fastsvm", or None."""
    if isinstance(model, LinearPrediction):
        return "fastsvm"
    bases = (cls.__name__ for cls in type(model).__mro__ if cls.__module__.startswith("sklearn."))
    return next(bases, None)


def _certified_objective(model, loss, alpha, n_classes, n):
    """Return loss, alpha and (penalty, l1_ratio), given or read from the model.

    Raise a ValueError if the model's objective is not P.
    """
    if loss is not None and alpha is not None:
        return loss, alpha, ("l2", 0.0)
    if not hasattr(model, "fit"):
        raise ValueError("Bare coefficients have no objective: pass loss and alpha.")
    own_loss, penalty, other = getattr(model, "loss", None), "l2", None
    own_alpha = 1 / (model.C * n) if hasattr(model, "C") else getattr(model, "alpha", None)
    match _kind_to_certify(model):
        case "fastsvm" if (own_alpha := _certified_alpha(model)) is not None:
            penalty = getattr(model, "penalty", "l2")
        case "LinearSVC":
            penalty = model.penalty
            other = None if model.multi_class == "ovr" else f"multi_class={model.multi_class!r}"
        case "LogisticRegression":
            own_loss, penalty = "log", _logistic_penalty(model)
            joint = getattr(model, "multi_class", None) == "multinomial"  # scikit-learn before 1.8
            if joint or (n_classes > 2 and model.solver != "liblinear"):
                other = "a multinomial loss, not one problem per class"
        case "SGDClassifier":
            own_loss, penalty = {"log_loss": "log"}.get(own_loss, own_loss), model.penalty
        case "SVC":
            own_loss = "hinge"
        case _:
            other = "an objective that certify does not support"
    if other is None and penalty not in PENALTIES:
        other = f"penalty {penalty!r}, not one of {', '.join(map(repr, PENALTIES))}"
    if other is None and loss is None and own_loss not in PEGASOS_LOSSES:
        other = f"loss {own_loss!r}, not one of {', '.join(map(repr, PEGASOS_LOSSES))}"
    if other is not None:
        raise ValueError(
            f"This {type(model).__name__} has {other}. To measure its coefficients by another objective, "
            "pass loss and alpha."
        )
    own = penalty, getattr(model, "l1_ratio", None) or 0.0
    return own_loss if loss is None else loss, own_alpha if alpha is None else alpha, own


def _certified_alpha(model):
    """Return the alpha of a fastsvm model: given, or chosen by cross-validation."""
    return getattr(model, "alpha_", getattr(model, "alpha", None))


def _logistic_penalty(model):
    """Return the penalty of a LogisticRegression; l1_ratio and C imply it from scikit-learn 1.8 on."""
    if np.isinf(model.C):
        return None
    if model.penalty != "deprecated":
        return model.penalty
    return {0: "l2", None: "l2", 1: "l1"}.get(model.l1_ratio, "elasticnet")


def _certified_intercept_column(model):
    """Return the value of LIBLINEAR's extra column for a regularised intercept, or None."""
    kind = _kind_to_certify(model)
    liblinear = kind == "LinearSVC" or (kind == "LogisticRegression" and model.solver == "liblinear")
    return float(model.intercept_scaling) if liblinear and model.fit_intercept else None


def with_column(X, value):
    """Return X with a column of this value, float64 as in LIBLINEAR."""
    column = np.full((X.shape[0], 1), value, float)
    if sparse.issparse(X):  # both are CSR, maybe with two types of indices
        return sparse.hstack([X, sparse.csr_array(column)], format="csr", dtype=np.float64)
    return np.hstack([X, column])


def _certified_weights(model, targets, sample_weight):
    """Return a function from the number of a binary problem to its c_i, as in the model's own fit."""
    if isinstance(model, LinearPrediction):
        return targets.weights_of(model.class_weight, sample_weight)
    if getattr(model, "class_weight", None) is None:
        return lambda k: sample_weight
    y, classes, labels = targets.y, targets.classes, targets.labels
    factor = scikit_learn_class_weights(model, classes, y, sample_weight)[np.searchsorted(classes, y)]
    sample_weight = as_weights(np.ones(len(y)) if sample_weight is None else sample_weight, len(y))
    if len(labels) > 1 and _kind_to_certify(model) in ("LinearSVC", "LogisticRegression", "SGDClassifier"):
        # In LIBLINEAR's and SGD's problems of one class against the rest, the rest has weight 1.
        return lambda k: sample_weight * np.where(y == labels[k], factor, 1)
    return lambda k: sample_weight * factor


def scikit_learn_class_weights(model, classes, y, sample_weight):
    """Return the weight of each class: LIBLINEAR's "balanced" ones count rows by weight, others do not."""
    if _kind_to_certify(model) not in ("LinearSVC", "LogisticRegression", "LogisticRegressionCV"):
        sample_weight = None
    return compute_class_weight(model.class_weight, classes=classes, y=y, sample_weight=sample_weight)


def _certified_duals(model, n):
    """Return the dual variables b of a model for these n rows, or None."""
    dual = getattr(model, "dual_coef_", None)
    if not isinstance(model, LinearPrediction) or dual is None or dual.shape[1] != n:
        return None
    return np.abs(dual) * (_certified_alpha(model) * n)
