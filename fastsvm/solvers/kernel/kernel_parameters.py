"""Parameters of kernels, as scikit-learn names and understands them."""

import numpy as np

from ..._utils import sparse
from .._input import finite, one_of, positive
from .._sparse import canonical

CHUNK = 1 << 21  # values at a time


def check_kernel_parameters(gamma, degree, coef0):
    """Raise a ValueError that names the first bad parameter."""
    if isinstance(gamma, str):
        one_of("gamma", gamma, ("scale", "auto"))
    else:
        positive("gamma", gamma)
    positive("degree", degree, kind=int)
    finite("coef0", coef0)


def gamma_of(gamma, X):
    """The number that `gamma` stands for.

    Parameters
    ----------
    gamma : "scale", "auto" or float
        1 / (n_features * X.var()), or 1 if X does not vary; 1 / n_features.
    X : ndarray or CSR matrix of shape (n_samples, n_features)

    Returns
    -------
    float
    """
    if gamma == "auto":
        return 1 / X.shape[1]
    if gamma == "scale":
        with np.errstate(over="ignore", invalid="ignore"):  # the solvers refuse such X, and say where
            variance = _variance_of_values(X)
        return float(1 / (X.shape[1] * variance)) if 0 < variance < np.inf else 1.0
    return float(gamma)


def _variance_of_values(X):
    """The variance of all values of X, zeros included."""
    size = X.shape[0] * X.shape[1]
    if sparse.issparse(X):
        X = canonical(X)
        mean = X.data.sum(dtype=float) / size
        return (np.square(X.data - mean).sum(dtype=float) + (size - X.nnz) * mean**2) / size
    mean = X.mean(dtype=float)
    step = max(1, CHUNK // X.shape[1])
    parts = (X[first : first + step] for first in range(0, len(X), step))
    return sum(np.square(part - mean).sum(dtype=float) for part in parts) / size
