"""What a long run has found so far, on disk, so that a run that was ended can go on."""

import base64
import hashlib
import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, fields
from importlib.metadata import version
from itertools import islice

import numpy as np

from ...common.errors import AppError
from ..data.files import ImageFile
from ..data.images import split_page
from ..model.findings import Finding, ImageFindings

Found = tuple[ImageFile, ImageFindings]


class Journal:
    """A file with a line for each image, or tile of a slide, that is done, in their order.

    Parameters
    ----------
    path : str
    key : dict
        What the results depend on; it is the first line.
    """

    def __init__(self, path: str, key: dict) -> None:
        self.path = path
        self._head = (json.dumps(key, sort_keys=True) + "\n").encode()

    def read(self, most: int | None = None) -> list[ImageFindings]:
        """Return what is there, at most so much; a line that was cut short is not.

        Raises
        ------
        AppError
            When it is of another run.
        """
        found: list[ImageFindings] = []
        self._end = len(self._head)
        if not os.path.exists(self.path):
            return found
        with open(self.path, "rb") as file:
            if file.readline() != self._head:
                raise AppError(
                    f"{self.path}: of other images, another model or other options; "
                    "remove it, or leave out --resume"
                )
            with suppress(ValueError, TypeError, KeyError, AttributeError):
                for line in islice(file, most):
                    found.append(_found(json.loads(line)))
                    self._end += len(line)
        return found

    def followed(
        self, items: Sequence[ImageFile], work: Callable[[Sequence[ImageFile]], Iterator[Found]], start: int
    ) -> Iterator[Found]:
        """Yield the results of the first `start` items from the file, then those of work on the others."""
        kept = self.read(start) if start else []
        with open(self.path, "r+b" if kept else "wb") as file:
            if kept:
                file.truncate(self._end)
                file.seek(self._end)
            else:
                file.write(self._head)
            yield from zip(items, kept, strict=False)
            for item, found in work(items[len(kept) :]):
                file.write(_line(found))
                file.flush()
                yield item, found

    def remove(self) -> None:
        """Remove the file: all is done."""
        with suppress(FileNotFoundError):
            os.unlink(self.path)


def run_key(items: Sequence[ImageFile], model_path: str | None, **options) -> dict:
    """Return what the results of a run depend on.

    Parameters
    ----------
    items : sequence of ImageFile
        Images, and tiles of slides.
    model_path : str or None
        None is the model that comes with the package.
    **options
        How cells are found.
    """
    model = "shipped"
    if model_path is not None:
        with open(model_path, "rb") as file:
            model = hashlib.file_digest(file, "sha256").hexdigest()
    seen = hashlib.sha256()
    states: dict[str, tuple] = {}
    for item in items:
        path = split_page(item.path)[0]
        if path not in states:
            with suppress(OSError):
                state = os.stat(path)
                states[path] = os.path.abspath(path), state.st_size, state.st_mtime_ns
        place = getattr(item, "window", None), getattr(item, "core", None)
        seen.update(repr((item.path, item.label, states.get(path), place)).encode("utf-8", "surrogateescape"))
    return {"fastsvm": version("fastsvm"), "model": model, "images": seen.hexdigest(), **options}


def _line(found: ImageFindings) -> bytes:
    return (json.dumps(asdict(found), default=_plain) + "\n").encode()


def _plain(value: object) -> dict:
    """Return what JSON has for bytes and for arrays."""
    if isinstance(value, bytes):
        return {"base64": base64.b64encode(value).decode()}
    return {"array": np.asarray(value).tolist()}


def _found(record: dict) -> ImageFindings:
    cells = tuple(Finding(**_fields(Finding, cell)) for cell in record.pop("cells"))
    return ImageFindings(cells=cells, **_fields(ImageFindings, record))


def _fields(kind: type, record: dict) -> dict:
    names = {field.name for field in fields(kind)}
    return {name: _value(value) for name, value in record.items() if name in names}


def _value(value: object) -> object:
    if isinstance(value, list):
        return tuple(map(_value, value))
    if isinstance(value, dict) and "base64" in value:
        return base64.b64decode(value["base64"])
    if isinstance(value, dict) and "array" in value:
        return np.array(value["array"], np.int32).reshape(-1, 2)
    return value
