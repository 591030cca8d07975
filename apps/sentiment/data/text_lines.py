"""Lines of text from files and streams, as they arrive. A line takes no more memory than its limit."""

import codecs
import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import BinaryIO

from ...common.errors import AppError, Skipped
from ...common.input_streams import UTF8
from ...common.limits import MIB, limit

MOST_LEFT_OUT = 64  # times the limit of a line: a line without an end by then is refused
SAMPLE_OF_ENDS = 1 << 16  # bytes at the beginning that show what ends a line
NOT_UTF8 = "bytes that are not UTF-8"
TRY_ENCODING = "if the texts are not UTF-8, give their encoding with --encoding, for example cp1252 or utf-16"
NO_KEY = "no key"
NO_LABEL = "no label"
SEPARATOR_LINE = re.compile(rb'"?sep=[,;|\t]?"?\r?')  # above a table of Excel, for Excel
HALF = "half of a surrogate pair, such as \\ud83d alone"
NUL = "NUL characters (is it text, and in UTF-8?)"


class _CutLine(bytes):
    """The beginning of a line that is longer than the limit."""


def max_line() -> int:
    """Return how many bytes a line of text, or a file of a folder, may have."""
    return limit("FASTSVM_MAX_LINE_MIB") * MIB


def too_long(limit: int) -> str:
    """Return the problem of a text of more bytes than `limit`."""
    return f"longer than {limit // MIB:,} MiB (see FASTSVM_MAX_LINE_MIB)"


