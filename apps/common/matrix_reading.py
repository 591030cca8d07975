"""Rows of numbers with a label each: svmlight, tables and NumPy archives, from files or stdin."""

import io
import os
from array import array
from math import isfinite

from .csv_quoting import unquoted
from .errors import AppError
from .input_streams import open_binary
from .limits import limit
from .printing import many, note

FORMATS = ("svmlight", "csv", "tsv", "npz")
LABEL_NAMES = ("label", "class", "target", "y")


def read_matrix(
    path: str,
    format: str | None = None,
    *,
    zero_based: bool | None = None,
    n_features: int | None = None,
    plain: bool = False,
):
    """Return the rows and the labels of a file.

    Parameters
    ----------
    path : str
        A file, perhaps gzipped, or a folder of `fastsvm.io`; ``-`` is stdin.
    format : str, optional
        One of `FORMATS`: svmlight; a table with the label in its last column, perhaps below a header; or
        arrays y and X (or those of SciPy's CSR matrices). By default the ending tells, and others than
        .csv, .tsv and .npz are svmlight.
    zero_based : bool, optional
        Whether the first column of svmlight is number 0, or 1. By default it is 0 where any row has that.
    n_features : int, optional
        The columns of a model: sparse rows are made as wide, and a table that has no more has no labels.
    plain : bool
        Give rows of svmlight as `fastsvm.io.svmlight_arrays` does, for a fit without SciPy.

    Returns
    -------
    X : array or CSR matrix
    y : array of the labels, or None
    zero_based : bool

    Raises
    ------
    AppError
        Where it is no such file.
    """
    import numpy as np

    from fastsvm._utils import sparse
    from fastsvm.io import svmlight_arrays

    ending = path.lower().removesuffix(".gz").rpartition(".")[2]
    format = format or (ending if ending in FORMATS else "svmlight")
    name = "<stdin>" if path == "-" else path
    if os.path.isdir(path):
        format, zero_based, (X, y) = "stored", bool(zero_based), _read_folder(path)
    else:
        with open_binary(path) as stream:
            try:
                if format == "svmlight":
                    X, y = svmlight_arrays(stream, zero_based=zero_based is not False, dtype=np.float64)
                    if zero_based is None and (not X.nnz or X.indices.min() > 0):
                        X.indices -= 1
                        X.shape = X.shape[0], max(1, X.shape[1] - 1)
                        zero_based = False
                elif format == "npz":
                    X, y = _read_arrays(stream)
                else:
                    X, y = _read_table(stream, name, "\t" if format == "tsv" else ",;", n_features)
            except _what_files_raise() as error:
                told = str(error).removesuffix(".")
                raise AppError(
                    told if told.startswith(name) else f"{name}: cannot be read: {told}"
                ) from error
    if not X.shape[0]:
        raise AppError(f"{name}: there are no rows in it")
    if y is not None and len(y) != X.shape[0]:
        raise AppError(f"{name}: {len(y):,} labels for {X.shape[0]:,} rows")
    if y is not None and y.dtype.kind == "f" and (y == np.floor(y)).all() and abs(y).max() < 2**53:
        y = y.astype(np.int64)
    if sparse.issparse(X):
        if X.shape[1] > (most := limit("FASTSVM_MAX_COLUMNS")):
            row = np.searchsorted(X.indptr, X.indices.argmax(), side="right")
            raise AppError(
                f"{name}, row {row:,}: {X.shape[1]:,} columns, more than {most:,}; number the "
                "columns anew, or set FASTSVM_MAX_COLUMNS higher"
            )
        if format == "svmlight" and not plain:
            X = X.matrix()
        if n_features is not None:
            if (more := X.shape[1] - n_features) > 0:
                note(f"{name}: {many(more, 'column')} beyond the model's {n_features:,} left out")
            if X.shape[1] != n_features:
                X.resize(X.shape[0], n_features)
    return X, y, zero_based is not False


def _read_folder(path):
    """Return the rows and labels of a stored matrix, which stay on disk."""
    from fastsvm.io import MatrixFileError, load

    try:
        return load(path)
    except (MatrixFileError, OSError) as error:
        raise AppError(f"{path}: is no matrix of fastsvm.io: {error}") from error


def _what_files_raise():
    """Return the errors of bad files."""
    from csv import Error
    from zipfile import BadZipFile

    return ValueError, KeyError, TypeError, OverflowError, EOFError, BadZipFile, Error


def _read_arrays(stream):
    """Read a NumPy archive."""
    import numpy as np
    from scipy import sparse

    file = stream if stream.seekable() else io.BytesIO(stream.read())
    with np.lib.npyio.NpzFile(file, allow_pickle=False) as arrays:
        for part in arrays.zip.infolist():
            if part.file_size > max(1 << 24, limit("FASTSVM_MAX_EXPANSION") * part.compress_size):
                raise ValueError(f"{part.filename} is packed too tightly (see FASTSVM_MAX_EXPANSION)")
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


def _read_table(stream, name, separators, n_features):
    """Read a table line by line; of the separators that counts which the first line has more of."""
    import csv
    from itertools import chain

    import numpy as np

    lines = io.TextIOWrapper(stream, "utf-8-sig", newline="")
    first = next(lines, "")
    reader = csv.reader(chain([first], lines), delimiter=max(separators, key=first.count))
    values, labels, width = array("d"), [], None
    for cells in filter(None, reader):
        found, width = len(cells), width or len(cells)
        label = [] if width == n_features else [unquoted(cells.pop())]
        bad = next((k for k, cell in enumerate(cells, 1) if not _is_number(cell)), None)
        if bad and not labels and reader.line_num == 1:  # the header
            if named := [cell for cell in cells if cell.strip().lower() in LABEL_NAMES]:
                raise AppError(f"{name}: the label must be the last column, not {named[0]}; move it there")
            continue
        if bad or found != width:
            what = f"column {bad} is no number" if bad else f"{found} columns, not {width}"
            raise AppError(f"{name}, line {reader.line_num}: {what}; fill it in, or leave the row out")
        if not cells:
            raise AppError(f"{name}, line {reader.line_num}: one column; it needs numbers and then the label")
        values.extend(map(float, cells))
        labels += label
    X = np.array(values).reshape(-1, (width or 1) - (width != n_features))
    try:
        return X, np.array(labels, float) if width != n_features else None
    except ValueError:
        return X, np.array(labels)


def _is_number(cell):
    try:
        return isfinite(float(cell))
    except ValueError:
        return False
