"""Files of lines, read in blocks that end where a line does, from any place on."""

from __future__ import annotations

import gzip
import os
import stat
import zlib
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO, NamedTuple, cast

BLOCK = 1 << 23  # bytes read at a time
LONGEST = 1 << 28  # bytes of a line
SAVED = 1 << 28  # bytes between positions that are saved


class Place(NamedTuple):
    """A place between two lines: which file, how many bytes of it are before, and how many lines."""

    file: int = 0
    offset: int = 0
    line: int = 0


class Block(NamedTuple):
    """Whole lines, each with a line feed; where they begin, and the place after them."""

    text: bytes
    begin: Place
    end: Place


def paths_of(paths: str | os.PathLike | Sequence[str | os.PathLike]) -> list[str]:
    """One path or several as a list; a ValueError if there is none."""
    files = [os.fspath(p) for p in ([paths] if isinstance(paths, (str, os.PathLike)) else paths)]
    if not files:
        raise ValueError("There are no files to read.")
    return files


def fingerprint(paths: Sequence[str], **options: Any) -> dict[str, Any]:
    """What tells a source that was changed, and how it is read: for `MatrixWriter`."""
    stats = [os.stat(path) for path in paths]
    files = [[os.path.abspath(p), s.st_size, s.st_mtime_ns] for p, s in zip(paths, stats, strict=True)]
    return {"files": files, **options}


def blocks(paths: Sequence[str], begin: Place = Place()) -> Iterator[Block]:  # noqa: B008 (immutable)
    """Yield the lines of files, plain or gzipped, from a place on; a last line without an end gets one."""
    for number in range(begin.file, len(paths)):
        place = begin if number == begin.file else Place(number)
        with _opened(paths[number]) as file:
            rest = b""
            for chunk in _chunks(file, paths, place):
                cut = chunk.rfind(b"\n") + 1
                if not cut:
                    rest += chunk
                    if len(rest) > LONGEST:
                        raise ValueError(f"{where(paths, place)}: longer than {LONGEST >> 20} MiB.")
                    continue
                text, rest = rest + chunk[:cut], chunk[cut:]
                end = Place(number, place.offset + len(text), place.line + text.count(b"\n"))
                yield Block(text, place, end)
                place = end
            if rest:
                yield Block(rest + b"\n", place, Place(number, place.offset + len(rest), place.line + 1))


def _chunks(file: BinaryIO, paths: Sequence[str], place: Place) -> Iterator[bytes]:
    try:
        file.seek(place.offset)
        while chunk := file.read(BLOCK):
            yield chunk
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ValueError(f"{paths[place.file]}: damaged gzip data ({error}); fetch the file again.") from None


def _opened(path: str) -> BinaryIO:
    if not stat.S_ISREG(os.stat(path).st_mode):  # opening a pipe would wait for whoever writes to it
        raise ValueError(f"{path}: is a folder, a pipe or a device; give a file.")
    file = open(path, "rb")  # noqa: SIM115 (the caller closes it)
    if file.peek(2)[:2] == b"\x1f\x8b":
        return cast(BinaryIO, gzip.GzipFile(fileobj=file))
    return file


def decoded(block: Block, paths: Sequence[str]) -> str:
    """The text of a block, without a mark of its encoding and with plain line ends.

    Raises
    ------
    ValueError
        On what is not UTF-8, and on NUL characters.
    """
    try:
        text = block.text.decode()
    except UnicodeDecodeError as error:
        line = block.text.count(b"\n", 0, error.start)
        what = f"is not UTF-8 (byte {block.text[error.start]:#04x}); convert the file, as iconv does"
        raise ValueError(f"{where(paths, block.begin, line)}: {what}.") from None
    nul = text.find("\0")
    if nul >= 0:
        line = text.count("\n", 0, nul)
        what = "has a NUL character; is the file damaged, or in UTF-16?"
        raise ValueError(f"{where(paths, block.begin, line)}: {what}")
    if block.begin.offset == 0:
        text = text.removeprefix("\ufeff")
    return text.replace("\r\n", "\n")


def where(paths: Sequence[str], place: Place, more: int = 0) -> str:
    """Name the line that begins at a place, or some lines later, as messages do."""
    return f"{paths[place.file]}, line {place.line + more + 1:,}"
