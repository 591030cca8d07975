"""HTTP/1.1 requests from bytes as they arrive, and answers to bytes; nothing here reads or writes a socket.

What is read is the part of RFC 9112 that clients send: a request line, headers, and a body with a length or
in chunks. What could be read in two ways is refused, since a proxy in front may read it the other way.
"""

import re
from email.utils import formatdate
from functools import lru_cache
from http import HTTPStatus
from typing import NamedTuple

MAX_HEAD = 1 << 14  # bytes of the request line and all headers; also of what follows the last chunk
MAX_HEADERS = 100
MAX_SIZE_LINE = 256  # bytes before a chunk

_REQUEST_LINE = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+) (\S+) HTTP/(\d)\.(\d)")
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_SIZE = re.compile(rb"([0-9A-Fa-f]{1,8})[ \t]*(;.*)?")


class Request(NamedTuple):
    """A whole request; `close` tells whether its connection ends with the answer."""

    method: str
    target: str
    body: bytes
    close: bool
    version: tuple[int, int]


class Refusal(Exception):
    """What cannot be answered as it was asked: the status and a sentence that says why."""

    def __init__(self, status: HTTPStatus, why: str, **headers: str) -> None:
        super().__init__(why)
        self.status, self.why, self.headers = status, why, headers


class RequestReader:
    """Cuts what arrives on one connection into requests.

    Parameters
    ----------
    max_body : int
        Bytes.
    """

    def __init__(self, max_body: int) -> None:
        self.max_body = max_body
        self.waits_for_continue = False  # the client sends the body once it is told to
        self._buffer = bytearray()
        self._head: tuple | None = None  # of the request whose body is being read
        self._length: int | None = 0  # of its body; None where it comes in chunks
        self._body = bytearray()  # of chunks, as far as they are here
        self._trailer = False  # the last chunk is read

    def feed(self, data: bytes) -> None:
        """Take more bytes."""
        self._buffer += data

    @property
    def size(self) -> int:
        """Bytes that are held."""
        return len(self._buffer) + len(self._body)

    @property
    def is_idle(self) -> bool:
        """Whether no request has begun."""
        return not self._buffer and self._head is None

    def next(self) -> Request | None:
        """Return the next request, or None until more has arrived.

        Raises
        ------
        Refusal
            Nothing more can be read from this connection then.
        """
        if self._head is None and not self._read_head():
            return None
        body = self._chunks() if self._length is None else self._counted()
        if body is None:
            return None
        (method, target, close, version), self._head = self._head, None
        self.waits_for_continue = False
        return Request(method, target, body, close, version)

    def _read_head(self) -> bool:
        buffer = self._buffer
        while buffer[:2] == b"\r\n":  # some clients end a body with a line end too many
            del buffer[:2]
        end = buffer.find(b"\r\n\r\n", 0, MAX_HEAD)
        first = buffer.find(b"\n", 0, MAX_HEAD)
        if first >= 0 and buffer[first - 1 : first] != b"\r":
            raise Refusal(HTTPStatus.BAD_REQUEST, "a line of the head ends without a carriage return")
        if end < 0:
            if len(buffer) >= MAX_HEAD:
                raise Refusal(
                    HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
                    f"the head has more than {MAX_HEAD:,} bytes",
                )
            return False
        line, *lines = buffer[:end].decode("latin-1").split("\r\n")
        del buffer[: end + 4]
        self._head, self._length, expects = _parsed_head(line, lines)
        if self._length is not None and self._length > self.max_body:
            raise self._too_large()
        self.waits_for_continue = expects and self._length != 0
        return True

    def _counted(self) -> bytes | None:
        if len(self._buffer) < self._length:
            return None
        body = bytes(self._buffer[: self._length])
        del self._buffer[: self._length]
        return body

    def _chunks(self) -> bytes | None:
        buffer = self._buffer
        while not self._trailer:
            end = buffer.find(b"\r\n", 0, MAX_SIZE_LINE)
            if end < 0:
                if len(buffer) >= MAX_SIZE_LINE:
                    raise Refusal(HTTPStatus.BAD_REQUEST, "a chunk does not begin with its size")
                return None
            size = _SIZE.fullmatch(buffer, 0, end)
            if not size:
                raise Refusal(HTTPStatus.BAD_REQUEST, "a chunk does not begin with its size")
            length = int(size[1], 16)
            del size  # which holds the buffer
            if len(self._body) + length > self.max_body:
                raise self._too_large()
            if length:
                if len(buffer) < end + length + 4:
                    return None
                if buffer[end + 2 + length : end + length + 4] != b"\r\n":
                    raise Refusal(HTTPStatus.BAD_REQUEST, "a chunk is longer than its size")
                self._body += buffer[end + 2 : end + 2 + length]
                del buffer[: end + length + 4]
            else:
                del buffer[:end]  # a trailer ends like a head
                self._trailer = True
        end = buffer.find(b"\r\n\r\n", 0, MAX_HEAD)
        if end < 0:
            if len(buffer) >= MAX_HEAD:
                raise Refusal(
                    HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, f"a trailer of more than {MAX_HEAD:,} bytes"
                )
            return None
        del buffer[: end + 4]
        body, self._body, self._trailer = bytes(self._body), bytearray(), False
        return body

    def _too_large(self) -> Refusal:
        return Refusal(
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
            f"the body has more than {self.max_body:,} bytes; send fewer texts at once",
        )


