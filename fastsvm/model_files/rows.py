"""Rows of numbers, dense or sparse, as tensors, and back."""

import numpy as np

from .._utils import sparse
from .container import ModelFileError
from .tensors import FLOATS, OFFSETS, native_tensor, take_tensor


def pack_rows(name, rows):
    """Turn an array or a CSR matrix into tensors, with sorted and unique columns."""
    if not sparse.issparse(rows):
        return {name: native_tensor(rows)}
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    return {
        f"{name}.data": native_tensor(rows.data),
        f"{name}.indices": rows.indices.astype(np.int64),
        f"{name}.indptr": rows.indptr.astype(np.int64),
    }


def take_rows(name, tensors, n_columns, at_least=1):
    """Take an array or a CSR array with `n_columns` columns and at least `at_least` rows."""
    if f"{name}.indptr" not in tensors:
        rows = take_tensor(tensors, name, FLOATS, ndim=2)
        if len(rows) < at_least or rows.shape[1] != n_columns:
            raise ModelFileError(f"{name} is of shape {rows.shape}, for {n_columns} features")
        return rows
    data = take_tensor(tensors, f"{name}.data", FLOATS)
    columns, offsets = (take_tensor(tensors, f"{name}.{part}", OFFSETS) for part in ("indices", "indptr"))
    spans = len(offsets) > at_least and offsets[0] == 0 and offsets[-1] == len(data)
    if not spans or (offsets[:-1] > offsets[1:]).any():
        raise ModelFileError(f"{name}: indptr does not span the {len(data)} values")
    if len(columns) != len(data) or ((columns < 0) | (columns >= n_columns)).any():
        raise ModelFileError(f"{name}: indices are not {len(data)} columns below {n_columns}")
    rises = np.diff(columns) > 0
    starts = offsets[1:-1]
    rises[starts[(starts > 0) & (starts < len(data))] - 1] = True  # from one row to the next
    if not rises.all():
        raise ModelFileError(f"{name}: indices of a row are not in ascending order")
    narrow = np.int32 if len(data) < 2**31 else np.int64
    parts = data, columns.astype(narrow), offsets.astype(narrow)
    return sparse.csr_array(parts, shape=(len(offsets) - 1, n_columns))
