"""Sparse matrices, before SciPy or a kernel follows their indices.

SciPy checks the arrays of a matrix when it is made, not when they are replaced or changed afterwards, and
its conversions and products read and write wherever the indices point.
"""

import numpy as np

from .._utils import sparse
from ._rows import bad_index, bad_offset


def as_csr(X, columns=True):
    """X in CSR format, its arrays checked; what is not sparse comes back as it is.

    Parameters
    ----------
    X : sparse matrix or array, or anything else
    columns : bool, default=True
        Look at the columns of a CSR matrix too; `Rows` does, in the pass that it makes anyway.

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
        raise _malformed_matrix(f"X.data has {len(X.data)} diagonals, X.offsets has {len(X.offsets)}")
    if X.format != "csr":
        X = X.tocsr()
    offsets, places = _check_compressed(X, columns)
    data, n = X.data, offsets[-1]
    if data.dtype.kind not in "biufcO":  # such as texts, which SciPy would read as numbers
        raise _malformed_matrix(f"X.data has the dtype {data.dtype}")
    usual = data.dtype.isnative and data.flags.c_contiguous
    if usual and places is X.indices and offsets is X.indptr and n == len(data):
        return X
    data = np.ascontiguousarray(data[:n], data.dtype.newbyteorder("="))
    return type(X)((data, places[:n], offsets), X.shape)  # SciPy may look at what lies beyond


def with_floats(X):
    """Float64 in place of whole numbers, if X is CSR: SciPy's `astype` would sort the columns first."""
    if not sparse.issparse(X) or X.dtype.kind not in "biu":
        return X
    return type(X)((X.data.astype(np.float64), X.indices, X.indptr), X.shape)


def canonical(X):
    """X, a CSR matrix, with each column once in a row, for what is not linear in its values."""
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
        raise _malformed_matrix(f"X.indices has {len(places)} items, X.data has {len(X.data)}")
    if offsets[0] != 0:
        raise _malformed_matrix(f"X.indptr must start at 0; it starts at {offsets[0]}")
    lines = ("row", "column") if X.format != "csc" else ("column", "row")
    i = bad_offset(offsets, len(places))
    if i >= 0:
        span = f"{offsets[i]} to {offsets[i + 1]}"
        raise _malformed_matrix(f"X.indptr at {lines[0]} {i}: {span} is no range of {len(places)} values")
    k = bad_index(places, offsets[-1], minor) if indices else -1
    if k >= 0:
        i = np.searchsorted(offsets, k, "right") - 1
        raise _malformed_matrix(
            f"a value in {lines[1]} {places[k]} of {lines[0]} {i}; there are 0 to {minor - 1}"
        )
    return offsets, places


def _check_coordinates(X):
    for axis, name in enumerate(("row", "col")):
        places = _index_array(X, name)
        if len(places) != len(X.data):
            raise _malformed_matrix(f"X.{name} has {len(places)} items, X.data has {len(X.data)}")
        k = bad_index(places, len(places), X.shape[axis])
        if k >= 0:
            raise _malformed_matrix(f"X.{name}[{k}] is {places[k]}; there are 0 to {X.shape[axis] - 1}")


def _index_array(X, name):
    """An array of indices of X, as the checks read it."""
    array = getattr(X, name)
    if not isinstance(array, np.ndarray) or array.ndim != 1 or array.dtype.kind not in "iu":
        raise _malformed_matrix(f"X.{name} must be a one-dimensional array of integers")
    if array.dtype in (np.int32, np.int64) and array.flags.c_contiguous:
        return array
    return np.ascontiguousarray(array, np.int64)  # what does not fit becomes negative


def _malformed_matrix(what):
    return ValueError(f"X is a malformed sparse matrix: {what}. Make it again from its parts.")
