"""Rows that workers read from files: svmlight files, and matrices stored by `fastsvm.io`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from .. import io
from ..io.svmlight import paths_of
from ..solvers._input import positive


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
    """Make dask arrays of svmlight files; workers read a file when they need its rows.

    Parameters
    ----------
    files : path, or list of paths
        Plain or gzipped files, at paths that all workers can read. Each file is a chunk: use at least as many
        files as workers, each smaller than a worker's memory.
    n_features : int
        Number of columns of X; a larger index is an error.
    zero_based : bool, default=False
        Whether the first column has the index 0, not 1.
    dtype : {float32, float64}, default=float32
        The type of the values.

    Returns
    -------
    Chunks
        X, with unknown numbers of rows, and y, float64.

    Raises
    ------
    ValueError
        When the arrays are computed, if a line cannot be read. The message names file, line and problem.

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
    return _read_arrays(parts, [np.nan] * len(parts), n_features, options["dtype"], np.empty(0))


def load(folder: str | os.PathLike, *, n_chunks: int) -> Chunks:
    """Make dask arrays of a matrix stored by `fastsvm.io`; workers memory-map the rows that they need.

    Parameters
    ----------
    folder : str or path-like
        A path that all workers can read.
    n_chunks : int
        Number of chunks, of about equal numbers of rows. With one chunk per worker, fits read the files and
        need not hold the rows in memory; a worker with several chunks copies them into one matrix.

    Returns
    -------
    Chunks
        X and y, which workers read when they need them.

    Raises
    ------
    MatrixFileError
        If the folder is incomplete or damaged.

    Examples
    --------
    >>> X, y = load("rows", n_chunks=len(client.nthreads()))                         # doctest: +SKIP
    """
    from dask import delayed

    X, y = io.load(folder)
    bounds = np.linspace(0, len(y), positive("n_chunks", n_chunks, kind=int) + 1).astype(int).tolist()
    read = delayed(_read_window, nout=2, pure=False)
    parts = [read(os.path.abspath(folder), *window) for window in pairwise(bounds)]
    return _read_arrays(parts, np.diff(bounds).tolist(), X.shape[1], X.dtype, y[:0])


def _read_window(folder, first, last):
    """Return rows of a stored matrix, over the memory-mapped files."""
    return tuple(io.load(folder, rows=slice(first, last)))


def _read_arrays(parts, rows, n_features, dtype, label):
    """Concatenate parts, tuples of X and y."""
    import dask.array as da

    none = sparse.csr_matrix((0, n_features), dtype=dtype)
    Xs = [
        da.from_delayed(X, (n, n_features), dtype, meta=none) for (X, _), n in zip(parts, rows, strict=True)
    ]
    ys = [da.from_delayed(y, (n,), label.dtype) for (_, y), n in zip(parts, rows, strict=True)]
    X, y = (da.concatenate(arrays, allow_unknown_chunksizes=True) for arrays in (Xs, ys))
    return Chunks(X, y)
