"""What a training that may be killed keeps of its finished steps, and of the fit that it is in."""

import json
import os
import shutil
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

import fastsvm
from fastsvm._utils.atomic import held, replacing, temporary_folder

from ...common.errors import USAGE, AppError
from ..data.source import Source
from ..settings import Settings, spelled

Value = TypeVar("Value")

FORMAT = 1
MANIFEST, STEP, FIT = "checkpoint.json", ".npz", ".fit"
OURS = ".fastsvm-"  # what the names of unfinished files begin with
HEAD = 1 << 20  # bytes of a corpus that are compared
REST = "rest"


class Kept:
    """A folder with the results of finished steps, each in a file; without a folder nothing is kept."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder

    @property
    def done(self) -> list[str]:
        """What is there, in the order in which it was begun."""
        if self.folder is None:
            return []
        there = [path for path in self.folder.iterdir() if path.suffix in (STEP, FIT)]
        return [path.stem for path in sorted(there, key=lambda path: path.stat().st_mtime_ns)]

    def result(
        self,
        name: str,
        make: Callable[[], Value],
        load: Callable[..., Value],
        dump: Callable[[Any], Mapping[str, Any]] = vars,
    ) -> Value:
        """Return the result of a step: what is kept of it, or what `make` returns, which is kept.

        Parameters
        ----------
        name : str
        make : callable
            None, which costs nothing to find out again, is not kept.
        load : callable
            Makes a result of its parts.
        dump : callable, optional
            Makes a dict of a result: arrays, and what JSON can say.
        """
        if self.folder is None:
            return make()
        path = self.folder / (name + STEP)
        if path.exists():
            with np.load(path, allow_pickle=False) as found:
                arrays = {key: found[key] for key in found.files if key != REST}
                return load(**arrays, **json.loads(found[REST].tobytes()))
        value = make()
        if value is not None:
            parts = dump(value)
            arrays = {key: part for key, part in parts.items() if isinstance(part, np.ndarray)}
            rest = json.dumps({key: part for key, part in parts.items() if key not in arrays})
            with replacing(path) as file:
                np.savez(file, **arrays, **{REST: np.frombuffer(rest.encode(), np.uint8)})
        return value

    def fit(self, name: str) -> Path | None:
        """Return the file for a fit's dual variables."""
        return None if self.folder is None else self.folder / (name + FIT)

    @contextmanager
    def workplace(self, place: Path) -> Iterator[Path]:
        """Give a folder for what results refer to: this one, or one in `place` that is gone in the end."""
        if self.folder is not None:
            yield self.folder
        else:
            with temporary_folder(place) as folder:
                yield Path(folder)


NOTHING = Kept()


def settings_of(kept: dict[str, Any]) -> Settings:
    """Return settings that JSON has turned the tuples of into lists."""
    return Settings(**{name: _as_tuple(value) for name, value in kept.items()})


def _as_tuple(value: Any) -> Any:
    return tuple(map(_as_tuple, value)) if isinstance(value, list) else value


@contextmanager
def opened(path: str, source: Source, settings: Settings, **more: Any) -> Iterator[Kept]:
    """Open a checkpoint, or begin one; it is removed in the end, and where nothing was kept.

    Parameters
    ----------
    path : str
    source : Source
        A file is known again by its size, its time and the first `HEAD` bytes, a folder by the names, sizes
        and times of its files.
    settings : Settings
    **more : what else decides the result, by the name of its option

    Raises
    ------
    AppError
        If it is of another corpus or of other options, is in use, or is no checkpoint.
    """
    if source.is_read_once:
        raise AppError(
            f"--checkpoint reads CORPUS again, which {source.name} cannot be; give a file or a folder", USAGE
        )
    reader = {f.name: getattr(source, f.name) for f in fields(source) if f.name != "path"}
    options = {**vars(settings), **reader, **more}
    wanted = {
        "format": FORMAT,
        "version": fastsvm.__version__,
        "corpus": _identity(source),
        "options": options,
    }
    folder = Path(path)
    try:
        folder.mkdir(exist_ok=True)
    except FileExistsError:
        raise AppError(f"{path}: is a file, no checkpoint; choose another path") from None
    try:
        with held(folder):
            _begin(folder, json.loads(json.dumps(wanted)))
            kept = Kept(folder)
            try:
                yield kept
            except BaseException:
                if not kept.done:
                    _remove(folder)
                raise
            _remove(folder)
    except BlockingIOError:
        raise AppError(f"{path}: another training is using it; choose another path") from None


def _begin(folder: Path, wanted: dict[str, Any]) -> None:
    """Write what a checkpoint is of, or compare it."""
    manifest = folder / MANIFEST
    if not manifest.exists():
        if any(not name.startswith(OURS) for name in os.listdir(folder)):
            raise AppError(f"{folder}: is no checkpoint; choose another path")
        with replacing(manifest) as file:
            file.write(json.dumps(wanted, indent=1).encode())
        return
    try:
        found = json.loads(manifest.read_bytes())
        was = {key: found[key] for key in wanted}
        options = dict(was["options"])
    except (ValueError, KeyError, TypeError):
        raise AppError(f"{manifest}: is damaged; remove the folder, or choose another path") from None
    if (was["format"], was["version"]) != (wanted["format"], wanted["version"]):
        raise AppError(f"{folder}: is of fastsvm {was['version']}; remove it, or choose another path")
    if was["corpus"] != wanted["corpus"]:
        raise AppError(
            f"{folder}: is of another corpus, or CORPUS has changed; remove it, or choose another path"
        )
    for name, value in wanted["options"].items():
        if options.get(name) != value:
            before, now = (spelled(_as_tuple(each), "not given") for each in (options.get(name), value))
            raise AppError(
                f"{folder}: is of a training with other options ({name.replace('_', '-')} was {before}, is "
                f"{now}); give the same ones, remove it, or choose another path",
                USAGE,
            )


def _identity(source: Source) -> list:
    """Return what tells a corpus from others."""
    if source.is_folder:
        files = sorted(path for path in Path(source.path).rglob("*") if path.is_file())
        listed = [[str(file.relative_to(source.path)), *_state(file)] for file in files]
        return [len(files), zlib.crc32(json.dumps(listed).encode())]
    with open(source.path, "rb") as file:
        return [*_state(Path(source.path)), zlib.crc32(file.read(HEAD))]


def _state(file: Path) -> list[int]:
    status = file.stat()
    return [status.st_size, status.st_mtime_ns]


def checksum(path: str | None) -> int | None:
    """Return the CRC-32 of a model file, by which it is known again."""
    return None if path is None else zlib.crc32(Path(path).read_bytes())


def _remove(folder: Path) -> None:
    """Remove a checkpoint; what it is of goes last, so that half of one is one."""
    for path in folder.iterdir():
        if path.name != MANIFEST:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    (folder / MANIFEST).unlink()
    folder.rmdir()
