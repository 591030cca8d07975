"""The losses in NumPy: the readable counterpart of what the kernels compute.

Each is a function of the margin m = y (w.x + b0). `dual_term` is psi(b) = -phi*(-b), and for every m
and every b in the domain phi(m) + b m >= psi(b) (Fenchel-Young): summed over the rows, weak duality.
"""

import numpy as np

from . import LOSSES

__all__ = ["LOSSES", "domain", "dual", "dual_term", "gap", "primal", "slope", "value"]


def value(loss, m):
    """phi(m), elementwise.

    Parameters
    ----------
    loss : {"hinge", "squared_hinge", "smooth_hinge", "log"}
    m : array of margins

    Returns
    -------
    ndarray, of the shape of m
    """
    short_by = np.maximum(0, 1 - np.asarray(m, dtype=float))
    match loss:
        case "hinge":
            return short_by
        case "squared_hinge":
            return short_by**2
        case "smooth_hinge":
            return np.where(short_by >= 1, short_by - 0.5, short_by**2 / 2)
        case "log":
            return np.logaddexp(0, -np.asarray(m, dtype=float))
    raise _unknown(loss)


def slope(loss, m):
    """phi'(m), elementwise; at the kink of the hinge, m = 1, the sub-gradient 0. As `value`."""
    m = np.asarray(m, dtype=float)
    match loss:
        case "hinge":
            return -(m < 1).astype(float)
        case "squared_hinge":
            return -2 * np.maximum(0, 1 - m)
        case "smooth_hinge":
            return -np.clip(1 - m, 0, 1)
        case "log":
            return -np.exp(-np.logaddexp(0, m))
    raise _unknown(loss)


def dual_term(loss, b):
    """psi(b), elementwise, for b in `domain(loss)`; -inf outside. As `value`."""
    b = np.asarray(b, dtype=float)
    match loss:
        case "hinge":
            psi = b
        case "squared_hinge":
            psi = b - b**2 / 4
        case "smooth_hinge":
            psi = b - b**2 / 2
        case "log":
            p = np.clip(b, 0, 1)
            with np.errstate(divide="ignore", invalid="ignore"):
                terms = np.where(p > 0, p * np.log(p), 0), np.where(p < 1, (1 - p) * np.log1p(-p), 0)
            psi = -terms[0] - terms[1]
        case _:
            raise _unknown(loss)
    low, high = domain(loss)
    return np.where((b >= low) & (b <= high), psi, -np.inf)


def domain(loss):
    """Smallest and largest b with a finite dual term."""
    if loss not in LOSSES:
        raise _unknown(loss)
    return 0.0, np.inf if loss == "squared_hinge" else 1.0


def primal(loss, alpha, X, y, w, intercept=0.0, sample_weight=None):
    """P(w, b0) = alpha/2 ||w||^2 + 1/n sum_i c_i phi(y_i (w.x_i + b0)).

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
    y : array of shape (n_samples,), of -1 and +1
    w : array of shape (n_features,)
    intercept : float
    sample_weight : array of shape (n_samples,), default=None

    Returns
    -------
    float
    """
    c = 1.0 if sample_weight is None else np.asarray(sample_weight)
    return float(alpha / 2 * (w @ w) + np.mean(c * value(loss, y * (X @ w + intercept))))


def dual(loss, alpha, X, y, b, sample_weight=None):
    """D(b) = 1/n sum_i c_i psi(b_i / c_i) - alpha/2 ||w(b)||^2, with w(b) = X'(b y) / (alpha n).

    Parameters
    ----------
    b : array of shape (n_samples,), within c times the domain
    others : as in `primal`

    Returns
    -------
    float
        A lower bound on P(w) for every w; with an intercept only if sum_i b_i y_i = 0.
    """
    c = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    w = X.T @ (b * y) / (alpha * len(y))
    used = c > 0
    terms = c[used] * dual_term(loss, b[used] / c[used])
    return float(terms.sum() / len(y) - alpha / 2 * (w @ w))


def gap(loss, alpha, X, y, b, w, intercept=0.0, sample_weight=None):
    """P(w, b0) - D(b): (w, b0) is at most this far from the optimum. Parameters as above."""
    return primal(loss, alpha, X, y, w, intercept, sample_weight) - dual(loss, alpha, X, y, b, sample_weight)


def _unknown(loss):
    return ValueError(f"loss must be one of {', '.join(map(repr, LOSSES))}; got {loss!r}.")
