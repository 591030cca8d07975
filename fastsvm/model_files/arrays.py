"""The tensors of a model file, checked: arrays, CSR arrays and lists of strings, and back."""

from itertools import pairwise

import numpy as np

from .._utils import sparse
from .container import TYPES, ModelFileError, show

LABELS = tuple(map(np.dtype, TYPES.values()))
FLOATS = (np.dtype("<f4"), np.dtype("<f8"))
OFFSETS = (np.dtype("<i8"),)
BYTES = (np.dtype("u1"),)

# Views of an array, by the end of the tensor's name; each is its own inverse.
VIEWS = {"": np.asarray, ".T": np.transpose, ".flipud": np.flipud}


def take(tensors, name, dtypes, ndim=1):
    """Remove one tensor from the unread ones, and check its type, rank and values."""
    if name not in tensors:
        raise ModelFileError(f"tensor {show(name)} is missing")
    array = tensors.pop(name)
    if array.dtype not in dtypes:
        raise ModelFileError(f"tensor {show(name)} is of type {array.dtype}")
    if array.ndim != ndim:
        raise ModelFileError(f"tensor {show(name)} has {array.ndim} dimensions, not {ndim}")
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise ModelFileError(f"tensor {show(name)} has values that are not finite")
    if array.dtype.kind == "b" and (array.view("u1") > 1).any():
        raise ModelFileError(f"tensor {show(name)} has values that are neither true nor false")
    return array


def take_view(tensors, name, dtypes, ndim):
    """Take the tensor of an array, and restore the layout that `pack_view` saved."""
    suffix = next((suffix for suffix in VIEWS if name + suffix in tensors), "")
    return VIEWS[suffix](take(tensors, name + suffix, dtypes, ndim))


def pack_view(name, array):
    """Turn an array into a tensor of its view in C order, if it has one."""
    suffix = next((suffix for suffix, turn in VIEWS.items() if _goes_forward(turn(array))), "")
    return {name + suffix: native(VIEWS[suffix](array))}


def _goes_forward(array):
    """Return whether an array lies in memory row after row and, in each row, value after value."""
    return all(stride > 0 for stride in array.strides) and all(a >= b for a, b in pairwise(array.strides))


def native(array):
    """Return an array as safetensors needs it: dense, in C order and this machine's byte order."""
    array = array.toarray() if sparse.issparse(array) else array
    return np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("="))


def pack(name, array):
    """Turn an array into a tensor."""
    return {name: native(array)}


def pack_rows(name, rows):
    """Turn an array or a CSR matrix into tensors, with sorted and unique columns."""
    if not sparse.issparse(rows):
        return pack(name, rows)
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    return {
        f"{name}.data": native(rows.data),
        f"{name}.indices": rows.indices.astype(np.int64),
        f"{name}.indptr": rows.indptr.astype(np.int64),
    }


def take_rows(tensors, name, dtypes, n_columns):
    """Take the three tensors of a CSR array with `n_columns` columns, or raise a ModelFileError."""
    data = take(tensors, f"{name}.data", dtypes)
    columns, offsets = (take(tensors, f"{name}.{part}", OFFSETS) for part in ("indices", "indptr"))
    spans = len(offsets) and offsets[0] == 0 and offsets[-1] == len(data)
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


def pack_strings(name, strings):
    """Turn strings into two tensors."""
    for string in strings:
        if not isinstance(string, str):
            raise ModelFileError(f"{name} has {show(string)}, which is not a string")
    try:
        encoded = [string.encode() for string in strings]
    except UnicodeEncodeError:
        raise ModelFileError(f"{name} has a string that is not valid Unicode") from None
    return {
        f"{name}.bytes": np.frombuffer(b"".join(encoded), np.uint8),
        f"{name}.offsets": np.cumsum([0, *map(len, encoded)], dtype=np.int64),
    }


def take_strings(tensors, name):
    """Take the two tensors of a list of strings, and return the list: at least one, no two alike."""
    content, ends = take_packed_strings(tensors, name)
    whole = content.tobytes()
    strings = [whole[start:end].decode() for start, end in pairwise([0, *ends.tolist()])]
    if len(set(strings)) != len(strings):
        raise ModelFileError(f"{name}: a string twice")
    return strings


def take_packed_strings(tensors, name):
    """Take the checked bytes of a list of strings, and the end of each."""
    content = take(tensors, f"{name}.bytes", BYTES)
    offsets = take(tensors, f"{name}.offsets", OFFSETS)
    if len(offsets) < 2 or offsets[0] != 0 or offsets[-1] != len(content):
        raise ModelFileError(f"{name}: offsets do not span the {len(content)} bytes")
    if (offsets[:-1] > offsets[1:]).any():
        raise ModelFileError(f"{name}: offsets decrease")
    inner = content[offsets[offsets < len(content)]]
    try:
        content.tobytes().decode()
        whole = not (inner & 0xC0 == 0x80).any()  # no character is cut in two
    except UnicodeDecodeError:
        whole = False
    if not whole:
        raise ModelFileError(f"{name}: invalid UTF-8")
    return content, offsets[1:]