def _parsed_head(line: str, lines: list[str]) -> tuple[tuple, int | None, bool]:
    """Return method, target, whether to close and the version; the length of the body; what is expected."""
    found = _REQUEST_LINE.fullmatch(line)
    if not found:
        raise Refusal(HTTPStatus.BAD_REQUEST, f"{line[:80]!r} is no request line")
    version = int(found[3]), int(found[4])
    if version[0] != 1:
        raise Refusal(HTTPStatus.HTTP_VERSION_NOT_SUPPORTED, "only HTTP/1.1 and HTTP/1.0 are spoken here")
    if len(lines) > MAX_HEADERS:
        raise Refusal(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, f"more than {MAX_HEADERS} headers")
    headers: dict[str, str] = {}
    for header in lines:
        name, colon, value = header.partition(":")
        if not colon or not _NAME.fullmatch(name) or "\r" in value or "\n" in value or "\0" in value:
            raise Refusal(HTTPStatus.BAD_REQUEST, f"{header[:80]!r} is no header")
        name = name.lower()
        value = value.strip(" \t")
        headers[name] = f"{headers[name]},{value}" if name in headers else value
    if version >= (1, 1) and "host" not in headers:
        raise Refusal(HTTPStatus.BAD_REQUEST, "the header Host is missing")
    expected = headers.get("expect", "").lower()
    if expected not in ("", "100-continue"):
        raise Refusal(HTTPStatus.EXPECTATION_FAILED, f"cannot fulfil {expected[:80]!r}")
    options = headers.get("connection", "").lower()
    close = "close" in options or (version == (1, 0) and "keep-alive" not in options)
    length = _length(headers, found[1])
    return (found[1], found[2], close, version), length, bool(expected)


def _length(headers: dict[str, str], method: str) -> int | None:
    """Return how long the body is; None of chunks."""
    coding = headers.get("transfer-encoding")
    length = headers.get("content-length")
    if coding is not None:
        if length is not None:
            raise Refusal(HTTPStatus.BAD_REQUEST, "Content-Length and Transfer-Encoding are both given")
        if coding.lower() != "chunked":
            raise Refusal(HTTPStatus.NOT_IMPLEMENTED, f"cannot read the transfer coding {coding[:80]!r}")
        return None
    if length is None:
        if method in ("POST", "PUT", "PATCH"):
            raise Refusal(HTTPStatus.LENGTH_REQUIRED, "the header Content-Length is missing")
        return 0
    if not re.fullmatch(r"[0-9]{1,18}", length):
        raise Refusal(HTTPStatus.BAD_REQUEST, f"{length[:80]!r} is no Content-Length")
    return int(length)


def response(
    status: HTTPStatus,
    content: bytes,
    media_type: str = "application/json",
    *,
    now: int,
    headers: dict[str, str] | None = None,
    without_body: bool = False,
) -> bytes:
    """Return an answer as bytes; `now` is the time in seconds, `without_body` is for HEAD."""
    head = f"{_fixed(status, media_type, now)}Content-Length: {len(content)}\r\n"
    for name, value in (headers or {}).items():
        head += f"{name.replace('_', '-').title()}: {value}\r\n"
    return f"{head}\r\n".encode("latin-1") + (b"" if without_body else content)


@lru_cache(maxsize=16)
def _fixed(status: HTTPStatus, media_type: str, now: int) -> str:
    """Return the lines that are the same for all answers of a second."""
    return (
        f"HTTP/1.1 {status.value} {status.phrase}\r\nDate: {formatdate(now, usegmt=True)}\r\n"
        f"Content-Type: {media_type}\r\nX-Content-Type-Options: nosniff\r\n"
    )
