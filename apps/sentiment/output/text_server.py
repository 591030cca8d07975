"""A model served over HTTP: texts in, labels out, as JSON.

Requests that wait during a prediction are predicted together, because a batch of 64 short texts takes as
long as one.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from itertools import islice
from textwrap import shorten
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response

from ...common.errors import AppError
from ...common.http_server import GracefulServer, bind, own_addresses
from ...common.limits import MIB, limit
from ..measures import prediction
from ..measures.drift import TextWatch

MAX_HELD = 64 * MIB  # of bodies that are not answered yet, over all connections
BATCH_TEXTS = 1024  # that are predicted together
BATCH_CHARACTERS = 1 << 20
# Characters that are predicted without a thread, which takes half a millisecond to wake. Meanwhile other
# requests wait: 1 ms for 2**12 characters, 3 ms for 2**14.
AT_ONCE = 1 << 12
TEXTS_WATCHED = 5000  # about this many of the last texts are compared with the held-out texts

HOW_TO = """\
{name}, a model with the labels {labels}.

  curl {url}predict -d '{{"text": "not a dull minute in it"}}'
  curl {url}predict -d '["one text", "another"]'
  curl {url}health

The answer for one text is an object with {what} and, if the model has them, probabilities.
The answer for a list, or for {{"texts": [...]}}, is a list of such objects.
A request may have up to {max_texts:,} texts and {max_body:,} bytes.
"""


# The texts of a request, whether it has one text instead of a list, and the future answer.
Job = tuple[list[str], bool, asyncio.Future]


class Service:
    """Answers to the requests of all clients.

    Parameters
    ----------
    model : TextScorer or Pipeline
    name : str
        The name of the model in answers.
    about : mapping
        What the file of the model says about it.
    """

    def __init__(self, model, name: str, about: Mapping[str, Any]) -> None:
        self.name, self.url = name, "http://.../"
        self.max_body = limit("FASTSVM_SERVE_MAX_BODY_MIB") * MIB
        self.max_texts = limit("FASTSVM_SERVE_MAX_TEXTS")
        self.timeout = limit("FASTSVM_SERVE_TIMEOUT")
        self.labels = [str(label) for label in model.classes_.tolist()]
        self.n_answered = self.n_refused = 0
        self._model, self._watch = model, TextWatch(model, about, TEXTS_WATCHED)
        self._has_probabilities = hasattr(model, "predict_proba")
        self._held = 0  # bytes
        self._waiting: deque[Job] = deque()
        self._is_busy = False
        self._thread = ThreadPoolExecutor(1, "predict")
        self._answers_by_path = {
            "/": ("GET", self._how_to),
            "/health": ("GET", self._answer_health),
            "/predict": ("POST", self._answer_predict),
        }

    def run(self, host: str, port: int, started: Callable[[str], object]) -> bool:
        """Serve until a signal; `started` gets the URL. Return whether all requests were answered."""
        listener, self.url = bind(host, port)
        self._server = GracefulServer(
            self._send_response,
            own_addresses(host, self.url),
            timeout=self.timeout,
            max_connections=limit("FASTSVM_SERVE_MAX_CONNECTIONS"),
            started=lambda: started(self.url),
        )
        self._server.run(sockets=[listener])
        self._thread.shutdown(wait=not self._server.force_exit)
        return not self._server.force_exit

    async def _send_response(self, scope, receive, send) -> None:
        request, path = Request(scope, receive), scope["path"]
        try:
            if path not in self._answers_by_path:
                raise HTTPException(HTTPStatus.NOT_FOUND, f"there is nothing at {path[:80]!r}; see GET /")
            method, answer = self._answers_by_path[path]
            for field in request.query_params:
                told = f"unknown query field {field[:80]!r}; {path} takes none"
                raise HTTPException(HTTPStatus.BAD_REQUEST, told)
            if request.method.replace("HEAD", "GET") != method:
                told = f"{path} needs the method {method}"
                raise HTTPException(HTTPStatus.METHOD_NOT_ALLOWED, told, {"Allow": method})
            response = await answer(request)
        except HTTPException as error:
            response = _json_response(json.dumps({"error": error.detail}), error.status_code, error.headers)
        is_answered = response.status_code == HTTPStatus.OK
        self.n_answered += is_answered
        self.n_refused += not is_answered
        await response(scope, receive, send)

    # Answers

    async def _how_to(self, request: Request) -> Response:
        several = prediction.thresholds_of(self._model) is not None
        what = "labels, the score of the best" if several else "label, score"
        labels = shorten(", ".join(self.labels), 400, placeholder=" ...")
        limits = {"max_texts": self.max_texts, "max_body": self.max_body}
        told = HOW_TO.format(name=self.name, labels=labels, url=self.url, what=what, **limits)
        return PlainTextResponse(told)

    async def _answer_health(self, request: Request) -> Response:
        stopping = self._server.is_stopping
        record = {"status": "stopping" if stopping else "ok", "model": self.name, "labels": self.labels}
        record |= {"answered": self.n_answered, "connections": len(self._server.server_state.connections)}
        record["moved"] = self._watch.record
        status = HTTPStatus.SERVICE_UNAVAILABLE if stopping else HTTPStatus.OK
        return _json_response(json.dumps(record), status)

    async def _answer_predict(self, request: Request) -> Response:
        body = bytearray()
        try:
            await self._read_body(request, body)
            texts, one = texts_of(bytes(body), self.max_texts)
            if not texts:
                return _json_response("[]")
            answer = asyncio.get_running_loop().create_future()
            self._waiting.append((texts, one, answer))
            if not self._is_busy:
                self._is_busy = True
                asyncio.get_running_loop().call_soon(self._start_batch)  # others may arrive at the same time
            status, content = await answer
            return _json_response(content, status)
        finally:
            self._held -= len(body)

    async def _read_body(self, request: Request, body: bytearray) -> None:
        """Append the body of a request to `body`, within the limits."""
        declared = request.headers.get("content-length", "0")
        is_large = int(declared) > self.max_body
        try:
            async with asyncio.timeout(self.timeout):
                if not (is_large and "expect" in request.headers):
                    async for part in request.stream():
                        is_large = is_large or len(body) + len(part) > self.max_body
                        if is_large:  # what follows is read, so that the client reads the answer
                            continue
                        body += part
                        self._held += len(part)
                        if self._held > MAX_HELD:
                            why = "too many texts are waiting; try again later"
                            headers = {"Retry-After": "1", "Connection": "close"}
                            raise HTTPException(HTTPStatus.SERVICE_UNAVAILABLE, why, headers)
        except TimeoutError:
            why = f"the request was not complete after {self.timeout:g} seconds"
            raise HTTPException(HTTPStatus.REQUEST_TIMEOUT, why, {"Connection": "close"}) from None
        except ClientDisconnect:
            raise HTTPException(HTTPStatus.BAD_REQUEST, "the request is incomplete") from None
        if is_large:
            why = f"the body has more than {self.max_body:,} bytes; send fewer texts at once"
            raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, why, {"Connection": "close"})

    # Predictions

    def _start_batch(self) -> None:
        """Predict the texts of waiting jobs together, as many as the limits allow."""
        jobs, n_texts, n_characters = [], 0, 0
        while self._waiting and n_texts < BATCH_TEXTS and n_characters < BATCH_CHARACTERS:
            jobs.append(job := self._waiting.popleft())
            n_texts += len(job[0])
            n_characters += sum(map(len, job[0]))
        if not jobs:
            self._is_busy = False
            return
        if n_characters <= AT_ONCE:
            self._finish_batch(jobs, self._predict_jobs(jobs))
            return
        loop = asyncio.get_running_loop()
        done = loop.run_in_executor(self._thread, self._predict_jobs, jobs)
        done.add_done_callback(lambda _: self._finish_batch(jobs, done.result()))

    def _finish_batch(self, jobs: list[Job], answers: list[tuple[HTTPStatus, str]]) -> None:
        for (_, _, future), answer in zip(jobs, answers, strict=True):
            if not future.done():  # cancelled
                future.set_result(answer)
        asyncio.get_running_loop().call_soon(self._start_batch)

    def _predict_jobs(self, jobs: list[Job]) -> list[tuple[HTTPStatus, str]]:
        """Predict the texts of some jobs together; if that fails, one by one."""
        try:
            records = self._json_records([text for texts, *_ in jobs for text in texts])
        except Exception as error:
            if len(jobs) > 1:
                return [answer for job in jobs for answer in self._predict_jobs([job])]
            known = isinstance(error, AppError)
            why = error.format_message() if known else f"{type(error).__name__}: {error}"
            return [(HTTPStatus.INTERNAL_SERVER_ERROR, json.dumps({"error": why}))]
        answers, left = [], iter(records)
        for texts, one, _ in jobs:
            own = [*islice(left, len(texts))]
            answers.append((HTTPStatus.OK, own[0] if one else f"[{','.join(own)}]"))
        return answers

    def _json_records(self, texts: list[str]) -> list[str]:
        found = prediction.classify(self._model, texts, proba=self._has_probabilities)
        self._watch.add(texts, found)
        names = [json.dumps(label) for label in self.labels]
        rows = [None] * len(texts) if found.probabilities is None else found.probabilities.tolist()
        records = []
        form = '"label": {}' if found.given.exclusive else '"labels": [{}]'
        given = [form.format(", ".join(each)) for each in found.given.called(names)]
        for label, score, note, row in zip(given, found.scores.tolist(), found.notes, rows, strict=True):
            more = f', "note": "{note}"' if note else ""
            if row is not None:
                probabilities = ", ".join(f"{name}: {p!r}" for name, p in zip(names, row, strict=True))
                more += f', "probabilities": {{{probabilities}}}'
            records.append(f'{{{label}, "score": {score!r}{more}}}')
        return records


def texts_of(body: bytes, max_texts: int) -> tuple[list[str], bool]:
    """Return the texts in the body of a request, and whether it has one text instead of a list.

    Raises
    ------
    HTTPException
        If the body is not JSON of the right form.
    """
    try:
        content = json.loads(body.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise HTTPException(HTTPStatus.BAD_REQUEST, f"the body is not UTF-8 (byte {error.start:,})") from None
    except (ValueError, RecursionError) as error:
        raise HTTPException(HTTPStatus.BAD_REQUEST, f"the body is not JSON ({error})") from None
    texts, one = content, False
    why = ""
    if isinstance(content, dict):
        one = "text" in content
        texts = [content["text"]] if one else content.get("texts")
        if strange := content.keys() - {"text", "texts"}:
            why = f"unknown field {min(strange)[:80]!r}; "
        elif len(content) == 2:
            why = "text and texts together; "
    if why or not isinstance(texts, list):
        why += 'send {"text": "..."}, {"texts": ["...", ...]} or a list of texts'
        raise HTTPException(HTTPStatus.BAD_REQUEST, why)
    if len(texts) > max_texts:
        why = f"{len(texts):,} texts; send at most {max_texts:,} at once"
        raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, why)
    for i, text in enumerate(texts):
        if not isinstance(text, str):
            raise HTTPException(HTTPStatus.BAD_REQUEST, f"text {i} is not a string")
    return texts, one


def _json_response(content: str, status: int = HTTPStatus.OK, headers=None) -> Response:
    return Response(f"{content}\n", status, headers, media_type="application/json")
