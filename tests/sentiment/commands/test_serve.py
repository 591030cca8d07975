"""serve: answers, refusals, hostile clients and the end, with real sockets."""

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from fastsvm.text import TextScorer
from fastsvm_apps.common.errors import AppError
from fastsvm_apps.sentiment.measures import prediction
from fastsvm_apps.sentiment.output import text_server
from refusal import assert_refused

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")

TIMEOUT = 1  # seconds that the server gives a client
REFUSED = "the host or origin is not the server's own; use the address that the server printed"
TEXTS = ["great lovely thing1", "awful dull", "nothing known", ""]


@contextmanager
def serving(model, *options, **limits):
    """Run a server; yield its process and its port."""
    variables = {f"FASTSVM_SERVE_{name.upper()}": str(value) for name, value in limits.items()}
    command = [sys.executable, "-P", "-m", "fastsvm_apps.sentiment", "serve", str(model), "--port", "0"]
    pipes = dict.fromkeys(("stdout", "stderr"), subprocess.PIPE) | {"env": os.environ | variables}
    with subprocess.Popen([*command, *map(str, options)], text=True, **pipes) as process:
        try:
            address = process.stdout.readline()
            assert re.fullmatch(r"http://(127\.0\.0\.1|0\.0\.0\.0):\d+/\n", address), process.stderr.read()
            process.port = int(address[:-2].rpartition(":")[2])
            yield process
        finally:
            process.kill()


@pytest.fixture(scope="module")
def served(model3):
    """A server that all tests use which do not end it: whatever one of them did, the next is answered."""
    with serving(model3, timeout=TIMEOUT, max_texts=1000, max_connections=40) as process:
        yield process
        assert process.poll() is None


@pytest.fixture
def connection(served):
    """Connect a well-behaved client; it must be able to ask once more at the end."""
    client = http.client.HTTPConnection("127.0.0.1", served.port, timeout=20)
    yield client
    status, record = ask(client, "GET", "/health")
    assert (status, record["status"]) == (200, "ok")
    client.close()


def ask(client, method="POST", path="/predict", content=None, **headers):
    body = content if content is None or isinstance(content, bytes) else json.dumps(content).encode()
    client.request(method, path, body, headers)
    answer = client.getresponse()
    content = answer.read()
    is_json = answer.headers["Content-Type"] == "application/json"
    return answer.status, json.loads(content) if is_json else content


@contextmanager
def raw(served):
    with socket.create_connection(("127.0.0.1", served.port), timeout=20) as client:
        yield client


def read_all(client):
    with client.makefile("rb") as file:
        return file.read()


def talk(served, *messages):
    """Send messages; return an answer to each, and to the last all until the connection is closed."""
    with raw(served) as client:
        answers = []
        for message in messages[:-1]:
            client.sendall(message)
            answers.append(client.recv(10_000))
        client.sendall(messages[-1])
        return [*answers, read_all(client)]


def post(served, content, *headers):
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    return head_of(served, f"Content-Length: {len(body)}", *headers) + body


def head_of(served, *headers, host="localhost"):
    lines = ["POST /predict HTTP/1.1", f"Host: {host}:{served.port}", *headers, "", ""]
    return "\r\n".join(lines).encode()


def test_the_answers_are_those_of_predict(connection, model3, run):
    lines = run("predict", model3, "--json", "--proba", input="".join(f"{text}\n" for text in TEXTS)).stdout
    expected = [json.loads(line) for line in lines.splitlines()]
    assert set(expected[0]) == {"label", "score", "probabilities"}
    for content in (TEXTS, {"texts": TEXTS}):
        assert ask(connection, content=content) == (200, expected)
    for text, record in zip(TEXTS, expected, strict=True):
        assert ask(connection, content={"text": text}) == (200, record)
    assert ask(connection, content=[]) == (200, [])
    strange = ["\ud800 great", "a\0b", "Ünïcode 🎉", "\u2028"]
    assert [record["label"] in ("mixed", "neg", "pos") for record in ask(connection, content=strange)[1]]


def test_how_to_ask_and_health(connection, served, model3):
    status, page = ask(connection, "GET", "/")
    assert status == 200
    assert f"http://127.0.0.1:{served.port}/predict" in page.decode()
    status, record = ask(connection, "GET", "/health")
    assert (status, record["model"], record["labels"]) == (200, model3, ["mixed", "neg", "pos"])
    assert record["moved"] == []
    connection.request("HEAD", "/health")
    answer = connection.getresponse()
    assert (answer.status, answer.read()) == (200, b"")
    assert int(answer.headers["Content-Length"]) > 20


