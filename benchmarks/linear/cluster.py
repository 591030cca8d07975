"""Fits on a cluster of this machine: CPU seconds against one thread.

    python -m benchmarks.linear.cluster [--rows 500000] [--alphas 1e-4 1e-5] [--fits 3]

Sparse rows like those of the RCV1 news, hinge, to a certified gap of 1e-3. Rows are placed before the clocks
start. CPU seconds are those of the workers and of this process, which has the scheduler too.
"""

import argparse
import statistics
import time

import dask
import dask.array as da
import numpy as np
from dask.distributed import Client, LocalCluster
from scipy.sparse import csr_matrix

from fastsvm import SDCAClassifier as LocalClassifier
from fastsvm.dask import SDCAClassifier, place

from ..machine import described
from .data import load

TOL = 1e-3
KINDS = "news", "other"


def rows_of(n_rows, part, n_parts):
    """Some of the rows and labels, as a worker reads them."""
    data = load("rcv1-like", None, n_rows)
    chosen = slice(*(n_rows * k // n_parts for k in (part, part + 1)))
    return data.X[chosen], np.where(data.y > 0, *KINDS)[chosen]


def arrays(n_rows, n_parts):
    """X and y as dask arrays."""
    parts = [dask.delayed(rows_of, nout=2)(n_rows, k, n_parts) for k in range(n_parts)]
    n_columns = load("rcv1-like", None, n_rows).X.shape[1]
    X = [da.from_delayed(x, (np.nan, n_columns), np.float64, csr_matrix((0, 0))) for x, _ in parts]
    y = [da.from_delayed(y, (np.nan,), np.array(KINDS).dtype) for _, y in parts]
    return da.concatenate(X, allow_unknown_chunksizes=True), da.concatenate(y, allow_unknown_chunksizes=True)


def cpu_seconds(client):
    """Of all processes of the cluster so far."""
    return sum(client.run(time.process_time).values()) + time.process_time()


def compare(client, data, local, alpha, fits):
    """Print a row of the table."""
    start = time.process_time()
    alone = LocalClassifier(alpha=alpha, tol=TOL, random_state=0, n_jobs=1).fit(*local)
    one = time.process_time() - start
    ratios, rounds = [], []
    for seed in range(fits):
        before = cpu_seconds(client)
        model = SDCAClassifier(alpha=alpha, tol=TOL, random_state=seed).fit(data)
        ratios.append((cpu_seconds(client) - before) / one)
        rounds.append(model.n_rounds_)
        assert model.objective_ - model.dual_gap_ <= alone.objective_
        assert alone.objective_ - alone.dual_gap_ <= model.objective_
    listed = " ".join(f"{ratio:.2f}" for ratio in ratios)
    print(
        f"| {alpha:g} | {alone.n_iter_} | {one:.2f} | {' '.join(map(str, rounds))} | {listed} | "
        f"{statistics.median(ratios):.2f} |",
        flush=True,
    )


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=500_000)
    parser.add_argument("--alphas", type=float, nargs="*", default=[1e-4, 1e-5])
    parser.add_argument("--fits", type=int, default=3, help="of each alpha")
    args = parser.parse_args()
    print(described(["numpy", "scipy", "dask"], f"{args.rows:,} rows"))
    X, y = rows_of(args.rows, 0, 1)
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": 50}
    with LocalCluster(**options) as cluster, Client(cluster) as client:
        data = place(*arrays(args.rows, 4))
        print("| alpha | epochs alone | CPU s alone | rounds of two workers | CPU ratio | median |")
        print("| --- " * 6 + "|")
        for alpha in args.alphas:
            compare(client, data, (X, y), alpha, args.fits)


if __name__ == "__main__":
    main()
