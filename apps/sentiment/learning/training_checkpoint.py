"""The checkpoint of a training: a folder with finished steps, rows, and the state of the current fit."""

import json
import os
import shutil
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import fields
from pathlib import Path

from fastsvm._utils.atomic import held

from ...common.cache import Cache
from ...common.errors import USAGE, AppError
from ...common.paths import make_folder
from ...common.printing import note
from ..data.text_source import TextSource
from ..settings import Settings

UNFINISHED = ".fastsvm-"  # beginning of the names of unfinished files
HEAD = 1 << 20  # bytes of a corpus that are compared


@contextmanager
def open_checkpoint(
    path: str | os.PathLike[str], source: TextSource, settings: Settings, *, stream: bool = False
) -> Iterator[Cache]:
    """Open or begin a checkpoint, which is removed on success.

    Parameters
    ----------
    path : str or path-like
        The folder.
    source : TextSource
        A file is recognised by its size, its time and its first `HEAD` bytes, a folder by the names, sizes
        and times of its files.
    settings : Settings
    stream : bool

    Raises
    ------
    AppError
        If the corpus can be read only once.
    BlockingIOError
        If another training uses the folder.
    """
    if source.is_read_once:
        told = f"--checkpoint reads CORPUS again, but {source.name} can be read only once"
        raise AppError(f"{told}; give a file or a folder", USAGE)
    reader = {f.name: getattr(source, f.name) for f in fields(source) if f.compare and f.name != "path"}
    start = None if settings.start is None else zlib.crc32(Path(settings.start).read_bytes())
    folder = Path(path)
    make_folder(path)
    key = {**vars(settings), **reader, "corpus": _corpus_identity(source), "start": start, "stream": stream}
    for name in ("cv", "learning_curve"):  # affect no fit that is kept
        del key[name]
    cache = Cache(folder, **key)
    try:
        with held(folder):
            if done := cache.names():
                note(f"{folder}: resuming after {', '.join(done)}")
            elif any(not path.name.startswith(UNFINISHED) for path in folder.iterdir()):
                told = "nothing in it belongs to this corpus with these options"
                note(f"{folder}: {told}; the training starts anew, and the other files stay")
            yield cache
            cache.clear()
            for left in folder.glob(f"{UNFINISHED}*"):
                shutil.rmtree(left) if left.is_dir() else left.unlink()
    finally:
        with suppress(OSError):  # it is not empty
            folder.rmdir()


def _corpus_identity(source: TextSource) -> list[int]:
    """Return numbers that identify a corpus."""
    if source.is_folder:
        files = sorted(path for path in Path(source.path).rglob("*") if path.is_file())
        listed = [[str(file.relative_to(source.path)), *_file_state(file)] for file in files]
        return [len(files), zlib.crc32(json.dumps(listed).encode())]
    with open(source.path, "rb") as file:
        return [*_file_state(Path(source.path)), zlib.crc32(file.read(HEAD))]


def _file_state(file: Path) -> list[int]:
    status = file.stat()
    return [status.st_size, status.st_mtime_ns]
