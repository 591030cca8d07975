"""The apps as processes of their own, interrupted, killed or kept short of something, many times over."""

import json
import subprocess
import sys
from typing import NamedTuple

# Imports an app once, then forks a process for each command line that comes in.
FORKS = """
import gc, importlib, json, os, resource, signal, sys, time
import click, cv2, rich.console, rich.table, sklearn.linear_model, fastsvm, fastsvm.text

app, *modules = sys.argv[1:]
main = importlib.import_module(f"fastsvm_apps.{app}.cli").main
for module in modules:
    importlib.import_module(f"fastsvm_apps.{app}.{module}")
[getattr(fastsvm, name) for name in fastsvm.__all__]
[getattr(fastsvm.text, name) for name in fastsvm.text.__all__]
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
gc.collect()
gc.freeze()

run_group = click.Group.main
def begin(self, *args, **kwargs):  # the first thing that the app itself calls
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    return run_group(self, *args, **kwargs)
click.Group.main = begin

for line in sys.stdin:
    order = json.loads(line)
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    start = time.monotonic()
    pid = os.fork()
    if pid == 0:
        os.chdir(order["cwd"])
        for number, name in enumerate([os.devnull, order["out"], order["err"]]):
            os.dup2(os.open(name, os.O_RDWR | os.O_CREAT | os.O_TRUNC), number)
        for name, value in order["limits"].items():
            if name == "RLIMIT_AS":  # how much more than now
                with open("/proc/self/statm") as file:
                    value += int(file.read().split()[0]) * resource.getpagesize()
            resource.setrlimit(getattr(resource, name), (value, value))
        try:
            main(order["args"], prog_name=f"fastsvm-{app}")
        except SystemExit as end:
            sys.stdout.flush()
            os._exit(end.code)  # to tidy up after all that is imported would take longer than the rest
        except BaseException:
            sys.excepthook(*sys.exc_info())
        os._exit(99)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    if order["signal"]:
        time.sleep(order["delay"])
        os.kill(pid, order["signal"])
    status = os.waitpid(pid, 0)[1]
    print(json.dumps([os.waitstatus_to_exitcode(status), time.monotonic() - start]), flush=True)
"""
MODULES = {
    "sentiment": ("pipeline", "report", "prediction", "exporting"),
    "cells": ("pipeline", "report", "gallery", "places", "training"),
}


class Done(NamedTuple):
    """How a process ended: its exit code, or minus a signal; what it wrote; how long it took."""

    code: int
    out: str
    err: str
    seconds: float


class App:
    """Runs one of the apps, ``sentiment`` or ``cells``; an idle process keeps what it imports."""

    def __init__(self, name, folder):
        self._folder = folder
        command = [sys.executable, "-P", "-c", FORKS, name, *MODULES[name]]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __call__(self, *args, cwd, signal=None, delay=0.0, **limits):
        """Run a command line; send a signal after a delay; RLIMIT_AS is how much more than at the start."""
        out, err = (str(self._folder / name) for name in ("stdout", "stderr"))
        order = {"args": [str(arg) for arg in args], "cwd": str(cwd), "out": out, "err": err}
        order |= {"signal": signal, "delay": delay, "limits": limits}
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        code, seconds = json.loads(self._process.stdout.readline())
        with open(out, errors="replace") as o, open(err, errors="replace") as e:
            return Done(code, o.read(), e.read(), seconds)

    def close(self):
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()
