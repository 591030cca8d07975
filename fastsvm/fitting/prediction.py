"""What plain models and estimators share: predictions from the fitted attributes, and no fit."""

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

    def decision_function(self, X: ArrayOrSparse) -> np.ndarray:
        """The scores; a subclass has its own."""
        raise NotImplementedError

    def predict(self, X: ArrayOrSparse) -> Any:
        """The class with the highest score; with several labels per row, those above their thresholds.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,), of the labels' dtype
            After a fit to an indicator matrix such a matrix, of shape (n_samples, n_labels); it is sparse,
            as CSR, if that was.
        """
        return predicted(self, self.decision_function(X))  # which says whether there has been a fit

    def predict_proba(self, X: ArrayOrSparse) -> np.ndarray:
        """Class probabilities; for loss='log', and for models that were calibrated.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            sigmoid(w.x + b0); with more than two classes normalised to sum to 1, but not with several labels
            per row; with multi_class="multinomial" the softmax of the scores. If the model has a
            `calibration_`, its probabilities of the scores, whatever the loss.

        Raises
        ------
        AttributeError
            If the loss is another, and there is no calibration.
        """
        return probabilities(self, self.decision_function(X))


class LinearPrediction(Prediction):
    """The fitted attributes of a linear classifier, and the scores that follow from them.

    A class has a method `_checked(X, reset=False)`, which returns rows that may be scored.

    `squares_`, of the shape of `coef_`, is there if each problem divides w.x by a norm of its own: the root
    of the sum of x_j^2 times these squares. `OwnRatios.fit_classifier` of `fastsvm.text` sets it.

    `thresholds_`, of shape (n_labels,), is there after a fit to several labels per row: those whose score is
    above their threshold are predicted. A fit makes all of them 0; they may be changed, and files keep them.
    """

    coef_: Any
    intercept_: np.ndarray
    dual_coef_: np.ndarray
    objective_: float | np.ndarray
    dual_gap_: float | np.ndarray
    n_iter_: int
    t_: int
    solver_: str | list[str]
    history_: np.ndarray | list[np.ndarray]
    squares_: np.ndarray
    thresholds_: np.ndarray
    sparse_output_: bool

    def _checked(self, X: Any, reset: bool = False) -> Any:
        raise NotImplementedError

    def _require_fitted(self) -> None:
        if not hasattr(self, "coef_"):
            raise AttributeError(f"This {type(self).__name__} is not fitted yet: call fit first.")

    def decision_function(self, X: ArrayOrSparse) -> np.ndarray:
        """Signed scores w.x + b0.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            For two classes one score per row, where above 0 means `classes_[1]`; for more classes, or several
            labels per row, a score for each.

        Notes
        -----
        Memory-mapped rows are read some at a time, and do not stay in memory.
        """
        found = []
        for rows in row_blocks(X):
            try:
                found.append(self._scores(rows))
            except ValueError:
                if rows is not X:
                    as_rows(X)  # says where in all of X
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
        self.coef_ = dense_coef(self)
        return self


def dense_coef(model: Any) -> Any:
    """Return `coef_` of a model as an ndarray."""
    return model.coef_.toarray() if sparse.issparse(model.coef_) else model.coef_


def is_multinomial(model: object) -> bool:
    """Tell whether one problem has had all classes, in the fit of this model."""
    return isinstance(model, LinearPrediction) and is_joint(model, model.classes_)


def require_finite_rows(X: Any, values: Any) -> None:
    """Raise a ValueError that says where X has NaN or infinity, if `values`, which come from it, have any."""
    with np.errstate(over="ignore", invalid="ignore"):
        total = values.sum()
    if not isfinite(total):
        as_rows(X)


def probabilities(model: Any, decision: np.ndarray) -> np.ndarray:
    """Return what a classifier's scores stand for: by its calibration, or by the log loss."""
    require_predict_proba(model)
    if hasattr(model, "calibration_"):
        return np.asarray(model.calibration_.probabilities(decision))
    if is_multinomial(model):
        return softmax(decision)
    return probabilities_of_scores(decision, has_several_labels(model))


def require_predict_proba(model: object) -> bool:
    """Raise an AttributeError unless a model's scores stand for probabilities; True if they do."""
    if getattr(model, "loss", None) != "log" and not hasattr(model, "calibration_"):
        needs = "needs loss='log'; for other losses" if hasattr(model, "loss") else "needs calibration:"
        raise AttributeError(
            f"predict_proba {needs} wrap the estimator in CalibratedClassifierCV(ensemble=False)."
        )
    return True


def decision_scores(X: Any, coef: Any, intercept: Any, squares: Any = None) -> np.ndarray:
    """Return w.x + b0: a number for each row or, of more than two classes, one for each class.

    With `squares`, of the shape of `coef`, w.x is divided by the norm of the row in which each column has the
    weight whose square it is; a row without any has w.x = 0. `coef` may be sparse.
    """
    if coef.shape[0] > 1 and sparse.issparse(X) and X.nnz < X.shape[1]:  # SciPy copies what it uses
        columns, places = np.unique(X.indices, return_inverse=True)
        X = sparse.csr_array((X.data, places, X.indptr), (X.shape[0], len(columns)))
        coef, squares = coef[:, columns], None if squares is None else squares[:, columns]
    with np.errstate(over="ignore", invalid="ignore"):
        scores = X @ coef.T
    if sparse.issparse(scores):
        scores = scores.toarray()
    if X.dtype == np.float32 and not np.isfinite(scores).all():  # single precision has no room for some
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
    """Return the probabilities that scores stand for under the log loss, adding up unless `independent`."""
    from scipy.special import expit  # as long to import as all that scores need

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
