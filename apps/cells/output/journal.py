"""What a long run has found so far, on disk, so that a run that was ended can go on."""

import base64
import hashlib
import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from importlib.metadata import version
from typing import NamedTuple

import numpy as np

from ...common.errors import USAGE, AppError
from ...common.output import note
from ..data.files import ImageFile
from ..data.images import split_page
from ..data.threads import MapImages, map_images
from ..data.tiles import Tile
from ..finding.findings import Finding, ImageFindings
from ..learning.prediction import BATCH, CellModel, Draw, Found, classify

TILES_AT_ONCE = 8  # whose cells are classified at once; what is beyond is lost if the run is ended


def journal_of(
    items: Sequence[ImageFile], model_path: str | None, table: str | None, resume: bool
) -> "Journal | None":
    """Return what keeps the results of a run that may take long, beside its table; or None.

    Parameters
    ----------
    items : sequence of ImageFile
        Images, and tiles of slides.
    model_path : str or None
        None is the model that comes with the package.
    table : str or None
        The CSV file of the run.
    resume : bool
        Whether to begin with the results that are there.
    """
    if table and (resume or _has_tiles(items)):
        return Journal(f"{table}.part", _key(items, model_path), resume)
    return None


def classify_kept(
    items: Sequence[ImageFile],
    model: CellModel,
    journal: "Journal | None",
    *,
    draw: Draw | None = None,
    describing: MapImages = map_images,
    **how,
) -> Iterator[Found]:
    """Classify as `classify` does, and keep the results until all are there.

    Raises
    ------
    AppError
        When slides are to be drawn, or what was kept is of another run.
    """
    has_tiles = _has_tiles(items)
    if draw and has_tiles:
        raise AppError("--overlay draws no slides; see their cells with --report", USAGE)
    batch = TILES_AT_ONCE if has_tiles else BATCH
    work = partial(classify, model=model, draw=draw, describing=describing, batch=batch, **how)
    if journal is None:
        yield from work(items)
        return
    done = journal.read(how)
    # Whole batches: sums of a smaller one may be rounded in another way.
    del done[len(done) // batch * batch :]
    try:
        yield from journal.followed(items, work, done)
    except BaseException:
        if os.path.exists(journal.path):
            note(f"note: what was found so far is kept in {journal.path}; --resume goes on from there")
        raise


def _has_tiles(items: Sequence[ImageFile]) -> bool:
    return any(isinstance(item, Tile) for item in items)


class Journal:
    """A file with a line for each image, or tile of a slide, that is done, in their order.

    Parameters
    ----------
    path : str
    key : dict
        What the results depend on; with how cells are looked for, it is the first line.
    resume : bool
        Whether what is there is gone on with, or begun anew.
    """

    def __init__(self, path: str, key: dict, resume: bool) -> None:
        self.path = path
        self._key, self._resume = key, resume

    def read(self, how: dict) -> list["Line"]:
        """Return the lines that are there, without one that was cut short; `how` cells are looked for counts.

        Raises
        ------
        AppError
            When they are of another run.
        """
        self._head = (json.dumps({**self._key, **how}, sort_keys=True, default=repr) + "\n").encode()
        lines: list[Line] = []
        if not self._resume or not os.path.exists(self.path):
            return lines
        with open(self.path, "rb") as file:
            if file.readline() != self._head:
                raise AppError(
                    f"{self.path}: of other images, another model or other options; "
                    "remove it, or leave out --resume"
                )
            end = len(self._head)
            with suppress(ValueError, TypeError, AttributeError):
                for line in file:
                    end += len(line)
                    record = {name: _value(value) for name, value in json.loads(line).items()}
                    lines.append(Line(ImageFindings(**record), end))
        return lines

    def followed(
        self,
        items: Sequence[ImageFile],
        work: Callable[[Sequence[ImageFile]], Iterator[Found]],
        done: Sequence["Line"],
    ) -> Iterator[Found]:
        """Yield what lines say of the first items, and the results of work on the others, which are kept."""
        with open(self.path, "r+b" if done else "wb") as file:
            if done:
                file.truncate(done[-1].end)
                file.seek(done[-1].end)
            else:
                file.write(self._head)
            yield from ((item, line.found) for item, line in zip(items, done, strict=False))
            for item, found in work(items[len(done) :]):
                file.write((json.dumps(asdict(found), default=_plain) + "\n").encode())
                file.flush()
                yield item, found

    def remove(self) -> None:
        """Remove the file, once all that was wanted is written."""
        with suppress(FileNotFoundError):
            os.unlink(self.path)


class Line(NamedTuple):
    """What a line says, and where it ends."""

    found: ImageFindings
    end: int


def _key(items: Sequence[ImageFile], model_path: str | None) -> dict:
    """Return what the results of a run depend on, beside its options."""
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
    return {"fastsvm": version("fastsvm"), "model": model, "images": seen.hexdigest()}


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
    return Finding(**values) if "box" in values else values
