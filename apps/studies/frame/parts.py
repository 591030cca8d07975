"""Parts of a study that are done, in files, so that a run that was ended can go on."""

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from zipfile import BadZipFile
from zlib import error as BadStream

import numpy as np

from fastsvm import __version__
from fastsvm._utils.atomic import replacing

FOLDER = "parts"
ENDING = ".npz"
_KEY = "key of the part"

Arrays = dict[str, np.ndarray]


def kept(
    folder: str | None, name: str, compute: Callable[[], Arrays], key: Mapping[str, object]
) -> tuple[Arrays, bool]:
    """Return the arrays of an earlier run with the same key, and that they are; or compute and keep them.

    Parameters
    ----------
    folder : str or None
        None keeps nothing.
    name : str
        Begins the name of the file; what follows is a digest of the key.
    compute : callable
        Returns arrays by name, none of them of objects.
    key : mapping
        Numbers, texts, arrays, and lists, tuples and dicts of them.

    Raises
    ------
    TypeError
        Of a key or an array that no file without pickle can hold.
    """
    if folder is None:
        return _checked(compute()), False
    record = json.dumps({"fastsvm": __version__, "part": name, **key}, sort_keys=True, default=_digest)
    path = os.path.join(folder, f"{name}-{hashlib.sha256(record.encode()).hexdigest()[:16]}{ENDING}")
    found = _read(path, record)
    if found is not None:
        return found, True
    arrays = _checked(compute())
    os.makedirs(folder, exist_ok=True)
    with replacing(path) as file:
        np.savez(file, **{_KEY: np.array(record)}, **arrays)
    return arrays, False


def forget(folder: str) -> None:
    """Remove the parts of earlier runs."""
    if os.path.isdir(folder):
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.endswith(ENDING) and entry.is_file(follow_symlinks=False):
                    os.unlink(entry.path)


def _checked(arrays: Mapping[str, object]) -> Arrays:
    """Return arrays as they come out of a file again."""
    arrays = {name: np.asarray(value) for name, value in arrays.items()}
    for name, array in arrays.items():
        if array.dtype.hasobject:
            raise TypeError(f"{name} has objects, which are not kept")
    return arrays


def _read(path: str, record: str) -> Arrays | None:
    """Return the arrays of a file, or None where it is absent, broken or of another key."""
    try:
        with open(path, "rb") as file, np.lib.npyio.NpzFile(file, allow_pickle=False) as content:
            arrays = {name: content[name] for name in content.files}
    except (OSError, ValueError, EOFError, KeyError, RuntimeError, MemoryError, BadZipFile, BadStream):
        return None
    return arrays if str(arrays.pop(_KEY, "")) == record else None


def _digest(value: object) -> object:
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        content = hashlib.sha256(np.ascontiguousarray(value).data)
        return [str(value.dtype), value.shape, content.hexdigest()]
    raise TypeError(f"{type(value).__name__} in the key of a part")
