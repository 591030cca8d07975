"""Rounds, passes and bytes of a fit whose rows lie in K parts, and a model of what that takes on a cluster.

    python -m benchmarks.rounds [--rows 250000] [--alpha 1e-4] [--loss hinge] [--parts 1 2 4 8 16 64]

The parts take turns in this process, with the code that a cluster's workers run. The model: a round takes a
K-th of its CPU seconds, two messages' latency, and its bytes through the driver's link. A pass a round is
CoCoA+ as its article has it.
"""

import argparse
import time
from pathlib import Path

from fastsvm.blas import one_blas_thread
from fastsvm.fitting.rounds import PASSES, Serial
from fastsvm.fitting.sdca_rounds import SDCARounds
from fastsvm.solvers import sdca

from .linear.data import load

LATENCY = 0.5e-3  # seconds a message, within a data centre and through Dask's scheduler
LINKS = {"1 Gbit/s": 1e9 / 8, "10 Gbit/s": 1e10 / 8}  # bytes a second


def run(shards, described, options, tol, **more):
    """Fit once; the driver, its result and its CPU seconds."""
    start = time.process_time()
    driver = SDCARounds(shards, described, positive=1, hinge_width=1.0, fit_intercept=True, **options, **more)
    with one_blas_thread:
        result = driver.solve(tol, False)
    return driver, result, time.process_time() - start


def modelled(driver, cpu, n_parts, rate):
    """Seconds on a cluster."""
    traffic = (driver.sent + driver.received) / rate
    return cpu / n_parts + driver.n_rounds * 2 * LATENCY + traffic


def line(name, driver, result, cpu, n_parts, tol):
    """A row of the table."""
    n_bytes = (driver.sent + driver.received) / 1e6
    times = " | ".join(f"{modelled(driver, cpu, n_parts, rate):.2f}" for rate in LINKS.values())
    rounds = f"{driver.n_rounds}" if result.gap <= tol * result.objective else f"> {driver.n_rounds}"
    return (
        f"| {n_parts} | {name} | {rounds} | {driver.passes_made:.1f} | {n_bytes:.0f} | {cpu:.2f} | {times} |"
    )


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=250_000)
    parser.add_argument("--alpha", type=float, default=1e-4)
    parser.add_argument("--loss", default="hinge")
    parser.add_argument("--tol", type=float, default=1e-3)
    parser.add_argument("--most", type=int, default=100, help="most passes")
    parser.add_argument("--parts", type=int, nargs="*", default=[1, 2, 4, 8, 16, 64])
    args = parser.parse_args()
    data = load("rcv1-like", Path(), args.rows)
    start = time.process_time()
    alone = sdca(data.X, data.y, loss=args.loss, alpha=args.alpha, tol=args.tol, random_state=0)
    seconds = time.process_time() - start
    print(f"{args.loss}, alpha {args.alpha:g}, {data.X.shape[0]} x {data.X.shape[1]}, {data.X.nnz} non-zeros")
    print(
        f"in one place: {alone.n_iter} epochs, {seconds:.2f} CPU s, gap {alone.gap / alone.objective:.1e}\n"
    )
    print(
        f"| parts | a round | rounds | passes | MB | CPU s | {' | '.join(f's, {name}' for name in LINKS)} |"
    )
    print("| --- " * (6 + len(LINKS)) + "|")
    options = {"loss": args.loss, "alpha": args.alpha, "max_iter": args.most, "seed": 1}
    for n_parts in args.parts:
        shards = Serial.split(data.X, data.y, n_parts)
        described = [shard.describe() for shard in shards.shards]
        ways = {f"{PASSES} passes": {}, "1 pass": {"passes": 1}}
        for name, more in ways.items():
            print(
                line(name, *run(shards, described, options, args.tol, **more), n_parts, args.tol), flush=True
            )


if __name__ == "__main__":
    main()
