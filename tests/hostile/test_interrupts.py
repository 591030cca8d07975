"""Ctrl-C while threads are at work: none of Python's own locks stays locked."""

import subprocess
import sys

import pytest

# Interrupts come from a timer of the system, thousands of them, so that many hit the inside of a lock.
STORM = """
import faulthandler, signal, sys
from fastsvm._utils.thread_pool import Threads
faulthandler.dump_traceback_later(100, exit=True)
rounds, hits = int(sys.argv[1]), 0
for round in range(rounds):
    pool = Threads(2)
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, 1e-4 * (1 + round % 20))
            for _ in pool.map(abs, range(200)):
                pass
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except KeyboardInterrupt:
        hits += 1
    pool.shutdown(cancel_futures=True)
print(hits)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="has no such timer")
@pytest.mark.parametrize("rounds", [300, pytest.param(10_000, marks=pytest.mark.slow)])
def test_a_pool_that_is_interrupted_ends(rounds):
    begin = "import signal; signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT))\n"
    command = [sys.executable, "-P", "-c", begin + STORM, str(rounds)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert int(done.stdout) > rounds / 4
