"""A matrix on disk, as a CSR matrix over memory-mapped files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

from ..solvers._mapped_rows import adjacent_rows, some_rows
from .layout import ARRAYS, MatrixFileError, checksum, read_manifest


class Matrix(NamedTuple):
    """A matrix and its labels.

    Attributes
    ----------
    X : csr_matrix of shape (n_samples, n_features), float32 or float64
        Read-only, over memory-mapped files. ``X[a:b]`` is a view of the files, too.
    y : ndarray of shape (n_samples,)
        float64 if labels are numbers, else texts.
    """

    X: csr_matrix
    y: np.ndarray


class StoredRows(csr_matrix):
    """A CSR matrix whose adjacent rows, as in ``X[:1000]``, are a view, not a copy."""

    def __getitem__(self, key):
        rows, *rest = key if isinstance(key, tuple) else (key,)
        whole = all(each is Ellipsis or (isinstance(each, slice) and each == slice(None)) for each in rest)
        span = adjacent_rows(rows, self.shape[0]) if whole else None
        return super().__getitem__(key) if span is None else some_rows(self, *span)


def load(folder: str | os.PathLike, *, rows: Any = None, verify: bool = False) -> Matrix:
    """Open a matrix that `store_svmlight` or `MatrixWriter` wrote, without reading its values.

    Parameters
    ----------
    folder : str or path-like
        The folder of the matrix.
    rows : slice, or array of bool or int, default=None
        The rows to open, which must be adjacent. By default all.
    verify : bool, default=False
        Read everything once to compare checksums.

    Returns
    -------
    Matrix
        X and y. Every linear estimator accepts X without a copy. If X is larger than memory, keep the default
        `order`.

    Raises
    ------
    MatrixFileError
        If the folder is incomplete or damaged.
    ValueError
        If `rows` are not adjacent.
    """
    folder = Path(folder)
    manifest = read_manifest(folder)
    arrays = {name: _read_array(folder / name, manifest["arrays"][name], verify) for name in ARRAYS}
    X = StoredRows(tuple(manifest["shape"]), dtype=arrays["data.npy"].dtype)
    # SciPy would copy indices if offsets are wider; the solvers accept both widths.
    X.data, X.indices, X.indptr = (arrays[name] for name in ("data.npy", "indices.npy", "indptr.npy"))
    codes = arrays["y.npy"]
    if rows is not None:
        span = adjacent_rows(rows, X.shape[0])
        if span is None:
            raise ValueError(
                "rows must be adjacent, such as slice(0, 1000), since others would be copied. To leave out "
                "rows in between, give them the sample_weight 0."
            )
        X, codes = some_rows(X, *span), codes[slice(*span)]
    return Matrix(X, _read_labels(folder, codes, manifest["labels"]))


def feature_names(folder: str | os.PathLike) -> list[str] | None:
    """Return the names of a stored matrix's columns; None if it has no names.

    Parameters
    ----------
    folder : str or path-like
        The folder of the matrix.

    Returns
    -------
    list of str or None
        In the order of the columns.
    """
    return read_manifest(Path(folder))["feature_names"]


def _read_array(path: Path, described: dict[str, Any], verify: bool) -> np.ndarray:
    dtype, length = np.dtype(described["dtype"]), described["length"]
    if not length:
        return np.empty(0, dtype)
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except FileNotFoundError:
        raise MatrixFileError(f"{path}: the file is missing") from None
    except (ValueError, EOFError) as error:
        raise MatrixFileError(f"{path}: the file is damaged ({error})") from None
    if not isinstance(array, np.ndarray) or array.dtype != dtype or array.shape != (length,):
        raise MatrixFileError(f"{path}: the file is not the array that the manifest describes")
    if verify and checksum(array) != described["crc32"]:
        raise MatrixFileError(f"{path}: the file is damaged (wrong checksum); write the matrix again")
    return np.asarray(array)


def _read_labels(folder: Path, codes: np.ndarray, labels: list[str] | None) -> np.ndarray:
    if labels is None:
        return codes
    places = codes.astype(np.int64)
    if not (len(labels) and places.min() >= 0 and places.max() < len(labels) and (places == codes).all()):
        raise MatrixFileError(f"{folder / 'y.npy'}: the file has labels that are not in the manifest")
    return np.array(labels)[places]
