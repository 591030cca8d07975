"""Write rows of numbers, each with a label, in the formats that fastsvm reads."""

import gzip
from collections.abc import Sequence
from contextlib import contextmanager

from ..common.csv_quoting import csv_text
from ..common.errors import AppError
from ..common.files import open_output

BLOCK_VALUES = 1 << 18  # values that are formatted at a time


def write_matrix(path: str, X, y, header: Sequence[str] = ()) -> None:
    """Write rows and labels, for a table also the header, to a file (atomically) or to stdout (``-``).

    The ending determines the format.
    """
    import numpy as np

    from fastsvm._utils import sparse

    ending = path.lower().removesuffix(".gz").rpartition(".")[2]
    separator = {"csv": ",", "tsv": "\t"}.get(ending)
    if ending == "npz":
        arrays = {} if y is None else {"y": y}
        if sparse.issparse(X):
            arrays |= {"data": X.data, "indices": X.indices, "indptr": X.indptr, "shape": X.shape}
        with _opened(path) as file:
            np.savez_compressed(file, **arrays, **({"format": b"csr"} if sparse.issparse(X) else {"X": X}))
        return
    if y is None:
        raise AppError(f"{path}: the rows have no labels; give a name that ends with .npz")
    if not separator and y.dtype.kind in "UO":
        raise AppError(f"{path}: svmlight needs numbers as labels; convert the labels first")
    n, d = X.shape
    step = max(1, BLOCK_VALUES // (X.nnz // n + 1 if sparse.issparse(X) and not separator else d))
    with _opened(path) as file:
        if separator and header:
            file.write(csv_text([header], separator).encode())
        for first in range(0, n, step):
            part = slice(first, first + step)
            file.write("".join(_lines(X[part], map(str, y[part].tolist()), separator)).encode())


@contextmanager
def _opened(path):
    with open_output(path) as file:
        if not path.lower().endswith(".gz"):
            yield file
            return
        with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
            yield packed


def _lines(X, labels, separator):
    """Yield lines of a table, or of svmlight if `separator` is None."""
    from fastsvm._utils import sparse

    if separator:
        rows = X.toarray() if sparse.issparse(X) else X
        yield csv_text(([*row, label] for row, label in zip(rows.tolist(), labels, strict=True)), separator)
        return
    X = sparse.csr_matrix(X).sorted_indices()
    for k, label in enumerate(labels):
        row = slice(*X.indptr[k : k + 2])
        pairs = zip((X.indices[row] + 1).tolist(), X.data[row].tolist(), strict=True)
        yield " ".join([label, *(f"{column}:{value!r}" for column, value in pairs)]) + "\n"
