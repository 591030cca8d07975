"""A matrix of counts as the kernels read it: CSR rows without repeated columns."""

from copy import copy

import numpy as np

from ._term_scores import has_repeats

# Numbers in a table of columns by classes: 2^24 doubles are 128 MB.
TABLE = 1 << 24


def as_counts(X):
    """Sum repeated columns in the rows of a CSR matrix.

    Parameters
    ----------
    X : CSR matrix or array
        As `as_csr` returns it; its column indices may be in any order.

    Returns
    -------
    CSR matrix or array
        X, unless columns are repeated or the kernels do not support its dtype.
    """
    _, columns, offsets = rows_of(X)
    if has_repeats(columns, offsets, np.zeros(X.shape[1], np.int32)):
        X = X.copy()
        X.sum_duplicates()
    if X.dtype not in (np.int32, np.int64, np.float32, np.float64):
        whole = X.dtype.kind in "biu" and X.dtype != np.uint64
        X = with_values(X, X.data.astype(np.int64 if whole else np.float64))
    return X


def with_values(X, values):
    """Return a CSR matrix like X, with the same arrays of indices, and other values."""
    other = copy(X)
    other.data = values
    return other


def rows_of(X):
    """Return the values, the columns and, as int64, the offsets of a CSR matrix."""
    return X.data, X.indices, np.ascontiguousarray(X.indptr, np.int64)


def column_blocks(X, n_classes):
    """Cut a CSR matrix into blocks of columns: one, unless a table of columns by classes would be large.

    Parameters
    ----------
    X : CSR matrix or array
    n_classes : int

    Yields
    ------
    columns : slice
    rows : (values, columns, offsets)
        Of ``X[:, columns]``.
    """
    n_columns = X.shape[1]
    width = max(1, TABLE // n_classes)
    if n_columns <= width:
        yield slice(0, n_columns), rows_of(X)
        return
    by_columns = X.tocsc()
    for start in range(0, n_columns, width):
        columns = slice(start, min(start + width, n_columns))
        yield columns, rows_of(by_columns[:, columns].tocsr())
