"""Rows of numbers with a label each, from the user's own file."""

import csv
import gzip
import zipfile
import zlib
from array import array
from typing import NamedTuple

import numpy as np

from ...common.errors import USAGE, AppError

FORMATS = ".svm, .svmlight, .libsvm, .csv, .tsv (each also .gz) or .npz"
MOST_LABELS = 100  # beyond, the column of labels is probably another one


class Labelled(NamedTuple):
    """Rows, and their labels.

    Attributes
    ----------
    X : ndarray or CSR matrix of shape (n_rows, n_columns), float32 or float64
    y : ndarray of shape (n_rows,)
    """

    X: object
    y: np.ndarray


def read_matrix(path: str, label_column: str | None = None, n_columns: int | None = None) -> Labelled:
    """Read rows and labels from a file, whose name tells its format.

    Parameters
    ----------
    path : str
    label_column : str, optional
        Of a CSV or TSV file, the label's column: its name, or its number from 1. The last by default.
    n_columns : int, optional
        How many columns there are, for sparse rows that may lack the last ones.

    Raises
    ------
    AppError
        Where it is no such file.
    """
    ending = path.lower().removesuffix(".gz").rpartition(".")[2]
    try:
        if ending in ("svm", "svmlight", "libsvm"):
            found = _read_svmlight(path, n_columns)
        elif ending in ("csv", "tsv"):
            found = _read_table(path, "," if ending == "csv" else "\t", label_column)
        elif ending == "npz":
            found = _read_arrays(path)
        else:
            raise AppError(f"{path}: no format that is known; name it with {FORMATS}", USAGE)
    except (EOFError, gzip.BadGzipFile, zipfile.BadZipFile, zlib.error) as error:
        raise AppError(f"{path}: damaged or cut short: {error}") from error
    n_labels = len(np.unique(found.y))
    if n_labels > MOST_LABELS:
        raise AppError(
            f"{path}: {n_labels:,} different labels, at most {MOST_LABELS} can be compared; are these labels?"
        )
    if n_labels < 2:
        raise AppError(f"{path}: all rows have the same label; two are needed")
    return found


def _read_svmlight(path, n_columns):
    from sklearn.datasets import load_svmlight_file

    try:
        return Labelled(*load_svmlight_file(path, n_features=n_columns))
    except (ValueError, OverflowError) as error:
        raise AppError(f"{path}: not lines of 'label column:value ...': {error}") from error


def _read_arrays(path):
    """Read `X` and `y`; X may be the parts of a CSR matrix, as `scipy.sparse.save_npz` has them."""
    from scipy import sparse

    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        if "y" not in arrays:
            raise AppError(f"{path}: no array y; save labels as y, and rows as X")
        if "X" in arrays:
            return Labelled(arrays["X"], _labels(path, arrays["y"], arrays["X"].shape))
        parts = [arrays[name] for name in ("data", "indices", "indptr")]
        X = sparse.csr_matrix(tuple(parts), shape=tuple(arrays["shape"]))
        return Labelled(X, _labels(path, arrays["y"], X.shape))
    except KeyError as error:
        raise AppError(f"{path}: no array X, and of a sparse matrix {error} is missing") from error
    except (TypeError, ValueError) as error:
        raise AppError(f"{path}: not a file of plain arrays X and y: {error}") from error


def _labels(path, y, shape):
    if len(shape) != 2 or y.shape != shape[:1]:
        raise AppError(f"{path}: X has the shape {shape}, and y {y.shape}; y needs a label for each row of X")
    return y


def _read_table(path, separator, label_column):
    opened = gzip.open if path.lower().endswith(".gz") else open
    with opened(path, "rt", encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file, delimiter=separator)
        try:
            first = next(reader, [])
            if len(first) < 2:
                raise AppError(f"{path}: no columns of numbers and a label in its first line")
            column = _column(path, first, label_column)
            values, labels = array("d"), []
            if not _is_header(first, column):
                _add(path, reader, first, column, first, values, labels)
            for cells in reader:
                if cells:
                    _add(path, reader, cells, column, first, values, labels)
        except (csv.Error, UnicodeDecodeError) as error:
            raise AppError(f"{path}, line {reader.line_num}: {error}") from error
    if not labels:
        raise AppError(f"{path}: no rows")
    return Labelled(np.array(values).reshape(len(labels), len(first) - 1), np.array(labels))


def _column(path, first, label_column):
    """Return the number, from 0, of the label's column."""
    if label_column is None:
        return len(first) - 1
    if label_column in first:
        return first.index(label_column)
    if label_column.isdecimal() and 1 <= int(label_column) <= len(first):
        return int(label_column) - 1
    raise AppError(f"{path}: no column '{label_column}'; the first line has {', '.join(first)[:200]}", USAGE)


def _is_header(cells, column):
    try:
        [float(cell) for k, cell in enumerate(cells) if k != column]
    except ValueError:
        return True
    return False


def _add(path, reader, cells, column, first, values, labels):
    """Add a row."""
    place = f"{path}, line {reader.line_num}"
    if len(cells) != len(first):
        raise AppError(f"{place}: {len(cells)} columns, the first line has {len(first)}")
    labels.append(cells[column])
    numbers = cells[:column] + cells[column + 1 :]
    try:
        values.extend(map(float, numbers))
    except ValueError:
        bad = next(cell for cell in numbers if not _is_number(cell))
        raise AppError(
            f"{place}: '{bad[:40]}' is no number; only the label's column may have words"
        ) from None


def _is_number(cell):
    try:
        float(cell)
    except ValueError:
        return False
    return True
