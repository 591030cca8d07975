"""Coordinate steps with momentum: each raises the dual, as their slow twin does."""

import numpy as np
import pytest
from scipy import sparse

import reference
from fastsvm.solvers import _sdca
from fastsvm.solvers._problem import Problem
from fastsvm.solvers.losses import as_loss
from fastsvm.solvers.make_solver import make_solver
from fastsvm.solvers.params import SDCAParams
from fastsvm.solvers.run import run
from pairs import pairs

pytestmark = pytest.mark.blas

ALPHA = 0.01


def made(weighted):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 6)) * (rng.random((80, 6)) < 0.6)
    y = np.where(X[:, 0] + rng.normal(size=80) > 0.3, 1, -1)
    return X, y, reference.weights(rng, 80) if weighted else np.ones(80)


@pytest.mark.parametrize(
    *pairs(loss=["hinge", "smooth_hinge"], layout=["csr", "dense"], weighted=[False, True], column=[0.0, 0.5])
)
def test_each_step_raises_the_dual_and_is_the_twins(loss, layout, weighted, column):
    X, y, c = made(weighted)
    n, rate = len(y), 1 / (ALPHA * len(y))
    problem = Problem(sparse.csr_matrix(X) if layout == "csr" else X, y, c)
    w, dual, dropped = np.zeros(6), np.zeros(n), np.zeros(n, np.int8)
    norms = problem.rows.squared_norms()
    state = _sdca.SDCAState(
        *(as_loss(loss).struct, rate, rate * column, w, dual, norms, dropped),
        last_changes=np.zeros(n, np.float32),
    )
    state.momentum = 0.4
    rng, last = np.random.default_rng(1), np.zeros(n)
    value, changed = 0.0, 0
    for _ in range(8):
        for i in rng.permutation(n):
            before = dual[i]
            m = y[i] * (w @ X[i] + state.intercept)
            _sdca.run_epoch(*problem.data, np.array([i], np.int32), state)
            if c[i] == 0:
                assert dual[i] == 0
                continue
            q = rate * (norms[i] + column)
            step = reference.momentum_step(loss, m, before, q, c[i], 0.4, last[i])
            assert dual[i] == pytest.approx(step, rel=1e-6, abs=1e-8)  # `last_changes` has single precision
            last[i] = dual[i] - before
            changed += dual[i] != pytest.approx(reference.dual_step(loss, m, before, q, c[i]), abs=1e-6)
            grown = rate * (y * dual) @ np.hstack([X, np.full((n, 1), column**0.5)])
            terms = [c[k] * reference.LOSSES[loss][1](dual[k] / c[k]) for k in np.flatnonzero(c)]
            now = sum(terms) / n - ALPHA / 2 * (grown @ grown)
            assert now >= value - 1e-12
            value = now
    assert changed > n


def test_momentum_is_of_the_hinges_last_iterates_after_two_epochs(monkeypatch):
    X, y, _ = made(False)
    kernel, shares, most = _sdca.run_epoch, [], []

    def run_epoch(*data):
        shares.append(data[6].momentum)
        return kernel(*data)

    monkeypatch.setattr(_sdca, "run_epoch", run_epoch)
    for loss, averaging in (("hinge", "last"), ("hinge", "tail"), ("log", "last"), ("squared_hinge", "last")):
        params = SDCAParams(loss, alpha=ALPHA, averaging=averaging, solver="coordinate", max_iter=30)
        shares.clear()
        run(make_solver(params, Problem(X, y), np.array([1], np.uint64)), 1e-9)
        assert shares[:2] == [0, 0]
        most.append(max(shares))
    assert most[0] > 0
    assert most[1:] == [0, 0, 0]
