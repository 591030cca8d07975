"""Scores of a fitted linear classifier, and the labels that follow from them."""

from typing import Any

import numpy as np

from .._utils import sparse


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
    return scores.ravel() if scores.shape[1] == 1 else scores


def winners(scores: np.ndarray) -> np.ndarray:
    """Return the place of each row's class."""
    return (scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)


def probabilities_of_scores(scores: np.ndarray) -> np.ndarray:
    """Return the probabilities that scores stand for under the log loss."""
    from scipy.special import expit  # as long to import as all that scores need

    if scores.ndim == 1:
        return np.column_stack([expit(-scores), expit(scores)])
    likely = expit(scores)
    total = likely.sum(axis=1, keepdims=True)
    return np.divide(likely, total, out=np.full_like(likely, 1 / likely.shape[1]), where=total > 0)


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
    p = np.exp(z - z.max(axis=1, keepdims=True))
    return p / p.sum(axis=1, keepdims=True)
