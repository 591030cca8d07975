"""Rows of numbers with a label each, from the user's own file."""

import csv
from math import isfinite
from zipfile import BadZipFile

import numpy as np

from ...common.errors import USAGE, AppError


def read_matrix(path: str):
    """Return the rows and the labels of a file, whose name tells its format.

    Parameters
    ----------
    path : str
        svmlight (.svm, .libsvm); a table (.csv, .tsv) with the label in its last column, perhaps below a
        header; or .npz with arrays X and y.

    Returns
    -------
    X : ndarray or CSR matrix of shape (n_rows, n_columns)
    y : ndarray of shape (n_rows,)

    Raises
    ------
    AppError
        Where it is no such file.
    """
    from sklearn.datasets import load_svmlight_file
    from sklearn.utils import check_X_y

    ending = path.lower().rpartition(".")[2]
    try:
        if ending in ("svm", "svmlight", "libsvm"):
            X, y = load_svmlight_file(path)
        elif ending in ("csv", "tsv"):
            X, y = _read_table(path, "\t" if ending == "tsv" else ",")
        elif ending == "npz":
            with open(path, "rb") as opened, np.lib.npyio.NpzFile(opened, allow_pickle=False) as file:
                X, y = file["X"], file["y"]
        else:
            raise AppError(f"{path}: unknown format; name it with .svm, .csv, .tsv or .npz", USAGE)
        X, y = check_X_y(X, y, accept_sparse="csr", dtype="numeric")
    except (ValueError, KeyError, OSError, OverflowError, EOFError, BadZipFile) as error:
        raise AppError(f"{path}: cannot be read: {' '.join(str(error).split())[:300]}") from error
    if len(np.unique(y)) < 2:
        raise AppError(f"{path}: all rows have the same label; two are needed")
    return X, y


def _read_table(path, separator):
    with open(path, encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file, delimiter=separator)
        rows, width = [], None
        for cells in filter(None, reader):
            width = width or len(cells)
            bad = [k for k, cell in enumerate(cells[:-1], 1) if not _is_number(cell)]
            if bad and not rows and reader.line_num == 1:
                continue  # the header
            if bad or len(cells) != width:
                what = f"column {bad[0]} is no number" if bad else f"{len(cells)} columns, not {width}"
                raise AppError(f"{path}, line {reader.line_num}: {what}; fill it in, or leave the row out")
            rows.append(cells)
    return np.array([[*map(float, row[:-1])] for row in rows]), np.array([row[-1] for row in rows])


def _is_number(cell):
    try:
        return isfinite(float(cell))
    except ValueError:
        return False
