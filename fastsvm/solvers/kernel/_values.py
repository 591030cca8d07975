"""Kernel values of blocks of rows: dot products by BLAS, then the kernel function in place."""

import math
from typing import Any

import numpy as np

from ..._utils import sparse
from .._input import as_rows, canonical
from ._kernel import address, exp_of_distances, panel_sums, scatter

LINE = 64  # bytes of a cache line, and of the widest registers
TILE_ROWS = 512  # the longer side of a tile; with TILE_COLUMNS on the other side, half a megabyte
TILE_COLUMNS = 512
PAD = 8  # extra values in a line of a tile
PANEL_VALUES = 1 << 23  # the largest number of values of sparse rows that are laid side by side
DOUBLE_ROWS = 1024  # number of rows up to which double precision is used
EXACT = 1e3  # exponents up to which single precision keeps at least four digits
LARGEST = 1e37  # larger kernel values may overflow
CHUNK_VALUES = 1 << 21  # values whose variance is summed at a time


def aligned_empty(shape, dtype):
    """As `numpy.empty`, but aligned to 64 bytes: alignment may change the last bits of BLAS's sums."""
    dtype = np.dtype(dtype)
    size = math.prod(shape) * dtype.itemsize
    room = np.empty(size + LINE, np.uint8)
    return np.ndarray(shape, dtype, room, -address(room) % LINE)


def aligned_copy(values, dtype):
    """A copy of an array, in C order."""
    out = aligned_empty(values.shape, dtype)
    out[...] = values
    return out


def aligned_take(values, which):
    """The rows `values[which]`, for an array of row numbers."""
    out = aligned_empty((len(which), *values.shape[1:]), values.dtype)
    return np.take(values, which, axis=0, out=out, mode="clip")  # the default mode would need a copy


