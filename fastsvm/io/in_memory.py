"""Files of the svmlight format, read into memory."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from .lines import blocks, paths_of
from .reader import Matrix
from .svmlight import _parsed, most_columns
from .writer import value_type

__all__ = ["read_svmlight"]


def read_svmlight(
    paths: str | os.PathLike | Sequence[str | os.PathLike],
    *,
    n_features: int | None = None,
    zero_based: bool = False,
    dtype: Any = np.float32,
) -> Matrix:
    """Read files of the svmlight format into memory.

    Parameters
    ----------
    paths, n_features, zero_based, dtype : as in `store_svmlight`

    Returns
    -------
    Matrix
        X, a CSR matrix of shape (n_samples, n_features), and y, float64.

    Raises
    ------
    ValueError
        On a line that cannot be read: file, line, and what is wrong with it.

    Examples
    --------
    >>> import tempfile
    >>> from fastsvm.io import read_svmlight
    >>> with tempfile.NamedTemporaryFile("w", suffix=".svm") as file:
    ...     _ = file.write("+1 1:0.5 3:2\\n-1 2:1\\n")
    ...     file.flush()
    ...     X, y = read_svmlight(file.name)
    >>> X.toarray().tolist(), y.tolist()
    ([[0.5, 0.0, 2.0], [0.0, 1.0, 0.0]], [1.0, -1.0])
    """
    files, most, first = paths_of(paths), most_columns(n_features), 0 if zero_based else 1
    dtype = value_type(dtype)
    parts = [_parsed(block, files, most, first, dtype) for block in blocks(files)]
    width = n_features or max((X.shape[1] for X, _ in parts), default=1)
    for X, _ in parts:
        X.resize(X.shape[0], width)
    none = sparse.csr_matrix((0, width), dtype=dtype)
    X = sparse.vstack([X for X, _ in parts] or [none], format="csr")
    return Matrix(X, np.concatenate([np.empty(0), *(y for _, y in parts)]))
