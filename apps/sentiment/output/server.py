"""A model served over HTTP: texts in, labels out, as JSON. All of it in one thread but the predictions.

Requests that wait while others are predicted are predicted together: a batch of 64 short texts takes as long
as one. What is held for clients is limited, in bytes and in time.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from textwrap import shorten
from typing import NamedTuple

from ...common.errors import AppError
from ..measures import prediction
from .asked import asked_for
from .http import Refusal, Request, RequestReader, response

MIB = 1 << 20  # bytes
MAX_HELD = 64 * MIB  # of requests that are not answered, over all connections
READ_AHEAD = 1 << 16  # bytes that are read while the connection's last request is being answered
BATCH_TEXTS = 1024  # that are predicted at once
BATCH_CHARACTERS = 1 << 20
SWEEP = 0.25  # seconds between looks for those whose time is over
GRACE = 0.5  # seconds in which a request that is on its way when the server stops is still taken
LINGER = 2.0  # seconds for which a refused client may go on sending, so that it reads why
TURNED_AWAY = 64  # clients above the limit who are told so
IDLE = 60.0  # seconds for which a connection is kept without a request

HOW_TO = """\
{name}, a model with the labels {labels}.

  curl {url}predict -d '{{"text": "not a dull minute in it"}}'
  curl {url}predict -d '["one text", "another"]'
  curl {url}health

