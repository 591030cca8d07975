"""The blocks of code on a page of the documentation, files for them to work on, and what they must print."""

import contextlib
import csv
import gzip
import io
import json
import math
import os
import re
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

from csv_rows import rows_of

ROOT = Path(__file__).parents[1]
NUMBER = r"[-+]?\d[\d,]*(?:\.\d+)?(?:e[-+]\d+)?"
BLOCK = re.compile(
    r"(?:<!-- not run: (?P<reason>[^\n]+?) -->\n)?^```(?P<language>python|sh|console)\n(?P<code>.*?)^```$"
    r"(?:\n\n<!-- output -->\n```text\n(?P<output>.*?)^```$)?",
    re.DOTALL | re.MULTILINE,
)
SCRIPTS = {
    "fastsvm": "-m fastsvm_apps.vectors",
    "fastsvm-sentiment": "-m fastsvm_apps.sentiment",
    "fastsvm-cells": "-m fastsvm_apps.cells",
    "fastsvm-studies": "-m fastsvm_apps.studies",
    "python": "",
}


def check_output(expected, printed):
    """Look for the parts between lines of dots, in this order; times and last digits may differ."""
    place, printed = 0, re.sub(r" +$", "", printed, flags=re.MULTILINE)
    assert expected.strip()
    for part in expected.rstrip("\n").split("\n...\n"):
        words = [re.sub(r"(?:\\ )+", " +", re.escape(text)) for text in re.split(NUMBER, part)]
        found = re.compile(rf"({NUMBER})".join(words)).search(printed, place)
        assert found, f"{part}\n\nis not in\n\n{printed[place:]}"
        for said, got in zip(re.findall(NUMBER, part), found.groups(), strict=True):
            last_digit = 10.0 ** -len(said.partition(".")[2].partition("e")[0])
            said, got = float(said.replace(",", "")), float(got.replace(",", ""))
            assert math.isclose(said, got, rel_tol=0.02, abs_tol=2.1 * last_digit), (
                f"{said}, not {got}: {part}"
            )
        place = found.end()


def run_page(text, folder):
    """Run the blocks of a page, each going on from the ones before; return how many there were."""
    blocks = list(BLOCK.finditer(text))
    assert len(blocks) == len(re.findall(r"^```(?:python|sh|console)$", text, re.MULTILINE))
    environment = {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "MPLBACKEND": "Agg"}
    run = partial(subprocess.run, cwd=folder, env=environment, text=True, timeout=300)
    names, ran = {"__name__": "__main__"}, 0
    for block in blocks:
        if block["reason"]:
            continue
        if block["language"] == "console":
            for command, output in re.findall(r"^\$ (.*)\n([^$]*)", block["code"], re.MULTILINE):
                done = run(["bash", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                check_output(output, done.stdout)
        elif block["language"] == "sh":
            done = run(["bash", "-euo", "pipefail", "-c", block["code"]], capture_output=True)
            assert done.returncode == 0, block["code"] + done.stderr
            printed = done.stdout
        else:
            out = io.StringIO()
            with contextlib.chdir(folder), contextlib.redirect_stdout(out):
                exec(compile(block["code"], "page", "exec"), names)
            printed = out.getvalue()
        if block["output"] is not None:
            check_output(block["output"], printed)
        ran += 1
    return ran


def prepare(folder):
    """Write the files that the pages speak of: made of the samples of the repository."""
    (folder / "bin").mkdir()
    for script, module in SCRIPTS.items():
        # Ctrl-C ends a review.
        stop = '[ "$1" != review ] || stop="timeout --preserve-status -s INT 20"'
        program = folder / "bin" / script
        program.write_text(f'#!/bin/sh\n{stop}\nexec $stop "{sys.executable}" {module} "$@"\n')
        program.chmod(0o755)
    (folder / "data").symlink_to(ROOT / "data")
    shutil.copy(ROOT / "data" / "reviews.txt", folder)
    with open(ROOT / "data" / "reviews.txt", encoding="utf-8") as corpus:
        lines = [line.split(None, 3) for line in corpus]
    for name, some in ("reviews", lines[:900]), ("new", lines[900:1400]), ("more", lines[1400:]):
        with open(folder / f"{name}.csv", "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["text", "label", "review", "stars", "country"])
            writer.writerows([x[3], x[1], x[3], x[1], "fi" if len(x[3]) % 2 else "nz"] for x in some)
        records = "".join(json.dumps({"text": x[3]}) + "\n" for x in some)
        (folder / f"{name}.jsonl").write_text(records)
        (folder / f"{name}.jsonl.gz").write_bytes(gzip.compress(records.encode()))
    (folder / "new.txt").write_text("a fine radio\nnot worth the money\n")
    (folder / "rows.svm.gz").write_bytes(gzip.compress(b"1 1:0.5 3:2\n-1 2:1\n1 3:1\n-1 1:1 2:0.5\n" * 50))
    (folder / "broken").write_text("1 1:1\n0 2:1 1:1\n")
    (folder / "rows.csv").write_text("a,b,label\n" + "1.5,2,yes\n2,0.5,no\n" * 50)
    (folder / "script.py").write_text("from sklearn.svm import LinearSVC\nprint(LinearSVC.__module__)\n")


def prepare_texts(folder):
    """Train the models that pages about texts use before, or without, training them."""
    from fastsvm_apps import sentiment

    for corpus, name in ("reviews.txt", "reviews"), ("reviews.csv", "old"), ("new.csv", "new"):
        sentiment.train(str(folder / corpus)).save(str(folder / f"{name}.safetensors"))


def prepare_cells(folder):
    """Link the sample smears by the names of the pages, train on them, and correct their labels."""
    samples = ROOT / "data" / "cells"
    for name in "smears", "images", "others":
        (folder / name).symlink_to(samples / "images")
    (folder / "groups.csv").symlink_to(samples / "groups.csv")
    (folder / "ward").symlink_to(samples / "images")
    shutil.copy(samples / "groups.csv", folder / "patients.csv")
    (folder / "smear.jpg").symlink_to(samples / "images" / "NEUTROPHIL" / "smear_28.jpg")
    for line in "train images -o own.safetensors -q", "classify smears -o cells.csv":
        command = [sys.executable, "-m", "fastsvm_apps.cells", *line.split()]
        subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    cells = [(row, row["file"].split("/")[0]) for row in rows_of(folder / "cells.csv") if row["label"]]
    corrections = [
        {"file": row["file"], "box": [int(row[side]) for side in "xywh"], "old": row["label"], "new": new}
        for row, new in cells
    ]
    classes = sorted({new for _, new in cells})
    content = {"version": 1, "model": "shipped", "classes": classes, "corrections": corrections}
    (folder / "corrections.json").write_text(json.dumps(content))
