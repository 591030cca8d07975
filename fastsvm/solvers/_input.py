"""The border: what callers pass, checked once and turned into what the kernels read."""

from numbers import Real

import numpy as np
from scipy import sparse

from ._rows import Rows


def as_rows(X, threads=1, norms=False):
    """The rows of X; a copy only where dtype or layout leave no choice.

    Parameters
    ----------
    X : CSR matrix or array, or ndarray, of shape (n_samples, n_features)
        float32 or float64; indices int32 or int64, in any order, repeated ones are added. Other
        sparse formats, memory orders and number types are converted.
    threads : int, default=1
        For the checks.
    norms : bool, default=False
        Compute the rows' norms in the same pass.

    Returns
    -------
    Rows

    Raises
    ------
    ValueError
        If X is empty, not two-dimensional, or contains NaN, infinity or a column out of range.
    """
    if isinstance(X, Rows):
        return X
    if sparse.issparse(X):
        X = X.tocsr()
        values = _floating(X.data)
        columns = X.indices if X.indices.dtype in (np.int32, np.int64) else X.indices.astype(np.int64)
        indptr = X.indptr if X.indptr.dtype in (np.int32, np.int64) else X.indptr.astype(np.int64)
    else:
        X = np.ascontiguousarray(_floating(np.asarray(X)))
        values, columns, indptr = X.reshape(-1), np.empty(0, np.int32), None
    if X.ndim != 2:
        raise ValueError(f"X must have two dimensions (samples, features); it has {X.ndim}.")
    if 0 in X.shape:
        raise ValueError(f"X has shape {X.shape}: at least one sample and one feature are needed.")
    return Rows(values, columns, indptr, X.shape, threads, norms)


def _floating(array):
    return array if array.dtype in (np.float32, np.float64) else array.astype(np.float64)


def as_signs(y, n_rows):
    """y as int8, checked to be -1 or +1 and as long as X."""
    y = np.asarray(y)
    if y.shape != (n_rows,):
        raise ValueError(f"y has shape {y.shape}; X has {n_rows} rows, so it must be ({n_rows},).")
    bad = np.flatnonzero((y != 1) & (y != -1))
    if bad.size:
        raise ValueError(f"y must be -1 or +1; y[{bad[0]}] is {y[bad[0]]!r}. Estimators take any labels.")
    return y.astype(np.int8, copy=False)


def as_weights(sample_weight, n_rows):
    """Weights as float64, checked; of length 0 when all are 1."""
    if sample_weight is None:
        return np.empty(0)
    weights = np.ascontiguousarray(sample_weight, dtype=np.float64)
    if weights.shape != (n_rows,):
        raise ValueError(f"sample_weight has shape {weights.shape}; X has {n_rows} rows.")
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if bad.size:
        raise ValueError(f"sample_weight[{bad[0]}] is {weights[bad[0]]}; weights must be finite and >= 0.")
    if not weights.any():
        raise ValueError("All sample weights are zero: there is nothing to learn from.")
    return weights


def as_start(start, n_rows):
    """A pair (dual, intercept) to start from, checked; the dual as float64."""
    dual, intercept = start
    dual = np.asarray(dual, dtype=np.float64)
    if dual.shape != (n_rows,) or not np.isfinite(dual).all():
        raise ValueError(f"start's dual must be {n_rows} finite numbers; it has the shape {dual.shape}.")
    if not np.isfinite(intercept):
        raise ValueError(f"start's intercept must be a finite number; got {intercept!r}.")
    return dual, float(intercept)


def as_state(random_state):
    """A random generator's 64-bit state, as the kernels hold it."""
    if random_state is None or isinstance(random_state, (int, np.integer)):
        seed = np.random.SeedSequence(random_state)
        return seed.generate_state(1, np.uint64)
    if isinstance(random_state, np.random.Generator):
        return random_state.integers(2**64, size=1, dtype=np.uint64)
    raise ValueError(f"random_state must be None, an int or a numpy Generator, not {random_state!r}.")


def positive(name, value, *, kind=float):
    """`value` as a positive finite number, or a ValueError that names it."""
    ok = isinstance(value, (int, np.integer) if kind is int else (int, float, np.integer, np.floating))
    if not ok or isinstance(value, bool) or not 0 < value < np.inf:
        what = "a positive integer" if kind is int else "a positive number"
        raise ValueError(f"{name} must be {what}; got {value!r}.")
    return kind(value)


def finite(name, value):
    """`value` as a finite number, or a ValueError that names it."""
    if isinstance(value, bool) or not isinstance(value, Real) or not np.isfinite(value):
        raise ValueError(f"{name} must be a finite number; got {value!r}.")
    return float(value)


def one_of(name, value, allowed):
    """`value`, or a ValueError that lists what is allowed."""
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}; got {value!r}.")
    return value


def flag(name, value):
    """`value` as a bool, or a ValueError that names it."""
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name} must be True or False; got {value!r}.")
    return bool(value)
