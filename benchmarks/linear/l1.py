"""Penalties l1: certified fits against LIBLINEAR, skglm, glum and saga at equal true objectives.

python -m benchmarks.linear.l1 [--data NAME ...] [--folder DIR] [--shares A ...] [--rounds N]

alpha is a share of the largest, at which all weights are 0; the intercept is free. fastsvm stops itself at a
proven gap; each peer has its loosest tolerance that reaches the target (P - P*) / P*, which is found before.
Lines have CPU milliseconds, and of peers the ratio to fastsvm's. Peers that are not installed are left out.
"""

import argparse
import time
import warnings
from ctypes import byref
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from scipy import sparse

from fastsvm.solvers import sdca
from fastsvm.solvers._problem import Problem
from fastsvm.solvers.l1_solver import largest_l1_alpha
from fastsvm.solvers.params import SDCAParams

from .data import load

TARGETS = (1e-3, 1e-6)
GRID = 10 ** (-np.arange(2, 17) / 2)  # tolerances, of the factor sqrt(10)


class Cell:
    """||w||_1 alpha + 1/n sum phi(y (w.x + b0)), and the fits of it."""

    def __init__(self, X, y, loss, share):
        self.X, self.y, self.loss = X, y.astype(float), loss
        self.alpha = share * largest_l1_alpha(Problem(X, y), SDCAParams(loss, penalty="l1"))
        self.C = 1 / (self.alpha * len(y))
        self.columns = sparse.csc_matrix(X) if sparse.issparse(X) else np.asfortranarray(X)

    def objective(self, w, b0):
        """P in double precision."""
        m = self.y * (self.X @ w + b0)
        losses = np.logaddexp(0, -m) if self.loss == "log" else np.maximum(0, 1 - m) ** 2
        return losses.mean() + self.alpha * np.abs(w).sum()

    def fastsvm(self, tol):
        """Fit to a proven gap."""
        options = {"penalty": "l1", "loss": self.loss, "alpha": self.alpha, "n_jobs": 1}
        result = sdca(self.X, self.y, tol=tol, **options)
        return result.w, result.intercept

    def liblinear(self):
        """Return a fit by -s 5 or 6, without a penalty on the intercept."""
        from liblinear import liblinear as lib

        problem = lib.problem(self.y, sparse.csr_matrix(self.X, copy=True, dtype=float))
        problem.set_bias(1)
        solver = 6 if self.loss == "log" else 5

        def fit(tol):
            param = lib.parameter(f"-s {solver} -c {self.C:.17g} -e {tol:g} -B 1 -R -q")
            model = lib.liblinear.train(problem, param)
            w = np.ctypeslib.as_array(model.contents.w, (problem.n,)) * float(model.contents.label[0])
            lib.liblinear.free_and_destroy_model(byref(model))
            return w[:-1], float(w[-1])

        return fit

    def skglm(self):
        """Its proximal Newton steps on working sets, of the log loss."""
        from skglm import GeneralizedLinearEstimator
        from skglm.datafits import Logistic
        from skglm.penalties import L1
        from skglm.solvers import ProxNewton

        def fit(tol):
            solver = ProxNewton(tol=tol, fit_intercept=True, max_iter=200)
            model = GeneralizedLinearEstimator(Logistic(), L1(self.alpha), solver).fit(self.columns, self.y)
            return model.coef_.ravel(), float(np.ravel(model.intercept_)[0])

        return fit

    def glum(self):
        """Its coordinate descent on a Gram matrix, of the log loss."""
        from glum import GeneralizedLinearRegressor

        def fit(tol):
            model = GeneralizedLinearRegressor(
                family="binomial", alpha=self.alpha, l1_ratio=1, gradient_tol=tol, max_iter=1000
            ).fit(self.columns, (self.y + 1) / 2)
            return model.coef_, model.intercept_

        return fit

    def saga(self):
        """scikit-learn's, of the log loss."""
        from sklearn.linear_model import LogisticRegression

        def fit(tol):
            model = LogisticRegression(C=self.C, l1_ratio=1, solver="saga", tol=tol, max_iter=300)
            model.fit(self.X, self.y)
            return model.coef_[0], model.intercept_[0]

        return fit


def peers_of(cell, name, names):
    """The fits of those that are asked for, installed and fit for the cell."""
    of_log = (
        []
        if cell.loss != "log"
        else ["skglm", *(["glum", "saga"] if name in ("a9a", "tall", "digits8") else [])]
    )
    packages = {"saga": "sklearn"}
    return {
        n: getattr(cell, n)() for n in ["liblinear", *of_log] if find_spec(packages.get(n, n)) and n in names
    }


def loosest(fit, cell, best, target, limit):
    """The loosest tolerance at which a fit reaches the target; None if none does, or one takes too long."""
    for tol in GRID:
        start = time.process_time()
        if cell.objective(*fit(tol)) <= best * (1 + target):
            return tol
        if time.process_time() - start > limit:
            return None
    return None


def measure(cell, name, rounds, limit, names):
    """Print a line for each target."""
    best = cell.objective(*cell.fastsvm(1e-9))
    for target in TARGETS:
        fits, seconds = {"fastsvm": (cell.fastsvm, target)}, {}
        for peer, fit in peers_of(cell, name, names).items():
            fit(0.1)  # what compiles or loads in the first call is not counted
            tol = loosest(fit, cell, best, target, limit)
            if tol is None:
                seconds[peer] = []
            else:
                fits[peer] = (fit, tol)
        for _ in range(rounds):
            for peer, (fit, tol) in fits.items():
                start = time.process_time()
                fit(tol)
                seconds.setdefault(peer, []).append(time.process_time() - start)
        own = np.median(seconds.pop("fastsvm"))
        ratios = (f"{p} {np.median(s) / own:.2f}" if s else f"{p} not reached" for p, s in seconds.items())
        yield f"{target:g}: {own * 1e3:.2f} ms; {', '.join(ratios)}"


def small_sets(name, folder):
    """A set that is none of the others: made rows, digits, or one of `load`."""
    random = np.random.default_rng(0)
    if name == "digits8":
        from sklearn.datasets import load_digits

        X, y = load_digits(return_X_y=True)
        return X / 16, np.where(y == 8, 1.0, -1.0)
    if name in ("wide", "tall"):
        X = random.standard_normal((60, 5000) if name == "wide" else (200_000, 54))
        w = random.standard_normal(X.shape[1]) * (np.arange(X.shape[1]) < (10 if name == "wide" else 27))
        m = X @ w
        return X, np.where(m + random.standard_normal(len(m)) * m.std() / 4 > 0, 1.0, -1.0)
    return load(name, folder)


def main():
    """Run the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--data", nargs="+", default=["wide", "digits8", "a9a", "tall", "imdb-bigrams"])
    add("--losses", nargs="+", default=["log", "squared_hinge"])
    add("--shares", nargs="+", type=float, default=[0.1, 0.01, 0.001])
    add("--peers", nargs="+", default=["liblinear", "skglm", "glum", "saga"])
    add("--folder", type=Path, default=Path("../shared/data"))
    add("--rounds", type=int, default=5)
    add("--limit", type=float, default=20, help="seconds a fit may take, about (default: 20)")
    found = parser.parse_args()
    warnings.simplefilter("ignore")
    for name in found.data:
        X, y = small_sets(name, found.folder)
        for loss in found.losses:
            for share in found.shares:
                cell = Cell(X, y, loss, share)
                for line in measure(cell, name, found.rounds, found.limit, found.peers):
                    print(f"{name}, {loss}, {share:g}, {line}", flush=True)


if __name__ == "__main__":
    main()
