"""Rows at their bounds are left out for a while; what is reached is the optimum of all rows."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize
from sklearn.datasets import load_breast_cancer
from sklearn.svm import SVC

import reference
from fastsvm import SDCAClassifier
from fastsvm.solvers import LOSSES, losses, sdca
from fastsvm.solvers._problem import Problem
from fastsvm.solvers.newton_solver import suits_newton
from fastsvm.solvers.sdca_solver import SDCASolver
from pairs import pairs

pytestmark = pytest.mark.blas

ALPHA = 1e-3
ROUNDING = 1e-13  # of objectives below 1
SMOOTH = [loss for loss in LOSSES if loss != "hinge"]


def wide(n=600, d=350, seed=0, density=0.03):
    """Sparse rows of few values, too many columns for Newton's method, with some wrong labels."""
    rng = np.random.default_rng(seed)
    X = sparse.random_array((n, d), density=density, random_state=rng, format="csr")
    y = np.where(X @ rng.normal(size=d) + 0.2 * rng.normal(size=n) > 0.1, 1, -1)
    return X, y


def weights_of(y, weighted):
    return np.random.default_rng(2).integers(0, 4, len(y)) / 2 if weighted else None


def check(r, X, y, loss, alpha, c, tol):
    """The gap is as small as asked for, and as NumPy computes it."""
    assert r.solver == "coordinate"
    assert r.gap <= tol * r.objective
    primal = reference.primal(loss, alpha, X, y, r.w, r.intercept, c)
    dual = r.dual if c is None else np.where(c > 0, r.dual, 0)
    assert primal == pytest.approx(r.objective, rel=1e-11)
    assert reference.dual(loss, alpha, X, y, dual, c) >= primal - r.gap - 1e-12 * primal
    assert r.gap >= 0


def optimum(X, y, loss, c, fit_intercept):
    """By Newton's method, which is exact for any number of columns."""
    options = {"loss": loss, "alpha": ALPHA, "sample_weight": c, "fit_intercept": fit_intercept}
    r = sdca(X, y, tol=1e-11, max_iter=100, solver="newton", **options)
    assert r.gap <= 1e-10 * r.objective
    return r


@pytest.mark.parametrize(
    *pairs(
        fit_intercept=[False, True],
        weighted=[False, True],
        dtype=[np.float32, np.float64],
        layout=["csr", "dense"],
        loss=LOSSES,
    )
)
def test_every_gap_is_reached(loss, layout, dtype, weighted, fit_intercept):
    X, y = wide()
    X, c = X.astype(dtype), weights_of(y, weighted)
    given, exact = (X if layout == "csr" else X.toarray()), X.astype(float)
    best = optimum(exact, y, loss, c, fit_intercept)
    for tol in (1e-3, 1e-6, 1e-9):
        r = sdca(given, y, loss=loss, alpha=ALPHA, sample_weight=c, fit_intercept=fit_intercept, tol=tol,
                 max_iter=5000, random_state=0)  # fmt: skip
        check(r, exact, y, loss, ALPHA, c, tol)
        # P is strongly convex in w: a gap says how far w is from the optimum.
        far = np.sqrt(2 * (r.gap + ROUNDING) / ALPHA) + np.sqrt(2 * (best.gap + ROUNDING) / ALPHA)
        assert np.linalg.norm(r.w - best.w) <= far
        assert r.objective - best.objective <= r.gap + ROUNDING
        assert best.objective - r.objective <= best.gap + ROUNDING


@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("loss", LOSSES)
def test_a_run_that_leaves_no_row_out_ends_at_the_same_optimum(loss, fit_intercept):
    X, y = wide(seed=3)
    options = {"loss": loss, "alpha": ALPHA, "fit_intercept": fit_intercept, "max_iter": 3000}
    quick = sdca(X, y, tol=1e-9, random_state=0, **options)
    every = sdca(X, y, tol=1e-9, order="cyclic", random_state=1, **options)
    check(every, X, y, loss, ALPHA, None, 1e-9)
    assert np.linalg.norm(quick.w - every.w) <= np.sqrt(8 * 1e-9 * quick.objective / ALPHA)
    traced = sdca(X, y, tol=1e-9, trace=True, random_state=0, **options)
    check(traced, X, y, loss, ALPHA, None, 1e-9)
    assert [e.epoch for e in traced.history] == list(range(1, traced.n_iter + 1))
    bounds = [e.dual for e in traced.history]
    assert max(bounds) <= quick.objective * (1 + 1e-12)


