"""Rows of a matrix on disk."""

from scipy import sparse

from ..solvers._windows import adjacent_rows, some_rows


class StoredRows(sparse.csr_matrix):
    """A CSR matrix of which adjacent rows, as in ``X[:1000]``, are a view, not a copy."""

    def __getitem__(self, key):
        rows, *rest = key if isinstance(key, tuple) else (key,)
        whole = all(each is Ellipsis or (isinstance(each, slice) and each == slice(None)) for each in rest)
        span = adjacent_rows(rows, self.shape[0]) if whole else None
        return super().__getitem__(key) if span is None else some_rows(self, *span)
