"""Lines of text from files and streams, as they arrive."""

from __future__ import annotations

import codecs
import gzip
import io
import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from typing import BinaryIO

from ..common.errors import AppError, Skipped

ENDS_TOLD = 1 << 16  # bytes at the beginning that tell what ends a line
NOT_UTF8 = "bytes that are not UTF-8"
NUL = "NUL characters (is it text, and in UTF-8?)"


class DamagedGzip(AppError):
    """A gzipped file that is cut short or otherwise broken."""


@contextmanager
def open_binary(path: str) -> Iterator[BinaryIO]:
    """Open a file or stdin (``-``) for reading bytes, unpacked where they are gzipped."""
    with _stdin() if path == "-" else open(path, "rb") as stream:
        if stream.peek(2)[:2] == b"\x1f\x8b":
            stream = gzip.GzipFile(fileobj=stream)
        try:
            yield stream
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            name = "<stdin>" if path == "-" else path
            raise DamagedGzip(
                f"{name}: damaged gzip data; copy or download the file again ({error})"
            ) from error


@contextmanager
def _stdin() -> Iterator[BinaryIO]:
    stream = sys.stdin.buffer
    yield stream if hasattr(stream, "peek") else io.BufferedReader(stream)


def decoded_lines(stream: BinaryIO, name: str) -> Iterator[tuple[int, str]]:
    """Yield each line with its number, without its end and without a byte order mark."""
    for number, line in enumerate(chain.from_iterable(_arriving_lines(stream, 1 << 16)), 1):
        if number == 1:
            if line.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
                raise AppError(f"{name}: the text is UTF-16; convert it to UTF-8 (iconv -f UTF-16 -t UTF-8)")
            line = line.removeprefix(codecs.BOM_UTF8)
        yield number, line.decode("utf-8", "surrogateescape").rstrip("\r")


def arriving_texts(stream: BinaryIO, skipped: Skipped, size: int = 1 << 18) -> Iterator[list[str]]:
    """Yield lists of lines as they arrive: at most `size` bytes at once, and no waiting to fill a list.

    Every line has its place in the lists. One with bytes that are not UTF-8, or with NUL characters, is
    counted in `skipped` and keeps its place, with the bytes replaced.
    """
    number = 0

    def decode(line: bytes) -> str:
        nonlocal number
        number += 1
        if number == 1:
            line = line.removeprefix(codecs.BOM_UTF8)
        try:
            text = line.decode()
        except UnicodeDecodeError:
            skipped.add(number, NOT_UTF8)
            text = line.decode(errors="replace")
        else:
            if "\0" in text:
                skipped.add(number, NUL)
        return text.replace("\0", "\ufffd").rstrip("\r")

    for lines in _arriving_lines(stream, size):
        yield [decode(line) for line in lines]


def _arriving_lines(stream: BinaryIO, size: int) -> Iterator[list[bytes]]:
    """Return an iterator of lists of lines.

    Lines end with a line feed, which they come without; a carriage return before it is left to the caller.
    Where the beginning has carriage returns and no line feed, these end the lines.
    """
    chunks = iter(lambda: stream.read1(size), b"")
    head = bytearray()
    for chunk in chunks:
        head += chunk
        if b"\n" in chunk or len(head) >= ENDS_TOLD:
            break
    by_returns = b"\r" in head and b"\n" not in head
    return (_cut_at_returns if by_returns else _cut_at_feeds)(chain([head], chunks))


# What is pending grows in place: the pieces of a long line are not copied with each new one.


def _cut_at_feeds(chunks: Iterable[bytes]) -> Iterator[list[bytes]]:
    pending = bytearray()
    for chunk in chunks:
        head, end, tail = chunk.rpartition(b"\n")
        pending += head
        if end:
            lines = pending.split(b"\n")
            pending = bytearray()
            yield lines
        pending += tail
    if pending:
        yield [pending]


def _cut_at_returns(chunks: Iterable[bytes]) -> Iterator[list[bytes]]:
    """Cut at line feeds too, alone or after a return."""
    pending = bytearray()
    for chunk in chunks:
        has_end = pending.endswith((b"\r", b"\n")) or b"\r" in chunk or b"\n" in chunk
        pending += chunk
        if has_end:
            *lines, pending = pending.splitlines(keepends=True)  # behind a last return a line feed may follow
            if lines:
                yield [line.rstrip(b"\r\n") for line in lines]
    if pending:
        yield [pending.rstrip(b"\r\n")]
