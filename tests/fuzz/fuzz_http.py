"""Fuzz what reads requests: requests or a refusal, however the bytes arrive, in bounded memory."""

import json
from http import HTTPStatus

from fastsvm_apps.sentiment.output.asked import asked_for
from fastsvm_apps.sentiment.output.http import MAX_HEAD, Refusal, RequestReader, response
from fuzzing import Choices, main

MAX_BODY, MAX_TEXTS = 200, 5

HEAD = b"POST /predict HTTP/1.1\r\nHost: x\r\n"
REQUESTS = [
    HEAD + b'Content-Length: 17\r\nExpect: 100-continue\r\n\r\n{"text": "caf\xc3\xa9"}',
    HEAD + b'Transfer-Encoding: chunked\r\n\r\n5;a=b\r\n["a",\r\nA\r\n"\\ud83d\\u"]\r\n0\r\nT: x\r\n\r\n',
    b"GET /health?a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n\r\nHEAD / HTTP/1.1\r\nhost:\r\n\r\n",
    HEAD + b'Content-Length: 27\r\nConnection: close\r\n\r\n\xef\xbb\xbf{"texts": [1.5, null, []]}',
]
SEEDS = [bytes([step]) + a + b for step in (1, 7) for a in REQUESTS for b in REQUESTS[:2]]


def target(data):
    choices = Choices(data)
    step = 1 + choices.below(64)
    sent = choices.rest()
    whole, refusal = read(sent, len(sent) or 1)
    assert read(sent, step) == (whole, refusal), "in other pieces it reads differently"
    for request in whole:
        assert len(request.body) <= MAX_BODY
        try:
            texts, one = asked_for(request.body, MAX_TEXTS)
        except Refusal as error:
            answer(error)
        else:
            assert len(texts) <= MAX_TEXTS
            assert all(isinstance(text, str) for text in texts)
            assert len(texts) == 1 or not one


def read(sent, step):
    """Return the requests, and why no more can be read."""
    reader, found = RequestReader(MAX_BODY), []
    try:
        for start in range(0, len(sent), step):
            reader.feed(sent[start : start + step])
            while request := reader.next():
                found.append(request)
            assert reader.size <= 2 * MAX_HEAD + MAX_BODY + step
    except Refusal as error:
        return found, answer(error)
    return found, None


def answer(error):
    """Return the status of a refusal, whose answer a client can read."""
    content = json.dumps({"error": error.why}).encode()
    head, _, body = response(error.status, content, now=0, headers=error.headers).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 %d " % error.status)
    assert error.status >= HTTPStatus.BAD_REQUEST
    assert json.loads(body)["error"]
    assert b"\n" not in head.replace(b"\r\n", b"")
    return error.status


if __name__ == "__main__":
    main(target, SEEDS)
