"""Standard streams that are closed (as by cron), that nobody reads, or that are full: no result is lost."""

import os
import re
import shutil
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

import fastsvm_apps
from app_runs import with_samples
from pairs import slow_but

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX streams")

INPUTS = {"reviews.txt", "smears"}
BAD = "x"  # a record that is skipped

# Of each command its arguments, the files that it writes, and its exit code.
CELLS = "smears --cell-width 80"
COMMANDS = {
    "sentiment predict": ("english reviews.txt", "", 3),
    "sentiment predict --json": ("english reviews.txt", "", 3),
    "sentiment train": ("reviews.txt -o m.safetensors --report r.html", "m.safetensors r.html", 3),
    "sentiment inspect": ("reviews.txt", "", 3),
    "sentiment evaluate": ("english reviews.txt", "", 3),
    "sentiment explain": ("english boring", "", 0),
    "sentiment explain --plot": ("english --plot p.svg", "p.svg", 0),
    "sentiment export": ("english --to pruned --keep 99 -o e", "e", 0),
    "cells crop": (f"{CELLS} -o boxes.csv", "boxes.csv", 3),
    "cells train": (f"{CELLS} -o m.safetensors --folds 1", "m.safetensors", 3),
    "cells classify": (f"{CELLS} -o c.csv --report r.html --overlay drawn", "c.csv r.html drawn", 3),
    "cells evaluate": (f"model {CELLS} --mistakes p.png", "p.png", 3),
}
# What is printed may fail when it is written, or later, when it is flushed.
AT_ONCE = {**os.environ, "PYTHONUNBUFFERED": "1"}
LATER = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
PLAIN = {"stdin": subprocess.DEVNULL, "text": True}
CLOSED = ("<&-", ">&-", "2>&-", "<&- >&-", ">&- 2>&-", "<&- >&- 2>&-")


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    """Return a folder with a corpus and images, of which one each is bad, and one is of another class."""
    folder = with_samples(tmp_path_factory.mktemp("inputs"))
    with open(folder / "reviews.txt", "a", encoding="utf-8") as file:
        file.write(f"{BAD}\n")
    (folder / "smears" / "bad.jpg").write_text(BAD)
    neutrophil = min((folder / "smears" / "NEUTROPHIL").iterdir())
    shutil.copy(neutrophil, folder / "smears" / "LYMPHOCYTE" / "wrong.jpg")
    return folder


def begin(command, inputs, folder):
    """Return the command line of a command, to be run in a folder, and which files it is to write."""
    app, name, *more = command.removesuffix(" --plot").split()
    arguments, files, code = COMMANDS[command]
    for entry in INPUTS:
        os.symlink(inputs / entry, folder / entry)
    shipped = Path(fastsvm_apps.__file__).parent / "cells/shipped/white_cells.safetensors"
    arguments = [str(shipped) if argument == "model" else argument for argument in arguments.split()]
    line = [sys.executable, "-P", "-m", f"fastsvm_apps.{app}", name, *more, *arguments, "-v"]
    return line, files.split(), code


def check_files(folder, files):
    there = {entry.name for entry in folder.iterdir()} - INPUTS
    assert there == {*files}
    for name in files:
        content = (folder / name).read_bytes() if (folder / name).is_file() else b""
        assert content or len(list((folder / name).rglob("*.jpg"))) == 9
        for printed in (b" ...\n", b"skipped\n", b"error: ", b"Traceback"):  # none of it is in a file
            assert printed not in content or name.endswith((".html", ".png"))


def cases(streams, *quick):
    """Return pairs of a command and streams: one command with all of them, the others with the last.

    A closed stream is opened before a command begins: how they combine is the same for every command.
    """
    first, *others = COMMANDS
    return slow_but(quick, [*product([first], streams), *product(others, streams[-1:])])


ONE_CLOSED = ("sentiment predict", CLOSED[-2])


@pytest.mark.parametrize(("command", "closed"), cases(CLOSED, ONE_CLOSED, ("sentiment train", CLOSED[-1])))
def test_closed(command, closed, inputs, tmp_path):
    line, files, code = begin(command, inputs, tmp_path)
    shell = ["sh", "-c", f'exec "$@" {closed}', "sh", *line]
    done = subprocess.run(shell, **PLAIN, cwd=tmp_path, capture_output=True, timeout=300)
    is_lost = ">&-" in closed.split() and not files
    assert done.returncode == (1 if is_lost else code), done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    assert ("error: <stdout>: is closed;" in done.stderr) == (is_lost and "2>&-" not in closed.split())
    assert done.stderr.count("rror") == done.stderr.count("error: <stdout>:")
    assert bool(done.stdout) == (">&-" not in closed.split())
    assert bool(done.stderr) == ("2>&-" not in closed.split())
    check_files(tmp_path, files)


LEFT = [(1,), (2,), (1, 2)]


@pytest.mark.parametrize(("command", "left"), cases(LEFT, ("sentiment predict", (1,))), ids=str)
def test_readers_that_have_left(command, left, inputs, tmp_path):
    line, files, code = begin(command, inputs, tmp_path)
    reading, writing = os.pipe()
    os.close(reading)
    streams = {1: subprocess.PIPE, 2: subprocess.PIPE} | dict.fromkeys(left, writing)
    options = {**PLAIN, "cwd": tmp_path, "env": AT_ONCE, "stdout": streams[1], "stderr": streams[2]}
    with subprocess.Popen(line, **options) as process:
        os.close(writing)
        out, err = process.communicate(timeout=300)
    assert process.returncode in ((0, code) if 1 in left else (code,)), err
    assert "Traceback" not in f"{out}{err}"
    assert "rror" not in f"{err}"
    assert out or 1 in left
    check_files(tmp_path, files)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
@pytest.mark.parametrize(("command", "full"), cases([2, 1], ("sentiment predict", 1)))
def test_full_devices(command, full, inputs, tmp_path):
    line, files, code = begin(command, inputs, tmp_path)
    with open("/dev/full", "w") as device:
        streams = {1: subprocess.PIPE, 2: subprocess.PIPE, full: device}
        options = {**PLAIN, "cwd": tmp_path, "env": LATER, "stdout": streams[1], "stderr": streams[2]}
        done = subprocess.run(line, **options, timeout=300)
    assert "Traceback" not in f"{done.stdout}{done.stderr}"
    if full == 2:
        assert done.returncode == code
        assert done.stdout
        check_files(tmp_path, files)
    else:
        assert done.returncode == 1
        assert re.search(r"\nerror: <stdout>: No space left on device\n\Z", done.stderr)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
def test_a_full_disk_is_named(inputs, tmp_path):
    line = [*begin("sentiment predict", inputs, tmp_path)[0], "-o", "/dev/full"]
    done = subprocess.run(line, **PLAIN, cwd=tmp_path, capture_output=True, timeout=300)
    assert done.returncode == 1
    assert done.stderr.endswith("error: /dev/full: No space left on device\n")


@pytest.mark.slow
@pytest.mark.parametrize("option", ["--version", "--help"])
def test_help(option):
    command = [sys.executable, "-P", "-m", "fastsvm_apps.sentiment", option]
    for streams in (">&-", "2>&-", "<&-", "<&- >&- 2>&-"):
        done = subprocess.run(["sh", "-c", f'exec "$@" {streams}', "sh", *command], capture_output=True)
        assert (done.returncode, done.stderr) == (0, b"")
    if os.path.exists("/dev/full"):
        with open("/dev/full", "w") as device:
            done = subprocess.run(command, stdout=device, stderr=subprocess.PIPE, text=True)
        assert (done.returncode, done.stderr) == (1, "error: No space left on device\n")
