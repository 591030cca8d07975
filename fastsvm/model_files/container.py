"""The container of a model file: from safetensors to a description and checked tensors, and back.

Tables of fields give the tensors a meaning; :mod:`fastsvm.estimators.persistence` describes the format.
"""

import contextlib
import json
import math
import os
import re
import reprlib
import stat
from itertools import pairwise

import numpy as np
from safetensors import SafetensorError, deserialize

from .._utils import sparse
from .._utils.atomic import replacing
from ..solvers._input import canonical

SCHEMA = 3
KEY = "fastsvm"
MAX_HEADER = 1 << 24  # bytes of JSON; real models have a few hundred
MAX_STEPS = 16
ITEMS = "training_items"  # in `about`, but a tensor of the file

# The file's names of tensor types, in its byte order; tensors of the last type come first.
TYPES = {
    **{"BOOL": "?", "U8": "<u1", "I8": "<i1", "I16": "<i2", "U16": "<u2", "F16": "<f2"},
    **{"I32": "<i4", "U32": "<u4", "F32": "<f4", "F64": "<f8", "I64": "<i8", "U64": "<u8"},
}
LABELS = tuple(map(np.dtype, TYPES.values()))
FLOATS = (np.dtype("<f4"), np.dtype("<f8"))
OFFSETS = (np.dtype("<i8"),)
BYTES = (np.dtype("u1"),)

# Views of an array, by the end of the tensor's name; each is its own inverse.
VIEWS = {"": np.asarray, ".T": np.transpose, ".flipud": np.flipud}


class ModelFileError(ValueError):
    """A model that cannot be saved, or a file that is not a readable model."""


class UnknownStep(ModelFileError):
    """A step that this reader cannot read, though `fastsvm.load_model` may."""


# The file ------------------------------------------------------------------------------------------------


def open_model(path):
    """Read the description of a model, its `about` and its tensors from a file."""
    header, tensors = split_safetensors(read_bytes(path))
    metadata = header.get("__metadata__") or {}
    if KEY not in metadata:
        raise ModelFileError("the safetensors file is not a fastsvm model")
    check_object(metadata, "metadata", **{KEY: str})
    model, about = described_model(metadata[KEY])
    return model, about | take_items(tensors), tensors


def take_items(named):
    """Take the hashes of the training items, if there are any: rows of 5 bytes, or a filter."""
    if ITEMS not in named:
        return {}
    items = np.asarray(named.pop(ITEMS))
    if items.dtype != np.uint8 or not items.size or not items.ndim or items.shape[1:] not in ((), (5,)):
        raise ModelFileError(f"{ITEMS} is of type {items.dtype} and shape {show(items.shape)}")
    return {ITEMS: items}


@contextlib.contextmanager
def named_errors(path):
    """Put the name of the file before the message of a ModelFileError."""
    try:
        yield
    except ModelFileError as error:
        raise type(error)(f"{os.fspath(path)}: {error}") from None


def described_model(text):
    """Return the description of a model in the text of the metadata, and its `about`."""
    document = _parse_json(text)
    _check_schema(document)
    check_object(document, "model description", schema=int, version=str, model=dict, about=dict)
    document["about"].pop(ITEMS, None)  # not a tensor
    return document["model"], document["about"]


def split_safetensors(content):
    """Split a safetensors file into its header, parsed, and its tensors."""
    size = int.from_bytes(content[:8], "little")
    if size > MAX_HEADER:
        raise ModelFileError("the file is not a safetensors file, or damaged (header too large)")
    try:
        tensors = deserialize(content)
    except SafetensorError as error:
        reason = one_line(error).removeprefix("Error while deserializing: ")
        raise ModelFileError(f"the file is not a safetensors file, or damaged ({reason})") from None
    header = _parse_json(str(content[8 : 8 + size], "utf-8"))
    return header, {name: _tensor_array(name, **tensor) for name, tensor in tensors}


