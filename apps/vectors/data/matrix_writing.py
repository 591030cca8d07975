"""Rows of numbers with a label each, written as they are read."""

import gzip
import io
import sys

from ...common.errors import AppError
from ...common.files import replace_file


def write_matrix(path: str, X, y) -> None:
    """Write rows and labels to a file in one go, or to stdout (``-``); the ending tells the format."""
    import numpy as np

    from fastsvm._utils import sparse

    ending = path.lower().removesuffix(".gz").rpartition(".")[2]
    if ending == "npz":
        arrays = {} if y is None else {"y": y}
        if sparse.issparse(X):
            arrays |= {"data": X.data, "indices": X.indices, "indptr": X.indptr, "shape": X.shape}
        file = io.BytesIO()
        np.savez_compressed(file, **arrays, **({"format": b"csr"} if sparse.issparse(X) else {"X": X}))
        content = file.getvalue()
    elif y is None:
        raise AppError(f"{path}: the rows have no labels; give a name that ends with .npz")
    elif ending not in ("csv", "tsv") and y.dtype.kind in "UO":
        raise AppError(f"{path}: svmlight has numbers as labels; make them numbers first")
    else:
        content = "".join(_lines(X, y, {"csv": ",", "tsv": "\t"}.get(ending))).encode()
    if path == "-":
        sys.stdout.buffer.write(content)
    else:
        replace_file(path, gzip.compress(content) if path.lower().endswith(".gz") else content)


def _lines(X, y, separator):
    """Yield lines of a table, or of svmlight where there is no separator."""
    from fastsvm._utils import sparse

    labels = map(str, y.tolist())
    if separator:
        for k, label in enumerate(labels):
            row = X[[k]].toarray()[0] if sparse.issparse(X) else X[k]
            yield separator.join([*map(repr, row.tolist()), label]) + "\n"
        return
    X = sparse.csr_matrix(X).sorted_indices()
    for k, label in enumerate(labels):
        row = slice(*X.indptr[k : k + 2])
        pairs = zip((X.indices[row] + 1).tolist(), X.data[row].tolist(), strict=True)
        yield " ".join([label, *(f"{column}:{value!r}" for column, value in pairs)]) + "\n"
