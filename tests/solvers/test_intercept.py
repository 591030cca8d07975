"""The best intercept for given scores, and the passes from which it is found."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize_scalar

import reference
from fastsvm.solvers import LOSSES, _sdca, losses, sdca
from fastsvm.solvers._intercept import best_intercept
from fastsvm.solvers._problem import Problem
from fastsvm.solvers._scores import loss_and_slope, scores_of
from fastsvm.solvers.losses import as_loss

pytestmark = pytest.mark.blas


@pytest.fixture(params=[False, True], ids=["alike", "weighted"])
def problem(request):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 5)) * (rng.random((300, 5)) < 0.7)
    y = np.where(rng.random(300) < 0.2, 1, -1)
    weights = reference.weights(rng, 300) if request.param else None
    return Problem(sparse.csr_matrix(X), y, weights)


@pytest.mark.parametrize("loss", LOSSES)
def test_losses_of_scores_and_their_slope(problem, loss):
    w = np.random.default_rng(1).normal(size=5)
    scores = scores_of(problem.rows, w)
    X = sparse.csr_matrix((problem.rows.values, problem.rows.columns, problem.rows.indptr), (300, 5))
    np.testing.assert_allclose(scores, X @ w, atol=1e-12)
    c = problem.weights if problem.weights.size else np.ones(300)

    def total(bias):
        return c @ losses.value(loss, problem.signs * (scores + bias))

    found, slope = loss_and_slope(scores, problem.signs, problem.weights, 0.3, as_loss(loss).struct)
    assert found == pytest.approx(total(0.3))
    assert slope == pytest.approx((total(0.3 + 1e-6) - total(0.3 - 1e-6)) / 2e-6, rel=1e-5)


@pytest.mark.parametrize("start", [0.0, -50.0])
@pytest.mark.parametrize("loss", LOSSES)
def test_no_intercept_is_better_by_more_than_the_accuracy(problem, loss, start):
    scores = np.random.default_rng(2).normal(size=300) + 4
    intercept, value = best_intercept(problem, scores, start, as_loss(loss), 1e-6)
    assert value == pytest.approx(problem_loss(problem, scores, intercept, loss), rel=1e-12)
    best = minimize_scalar(
        lambda b: problem_loss(problem, scores, b, loss), bounds=(-60, 60), options={"xatol": 1e-10}
    )
    assert value <= best.fun + 1e-6


def problem_loss(problem, scores, intercept, loss):
    c = problem.weights if problem.weights.size else np.ones(problem.n)
    return c @ losses.value(loss, problem.signs * (scores + intercept)) / problem.n


def test_rows_of_one_class_need_no_search_without_end():
    problem = Problem(np.ones((3, 1)), [1, 1, 1])
    intercept, value = best_intercept(problem, np.zeros(3), 0.0, as_loss("hinge"), 1e-9)
    assert intercept >= 1
    assert value == 0
    assert best_intercept(problem, np.zeros(3), 0.0, as_loss("log"), 1e-9)[1] < 1e-9


@pytest.mark.parametrize("loss", [loss for loss in LOSSES if losses.as_loss(loss).quadratic])
def test_rows_are_screened_by_their_scores(problem, loss):
    rng, table = np.random.default_rng(3), as_loss(loss)
    scores, n = scores_of(problem.rows, rng.normal(size=5)), problem.n
    c = problem.weights if problem.weights.size else np.ones(n)
    dual, dropped = c * rng.choice([0.0, 0.5, 1.0], size=n), np.zeros(n, np.int8)
    state = _sdca.SDCAState(table.struct, 1.0, 0.0, np.zeros(5), dual, np.ones(n), dropped)
    state.threshold = 0.25
    sums = _sdca.screen_rows(scores, problem.signs, problem.weights, 0.1, state)
    m, used = problem.signs * (scores + 0.1), c > 0
    slope = 1 - m - table.curvature * np.divide(dual, c, out=np.zeros(n), where=used)
    over = used & (dual >= table.uppers(c)) & (slope > 0.25)
    under = (dual == 0) & (slope < -0.25)
    values = c * losses.value(loss, m)
    np.testing.assert_array_equal(dropped == 1, ~used | over | under)
    np.testing.assert_allclose(sums, (values.sum(), values[over].sum(), (dual * m)[over].sum()))
    assert 0 < dropped.sum() < n


def test_a_rare_class_takes_longer_steps_and_few_epochs():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 5)) * 0.1
    y = np.where(np.arange(400) < 2, 1, -1)
    order = np.array([rng.permutation(400) for _ in range(12)], np.int32)
    columns = {"intercept_column": 10, "most_column": 10 * 400**2 / (4 * 2 * 398)}
    _, _, b0 = reference.sdca(X, y, order, loss="log", alpha=1, **columns)
    by_order = sdca(X, y, loss="log", alpha=1, max_iter=12, tol=None, order=order)
    assert by_order.intercept == pytest.approx(b0, rel=1e-9)
    free = sdca(X, y, loss="log", alpha=1e-3, tol=1e-6, solver="coordinate", random_state=0)
    assert free.gap <= 1e-6 * free.objective
    assert free.n_iter <= 30