@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("loss", SMOOTH)
def test_the_optimum_is_scipys(loss, fit_intercept):
    X, y = wide(n=500, d=320, seed=1)
    n = len(y)

    def primal_and_slope(v):
        w, b0 = v[:-1], v[-1] * fit_intercept
        g = y * losses.slope(loss, y * (X @ w + b0)) / n
        return reference.primal(loss, ALPHA, X, y, w, b0), np.append(
            ALPHA * w + X.T @ g, g.sum() * fit_intercept
        )

    options = {"maxiter": 10**4, "maxfun": 10**5, "ftol": 1e-15, "gtol": 1e-9}
    theirs = minimize(
        primal_and_slope, np.zeros(X.shape[1] + 1), jac=True, method="L-BFGS-B", options=options
    )
    r = sdca(
        X, y, loss=loss, alpha=ALPHA, fit_intercept=fit_intercept, tol=1e-9, max_iter=5000, random_state=0
    )
    assert r.solver == "coordinate"
    assert r.objective == pytest.approx(theirs.fun, rel=1e-8)
    np.testing.assert_allclose(r.w, theirs.x[:-1], atol=1e-3 * np.abs(r.w).max())
    if fit_intercept:
        assert r.intercept == pytest.approx(theirs.x[-1], abs=1e-3)


@pytest.mark.parametrize("loss", LOSSES)
def test_rows_are_left_out_and_come_back(loss):
    X, y = wide()
    options = {"loss": loss, "alpha": ALPHA, "fit_intercept": False, "order": "permutation"}
    options |= {"averaging": "last", "sgd_init": False, "random": np.array([7], np.uint64)}
    run = SDCASolver(Problem(X, y), max_iter=3000, **options)
    visited = []

    def noted(next_order=run.next_order):
        order = next_order()
        visited.append(len(order))
        return order

    run.next_order = noted
    r = run.solve(1e-9)
    assert r.gap <= 1e-9 * r.objective
    assert visited[0] == len(y)
    if loss == "log":  # has no row at a bound
        assert set(visited) == {len(y)}
    elif loss != "squared_hinge":
        assert min(visited) < 0.8 * len(y)


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
        check(r, X, y, loss, ALPHA, None, 1e-7)
        assert np.linalg.norm(r.w - best.w) <= 2 * np.sqrt(2 * (r.gap + ROUNDING) / ALPHA), name
        if name == "the optimum":
            assert r.n_iter <= 30


@pytest.mark.parametrize(
    *pairs(fit_intercept=[False, True], order=["permutation", "random", "cyclic"], loss=LOSSES)
)
def test_rows_past_the_cache_sorted_by_class(loss, order, fit_intercept, monkeypatch):
    monkeypatch.setattr("fastsvm.solvers._order.CACHE", 0)  # rows are visited in blocks, then
    X, y = wide(n=1500)
    first_class_first = np.argsort(y, kind="stable")
    X, y = X[first_class_first], y[first_class_first]
    c = np.where(np.arange(len(y)) % 5 == 0, 0.0, 1.5)
    r = sdca(X, y, loss=loss, alpha=ALPHA, sample_weight=c, fit_intercept=fit_intercept, tol=1e-5,
             order=order, max_iter=3000, random_state=0)  # fmt: skip
    check(r, X, y, loss, ALPHA, c, 1e-5)
    best = optimum(X, y, loss, c, fit_intercept)
    assert -ROUNDING <= r.objective - best.objective + best.gap <= r.gap + 2 * best.gap + ROUNDING


