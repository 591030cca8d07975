"""Results of `classify` in a cache beside its table, so that an interrupted run resumes."""

import base64
import hashlib
import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from itertools import islice

import numpy as np

from ...common.cache import Cache
from ...common.printing import note
from ..data.image_files import ImageFile
from ..data.image_reader import split_page
from ..finding.findings import FoundCell, ImageFindings

Found = tuple[ImageFile, ImageFindings]


def resumable(
    items: Sequence[ImageFile], model_path: str | None, table: str | None, batch: int, **how
) -> "Resumable":
    """Return a run whose results are kept beside its table until it is complete; without one, nothing is.

    Parameters
    ----------
    items : sequence of ImageFile
        Images, and tiles of slides.
    model_path : str or None
        None is the model that comes with the package.
    table : str or None
        The CSV file of the run.
    batch : int
        How many items are kept at once.
    **how
        What the results depend on besides.
    """
    if table is None:
        return Resumable(Cache(None), batch)
    model = "shipped"
    if model_path is not None:
        with open(model_path, "rb") as file:
            model = hashlib.file_digest(file, "sha256").hexdigest()
    how = {name: repr(value) for name, value in how.items()}
    return Resumable(Cache(f"{table}.part", model=model, images=_digest(items), batch=batch, **how), batch)


@dataclass(frozen=True)
class Resumable:
    """A run over images whose results are kept, batch by batch."""

    cache: Cache
    batch: int

    def results(
        self, items: Sequence[ImageFile], work: Callable[[Sequence[ImageFile]], Iterator[Found]]
    ) -> Iterator[Found]:
        """Yield the results that an earlier run has kept, and then those of work on the other items."""
        if self.cache.folder is None:
            yield from work(items)
            return
        done = 0
        while (kept := self.cache.find(_name(done))) is not None:
            findings = map(_finding, json.loads(kept["findings"]))
            yield from zip(items[done * self.batch :], findings, strict=False)
            done += 1
        rest = work(items[done * self.batch :])
        try:
            while results := list(islice(rest, self.batch)):
                records = json.dumps([asdict(found) for _, found in results], default=_plain)
                self.cache.get(_name(done), lambda records=records: {"findings": records})
                done += 1
                yield from results
        except BaseException:
            if self.cache.folder.is_dir():
                note(f"note: the results so far are kept in {self.cache.folder}; the same command resumes")
            raise

    def remove(self) -> None:
        """Remove what was kept, once all files are written."""
        self.cache.clear(every=True)
        if self.cache.folder:
            with suppress(OSError):  # there is none, or it holds other files
                self.cache.folder.rmdir()


def _name(number: int) -> str:
    return f"batch-{number}"


def _digest(items: Sequence[ImageFile]) -> str:
    """Return a digest of what images there are: their files, labels and places in slides."""
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
    return seen.hexdigest()


def _finding(record: dict) -> ImageFindings:
    return ImageFindings(**{name: _value(value) for name, value in record.items()})


def _plain(value: object) -> dict:
    """Return what JSON has for bytes and for arrays."""
    if isinstance(value, bytes):
        return {"base64": base64.b64encode(value).decode()}
    return {"array": np.asarray(value).tolist()}


def _value(value: object) -> object:
    if isinstance(value, list):
        return tuple(map(_value, value))
    if not isinstance(value, dict):
        return value
    if "base64" in value:
        return base64.b64decode(value["base64"])
    if "array" in value:
        return np.array(value["array"], np.int32).reshape(-1, 2)
    values = {name: _value(inner) for name, inner in value.items()}
    return FoundCell(**values) if "box" in values else values
