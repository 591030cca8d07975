"""Files and stdin as bytes, unpacked and recoded; devices are refused."""

import codecs
import io
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import BinaryIO

from .errors import AppError
from .limits import limit

UTF8, UTF16_MARKS = "utf-8", (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class DamagedGzip(AppError):
    """A gzipped file that is truncated or otherwise damaged."""


class _RecodedStream:
    """Bytes in another encoding, as UTF-8. Bytes that do not decode are passed through if possible."""

    def __init__(self, stream: BinaryIO, name: str, encoding: str) -> None:
        self._stream, self._name, self._encoding = stream, name, encoding
        self._decoder = codecs.getincrementaldecoder(encoding)("surrogateescape")

    def read1(self, size: int = -1) -> bytes:
        """Return some bytes, as soon as there are any."""
        while True:
            chunk = self._stream.read1(size)
            try:
                text = self._decoder.decode(chunk, final=not chunk).encode(UTF8, "surrogateescape")
            except UnicodeError as error:
                told = f"is not {self._encoding} ({error}); give its encoding with --encoding"
                raise AppError(f"{self._name}: {told}") from error
            if text or not chunk:
                return text

    def read(self, size: int) -> bytes:
        """Return at least `size` bytes, or all the remaining ones."""
        content = bytearray()
        while len(content) < size and (chunk := self.read1(size)):
            content += chunk
        return bytes(content)


@contextmanager
def open_binary(path: str, encoding: str | None = None) -> Iterator[BinaryIO]:
    """Open a file or stdin (``-``) for reading bytes, unpacked if gzipped and recoded to UTF-8.

    Without an encoding, bytes stay as they are. "utf-8" also accepts UTF-16 with a byte order mark.
    Devices are refused, except a terminal and /dev/null.
    """
    name = "<stdin>" if path == "-" else path
    with nullcontext(_peekable_stdin()) if path == "-" else open(path, "rb") as stream:
        if _is_device(stream):
            raise AppError(f"{name}: is a device; give a file or a pipe")
        some = stream.peek(2)[:2]
        with _unpacked(stream, name) if some == b"\x1f\x8b" else nullcontext(stream) as unpacked:
            # After its end, a terminal is not read again.
            if encoding == UTF8 and some and unpacked.peek(2)[:2] in UTF16_MARKS:
                encoding = "utf-16"
            is_utf8 = encoding in (None, UTF8)
            yield unpacked if is_utf8 else _RecodedStream(unpacked, name, encoding)


@contextmanager
def _unpacked(stream: BinaryIO, name: str) -> Iterator[BinaryIO]:
    import gzip
    import zlib

    from fastsvm._utils.gzip_streams import ExpansionError, UnpackedStream

    most = limit("FASTSVM_MAX_EXPANSION")
    try:
        yield UnpackedStream(stream, name, most, "set FASTSVM_MAX_EXPANSION higher")
    except ExpansionError as error:
        raise AppError(str(error)) from error
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise DamagedGzip(f"{name}: damaged gzip data; copy or download the file again ({error})") from error


def _peekable_stdin() -> BinaryIO:
    stream = sys.stdin.buffer
    return stream if hasattr(stream, "peek") else io.BufferedReader(stream)


def _is_device(stream: BinaryIO) -> bool:
    try:
        status = os.fstat(stream.fileno())
    except io.UnsupportedOperation:  # not of the system
        return False
    if not (stat.S_ISCHR(status.st_mode) or stat.S_ISBLK(status.st_mode)):
        return False
    return not (stream.isatty() or os.path.samestat(status, os.stat(os.devnull)))
