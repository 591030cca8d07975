"""Drive a fuzz target by atheris.

A harness is a file with a function `target(data)`, which raises on a finding, and inputs to start from,
`SEEDS`. Run one by hand for as long as you like::

    python tests/fuzz/fuzz_corpus.py                         # until Ctrl-C; -max_total_time=3600, -runs=1000
    python tests/fuzz/fuzz_corpus.py -jobs=2 /tmp/corpus     # keeps what it learns; all options of libFuzzer
    python tests/fuzz/fuzz_corpus.py crash-0123abcd          # once more what failed

Only Python code guides atheris; the kernels are not instrumented, so targets compare what they return.
"""

import contextlib
import gc
import os
import sys
import tempfile
from pathlib import Path
from types import FunctionType

SCRATCH = tempfile.TemporaryDirectory(
    prefix="fastsvm-fuzz-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None
)


class Choices:
    """What an input chooses, from its first byte on; zeros behind its end."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, n):
        """Return the next bytes, n at most."""
        self.at += n
        return self.data[self.at - n : self.at]

    def rest(self):
        """Return all bytes that are left."""
        return self.take(max(0, len(self.data) - self.at))

    def below(self, n):
        """Return an integer of 0 to n - 1."""
        return int.from_bytes(self.take(1 if n <= 256 else 2 if n <= 65536 else 8), "little") % n

    def pick(self, options):
        """Return one of a list or tuple."""
        return options[self.below(len(options))]

    def flag(self):
        """Return a bool."""
        return bool(self.below(2))


def scratch(name, content):
    """Write a file into memory, if this system has such a place, and return its path."""
    path = os.path.join(SCRATCH.name, name)
    with open(path, "wb") as file:
        file.write(content)
    return path


def main(target, seeds, *modules):
    """Run a target as the command line says; `modules` are names of what guides atheris beside fastsvm."""
    with contextlib.suppress(KeyboardInterrupt):
        if child := os.fork():  # atheris ends its process at once; somebody has to clear away
            sys.exit(os.waitstatus_to_exitcode(_waited(child)))
        else:
            _run_atheris(target, seeds, ("fastsvm", "fastsvm_apps", *modules))


def _waited(child):
    while True:
        with contextlib.suppress(KeyboardInterrupt):  # the child gets it too, and says how far it came
            return os.waitpid(child, 0)[1]


def _run_atheris(target, seeds, modules):
    import atheris  # the default tests do without it

    for function in gc.get_objects():
        if isinstance(function, FunctionType) and str(function.__module__).startswith(modules):
            atheris.instrument_func(function)
    folder = os.path.join(SCRATCH.name, "seeds")
    os.mkdir(folder)
    for k, seed in enumerate(seeds):
        Path(folder, str(k)).write_bytes(seed)
    arguments = sys.argv[1:]
    paths = [path for path in arguments if not path.startswith("-")]
    if not all(map(os.path.isfile, paths)) or not paths:  # single files are only tried, once
        arguments.append(folder)
    atheris.Setup([sys.argv[0], *arguments], target)
    atheris.Fuzz()
