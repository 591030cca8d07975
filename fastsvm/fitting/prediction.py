"""Predictions from fitted attributes, for plain models and estimators."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from .._utils import sparse
from ..solvers import as_rows
from ..solvers._mapped_rows import row_blocks
from .fit import is_joint

if TYPE_CHECKING:
    from typing import Self

    from ..solvers.annotations import ArrayOrSparse


class Prediction:
    """Labels and probabilities of a classifier, which follow from its `decision_function`."""

    classes_: np.ndarray
    intercept_: np.ndarray
    dual_coef_: np.ndarray
    objective_: float | np.ndarray
    dual_gap_: float | np.ndarray
    n_iter_: int
    t_: int
    history_: np.ndarray | list[np.ndarray]

    def decision_function(self, X: ArrayOrSparse) -> np.ndarray:
        """Return the scores; subclasses implement this."""
        raise NotImplementedError

    def predict(self, X: ArrayOrSparse) -> Any:
        """Return the class with the highest score; with several labels per row, all above their thresholds.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,), of the labels' dtype
            After a fit to an indicator matrix, an indicator matrix of shape (n_samples, n_labels): CSR if the
            fitted one was sparse.
        """
        return predicted(self, self.decision_function(X))  # it raises an error before a fit

    def predict_proba(self, X: ArrayOrSparse) -> np.ndarray:
        """Return class probabilities, with loss='log' or after calibration.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            sigmoid(w.x + b0), normalised to sum to 1 with more than two classes, but not with several labels
            per row. With multi_class="multinomial", the softmax of the scores. If the model has a
            `calibration_`, probabilities follow from it, whatever the loss.

        Raises
        ------
        AttributeError
            If the loss is not "log", and the model has no `calibration_`.
        """
        return probabilities(self, self.decision_function(X))


class LinearPrediction(Prediction):
    """The fitted attributes of a linear classifier, and the scores that follow from them.

    A subclass has a method `_checked(X, reset=False)`, which returns X checked.

    `squares_`, of the shape of `coef_`, exists if each problem divides w.x by its own norm of x: the square
    root of the sum of x_j^2 times its squares. `OwnRatios.fit_classifier` of `fastsvm.text` sets it.

    `thresholds_`, of shape (n_labels,), exists after a fit to several labels per row: labels with scores
    above their thresholds are predicted. A fit sets all to 0; you may change them, and files keep them.
    """

    coef_: Any
    solver_: str | list[str]
    squares_: np.ndarray
    thresholds_: np.ndarray
    sparse_output_: bool

    def _checked(self, X: Any, reset: bool = False) -> Any:
        raise NotImplementedError

    def _require_fitted(self) -> None:
        if not hasattr(self, "coef_"):
            raise AttributeError(f"This {type(self).__name__} is not fitted yet: call fit first.")

    def decision_function(self, X: ArrayOrSparse) -> np.ndarray:
        """Return the signed scores w.x + b0.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            For two classes, one score per row, where above 0 means `classes_[1]`; otherwise one score for
            each class or label.

        Notes
        -----
        Memory-mapped rows are read in blocks, and do not stay in memory.
        """
        found = []
        for rows in row_blocks(X):
            try:
                found.append(self._scores(rows))
            except ValueError:
                if rows is not X:
                    as_rows(X)  # the message says where in all of X
                raise
        return found[0] if len(found) == 1 else np.concatenate(found)

    def _scores(self, X: Any) -> np.ndarray:
        X = self._checked(X, reset=False)
        squares = getattr(self, "squares_", None)
        found = decision_scores(X, self.coef_, self.intercept_, squares)
        # SciPy multiplies every value, so that NaN shows in the scores, unless both factors are sparse.
        require_finite_rows(X, found if sparse.issparse(X) and not sparse.issparse(self.coef_) else X)
        return found

    def sparsify(self) -> Self:
        """Make `coef_` a CSR array, which is smaller where more than half of the weights are 0.

        Predictions are the same up to rounding. Model files and further fits have a dense `coef_` again.

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
        self.coef_ = sparse.as_dense(self.coef_)
        return self


def is_multinomial(model: object) -> bool:
    """Tell whether the model was fitted as one problem for all classes."""
    return isinstance(model, LinearPrediction) and is_joint(model, model.classes_)


