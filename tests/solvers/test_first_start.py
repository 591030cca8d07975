"""Where coordinate steps start from, and how they tell that they are near the end."""

import numpy as np
import pytest

import reference
from fastsvm.solvers import LOSSES, coordinate_solver, sdca
from fastsvm.solvers._first_start import even_start, first_intercept
from fastsvm.solvers._problem import Problem
from fastsvm.solvers.coordinate_solver import SDCASolver
from fastsvm.solvers.losses import as_loss
from pairs import pairs

pytestmark = pytest.mark.blas

OPTIONS = {"averaging": "last", "sgd_init": False, "order": "permutation", "max_iter": 100}


def made(n=400, seed=0, weighted=False):
    """More rows of one class than of the other."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 8))
    y = np.where(X[:, 0] + rng.normal(size=n) > 0.8, 1, -1)
    return X, y, reference.weights(rng, n) if weighted else None


@pytest.mark.parametrize(*pairs(loss=LOSSES, weighted=[False, True], fit_intercept=[False, True]))
def test_even_start_is_the_best_of_its_kind(loss, weighted, fit_intercept):
    X, y, c = made(weighted=weighted)
    problem, table = Problem(X, y, c), as_loss(loss)
    dual, w = even_start(problem, table, 0.3, fit_intercept)
    slow, intercept = reference.even_start(
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
    factors = problem.balance(dual)
    for share in (1.0, 0.6, 1e-9):
        left = dual - problem.excess(dual, factors, share)
        assert abs(left @ y) < 1e-12 * dual.sum()
        assert left.min() >= 0
        touched = np.flatnonzero(left != dual)
        assert set(y[touched]) == {-1}
    np.testing.assert_allclose(left, dual * np.where(y > 0, *factors), rtol=1e-12)


@pytest.mark.parametrize(*pairs(loss=LOSSES, weighted=[False, True], fit_intercept=[False, True]))
def test_gap_that_all_rows_say_is_that_of_the_certificate(monkeypatch, loss, weighted, fit_intercept):
    monkeypatch.setattr(coordinate_solver, "LEAST_SAMPLE", 10**6)
    X, y, c = made(weighted=weighted)
    random = np.array([3], np.uint64)
    run = SDCASolver(
        Problem(X, y, c), loss=loss, alpha=0.1, fit_intercept=fit_intercept, random=random, **OPTIONS
    )
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
