"""Requests cut from bytes, however they arrive, and those that are refused."""

import random
from itertools import pairwise

import pytest

from fastsvm_apps.sentiment.output.http import MAX_HEAD, Refusal, RequestReader

HOST = b"Host: here\r\n"
LENGTH = b"POST /predict HTTP/1.1\r\n" + HOST + b"Content-Length: 5\r\n\r\nhello"
CHUNKS = (
    b"POST /predict HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n"
    b"2\r\nhe\r\n3;name=value\r\nllo\r\n0\r\nTrailer: x\r\n\r\n"
)
GET = b"GET /health?x=1 HTTP/1.1\r\n" + HOST + b"\r\n"
OLD = b"GET / HTTP/1.0\r\n\r\n"


def requests_of(*parts, max_body=100):
    reader = RequestReader(max_body)
    found = []
    for part in parts:
        reader.feed(part)
        while request := reader.next():
            found.append(request)
    return reader, found


def test_requests_however_they_are_cut():
    stream = LENGTH + GET + b"\r\n" + CHUNKS + CHUNKS + LENGTH + OLD
    _, whole = requests_of(stream)
    assert [request.method for request in whole] == ["POST", "GET", "POST", "POST", "POST", "GET"]
    assert [request.body for request in whole] == [b"hello", b"", b"hello", b"hello", b"hello", b""]
    assert [request.close for request in whole] == [False] * 5 + [True]
    assert whole[1].target == "/health?x=1"
    rng = random.Random(0)
    for cuts in [range(1, len(stream)), *(sorted(rng.sample(range(len(stream)), 7)) for _ in range(50))]:
        edges = [0, *cuts, len(stream)]
        reader, found = requests_of(*(stream[a:b] for a, b in pairwise(edges)))
        assert found == whole
        assert reader.is_idle
        assert reader.size == 0


@pytest.mark.parametrize(
    ("header", "close"),
    [(b"", False), (b"Connection: close\r\n", True), (b"connection: foo , CLOSE\r\n", True)],
)
def test_the_connection_is_kept_unless_it_is_to_close(header, close):
    assert requests_of(b"GET / HTTP/1.1\r\n" + HOST + header + b"\r\n")[1][0].close == close
    kept = b"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"
    assert not requests_of(kept)[1][0].close


def test_a_client_that_waits_is_told_to_go_on():
    head, body = LENGTH[:-9] + b"\r\nExpect: 100-continue\r\n\r\n", b"hello"
    reader, found = requests_of(head)
    assert (reader.waits_for_continue, found) == (True, [])
    reader.feed(body)
    assert reader.next().body == body
    assert not reader.waits_for_continue


def post(*headers, body=b""):
    lines = [b"POST /predict HTTP/1.1", b"Host: here", *headers, b"", body]
    return b"\r\n".join(lines)


@pytest.mark.parametrize(
    ("sent", "status", "why"),
    [
        (b"hello\r\n\r\n", 400, "no request line"),
        (b"GET  / HTTP/1.1\r\n\r\n", 400, "no request line"),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\n", 400, "carriage return"),
        (b"GET / HTTP/1.1\n", 400, "carriage return"),
        (b"GET / HTTP/1.1\r\n\r\n", 400, "Host is missing"),
        (b"PRI * HTTP/2.0\r\n\r\n", 505, "only HTTP/1.1"),
        (b"GET / HTTP/1.1\r\nHost : x\r\n\r\n", 400, "no header"),
        (b"GET / HTTP/1.1\r\nHost: x\r\n folded\r\n\r\n", 400, "no header"),
        (b"GET / HTTP/1.1\r\nHost: x\rA: b\r\n\r\n", 400, "no header"),
        (b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 101 + b"\r\n", 431, "more than 100 headers"),
        (b"GET /" + b"x" * MAX_HEAD, 431, "more than 16,384 bytes"),
        (b"x" * MAX_HEAD, 431, "more than 16,384 bytes"),
        (post(), 411, "Content-Length is missing"),
        (post(b"Content-Length: -1"), 400, "no Content-Length"),
        (post(b"Content-Length: 1_0"), 400, "no Content-Length"),
        (post(b"Content-Length: +5"), 400, "no Content-Length"),
        (post(b"Content-Length: \xb2"), 400, "no Content-Length"),
        (post(b"Content-Length: 5", b"Content-Length: 6"), 400, "no Content-Length"),
        (post(b"Content-Length: 101"), 413, "more than 100 bytes"),
        (post(b"Content-Length: 999999999999999999999999"), 400, "no Content-Length"),
        (post(b"Content-Length: 5", b"Transfer-Encoding: chunked"), 400, "both given"),
        (post(b"Transfer-Encoding: gzip, chunked"), 501, "transfer coding"),
        (post(b"Transfer-Encoding: chunked", body=b"5\r\nhellox\r\n"), 400, "longer than its size"),
        (post(b"Transfer-Encoding: chunked", body=b"-5\r\n"), 400, "with its size"),
        (post(b"Transfer-Encoding: chunked", body=b"fffffffff\r\n"), 400, "with its size"),
        (post(b"Transfer-Encoding: chunked", body=b"1;" + b"x" * 300), 400, "with its size"),
        (post(b"Transfer-Encoding: chunked", body=b"ff\r\n"), 413, "more than 100 bytes"),
        (post(b"Transfer-Encoding: chunked", body=b"32\r\n" + b"x" * 50 + b"\r\n33\r\n"), 413, "100 bytes"),
        (post(b"Transfer-Encoding: chunked", body=b"0\r\n" + b"A: b\r\n" * 3000), 431, "trailer"),
        (post(b"Content-Length: 5", b"Expect: 200-maybe"), 417, "200-maybe"),
    ],
)
def test_refusals(sent, status, why):
    with pytest.raises(Refusal, match=why) as caught:
        requests_of(sent)
    assert caught.value.status == status


def test_nothing_else_is_raised_whatever_comes():
    rng = random.Random(1)
    seeds = [LENGTH, CHUNKS, GET, OLD]
    answered = 0
    for _ in range(3000):
        sent = bytearray(b"".join(rng.choices(seeds, k=3)))
        for _ in range(rng.randrange(4)):
            where = rng.randrange(len(sent))
            sent[where : where + rng.randrange(3)] = rng.choice([b"", b"\r\n", b"\x00", b"\xff", b"0", b"\n"])
        try:
            answered += len(requests_of(bytes(sent))[1])
        except Refusal:
            continue
    assert answered > 3000
