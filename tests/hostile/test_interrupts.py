"""Ctrl-C while threads are at work: none of Python's own locks stays locked; and what else ends a process."""

import os
import subprocess
import sys
import time

import pytest

from processes import starting

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


TABLE, TEXTS = "1,2,3,4,5,6,1\n2,3,4,5,6,7,2\n" * 60_000, "label,text\n" + "a,bad\nb,good\n" * 20_000
RUNS = [
    ("vectors", "convert rows.csv out.svm", TABLE),
    ("sentiment", "train rows.csv --stream --ngrams 1", TEXTS),
]


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.parametrize("number", [15, 1])  # SIGTERM, SIGHUP
@pytest.mark.parametrize(("app", "line", "rows"), RUNS, ids=["convert", "train"])
def test_what_ends_a_process_leaves_nothing(tmp_path, app, line, rows, number):
    (tmp_path / "rows.csv").write_text(rows)
    with starting(app, tmp_path) as start:
        process = start(*line.split())
        until = time.monotonic() + 60
        while len(os.listdir(tmp_path)) == 1 and process.poll() is None and time.monotonic() < until:
            time.sleep(0.001)
        process.send_signal(number)
        told = process.communicate(timeout=60)[1]
    assert process.returncode == 128 + number
    assert told.startswith("error: interrupted")
    assert os.listdir(tmp_path) == ["rows.csv"]


PLACES = {  # where the signal comes
    "code": "send()",
    "import": "import place",
    "__del__": "Last()",
    "callback": "last = Last(); reference = weakref.ref(last, send); last.__class__ = Plain; del last",
}
COMMAND = """
import signal, sys, time, weakref
import click
from fastsvm_apps.common.app import app

def send(*_):
    signal.raise_signal({number})

class Plain: pass

class Last:
    def __del__(self):
        send()

@click.command()
def work():
    {place}
    time.sleep(40)

sys.path.insert(0, "")
app("here", "", [work]).main()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.parametrize(("number", "code"), [(15, 143), (2, 1)], ids=["SIGTERM", "SIGINT"])
@pytest.mark.parametrize("place", PLACES)
def test_no_place_swallows_what_ends_a_process(tmp_path, place, number, code):
    (tmp_path / "place.py").write_text(f"import signal\nsignal.raise_signal({number})\nopen('whole', 'w')\n")
    command = [sys.executable, "-P", "-c", COMMAND.format(number=number, place=PLACES[place]), "work"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (code, "", "error: interrupted\n")
    assert (tmp_path / "whole").exists() == (place == "import")  # an import is finished first