@pytest.mark.parametrize(
    ("method", "path", "content", "status", "why"),
    [
        ("GET", "/predict", None, 405, "/predict needs the method POST"),
        ("DELETE", "/", None, 405, "/ needs the method GET"),
        ("GET", "/secret", None, 404, "there is nothing at '/secret'; see GET /"),
        ("POST", "/predict", b"", 400, "not JSON"),
        ("POST", "/predict", b"{", 400, "not JSON"),
        ("POST", "/predict", b"[" * 100_000, 400, "not JSON"),
        ("POST", "/predict", b"1" * 10_000, 400, "not JSON"),
        ("POST", "/predict", b'{"text": "caf\xe9"}', 400, "not UTF-8 (byte 13)"),
        ("POST", "/predict", "text", 400, 'send {"text": "..."}'),
        ("POST", "/predict", {"txt": "text"}, 400, "unknown field 'txt'; send {"),
        ("POST", "/predict", {"text": "a", "top": 2}, 400, "unknown field 'top'; send {"),
        ("POST", "/predict", {"text": "a", "texts": ["b"]}, 400, "text and texts together; send {"),
        ("POST", "/predict?top=2", {"text": "a"}, 400, "unknown query field 'top'; /predict takes none"),
        ("GET", "/health?verbose=", None, 400, "unknown query field 'verbose'; /health takes none"),
        ("POST", "/predict", {"text": None}, 400, "text 0 is not a string"),
        ("POST", "/predict", {"texts": "text"}, 400, 'send {"text": "..."}'),
        ("POST", "/predict", ["a", "b", 3], 400, "text 2 is not a string"),
        ("POST", "/predict", ["a"] * 1001, 413, "1,001 texts; send at most 1,000 at once"),
    ],
)
def test_what_is_wrong_is_said_and_the_connection_kept(connection, method, path, content, status, why):
    found, record = ask(connection, method, path, content)
    assert found == status
    assert why in record["error"]
    assert list(record) == ["error"]
    kept = connection.sock
    assert ask(connection, content={"text": "great"})[0] == 200
    assert connection.sock is kept


def test_a_body_that_is_too_large_is_refused_while_it_is_sent(connection, served):
    with raw(served) as client:
        client.sendall(head_of(served, "Content-Length: 3000000"))
        for _ in range(30):
            client.sendall(b"x" * 100_000)
        answer = read_all(client)
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b"the body has more than 1,048,576 bytes" in answer
    assert b"\r\nconnection: close\r\n" in answer.lower()


def test_pipelined_and_chunked_requests_are_answered_in_order(connection, served, model3):
    texts = [f"{text} {i}" for i in range(500) for text in TEXTS[:2]]
    labels = TextScorer.load(model3).predict(texts).tolist()
    messages = [post(served, {"text": text}) for text in texts]
    body = json.dumps({"text": texts[0]}).encode()
    chunks = b"".join(b"1\r\n%c\r\n" % byte for byte in body) + b"0\r\n\r\n"
    messages[0] = head_of(served, "Transfer-Encoding: chunked") + chunks
    messages[-1] = post(served, {"text": texts[-1]}, "Connection: close")
    with raw(served) as client:
        threading.Thread(target=client.sendall, args=(b"".join(messages),)).start()
        answers = read_all(client)
    assert re.findall(rb'"label": "(\w+)"', answers) == [label.encode() for label in labels]
    assert answers.count(b"HTTP/1.1 200 OK\r\n") == len(texts)


def test_a_client_that_waits_to_send_its_body_is_told_to(connection, served):
    message = post(served, {"text": "great"}, "Expect: 100-continue", "Connection: close")
    head, end, body = message.partition(b"\r\n\r\n")
    told, answer = talk(served, head + end, body)
    assert told == b"HTTP/1.1 100 Continue\r\n\r\n"
    assert answer.startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize("protocol", ["h2c", "websocket", "TLS/1.0"])
def test_an_offer_to_upgrade_is_passed_over(connection, served, protocol):
    offer = "Connection: Upgrade, HTTP2-Settings", f"Upgrade: {protocol}", "HTTP2-Settings: AAMAAABk"
    asked = "\r\n".join(["GET /health HTTP/1.1", f"Host: localhost:{served.port}", *offer, "", ""]).encode()
    with raw(served) as client:
        for message in post(served, {"text": "great"}, *offer), asked:
            for part in message[:100], message[100:]:
                client.sendall(part)
            assert client.recv(10_000).startswith(b"HTTP/1.1 200 ")
        client.sendall(asked + post(served, {"text": "great"}, "Connection: close"))
        answers = read_all(client)
    assert answers.count(b"HTTP/1.1 200 OK\r\n") == 2
    assert answers.count(b'"label": "pos"') == 1


