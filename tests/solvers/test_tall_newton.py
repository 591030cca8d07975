"""Newton's method on many dense rows, with the Hessian of a sample."""

import math

import numpy as np
import pytest

import reference
from fastsvm import SDCAClassifier, sdca_path
from fastsvm.solvers import _newton, losses, sdca
from fastsvm.solvers._problem import Problem
from fastsvm.solvers.l1_solver import L1Solver, largest_l1_alpha
from fastsvm.solvers.make_solver import TALL, TALL_LOG, TALL_VALUES, is_tall
from fastsvm.solvers.params import L1_LOSSES, SDCAParams
from fastsvm.solvers.run import run
from fastsvm.solvers.tall_newton_solver import TallNewtonSolver
from pairs import pairs

pytestmark = pytest.mark.blas
SMOOTH = losses.SMOOTH_LOSSES
KINDS = ["normal", "correlated", "uneven", "heavy", "rare"]


def tall(
    X, y, loss="log", *, alpha=1e-4, fit_intercept=True, sample_weight=None, tol=1e-6, start=None, **penalty
):
    params = SDCAParams(loss, alpha=alpha, fit_intercept=fit_intercept, max_iter=100, **penalty)
    return run(TallNewtonSolver(Problem(X, y, sample_weight), params, start), tol)


def made(kind, n=4000, d=9):
    """Rows, sorted by class, whose columns are of a kind."""
    rng = np.random.default_rng(0)
    X = rng.standard_t(2, size=(n, d)) if kind == "heavy" else rng.normal(size=(n, d))
    if kind == "correlated":
        X = X @ (rng.normal(size=(d, d)) * 0.4 ** np.arange(d)[:, None])
    elif kind == "uneven":
        X = X * 10.0 ** rng.uniform(-3, 3, d) + 1
    elif kind == "rare":
        X = (rng.random((n, d)) < 0.5 ** np.arange(1, d + 1)) * 1.0
    score = (X - X.mean(axis=0)) / X.std(axis=0) @ rng.normal(size=d)
    y = np.where(score + rng.normal(size=n) > 0.5, 1, -1)
    order = np.argsort(y, kind="stable")
    return X[order], y[order]


def check(r, X, y, loss, alpha, c, fit_intercept):
    """Objective and gap are what NumPy computes, and w is as near to w(b) as the gap says."""
    c = np.ones(len(y)) if c is None else c / c.mean()
    primal = reference.primal(loss, alpha, X, y, r.w, r.intercept, c)
    assert r.objective == pytest.approx(primal, rel=1e-12)
    assert (r.dual >= 0).all()
    if loss != "squared_hinge":
        assert (r.dual <= c).all()
    if fit_intercept:
        assert abs(r.dual @ y) <= 1e-12 * r.dual.sum()
    gap = primal - reference.dual(loss, alpha, X, y, r.dual, c)
    rounding = 1e-12 * primal
    assert gap - rounding <= r.gap
    if loss != "smooth_hinge":  # of which only a bound is known for b at a bound
        assert r.gap <= 2 * gap + rounding
    short = r.w - X.T @ (r.dual * y) / (alpha * len(y))
    assert alpha / 2 * short @ short <= r.gap + rounding


@pytest.mark.parametrize(*pairs(
    kind=KINDS, loss=SMOOTH, fit_intercept=[False, True], alpha=[1e-6, 1e-4, 1e-2, 10.0],
    weighted=[False, True], dtype=[np.float32, np.float64],
))  # fmt: skip
def test_certificates_of_any_columns(kind, loss, fit_intercept, alpha, weighted, dtype):
    X, y = made(kind)
    X, c = X.astype(dtype), None
    if weighted:
        c = np.random.default_rng(1).integers(0, 4, len(y)).astype(float)
    r = tall(X, y, loss, alpha=alpha, fit_intercept=fit_intercept, sample_weight=c)
    check(r, X.astype(np.float64), y, loss, alpha, c, fit_intercept)
    assert r.gap <= 1e-6 * r.objective
    assert r.n_iter < 60


@pytest.mark.parametrize(*pairs(
    kind=KINDS, loss=L1_LOSSES, l1_ratio=[0.1, 0.9, 1.0], fit_intercept=[False, True],
    share=[1e-4, 1e-2, 0.5], weighted=[False, True], dtype=[np.float32, np.float64],
))  # fmt: skip
def test_an_l1_penalty_of_any_columns(kind, loss, l1_ratio, fit_intercept, share, weighted, dtype):
    """Objective and bound are on the right sides of those of the solver on columns."""
    X, y = made(kind)
    c = np.random.default_rng(1).integers(0, 4, len(y)).astype(float) if weighted else None
    problem = Problem(X.astype(dtype), y, c)
    penalty = {"penalty": "elasticnet", "l1_ratio": l1_ratio, "fit_intercept": fit_intercept}
    alpha = share * largest_l1_alpha(problem, SDCAParams(loss, **penalty))
    other = run(L1Solver(problem, SDCAParams(loss, alpha=alpha, **penalty)), 1e-7)
    for start in None, (other.w + share, other.intercept + 0.1):
        r = tall(X.astype(dtype), y, loss, alpha=alpha, sample_weight=c, start=start, **penalty)
        assert r.gap <= 1e-6 * r.objective
        assert r.n_iter < 60
        assert r.objective - r.gap <= other.objective
        assert other.objective - other.gap <= r.objective * (1 + 1e-14)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("d", [1, 7, 8, 9, 33, 50])
