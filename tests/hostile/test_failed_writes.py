"""The k-th write fails, whichever it is: what goes on is right or refuses, and nothing wrong is read back."""

import builtins
import errno
import io
import json
import os
import re
from contextlib import suppress
from functools import partial
from itertools import chain, count
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse

import fastsvm
import fastsvm_apps
from fastsvm.fitting.checkpoint import Checkpoint
from fastsvm.io import MatrixWriter, load
from fastsvm.io.layout import MANIFEST
from fastsvm.solvers._solver import SolverState
from fastsvm.text.spilled import SpilledTerms
from fastsvm.text.terms import Terms
from fastsvm_apps.cells.finding.findings import FoundCell
from fastsvm_apps.cells.output.report_page import ReportCell
from fastsvm_apps.cells.output.review_server import Work
from fastsvm_apps.common.cache import Cache
from fastsvm_apps.sentiment.jobs.streamed_training import ShardSpool

REFUSAL = "damaged by a failed write"
ALL = [0, 1, 2]

# Each returns what writes a number, what reads the numbers that are there, and what ends the writing.


def matrix(folder):
    writer = MatrixWriter(folder / "X", key=1)

    def read():
        with writer:
            X, y = load(folder / "X", verify=True)
        np.testing.assert_array_equal(X.toarray(), np.repeat(y.astype(int)[:, None] + 1, 4, axis=1))
        assert json.loads((folder / "X" / MANIFEST).read_text())["labels"] == [*dict.fromkeys(y)]
        return y[::9].astype(int)

    def write(k):
        writer.append(sparse.csr_matrix(np.full((9, 4), k + 1)), [f"{k}"] * 9)

    return write, read, lambda: writer.save(3), writer.finish


def terms(folder):
    spilled, words = SpilledTerms(folder), [["a", "bc"], ["a", "b", "c"], ["b", "c", "d"]]

    def write(k):
        content, ends = np.frombuffer("".join(words[k]).encode(), np.uint8), np.cumsum([*map(len, words[k])])
        spilled.add(Terms(content, ends), np.full((len(ends), 1), 1 << 8 * k))

    def read():
        found, counts, _ = spilled.merged(1)
        names = [found.at([k]).content.tobytes().decode() for k in range(len(counts))]
        there = [k for k in ALL if ((counts >> 8 * k) & 255).any()]
        assert names == sorted({*chain(*(words[k] for k in there))})
        sums = [sum(1 << 8 * k for k in there if name in words[k]) for name in names]
        assert counts.ravel().tolist() == sums
        return there

    return write, read


def spool(folder):
    shards = ShardSpool(folder / "s")
    return lambda k: shards.append([(0.5, f"{k}", "a")] * 99), lambda: [int(shard[98][1]) for shard in shards]


def checkpoint(folder):
    kept = Checkpoint(folder / "c", {"rows": 9})

    def write(k):
        kept.states[k] = SolverState(np.full(9, k / 9), 0.0, k, 0)
        kept._write_file()

    def read():
        states = Checkpoint(folder / "c", {"rows": 9}).states
        return [k for k, state in states.items() if (state.dual == k / 9).all() and state.done == k]

    return write, read


def cache(folder):
    kept = Cache(folder)
    found = (kept.find(f"{k}") for k in ALL)
    return lambda k: kept.get(f"{k}", lambda: {"k": np.full(99, k)}), lambda: [e["k"][98] for e in found if e]


def corrections(folder):
    cells = [ReportCell(k, f"{k}.png", None, FoundCell((0, 0, 9, 9), (4, 4), 9, "A", 0.5)) for k in ALL]
    work = Work(os.fspath(folder / "c"), SimpleNamespace(name="m", classes=["A"]), cells)

    def read():
        there = json.loads((folder / "c").read_text())["corrections"]
        assert len(there) == len(work.verdicts)
        return [int(entry["file"][0]) for entry in there]

    return lambda k: work.put({**work.verdicts, k: "A"}, work.version), read


# What is read again, by the module that opens it to write; what uses `replacing` is here if it then goes on.
KEEPING = {
    "fastsvm/io/writer.py": [matrix],
    "fastsvm/text/spilled.py": [terms],
    "fastsvm/_utils/atomic.py": [checkpoint, cache, corrections],
    "fastsvm_apps/sentiment/jobs/streamed_training.py": [spool],
}


@pytest.fixture
def disk(monkeypatch):
    """A disk whose `left`-th step fails: a write, half done, or one that makes a file safe or names it."""
    disk, open_file = SimpleNamespace(left=-9, often=1), builtins.open

    def failing(call, half=lambda *args: None):
        def step(*args, **more):
            disk.left -= 1
            if -disk.often < disk.left <= 0:
                half(*args)
                raise disk.error
            return call(*args, **more)

        return step

    class File(io.FileIO):
        write = failing(io.FileIO.write, lambda file, part: io.FileIO.write(file, part[: len(part) // 2]))
        truncate = failing(io.FileIO.truncate)

    def opened(path, mode="r", buffering=-1, *args, opener=None, **more):
        if "b" not in mode or mode == "rb":
            return open_file(path, mode, buffering, *args, opener=opener, **more)
        file = File(path, mode.replace("b", ""), opener=opener)
        return io.BufferedWriter(file) if buffering else file

    monkeypatch.setattr(builtins, "open", opened)
    for name, call in {"fsync": int, "replace": os.replace, "rename": os.rename}.items():
        monkeypatch.setattr(os, name, failing(call))
    return disk


def failure(call):
    try:
        call()
    except (OSError, KeyboardInterrupt) as error:
        return error


@pytest.mark.parametrize(("goes_on", "often"), [("again", 1), ("with the next", 1), ("with the next", 2)])
@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "full"), KeyboardInterrupt()], ids=repr)
@pytest.mark.parametrize("made", [*chain(*KEEPING.values())])
def test_every_write_fails(made, error, goes_on, often, tmp_path, disk):
    for k in count(1):
        (folder := tmp_path / f"{k}").mkdir()
        write, read, *end = made(folder)
        calls = [*(partial(write, number) for number in ALL), *end]
        disk.left, disk.often, disk.error = k, often, error
        lost, refused = set(), False
        for number, call in enumerate(calls):
            failed = failure(call)
            if failed and goes_on == "again":
                failed = failure(call)
                assert not failed or REFUSAL in str(failed)
            refused |= REFUSAL in str(failed)
            lost |= {number} if failed else set()
        is_over, disk.left = disk.left > 0, -9
        if is_over:  # there are no more writes to fail
            assert [*read()] == ALL
            break
        never_complete = refused or len(calls) - 1 in lost
        with suppress(*(OSError, ValueError) * never_complete):
            assert {*ALL} - lost <= {*read()} <= {*ALL}


def test_all_that_writes_is_in_the_table():
    """Examples in docstrings may open files."""
    writes = r'^(?! *(>>>|[.]{3})).*(\bopen\(.*, "[rb+]*[wax+]|[.](write_(text|bytes)|tofile|memmap)\()'
    found = set()
    for top in fastsvm, fastsvm_apps:
        root = Path(top.__file__).parent
        for file in root.rglob("*.py"):
            if re.search(writes, file.read_text(encoding="utf-8"), re.MULTILINE):
                found.add(f"{top.__name__}/{file.relative_to(root).as_posix()}")
    assert found == KEEPING.keys(), "let what writes files use `replacing`, or put it into KEEPING"
