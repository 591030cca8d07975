"""Rows of numbers with a label each, from the user's own file."""

import csv
import gzip
import zipfile
import zlib
from array import array
from math import isfinite, nan
from typing import NamedTuple

import numpy as np

from ...common.errors import USAGE, AppError

FORMATS = ".svm, .svmlight, .libsvm, .csv, .tsv (each also .gz) or .npz"
SEPARATORS = ",;\t"
MOST_LABELS = 100  # beyond, the column of labels is probably another one


class Labelled(NamedTuple):
    """Rows, and their labels.

    Attributes
    ----------
    X : ndarray or CSR matrix of shape (n_rows, n_columns), of finite numbers
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
            found = _read_table(path, label_column)
        elif ending == "npz":
            found = _read_arrays(path)
        else:
            raise AppError(f"{path}: no format that is known; name it with {FORMATS}", USAGE)
    except (EOFError, gzip.BadGzipFile, zipfile.BadZipFile, zlib.error) as error:
        raise AppError(f"{path}: damaged or cut short: {error}") from error
    _check(path, found)
    return found


def _check(path, found):
    if not len(found.y):
        raise AppError(f"{path}: no rows")
    dense = isinstance(found.X, np.ndarray)
    values = found.X.ravel() if dense else found.X.data
    if values.dtype.kind not in "biuf":
        raise AppError(f"{path}: X must have real numbers; its dtype is {values.dtype}")
    bad = np.flatnonzero(~np.isfinite(values))
    if bad.size:
        row = bad[0] // found.X.shape[1] if dense else np.searchsorted(found.X.indptr, bad[0], "right") - 1
        raise AppError(f"{path}: row {row + 1} has {values[bad[0]]}; fill it in, or leave the row out")
    n_labels = len(np.unique(found.y))
    if n_labels > MOST_LABELS:
        raise AppError(
            f"{path}: {n_labels:,} different labels, at most {MOST_LABELS} can be compared; are these labels?"
        )
    if n_labels < 2:
        raise AppError(f"{path}: all rows have the same label; two are needed")


def _read_svmlight(path, n_columns):
    from sklearn.datasets import load_svmlight_file

    try:
        return Labelled(*load_svmlight_file(path, n_features=n_columns))
    except (ValueError, OverflowError) as error:
        raise AppError(f"{path}: not lines of 'label column:value ...', all numbers: {error}") from error


def _read_arrays(path):
    """Read `X` and `y`; X may be the parts of a CSR matrix, as `scipy.sparse.save_npz` has them."""
    from scipy import sparse

    try:
        with open(path, "rb") as opened, np.lib.npyio.NpzFile(opened, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        if "y" not in arrays:
            names = ", ".join(arrays)[:200]
            raise AppError(f"{path}: no array y, only {names}; save labels as y, and rows as X")
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


def _read_table(path, label_column):
    opened = gzip.open if path.lower().endswith(".gz") else open
    with opened(path, "rt", encoding="utf-8-sig", newline="") as file:
        try:
            reader = csv.reader(file, delimiter=_separator(file))
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
        except csv.Error as error:
            raise AppError(f"{path}, line {reader.line_num}: {error}") from error
        except UnicodeDecodeError as error:
            raise AppError(f"{path}: not in UTF-8; save it so: {error}") from error
    return Labelled(np.array(values).reshape(len(labels), len(first) - 1), np.array(labels))


def _separator(file):
    """Return that which the first line has most of; leave the file where it was."""
    line = file.readline()
    file.seek(0)
    return max(SEPARATORS, key=line.count)


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
    return not all(_is_number(cell) for k, cell in enumerate(cells) if k != column)


def _add(path, reader, cells, column, first, values, labels):
    """Add a row."""
    place = f"{path}, line {reader.line_num}"
    if len(cells) != len(first):
        raise AppError(f"{place}: {len(cells)} columns, the first line has {len(first)}")
    if not cells[column].strip():
        raise AppError(f"{place}: no label in column {column + 1}; leave the row out")
    labels.append(cells[column])
    try:
        numbers = [*map(float, cells[:column] + cells[column + 1 :])]
    except ValueError:
        numbers = [nan]
    if not all(map(isfinite, numbers)):
        bad = next(k for k, cell in enumerate(cells) if k != column and not _is_finite(cell))
        raise AppError(
            f"{place}: '{cells[bad][:40]}' in column {bad + 1} is no number; fill it in, leave the row out, "
            "or say which column has the labels by --label-col"
        )
    values.extend(numbers)


def _is_number(cell):
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _is_finite(cell):
    return _is_number(cell) and isfinite(float(cell))
