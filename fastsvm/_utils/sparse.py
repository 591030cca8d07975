"""SciPy's sparse matrices, imported when they are first needed: that takes longer than most linear fits."""

import sys
from typing import Any


class PlainCSR:
    """The arrays of a CSR matrix, for fits that need nothing of SciPy."""

    ndim, format = 2, "csr"

    def __init__(self, data, indices, indptr, shape) -> None:
        self.data, self.indices, self.indptr, self.shape = data, indices, indptr, shape
        self.dtype, self.nnz = data.dtype, len(data)

    def matrix(self):
        """Return SciPy's matrix of these arrays, of which it copies none that has its types."""
        from scipy.sparse import csr_matrix

        return csr_matrix((self.data, self.indices, self.indptr), self.shape)


def issparse(X: Any) -> bool:
    """Tell whether X is sparse; before SciPy is there, nobody has a matrix of it."""
    if isinstance(X, PlainCSR):
        return True
    known = getattr(sys.modules.get("scipy.sparse"), "issparse", None)
    return known is not None and known(X)


def __getattr__(name: str) -> Any:
    if name.startswith("_"):  # which imports look for
        raise AttributeError(name)
    from scipy import sparse

    return getattr(sparse, name)