class Lines:
    """The lines of a stream with their numbers, as they arrive, without line ends and a byte order mark.

    A line of more than `limit` bytes is left out, or truncated, and counted in `skipped`. At most `size`
    bytes are read at once. Bytes that are not UTF-8 become lone surrogates.
    """

    def __init__(
        self, stream: BinaryIO, skipped: Skipped, limit: int, size: int = 1 << 16, *, truncates: bool = False
    ) -> None:
        self._arriving = _arriving_lines(stream, skipped.source, limit, size)
        self._skipped, self._limit, self._truncates = skipped, limit, truncates
        self._waiting: deque[str | None] = deque()  # None: a line that is left out
        self._number = 0  # of the last line that was taken
        self._is_first = True

    def __iter__(self) -> Iterator[tuple[int, str]]:
        return self

    def __next__(self) -> tuple[int, str]:
        while True:
            if not self._waiting:
                self._fetch_lines()
            self._number += 1
            if (line := self._waiting.popleft()) is not None:
                return self._number, line

    @property
    def are_waiting(self) -> bool:
        """Whether lines have arrived; otherwise the next one may take a while."""
        return bool(self._waiting)

    def arriving(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the lines that have arrived, up to one that is left out, with the number of the first."""
        for number, line in self:
            lines = [line]
            while self._waiting and self._waiting[0] is not None:
                lines.append(self._waiting.popleft())
            self._number += len(lines) - 1
            yield number, lines

    def give_back(self, lines: Sequence[tuple[int, str]]) -> None:
        """Put back the last lines that were taken, with their numbers."""
        for number, line in reversed(lines):
            self._waiting.extendleft([None] * (self._number - number))
            self._waiting.appendleft(line)
            self._number = number - 1

    def _fetch_lines(self) -> None:
        lines = next(self._arriving)
        is_cut = isinstance(lines[0], _CutLine)  # it began before the others came
        if self._is_first:
            self._is_first = False
            lines[0] = lines[0].removeprefix(codecs.BOM_UTF8)
            if not self._truncates and SEPARATOR_LINE.fullmatch(lines[0]):
                self._waiting.append(None)
                lines = lines[1:]
        if is_cut:
            self._skipped.add(self._number + 1, too_long(self._limit))
        if is_cut and self._truncates:
            text, _ = codecs.utf_8_decode(lines[0], "replace", False)  # no part of a character
            lines[0] = text.replace("\0", "\ufffd").encode()
        elif is_cut:
            self._waiting.append(None)
            del lines[0]
        if lines:
            text = b"\n".join(lines).decode(UTF8, "surrogateescape")
            lines = text.split("\n")
            self._waiting.extend([line.rstrip("\r") for line in lines] if "\r" in text else lines)


def arriving_texts(stream: BinaryIO, skipped: Skipped, limit: int, size: int) -> Iterator[list[str]]:
    """Yield lists of lines as they arrive: at most `size` bytes at once, without waiting to fill a list.

    Every line keeps its place. Bytes that are not UTF-8 and NUL characters are replaced, a line of more than
    `limit` bytes is truncated, and such lines are counted in `skipped`.
    """
    for first, texts in Lines(stream, skipped, limit, size, truncates=True).arriving():
        yield [mended_text(n, text, skipped, "surrogateescape") for n, text in enumerate(texts, first)]


def is_decoded(decoded: str) -> bool:
    """Return whether all bytes were UTF-8: errors="surrogateescape" turns others into lone surrogates."""
    if decoded.isascii():
        return True
    try:
        decoded.encode()  # faster than to search
    except UnicodeEncodeError:
        return False
    return True


def character_problem(text: str) -> str:
    """Return what is wrong with the characters of a text, or an empty string.

    Lone surrogates come from bytes that were not decoded, or from escapes in JSON.
    """
    if text.isascii() or is_decoded(text):
        return NUL if "\0" in text else ""
    return NOT_UTF8 if re.search("[\udc80-\udcff]", text) else HALF


def mended_text(where: int | str, text: str, skipped: Skipped, surrogates: str = "surrogatepass") -> str:
    """Replace characters that no text has, and count such a text; `surrogates` encodes lone surrogates."""
    problem = character_problem(text)
    if not problem:
        return text
    skipped.add(where, problem)
    skipped.hint = TRY_ENCODING if problem == NOT_UTF8 else skipped.hint
    if problem != NUL:
        text = text.encode("utf-8", surrogates).decode("utf-8", "replace")
    return text.replace("\0", "\ufffd")


def _arriving_lines(stream: BinaryIO, name: str, limit: int, size: int) -> Iterator[list[bytes]]:
    """Yield lists of lines, each truncated to `limit` bytes.

    Lines end with a line feed, which is removed; a carriage return before it stays. If the beginning has
    carriage returns and no line feed, carriage returns end the lines.
    """
    chunks = iter(lambda: stream.read1(size), b"")
    head = bytearray()
    for chunk in chunks:
        head += chunk
        if b"\n" in chunk or len(head) >= SAMPLE_OF_ENDS:
            break
    by_returns = b"\r" in head and b"\n" not in head
    chunks = chain([head], chunks)
    number, line, left_out = 1, bytearray(), 0  # an unfinished line, and bytes of it beyond `limit`
    for chunk in _with_line_feeds(chunks) if by_returns else chunks:
        first, *others = chunk.split(b"\n")
        room = limit - len(line)
        line += first[:room]  # in place, so that the pieces of a long line are not copied again
        left_out += max(0, len(first) - room)
        if left_out > MOST_LEFT_OUT * limit:
            most = (MOST_LEFT_OUT + 1) * limit // MIB
            raise AppError(f"{name}, line {number:,}: has no end within {most:,} MiB; is it text?")
        if others:
            *whole, last = others
            number += len(others)
            yield [_CutLine(line) if left_out else line, *whole]
            line, left_out = bytearray(last[:limit]), max(0, len(last) - limit)
    if line:
        yield [_CutLine(line) if left_out else line]


def _with_line_feeds(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Replace each carriage return, alone or before a line feed, by a line feed."""
    after_return = False
    for chunk in chunks:
        if after_return:
            chunk = chunk.removeprefix(b"\n")
        after_return = chunk.endswith(b"\r")
        yield chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
