"""The container of a model file: safetensors to a description and checked tensors, and back.

Tables of fields give them a meaning; :mod:`fastsvm.estimators.persistence` lists all models of a file.
"""

import contextlib
import json
import math
import os
import re
import reprlib
import stat

import numpy as np
from safetensors import SafetensorError, deserialize

from .._utils.atomic import replacing

SCHEMA = 3
KEY = "fastsvm"
MAX_HEADER = 1 << 24  # bytes of JSON; real models have a few hundred
MAX_STEPS = 16
ITEMS = "training_items"  # in `about`, but a tensor of the file

# The file's names of the types a tensor may have, in its byte order.
TYPES = {
    **{"BOOL": "?", "F16": "<f2", "F32": "<f4", "F64": "<f8"},
    **{"I8": "<i1", "I16": "<i2", "I32": "<i4", "I64": "<i8"},
    **{"U8": "<u1", "U16": "<u2", "U32": "<u4", "U64": "<u8"},
}


class ModelFileError(ValueError):
    """A model that cannot be saved, or a file that is not a readable model."""


class UnknownStep(ModelFileError):
    """A step that this reader cannot read, although `fastsvm.load_model` may."""


# The file ------------------------------------------------------------------------------------------------


def open_model(path):
    """Read the description of a model, its `about` and its tensors from a file."""
    header, tensors = split_safetensors(read_bytes(path))
    metadata = header.get("__metadata__") or {}
    if KEY not in metadata:
        raise ModelFileError("a safetensors file, but not a fastsvm model")
    check_object(metadata, "metadata", **{KEY: str})
    model, about = described_model(metadata[KEY])
    return model, about | take_items(tensors), tensors


def take_items(named):
    """Take the hashes of what a model has learned from, if they are there: rows of 5 bytes, or a filter."""
    if ITEMS not in named:
        return {}
    items = np.asarray(named.pop(ITEMS))
    if items.dtype != np.uint8 or not items.size or not items.ndim or items.shape[1:] not in ((), (5,)):
        raise ModelFileError(f"{ITEMS} of type {items.dtype} and shape {show(items.shape)}")
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
    document["about"].pop(ITEMS, None)  # is no tensor
    return document["model"], document["about"]


def split_safetensors(content):
    """Split a safetensors file into its header, parsed, and its tensors."""
    size = int.from_bytes(content[:8], "little")
    if size > MAX_HEADER:
        raise ModelFileError("not a safetensors file, or damaged (header too large)")
    try:
        tensors = deserialize(content)
    except SafetensorError as error:
        reason = one_line(error).removeprefix("Error while deserializing: ")
        raise ModelFileError(f"not a safetensors file, or damaged ({reason})") from None
    header = _parse_json(str(content[8 : 8 + size], "utf-8"))
    return header, {name: _tensor_array(name, **tensor) for name, tensor in tensors}


def _tensor_array(name, dtype, shape, data):
    if dtype not in TYPES:
        raise ModelFileError(f"tensor {show(name)} is of type {dtype}")
    try:
        return np.frombuffer(data, TYPES[dtype]).reshape(shape)
    except ValueError:  # dimensions beyond what NumPy counts, beside a dimension of 0
        raise ModelFileError(f"tensor {show(name)} has an impossible shape") from None


def _check_schema(document):
    schema = document.get("schema") if type(document) is dict else None
    if type(schema) is not int or schema < 1:
        raise ModelFileError(f"unknown schema {show(schema)}")
    if schema != SCHEMA:
        raise ModelFileError(f"its schema is {schema}, and this fastsvm reads {SCHEMA}; train it again")


def read_bytes(path):
    """Read a regular file."""
    status = os.stat(path)
    if not stat.S_ISREG(status.st_mode):  # a pipe or a device may never end
        raise ModelFileError("not a regular file")
    with open(path, "rb") as file:
        return file.read(status.st_size)


def write_model(path, content):
    """Write a file completely, or leave the earlier one."""
    if os.path.exists(path) and not os.path.isfile(path):  # /dev/null, for example
        raise ModelFileError(f"{os.path.realpath(path)}: not a regular file")
    with replacing(path) as file:
        file.write(content)


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
        raise ModelFileError("damaged metadata (nested too deeply)") from None
    except ValueError as error:
        raise ModelFileError(f"damaged metadata ({error})") from None


def _unique_keys(pairs):
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError("a key twice in one object")
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
    """Return the names and steps of a pipeline; `decode` makes a step of its description and tensors."""
    check_object(node, "pipeline", **{"class": str, "steps": list})
    if len(node["steps"]) > MAX_STEPS:
        raise ModelFileError(f"a pipeline of {len(node['steps'])} steps")
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
        raise ModelFileError("a pipeline without steps, or with two of the same name")
    for name in names:
        if not re.fullmatch(r"[\w-]{1,100}", name) or "__" in name or name in ("steps", "memory", "verbose"):
            raise ModelFileError(f"a pipeline step named {show(name)}")
