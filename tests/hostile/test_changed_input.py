"""X, y and weights that another thread changes during a fit: whatever comes out, the process lives.

Kernels read what the caller has, without a copy. Of a sparse X only the values may change: its indices and
offsets are checked once, before the work, and are not to be touched while it goes on.
"""

import subprocess
import sys

import pytest

CHANGED = """
import contextlib, sys, threading, time, warnings
import numpy as np, scipy.sparse as sp
import fastsvm
from fastsvm.solvers import sdca

warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
dense = rng.normal(size=(1500, 40))
csr = sp.random(3000, 300, 0.1, "csr", float, rng)
odd = np.array([np.nan, np.inf, -np.inf, 1e300, -1e300, 1e-320, 0, 1])

def calls(X, y, weight, n):
    fitted = fastsvm.SDCAClassifier(max_iter=5).fit(X, y)
    return {
        "sdca": lambda: sdca(X, y, alpha=1e-5, max_iter=200),
        "newton": lambda: fastsvm.SDCAClassifier(loss="squared_hinge", solver="newton").fit(X, y, weight),
        "fit": lambda: fastsvm.SDCAClassifier(alpha=1e-5, max_iter=200, loss="log").fit(X, y, weight),
        "threads": lambda: fastsvm.SDCAClassifier(alpha=1e-4, n_jobs=2).fit(X, np.arange(n) % 3),
        "asdca": lambda: fastsvm.ASDCAClassifier(alpha=1e-5, max_iter=100).fit(X, y, weight),
        "pegasos": lambda: fastsvm.PegasosClassifier(alpha=1e-5, max_iter=100).fit(X, y, weight),
        "perceptron": lambda: fastsvm.PerceptronClassifier(max_iter=100).fit(X, y, weight),
        "path": lambda: fastsvm.sdca_path(X, y, n_alphas=5),
        "cv": lambda: fastsvm.SDCAClassifierCV(cv=2).fit(X, y, weight),
        "kernel": lambda: fastsvm.KernelSDCAClassifier(max_iter=20).fit(X, y, weight),
        "kernel pegasos": lambda: fastsvm.KernelPegasosClassifier(alpha=1e-2).fit(X, y, weight),
        "features": lambda: fastsvm.KernelFeatures(n_components=50).fit(X).transform(X),
        "certify": lambda: fastsvm.certify(fitted, X, y),
        "predict": lambda: fitted.predict(X),
    }

def run(what, layout, dtype, seconds):
    X = (csr if layout == "csr" else dense).astype(dtype)
    n = X.shape[0]
    sums = np.asarray(X.sum(axis=1)).ravel()
    y = np.where(sums > np.median(sums), 1.0, -1.0)
    weight = np.ones(n)
    values = (X.data if layout == "csr" else X).reshape(-1)
    strange = odd.astype(dtype)
    call = calls(X, y, weight, n)[what]
    going = True

    def change():
        rng = np.random.default_rng(1)
        while going:
            at = rng.integers(values.size, size=100)
            values[at] = rng.choice(strange, size=100)
            y[rng.integers(n, size=10)] *= -1
            y[rng.integers(n)] = rng.choice([np.nan, np.inf, -1, 1])
            weight[rng.integers(n)] = rng.choice([np.nan, -1, 1e300, 0, 1])
            time.sleep(1e-4)
            values[at] = 1
            y[:] = np.where(np.isfinite(y), np.sign(y) + (y == 0), 1)
            y[:2] = -1, 1
            weight[:] = 1
            time.sleep(rng.choice([0, 1e-3]))

    thread = threading.Thread(target=change)
    thread.start()
    end = time.monotonic() + seconds
    try:
        while time.monotonic() < end:
            with contextlib.suppress(ValueError, ArithmeticError), np.errstate(all="ignore"):
                call()
    finally:
        going = False
        thread.join()

for what in sys.argv[2:]:
    for layout in "csr", "dense":
        for dtype in "float32", "float64":
            print(what, layout, dtype, flush=True)
            run(what, layout, dtype, float(sys.argv[1]))
"""
CALLS = [
    *("sdca", "newton", "fit", "threads", "asdca", "pegasos", "perceptron", "path", "cv"),
    *("kernel", "kernel pegasos", "features", "certify", "predict"),
]


@pytest.mark.slow
@pytest.mark.parametrize("calls", [CALLS[:7], CALLS[7:]], ids=lambda calls: f"{calls[0]} to {calls[-1]}")
def test_values_change_for_long(calls):
    """Make each call over and over, with each layout and dtype, while its input changes."""
    command = [sys.executable, "-P", "-c", CHANGED, "1", *calls]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    begun = done.stdout.splitlines()
    assert done.returncode == 0, (done.returncode, begun[-1:], done.stderr[-2000:])
    assert len(begun) == 4 * len(calls)