A text is answered by an object with label, score and, where the model has them, probabilities;
a list, or {{"texts": [...]}}, by a list of these. Up to {max_texts:,} texts and {max_body:,} bytes at once.
"""


class Limits(NamedTuple):
    """What a client may ask for: bytes of a body, texts in it, seconds to send it; and how many may."""

    max_body: int = MIB
    max_texts: int = 1000
    timeout: float = 10.0
    max_connections: int = 512


class _Job(NamedTuple):
    texts: list[str]
    one: bool  # a text, not a list
    connection: _Connection


class Service:
    """What all connections have in common: the model, the batches, the limits and the end.

    Parameters
    ----------
    model : TextScorer or Pipeline
    name : str
        What the model is called.
    limits : Limits
    """

    def __init__(self, model, name: str, limits: Limits = Limits()) -> None:  # noqa: B008 (never changed)
        self.limits, self.name, self.url = limits, name, "http://.../"
        self.labels = [str(label) for label in model.classes_.tolist()]
        self.connections: set[_Connection] = set()
        self.held = 0  # bytes
        self.n_answered = self.n_refused = 0
        self.is_stopping = False
        self._model = model
        self._has_probabilities = hasattr(model, "predict_proba")
        self._waiting: deque[_Job] = deque()
        self._is_busy = False
        self._thread = ThreadPoolExecutor(1, "predict")
        self._ended: asyncio.Future | None = None
        self._was_interrupted = False

    async def run(self, host: str, port: int, started: Callable[[list[str]], object]) -> bool:
        """Serve until `stop` is called; `started` gets the addresses. Tell whether all were answered."""
        self._loop = asyncio.get_running_loop()
        self._ended = self._loop.create_future()
        self._listener = await self._loop.create_server(lambda: _Connection(self), host, port, backlog=1024)
        urls = [_url(socket.getsockname()) for socket in self._listener.sockets]
        self.url = urls[0]
        started(urls)
        self._sweep()
        try:
            await self._ended
        finally:
            self._thread.shutdown(wait=not self._was_interrupted)
        return not self._was_interrupted

    def stop(self) -> None:
        """Take no more connections, answer what has begun, and end; at once when called again."""
        if self.is_stopping:
            self._was_interrupted = True
            for connection in list(self.connections):
                connection.transport.abort()
            self._end()
            return
        self.is_stopping = True
        self._listener.close()
        for connection in self.connections:
            connection.begin_to_stop()
        if not self.connections:
            self._end()

    def forget(self, connection: _Connection) -> None:
        """Leave a connection that is closed."""
        self.connections.discard(connection)
        if self.is_stopping and not self.connections:
            self._end()

    def _end(self) -> None:
        if not self._ended.done():
            self._ended.set_result(None)

    def _sweep(self) -> None:
        now = self._loop.time()
        for connection in [one for one in self.connections if one.deadline < now]:
            connection.time_is_over()
        if not self._ended.done():
            self._loop.call_later(SWEEP, self._sweep)

    # Predictions

    def submit(self, job: _Job) -> None:
        """Predict texts with whatever else is waiting."""
        self._waiting.append(job)
        if not self._is_busy:
            self._is_busy = True
            self._loop.call_soon(self._predict)  # others may have arrived at the same time

    def _predict(self) -> None:
        jobs, n_texts, n_characters = [], 0, 0
        while self._waiting and n_texts < BATCH_TEXTS and n_characters < BATCH_CHARACTERS:
            job = self._waiting.popleft()
            if not job.connection.is_closed:
                jobs.append(job)
                n_texts += len(job.texts)
                n_characters += sum(map(len, job.texts))
        self._is_busy = bool(jobs)
        if jobs:
            future = self._loop.run_in_executor(self._thread, self._answers, jobs)
            future.add_done_callback(lambda done: self._deliver(jobs, done))

    def _deliver(self, jobs: list[_Job], done: asyncio.Future) -> None:
        if done.cancelled():
            return
        for job, answer in zip(jobs, done.result(), strict=True):
            job.connection.answer(*answer)
        self._predict()

    def _answers(self, jobs: list[_Job]) -> list[tuple[HTTPStatus, bytes]]:
        """Predict the texts of some requests together; where that fails, find out whose fault it is."""
        try:
            records = self._records([text for job in jobs for text in job.texts])
        except Exception as error:
            if len(jobs) > 1:
                return [answer for job in jobs for answer in self._answers([job])]
            why = (
                error.format_message() if isinstance(error, AppError) else f"{type(error).__name__}: {error}"
            )
            return [(HTTPStatus.INTERNAL_SERVER_ERROR, _error(why))]
        answers, start = [], 0
        for job in jobs:
            own = records[start : start + len(job.texts)]
            start += len(job.texts)
            answers.append((HTTPStatus.OK, own[0] if job.one else f"[{','.join(own)}]"))
        return [(status, f"{content}\n".encode()) for status, content in answers]

    def _records(self, texts: list[str]) -> list[str]:
        found = prediction.classify(self._model, texts, proba=self._has_probabilities)
        names = [json.dumps(label) for label in self.labels]
        if found.probabilities is None:
            return [
                f'{{"label": {names[winner]}, "score": {score!r}}}'
                for winner, score in zip(found.winners.tolist(), found.scores.tolist(), strict=True)
            ]
        records = []
        for winner, score, row in zip(
            found.winners.tolist(), found.scores.tolist(), found.probabilities.tolist(), strict=True
        ):
            probabilities = ", ".join(f"{name}: {p!r}" for name, p in zip(names, row, strict=True))
            records.append(
                f'{{"label": {names[winner]}, "score": {score!r}, "probabilities": {{{probabilities}}}}}'
            )
        return records


class _Connection(asyncio.Protocol):
    """One client. It is answered in the order of its requests, one after the other."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._reader = RequestReader(service.limits.max_body)
        self._request: Request | None = None  # the one that is being answered
        self._held = 0
        self._has_ended = self._is_refused = self._is_paused = False
        self._cannot_write = False
        self.is_closed = False

    # What the event loop calls

    def connection_made(self, transport) -> None:
        """Greet a client, or turn it away where there are too many."""
        self.transport = transport
        self._now = asyncio.get_running_loop().time
        self.deadline = self._now() + IDLE
        self._service.connections.add(self)
        too_many = len(self._service.connections) - self._service.limits.max_connections
        if too_many > TURNED_AWAY:
            transport.abort()
        elif too_many > 0:
            self._refuse(_busy("too many connections"))

    def connection_lost(self, error) -> None:
        """Forget a client that has gone."""
        self.is_closed = True
        self._hold(0)
        self._service.forget(self)

    def data_received(self, data: bytes) -> None:
        """Take what has arrived."""
        if self._is_refused:
            return
        was_idle = self._reader.is_idle
        self._reader.feed(data)
        if self._request is not None or self._cannot_write:
            self._hold(self._reader.size + len(self._request.body if self._request else b""))
            if self._reader.size > READ_AHEAD and not self._is_paused:
                self._is_paused = True
                self.transport.pause_reading()
            return
        if was_idle:
            self.deadline = self._now() + self._service.limits.timeout
        self._go_on()

    def eof_received(self) -> bool:
        """Note that nothing more comes; the client may still wait for an answer."""
        self._has_ended = True
        if self._is_refused:
            self._close()
        else:
            self._go_on()
        return True

    def pause_writing(self) -> None:
        """Wait for a client that does not read its answers."""
        self._cannot_write = True
        self.deadline = self._now() + self._service.limits.timeout

    def resume_writing(self) -> None:
        """Go on with a client that reads again."""
        self._cannot_write = False
        if self._request is None:
            self._wait()
            self._go_on()

    # What the service calls

    def begin_to_stop(self) -> None:
        """Prepare for the end: what has begun is answered, and what is on its way."""
        if self._request is None and self._reader.is_idle and not self._is_refused:
            self.deadline = self._now() + GRACE

    def time_is_over(self) -> None:
        """Close what is idle, refuse what is slow."""
        if self._cannot_write or self._is_refused or self.transport.is_closing():
            self.transport.abort()
        elif self._reader.is_idle:
            self._close()
        else:
            timeout = self._service.limits.timeout
            why = f"the request was not complete after {timeout:g} seconds"
            self._refuse(Refusal(HTTPStatus.REQUEST_TIMEOUT, why))

    def answer(
        self, status: HTTPStatus, content: bytes, media_type: str = "application/json", **headers: str
    ) -> None:
        """Answer the request, and go on with the next."""
        if self.is_closed or self.transport.is_closing():
            return
        request, self._request = self._request, None
        close = request.close or ((self._service.is_stopping or self._has_ended) and self._reader.is_idle)
        if close:
            headers["connection"] = "close"
        elif request.version == (1, 0):
            headers["connection"] = "keep-alive"
        self._write(status, content, media_type, headers, request.method == "HEAD")
        if close:
            self._close()
        elif not self._cannot_write:
            self._wait()
            asyncio.get_running_loop().call_soon(self._go_on)  # pipelined requests are no recursion

    # What it does itself

    def _wait(self) -> None:
        """Give the next request its time."""
        idle = GRACE if self._service.is_stopping else IDLE
        self.deadline = self._now() + (idle if self._reader.is_idle else self._service.limits.timeout)

    def _go_on(self) -> None:
        """Answer the next request if all of it is here."""
        if self.is_closed or self._is_refused or self._request is not None or self._cannot_write:
            return
        try:
            request = self._reader.next()
            if request is not None:
                self._hold(len(request.body) + self._reader.size)
                self._begin(request)
                return
            self._hold(self._reader.size)
            if self._service.held > MAX_HELD:
                raise _busy("too many texts are waiting")
        except Refusal as refusal:
            self._refuse(refusal)
            return
        if self._reader.waits_for_continue:
            self._reader.waits_for_continue = False
            self.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        if self._has_ended:
            self._close()
        elif self._is_paused:
            self._is_paused = False
            self.transport.resume_reading()

    def _begin(self, request: Request) -> None:
        self._request, self.deadline = request, float("inf")
        service = self._service
        path = request.target.partition("?")[0]
        allowed = {"/": "GET", "/health": "GET", "/predict": "POST"}.get(path)
        method = "GET" if request.method == "HEAD" else request.method
        try:
            if allowed is None:
                raise Refusal(HTTPStatus.NOT_FOUND, f"nothing is at {path[:80]!r}; see GET /")
            if method != allowed:
                raise Refusal(HTTPStatus.METHOD_NOT_ALLOWED, f"{path} takes {allowed}", allow=allowed)
            if path == "/predict":
                texts, one = asked_for(request.body, service.limits.max_texts)
                if texts:
                    service.submit(_Job(texts, one, self))
                else:
                    self.answer(HTTPStatus.OK, b"[]\n")
            elif path == "/health":
                self._answer_health()
            else:
                limits = service.limits._asdict()
                labels = shorten(", ".join(service.labels), 400, placeholder=" ...")
                page = HOW_TO.format(name=service.name, labels=labels, url=service.url, **limits)
                self.answer(HTTPStatus.OK, page.encode(), "text/plain; charset=utf-8")
        except Refusal as refusal:  # the next request can still be read
            self.answer(refusal.status, _error(refusal.why).encode(), **refusal.headers)

    def _answer_health(self) -> None:
        service = self._service
        record = {
            "status": "stopping" if service.is_stopping else "ok",
            "model": service.name,
            "labels": service.labels,
            "answered": service.n_answered,
            "connections": len(service.connections),
        }
        status = HTTPStatus.SERVICE_UNAVAILABLE if service.is_stopping else HTTPStatus.OK
        self.answer(status, f"{json.dumps(record)}\n".encode())

    def _refuse(self, refusal: Refusal) -> None:
        """Say why, and read no more."""
        self._is_refused = True
        self._reader = RequestReader(0)
        self._hold(0)
        content = _error(refusal.why).encode()
        self._write(refusal.status, content, "application/json", {**refusal.headers, "connection": "close"})
        if self._has_ended:
            self._close()
            return
        # To close at once would drop what the client has not read yet, if it is still sending.
        self.deadline = self._now() + LINGER
        self.transport.write_eof()
        if self._is_paused:
            self._is_paused = False
            self.transport.resume_reading()

    def _close(self) -> None:
        """Close once all is written; the client has its time to read it."""
        self.deadline = self._now() + self._service.limits.timeout
        self.transport.close()

    def _write(self, status, content: bytes, media_type: str, headers: dict, without_body=False) -> None:
        if status is HTTPStatus.OK:
            self._service.n_answered += 1
        else:
            self._service.n_refused += 1
        now = int(time.time())
        self.transport.write(
            response(status, content, media_type, now=now, headers=headers, without_body=without_body)
        )

    def _hold(self, size: int) -> None:
        self._service.held += size - self._held
        self._held = size


def _busy(why: str) -> Refusal:
    return Refusal(HTTPStatus.SERVICE_UNAVAILABLE, f"{why}; try again later", retry_after="1")


def _error(why: str) -> str:
    return json.dumps({"error": why}) + "\n"


def _url(address: tuple) -> str:
    host = f"[{address[0]}]" if ":" in address[0] else address[0]
    return f"http://{host}:{address[1]}/"
