"""The best intercept for given scores, and the passes from which it is found."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize_scalar

import reference
from fastsvm.solvers import LOSSES, losses
from fastsvm.solvers._intercept import best_intercept
from fastsvm.solvers._problem import Problem
from fastsvm.solvers.losses import as_loss

pytestmark = pytest.mark.blas


@pytest.fixture(params=[False, True], ids=["alike", "weighted"])
def problem(request):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 5)) * (rng.random((300, 5)) < 0.7)
    y = np.where(rng.random(300) < 0.2, 1, -1)
    weights = reference.weights(rng, 300) if request.param else None
    return Problem(sparse.csr_matrix(X), y, weights)


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
