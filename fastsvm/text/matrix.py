"""The CSR matrix of counted parts, in the container that scikit-learn is configured to give."""

from scipy import sparse
from sklearn import get_config

from ._parts import csr_arrays

__all__ = ["matrix_of"]


def matrix_of(parts, n_columns, dtype, binary, run):
    """Make one matrix of parts.

    Parameters
    ----------
    parts : list of Part
    n_columns : int
    dtype : dtype
    binary : bool
        Ones in place of counts.
    run : callable
        Like `map`.

    Returns
    -------
    csr_matrix or csr_array
    """
    data, indices, indptr = csr_arrays(parts, dtype, binary, run)
    arrays = get_config().get("sparse_interface") == "sparray"
    return (sparse.csr_array if arrays else sparse.csr_matrix)(
        (data, indices, indptr), shape=(len(indptr) - 1, n_columns)
    )
