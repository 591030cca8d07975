"""Rounds, passes and bytes of a fit whose rows lie in K parts, and a model of what that takes on a cluster.

    python -m benchmarks.rounds [--rows 250000] [--alpha 1e-4] [--loss hinge] [--parts 1 2 4 8 16 64]
    python -m benchmarks.rounds --article --rows 10000 --alpha 2.5e-3 --parts 4 8 16

The parts take turns in this process, with the code that a cluster's workers run. The model: a round takes a
K-th of its CPU seconds, two messages' latency, and its bytes through the driver's link. A pass a round is
CoCoA+ as its article has it; `--article` counts its rounds in a loop of NumPy that shares nothing with ours.
"""

import argparse
import time
from pathlib import Path

import numpy as np

from fastsvm._utils.blas import one_blas_thread
from fastsvm.fitting.sdca_rounds import PASSES, LocalShards, SDCARounds
from fastsvm.solvers import sdca

from .linear.data import load

LATENCY = 0.5e-3  # seconds a message, within a data centre and through Dask's scheduler
LINKS = {"1 Gbit/s": 1e9 / 8, "10 Gbit/s": 1e10 / 8}  # bytes a second


def run(shards, described, options, tol, **more):
    """Fit once; the driver, its result and its CPU seconds."""
    start = time.process_time()
    options = {"fit_intercept": True, **options, **more}
    driver = SDCARounds(shards, described, positive=1, hinge_width=1.0, **options)
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


def article_rounds(X, y, alpha, n_parts, tol, most, seed, replace=True):
    """Rounds of CoCoA+, hinge loss, to a relative gap: Ma et al. 2015, with gamma = 1 and sigma' = K.

    The local solver draws as many rows as a part has, with replacement as in the article, or visits each. No
    intercept, nothing is rounded. One round more than `most` if the gap is never small enough.
    """
    rng, n = np.random.default_rng(seed), len(y)
    squares = np.asarray(X.multiply(X).sum(axis=1)).ravel()
    b, w, parts = np.zeros(n), np.zeros(X.shape[1]), np.array_split(np.arange(n), n_parts)
    for done in range(1, most + 1):
        after = w.copy()
        for part in parts:
            v = w.copy()
            for i in rng.choice(part, len(part), replace):
                row = slice(X.indptr[i], X.indptr[i + 1])
                columns, values = X.indices[row], X.data[row]
                slope = 1 - y[i] * (v[columns] @ values)
                step = np.clip(b[i] + slope * alpha * n / (n_parts * squares[i]), 0, 1) - b[i]
                b[i] += step
                v[columns] += n_parts / (alpha * n) * step * y[i] * values
            after += (v - w) / n_parts
        w = after
        ridge = alpha / 2 * (w @ w)
        primal = ridge + np.maximum(0, 1 - y * (X @ w)).mean()
        if primal - (b.mean() - ridge) <= tol * primal:
            return done
    return most + 1


def compare_with_article(data, args):
    """Print mean rounds of a pass over seeds: the article's, its algorithm with permutations, and ours."""
    print("| alpha n | parts | the article's | with permutations | ours | ours / the article's |")
    print("| --- " * 6 + "|")
    problem = data.X, data.y, args.alpha
    options = {"loss": "hinge", "alpha": args.alpha, "max_iter": args.most, "fit_intercept": False}
    for n_parts in args.parts:
        shards = LocalShards.split(data.X, data.y, n_parts)
        described, counts = [shard.describe() for shard in shards.shards], []
        for seed in range(args.seeds):
            drawn, permuted = (
                article_rounds(*problem, n_parts, args.tol, args.most, seed, replace)
                for replace in (True, False)
            )
            ours, _, _ = run(shards, described, {**options, "seed": seed}, args.tol, passes=1)
            counts.append((drawn, permuted, ours.n_rounds))
        means = np.mean(counts, axis=0)
        numbers = " | ".join(f"{mean:.1f}" for mean in means)
        alpha_n = args.alpha * len(data.y)
        print(f"| {alpha_n:.1f} | {n_parts} | {numbers} | {means[2] / means[0]:.2f} |", flush=True)


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=250_000)
    parser.add_argument("--alpha", type=float, default=1e-4)
    parser.add_argument("--loss", default="hinge")
    parser.add_argument("--tol", type=float, default=1e-3)
    parser.add_argument("--most", type=int, default=100, help="most passes")
    parser.add_argument("--parts", type=int, nargs="*", default=[1, 2, 4, 8, 16, 64])
    parser.add_argument("--article", action="store_true", help="compare with CoCoA+ as its article has it")
    parser.add_argument("--seeds", type=int, default=3, help="of that comparison")
    args = parser.parse_args()
    data = load("rcv1-like", Path(), args.rows)
    if args.article:
        compare_with_article(data, args)
        return
    sdca(data.X, data.y, max_iter=1, tol=None)  # the process's first fit loads and looks for more
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
        shards = LocalShards.split(data.X, data.y, n_parts)
        described = [shard.describe() for shard in shards.shards]
        ways = {f"{PASSES} passes": {}, "1 pass": {"passes": 1}}
        for name, more in ways.items():
            print(
                line(name, *run(shards, described, options, args.tol, **more), n_parts, args.tol), flush=True
            )


if __name__ == "__main__":
    main()