@pytest.mark.parametrize("loss", SMOOTH)
def test_a_pass_is_what_numpy_computes(loss, d, dtype):
    rng = np.random.default_rng(d)
    n, entry = 101, losses.TABLE[loss]
    X, y, w = (
        rng.normal(size=(n, d)).astype(dtype),
        rng.choice([-1, 1], n).astype(np.int8),
        rng.normal(size=d + 1),
    )
    m, step = y * (X.astype(float) @ w[:-1] + w[-1]), 1e-6
    for c in (rng.random(n), np.ones(n)):
        dual, curvature, z, sums = np.empty(n), np.empty(n), np.zeros((2, d + 1)), np.zeros((2, 3))
        weights = np.empty(0) if (c == 1).all() else c
        data = X.reshape(-1), y, weights, entry.struct, w, dual, curvature, z, sums
        for part in ((0, 40), (40, n)):
            _newton.smooth_pass(*data, *part)
        for side, total in zip((-1, 1), sums[:, 0], strict=True):
            assert total == pytest.approx((c * entry.value(m))[y == side].sum(), rel=1e-12)
        np.testing.assert_allclose(dual, -c * entry.slope(m), rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(
            curvature, c * (entry.slope(m + step) - entry.slope(m - step)) / (2 * step), atol=1e-6
        )
        rows = np.column_stack([X, np.ones(n)]) * (y * dual)[:, None]
        np.testing.assert_allclose(z, [rows[y < 0].sum(axis=0), rows[y > 0].sum(axis=0)], atol=1e-11)


def test_one_class_and_margins_without_loss():
    X, y = made("normal")
    for signs in (np.ones(len(y)), -np.ones(len(y))):
        r = tall(X, signs, alpha=1e-2)
        assert r.gap <= 1e-6 * r.objective or r.objective < 1e-6
    r = tall(X * 1e4, np.where(X[:, 0] > 0, 1, -1), alpha=1e-8, tol=1e-3)
    assert r.gap <= 1e-3 * r.objective


@pytest.mark.parametrize("loss", SMOOTH)
def test_a_start_near_the_optimum(loss):
    X, y = made("normal")
    first = tall(X, y, loss, alpha=1e-2)
    for near in ((first.dual, first.intercept), (first.dual, first.intercept, first.w, 0.1)):
        again = tall(X, y, loss, alpha=5e-3, start=near)
        check(again, X, y, loss, 5e-3, None, True)
        assert again.gap <= 1e-6 * again.objective


@pytest.mark.parametrize("loss", SMOOTH)
def test_it_is_chosen_where_dense_rows_are_many(loss):
    least = TALL_LOG if loss == "log" else TALL
    d = math.isqrt(TALL_VALUES // least) + 1
    X, y = made("normal", n=least * d, d=d)
    entry = losses.TABLE[loss]
    assert is_tall(Problem(X, y), entry)
    assert not is_tall(Problem(X[1:], y[1:]), entry)
    assert not is_tall(Problem(X[:, :1].copy(), y), entry)
    assert not is_tall(Problem(reference.disordered(X), y), entry)
    r = sdca(X, y, loss=loss, alpha=1e-4, tol=1e-6)
    assert r.solver == "newton"
    check(r, X, y, loss, 1e-4, None, True)


def test_paths_and_several_classes():
    X, y = made("normal", n=TALL_VALUES // 5 + 1, d=5)
    for penalty in ("l2", "l1"):
        path = sdca_path(X, y, np.geomspace(1e-1, 1e-4, 7), loss="log", tol=1e-5, penalty=penalty)
        for alpha, objective, gap in zip(path.alphas, path.objectives, path.dual_gaps, strict=True):
            single = sdca(X, y, loss="log", alpha=alpha, tol=1e-9, penalty=penalty)
            assert single.solver == "newton"
            assert gap <= 1e-5 * objective
            assert objective - gap <= single.objective * (1 + 1e-12)
            assert single.objective - single.gap <= objective * (1 + 1e-12)
    X, labels = X.astype(np.float32), np.digitize(X[:, 0], [-0.5, 0.5])
    model = SDCAClassifier("log", alpha=1e-3, tol=1e-6).fit(X, labels)
    assert model.solver_ == "newton"
    for k in range(3):
        w, signs = model.coef_[k].astype(float), np.where(labels == k, 1, -1)
        primal = reference.primal(
            "log", 1e-3, X.astype(float), signs, w, model.intercept_[k], np.ones(len(y))
        )
        assert model.objective_[k] == pytest.approx(primal, rel=1e-12)
