"""The CSR matrix of counted parts."""

from scipy import sparse

from ._parts import csr_arrays

__all__ = ["matrix_of"]


def matrix_of(parts, n_columns, dtype, binary, run, container=sparse.csr_matrix):
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
    container : type, default=csr_matrix
        That, or csr_array.

    Returns
    -------
    csr_matrix or csr_array
    """
    data, indices, indptr = csr_arrays(parts, dtype, binary, run)
    return container((data, indices, indptr), shape=(len(indptr) - 1, n_columns))
