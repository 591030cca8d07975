"""Classifiers of any number of labels: a binary problem for each, or one where there are two."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from math import isfinite
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from .._utils import sparse
from .._utils.threads import number_of_threads
from ..solvers import as_rows
from ..solvers._input import as_random, require_table
from ..solvers._sparse import as_csr, with_floats
from . import decision_scores
from .convergence_advice import ConvergenceWarning
from .labels import known_labels, positive_labels, require_classes, row_weights
from .parameters import Parameters

if TYPE_CHECKING:
    from ..solvers.annotations import Matrix

Fit = TypeVar("Fit", bound=Callable)


def all_or_nothing(fit: Fit) -> Fit:
    """Make a failed or interrupted `fit` leave the model as it was."""

    @wraps(fit)
    def safe_fit(self, *args, **kwargs):
        before = vars(self).copy()
        try:
            return fit(self, *args, **kwargs)
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise

    return cast(Fit, safe_fit)


def require_finite_rows(X: Any, values: Any) -> None:
    """Raise a ValueError that says where X has NaN or infinity, if `values`, which come from it, have any."""
    with np.errstate(over="ignore", invalid="ignore"):
        total = values.sum()
    if not isfinite(total):
        as_rows(X)


class OneVsRest(Parameters):
    """Labels, weights, and prediction from scores.

    A subclass has the parameters `class_weight`, `n_jobs` and `random_state`, and a `decision_function`.
    """

    n_jobs: int | None

    classes_: np.ndarray
    n_iter_: int
    history_: np.ndarray | list[np.ndarray]
    objective_: float | np.ndarray

    _warning: type[Warning] = ConvergenceWarning
    """The category of the warning of a fit that stopped short."""

    def _check_params(self):
        """Raise a ValueError that names the first bad parameter."""
        self.checked()  # type: ignore[attr-defined]

    # Where scikit-learn has ways of its own, estimators take those.

    def _checked(self, X: Any, reset: bool = True) -> Any:
        """X as CSR or as a C-ordered array, of float32 or float64; values are left to the solvers.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
        reset : bool, default=True
            Remember the number of columns, or else check it.
        """
        X = with_floats(as_csr(X, columns=not reset))
        if not sparse.issparse(X):
            X = np.asarray(X)
            X = np.ascontiguousarray(X, None if X.dtype in (np.float32, np.float64) else np.float64)
        elif X.dtype not in (np.float32, np.float64):
            X = X.astype(np.float64)
        require_table(X, empty=not reset)
        if reset:
            self.n_features_in_ = X.shape[1]
        elif X.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {X.shape[1]} features, but the model was fitted to {self.n_features_in_}."
            )
        return X

    def _threads(self) -> int:
        return number_of_threads(self.n_jobs)

    def _seeds(self, n):
        """A seed for each of n problems."""
        return as_random(self.random_state).randint(2**31 - 1, size=n)

    def _set_classes(self, classes):
        self.classes_ = require_classes(classes)

    def _begin_batch(self, X, y, classes):
        """Check the arguments of `partial_fit`; return X, y and whether this is the first call."""
        self._check_params()
        first = not hasattr(self, "classes_")
        X, y = self._checked_batch(X, y, first)
        self._set_batch_classes(y, classes)
        return X, y, first

    def _set_batch_classes(self, y, classes):
        """Check the labels of a call of `partial_fit`; the first call sets `classes_`."""
        if self.class_weight == "balanced":
            raise ValueError("class_weight='balanced' needs all of y: use fit, or pass sample_weight.")
        classes = classes if classes is None else known_labels(classes, "classes")
        if not hasattr(self, "classes_"):
            if classes is None:
                raise ValueError("The first call of partial_fit needs classes, all labels that will come.")
            self._set_classes(np.unique(classes))
        elif classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise ValueError(f"classes is {list(classes)}, but earlier calls had {self.classes_.tolist()}.")
        new = np.setdiff1d(y, self.classes_)
        if len(new):
            raise ValueError(f"y has the label {new.tolist()[0]!r}, which is not among classes.")

    def _remember_fit(self, n):
        """Note, after a fit, what a later one with `warm_start` must have in common; not for model files."""
        self._fitted_to = self.classes_, n, self.alpha * n

    def _dual_scale(self, classes, n):
        """The factors that turn a starting `dual_coef_` into dual variables; None without a warm start.

        They belong to the rows of the last fit, and to its classes.
        """
        before, n_before, scale = getattr(self, "_fitted_to", (None, None, None))
        same = n == n_before and np.array_equal(classes, before)
        return scale if self.warm_start and same else None

    def _positive_labels(self):
        """The label that is +1 in each binary problem."""
        return positive_labels(self.classes_)

    def _weights(self, y, sample_weight):
        """sample_weight times class weight; None when all are 1."""
        return row_weights(self.class_weight, self.classes_, y, sample_weight)

    def decision_function(self, X: Matrix) -> np.ndarray:
        """The scores; a subclass has its own."""
        raise NotImplementedError

    def predict(self, X: Matrix) -> np.ndarray:
        """The class of the highest score.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,), of the labels' dtype
        """
        found = self.decision_function(X)
        return self.classes_[decision_scores.winners(found)]

    def predict_proba(self, X: Matrix) -> np.ndarray:
        """Class probabilities; for loss='log', and for models that were calibrated.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            sigmoid(w.x + b0); with more than two classes normalised to sum to 1, or with
            multi_class="multinomial" the softmax of the scores. Of a model with a `calibration_`, that of
            the scores, whatever the loss.

        Raises
        ------
        AttributeError
            If the loss is another, and there is no calibration.
        """
        return probabilities(self, self.decision_function(X))


def probabilities(model, decision):
    """Return what a classifier's scores stand for: by its calibration, or by the log loss."""
    require_predict_proba(model)
    if hasattr(model, "calibration_"):
        return model.calibration_.probabilities(decision)
    if getattr(model, "_joint", False):
        return decision_scores.softmax_of_scores(decision)
    return decision_scores.probabilities_of_scores(decision)


def require_predict_proba(model):
    """Raise an AttributeError unless a model's scores stand for probabilities; True if they do."""
    if getattr(model, "loss", None) != "log" and not hasattr(model, "calibration_"):
        needs = "needs loss='log'; for other losses" if hasattr(model, "loss") else "needs calibration:"
        raise AttributeError(
            f"predict_proba {needs} wrap the estimator in CalibratedClassifierCV(ensemble=False)."
        )
    return True
