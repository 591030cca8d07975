"""Files of the svmlight format, stored as a matrix."""

from __future__ import annotations

import os
from codecs import BOM_UTF8
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from ..solvers._input import positive
from ._svmlight import WRONG, parse  # type: ignore[attr-defined]  # compiled
from .lines import Block, where
from .storing import Format
from .writer import NARROW


def store_svmlight(
    paths: str | os.PathLike | Sequence[str | os.PathLike],
    folder: str | os.PathLike,
    *,
    n_features: int | None = None,
    zero_based: bool = False,
    dtype: Any = np.float32,
) -> None:
    """Store files of the svmlight format as a matrix on disk, in bounded memory.

    The format is that of LIBSVM and LIBLINEAR: a line is ``label index:value index:value # comment``.

    Parameters
    ----------
    paths : path, or list of paths
        Files, plain or gzipped; the rows of one come after those of another.
    folder : str or path-like
        Where the matrix goes; must not exist. It appears when it is whole. If the work is cut, the same call
        goes on where the last was sure of its rows.
    n_features : int, default=None
        Columns of X; an index beyond is an error. By default as the largest index asks for.
    zero_based : bool, default=False
        The first column is number 0, not 1.
    dtype : {float32, float64}, default=float32
        Of the values.

    Raises
    ------
    ValueError
        On a line that cannot be read: file, line, and what is wrong with it.
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
    _Svmlight(paths, n_features, 0 if zero_based else 1, dtype).store(folder)


class _Svmlight(Format):
    def __init__(self, paths, n_features: int | None, first: int, dtype: Any) -> None:
        super().__init__(paths, dtype, format="svmlight", n_features=n_features, first=first)
        self.n_features, self._most, self._first = n_features, most_columns(n_features), first

    def rows(self, block: Block) -> tuple[sparse.csr_matrix, np.ndarray]:
        return _parsed(block, self.files, self._most, self._first, self.dtype)


def most_columns(n_features: int | None) -> int:
    """The columns that there may be."""
    return NARROW - 1 if n_features is None else positive("n_features", n_features, kind=int)


def _parsed(block: Block, files: list[str], n_features: int, first: int, dtype: Any):
    text = block.text.removeprefix(BOM_UTF8) if block.begin.offset == 0 else block.text
    n_lines, n_values = block.end.line - block.begin.line, text.count(b":")
    labels, ends = np.empty(n_lines), np.zeros(n_lines + 1, np.int64)
    indices, values = np.empty(n_values, np.int32), np.empty(n_values, dtype)
    rows, lines, largest, wrong = parse(text, labels, ends[1:], indices, values, first, n_features, len(text))
    if wrong:
        what = WRONG[wrong].format(first=first, last=first + n_features - 1)
        raise ValueError(f"{where(files, block.begin, lines)}: {what}.")
    n = int(ends[rows])
    X = sparse.csr_matrix((rows, max(1, largest + 1)), dtype=values.dtype)
    X.data, X.indices, X.indptr = values[:n], indices[:n], ends[: rows + 1]
    return X, labels[:rows]
