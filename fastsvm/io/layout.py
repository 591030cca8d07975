"""The files in a matrix's folder, and its manifest, checked."""

from __future__ import annotations

import io
import os
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np

from .._utils.memory import Pages

if TYPE_CHECKING:
    from pathlib import Path

FORMAT, VERSION = "fastsvm matrix", 1
MANIFEST = "manifest.json"
ARRAYS = {
    "data.npy": ("<f4", "<f8"),
    "indices.npy": ("<i4",),
    "indptr.npy": ("<i4", "<i8"),
    "y.npy": ("<f8",),
}
HEADER = 128  # bytes of a .npy file before its first item
BLOCK_ITEMS = 1 << 20  # items processed at a time
MOST_JSON = 1 << 30  # bytes of a manifest
NARROW = 2**31  # with fewer values, offsets are int32, as in SciPy


class MatrixFileError(ValueError):
    """A folder does not hold a readable matrix."""


def written_type(dtype: Any) -> np.dtype:
    """Return the dtype of a matrix; raise a ValueError if it is not float32 or float64."""
    if np.dtype(dtype) not in (np.float32, np.float64):
        raise ValueError(f"dtype must be float32 or float64; got {dtype!r}.")
    return np.dtype(dtype)


def npy_header(dtype: np.dtype, length: int) -> bytes:
    """Return the header of a .npy file of one dimension; its size does not depend on the length."""
    header = io.BytesIO()
    described = {"descr": dtype.str, "fortran_order": False, "shape": (length,)}
    np.lib.format.write_array_header_1_0(header, described)
    if header.tell() != HEADER:
        raise RuntimeError(f"this NumPy writes headers of {header.tell()} bytes, where {HEADER} are expected")
    return header.getvalue()


def read_manifest_json(path: Path) -> Any:
    """Parse a writer's JSON file, or raise a MatrixFileError."""
    import json

    if os.path.getsize(path) > MOST_JSON:
        raise MatrixFileError(f"{path}: the file is too large for a manifest")
    try:
        return json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise MatrixFileError(f"{path}: the file is damaged ({error})") from None


def read_manifest(folder: Path) -> dict[str, Any]:
    """Read and check the manifest of a folder.

    Raises
    ------
    MatrixFileError
        If there is no manifest, or it is damaged.
    """
    path = folder / MANIFEST
    if not path.is_file():
        raise MatrixFileError(f"{folder}: the folder is not a stored matrix (it has no {MANIFEST})")
    manifest = read_manifest_json(path)
    problem = manifest_problem(manifest)
    if problem:
        raise MatrixFileError(f"{path}: {problem}")
    return manifest


def manifest_problem(manifest: Any) -> str:
    """Describe what is wrong with a manifest; empty if nothing is."""
    if type(manifest) is not dict or manifest.get("format") != FORMAT:
        return "the file is not a manifest of a fastsvm matrix"
    if manifest.get("version") != VERSION:
        return f"the version is {manifest.get('version')!r}; this fastsvm reads version {VERSION}"
    shape, values, arrays = manifest.get("shape"), manifest.get("values"), manifest.get("arrays")
    if type(shape) is not list or len(shape) != 2 or not all(_is_count(n, 2**31) for n in shape):
        return f"the shape is {shape!r}, which is invalid"
    if not _is_count(values, 2**62):
        return f"the number of values is {values!r}, which is invalid"
    lengths = {"data.npy": values, "indices.npy": values, "indptr.npy": shape[0] + 1, "y.npy": shape[0]}
    for name, dtypes in ARRAYS.items():
        array = arrays.get(name) if type(arrays) is dict else None
        if type(array) is not dict or array.get("dtype") not in dtypes:
            return f"{name} has no known dtype"
        if array.get("length") != lengths[name] or not _is_count(array.get("crc32"), 2**32):
            return f"{name} needs {lengths[name]} items and a checksum"
    labels, names = manifest.get("labels"), manifest.get("feature_names")
    if labels is not None and not _are_texts(labels):
        return "the labels are not texts"
    if names is not None and not (_are_texts(names) and len(names) == shape[1]):
        return f"the feature names are not {shape[1]} texts"
    return ""


def _is_count(value: Any, most: int) -> bool:
    return type(value) is int and 0 <= value < most


def _are_texts(values: Any) -> bool:
    return type(values) is list and all(type(value) is str for value in values)


def checksum(array: np.ndarray) -> int:
    """Return the CRC-32 of an array's bytes, read block by block."""
    crc, pages = 0, Pages.of(array)
    for first in range(0, len(array), BLOCK_ITEMS):
        crc = zlib.crc32(np.ascontiguousarray(array[first : first + BLOCK_ITEMS]).data.cast("B"), crc)
        if pages is not None:
            pages.release()
    return crc
