"""Files of the svmlight format: read into memory, or stored as a matrix on disk."""

from __future__ import annotations

import os
from codecs import BOM_UTF8
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from ..solvers._input import positive
from ._svmlight import WRONG, parse  # type: ignore[attr-defined]  # compiled
from .lines import LineBlock, LinePlace, files_fingerprint, line_blocks, line_location, paths_of
from .reader import Matrix
from .writer import NARROW, MatrixWriter, written_type

SAVE_EVERY = 1 << 28  # bytes read between two saves


def store_svmlight(
    paths: str | os.PathLike | Sequence[str | os.PathLike],
    folder: str | os.PathLike,
    *,
    n_features: int | None = None,
    zero_based: bool = False,
    dtype: Any = np.float32,
) -> None:
    """Store files of the svmlight format as a matrix on disk, in bounded memory.

    This is the format of LIBSVM and LIBLINEAR; a line is ``label index:value index:value # comment``.

    Parameters
    ----------
    paths : path, or list of paths
        Files, plain or gzipped. Their rows follow one another.
    folder : str or path-like
        The folder to write, which must not exist. It appears when the matrix is complete. After an
        interruption the same call resumes from the last save, every 256 MiB.
    n_features : int, default=None
        Columns of X; a larger index is an error. By default the largest index that occurs.
    zero_based : bool, default=False
        The first column is number 0, not 1.
    dtype : {float32, float64}, default=float32
        The type of the values.

    Raises
    ------
    ValueError
        If a line cannot be read; names the file, the line and the problem.
    FileExistsError
        If the folder exists, or is being written.

    Examples
    --------
    >>> import tempfile
    >>> from fastsvm.io import load, store_svmlight
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with open(f"{folder}/rows.svm", "w") as file:
    ...         _ = file.write("+1 1:0.5 3:2\\n-1 2:1\\n")
    ...     store_svmlight(f"{folder}/rows.svm", f"{folder}/X")
    ...     X, y = load(f"{folder}/X")
    ...     X.toarray().tolist(), y.tolist()
    ([[0.5, 0.0, 2.0], [0.0, 1.0, 0.0]], [1.0, -1.0])
    """
    files, most, first = paths_of(paths), _most_columns(n_features), 0 if zero_based else 1
    dtype = written_type(dtype)
    key = files_fingerprint(files, format="svmlight", n_features=n_features, first=first)
    with MatrixWriter(folder, key=key, dtype=dtype) as writer:
        begin, unsaved = LinePlace(*(writer.position or ())), 0
        for block in line_blocks(files, begin):
            X, labels = _parsed_svmlight(block, files, most, first, dtype)
            if X.shape[0]:
                writer.append(X, labels)
            unsaved += len(block.text)
            if unsaved >= SAVE_EVERY:
                writer.save(block.end)
                unsaved = 0
        writer.finish(n_features)


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
        The files and how they are read.

    Returns
    -------
    Matrix
        X, a CSR matrix of shape (n_samples, n_features), and y, float64.

    Raises
    ------
    ValueError
        If a line cannot be read; names the file, the line and the problem.

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
    files, most, first = paths_of(paths), _most_columns(n_features), 0 if zero_based else 1
    dtype = written_type(dtype)
    parts = [_parsed_svmlight(block, files, most, first, dtype) for block in line_blocks(files)]
    width = n_features or max((X.shape[1] for X, _ in parts), default=1)
    for X, _ in parts:
        X.resize(X.shape[0], width)
    none = sparse.csr_matrix((0, width), dtype=dtype)
    X = sparse.vstack([X for X, _ in parts] or [none], format="csr")
    return Matrix(X, np.concatenate([np.empty(0), *(y for _, y in parts)]))


def _most_columns(n_features: int | None) -> int:
    return NARROW - 1 if n_features is None else positive("n_features", n_features, kind=int)


def _parsed_svmlight(block: LineBlock, files: list[str], n_features: int, first: int, dtype: Any):
    """Return the rows of a block and their labels; a ValueError names a bad line."""
    text = block.text.removeprefix(BOM_UTF8) if block.begin.offset == 0 else block.text
    n_lines, n_values = block.end.line - block.begin.line, text.count(b":")
    labels, ends = np.empty(n_lines), np.zeros(n_lines + 1, np.int64)
    indices, values = np.empty(n_values, np.int32), np.empty(n_values, dtype)
    rows, lines, largest, wrong = parse(text, labels, ends[1:], indices, values, first, n_features, len(text))
    if wrong:
        what = WRONG[wrong].format(first=first, last=first + n_features - 1)
        raise ValueError(f"{line_location(files, block.begin, lines)}: {what}.")
    n = int(ends[rows])
    X = sparse.csr_matrix((rows, max(1, largest + 1)), dtype=values.dtype)
    X.data, X.indices, X.indptr = values[:n], indices[:n], ends[: rows + 1]
    return X, labels[:rows]
