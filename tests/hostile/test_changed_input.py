"""X, y and weights that another thread changes during a fit: whatever comes out, the process lives.

Kernels read what the caller has, without a copy. Of a sparse X only the values may change: its indices and
offsets are checked once, before the work, and are not to be touched while it goes on.
"""

import subprocess
import sys

import pytest

CHANGED = """
import sys, threading, time, warnings
import numpy as np, scipy.sparse as sp
import fastsvm
from fastsvm.solvers import sdca

what, layout, dtype, seconds = sys.argv[1], sys.argv[2], sys.argv[3], float(sys.argv[4])
warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
X = rng.normal(size=(1500, 40)).astype(dtype)
if layout == "csr":
    X = sp.random(3000, 300, 0.1, "csr", dtype, rng)
n = X.shape[0]
y = np.where(np.asarray(X.sum(axis=1)).ravel() > np.median(np.asarray(X.sum(axis=1))), 1.0, -1.0)
weight = np.ones(n)
values = X.data if layout == "csr" else X
fitted = fastsvm.SDCAClassifier(max_iter=5).fit(X, y)
calls = {
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
going = True

def change():
    odd = np.array([np.nan, np.inf, -np.inf, 1e300, -1e300, 1e-320, 0, 1], float).astype(dtype)
    rng = np.random.default_rng(1)
    while going:
        at = rng.integers(values.size, size=100)
        values.reshape(-1)[at] = rng.choice(odd, size=100)
        y[rng.integers(n, size=10)] *= -1
        y[rng.integers(n)] = rng.choice([np.nan, np.inf, -1, 1])
        weight[rng.integers(n)] = rng.choice([np.nan, -1, 1e300, 0, 1])
        time.sleep(1e-4)
        values.reshape(-1)[at] = 1
        y[:] = np.where(np.isfinite(y), np.sign(y) + (y == 0), 1)
        y[:2] = -1, 1
        weight[:] = 1
        time.sleep(rng.choice([0, 1e-3]))

thread = threading.Thread(target=change)
thread.start()
ran = refused = 0
end = time.monotonic() + seconds
try:
    while time.monotonic() < end or not ran + refused:
        try:
            with np.errstate(all="ignore"):
                calls[what]()
            ran += 1
        except (ValueError, ArithmeticError):
            refused += 1
finally:
    going = False
    thread.join()
print(ran, refused)
"""
CALLS = [
    *("sdca", "newton", "fit", "threads", "asdca", "pegasos", "perceptron", "path", "cv"),
    *("kernel", "kernel pegasos", "features", "certify", "predict"),
]


def change(call, layout, dtype, seconds):
    command = [sys.executable, "-P", "-c", CHANGED, call, layout, dtype, str(seconds)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, (done.returncode, done.stderr[-2000:])
    assert sum(map(int, done.stdout.split())) > 0


@pytest.mark.parametrize(("layout", "dtype"), [("csr", "float64"), ("dense", "float32")])
@pytest.mark.parametrize("call", ["sdca", "threads", "kernel"])
def test_values_change(call, layout, dtype):
    change(call, layout, dtype, 0.3)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("layout", ["csr", "dense"])
@pytest.mark.parametrize("call", CALLS)
def test_values_change_for_long(call, layout, dtype):
    change(call, layout, dtype, 5)