@pytest.mark.parametrize("loss", LOSSES)
def test_counts_converge_or_say_that_they_do_not(loss):
    rng = np.random.default_rng(5)
    frequent = 300 / np.arange(1, 401)  # Zipf's law: some columns of hundreds, most of 0 and 1
    X = sparse.csr_array(rng.poisson(frequent * rng.gamma(1, size=(700, 1))).astype(float))
    y = np.where(X @ rng.normal(size=400) + 5 * rng.normal(size=700) > 0, 1, -1)
    for fit_intercept in (False, True):
        for max_iter in (3, 300):
            r = sdca(
                X, y, loss=loss, alpha=1e-4, fit_intercept=fit_intercept, max_iter=max_iter, random_state=0
            )
            assert r.solver == "coordinate"
            primal = reference.primal(loss, 1e-4, X, y, r.w, r.intercept)
            bound = reference.dual(loss, 1e-4, X, y, r.dual)
            assert r.gap == pytest.approx(primal - bound, rel=1e-7)
            assert r.gap <= 1e-3 * r.objective or r.n_iter == max_iter
    model = SDCAClassifier(loss=loss, alpha=1e-4, max_iter=3, solver="coordinate", random_state=0)
    with pytest.warns(UserWarning, match="scale X with"):
        model.fit(X, y)
    assert model.dual_gap_ > 1e-3


def test_columns_of_very_different_size():
    X, y = wide(seed=4)
    X = (X @ sparse.diags_array(np.logspace(-2, 1, X.shape[1]))).tocsr()
    for loss in LOSSES:
        r = sdca(X, y, loss=loss, alpha=ALPHA, tol=1e-6, max_iter=20000, random_state=0, fit_intercept=False)
        check(r, X, y, loss, ALPHA, None, 1e-6)


def test_shrinking_is_for_coordinate_steps_on_wide_data():
    X, y = wide()
    assert not any(suits_newton(Problem(X, y), "hinge", alpha, 1e-6) for alpha in (1e-9, 1e-3, 1e3))


@pytest.mark.parametrize("alpha", [1e-4, 1.0, 10.0, 100.0])
@pytest.mark.parametrize("loss", LOSSES)
def test_the_intercept_takes_few_epochs_at_any_alpha(loss, alpha):
    X, y = load_breast_cancer(return_X_y=True)
    X, y = (X - X.mean(axis=0)) / X.std(axis=0), np.where(y == 1, 1, -1)
    best = exact_intercept(loss, alpha, X, y)
    off = (1e-4 if loss == "hinge" else 1e-8) * best  # LIBSVM stops early
    for solver, tol in (("coordinate", 1e-3 if alpha >= 1 else 0.15), ("newton", 1e-8)):
        r = sdca(X, y, loss=loss, alpha=alpha, fit_intercept=True, solver=solver, tol=tol, random_state=0)
        assert r.gap <= tol * r.objective
        assert best - off <= r.objective <= best + r.gap + off
        assert r.objective - r.gap <= best + off
        assert r.n_iter <= 60 or alpha < 1


def exact_intercept(loss, alpha, X, y):
    """The optimum with a free intercept, by scipy; for the hinge, which has kinks, by LIBSVM."""
    n, d = X.shape
    if loss == "hinge":
        model = SVC(kernel="linear", C=1 / (alpha * n), tol=1e-9).fit(X, y)
        return reference.primal(loss, alpha, X, y, model.coef_[0], model.intercept_[0])

    def primal_and_slope(v):
        g = y * losses.slope(loss, y * (X @ v[:d] + v[d])) / n
        value = reference.primal(loss, alpha, X, y, v[:d], v[d])
        return value, np.append(alpha * v[:d] + X.T @ g, g.sum())

    options = {"maxiter": 10**5, "maxfun": 10**6, "ftol": 1e-16, "gtol": 1e-10}
    return minimize(primal_and_slope, np.zeros(d + 1), jac=True, method="L-BFGS-B", options=options).fun


def test_digits_lost_to_a_start_far_away_do_not_stop_an_intercept():
    rng = np.random.default_rng(0)
    X = sparse.random_array((50, 500), density=0.05, random_state=rng, format="csr") * 300
    y = np.where(rng.random(50) < 0.5, 1, -1)
    options = {"alpha": 3e-5, "fit_intercept": True, "tol": 1e-7, "solver": "coordinate", "random_state": 0}
    cold = sdca(X, y, **options)
    start = np.ones(50), 5.0  # stands for a w some 10 000 times too long
    warm = sdca(X, y, start=start, **options)
    assert warm.gap <= 1e-7 * warm.objective
    assert warm.objective == pytest.approx(cold.objective, rel=2e-7)
    assert warm.n_iter <= 5 * cold.n_iter
