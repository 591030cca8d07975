"""Rows of numbers with a label each: svmlight, tables and NumPy archives, from files or stdin."""

import csv
import io
import os
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import click

from .errors import USAGE, AppError, FormatError
from .input_streams import open_binary
from .limits import limit
from .number_tables import read_table
from .printing import labels_alike, many, note, warn

FORMATS = ("svmlight", "csv", "tsv", "npz")
TABLES = {"csv": ",;\t|", "tsv": "\t"}  # and what may separate their columns
HEADER = "Line 1 of a table names the columns, or is a row of data.  [default: detected]"
TABLE_OPTIONS = (
    click.option("--label-col", metavar="NAME", help="Column of the labels in a table.  [default: the last]"),
    click.option("--header/--no-header", default=None, help=HEADER),
)
WORDS = "svmlight needs numbers as labels, tables may have words"


class Rows(NamedTuple):
    """Rows and labels, whether columns are numbered from 0, and the names in the header of a table."""

    X: Any
    y: Any
    zero_based: bool | None  # None if columns have no numbers
    names: Sequence[str] = ()
    label_name: str | None = None


def read_labelled(path: str, *args, **more) -> Rows:
    """Read rows like `read_matrix`; they must have labels, and at least two different ones."""
    rows, name = read_matrix(path, *args, **more), "<stdin>" if path == "-" else path
    if (y := rows.y) is None:
        raise AppError(f"{name}: has no labels; give labelled rows")
    if y.dtype.kind == "f" and (bad := (y % 1 != 0).nonzero()[0]).size:
        what = f"the label {y[bad[0]]:g} of row {bad[0] + 1:,} is not a whole number"
        raise AppError(f"{name}: {what}; use words or whole numbers (regression is not supported)")
    if (y == y[0]).all():
        raise AppError(f"{name}: all rows have the same label; give rows with two labels or more")
    warn(*labels_alike(map(str, dict.fromkeys(y.tolist()))))
    return rows


def read_matrix(
    path: str,
    format: str | None = None,
    *,
    zero_based: bool | None = None,
    n_features: int | None = None,
    plain: bool = False,
    **table: Any,
) -> Rows:
    """Return the rows and the labels of a file.

    Parameters
    ----------
    path : str
        A file, perhaps gzipped, or a folder of `fastsvm.io`; ``-`` is stdin.
    format : str, optional
        One of `FORMATS`: svmlight; a table with the label in its last column, perhaps below a header; or
        arrays y and X (or the arrays of a SciPy CSR matrix). By default the ending decides: .csv, .tsv,
        .npz, or else svmlight.
    zero_based : bool, optional
        Whether the first column of svmlight has the number 0, not 1. By default, if any row has a column 0.
    n_features : int, optional
        Number of columns of a model: sparse rows get this width, and a table of this width has no labels.
    plain : bool
        Return rows of svmlight as `fastsvm.io.svmlight_arrays` does, for a fit without SciPy.
    **table
        header, label_col and names of `read_table`.

    Returns
    -------
    Rows
        X is an array or a CSR matrix, y an array of the labels or None.

    Raises
    ------
    AppError
        If the file cannot be read.
    """
    from zipfile import BadZipFile

    import numpy as np

    from fastsvm._utils import sparse
    from fastsvm.io import svmlight_arrays

    ending = path.lower().removesuffix(".gz").rpartition(".")[2]
    format = format or (ending if ending in FORMATS else "svmlight")
    name, named = "<stdin>" if path == "-" else path, ()
    if format not in TABLES and not (table.get("header") is table.get("label_col") is None):
        raise AppError(f"{name}: --label-col and --header need a table; see --format", USAGE)
    if os.path.isdir(path):
        format, zero_based, (X, y) = "stored", bool(zero_based), _read_folder(path)
    else:
        with open_binary(path) as stream:
            try:
                if format == "svmlight":
                    start = stream.peek(1 << 12)
                    X, y = svmlight_arrays(stream, zero_based=zero_based is not False, dtype=np.float64)
                    if zero_based is None and (not X.nnz or X.indices.min() > 0):
                        X.indices -= 1
                        X.shape = X.shape[0], max(1, X.shape[1] - 1)
                        zero_based = False
                elif format == "npz":
                    X, y = _read_arrays(stream)
                else:
                    X, y, *named = read_table(stream, name, TABLES[format], n_features=n_features, **table)
            except (ValueError, KeyError, TypeError, OverflowError, EOFError, BadZipFile, csv.Error) as error:
                told = str(error).removesuffix(".") + "; save it in UTF-8" * isinstance(error, UnicodeError)
                if format == "svmlight" and "label" in told:
                    is_table = re.match(rb"[^:\n]*[,;\t]", start.lstrip())
                    told += f"; {'it looks like a table' if is_table else WORDS}; give --format csv"
                told = told if told.startswith(name) else f"{name}: cannot be read: {told}"
                raise FormatError(told) from error
    if not X.shape[0]:
        raise AppError(f"{name}: has no rows")
    if y is not None and len(y) != X.shape[0]:
        raise AppError(f"{name}: {len(y):,} labels for {X.shape[0]:,} rows; give one label per row")
    if y is not None and y.dtype.kind == "f" and (y == np.floor(y)).all() and abs(y).max() < 2**53:
        y = y.astype(np.int64)
    if sparse.issparse(X):
        if X.shape[1] > (most := limit("FASTSVM_MAX_COLUMNS")):
            row = np.searchsorted(X.indptr, X.indices.argmax(), side="right")
            told = f"{X.shape[1]:,} columns, more than {most:,}"
            do = "renumber the columns, or set FASTSVM_MAX_COLUMNS higher"
            raise AppError(f"{name}, row {row:,}: {told}; {do}")
        if format == "svmlight" and not plain:
            X = X.matrix()
        if n_features is not None:
            if (more := X.shape[1] - n_features) > 0:
                note(f"{name}: {many(more, 'column')} beyond the model's {n_features:,} ignored")
            if X.shape[1] != n_features:
                X.resize(X.shape[0], n_features)
    return Rows(X, y, zero_based is not False if format in ("svmlight", "stored") else None, *named)


def _read_folder(path):
    """Return the rows and labels of a stored matrix, which stay on disk."""
    from fastsvm.io import MatrixFileError, load

    try:
        return load(path)
    except (MatrixFileError, OSError) as error:
        raise AppError(f"{path}: is not a matrix of fastsvm.io: {error}") from error


def _read_arrays(stream):
    """Read a NumPy archive."""
    import numpy as np
    from scipy import sparse

    file = stream if stream.seekable() else io.BytesIO(stream.read())
    with np.lib.npyio.NpzFile(file, allow_pickle=False) as arrays:
        for part in arrays.zip.infolist():
            if part.file_size > max(1 << 24, limit("FASTSVM_MAX_EXPANSION") * part.compress_size):
                raise ValueError(f"{part.filename} expands too much; set FASTSVM_MAX_EXPANSION higher")
        if "indptr" in arrays:
            parts = (arrays["data"], arrays["indices"], arrays["indptr"])
            X = sparse.csr_matrix(parts, shape=tuple(arrays["shape"]))
            X.check_format()
        else:
            X = arrays["X"]
        y = arrays.get("y")
    if X.ndim != 2 or X.dtype.kind not in "biuf" or (y is not None and y.ndim != 1):
        raise ValueError("X must be a matrix of numbers, and y a list of labels")
    return X if X.dtype in (np.float32, np.float64) else X.astype(np.float64), y
