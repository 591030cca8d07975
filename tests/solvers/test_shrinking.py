"""Rows at their bounds are left out for a while; what is reached is the optimum of all rows."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer
from solvers.test_certificates import Drawn
from solvers.test_certificates import check as certified

import reference
from fastsvm.solvers import LOSSES, sdca
from pairs import linear_pairs, pairs

pytestmark = pytest.mark.blas

ALPHA = 1e-3
ROUNDING = 1e-13  # of objectives below 1


def wide(n=600, d=350, seed=0, density=0.03):
    """Sparse rows of few values, too many columns for Newton's method, with some wrong labels."""
    rng = np.random.default_rng(seed)
    X = sparse.random_array((n, d), density=density, random_state=rng, format="csr")
    y = np.where(X @ rng.normal(size=d) + 0.2 * rng.normal(size=n) > 0.1, 1, -1)
    return X, y


def weights_of(y, weighted):
    return reference.weights(np.random.default_rng(2), len(y)) if weighted else None


def check(r, X, y, loss, alpha, c, tol, fit_intercept):
    """The gap is as small as asked for, and as NumPy computes it."""
    assert r.solver == "coordinate"
    assert r.gap <= tol * r.objective
    certified(Drawn(X, X, y, c, loss, alpha, fit_intercept), r)


def optimum(X, y, loss, c, fit_intercept):
    """By Newton's method, which is exact for any number of columns."""
    options = {"loss": loss, "alpha": ALPHA, "sample_weight": c, "fit_intercept": fit_intercept}
    r = sdca(X, y, tol=1e-11, max_iter=100, solver="newton", **options)
    assert r.gap <= 1e-10 * r.objective
    return r


@pytest.mark.parametrize(*linear_pairs(layout=["csr", "dense"], loss=LOSSES))
def test_every_gap_is_reached(loss, layout, dtype, weighted, fit_intercept):
    X, y = wide()
    X, c = X.astype(dtype), weights_of(y, weighted)
    given, exact = (X if layout == "csr" else X.toarray()), X.astype(float)
    best = optimum(exact, y, loss, c, fit_intercept)
    for tol in (1e-3, 1e-6, 1e-9):
        r = sdca(given, y, loss=loss, alpha=ALPHA, sample_weight=c, fit_intercept=fit_intercept, tol=tol,
                 max_iter=5000, random_state=0)  # fmt: skip
        check(r, exact, y, loss, ALPHA, c, tol, fit_intercept)
        # P is strongly convex in w: a gap says how far w is from the optimum.
        far = np.sqrt(2 * (r.gap + ROUNDING) / ALPHA) + np.sqrt(2 * (best.gap + ROUNDING) / ALPHA)
        assert np.linalg.norm(r.w - best.w) <= far
        assert r.objective - best.objective <= r.gap + ROUNDING
        assert best.objective - r.objective <= best.gap + ROUNDING


@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("loss", LOSSES)
def test_any_start_reaches_the_same_optimum(loss, fit_intercept):
    X, y = wide(seed=2)
    rng = np.random.default_rng(0)
    best = optimum(X, y, loss, None, fit_intercept)
    options = {"loss": loss, "fit_intercept": fit_intercept, "max_iter": 3000, "random_state": 0}
    near = sdca(X, y, alpha=10 * ALPHA, tol=1e-3, **options)
    starts = {
        "another alpha": (near.dual, near.intercept),
        "the upper bounds": (np.ones(len(y)), 0.0),
        "the lower bounds": (np.zeros(len(y)), 30.0),
        "corners": (rng.integers(0, 2, len(y)).astype(float), -3.0),
        "outside the box": (rng.normal(size=len(y)) * 10, 1.0),
        "the wrong corner": (np.where(best.dual > 0.5, 0.0, 1.0), -best.intercept),
        "the optimum": (best.dual, best.intercept),
    }
    for name, start in starts.items():
        r = sdca(X, y, alpha=ALPHA, tol=1e-7, start=start, **options)
        check(r, X, y, loss, ALPHA, None, 1e-7, fit_intercept)
        assert np.linalg.norm(r.w - best.w) <= 2 * np.sqrt(2 * (r.gap + ROUNDING) / ALPHA), name
        if name == "the optimum":
            assert r.n_iter <= 30


@pytest.mark.parametrize(
    *pairs(fit_intercept=[False, True], order=["permutation", "random", "cyclic"], loss=LOSSES)
)
def test_rows_past_the_cache_sorted_by_class(loss, order, fit_intercept, monkeypatch):
    monkeypatch.setattr("fastsvm.solvers._order.CACHE_BYTES", 0)  # rows are visited in blocks, then
    X, y = wide(n=1500)
    first_class_first = np.argsort(y, kind="stable")
    X, y = X[first_class_first], y[first_class_first]
    c = np.where(np.arange(len(y)) % 5 == 0, 0.0, 1.25)
    r = sdca(X, y, loss=loss, alpha=ALPHA, sample_weight=c, fit_intercept=fit_intercept, tol=1e-5,
             order=order, max_iter=3000, random_state=0)  # fmt: skip
    check(r, X, y, loss, ALPHA, c, 1e-5, fit_intercept)
    best = optimum(X, y, loss, c, fit_intercept)
    assert -ROUNDING <= r.objective - best.objective + best.gap <= r.gap + 2 * best.gap + ROUNDING


@pytest.mark.parametrize("alpha", [1e-4, 1.0, 10.0, 100.0])
@pytest.mark.parametrize("loss", LOSSES)
def test_the_intercept_takes_few_epochs_at_any_alpha(loss, alpha):
    X, y = load_breast_cancer(return_X_y=True)
    X, y = (X - X.mean(axis=0)) / X.std(axis=0), np.where(y == 1, 1, -1)
    best = reference.optimum_with_intercept(loss, alpha, X, y)
    off = (1e-4 if loss == "hinge" else 1e-8) * best  # LIBSVM stops early
    for solver, tol in (("coordinate", 1e-3 if alpha >= 1 else 0.15), ("newton", 1e-8)):
        r = sdca(X, y, loss=loss, alpha=alpha, fit_intercept=True, solver=solver, tol=tol, random_state=0)
        assert r.gap <= tol * r.objective
        assert best - off <= r.objective <= best + r.gap + off
        assert r.objective - r.gap <= best + off
        assert r.n_iter <= 60 or alpha < 1
