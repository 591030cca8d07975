"""Too little memory or disk: a line that says so, and what was there stays."""

import re
import signal
import sys
from itertools import product

import cv2
import pytest

from app_runs import DATA, App, with_samples
from pairs import slow_but

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of Linux processes")

SMEARS = DATA / "cells" / "images"
MB = 1 << 20


@pytest.fixture(scope="module")
def sentiment():
    with App("sentiment", "cells") as app:
        yield app


@pytest.fixture(scope="module")
def cells(sentiment):
    return sentiment.other("cells")


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """Return a folder with an image of 16 million pixels in each format, and a smear."""
    folder = tmp_path_factory.mktemp("large")
    image = cv2.imread(str(next((SMEARS / "LYMPHOCYTE").iterdir())))
    cv2.imwrite(str(folder / "smear.png"), image)
    for ending in ("jpg", "png", "tif", "bmp"):
        cv2.imwrite(str(folder / f"large.{ending}"), cv2.resize(image, (4000, 4000)))
    return folder


@pytest.fixture
def inputs(tmp_path):
    return with_samples(tmp_path)


def contents(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def left_by_killed(folder):
    """Contents, but for the hidden files of a process that had no time to remove them: the next one does."""
    return {path: content for path, content in contents(folder).items() if path.suffix != ".tmp"}


def fails(done, pattern):
    """The last line says what is wrong; those before are notes."""
    *notes, last = done.err.splitlines()
    assert done.code == 1, done
    assert re.fullmatch(f"error: .*{pattern}.*", last), done.err
    # CPython says this of a bytearray that found no memory to be split.
    own = "SystemError: deallocated bytearray object has exported buffers"
    assert all(line.startswith("note: ") or line == own for line in notes), done.err


# Memory

MEMORY = [0, 2, 10, 30]  # MB more than what is imported takes


def is_ended_by_library(done):
    """Tell whether glibc, Rust (safetensors) or CPython is at an end: no code of ours runs after that.

    CPython waits for ever for a thread that finds no memory before it can say that it has begun.
    """
    if done.err.count("Timeout (") == 1 and re.search(r'threading\.py", line \d+ in start$', done.err, re.M):
        assert "MemoryError" in done.err, done
        return True
    if done.code == -signal.SIGABRT:
        assert re.search(r"^memory allocation of \d+ bytes failed$", done.err, re.MULTILINE), done
    # What glibc says of a thread without room for its variables may go where the decoders' complaints go.
    return done.code in (127, -signal.SIGABRT)


TEXTS = slow_but([("train", 30)], product(["train", "inspect"], MEMORY))


@pytest.mark.parametrize(("command", "megabytes"), TEXTS)
def test_texts_and_memory(sentiment, tmp_path, command, megabytes):
    corpus = tmp_path / "corpus.txt"
    line = b"toys %s 1.txt " + b" ".join(b"w%x" % n for n in range(2000)) + b"\n"
    corpus.write_bytes(b"".join(line % label for label in [b"pos", b"neg"] * 1000))
    (tmp_path / "m.safetensors").write_bytes(b"")
    options = ["-o", "new.safetensors"] if command == "train" else []
    done = sentiment(command, corpus, *options, cwd=tmp_path, RLIMIT_AS=megabytes * MB)
    if done.code:
        if not is_ended_by_library(done):
            fails(done, "(out of memory|a library cannot be loaded)")
        left = left_by_killed if is_ended_by_library(done) else contents
        assert sorted(path.name for path in left(tmp_path)) == ["corpus.txt", "m.safetensors"]
    assert "Traceback" not in done.err
    assert megabytes or done.code


IMAGES = slow_but([("classify", 30)], product(["classify", "crop", "train"], [*MEMORY, 100, 200]))


@pytest.mark.parametrize(("command", "megabytes"), IMAGES)
def test_images_and_memory(cells, inputs, tmp_path, large, command, megabytes):
    outputs = {"classify": ["-o", "c.csv"], "crop": ["-o", "crops"], "train": ["--folds", 1, "--versions", 1]}
    before = contents(tmp_path)
    folder = "smears" if command == "train" else large
    done = cells(command, folder, *outputs[command], cwd=tmp_path, RLIMIT_AS=megabytes * MB)
    assert "Traceback" not in done.err
    if is_ended_by_library(done):
        left = left_by_killed(tmp_path)
        assert before.items() <= left.items()
        assert command == "crop" or left == before
        crops = left.keys() - before.keys()
        assert all(cv2.imread(str(path)) is not None for path in crops)  # each is whole
    elif done.code == 1:
        fails(done, "(out of memory|a library cannot be loaded|too large for the available memory)")
        assert contents(tmp_path) == before
    else:  # the images that fit were worked on, the others are named for what they are
        assert done.code in (0, 3)
        assert "damaged" not in done.err
        n_large = done.err.count("too large for the available memory")
        assert done.code == (3 if n_large else 0)


# Disk

WRITING = {
    "sentiment": [
        ("train", "reviews.txt", "--alpha", 1e-3, "-o", "out/m.safetensors"),
        ("train", "reviews.txt", "--alpha", 1e-3, "-o", "m.safetensors", "--report", "out/r.html"),
        ("export", "english", "--to", "pruned", "--keep", "99", "-o", "out/m.safetensors"),
        ("export", "english", "--to", "liblinear", "-o", "out/m.model"),
        ("explain", "english", "--plot", "out/w.png"),
    ],
    "cells": [
        ("train", "smears", "--folds", 1, "--versions", 1, "--alpha", 0.1, "-o", "out/m.safetensors"),
        ("classify", "smears", "--report", "out/r.html"),
        ("classify", "smears", "-o", "out/c.csv"),
        ("classify", "smears", "--overlay", "out"),
        ("crop", "smears", "-o", "out"),
    ],
}
QUICK = {"sentiment": ("out/m.safetensors", "out/m.json"), "cells": ("out/c.csv",)}  # model, text, table
LINES = [(app, line) for app, lines in WRITING.items() for line in lines]
CASES = slow_but([(app, line) for app, line in LINES if line[-1] in QUICK[app]], LINES)


@pytest.mark.parametrize(("app", "line"), CASES, ids=lambda value: value if type(value) is str else value[0])
def test_a_limit_of_files(request, inputs, tmp_path, app, line):
    """As on a full disk: what was there stays, and nothing else is. (Models replace but models.)"""
    run, old, before = request.getfixturevalue(app), tmp_path / line[-1], {}
    (tmp_path / "out").mkdir()
    if start := {".png": b"\x89PNG", ".html": b"<html>", ".csv": b"old"}.get(old.suffix):
        old.write_bytes(start)
        before = {old: start}
    for limit in (0, 500):
        done = run(*line, cwd=tmp_path, RLIMIT_FSIZE=limit)
        fails(done, "File too large")
        whole = contents(tmp_path / "out")
        if line[0] == "crop" or "--overlay" in line:  # a few may be small enough
            assert all(cv2.imread(str(path)) is not None for path in whole)
        else:
            assert whole == before
