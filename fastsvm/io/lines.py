"""Files of lines, read in blocks of whole lines, from any place on."""

from __future__ import annotations

import gzip
import os
import stat
import zlib
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, BinaryIO, NamedTuple

from .._utils.gzip_streams import UnpackedStream

BLOCK = 1 << 23  # bytes read at a time
LONGEST = 1 << 28  # bytes of a line


class LinePlace(NamedTuple):
    """A place between two lines: the number of the file, and the bytes and lines before the place."""

    file: int = 0
    offset: int = 0
    line: int = 0


class LineBlock(NamedTuple):
    """Whole lines, each with a line feed, the place where they begin and the place after them."""

    text: bytes
    begin: LinePlace
    end: LinePlace


def paths_of(paths: str | os.PathLike | Sequence[str | os.PathLike]) -> list[str]:
    """Return one path or several as a list; a ValueError if there is none."""
    files = [os.fspath(p) for p in ([paths] if isinstance(paths, (str, os.PathLike)) else paths)]
    if not files:
        raise ValueError("There are no files to read.")
    return files


def files_fingerprint(paths: Sequence[str], **options: Any) -> dict[str, Any]:
    """Identify files by path, size and time, with the options that read them: a key for `MatrixWriter`."""
    stats = [os.stat(path) for path in paths]
    files = [[os.path.abspath(p), s.st_size, s.st_mtime_ns] for p, s in zip(paths, stats, strict=True)]
    return {"files": files, **options}


def line_blocks(paths: Sequence[str | BinaryIO], begin: LinePlace = LinePlace()) -> Iterator[LineBlock]:  # noqa: B008 (immutable)
    """Yield the lines of files, plain or gzipped, from a place on; the last one gets a line feed."""
    for number in range(begin.file, len(paths)):
        place = begin if number == begin.file else LinePlace(number)
        with _open_lines(paths[number]) as file:
            rest = b""
            for chunk in _line_chunks(file, _name(paths[number]), place.offset):
                cut = chunk.rfind(b"\n") + 1
                if not cut:
                    rest += chunk
                    if len(rest) > LONGEST:
                        raise ValueError(f"{line_location(paths, place)}: longer than {LONGEST >> 20} MiB.")
                    continue
                text, rest = rest + chunk[:cut], chunk[cut:]
                end = LinePlace(number, place.offset + len(text), place.line + text.count(b"\n"))
                yield LineBlock(text, place, end)
                place = end
            if rest:
                yield LineBlock(
                    rest + b"\n", place, LinePlace(number, place.offset + len(rest), place.line + 1)
                )


def _line_chunks(file: BinaryIO, name: str, offset: int) -> Iterator[bytes]:
    try:
        if offset:
            file.seek(offset)
        while chunk := file.read(BLOCK):
            yield chunk
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ValueError(f"{name}: damaged gzip data ({error}); fetch the file again.") from None


def _open_lines(path: str | BinaryIO) -> AbstractContextManager[Any]:
    if not isinstance(path, str):
        return nullcontext(path)
    if not stat.S_ISREG(os.stat(path).st_mode):  # opening a pipe would wait for whoever writes to it
        raise ValueError(f"{path}: is a folder, a pipe or a device; give a file.")
    file = open(path, "rb")  # noqa: SIM115 (the caller closes it)
    if file.peek(2)[:2] == b"\x1f\x8b":
        return UnpackedStream(file, path)
    return file


def _name(path: str | BinaryIO) -> str:
    return path if isinstance(path, str) else str(getattr(path, "name", "<stream>"))


def line_location(paths: Sequence[str | BinaryIO], place: LinePlace, more: int = 0) -> str:
    """Name the line that begins at a place, or some lines later, as messages do."""
    return f"{_name(paths[place.file])}, line {place.line + more + 1:,}"
