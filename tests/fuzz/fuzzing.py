"""Drive a fuzz target: by atheris where it is installed, else by random changes to the target's seeds.

A harness is a file with a function `target(data)`, which raises on a finding, and inputs to start from,
`SEEDS`. Run one by hand for as long as you like::

    python tests/fuzz/fuzz_corpus.py                         # until Ctrl-C; -max_total_time=3600, -runs=1000
    python tests/fuzz/fuzz_corpus.py -jobs=2 /tmp/corpus     # keeps what it learns; all options of libFuzzer
    python tests/fuzz/fuzz_corpus.py crash-0123abcd          # once more what failed

Only Python code guides atheris; the kernels are not instrumented, so targets compare what they return.
"""

import contextlib
import gc
import hashlib
import os
import random
import sys
import tempfile
import time
from pathlib import Path
from types import FunctionType

try:
    import atheris
except ImportError:  # no wheel for this Python or system
    atheris = None

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
        if atheris is None:
            _run(target, seeds, *_arguments(sys.argv[1:]))
        elif child := os.fork():  # atheris ends its process at once; somebody has to clear away
            sys.exit(os.waitstatus_to_exitcode(_waited(child)))
        else:
            _run_atheris(target, seeds, ("fastsvm", "fastsvm_apps", *modules))


def _waited(child):
    while True:
        with contextlib.suppress(KeyboardInterrupt):  # the child gets it too, and says how far it came
            return os.waitpid(child, 0)[1]


def _run_atheris(target, seeds, modules):
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


# Without atheris: the most useful of libFuzzer's options, and changes like its own without its guidance.


def _arguments(arguments):
    options = {"max_total_time": 0, "runs": -1, "seed": 0, "artifact_prefix": "./"}
    options |= dict(argument[1:].split("=", 1) for argument in arguments if argument.startswith("-"))
    return [path for path in arguments if not path.startswith("-")], options


def _run(target, seeds, paths, options):
    if paths:
        for path in paths:
            target(Path(path).read_bytes())
        return
    seconds, runs = float(options["max_total_time"]) or float("inf"), int(options["runs"])
    begun, n = time.monotonic(), 0
    for data in changed(seeds, int(options["seed"])):
        if n == runs or time.monotonic() - begun > seconds:
            break
        n += 1
        try:
            target(data)
        except BaseException:
            path = f"{options['artifact_prefix']}crash-{hashlib.sha1(data).hexdigest()}"
            Path(path).write_bytes(data)
            print(f"Test unit written to {path}", file=sys.stderr)
            raise
    print(f"Done {n} runs in {time.monotonic() - begun:.0f} second(s)", file=sys.stderr)


def changed(seeds, seed):
    """Yield each seed as it is, then changed ones without end."""
    yield from seeds
    chance = random.Random(seed)
    while True:
        data = bytearray(chance.choice(seeds))
        for _ in range(1 << chance.randrange(5)):
            at, n = chance.randint(0, len(data)), 1 << chance.randrange(6)
            other = chance.choice(seeds)
            there = chance.randint(0, len(other))
            new = chance.choice(
                [
                    b"",
                    chance.randbytes(n),
                    bytes([chance.choice((0, 1, 0x7F, 0x80, 0xFF))]) * n,
                    other[there : there + n],
                    data[at : at + n] * 2,
                ]
            )
            data[at : at + chance.choice((0, n, len(new)))] = new
        yield bytes(data)
