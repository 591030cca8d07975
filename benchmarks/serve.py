"""Requests a second of `fastsvm-sentiment serve`, and how long one takes, with clients on the same machine.

    python -m benchmarks.serve [--model english] [--clients 16] [--requests 20000] [--rounds 5]

Each client is a thread with a connection of its own that is kept (`http.client`), and sends a text of one
line when the last is answered; all are in one process. So the clients share the cores with the server. A
second figure has clients that do no more than send bytes and look for the end of the answer, as `wrk` does.
At the end the server is stopped in the middle of a round: every request that was sent has to be answered.
"""

import argparse
import asyncio
import http.client
import json
import signal
import statistics
import subprocess
import sys
import threading
import time
from urllib.parse import urlsplit

TEXTS = [
    "not a dull minute in it",
    "what a waste of money, it broke on the second day and nobody answered my letters",
    "The plot is thin, but the two leads are a joy to watch and the music is lovely.",
    "ok",
]
BODIES = [json.dumps({"text": text}).encode() for text in TEXTS]


def start(model):
    """Start a server on a free port; return the process and its address."""
    command = [sys.executable, "-m", "fastsvm_apps.sentiment", "serve", model, "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return process, urlsplit(process.stdout.readline().strip())


def plain_clients(address, n_clients, n_requests):
    """Send requests from threads with http.client; return the seconds of all and of each."""
    seconds, barrier = [], threading.Barrier(n_clients + 1)

    def client(number):
        connection = http.client.HTTPConnection(address.hostname, address.port)
        connection.connect()
        barrier.wait()
        for i in range(n_requests // n_clients):
            begin = time.perf_counter()
            connection.request("POST", "/predict", BODIES[(i + number) % len(BODIES)])
            answer = connection.getresponse()
            assert answer.status == 200, answer.read()
            assert "label" in json.loads(answer.read())
            seconds.append(time.perf_counter() - begin)
        connection.close()

    threads = [threading.Thread(target=client, args=(i,)) for i in range(n_clients)]
    for thread in threads:
        thread.start()
    barrier.wait()
    begin = time.perf_counter()
    for thread in threads:
        thread.join()
    return time.perf_counter() - begin, seconds


class BareClient(asyncio.Protocol):
    """Sends the same bytes again as soon as an answer is there."""

    def __init__(self, message, n_requests, seconds):
        self.message, self.left, self.seconds = message, n_requests, seconds
        self.done = asyncio.get_running_loop().create_future()

    def connection_made(self, transport):
        """Send the first request."""
        self.transport = transport
        self._send()

    def _send(self):
        self.buffer, self.begin = b"", time.perf_counter()
        self.transport.write(self.message)

    def data_received(self, data):
        """Send the next request once the answer is whole."""
        self.buffer += data
        head, _, body = self.buffer.partition(b"\r\n\r\n")
        length = head.lower().find(b"content-length: ")
        if length < 0 or len(body) < int(head[length + 16 :].split(b"\r", 1)[0]):
            return
        assert head.startswith(b"HTTP/1.1 200 "), head
        self.seconds.append(time.perf_counter() - self.begin)
        self.left -= 1
        if self.left:
            self._send()
        else:
            self.done.set_result(None)
            self.transport.close()

    def connection_lost(self, error):
        """Tell of a connection that ended early."""
        if not self.done.done():
            self.done.set_exception(error or ConnectionError("closed"))


async def bare_clients(address, n_clients, n_requests):
    """Send requests that are ready as bytes; return the seconds of all and of each."""
    loop, seconds = asyncio.get_running_loop(), []
    begin = time.perf_counter()
    made = []
    for i in range(n_clients):
        body = BODIES[i % len(BODIES)]
        message = b"POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s" % (
            len(body),
            body,
        )
        made.append(
            loop.create_connection(
                lambda message=message: BareClient(message, n_requests // n_clients, seconds),
                address.hostname,
                address.port,
            )
        )
    protocols = [protocol for _, protocol in await asyncio.gather(*made)]
    await asyncio.gather(*(protocol.done for protocol in protocols))
    return time.perf_counter() - begin, seconds


def stop_under_load(process, address, n_clients):
    """Stop the server while clients send; return how many requests were answered, and how many were lost.

    Lost is a request on a connection that had not been announced to close, without a whole answer.
    """
    answered, lost = [0] * n_clients, [0] * n_clients

    def client(number):
        connection = http.client.HTTPConnection(address.hostname, address.port, timeout=30)
        try:
            connection.connect()
        except OSError:
            return
        while True:
            try:
                connection.request("POST", "/predict", BODIES[number % len(BODIES)])
                answer = connection.getresponse()
                assert answer.status == 200
                answer.read()
            except (OSError, http.client.HTTPException):
                lost[number] += 1
                return
            answered[number] += 1
            if answer.will_close:
                return

    threads = [threading.Thread(target=client, args=(i,)) for i in range(n_clients)]
    for thread in threads:
        thread.start()
    time.sleep(1)
    process.send_signal(signal.SIGTERM)
    for thread in threads:
        thread.join()
    return sum(answered), sum(lost), process.wait(timeout=30)


def show(name, rounds, n_clients):
    """Print the medians over rounds, with ranges."""
    rates = [len(each) / total for total, each in rounds]
    quantiles = [statistics.quantiles(each, n=100) for _, each in rounds]
    print(f"{name}, {n_clients} connections: {_range(rates, '.0f')} requests a second")
    for label, index in (("p50", 49), ("p99", 98)):
        print(f"  {label} {_range([1000 * q[index] for q in quantiles], '.1f')} ms")


def _range(values, format):
    return f"{statistics.median(values):{format}} [{min(values):{format}} - {max(values):{format}}]"


def main():
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--model", default="english")
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--requests", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    process, address = start(given.model)
    try:
        plain_clients(address, given.clients, 1000)  # warm
        for name, measure in (
            ("http.client", plain_clients),
            ("bare sockets", lambda *args: asyncio.run(bare_clients(*args))),
        ):
            rounds = [measure(address, given.clients, given.requests) for _ in range(given.rounds)]
            show(name, rounds, given.clients)
        answered, lost, code = stop_under_load(process, address, given.clients)
        print(f"stopped under load: {answered:,} requests answered, {lost:,} lost, exit code {code}")
        print(process.stderr.read().strip())
    finally:
        process.kill()


if __name__ == "__main__":
    main()
