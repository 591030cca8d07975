"""Predictions on a cluster of this machine whose workers are killed meanwhile: is any row lost, or doubled?

    python -m benchmarks.cluster [--rows 10000000] [--columns 20] [--kills 8]

Every chunk of labels is a file of its own. In the end the files are compared, row by row, with what the same
classifier says in this process.
"""

import argparse
import os
import random
import signal
import tempfile
import threading
import time
from pathlib import Path

import dask
import dask.array as da
import numpy as np
from dask.distributed import Client, LocalCluster

from fastsvm.dask import SDCAClassifier

CHUNK = 100_000  # rows


def kill_now_and_then(cluster, kills, over, seed):
    """Kill a random worker every other second, until so many were killed or the work is over."""
    rng, killed = random.Random(seed), 0
    while killed < kills and not over.wait(2.0):
        # One that is killed before it has started stays dead.
        running = [n for n in cluster.workers.values() if n.process and n.process.status.name == "running"]
        if len(running) == len(cluster.workers):
            os.kill(rng.choice(running).pid, signal.SIGKILL)
            killed += 1
    print(f"{killed} workers killed")


def compare(folder, X, local):
    """Count the rows of the files, and those whose label is not what the classifier gives in this process."""
    rows = wrong = 0
    for k in range(X.numblocks[0]):
        found = np.load(folder / f"{k}.npy")
        expected = local.predict(X.blocks[k].compute(scheduler="sync"))
        rows += len(found)
        wrong += max(len(found), len(expected))
        if len(found) == len(expected):
            wrong -= int((found == expected).sum())
    return rows, wrong


def main():
    """Predict, count and compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--kills", type=int, default=8)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    X = da.random.default_rng(args.seed).normal(size=(args.rows, args.columns), chunks=(CHUNK, args.columns))
    options = {"threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": 50}
    with (
        dask.config.set({"distributed.deploy.lost-worker-timeout": 300}),  # a killed worker may take long
        tempfile.TemporaryDirectory() as folder,
        LocalCluster(n_workers=2, **options) as cluster,
        Client(cluster),
    ):
        few = X.blocks[:2]
        model = SDCAClassifier(alpha=1e-3, random_state=0).fit(few, (few[:, 0] + few[:, 1] > 0.5).astype(int))
        labels, over = model.predict(X), threading.Event()
        killer = threading.Thread(target=kill_now_and_then, args=(cluster, args.kills, over, args.seed))
        killer.start()
        start = time.perf_counter()
        da.to_npy_stack(folder, labels)
        seconds = time.perf_counter() - start
        over.set()
        killer.join()
        rows, wrong = compare(Path(folder), X, model.to_local())
    print(f"{args.rows:,} rows in {X.numblocks[0]} chunks, {seconds:.1f} s: {rows:,} labels, {wrong} wrong")


if __name__ == "__main__":
    main()
