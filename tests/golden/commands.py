"""What each command of the programs writes on the samples in data/, and what it takes."""

import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

DATA = Path(__file__).resolve().parents[2] / "data"
# In one folder, in this order: some read what others write.
COMMANDS = """
vectors fit rows.svm -o rows.safetensors --json
vectors fit rows.svm -o rows.model -s 0 -c 0.1 -w1 2 --json
vectors fit rows.csv --kernel rbf --gamma 0.1 -o kernel.safetensors --json
vectors fit rows.svm -v 3 --json
vectors cv rows.svm -v 3 --json
vectors path rows.svm -n 4 -o path.npz --json
vectors predict rows.safetensors rows.svm --scores --json
vectors predict rows.model rows.svm --proba
vectors predict kernel.safetensors rows.csv
vectors certify rows.safetensors rows.svm --json
vectors certify rows.model rows.svm --cost 0.1
vectors convert rows.svm rows.tsv --json
vectors convert rows.safetensors converted.model --json
sentiment train data/reviews.txt -o reviews.safetensors --json --report train.html
sentiment train data/reviews_test.txt -o small.safetensors --recipe article --folds 3
sentiment train data/reviews_test.txt -o bent.safetensors --classifier kernel-sdca --recipe nb-words
sentiment train data/reviews_test.txt -o stream.safetensors --stream --json
sentiment train data/reviews_test.txt -o more.safetensors --continue small.safetensors --json
sentiment evaluate reviews.safetensors data/reviews_test.txt --json --mistakes wrong.csv --report test.html
sentiment evaluate reviews.safetensors small.safetensors data/reviews_test.txt --precision 0.9
sentiment predict reviews.safetensors data/reviews_test.txt --proba --json
sentiment predict english lines.txt --unsure 0.4-0.6
sentiment explain reviews.safetensors -n 5 --json
sentiment explain reviews.safetensors "a great film, but not good" --json
sentiment explain english "what a waste of money"
sentiment export reviews.safetensors --to pruned --keep 100 -o pruned.safetensors --json
sentiment export reviews.safetensors --to liblinear -o reviews.model
sentiment inspect data/reviews_test.txt --json -o suspects.csv
cells train data/cells/images --groups data/cells/groups.csv --folds 3 --versions 1 --json
cells classify data/cells/new --json -o cells.csv --report cells.html
cells classify data/cells/new/EOSINOPHIL -m cells.safetensors --also rbc --export coco.json --overlay drawn
cells evaluate cells.safetensors data/cells/new --json --mistakes mistakes.png
cells explain data/cells/new/MONOCYTE/smear_45.jpg --json
cells crop data/cells/new/MONOCYTE -o crops --json
cells adapt shipped data/cells/images --classes MONOCYTE,EOSINOPHIL -o adapted.safetensors --json
studies compare rows.csv --runs 2 --epochs 4 --json
studies digits --quick --runs 2 -o digits
sentiment predict missing.safetensors lines.txt
vectors fit missing.svm
vectors fit rows.svm -c -1
cells classify missing
vectors --help
sentiment train --help
cells classify --help
studies --help
"""
# Runs a command; writes which modules it imported, and what it took, into the last file.
RUN = """
import atexit, json, os, resource, sys
app, target, *sys.argv[1:] = sys.argv[1:]
@atexit.register
def note():
    ours = sorted(name for name in sys.modules if name.startswith("fastsvm"))
    used = resource.getrusage(resource.RUSAGE_SELF)
    figures = {"MB": used.ru_maxrss / 1024, "CPU s": used.ru_utime + used.ru_stime}
    with open(target, "w") as file:
        json.dump([ours, figures | {"modules": len(sys.modules), "own modules": len(ours)}], file)
from importlib import import_module
import_module(f"fastsvm_apps.{app}.cli").main(prog_name=app)
"""
TIMES = re.compile(r"\(95 % of them to [^)]*|\b[\d.,]+ ?(?:ms|s|min|seconds?)\b|\d\d:\d\d(:\d\d)?")
STAGES = re.compile(r"(?m)^stage +seconds\n(.+\n)*")  # a table of times


def without_times(line):
    """A line of a page, or the value of a JSON line, without what differs between two runs."""
    try:
        value = json.loads(line)
    except ValueError:
        return TIMES.sub("TIME", line)
    return untimed(value)


def untimed(value):
    if isinstance(value, dict):
        return {name: untimed(each) for name, each in value.items() if not re.search("seconds|cpu", name)}
    if isinstance(value, list):
        return [untimed(each) for each in value]
    return TIMES.sub("TIME", value) if isinstance(value, str) else value


def digest(path):
    """The hash of a file; of a page or text, without its times."""
    if {"comparison", "digits"} & {*path.parts}:  # with times in pictures and tables
        return "written"
    content = path.read_bytes()
    if path.suffix in (".html", ".json", ".csv", ".txt"):
        content = repr([without_times(line) for line in content.decode().splitlines()]).encode()
    if path.suffix == ".npz":
        with np.load(path) as arrays:
            content = b"".join(name.encode() + array.tobytes() for name, array in sorted(arrays.items()))
    return hashlib.sha1(content).hexdigest()[:16]


def samples(folder):
    """Write small tables of rows and texts, and lead to the samples."""
    (folder / "data").symlink_to(DATA)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 8)).round(3)
    y = np.where(X[:, 0] + X[:, 1] * X[:, 2] > 0.2, 1, -1)
    rows = zip(X.tolist(), y.tolist(), strict=True)
    lines = [(label, row) for row, label in rows]
    (folder / "rows.csv").write_text("".join(f"{','.join(map(str, row))},{label}\n" for label, row in lines))
    pairs = [(label, " ".join(f"{n}:{value}" for n, value in enumerate(row, 1))) for label, row in lines]
    (folder / "rows.svm").write_text("".join(f"{label} {row}\n" for label, row in pairs))
    (folder / "lines.txt").write_text("a great film\nboring and bad\n\nunwatchable xyzzy\n")


def record():
    """Of each command, its exit code, outputs, files and modules; and apart from them, what it took."""
    found, figures = {}, {}
    with tempfile.TemporaryDirectory() as top:
        folder, target = Path(top) / "work", Path(top) / "figures.json"
        folder.mkdir()
        samples(folder)
        before = {}
        for line in COMMANDS.strip().splitlines():
            app, *args = (word.strip('"') for word in re.findall(r'"[^"]*"|\S+', line))
            command = [sys.executable, "-P", "-c", RUN, app, str(target), *args]
            environment = os.environ | {"COLUMNS": "100", "OPENBLAS_NUM_THREADS": "1", "XDG_CACHE_HOME": top}
            done = subprocess.run(
                command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120
            )
            ours, figures[line] = json.loads(target.read_text())
            files = [
                path for path in sorted(folder.rglob("*")) if path.is_file() and path.parent.name != "data"
            ]
            after = {str(path.relative_to(folder)): digest(path) for path in files}
            out, err = (
                [without_times(line) for line in STAGES.sub("", text.replace(top, "TOP")).splitlines()]
                for text in (done.stdout, done.stderr)
            )
            if len(out) > 50:
                out = [hashlib.sha1(repr(out).encode()).hexdigest()[:16]]
            new = {name: each for name, each in after.items() if before.get(name) != each}
            found[line] = {"code": done.returncode, "out": out, "err": err, "files": new, "modules": ours}
            before = after
    return found, figures
