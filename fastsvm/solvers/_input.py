"""Arguments of callers, checked once and converted to the form that the kernels read.

SciPy checks the arrays of a sparse matrix when the matrix is created, not when they are changed later, and
SciPy's conversions and products read and write wherever the indices point. The arrays are therefore checked
before SciPy or a kernel uses them.
"""

from collections.abc import Sequence
from numbers import Integral, Real
from threading import local
from typing import Any

import numpy as np

from .._utils import sparse
from ._rows import Rows, bad_index, bad_offset

LARGEST = np.finfo(float).max
MOST_STEPS = 2**31 - 1
EXTREME = 1e100  # numbers from 1 / EXTREME to EXTREME have squares in double precision


def as_rows(X: Any, threads: int = 1, norms: bool = False) -> Any:
    """Return the rows of X in the form that the kernels read, copied only if dtype or layout require it.

    Parameters
    ----------
    X : CSR matrix or array, or ndarray, of shape (n_samples, n_features)
        float32 or float64, with int32 or int64 indices in any order; values with the same index are summed.
        Other sparse formats, memory orders and number types are converted.
    threads : int, default=1
        Threads for the checks.
    norms : bool, default=False
        Compute the rows' norms in the same pass. For memory-mapped rows, the pass is postponed until it is
        needed; errors in the rows are reported then.

    Returns
    -------
    Rows
        The rows; they share the memory of X where possible.

    Raises
    ------
    ValueError
        If X is empty, not two-dimensional or a malformed sparse matrix, or if it contains NaN, infinity,
        values other than real numbers, or a row with a norm above 1e100.
    """
    if isinstance(X, Rows):
        return X
    if sparse.issparse(X):
        X = as_csr(X, columns=False)  # Rows checks them
        values, columns, indptr = _as_floating("X", X.data), X.indices, X.indptr
    else:
        X = _as_floating("X", np.asarray(X))
        values, columns, indptr = X.reshape(-1), np.empty(0, np.int32), None
    require_table(X)
    return Rows(values, columns, indptr, X.shape, threads, norms)


def require_table(X, empty=False):
    """Raise a ValueError unless X has two dimensions and, unless `empty`, at least a row and a column."""
    if X.ndim != 2:
        raise ValueError(f"X must have two dimensions (samples, features); it has {X.ndim}.")
    if 0 in X.shape and not empty:
        raise ValueError(f"X has shape {X.shape}: at least one sample and one feature are needed.")


def as_matrix(X, threads=1, norms=False):
    """X as a CSR matrix or C-ordered array, and its rows; checked as by `as_rows`."""
    X = as_csr(X, columns=False)
    rows = as_rows(X, threads, norms)
    return (X if sparse.issparse(X) else rows.values.reshape(rows.n_rows, rows.n_columns)), rows


