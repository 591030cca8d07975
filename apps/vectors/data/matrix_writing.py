"""Rows of numbers with a label each, written as they are read."""

import gzip
import io
import sys

from ...common.errors import AppError
from ...common.files import replace_file


def write_matrix(path: str, X, y) -> None:
    """Write rows and labels to a file in one go, or to stdout (``-``); the ending tells the format."""
    import numpy as np
    from scipy import sparse

    ending = path.lower().removesuffix(".gz").rpartition(".")[2]
    file = io.BytesIO()
    if ending == "npz":
        labels = {} if y is None else {"y": y}
        if sparse.issparse(X):
            parts = {"data": X.data, "indices": X.indices, "indptr": X.indptr, "shape": X.shape}
            np.savez_compressed(file, format=b"csr", **parts, **labels)
        else:
            np.savez_compressed(file, X=X, **labels)
    elif y is None:
        raise AppError(f"{path}: the rows have no labels; give a name that ends with .npz")
    else:
        labels = [label if isinstance(label, str) else f"{label:.17g}" for label in y.tolist()]
        table = ending in ("csv", "tsv")
        if not table and y.dtype.kind in "UO":
            raise AppError(f"{path}: svmlight has numbers as labels; make them numbers first")
        between = {"csv": ",", "tsv": "\t"}.get(ending)
        for k, label in enumerate(labels):
            row = X[[k]]
            if between:
                row = row.toarray() if sparse.issparse(row) else row
                cells = [*map(repr, row[0].tolist()), label]
            else:
                row = sparse.csr_matrix(row)
                pairs = zip(row.indices.tolist(), row.data.tolist(), strict=True)
                cells = [label, *(f"{column + 1}:{value!r}" for column, value in sorted(pairs))]
            file.write(((between or " ").join(cells) + "\n").encode())
    if path == "-":
        sys.stdout.buffer.write(file.getvalue())
    else:
        content = file.getvalue()
        replace_file(path, gzip.compress(content) if path.lower().endswith(".gz") else content)
