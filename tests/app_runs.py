"""The apps as processes of their own, interrupted, killed or kept short of something, many times over."""

import json
import os
import shutil
import subprocess
import sys
from copy import copy
from pathlib import Path
from typing import NamedTuple

DATA = Path(__file__).parents[1] / "data"

# Imports apps once, then forks a process for each command line that comes in.
FORKS = """
import faulthandler, fcntl, gc, importlib, json, os, pkgutil, resource, signal, sys, threading, time
import click, cv2, matplotlib.backends.backend_agg, matplotlib.backends.backend_svg, rich.console, rich.table
import sklearn.linear_model, fastsvm, fastsvm.text

mains = {}
for app in sys.argv[1:]:
    package = importlib.import_module(f"fastsvm_apps.{app}")
    # CPython itself may fail in any way where an import finds no memory.
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    mains[app] = importlib.import_module(f"{package.__name__}.cli").main
[getattr(fastsvm, name) for name in fastsvm.__all__]
[getattr(fastsvm.text, name) for name in fastsvm.text.__all__]
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
gc.collect()
gc.freeze()

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
run_group = click.Group.main
def begin(self, *args, **kwargs):  # the first thing that the app itself calls
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    return run_group(self, *args, **kwargs)
click.Group.main = begin

for line in sys.stdin:
    order = json.loads(line)
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    outputs = [os.pipe() for _ in range(2)]  # files would be subject to the limits
    for pipe in outputs:
        fcntl.fcntl(pipe[1], getattr(fcntl, "F_SETPIPE_SZ", fcntl.F_GETFD), 1 << 20)
    start = time.monotonic()
    pid = os.fork()
    if pid == 0:
        os.chdir(order["cwd"])
        for number, end in enumerate([os.open(os.devnull, os.O_RDONLY), *(pipe[1] for pipe in outputs)]):
            os.dup2(end, number)
        faulthandler.dump_traceback_later(60, exit=True)  # says where it hangs
        for name, value in order["limits"].items():
            if name == "RLIMIT_AS":  # how much more than now
                with open("/proc/self/statm") as file:
                    value += int(file.read().split()[0]) * resource.getpagesize()
            resource.setrlimit(getattr(resource, name), (value, value))
        try:
            sys.argv[1:] = order["args"]
            mains[order["app"]](prog_name=f"fastsvm-{order['app']}")
        except SystemExit as end:
            threading._shutdown()  # waits for threads, as the end of every process does
            sys.stdout.flush()
            os._exit(end.code)  # to tidy up after all that is imported would take longer than the rest
        except BaseException:
            sys.excepthook(*sys.exc_info())
        os._exit(99)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    if order["signal"]:
        time.sleep(order["delay"])
        os.kill(pid, order["signal"])
    status = os.waitpid(pid, 0)[1]
    done = {"code": os.waitstatus_to_exitcode(status), "seconds": time.monotonic() - start}
    for name, (reading, writing) in zip(["out", "err"], outputs):
        os.close(writing)
        with open(reading, errors="replace") as written:
            done[name] = written.read()
    print(json.dumps(done), flush=True)
"""


def with_samples(folder):
    """Write 300 of the sample reviews and two smears of each label into a folder, and return it."""
    lines = (DATA / "reviews.txt").read_text(encoding="utf-8").splitlines(keepends=True)
    (folder / "reviews.txt").write_text("".join(lines[:300]), encoding="utf-8")
    for label in sorted((DATA / "cells" / "images").iterdir()):
        (folder / "smears" / label.name).mkdir(parents=True)
        for image in sorted(label.iterdir())[:2]:
            shutil.copy(image, folder / "smears" / label.name)
    return folder


class Done(NamedTuple):
    """How a process ended: its exit code, or minus a signal; what it wrote; how long it took."""

    code: int
    out: str
    err: str
    seconds: float


class App:
    """Runs one of the apps, ``sentiment`` or ``cells``; an idle process keeps what it and others import."""

    def __init__(self, name, *others):
        self.name = name
        command = [sys.executable, "-P", "-c", FORKS, name, *others]
        # Threads of BLAS take memory of their own, and complain in their own words.
        environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self._process = subprocess.Popen(command, env=environment, text=True, **pipes)

    def __call__(self, *args, cwd, signal=None, delay=0.0, **limits):
        """Run a command line; send a signal after a delay; RLIMIT_AS is how much more than at the start.

        What it prints must fit into a pipe: it is read at the end.
        """
        order = {"app": self.name, "args": [str(arg) for arg in args], "cwd": str(cwd), "limits": limits}
        order |= {"signal": signal, "delay": delay}
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        return Done(**json.loads(self._process.stdout.readline()))

    def other(self, name):
        """Return what runs another app, by the same process."""
        app = copy(self)
        app.name = name
        return app

    def __enter__(self):
        return self

    def __exit__(self, *exc_info):
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()
