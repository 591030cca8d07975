"""Moves of all dual variables at once, and how SDCA tells that it is near the end."""

import numpy as np
import pytest

import reference
from fastsvm.solvers import LOSSES, sdca, sdca_solver
from fastsvm.solvers._dual_moves import constant_dual_start, free_variable_cg
from fastsvm.solvers._problem import Problem
from fastsvm.solvers.losses import as_loss
from fastsvm.solvers.make_solver import make_solver
from fastsvm.solvers.params import SDCAParams
from fastsvm.solvers.sdca_solver import first_intercept
from pairs import pairs

pytestmark = pytest.mark.blas

CG_ALPHA = 0.01


def made(n=400, seed=0, weighted=False):
    """More rows of one class than of the other."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 8))
    y = np.where(X[:, 0] + rng.normal(size=n) > 0.8, 1, -1)
    return X, y, reference.weights(rng, n) if weighted else None


@pytest.mark.parametrize(*pairs(loss=LOSSES, weighted=[False, True], fit_intercept=[False, True]))
def test_constant_start_is_the_best_of_its_kind(loss, weighted, fit_intercept):
    X, y, c = made(weighted=weighted)
    problem, table = Problem(X, y, c), as_loss(loss)
    dual, w = constant_dual_start(problem, table, 0.3, fit_intercept)
    slow, intercept = reference.constant_dual_start(
        X, y, loss=loss, alpha=0.3, sample_weight=c, fit_intercept=fit_intercept
    )
    np.testing.assert_allclose(dual, slow, atol=2 / 256 * dual.max())
    np.testing.assert_allclose(w, X.T @ (dual * y) / (0.3 * len(y)), atol=1e-12)
    if table.smooth and not table.straight:
        assert first_intercept(problem, table) == pytest.approx(intercept, abs=1e-6)
    else:
        assert -1 <= first_intercept(problem, table) < 0


def test_one_class_has_no_first_intercept():
    assert first_intercept(Problem(np.ones((3, 1)), [1, 1, 1]), as_loss("log")) == 0


def test_excess_is_taken_from_few_rows_or_from_all():
    X, y, _ = made()
    problem, dual = Problem(X, y), np.random.default_rng(1).random(len(y))
    factors = problem.balance_factors(dual)
    for share in (1.0, 0.6, 1e-9):
        left = dual - problem.excess(dual, factors, share)
        assert abs(left @ y) < 1e-12 * dual.sum()
        assert left.min() >= 0
        touched = np.flatnonzero(left != dual)
        assert set(y[touched]) == {-1}
    np.testing.assert_allclose(left, dual * np.where(y > 0, *factors), rtol=1e-12)


@pytest.mark.parametrize(*pairs(loss=LOSSES, weighted=[False, True], fit_intercept=[False, True]))
def test_gap_that_all_rows_say_is_that_of_the_certificate(monkeypatch, loss, weighted, fit_intercept):
    monkeypatch.setattr(sdca_solver, "LEAST_SAMPLE", 10**6)
    X, y, c = made(weighted=weighted)
    params = SDCAParams(loss, alpha=0.1, fit_intercept=fit_intercept, solver="coordinate")
    run = make_solver(params, Problem(X, y, c), np.array([3], np.uint64))
    run.tol = 1e-3
    for _ in range(3):
        run.run_epoch()
        run.done += 1
        said = run._sampled_gap(np.arange(len(y), dtype=np.int32)) / len(y)
        assert said == pytest.approx(run.measure().gap, rel=1e-8, abs=1e-12)


def test_large_alpha_takes_an_epoch_and_one_certificate():
    X, y, _ = made(2000)
    found = sdca(X, y, loss="log", alpha=1.0, tol=1e-2, solver="coordinate", random_state=0)
    assert (found.n_iter, len(found.history)) == (1, 1)
    assert found.gap <= 1e-2 * found.objective


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("intercept_step", [0.0, 0.3])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "smooth_hinge"])
def test_the_dual_never_falls_and_stays_in_its_box(loss, intercept_step, weighted, problem):
    X, y = problem
    c = reference.weights(np.random.default_rng(1), len(y)) if weighted else None
    p = Problem(X, y, c)
    options = {"loss": loss, "alpha": CG_ALPHA, "sample_weight": c, "fit_intercept": False}
    dual = sdca(X, y, tol=None, max_iter=3, random_state=0, **options).dual
    w, bias = p.primal_from_dual(dual, CG_ALPHA), intercept_step * p.imbalance(dual)

    def value(dual, w, bias):  # with the intercept's own quadratic term, which stands for one more column
        extra = bias**2 / (2 * intercept_step * p.n) if intercept_step else 0.0
        return p.dual_value(dual, w, loss, CG_ALPHA) - extra

    before, inside = value(dual, w, bias), p.is_free(dual, loss)
    old = dual.copy()
    bias = free_variable_cg(p, as_loss(loss), CG_ALPHA, intercept_step, w, bias, dual)
    after = value(dual, w, bias)
    assert after >= before if intercept_step else after > before  # clipped, the way may lead nowhere
    assert (dual[~inside] == old[~inside]).all()
    assert not p.clip_dual(dual.copy(), loss)
    np.testing.assert_allclose(w, p.primal_from_dual(dual, CG_ALPHA), atol=1e-10)
    assert bias == pytest.approx(intercept_step * p.imbalance(dual), abs=1e-10)


def test_flat_directions_take_few_epochs(monkeypatch):
    """Twins among the rows make the dual flat: with conjugate gradients the same gap in fewer epochs."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 400))
    X = np.vstack([X, X + 0.03 * rng.normal(size=X.shape)]) / 20
    y = np.where(rng.random(400) < 0.5, 1, -1)
    options = {"loss": "squared_hinge", "alpha": 1e-4, "tol": 1e-6, "solver": "coordinate", "random_state": 0}
    options["fit_intercept"] = False
    with_them = sdca(X, y, **options)
    monkeypatch.setattr(sdca_solver, "PACE_EPOCHS", 10**9)
    without = sdca(X, y, **options)
    assert max(with_them.gap / with_them.objective, without.gap / without.objective) <= 1e-6
    assert with_them.n_iter < 0.7 * without.n_iter


def test_nothing_inside_is_nothing_to_do(problem):
    p = Problem(*problem)
    dual, w = np.ones(p.n), np.zeros(30)
    assert free_variable_cg(p, as_loss("hinge"), CG_ALPHA, 0.0, w, 0.25, dual) == 0.25
    assert not w.any()
