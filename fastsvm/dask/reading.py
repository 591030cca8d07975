"""Rows that the workers read: files of the svmlight format, and matrices that `fastsvm.io` has stored."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from .. import io
from ..io.lines import paths_of
from ..solvers._input import positive
from ..solvers._windows import some_rows

__all__ = ["Chunks", "load", "read_svmlight"]


class Chunks(NamedTuple):
    """Rows and their labels, as dask arrays.

    Attributes
    ----------
    X : dask array of shape (n_samples, n_features), of CSR matrices
    y : dask array of shape (n_samples,)
    """

    X: Any
    y: Any


def read_svmlight(
    files: str | os.PathLike | Sequence[str | os.PathLike],
    *,
    n_features: int,
    zero_based: bool = False,
    dtype: Any = np.float32,
) -> Chunks:
    """Dask arrays of svmlight files; a worker reads each when it is asked for.

    Parameters
    ----------
    files : path, or list of paths
        Plain or gzipped, where all workers can read them. Each is a chunk, so there should be as many as
        workers or more, and a file should fit in a worker's memory.
    n_features : int
        Columns of X; an index beyond is an error.
    zero_based : bool, default=False
        The first column is number 0, not 1.
    dtype : {float32, float64}, default=float32
        Of the values.

    Returns
    -------
    Chunks
        X, whose numbers of rows are not known, and y, float64.

    Raises
    ------
    ValueError
        When they are computed, on a line that cannot be read: file, line, and what is wrong with it.

    Examples
    --------
    >>> X, y = read_svmlight(["day1.svm.gz", "day2.svm.gz"], n_features=47_236)      # doctest: +SKIP
    >>> model = SDCAClassifier(alpha=1e-5).fit(X, y)                                 # doctest: +SKIP
    """
    from dask import delayed

    positive("n_features", n_features, kind=int)
    read = delayed(io.read_svmlight, nout=2, pure=False)
    options = {"n_features": n_features, "zero_based": zero_based, "dtype": np.dtype(dtype)}
    parts = [read(os.path.abspath(path), **options) for path in paths_of(files)]
    return _arrays(parts, [np.nan] * len(parts), n_features, options["dtype"], np.empty(0))


def load(folder: str | os.PathLike, *, n_chunks: int) -> Chunks:
    """Dask arrays of a matrix that `fastsvm.io` has stored; workers map its files where they need them.

    Parameters
    ----------
    folder : str or path-like
        Where all workers can read it.
    n_chunks : int
        Of about as many rows each. With one for each worker, fits are from the files and need not hold the
        rows in memory; several of a worker are put together there.

    Returns
    -------
    Chunks

    Raises
    ------
    MatrixFileError
        If the folder is not whole, or damaged.

    Examples
    --------
    >>> X, y = load("rows", n_chunks=len(client.nthreads()))                         # doctest: +SKIP
    """
    from dask import delayed

    X, y = io.load(folder)
    bounds = np.linspace(0, len(y), positive("n_chunks", n_chunks, kind=int) + 1).astype(int).tolist()
    read = delayed(_window, nout=2, pure=False)
    parts = [read(os.path.abspath(folder), *window) for window in pairwise(bounds)]
    return _arrays(parts, np.diff(bounds).tolist(), X.shape[1], X.dtype, y[:0])


def _window(folder, first, last):
    """Rows of a stored matrix, over the mapped files."""
    X, y = io.load(folder)
    return some_rows(X, first, last), y[first:last]


def _arrays(parts, rows, n_features, dtype, label):
    """Put parts that are tuples of X and y below each other."""
    import dask.array as da

    none = sparse.csr_matrix((0, n_features), dtype=dtype)
    Xs = [
        da.from_delayed(X, (n, n_features), dtype, meta=none) for (X, _), n in zip(parts, rows, strict=True)
    ]
    ys = [da.from_delayed(y, (n,), label.dtype) for (_, y), n in zip(parts, rows, strict=True)]
    X, y = (da.concatenate(arrays, allow_unknown_chunksizes=True) for arrays in (Xs, ys))
    return Chunks(X, y)
