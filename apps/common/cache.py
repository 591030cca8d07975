"""Results of finished steps, kept in a folder so that a killed run can resume."""

import hashlib
import json
import os
import re
import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from fastsvm import __version__
from fastsvm._utils.atomic import read_arrays, write_arrays

ENDING = ".npz"
_OURS = re.compile(r"(?P<name>.+)-(?P<digest>[0-9a-f]{16})(\.\w+)?")


class Cache:
    """A folder of results. Each is found by the name of its step and a key of all that it depends on.

    Parameters
    ----------
    folder : str, path-like or None
        None keeps nothing.
    **key
        What every result depends on: numbers, strings, arrays, and lists, tuples and dicts of them. The
        version of fastsvm is added.

    Examples
    --------
    >>> Cache(None, seed=0).get("mean", lambda: {"mean": 0.5})
    {'mean': 0.5}
    """

    def __init__(self, folder: str | os.PathLike[str] | None, **key: object) -> None:
        self.folder = None if folder is None else Path(folder)
        self._key = key

    def get(self, name: str, compute: Callable[[], Mapping[str, Any]], **key: object) -> dict[str, Any]:
        """Return the result that an earlier run has kept, or compute it and keep it.

        Parameters
        ----------
        name : str
        compute : callable
            Returns a dict of arrays and of values that JSON can hold.
        **key
            What this result depends on in addition.

        Raises
        ------
        TypeError
            If a key or a result could only be stored as a pickle.
        """
        found = self.find(name, **key)
        if found is not None:
            return found
        result = dict(compute())
        if self.folder is None:
            return result
        arrays = {each: value for each, value in result.items() if isinstance(value, np.ndarray)}
        if refused := [each for each, array in arrays.items() if array.dtype.hasobject]:
            raise TypeError(f"{refused[0]} has objects, which cannot be stored; give numbers or strings")
        others = json.loads(json.dumps({each: result[each] for each in result if each not in arrays}))
        self.folder.mkdir(parents=True, exist_ok=True)
        # Another run of the command may have finished and removed the folder: then nothing is left to resume.
        with suppress(FileNotFoundError):
            write_arrays(self.path(name, ENDING, **key), [self._key_record(key), others], arrays)
        return {**arrays, **others}

    def find(self, name: str, **key: object) -> dict[str, Any] | None:
        """Return the result that an earlier run has kept, or None."""
        if (path := self.path(name, ENDING, **key)) is None:
            return None
        with suppress(OSError, ValueError):  # absent, or damaged
            about, arrays = read_arrays(path)
            record, others = about if isinstance(about, list) else (None, {})
            return {**arrays, **others} if record == self._key_record(key) else None
        return None

    def path(self, name: str, ending: str = "", **key: object) -> Path | None:
        """Return a path for a result, or for another file or folder with this key, if there is a folder."""
        if self.folder is None:
            return None
        return self.folder / f"{name}-{_record_digest(self._key_record(key))}{ending}"

    def names(self) -> list[str]:
        """Return the names of all entries that have the key of this cache and no other, the oldest first."""
        digest = _record_digest(self._key_record({}))
        names = (match["name"] for _, match in _cache_entries(self.folder) if match["digest"] == digest)
        return list(dict.fromkeys(names))

    def clear(self, every: bool = False) -> None:
        """Remove the entries of this key, or the results of every key; other files stay."""
        digest = _record_digest(self._key_record({}))
        with suppress(FileNotFoundError):  # another run removes it, too
            for path, match in _cache_entries(self.folder):
                if match["digest"] == digest or (every and path.suffix == ENDING):
                    shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()

    def _key_record(self, key: Mapping[str, object]) -> str:
        return json.dumps({"fastsvm": __version__, **self._key, **key}, sort_keys=True, default=_key_part)


NO_CACHE = Cache(None)


def _record_digest(record: str) -> str:
    return hashlib.sha256(record.encode()).hexdigest()[:16]


def _cache_entries(folder: Path | None) -> list[tuple[Path, re.Match[str]]]:
    """Return the entries of a folder that a cache made, the oldest first."""
    if folder is None or not folder.is_dir():
        return []
    found = [(path, match) for path in folder.iterdir() if (match := _OURS.fullmatch(path.name))]
    return sorted(found, key=lambda item: item[0].lstat().st_mtime_ns)


def _key_part(value: object) -> object:
    """Return the text for a value in a key."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        content = hashlib.sha256(np.ascontiguousarray(value).data)
        return [str(value.dtype), value.shape, content.hexdigest()]
    raise TypeError(f"a {type(value).__name__} cannot be in the key of a cache; give numbers or strings")