def test_a_request_is_answered_before_what_follows_it_is_read(connection, served):
    [answers] = talk(served, post(served, {"text": "great"}) + b"nonsense\r\n\r\n")
    assert re.findall(rb"HTTP/1.1 (\d+) ", answers) == [b"200", b"400"]


def test_trailers_are_no_headers_and_have_a_limit(connection, served):
    head = head_of(served, "Transfer-Encoding: chunked") + b"2\r\n[]\r\n0\r\n"
    trailers = b"Expect: 100-continue\r\nHost: y\r\n\r\n", b"a: b\r\n" * 20_000
    few, many = talk(served, *(head + each for each in trailers))
    assert (few[:13], many[:13]) == (b"HTTP/1.1 200 ", b"HTTP/1.1 400 ")


@pytest.mark.parametrize(
    "head",
    [
        b"GET /health HTTP/1.1\r\nHost: a\r\nHost: b\r\n",
        b"GET /health HTTP/1.1\r\n",
        b"nonsense\r\n",
        b"POST /predict HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n",
        b"POST /predict HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n",
        b"POST /predict HTTP/1.0\r\nTransfer-Encoding: chunked\r\n",
        b"GET /health HTTP/2.0\r\nHost: x\r\n",
        b"POST /predict HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n",
        b"GET /health HTTP/1.1\r\nHost: x\r\n" + b"a: b\r\n" * 20_000,
        b"GET /health HTTP/1.1\r\nHost: x\r\na: " + b"b" * 100_000,
    ],
)
def test_ambiguous_requests_close_the_connection(connection, served, head):
    [answer] = talk(served, head + b"\r\n" + b"0\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert b"\r\nconnection: close\r\n" in answer.lower()
    assert list(json.loads(answer.partition(b"\r\n\r\n")[2])) == ["error"]


@pytest.mark.parametrize("host", ["attacker.example", "localhost.attacker.example", "localhost:1", ""])
def test_names_of_others_get_nothing(connection, served, host):
    """A page of a stranger may lead its own name to this computer (DNS rebinding)."""
    port = served.port
    for foreign in {"Host": f"{host}:{port}"}, {"Host": host}, {"Origin": f"http://{host}:{port}"}:
        assert ask(connection, content=["great"], **foreign) == (403, {"error": REFUSED})
    for own in "127.0.0.1", "LOCALHOST", "[::1]":
        assert ask(connection, content=[], Host=f"{own}:{port}") == (200, [])
    assert ask(connection, content=[], Origin=f"http://localhost:{port}") == (200, [])


def test_a_server_that_is_open_goes_by_any_name(model):
    with serving(model, "--host", "0.0.0.0") as process:
        client = http.client.HTTPConnection("127.0.0.1", process.port, timeout=20)
        assert ask(client, content=[], Host="svm.example", Origin="https://svm.example") == (200, [])


@pytest.mark.slow
def test_slow_clients(connection, served):
    with raw(served) as idle, raw(served) as slow, raw(served) as dripping:
        begin = time.monotonic()
        slow.sendall(post(served, {"text": "great"})[:-1])

        def drip():
            for byte in post(served, {"text": "x" * 1000}):
                try:
                    dripping.send(bytes([byte]))
                except OSError:
                    return
                time.sleep(0.02)

        thread = threading.Thread(target=drip)
        thread.start()
        for client in slow, dripping:
            answer = client.makefile("rb").read()  # until the connection is closed
            assert answer.startswith(b"HTTP/1.1 408 ")
            assert b"not complete after 1 seconds" in answer
        assert time.monotonic() - begin >= TIMEOUT
        thread.join()
        time.sleep(0.5)
        idle.sendall(post(served, {"text": "great"}))  # has not begun before: that is no offence
        assert idle.recv(10_000).startswith(b"HTTP/1.1 200 ")


def memory_of(process):
    return int(re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{process.pid}/status").read_text())[1]) >> 10


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads /proc")
def test_clients_that_never_read_are_left_and_take_little_memory(connection, served):
    ask(connection, content=TEXTS)
    before = memory_of(served)
    message = post(served, ["great"] * 1000) * 20
    with raw(served) as client:
        client.settimeout(5)
        with pytest.raises(OSError, match=r"reset|Broken pipe|timed out") as caught:  # noqa: PT012
            for _ in range(2000):
                client.sendall(message)
        assert not isinstance(caught.value, TimeoutError)  # the server has closed it
    assert memory_of(served) - before < 40  # MiB
    assert ask(connection, content={"text": "great"})[0] == 200


def test_too_many_connections(served):
    clients = [socket.create_connection(("127.0.0.1", served.port), timeout=20) for _ in range(60)]
    try:
        answers = [read_all(client) for client in clients[40:]]
        assert all(answer.startswith(b"HTTP/1.1 503 ") for answer in answers)
        assert b"\r\nRetry-After: 1\r\n" in answers[0]
        clients[0].sendall(post(served, {"text": "great"}))
        assert clients[0].recv(10_000).startswith(b"HTTP/1.1 200 ")
    finally:
        for client in clients:
            client.close()


def test_everyone_gets_the_answer_to_the_own_question(served, model3, texts):
    sent = [text for _, text in texts(600, ("neg", "pos", "mixed"), seed=7)]
    expected = TextScorer.load(model3).decision_function(sent).max(axis=1).tolist()

    def client(number):
        one = http.client.HTTPConnection("127.0.0.1", served.port, timeout=20)
        found = [ask(one, content={"text": text})[1]["score"] for text in sent[number::30]]
        one.close()
        return found

    with ThreadPoolExecutor(30) as pool:
        found = list(pool.map(client, range(30)))
    for number in range(30):
        np.testing.assert_allclose(found[number], expected[number::30], rtol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_nothing_is_lost_when_it_is_stopped(model, number):
    with serving(model) as process:
        lost, answered = [], []

        def client(i):
            one = http.client.HTTPConnection("127.0.0.1", process.port, timeout=20)
            one.connect()
            while True:
                try:
                    one.request("POST", "/predict", json.dumps({"text": f"great {i}"}))
                    answer = one.getresponse()
                    assert answer.status == 200
                    assert "label" in json.loads(answer.read())
                except (OSError, http.client.HTTPException) as error:
                    lost.append(error)
                    return
                answered.append(i)
                if answer.will_close:
                    return

        with raw(process) as begun, raw(process), ThreadPoolExecutor(8) as pool:
            message = post(process, {"text": "great"})
            begun.sendall(message[:-5])
            running = [pool.submit(client, i) for i in range(8)]
            while len(answered) < 100:
                time.sleep(0.01)
            process.send_signal(number)
            for each in running:
                each.result(timeout=20)
            with pytest.raises(OSError, match="refused"):
                socket.create_connection(("127.0.0.1", process.port))
            begun.sendall(message[-5:])
            answer = read_all(begun)
        assert answer.startswith(b"HTTP/1.1 200 ")
        assert b"\r\nconnection: close\r\n" in answer.lower()
        assert process.wait(timeout=20) == 0
        assert lost == []
        assert process.stderr.read() == f"stopped; {len(answered) + 1:,} requests answered, 0 refused\n"


@pytest.mark.slow
def test_the_second_signal_ends_it_at_once(model):
    with serving(model, timeout=60) as process, raw(process) as client:
        client.sendall(post(process, {"text": "great"}))
        assert client.recv(10_000).startswith(b"HTTP/1.1 200 ")  # it is listening to this client
        client.sendall(b"POST /predict")
        time.sleep(1)
        process.send_signal(signal.SIGTERM)
        time.sleep(1)
        assert process.poll() is None  # it waits for the rest
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=20) == 1


def test_where_it_cannot_listen(run, model, served):
    port = served.port
    assert_refused(run("serve", model, "--port", port), 1, rf"127.0.0.1:{port}: cannot listen there \(")
    assert_refused(run("serve", model, "--host", "no such host"), 1, "")


def test_a_text_that_cannot_be_scored_spoils_no_other(monkeypatch, model):
    def classify(model, texts, **options):
        if "bad" in texts:
            raise AppError("beyond range")
        return prediction.classify(model, texts, **options)

    service = text_server.Service(TextScorer.load(model), "a model", {})
    monkeypatch.setattr(text_server, "prediction", type("stub", (), {"classify": staticmethod(classify)}))
    jobs = (["a"], True, None), (["a", "bad"], False, None), (["b"], True, None)
    answers = service._predict_jobs(jobs)
    assert [status.value for status, _ in answers] == [200, 500, 200]
    assert json.loads(answers[1][1]) == {"error": "beyond range"}
    answer = json.loads(answers[0][1])
    assert (set(answer), answer["note"]) == ({"label", "score", "note", "probabilities"}, "no known term")