def require_finite_rows(X: Any, values: Any) -> None:
    """Raise a ValueError that says where X has NaN or infinity, if `values`, computed from X, have any."""
    with np.errstate(over="ignore", invalid="ignore"):
        total = values.sum()
    if not isfinite(total):
        as_rows(X)


def probabilities(model: Any, decision: np.ndarray) -> np.ndarray:
    """Return the probabilities of a classifier's scores, by its calibration or by the log loss."""
    require_predict_proba(model)
    if hasattr(model, "calibration_"):
        return np.asarray(model.calibration_.probabilities(decision))
    if is_multinomial(model):
        return softmax(decision)
    return probabilities_of_scores(decision, has_several_labels(model))


def require_predict_proba(model: object) -> bool:
    """Raise an AttributeError unless a model's scores give probabilities; return True if they do."""
    if getattr(model, "loss", None) != "log" and not hasattr(model, "calibration_"):
        needs = "needs loss='log'; for other losses" if hasattr(model, "loss") else "needs calibration:"
        raise AttributeError(
            f"predict_proba {needs} wrap the estimator in CalibratedClassifierCV(ensemble=False)."
        )
    return True


def decision_scores(X: Any, coef: Any, intercept: Any, squares: Any = None) -> np.ndarray:
    """Return w.x + b0: one score per row or, with more than two classes, one per row and class.

    With `squares`, of the shape of `coef`, w.x is divided by the square root of the sum of x_j^2 times these
    squares, unless that is 0. `coef` may be sparse.
    """
    if coef.shape[0] > 1 and sparse.issparse(X) and X.nnz < X.shape[1]:  # SciPy copies what it uses
        columns, places = np.unique(X.indices, return_inverse=True)
        X = sparse.csr_array((X.data, places, X.indptr), (X.shape[0], len(columns)))
        coef, squares = coef[:, columns], None if squares is None else squares[:, columns]
    with np.errstate(over="ignore", invalid="ignore"):
        scores = X @ coef.T
    if sparse.issparse(scores):
        scores = scores.toarray()
    if X.dtype == np.float32 and not np.isfinite(scores).all():  # some overflow single precision
        return decision_scores(X.astype(np.float64), coef, intercept, squares)
    if squares is not None:
        if sparse.issparse(X):  # X.power would sort X
            squared = sparse.csr_array((X.data**2, X.indices, X.indptr), X.shape)
        else:
            squared = X**2
        norms = np.sqrt(squared @ squares.T)
        np.divide(scores, norms, out=scores, where=norms > 0)
    scores = scores + intercept
    return np.asarray(scores.ravel() if scores.shape[1] == 1 else scores)


def has_several_labels(model: object) -> bool:
    """Tell whether a model was fitted to several labels per row."""
    return hasattr(model, "thresholds_")


def predicted(model: Any, decision: np.ndarray) -> Any:
    """Return the labels that a classifier gives rows with these scores, as its `predict` does."""
    if not has_several_labels(model):
        return np.asarray(model.classes_[winners(decision)])
    given = decision > model.thresholds_
    return (
        sparse.csr_matrix(given, dtype=int) if getattr(model, "sparse_output_", False) else given.astype(int)
    )


def winners(scores: np.ndarray) -> np.ndarray:
    """Return the place of each row's class."""
    return (scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)


def probabilities_of_scores(scores: np.ndarray, independent: bool = False) -> np.ndarray:
    """Return the probabilities of scores under the log loss; rows add up to 1 unless `independent`."""
    from scipy.special import expit  # its import takes as long as all that scores need

    if scores.ndim == 1:
        return np.column_stack([expit(-scores), expit(scores)])
    likely: np.ndarray = expit(scores)
    if independent:
        return likely
    total = likely.sum(axis=1, keepdims=True)
    shares = np.full_like(likely, 1 / likely.shape[1])
    np.divide(likely, total, out=shares, where=total > 0)
    return shares


def softmax(z: np.ndarray) -> np.ndarray:
    """Return the exponentials of each row, divided by their sum.

    Parameters
    ----------
    z : ndarray of shape (n, n_classes)
        Scores.

    Returns
    -------
    ndarray of shape (n, n_classes)
        Rows add up to 1.
    """
    p: np.ndarray = np.exp(z - z.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    return p
