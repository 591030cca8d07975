"""Gzipped data that may be a bomb: a small file whose content fills the memory."""

import gzip
from typing import BinaryIO

MOST_RATIO = 200  # times its size: gzip packs texts to a third, logs to a tenth, a bomb to a thousandth
UNPACKED_ANYWAY = 1 << 24  # bytes


class ExpansionError(ValueError):
    """Gzipped data that unpacks to far more than its size."""


class UnpackedStream(gzip.GzipFile):
    """Gzipped data; an ExpansionError if it unpacks to more than `most` times its size."""

    def __init__(
        self, stream: BinaryIO, name: str, most: int = MOST_RATIO, advice: str = "unpack it first"
    ) -> None:
        self._packed, self._most, self._advice = _CountedStream(stream), most, advice
        super().__init__(fileobj=self._packed)  # type: ignore[arg-type]  # it has what is used
        self.name = name

    def read(self, size: int | None = -1) -> bytes:
        """Return at most `size` bytes, and fewer only at the end."""
        return self._checked(super().read(size))

    def read1(self, size: int = -1) -> bytes:
        """Return some bytes, as soon as there are any."""
        return self._checked(super().read1(size))

    def _checked(self, chunk: bytes) -> bytes:
        if (n := self.tell()) > UNPACKED_ANYWAY and n > self._most * self._packed.n:
            raise ExpansionError(
                f"{self.name}: gzip data that unpacks to more than {self._most:,} times its size; "
                f"if that is right, {self._advice}"
            )
        return chunk


class _CountedStream:
    """A stream that counts the bytes read from it."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream, self.n = stream, 0

    def read(self, size: int) -> bytes:
        chunk = self._stream.read(size)
        self.n += len(chunk)
        return chunk

    def __getattr__(self, name: str):
        return getattr(self._stream, name)
