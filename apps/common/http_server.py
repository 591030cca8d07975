"""HTTP servers on uvicorn: limits on time and connections, and a graceful stop."""

from __future__ import annotations

import asyncio
import json
import logging
import socket
from collections.abc import Callable
from ipaddress import ip_address

import httptools
from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from uvicorn import Config, Server
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from .errors import AppError

IDLE = 60.0  # seconds for which a connection without a request stays open
MAX_HEAD = 1 << 16  # bytes of the head of a request, of a line between chunks, and of all trailers
GRACE = 0.5  # seconds in which a stopping server still takes requests from open connections


def bind(host: str, port: int) -> tuple[socket.socket, str]:
    """Return a socket that listens at an address, and its URL.

    Raises
    ------
    AppError
        If the address does not exist or is in use.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, protocol)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
            listener.listen(1024)
        except OSError:
            listener.close()
            raise
    except (OSError, UnicodeError) as error:
        why = getattr(error, "strerror", None) or error
        raise AppError(f"{host}:{port}: cannot listen there ({why}); try another port or host") from error
    host, port = listener.getsockname()[:2]
    return listener, f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def own_addresses(host: str, url: str) -> set[str]:
    """Return the addresses that a server answers to; an empty set, for all, if other computers may ask.

    This prevents DNS rebinding: a foreign page whose name leads here would read with its visitor's rights.

    Parameters
    ----------
    host : str
        The host that `bind` was given.
    url : str
        What `bind` returned.
    """
    bound, port = url.removeprefix("http://").rstrip("/").rsplit(":", 1)
    address = ip_address(bound.strip("[]"))
    if address.is_unspecified:
        return set()
    names = {host.lower(), bound, *(("localhost", "127.0.0.1", "[::1]") if address.is_loopback else ())}
    return {f"http://{name}{end}" for name in names for end in (f":{port}", *[""] * (port == "80"))}


class GracefulServer(Server):
    """A server that answers all requests after the first signal, and stops at once after the second.

    Parameters
    ----------
    app : callable
        An ASGI application.
    own : set of str
        Its addresses, from `own_addresses`. Requests to others, and from pages of others, are refused.
    timeout : float
        Seconds that a client has to send the head of a request, and to read an answer.
    max_connections : int
        Further connections are refused with status 503.
    started : callable, optional
        Called without arguments when the server accepts requests.
    """

    def __init__(
        self,
        app: Callable,
        own: set[str],
        *,
        timeout: float = 10.0,
        max_connections: int = 512,
        started: Callable[[], object] = lambda: None,
    ) -> None:
        logging.getLogger("uvicorn.error").setLevel(logging.ERROR)  # not each malformed request
        super().__init__(
            Config(
                self._closing_at_the_end,
                http=type("_Limited", (_Protocol,), {"timeout": timeout, "most": max_connections}),
                ws="none",
                loop="asyncio",
                interface="asgi3",
                proxy_headers=False,
                lifespan="off",
                access_log=False,
                log_config=None,
                server_header=False,
                headers=[("X-Content-Type-Options", "nosniff")],
                timeout_keep_alive=IDLE,
            )
        )
        self._app, self._own, self._on_start = app, own, started
        self.is_stopping = False

    async def _closing_at_the_end(self, scope, receive, send) -> None:
        """Run the application; while the server stops, each answer announces the end of its connection."""

        async def announced(message) -> None:
            if self.is_stopping and message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), (b"connection", b"close")]
            await send(message)

        headers = Headers(scope=scope)
        asked = [f"http://{host.lower()}" for host in headers.getlist("host")] + headers.getlist("origin")
        if self._own and not self._own.issuperset(asked):
            why = "the host or origin is not the server's own; use the address that the server printed"
            await JSONResponse({"error": why}, 403)(scope, receive, announced)
        else:
            await self._app(scope, receive, announced)

    async def startup(self, sockets=None) -> None:
        """Accept requests."""
        await super().startup(sockets)
        self._on_start()

    async def shutdown(self, sockets=None) -> None:
        """Stop listening, answer the requests that have begun, and close their connections."""
        self.is_stopping = True
        for listener in (*self.servers, *(sockets or ())):
            listener.close()
        ending = asyncio.get_running_loop().time() + GRACE
        while self.server_state.connections and asyncio.get_running_loop().time() < ending:
            await asyncio.sleep(0.02)
        await super().shutdown(sockets)

    def handle_exit(self, sig, frame) -> None:
        """Stop; at the second signal drop all connections."""
        if self.should_exit:
            self.force_exit = True
            for connection in list(self.server_state.connections):
                connection.transport.abort()
        self.should_exit = True


class _Protocol(HttpToolsProtocol):
    """uvicorn's protocol with limits on connections and on the time for a head and for reading an answer.

    The parser gets one request at a time, and the next one after the answer, so that many requests in one
    packet take little memory.
    """

    timeout: float
    most: int  # connections

    def connection_made(self, transport) -> None:
        super().connection_made(_Joined(transport, self.loop))
        self.flow = _Flow(self)
        self.is_busy = False  # a whole request waits for its answer
        self._received = bytearray()  # not parsed yet
        self._overhead = 0  # bytes since the last ones of a body
        self._body_left = 0  # bytes, where a length was declared
        self._in_head = True
        self._late_head = self._late_reader = None  # timers
        self.timeout_keep_alive_task = self.loop.call_later(IDLE, self.timeout_keep_alive_handler)
        if len(self.connections) > self.most:
            self._refuse_request("503 Service Unavailable", "too many connections; try again later")

    def connection_lost(self, error) -> None:
        for timer in self._late_head, self._late_reader:
            if timer is not None:
                timer.cancel()
        self._unset_keepalive_if_required()
        super().connection_lost(error)

    # Requests

    def data_received(self, data) -> None:
        self._received += data
        self._parse_received()

    def _parse_received(self) -> None:
        while self._received and not self.is_busy:
            size = self._body_left or self._received.find(b"\n") + 1
            if not size and self._in_head and len(self._received) < MAX_HEAD:
                break  # until the line is complete
            part = bytes(self._received[: size or len(self._received)])
            del self._received[: len(part)]
            self._body_left -= min(self._body_left, len(part))
            self._overhead += len(part)
            if self._in_head and part[:8].lower() == b"upgrade:":
                part = b"X-" + part  # no other protocol is spoken here: the parser need not stop
            try:
                self.parser.feed_data(part)
                if self._overhead > MAX_HEAD:
                    raise httptools.HttpParserError
            except (httptools.HttpParserError, httptools.HttpParserUpgrade):
                self._received.clear()
                self.send_400_response("this is not an HTTP request, or it is ambiguous or too long")
                return
        if self.is_busy:
            self.flow.pause_reading()
        elif self._in_head and (self._received or self._overhead) and self._late_head is None:
            self._unset_keepalive_if_required()
            self._late_head = self.loop.call_later(self.timeout, self._refuse_late_head)

    def on_headers_complete(self) -> None:
        names = [name for name, _ in self.headers]
        hosts, version = names.count(b"host"), self.parser.get_http_version()
        is_plain_old = version == "1.0" and hosts < 2 and b"transfer-encoding" not in names
        if not is_plain_old and (version, hosts) != ("1.1", 1):
            raise ValueError("ambiguous request")
        if self._late_head is not None:
            self._late_head.cancel()
            self._late_head = None
        self._unset_keepalive_if_required()
        self._in_head = False
        super().on_headers_complete()
        self._body_left = int(dict(self.headers).get(b"content-length", 0))
        self.headers = []  # trailers are no headers

    def on_body(self, body: bytes) -> None:
        self._overhead = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self._in_head, self._overhead = True, 0
        self.is_busy = not self.cycle.response_complete

    def on_response_complete(self) -> None:
        self.is_busy = False
        super().on_response_complete()
        if not self.transport.is_closing():
            self._parse_received()

    # Limits and the end

    def shutdown(self) -> None:
        if self._late_head is None:  # else the request is answered first
            super().shutdown()

    def _refuse_late_head(self) -> None:
        why = f"the request was not complete after {self.timeout:g} seconds"
        self._refuse_request("408 Request Timeout", why)

    def send_400_response(self, msg: str) -> None:
        self._refuse_request("400 Bad Request", msg, "")

    def _refuse_request(self, status: str, why: str, more: str = "Retry-After: 1\r\n") -> None:
        content = json.dumps({"error": why})
        head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(content)}\r\n"
        self.transport.write(f"{head}{more}Connection: close\r\n\r\n{content}".encode())
        self.transport.close()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._late_reader = self.loop.call_later(self.timeout, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._late_reader is not None:
            self._late_reader.cancel()


class _Flow(FlowControl):
    """Reads nothing more while a whole request waits for its answer."""

    def __init__(self, protocol: _Protocol) -> None:
        super().__init__(protocol.transport)
        self._protocol = protocol

    def resume_reading(self) -> None:
        if not self._protocol.is_busy:
            super().resume_reading()


class _Joined:
    """A transport that sends what is written in one step of a task, such as a head and a body, together."""

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport, self._loop = transport, loop
        self._parts: list[bytes] = []

    def __getattr__(self, name: str):
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        if not self._parts:
            self._loop.call_soon(self._send_parts)
        self._parts.append(data)

    def _send_parts(self) -> None:
        if self._parts:
            self._transport.write(b"".join(self._parts))
            self._parts.clear()

    def close(self) -> None:
        self._send_parts()
        self._transport.close()
