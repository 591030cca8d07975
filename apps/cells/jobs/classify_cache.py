"""Results of `classify` in a cache beside its table, so that an interrupted run resumes."""

import base64
import hashlib
import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from itertools import islice

import numpy as np

from ...common.cache import Cache
from ...common.folder_walk import UNFINISHED
from ...common.printing import note
from ..data.image_reader import ImageFile, split_page
from ..finding.findings import FoundCell, ImageFindings
from ..finding.slide_findings import Found
from ..learning.cell_model import SHIPPED_NAME

Work = Callable[[Sequence[ImageFile]], Iterator[Found]]


@contextmanager
def kept_results(
    table: str | None, items: Sequence[ImageFile], model_path: str | None, batch: int, work: Work, **how
) -> Iterator[Iterator[Found]]:
    """Yield the results of work on images, and keep them beside a table, by batches, until the block ends.

    Results that an earlier run has kept come first; an interrupted block keeps all for the next run.

    Parameters
    ----------
    table : str or None
        The CSV file of the run; None keeps nothing.
    items : sequence of ImageFile
        Images, and tiles of slides.
    model_path : str or None
        None is the included model.
    batch : int
        How many items are kept at once.
    work : callable
    **how
        Everything else that the results depend on.
    """
    if table is None:
        yield work(items)
        return
    model = SHIPPED_NAME if model_path in (None, SHIPPED_NAME) else _file_digest(model_path)
    how = {name: repr(value) for name, value in how.items()}
    cache = Cache(f"{table}{UNFINISHED}", model=model, images=_images_digest(items), batch=batch, **how)
    try:
        yield _results(cache, items, batch, work)
    except BaseException:
        if cache.folder.is_dir():
            note(f"note: the results so far are kept in {cache.folder}; the same command resumes")
        raise
    cache.clear(every=True)
    with suppress(OSError):  # there is none, or it holds other files
        cache.folder.rmdir()


def _results(cache: Cache, items: Sequence[ImageFile], size: int, work: Work) -> Iterator[Found]:
    done = 0
    while (kept := cache.find(f"batch-{done}")) is not None:
        findings = json.loads(kept["findings"], object_hook=_from_json)
        yield from zip(items[done * size :], findings, strict=False)
        done += 1
    rest = work(items[done * size :])
    while results := list(islice(rest, size)):
        records = json.dumps([asdict(found) for _, found in results], default=_as_json)
        cache.get(f"batch-{done}", lambda records=records: {"findings": records})
        done += 1
        yield from results


def _file_digest(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _images_digest(items: Sequence[ImageFile]) -> str:
    """Return a digest of the images: their files, labels and places in slides."""
    seen = hashlib.sha256()
    states: dict[str, tuple] = {}
    for item in items:
        path = split_page(item.path)[0]
        if path not in states:
            with suppress(OSError):
                state = os.stat(path)
                states[path] = os.path.abspath(path), state.st_size, state.st_mtime_ns
        place = getattr(item, "window", None), getattr(item, "core", None)
        known = item.path, item.label, item.bits, states.get(path), place
        seen.update(repr(known).encode("utf-8", "surrogateescape"))
    return seen.hexdigest()


def _as_json(value: object) -> dict:
    """Return bytes or an array as a dict for JSON."""
    if isinstance(value, bytes):
        return {"base64": base64.b64encode(value).decode()}
    return {"array": np.asarray(value).tolist()}


def _from_json(record: dict) -> object:
    """Return the bytes, array, cell or image that a dict stands for."""
    if "base64" in record:
        return base64.b64decode(record["base64"])
    if "array" in record:
        return np.array(record["array"], np.int32).reshape(-1, 2)
    kind = FoundCell if "box" in record else ImageFindings
    values = {name: tuple(value) if isinstance(value, list) else value for name, value in record.items()}
    return kind(**values)
