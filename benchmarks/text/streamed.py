"""A corpus of any size: what training on it and predicting it take, in fresh processes.

    python -m benchmarks.text.streamed --gb 10 --reviews imdb_10k.tsv [--folder FOLDER] [--limit 1.5] \\
        [--workers N]

The corpus is made once: reviews of the file, copied again and again, a tenth of each copy's words replaced
by words from anywhere in the file, so that there are new pairs of words however long it gets. Then
`fastsvm-sentiment train --stream` and `predict` run on it, each in a process that may have no more private
memory (RLIMIT_DATA) than the limit. Peaks are the system's own figures (wait4), mapped pages included. With
--workers, `train --scheduler` runs too, on a cluster of so many processes of one thread.
"""

import argparse
import json
import resource
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import numpy as np

from ..machine import described
from .process import launch

REPLACED = 10  # of so many words one is another
BATCH = 1000  # reviews that are made at a time
LOOK = 5.0  # seconds between looks at the size of temporary files


def make(path, reviews, n_bytes, seed=0):
    """Write a corpus of label and text of about so many bytes; it appears when it is whole."""
    with open(reviews, encoding="utf-8") as file:
        next(file)
        lines = [line.rstrip("\n").split("\t", 1) for line in file]
    labels = [label.encode() for label, _ in lines]
    texts = [text.encode().split() for _, text in lines]
    lengths = np.array([len(words) for words in texts])
    vocabulary = [word for words in texts for word in words]  # as often as they are written
    random = np.random.default_rng(seed)
    part, written = Path(f"{path}.partial"), 0
    with open(part, "wb") as file:
        file.write(b"label\ttext\n")
        while written < n_bytes:
            chosen = random.integers(len(texts), size=BATCH)
            counts = lengths[chosen] // REPLACED
            places = (random.random(counts.sum()) * np.repeat(lengths[chosen], counts)).astype(int).tolist()
            others = random.integers(len(vocabulary), size=len(places)).tolist()
            copies, first = [], 0
            for review, count in zip(chosen.tolist(), counts.tolist(), strict=True):
                words = texts[review].copy()
                for k in range(first, first + count):
                    words[places[k]] = vocabulary[others[k]]
                first += count
                copies.append(labels[review] + b"\t" + b" ".join(words) + b"\n")
            written += file.write(b"".join(copies))
    part.rename(path)


def most_bytes(folder, over):
    """The most bytes that files in a folder have had, looked at now and then until the event `over`."""
    most = 0
    while not over.wait(LOOK):
        with suppress(FileNotFoundError):  # one went meanwhile
            most = max(most, sum(path.stat().st_blocks * 512 for path in Path(folder).rglob("*")))
    return most


def lines_of(path):
    """How many lines a file has."""
    with open(path, "rb") as file:
        return sum(chunk.count(b"\n") for chunk in iter(lambda: file.read(1 << 24), b""))


def measured(what, command, output, folder):
    """Run a command; what it took as a row of the table."""
    over = threading.Event()
    with ThreadPoolExecutor(1) as watching:
        most = watching.submit(most_bytes, folder, over)
        try:
            cost = launch(command, output)
        finally:
            over.set()
    figures = f"{cost.wall:.0f} | {cost.cpu:.1f} | {cost.peak / 1e6:.0f} MB | {most.result() / 1e9:.1f} GB"
    return f"| {what} | {figures} |"


def measured_on_cluster(n_workers, command, output, folder):
    """Run a command with a cluster; what it took, and the workers, and this process with the scheduler."""
    from dask.distributed import Client, LocalCluster

    options = {"processes": True, "threads_per_worker": 1, "dashboard_address": ":0"}
    with LocalCluster(n_workers=n_workers, **options) as cluster, Client(cluster) as client:
        began, here = client.run(time.process_time), time.process_time()
        row = measured(
            "train --scheduler", [*command, "--scheduler", cluster.scheduler_address], output, folder
        )
        here = time.process_time() - here
        workers = sum(client.run(time.process_time).values()) - sum(began.values())
        peak = max(client.run(_peak).values()) / 1e6
    others = (
        f"| its {n_workers} workers | | {workers:.1f} | {peak:.0f} MB | |",
        f"| its scheduler | | {here:.1f} | | |",
    )
    return "\n".join([row, *others])


def _peak():
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--gb", type=float, default=0.5)
    parser.add_argument("--reviews", required=True, help="lines of label, tab, text; first their names")
    parser.add_argument("--folder", help="where the corpus is, or goes; kept")
    parser.add_argument("--limit", type=float, default=1.5, help="GB of private memory")
    parser.add_argument("--workers", type=int, default=0, help="train on so many workers, too")
    given = parser.parse_args()
    limit = int(given.limit * 1e9)
    with tempfile.TemporaryDirectory(dir="/var/tmp") as temporary:
        folder = Path(given.folder or temporary)
        corpus = folder / f"reviews-{given.gb:g}.tsv"
        if not corpus.exists():
            make(corpus, given.reviews, int(given.gb * 1e9))
        rows = lines_of(corpus)
        print(described(["numpy", "scipy"], f"{rows - 1:,} reviews, {corpus.stat().st_size / 1e9:.2f} GB"))
        print(
            "| | seconds | CPU seconds | peak memory | files |\n| --- | --- | --- | --- | --- |", flush=True
        )
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))  # the programs have it from this process
        with tempfile.TemporaryDirectory(dir=folder) as out:
            app = Path(sys.executable).with_name("fastsvm-sentiment")
            model, report, labels = (
                f"{out}/{name}" for name in ("model.safetensors", "report.json", "labels.tsv")
            )
            train = [app, "train", corpus, "--ngrams", 2, "--json", "-o", model]
            if given.workers:
                print(measured_on_cluster(given.workers, train, report, out), flush=True)
            print(measured("train --stream", [*train, "--stream"], report, out), flush=True)
            print(measured("predict", [app, "predict", model, corpus], labels, out), flush=True)
            told = json.loads(Path(report).read_text())
            print(f"relative gap {told['relative_gap']:.1e}, {told['n_features']:,} terms")
            print(f"rows in {rows:,}, rows out {lines_of(labels):,}")


if __name__ == "__main__":
    main()