def _tensor_array(name, dtype, shape, data):
    if dtype not in TYPES:
        raise ModelFileError(f"tensor {show(name)} is of type {dtype}, which is not supported")
    try:
        return np.frombuffer(data, TYPES[dtype]).reshape(shape)
    except ValueError:  # dimensions beyond what NumPy counts, beside a dimension of 0
        raise ModelFileError(f"tensor {show(name)} has an impossible shape") from None


def _check_schema(document):
    schema = document.get("schema") if type(document) is dict else None
    if type(schema) is not int or schema < 1:
        raise ModelFileError(f"the file has the unknown schema {show(schema)}")
    if schema != SCHEMA:
        raise ModelFileError(f"its schema is {schema}, but this fastsvm reads {SCHEMA}; train it again")


def read_bytes(path):
    """Read a regular file."""
    status = os.stat(path)
    if not stat.S_ISREG(status.st_mode):  # a pipe or a device may never end
        raise ModelFileError("this is not a regular file")
    with open(path, "rb") as file:
        return file.read(status.st_size)


def as_safetensors(tensors, metadata):
    """Return the parts of a safetensors file; the library's `save` would hold all tensors twice more."""
    types = {np.dtype(kind): (place, name) for place, (name, kind) in enumerate(TYPES.items())}
    names = sorted(tensors, key=lambda name: (-types[tensors[name].dtype][0], name))
    header, end = {"__metadata__": metadata}, 0
    for name in names:
        start, end = end, end + tensors[name].nbytes
        kind, shape = types[tensors[name].dtype][1], tensors[name].shape
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": [start, end]}
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return [len(text).to_bytes(8, "little"), text, *(tensors[name].data for name in names)]


def write_model(path, parts):
    """Write a file atomically."""
    if os.path.exists(path) and not os.path.isfile(path):  # /dev/null, for example
        raise ModelFileError(f"{os.path.realpath(path)}: this is not a regular file")
    with replacing(path) as file:
        file.writelines(parts)


# Tensors -----------------------------------------------------------------------------------------------


def take_array(tensors, name, dtypes, ndim=1):
    """Remove one tensor from the unread ones, and check its type, rank and values."""
    if name not in tensors:
        raise ModelFileError(f"tensor {show(name)} is missing")
    array = tensors.pop(name)
    if array.dtype not in dtypes:
        raise ModelFileError(f"tensor {show(name)} is of type {array.dtype}, which is wrong")
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
    return VIEWS[suffix](take_array(tensors, name + suffix, dtypes, ndim))


def pack_view(name, array):
    """Turn an array into a tensor of its view in C order, if it has one."""
    suffix = next((suffix for suffix, turn in VIEWS.items() if _goes_forward(turn(array))), "")
    return {name + suffix: native_array(VIEWS[suffix](array))}


def _goes_forward(array):
    """Return whether an array is stored row after row and, in each row, value after value."""
    return all(stride > 0 for stride in array.strides) and all(a >= b for a, b in pairwise(array.strides))


def native_array(array):
    """Return an array as safetensors needs it: dense, in C order and this machine's byte order."""
    array = sparse.as_dense(array)
    return np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("="))


def pack_array(name, array):
    """Turn an array into a tensor."""
    return {name: native_array(array)}


def pack_rows(name, rows):
    """Turn an array or a CSR matrix into tensors, with sorted and unique columns."""
    if not sparse.issparse(rows):
        return pack_array(name, rows)
    rows = canonical(rows)
    return {
        f"{name}.data": native_array(rows.data),
        f"{name}.indices": rows.indices.astype(np.int64),
        f"{name}.indptr": rows.indptr.astype(np.int64),
    }


def take_rows(tensors, name, dtypes, n_columns):
    """Take the three tensors of a CSR array with `n_columns` columns, or raise a ModelFileError."""
    data = take_array(tensors, f"{name}.data", dtypes)
    columns, offsets = (take_array(tensors, f"{name}.{part}", OFFSETS) for part in ("indices", "indptr"))
    spans = len(offsets) and offsets[0] == 0 and offsets[-1] == len(data)
    if not spans or (offsets[:-1] > offsets[1:]).any():
        raise ModelFileError(f"{name}: indptr does not span the {len(data)} values")
    if len(columns) != len(data) or ((columns < 0) | (columns >= n_columns)).any():
        raise ModelFileError(f"{name}: indices must be {len(data)} column numbers from 0 to {n_columns - 1}")
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
        raise ModelFileError(f"{name}: a string occurs twice")
    return strings


