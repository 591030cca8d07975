"""A matrix larger than the memory allowed: time and memory of a fit from disk, beside one from memory.

    python -m benchmarks.out_of_core [--gb 2] [--tol 1e-2] [--folder FOLDER]

Each fit is a process of its own. Those from files may have no more private memory (RLIMIT_DATA) than a fifth
of the matrix. "cached": the system may cache the files in the memory left. "disk": it is told to drop what
the solver has given back, so that every pass reads the disk, as where no memory is left. Peaks are what the
kernel counted (VmHWM), mapped pages included.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from .machine import described

VALUES, COLUMNS, BLOCK = 74, 47_000, 20_000
ALPHA = 1e-5
AHEAD = 17 << 20  # bytes of a file that were read ahead last, which are not dropped: half a window
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


def forget_what_is_let_go():
    """Have the system drop its own copies, too, when solvers give pages back: of all but what is ahead."""
    from fastsvm.solvers._pages import Pages

    files, asked, find = {}, defaultdict(list), Pages.of.__func__
    will_need, let_go = Pages.will_need, Pages.let_go

    def of(cls, array):
        pages, base = find(cls, array), array
        while pages is not None and not hasattr(base, "filename"):
            base = base.base
        if pages is not None:
            files[pages] = os.open(base.filename, os.O_RDONLY)
        return pages

    def note(pages, first, last):
        will_need(pages, first, last)
        start, stop = (pages._offset + item * pages._size for item in (first, last))
        asked[pages].append((start, stop))
        while len(asked[pages]) > 1 and sum(stop - start for start, stop in asked[pages]) > AHEAD:
            del asked[pages][0]

    def forget(pages):
        let_go(pages)
        begun = 0
        for start, stop in (*sorted(asked[pages]), (os.fstat(files[pages]).st_size, 0)):
            if start > begun:
                os.posix_fadvise(files[pages], begun, start - begun, os.POSIX_FADV_DONTNEED)
            begun = max(begun, stop)

    Pages.of, Pages.will_need, Pages.let_go = classmethod(of), note, forget


def fit(folder, where, tol):
    """Fit, and print what it took as JSON."""
    import numpy as np
    from scipy import sparse

    from fastsvm.fitting import SDCA
    from fastsvm.io import load

    X, y = load(folder)
    n_bytes = X.data.nbytes + X.indices.nbytes
    if where != "memory":
        limit = n_bytes // SHARE
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    if where == "disk":
        forget_what_is_let_go()
    if where == "memory":
        X = sparse.csr_matrix((np.array(X.data), np.array(X.indices), np.array(X.indptr)), X.shape)
    before = peak()
    start = time.perf_counter(), time.process_time()
    model = SDCA(alpha=ALPHA, tol=tol, max_iter=100, random_state=0).fit(X, y)
    took = time.perf_counter() - start[0], time.process_time() - start[1]
    read = resource.getrusage(resource.RUSAGE_SELF).ru_inblock * 512
    print(
        json.dumps(
            {
                "bytes": n_bytes,
                "rows": X.shape[0],
                "before": before,
                "peak": peak(),
                "seconds": took[0],
                "cpu": took[1],
                "read": read,
                "epochs": model.n_iter_,
                "objective": model.objective_,
                "gap": model.dual_gap_ / model.objective_,
            }
        )
    )


def peak():
    """The most memory that this process has had, in bytes: private, and mapped pages."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith("VmHWM"))


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--gb", type=float, default=2.0, help="size of values and columns")
    parser.add_argument("--tol", type=float, default=1e-2)
    parser.add_argument("--folder", help="where the matrix is, or goes; kept")
    parser.add_argument("--fit", choices=("memory", "cached", "disk"), help=argparse.SUPPRESS)
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
        print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
        for where in ("memory", "cached", "disk"):
            command = [sys.executable, "-m", "benchmarks.out_of_core", "--fit", where]
            command += ["--folder", folder, "--tol", str(given.tol)]
            found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            print(
                f"| {where}, {found['bytes'] / 1e9:.2f} GB | {found['rows']:,} | {found['epochs']} | "
                f"{found['gap']:.1e} | {found['objective']:.6g} | {found['seconds']:.1f} | "
                f"{found['cpu']:.1f} | {found['read'] / 1e9:.1f} GB | "
                f"{found['peak'] / 1e6:.0f} MB | {found['peak'] / found['bytes']:.0%} |"
            )


if __name__ == "__main__":
    main()
