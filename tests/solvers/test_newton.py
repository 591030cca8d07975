import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer
from solvers.test_certificates import Drawn
from solvers.test_certificates import check as certified

import reference
from fastsvm.solvers import LOSSES, _newton, losses
from fastsvm.solvers._problem import Problem
from fastsvm.solvers.newton_solver import SMALL_SYSTEM, NewtonSolver, cholesky, newton_direction
from fastsvm.solvers.params import SDCAParams
from fastsvm.solvers.run import run
from pairs import pairs

pytestmark = pytest.mark.blas


def newton(
    X, y, *, loss="hinge", alpha, fit_intercept=False, sample_weight=None, tol=1e-9, max_iter=60, **more
):
    params = SDCAParams(loss, alpha=alpha, fit_intercept=fit_intercept, max_iter=max_iter)
    return run(NewtonSolver(Problem(X, y, sample_weight), params, **more), tol)


def check(r, X, y, loss, alpha, c=None, fit_intercept=False):
    """What is returned is consistent, and its certificate is what NumPy computes."""
    certified(Drawn(X.astype(np.float64), X, y, c, loss, alpha, fit_intercept), r)


@pytest.mark.parametrize(*pairs(fit_intercept=[False, True], alpha=[1e-9, 1e-5, 1e-2, 1e3], loss=LOSSES))
def test_few_passes_for_any_alpha(loss, alpha, fit_intercept):
    X, y = load_breast_cancer(return_X_y=True)
    X, y = (X - X.mean(axis=0)) / X.std(axis=0), np.where(y == 1, 1, -1)
    r = newton(X, y, loss=loss, alpha=alpha, fit_intercept=fit_intercept)
    check(r, X, y, loss, alpha, fit_intercept=fit_intercept)
    assert r.gap <= (1e-9 if alpha > 1e-9 else 1e-7) * r.objective
    assert r.n_iter < 60


@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("layout", ["csr", "dense"])
@pytest.mark.parametrize("loss", LOSSES)
def test_many_rows_are_approached_by_samples(loss, layout, fit_intercept):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20000, 4)).round(1)
    y = np.where(X @ [1, -1, 0.5, 0] + rng.normal(size=20000) > 0.3, 1, -1)
    order = np.argsort(y)  # sorted by class
    X, y = X[order], y[order]
    given = sparse.csr_array(X) if layout == "csr" else X
    r = newton(given, y, loss=loss, alpha=1e-4, fit_intercept=fit_intercept)
    check(r, X, y, loss, 1e-4, fit_intercept=fit_intercept)
    assert r.gap <= 1e-9 * r.objective
    assert r.n_iter < 10


@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("d", [40, 150])
@pytest.mark.parametrize("loss", LOSSES)
def test_long_rows(loss, d, fit_intercept):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, d))
    y = np.where(X[:, 0] + rng.normal(size=400) > 0, 1, -1)
    r = newton(X, y, loss=loss, alpha=1e-3, fit_intercept=fit_intercept)
    check(r, X, y, loss, 1e-3, fit_intercept=fit_intercept)
    assert r.gap <= 1e-9 * r.objective
    turned = newton(reference.disordered(X), y, loss=loss, alpha=1e-3, fit_intercept=fit_intercept)
    np.testing.assert_allclose(turned.w, r.w, atol=1e-4)


@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("loss", LOSSES)
def test_a_start_near_the_optimum(loss, fit_intercept, problem):
    X, y = problem
    first = newton(X, y, loss=loss, alpha=0.01, fit_intercept=fit_intercept)
    start = first.dual, first.intercept
    again = newton(X, y, loss=loss, alpha=0.01, fit_intercept=fit_intercept, start=start)
    assert again.gap <= 1e-9 * again.objective
    assert again.n_iter <= 2
    other = newton(X, y, loss=loss, alpha=0.003, fit_intercept=fit_intercept, start=(first.dual, 1e3))
    check(other, X, y, loss, 0.003, fit_intercept=fit_intercept)
    assert other.gap <= 1e-9 * other.objective
    for moved in (1e-9, 1.0):  # w is off by more, or not
        near = (first.dual, first.intercept, first.w + 1, moved)
        other = newton(X, y, loss=loss, alpha=0.003, fit_intercept=fit_intercept, start=near)
        check(other, X, y, loss, 0.003, fit_intercept=fit_intercept)
        assert other.gap <= 1e-9 * other.objective


@pytest.mark.parametrize("loss", LOSSES)
def test_the_loss_of_nan_is_nan(loss):
    margins = np.array([0.0, np.nan, 2.0])
    assert np.isnan(_newton.newton_loss_sum(losses.TABLE[loss].struct, margins, np.empty(0)))


@pytest.mark.parametrize("code", [losses.TABLE["perceptron"].code, 99])
def test_kernels_refuse_a_loss_without_formulas(code):
    loss = {**losses.TABLE["hinge"].struct, "code": code}
    with pytest.raises(ValueError, match=f"Newton.s method does not support the loss of code {code}"):
        _newton.ActiveSet(loss, np.zeros(1, np.int32), np.empty(0), np.zeros(1), np.zeros(1))


@pytest.mark.parametrize("size", [1, 7, SMALL_SYSTEM, SMALL_SYSTEM + 1])
def test_systems_are_solved_with_a_ridge_where_they_are_singular(size):
    rng = np.random.default_rng(6)
    root = rng.normal(size=(size, 2 * size))
    H, slope = root @ root.T, rng.normal(size=size)
    np.testing.assert_allclose(newton_direction(H.copy(), -slope)[0], np.linalg.solve(H, slope), rtol=1e-9)
    lower = np.tril(cholesky(H))
    np.testing.assert_allclose(lower @ lower.T, H, rtol=1e-12, atol=1e-12 * size)
    ones = np.ones((size, size))
    np.testing.assert_allclose(ones @ newton_direction(ones.copy(), -ones[0])[0], ones[0], rtol=1e-6)
    H[-1, -1] = -1.0
    assert cholesky(H) is None
    H[-1, -1] = np.nan
    assert np.isnan(newton_direction(H, slope)[1])
