"""SciPy's sparse matrices, imported when first needed: the import takes longer than most linear fits."""

import sys
from typing import Any


class PlainCSR:
    """The arrays of a CSR matrix, for fits that need nothing of SciPy."""

    ndim, format = 2, "csr"

    def __init__(self, data, indices, indptr, shape) -> None:
        self.data, self.indices, self.indptr, self.shape = data, indices, indptr, shape
        self.dtype, self.nnz = data.dtype, len(data)

    def matrix(self):
        """Return SciPy's matrix of these arrays, without copies if they have its types."""
        from scipy.sparse import csr_matrix

        return csr_matrix((self.data, self.indices, self.indptr), self.shape)


def issparse(X: Any) -> bool:
    """Tell whether X is sparse; before SciPy is imported, only a PlainCSR is."""
    if isinstance(X, PlainCSR):
        return True
    known = getattr(sys.modules.get("scipy.sparse"), "issparse", None)
    return known is not None and known(X)


def as_dense(X: Any) -> Any:
    """Return X as an ndarray if it is sparse, otherwise X itself."""
    return X.toarray() if issparse(X) else X


def __getattr__(name: str) -> Any:
    if name.startswith("_"):  # imports look for these
        raise AttributeError(name)
    from scipy import sparse

    return getattr(sparse, name)