def _as_floating(name, array):
    """An array of numbers as C-ordered float32 or float64, copied only if necessary."""
    if array.dtype.kind not in "biufO":
        raise ValueError(f"{name} must contain real numbers; its dtype is {array.dtype}.")
    if array.dtype in (np.float32, np.float64):
        return np.ascontiguousarray(array)
    try:
        return np.ascontiguousarray(array, np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must contain real numbers: {error}.") from None


def as_csr(X, columns=True):
    """X in CSR format, with checked arrays; X itself if it is not sparse.

    Parameters
    ----------
    X : sparse matrix or array, or anything else
    columns : bool, default=True
        Check the columns of a CSR matrix, too; `Rows` does so in a pass that it makes anyway.

    Returns
    -------
    CSR matrix or array; or X
        The same object, unless it has another format, items beyond its rows, or arrays that are not C-ordered
        or of unusual types.

    Raises
    ------
    ValueError
        If the arrays of X do not agree with each other or with its shape.
    """
    if not sparse.issparse(X):
        return X
    if X.ndim != 2:
        raise ValueError(f"X must have two dimensions (samples, features); it has {X.ndim}.")
    if X.format in ("csc", "bsr"):
        _check_compressed(X, True)
    elif X.format == "coo":
        _check_coordinates(X)
    elif X.format == "lil":
        if [*map(len, X.rows)] != [*map(len, X.data)] or len(X.rows) != X.shape[0]:
            raise _malformed_matrix("X.rows and X.data differ in length")
    elif X.format == "dia" and X.data.shape[:1] != X.offsets.shape:
        raise _malformed_matrix(f"X.data has {len(X.data)} diagonals; X.offsets has {len(X.offsets)}")
    if X.format != "csr":
        X = X.tocsr()
    offsets, places = _check_compressed(X, columns)
    data, n = X.data, offsets[-1]
    if data.dtype.kind not in "biufcO":  # such as strings, which SciPy would read as numbers
        raise _malformed_matrix(f"X.data has the dtype {data.dtype}")
    usual = data.dtype.isnative and data.flags.c_contiguous
    if usual and places is X.indices and offsets is X.indptr and n == len(data):
        return X
    data = np.ascontiguousarray(data[:n], data.dtype.newbyteorder("="))
    return type(X)((data, places[:n], offsets), X.shape)  # SciPy may read beyond n


def with_floats(X):
    """X with whole numbers converted to float64, if X is CSR: SciPy's `astype` would sort the columns."""
    if not sparse.issparse(X) or X.dtype.kind not in "biu":
        return X
    return type(X)((X.data.astype(np.float64), X.indices, X.indptr), X.shape)


def canonical(X):
    """The CSR matrix X with repeated columns of a row summed, for functions that are not linear in X."""
    X = X.matrix() if isinstance(X, sparse.PlainCSR) else X
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def _check_compressed(X, indices):
    """indptr and indices of a CSR, CSC or BSR matrix, checked."""
    axis = X.format == "csc"
    blocks = X.data.shape[1:] if X.format == "bsr" else (1, 1)
    if X.data.ndim != (3 if X.format == "bsr" else 1):
        raise _malformed_matrix(f"X.data has {X.data.ndim} dimensions")
    major, minor = X.shape[axis] // blocks[axis], X.shape[1 - axis] // blocks[1 - axis]
    offsets, places = _index_array(X, "indptr"), _index_array(X, "indices")
    if len(offsets) != major + 1:
        raise _malformed_matrix(f"X.indptr has {len(offsets)} items; the shape {X.shape} needs {major + 1}")
    if len(places) != len(X.data):
        raise _malformed_matrix(f"X.indices has {len(places)} items; X.data has {len(X.data)}")
    if offsets[0] != 0:
        raise _malformed_matrix(f"X.indptr must start at 0; it starts at {offsets[0]}")
    lines = ("row", "column") if X.format != "csc" else ("column", "row")
    i = bad_offset(offsets, len(places))
    if i >= 0:
        span = f"{offsets[i]} to {offsets[i + 1]}"
        raise _malformed_matrix(f"X.indptr at {lines[0]} {i}: {span} is no range in {len(places)} values")
    k = bad_index(places, offsets[-1], minor) if indices else -1
    if k >= 0:
        i = np.searchsorted(offsets, k, "right") - 1
        raise _malformed_matrix(
            f"a value in {lines[1]} {places[k]} of {lines[0]} {i}; {lines[1]}s are 0 to {minor - 1}"
        )
    return offsets, places


def _check_coordinates(X):
    for axis, name in enumerate(("row", "col")):
        places = _index_array(X, name)
        if len(places) != len(X.data):
            raise _malformed_matrix(f"X.{name} has {len(places)} items; X.data has {len(X.data)}")
        k = bad_index(places, len(places), X.shape[axis])
        if k >= 0:
            raise _malformed_matrix(f"X.{name}[{k}] is {places[k]}; it must be 0 to {X.shape[axis] - 1}")


def _index_array(X, name):
    """An index array of X, as the checks read it."""
    array = getattr(X, name)
    if not isinstance(array, np.ndarray) or array.ndim != 1 or array.dtype.kind not in "iu":
        raise _malformed_matrix(f"X.{name} must be a one-dimensional array of integers")
    if array.dtype in (np.int32, np.int64) and array.flags.c_contiguous:
        return array
    return np.ascontiguousarray(array, np.int64)  # numbers that do not fit become negative


def _malformed_matrix(what):
    return ValueError(f"X is a malformed sparse matrix: {what}. Build it again from its parts.")


def as_signs(y, n_rows):
    """y as int8, checked to contain -1 and +1 only and to be as long as X."""
    y = np.asarray(y)
    if y.shape != (n_rows,):
        raise ValueError(f"y has shape {y.shape}; X has {n_rows} rows, so y must be ({n_rows},).")
    bad = np.flatnonzero((y != 1) & (y != -1))
    if bad.size:
        raise ValueError(f"y must be -1 or +1; y[{bad[0]}] is {y[bad[0]]!r}. Estimators accept any labels.")
    return y.astype(np.int8, copy=False)


def as_weights(sample_weight: Any, n_rows: int, relative: bool = False) -> np.ndarray:
    """Weights as float64, checked; of length 0 when all are 1.

    If `relative`, they are divided by their mean: a weight of 2 is a row twice, and 0 is no row.
    """
    if sample_weight is None:
        return np.empty(0)
    weights = np.asarray(_as_floating("sample_weight", np.asarray(sample_weight)), np.float64)
    if weights.shape != (n_rows,):
        raise ValueError(f"sample_weight has shape {weights.shape}; X has {n_rows} rows.")
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if bad.size:
        raise ValueError(f"sample_weight[{bad[0]}] is {weights[bad[0]]}; weights must be finite and >= 0.")
    if not weights.any():
        raise ValueError("All sample weights are zero: there is nothing to learn from.")
    largest = weights.max()
    if not 1 / EXTREME <= largest <= EXTREME:
        raise ValueError(
            f"The largest sample_weight is {largest:.3g}, outside {1 / EXTREME:g} to {EXTREME:g}: divide the "
            "weights by their mean."
        )
    return weights / weights.mean() if relative else weights


def as_start(start, n_rows):
    """The start (dual, intercept), checked; the dual as float64."""
    dual, intercept = start
    dual = np.asarray(dual, dtype=np.float64)
    finite = np.count_nonzero(np.isfinite(dual))
    if dual.shape != (n_rows,) or finite < n_rows:
        raise ValueError(f"start's dual must be {n_rows} finite numbers; got {finite} in shape {dual.shape}.")
    if not np.isfinite(intercept):
        raise ValueError(f"start's intercept must be a finite number; got {intercept!r}.")
    return dual, float(intercept)


def as_order(order, n_rows):
    """Row numbers as int32, checked."""
    order = np.asarray(order)
    if order.size and order.dtype.kind not in "iu":
        raise ValueError(f"order must contain row numbers; its dtype is {order.dtype}.")
    if order.size and not 0 <= order.min() <= order.max() < n_rows:
        raise ValueError(f"order names rows {order.min()} to {order.max()}; X has rows 0 to {n_rows - 1}.")
    return np.ascontiguousarray(order, np.int32)


def as_state(random_state):
    """A random generator's 64-bit state, as the kernels hold it."""
    if random_state is None or isinstance(random_state, (int, np.integer)):
        seed = np.random.SeedSequence(random_state)
        return seed.generate_state(1, np.uint64)
    if isinstance(random_state, np.random.Generator):
        return random_state.integers(2**64, size=1, dtype=np.uint64)
    raise ValueError(f"random_state must be None, an int or a numpy Generator, not {random_state!r}.")


def as_random(random_state: Any) -> np.random.RandomState:
    """The RandomState that scikit-learn makes of a `random_state`; it must be used at once."""
    if random_state is None or random_state is np.random:
        return np.random.mtrand._rand
    if isinstance(random_state, Integral):
        if not hasattr(_OF_THREAD, "random"):  # creating one takes 0.2 ms
            _OF_THREAD.random = np.random.RandomState(0)
        _OF_THREAD.random.seed(random_state)
        return _OF_THREAD.random
    if isinstance(random_state, np.random.RandomState):
        return random_state
    raise ValueError(f"{random_state!r} cannot be used to seed a numpy.random.RandomState instance")


_OF_THREAD = local()


def positive(name: str, value: Any, *, kind: type = float) -> Any:
    """`value` as a positive finite number, or a ValueError that names it."""
    ok = isinstance(value, (int, np.integer) if kind is int else (int, float, np.integer, np.floating))
    if not ok or isinstance(value, bool) or not 0 < value < np.inf:
        what = "a positive integer" if kind is int else "a positive number"
        raise ValueError(f"{name} must be {what}; got {value!r}.")
    most = MOST_STEPS if kind is int else LARGEST
    if value > most:
        raise ValueError(f"{name} must be at most {most:g}.")
    return kind(value)


def as_first_averaged(value: Any) -> Any:
    """`average_from` as a number of steps or None, or a ValueError."""
    if value is None or (isinstance(value, (int, np.integer)) and value == 0 and value is not False):
        return value
    return positive("average_from", value, kind=int)


def as_limit(name: str, value: Any) -> int:
    """`value` as a positive integer, or -1 for no limit, or a ValueError that names it."""
    return -1 if isinstance(value, (int, np.integer)) and value == -1 else positive(name, value, kind=int)


def finite(name, value):
    """`value` as a finite number, or a ValueError that names it."""
    if isinstance(value, bool) or not isinstance(value, Real) or not abs(value) <= LARGEST:
        raise ValueError(f"{name} must be a finite number; got {value!r}.")
    return float(value)


def as_alpha(alpha: Any) -> float:
    """`alpha` as a number whose square double precision can represent, or a ValueError."""
    if isinstance(alpha, Real) and alpha == 0:
        raise ValueError("alpha must be a positive number; got 0: without a penalty there is no certificate.")
    return with_square("alpha", alpha, ": scale X instead")


def with_square(name: str, value: Any, hint: str = "") -> float:
    """`value` as a positive number whose square double precision can represent, or a ValueError."""
    if not 1 / EXTREME <= positive(name, value) <= EXTREME:
        raise ValueError(f"{name} must be between {1 / EXTREME:g} and {EXTREME:g}; got {value!r}{hint}.")
    return float(value)


# Names in other packages.
MEANT = {"log_loss": "log", "logistic": "log", "logloss": "log", "gaussian": "rbf", "polynomial": "poly"}


def one_of(name: str, value: Any, allowed: Sequence[str]) -> str:
    """`value`, or a ValueError that lists the allowed values."""
    if not isinstance(value, str) or value not in allowed:
        meant = MEANT.get(value) if isinstance(value, str) else None
        hint = f": use {meant!r}" if meant in allowed else ""
        raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}; got {value!r}{hint}.")
    return value


def order_of(order: Any, names: Sequence[str]) -> Any:
    """`order` if it is an array, which the solver checks, or one of the names; otherwise a ValueError."""
    return order if isinstance(order, (np.ndarray, list, tuple)) else one_of("order", order, names)


def flag(name: str, value: Any) -> bool:
    """`value` as a bool, or a ValueError that names it."""
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name} must be True or False; got {value!r}.")
    return bool(value)
