"""A matrix larger than the memory allowed: time and memory of a fit from disk, beside one from memory.

    python -m benchmarks.linear.out_of_core [--gb 2] [--tol 1e-2] [--folder FOLDER]

Each fit is a process of its own. Those from files may have no more private memory (RLIMIT_DATA) than a fifth
of the matrix, and the system may cache the files in the memory left. Peaks are what the
kernel counted (VmHWM), mapped pages included.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from ..machine import described, peak

VALUES, COLUMNS, BLOCK = 74, 47_000, 20_000
ALPHA = 1e-5
SHARE = 5  # the matrix is so many times what private memory may be


def make(folder, n_bytes):
    """Write a matrix of rows of norm 1 with popular and rare columns, and labels with some noise."""
    import numpy as np
    from scipy import sparse

    from fastsvm.io import MatrixWriter

    random = np.random.default_rng(0)
    w = random.normal(size=COLUMNS)
    with MatrixWriter(folder) as writer:
        for _ in range(n_bytes // (8 * VALUES * BLOCK)):
            columns = (COLUMNS ** random.random((BLOCK, VALUES)) - 1).astype(np.int32)
            columns.sort(axis=1)
            X = sparse.csr_matrix(
                (
                    np.full(columns.size, VALUES**-0.5, np.float32),
                    columns.ravel(),
                    np.arange(0, columns.size + 1, VALUES),
                ),
                shape=(BLOCK, COLUMNS),
            )
            scores = X @ w
            y = np.sign(scores - np.median(scores) + 0.3 * random.normal(size=BLOCK))
            order = np.argsort(y) if random.random() < 0.5 else slice(None)  # some blocks are sorted by class
            writer.append(X[order], y[order])
        writer.finish()


def fit(folder, where, tol):
    """Fit, and print what it took as a row of the table."""
    import numpy as np
    from scipy import sparse

    from fastsvm.fitting import SDCA
    from fastsvm.io import load

    X, y = load(folder)
    n_bytes = X.data.nbytes + X.indices.nbytes
    if where != "memory":
        limit = n_bytes // SHARE
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    if where == "memory":
        X = sparse.csr_matrix((np.array(X.data), np.array(X.indices), np.array(X.indptr)), X.shape)
    start = time.perf_counter(), time.process_time()
    model = SDCA(alpha=ALPHA, tol=tol, max_iter=100, random_state=0).fit(X, y)
    took = time.perf_counter() - start[0], time.process_time() - start[1]
    read = resource.getrusage(resource.RUSAGE_SELF).ru_inblock * 512
    gap, share = model.dual_gap_ / model.objective_, peak() / n_bytes
    print(
        f"| {where}, {n_bytes / 1e9:.2f} GB | {X.shape[0]:,} | {model.n_iter_} | {gap:.1e} | "
        f"{model.objective_:.6g} | {took[0]:.1f} | {took[1]:.1f} | {read / 1e9:.1f} GB | "
        f"{peak() / 1e6:.0f} MB | {share:.0%} |"
    )


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--gb", type=float, default=2.0, help="size of values and columns")
    parser.add_argument("--tol", type=float, default=1e-2)
    parser.add_argument("--folder", help="where the matrix is, or goes; kept")
    parser.add_argument("--fit", choices=("memory", "cached"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.fit:
        fit(given.folder, given.fit, given.tol)
        return
    with tempfile.TemporaryDirectory(dir="/var/tmp") as temporary:
        folder = given.folder or f"{temporary}/matrix"
        if not Path(folder).exists():
            make(folder, int(given.gb * 1e9))
        print(described(["numpy", "scipy"], "one thread"))
        print("| X | rows | epochs | relative gap | objective | seconds | CPU seconds | read | peak | of X |")
        print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |", flush=True)
        for where in ("memory", "cached"):
            command = [sys.executable, "-m", "benchmarks.linear.out_of_core", "--fit", where]
            command += ["--folder", folder, "--tol", str(given.tol)]
            subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
