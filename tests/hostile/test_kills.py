"""Ctrl-C and `kill -9` at random moments, and two writers at once: what was there stays whole."""

import random
import re
import signal
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from app_runs import App, with_samples
from fastsvm import load_model

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals and forks")

SEEDS, WIDTHS = ("--seed 0", "--seed 1"), ("", "--cell-width 75")
# Commands that write, each with options for two versions of what they write.
COMMANDS = {
    "sentiment": {
        "train": ("train reviews.txt --alpha 1e-3 -o out/m.safetensors --report out/r.html", SEEDS),
        "export": ("export english -o out/e", ("--to pruned --keep 2000", "--to pruned --keep 2001")),
    },
    "cells": {
        "train": ("train smears --alpha 0.1 --folds 1 -o out/m.safetensors", WIDTHS),
        "classify": ("classify smears -o out/c.csv --report out/r.html --overlay out", WIDTHS),
        "crop": ("crop smears -o out", WIDTHS),
    },
}


class Place:
    """A folder in which a command is run, over what it has written before."""

    def __init__(self, folder, app, command):
        self.app, self._folder = app, folder
        self._line, self._versions = COMMANDS[app.name][command]
        self.out = folder / "out"
        with_samples(folder)
        self._whole = {}
        for version in (1, 0):
            self.out.mkdir(exist_ok=True)
            done = self.run(version)
            assert done.code == 0, done.err
            self.seconds = done.seconds
            for path in self.files():
                self._whole.setdefault(path, set()).add(path.read_bytes())

    def run(self, version, app=None, **options):
        arguments = f"{self._line} {self._versions[version]}".split()
        return (app or self.app)(*arguments, cwd=self._folder, **options)

    def files(self):
        found = (path for path in self.out.rglob("*") if path.is_file() and path.suffix != ".tmp")
        return sorted(path for path in found if path.parent.suffix != ".part")  # steps to resume from

    def temporary(self):
        return list(self.out.rglob(".fastsvm-*.tmp"))

    def check(self):
        """What one of the versions has written is there, whole, and nothing else."""
        assert self.files() == sorted(self._whole)
        for path in self.files():
            content = path.read_bytes()
            if path.suffix == ".html":  # times are in it
                assert content.startswith(b"<!DOCTYPE html>")
                assert content.rstrip().endswith(b"</html>")
            elif path.suffix != ".safetensors" or self.app.name != "cells":  # its threads add in any order
                assert content in self._whole[path], path
            if path.suffix == ".safetensors":
                load_model(path)


def at_random(place, kind, n, seed):
    """Run a command, and send a signal at a random moment, until n runs have not been done before it."""
    rng = random.Random(seed)
    for trial in range(10 * n):
        done = place.run(trial % 2, signal=kind, delay=rng.uniform(0, place.seconds))
        yield done
        place.check()
        n -= done.code != 0
        if n == 0:
            return
    pytest.fail("the signals come too late")


def kills(place, n):
    """Kill a command n times."""
    for done in at_random(place, signal.SIGKILL, n, seed=0):
        assert done.code in (0, -signal.SIGKILL)
    for path in place.temporary():  # the unfinished files of killed commands
        path.unlink()
    assert place.run(1).code == 0
    assert place.temporary() == []
    assert list(place.out.rglob("*.part")) == []
    place.check()


def interrupts(place, kind, code, n):
    """End a command n times in a way that leaves nothing behind."""
    for done in at_random(place, kind, n, seed=1):
        lines = [line for line in done.err.splitlines() if line and not line.startswith("note: ")]
        if done.code == 0:
            assert lines == []
        else:
            assert (done.code, len(lines)) == (code, 1), done.err
            assert re.fullmatch("error: interrupted(; no .* was written)?", lines[0])
        assert place.temporary() == []


@pytest.fixture(scope="module", params=COMMANDS)
def places(request, tmp_path_factory):
    """Return a place for each command of an app."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # programs inherit it, and nohup has it ignored
    with App(request.param) as app:
        yield [Place(tmp_path_factory.mktemp(command), app, command) for command in COMMANDS[app.name]]


HOW_OFTEN = 16  # times five commands


@pytest.mark.slow
def test_killed(places):
    for place in places:
        kills(place, HOW_OFTEN)


@pytest.mark.slow
def test_interrupted(places):
    for place in places:
        interrupts(place, signal.SIGINT, 1, HOW_OFTEN)
        interrupts(place, signal.SIGTERM, 143, HOW_OFTEN // 4)
        interrupts(place, signal.SIGHUP, 129, HOW_OFTEN // 4)


@pytest.mark.slow
def test_two_write_the_same(places):
    """The output is that of one of them."""
    app = places[0].app
    with App(app.name) as other, ThreadPoolExecutor(2) as threads:
        for place in places:
            for _ in range(HOW_OFTEN // 2):
                both = [*threads.map(place.run, (0, 1), (app, other))]
                assert [done.code for done in both] == [0, 0], [done.err for done in both]
                place.check()
                assert place.temporary() == []