def gamma_of(gamma: str | float, X: Any) -> float:
    """The number that `gamma` stands for.

    Parameters
    ----------
    gamma : "scale", "auto" or float
        "scale": 1 / (n_features * X.var()), or 1 if X is constant; "auto": 1 / n_features.
    X : ndarray or CSR matrix of shape (n_samples, n_features)

    Returns
    -------
    float
    """
    if gamma == "auto":
        return 1 / X.shape[1]
    if gamma == "scale":
        with np.errstate(over="ignore", invalid="ignore"):  # the solvers refuse such X
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
    step = max(1, CHUNK_VALUES // X.shape[1])
    parts = (X[first : first + step] for first in range(0, len(X), step))
    return sum(np.square(part - mean).sum(dtype=float) for part in parts) / size


class Points:
    """Rows for a kernel: an array, or a CSR matrix, with ||x||^2 or ||x||_1 of each row."""

    def __init__(self, values, sizes, rows=None):
        self.values, self.sizes = values, sizes
        self.rows = rows  # used if dot products or distances are computed here, not by BLAS

    def __len__(self):
        return len(self.sizes)

    def __getitem__(self, which):
        if isinstance(which, slice) or sparse.issparse(self.values) or self.values.dtype == object:
            values = self.values[which]
        else:
            values = aligned_take(self.values, which)
        return Points(values, self.sizes[which], None if self.rows is None else as_rows(values))


class Kernel:
    """One of scikit-learn's kernels, fitted to the rows of X.

    linear x.z; poly (gamma x.z + coef0)^degree; rbf exp(-gamma ||x - z||^2); sigmoid
    tanh(gamma x.z + coef0); laplacian exp(-gamma ||x - z||_1).

    Parameters
    ----------
    name : {"linear", "poly", "rbf", "sigmoid", "laplacian"}
    X : ndarray or CSR matrix of shape (n, n_features), finite
        For kernels of differences, dense rows are centred on the mean of X, which keeps digits. Above 1,024
        rows, values are computed in single precision, unless exponents are large.
    gamma : float > 0
    degree : int > 0
    coef0 : float

    Attributes
    ----------
    trained : Points of X

    Raises
    ------
    ValueError
        If values would overflow.
    """

    def __init__(self, name: str, X: Any, *, gamma: float = 1.0, degree: int = 3, coef0: float = 0.0) -> None:
        self.name, self.gamma, self.degree, self.coef0 = name, gamma, degree, coef0
        self.by_difference = name in ("rbf", "laplacian")
        self.sparse = sparse.issparse(X)
        self.center = X.mean(axis=0, dtype=float) if self.by_difference and not self.sparse else 0.0
        self.dtype = np.dtype(np.float64 if X.shape[0] <= DOUBLE_ROWS else np.float32)
        self.trained = self.points(X)
        if self.by_difference and self.dtype == np.float32 and gamma * self.trained.sizes.max() > EXACT:
            self.dtype = np.dtype(np.float64)
            self.trained = self.points(X)
        self._check_range()

    def _check_range(self):
        largest = np.abs(self.diagonal())
        i = int(np.argmax(largest))  # NaN counts as largest
        if not largest[i] < LARGEST:
            raise ValueError(
                f"The {self.name} kernel of row {i} with itself is {largest[i]:.3g}, too large for "
                "single precision: scale X, or lower gamma or degree."
            )

    def diagonal(self):
        """K(x, x) of the rows of X, float64."""
        sizes = self.trained.sizes
        if self.by_difference:
            return np.ones(len(sizes))
        with np.errstate(over="ignore"):
            return self._kernel_of_dots(sizes.copy())

    def points(self, X):
        """Rows for `tiles`, sparse or dense like the rows of the kernel.

        Parameters
        ----------
        X : ndarray or CSR matrix of shape (n, n_features)

        Returns
        -------
        Points
        """
        with np.errstate(over="ignore"):  # `_check_range` raises the error
            return self._points(X, np.abs if self.name == "laplacian" else np.square)

    def _points(self, X, size):
        if self.sparse:
            X = canonical(X.tocsr() if sparse.issparse(X) else sparse.csr_matrix(X))
            if X.dtype != self.dtype:
                X = type(X)((X.data.astype(self.dtype), X.indices, X.indptr), X.shape)
            row = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
            return Points(X, np.bincount(row, size(X.data, dtype=float), X.shape[0]), as_rows(X))
        values, sizes = aligned_empty(X.shape, self.dtype), np.empty(X.shape[0])
        for first in range(0, X.shape[0], TILE_ROWS):
            part = X[first : first + TILE_ROWS]
            part = np.subtract(sparse.as_dense(part), self.center, dtype=float)
            values[first : first + TILE_ROWS] = part
            sizes[first : first + TILE_ROWS] = size(part).sum(axis=1)
        return Points(values, sizes, as_rows(values) if self.name == "laplacian" else None)

    def panel(self, n_columns):
        """Number of rows to ask `tiles` for at a time."""
        return max(8, min(TILE_COLUMNS, PANEL_VALUES // n_columns))

    def tiles(self, few, many, first, last, width=TILE_ROWS, out=None):
        """Kernel values of a few rows against many, some columns at a time.

        Parameters
        ----------
        few, many : Points
        first, last : int
            Range of `many`.
        width : int
            Maximum number of columns at a time.
        out : array of shape (len(few), last - first), default=None
            Memory for all values.

        Yields
        ------
        (start, stop, tile) : tile of shape (len(few), stop - start), valid until the next one
        """
        direct = out is not None and out.dtype == self.dtype and many.rows is None
        dots = self._dot_products(few, many, min(width, last - first), out if direct else None, first)
        for start in range(first, last, width):
            stop = min(start + width, last)
            products = dots(start, stop)
            tile = self._kernel_of_products(products, few.sizes, many.sizes[start:stop])
            if out is not None and not (direct and tile is products):
                out[:, start - first : stop - first] = tile
            yield start, stop, tile

    def _dot_products(self, few, many, width, out=None, first=0):
        """Return a function that computes x.z or ||x - z||_1 of the few and a range of the many."""
        if many.rows is None:
            # Lines whose distance is a power of two would share cache sets.
            buffer = aligned_empty((len(few), width + PAD), self.dtype) if out is None else None

            def products(start, stop):
                place = buffer[:, : stop - start] if out is None else out[:, start - first : stop - first]
                return np.matmul(few.values, many.values[start:stop].T, out=place)

            return products
        panel = np.zeros((many.rows.n_columns, len(few)), self.dtype)
        scatter(few.rows, few.rows.values, few.rows.columns, np.arange(len(few), dtype=np.int32), panel)
        buffer, rows = aligned_empty((width, len(few)), self.dtype), many.rows

        distances = self.name == "laplacian"
        sizes = few.sizes.astype(self.dtype) if distances else np.zeros(len(few), self.dtype)

        def dots(start, stop):
            out = buffer[: stop - start]
            panel_sums(rows, rows.values, rows.columns, panel, sizes, distances, start, out)
            return out.T

        return dots

    def _kernel_of_products(self, tile, few, many):
        """Turn dot products or distances into kernel values, in place."""
        if not self.by_difference:
            return self._kernel_of_dots(tile)
        rate = -self.gamma
        if self.name == "rbf":  # -||x - z||^2 = 2 x.z - ||x||^2 - ||z||^2
            rate *= -2
        else:
            few, many = np.zeros_like(few), np.zeros_like(many)
        sides = (self.gamma * few).astype(self.dtype), (self.gamma * many).astype(self.dtype)
        if tile.flags.c_contiguous or tile.strides[1] == tile.itemsize:
            exp_of_distances(tile, rate, *sides)
        else:  # sparse rows: the tile is transposed in memory
            exp_of_distances(tile.T, rate, *sides[::-1])
        return tile

    def _kernel_of_dots(self, dots):
        if self.name == "linear":
            return dots
        dots *= self.gamma
        dots += self.coef0
        if self.name == "sigmoid":
            return np.tanh(dots, out=dots)
        return _power_in_place(dots, self.degree)


class GivenKernel:
    """A kernel given as a function of two matrices, with the interface of `Kernel`.

    Parameters
    ----------
    function : callable
        ``function(X, Z)`` returns the kernel values, of shape (len(X), len(Z)), dense or sparse.
    X : ndarray or CSR matrix of shape (n, n_features), or array of n objects

    Raises
    ------
    ValueError
        If the values have another shape, or are NaN or infinite.
    """

    dtype = np.dtype(np.float64)

    def __init__(self, function: Any, X: Any) -> None:
        self.function = function
        self.trained = self.points(X)

    def points(self, X):
        """Rows for `tiles`."""
        return Points(X, np.empty(X.shape[0]))

    def diagonal(self):
        """K(x, x) of the rows of X, float64."""
        X = self.trained.values
        parts = [X[first : first + TILE_COLUMNS] for first in range(0, X.shape[0], TILE_COLUMNS)]
        return np.concatenate([self._values(part, part).diagonal() for part in parts]).astype(float)

    def panel(self, n_columns):
        """Number of rows to ask `tiles` for at a time."""
        return TILE_COLUMNS

    def tiles(self, few, many, first, last, width=TILE_ROWS):
        """As in `Kernel`, without `out`."""
        for start in range(first, last, width):
            stop = min(start + width, last)
            yield start, stop, self._values(few.values, many.values[start:stop])

    def _values(self, A, B):
        values = self.function(A, B)
        values = np.asarray(sparse.as_dense(values), dtype=float)
        if values.shape != (A.shape[0], B.shape[0]):
            raise ValueError(
                f"The kernel function returned shape {values.shape} for {A.shape[0]} and {B.shape[0]} "
                f"rows; it must return shape ({A.shape[0]}, {B.shape[0]})."
            )
        if not np.isfinite(values).all():
            raise ValueError("The kernel function returned NaN or infinite values.")
        return values


def _power_in_place(values, degree):
    """values**degree in place, by squaring; the power of NumPy takes ten times as long."""
    result = None
    while degree:
        if degree & 1:
            if result is None:
                result = aligned_copy(values, values.dtype)
            else:
                result *= values
        degree >>= 1
        if degree:
            values *= values
    return result
