"""Requests a second of `fastsvm-sentiment serve`, and how long one takes, with clients on the same machine.

    python -m benchmarks.text.serve [--model english] [--clients 16] [--requests 20000] [--rounds 5]

Each client is a thread with a connection of its own that is kept (`http.client`), and sends a text of one
line when the last is answered; all are in one process. So the clients share the cores with the server.
"""

import argparse
import http.client
import json
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
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
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


def show(rounds, n_clients):
    """Print the medians over rounds, with ranges."""
    rates = [len(each) / total for total, each in rounds]
    quantiles = [statistics.quantiles(each, n=100) for _, each in rounds]
    print(f"http.client, {n_clients} connections: {_range(rates, '.0f')} requests a second")
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
        rounds = [plain_clients(address, given.clients, given.requests) for _ in range(given.rounds)]
        show(rounds, given.clients)
    finally:
        process.kill()


if __name__ == "__main__":
    main()
