"""HTTP servers on uvicorn: limits on time and connections, and a graceful stop."""

from __future__ import annotations

import asyncio
import json
import logging
import socket
from collections.abc import Callable

import h11
from uvicorn import Config, Server
from uvicorn.protocols.http.h11_impl import H11Protocol

from .errors import AppError

IDLE = 60.0  # seconds for which a connection without a request stays open
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


class GracefulServer(Server):
    """A server that ends at the first signal with all requests answered, at the second at once.

    Parameters
    ----------
    app : callable
        An ASGI application.
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
        self._app, self._on_start = app, started
        self.is_stopping = False

    async def _closing_at_the_end(self, scope, receive, send) -> None:
        """Run the application; while the server stops, each answer announces the end of its connection."""

        async def announced(message) -> None:
            if self.is_stopping and message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), (b"connection", b"close")]
            await send(message)

        await self._app(scope, receive, announced)

    async def startup(self, sockets=None) -> None:
        """Accept requests."""
        await super().startup(sockets)
        self._on_start()

    async def shutdown(self, sockets=None) -> None:
        """Close the door, answer the requests that have begun, and close their connections."""
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


class _Protocol(H11Protocol):
    """uvicorn's protocol with limits on connections and on the time for a head and for reading an answer."""

    timeout: float
    most: int  # connections

    def connection_made(self, transport) -> None:
        super().connection_made(transport)
        self._late_head = self._late_reader = None  # timers
        self.timeout_keep_alive_task = self.loop.call_later(IDLE, self.timeout_keep_alive_handler)
        if len(self.connections) > self.most:
            self._refuse("503 Service Unavailable", "too many connections; try again later")

    def connection_lost(self, error) -> None:
        for timer in self._late_head, self._late_reader:
            if timer is not None:
                timer.cancel()
        self._unset_keepalive_if_required()
        super().connection_lost(error)

    def data_received(self, data) -> None:
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE and self._late_head is not None:
            self._late_head.cancel()
            self._late_head = None
        elif self.conn.their_state is h11.IDLE and self._late_head is None:
            self._late_head = self.loop.call_later(self.timeout, self._refuse_late_head)

    def shutdown(self) -> None:
        if self._late_head is None:  # else the request is answered first
            super().shutdown()

    def _refuse_late_head(self) -> None:
        self._refuse("408 Request Timeout", f"the request was not complete after {self.timeout:g} seconds")

    def _refuse(self, status: str, why: str) -> None:
        content = json.dumps({"error": why})
        head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(content)}\r\n"
        self.transport.write(f"{head}Retry-After: 1\r\nConnection: close\r\n\r\n{content}".encode())
        self.transport.close()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._late_reader = self.loop.call_later(self.timeout, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._late_reader is not None:
            self._late_reader.cancel()