def take_packed_strings(tensors, name):
    """Take the checked bytes of a list of strings, and the end of each."""
    content = take_array(tensors, f"{name}.bytes", BYTES)
    offsets = take_array(tensors, f"{name}.offsets", OFFSETS)
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


# JSON ----------------------------------------------------------------------------------------------------


def _parse_json(text):
    """Parse standard JSON: no NaN, no number beyond 64 bits, no repeated key."""
    try:
        return json.loads(
            text,
            object_pairs_hook=_unique_keys,
            parse_int=_json_integer,
            parse_float=_json_float,
            parse_constant=_json_float,
        )
    except RecursionError:
        raise ModelFileError("the file has damaged metadata (nested too deeply)") from None
    except ValueError as error:
        raise ModelFileError(f"the file has damaged metadata ({error})") from None


def _unique_keys(pairs):
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError("a key occurs twice in one object")
    return result


def _json_integer(digits):
    if len(digits) > 20 or not -(2**63) <= int(digits) < 2**63:
        raise ValueError("an integer beyond 64 bits")
    return int(digits)


def _json_float(digits):
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError("a number that is not finite")
    return number


def check_object(value, what, /, **kinds):
    """Check that a JSON object has exactly these fields, with these types."""
    if type(value) is not dict:
        raise ModelFileError(f"{what} is not an object")
    check_field_names(value, kinds, f"{what}: field")
    for name, kind in kinds.items():
        if type(value[name]) is not kind:
            raise ModelFileError(f"{what}: {name} is {show(value[name])}, not of type {kind.__name__}")


def check_field_names(found, expected, what):
    """Check that the names are exactly the expected ones."""
    for name in expected:
        if name not in found:
            raise ModelFileError(f"{what} {show(name)} is missing")
    for name in found:
        if name not in expected:
            raise ModelFileError(f"{what} {show(name)} is unexpected")


def show(value):
    """Show an untrusted value on one short line."""
    shorten = reprlib.Repr()
    shorten.maxstring = shorten.maxother = 60
    return one_line(shorten.repr(value))


def one_line(text):
    """Reduce a message to one line without control characters, which a terminal might obey."""
    return "".join(c if c.isprintable() else " " for c in str(text))[:200]


# Models --------------------------------------------------------------------------------------------------


def decode_steps(node, tensors, decode):
    """Return the names and steps of a pipeline; `decode` makes a step from its description and tensors."""
    check_object(node, "pipeline", **{"class": str, "steps": list})
    if len(node["steps"]) > MAX_STEPS:
        raise ModelFileError(f"a pipeline of {len(node['steps'])} steps is too long")
    steps = []
    for entry in node["steps"]:
        if type(entry) is not list or [type(part) for part in entry] != [str, dict]:
            raise ModelFileError("a step of the pipeline is not a name and an object")
        name, step = entry
        own = [key for key in tensors if key.startswith(f"{name}.")]
        arrays = {key.removeprefix(f"{name}."): tensors.pop(key) for key in own}
        steps.append((name, decode(step, arrays)))
        check_field_names(arrays, (), f"step {show(name)}: tensor")
    check_field_names(tensors, (), "tensor")
    _check_names([name for name, _ in steps])
    return steps


def _check_names(names):
    if not names or len(set(names)) != len(names):
        raise ModelFileError("a pipeline has no steps, or two steps of the same name")
    for name in names:
        if not re.fullmatch(r"[\w-]{1,100}", name) or "__" in name or name in ("steps", "memory", "verbose"):
            raise ModelFileError(f"a pipeline step named {show(name)} is not allowed")
