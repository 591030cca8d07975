"""Moves of all dual variables at once, and how SDCA tells that it is near the end."""

import numpy as np
import pytest

import reference
from fastsvm.solvers import sdca
from fastsvm.solvers._dual_moves import free_variable_cg
from fastsvm.solvers._problem import Problem
from fastsvm.solvers.losses import as_loss
from fastsvm.solvers.sdca_solver import first_intercept

pytestmark = pytest.mark.blas

CG_ALPHA = 0.01


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("loss", ["log", "squared_hinge"])
def test_the_first_intercept_of_one_class_has_no_loss(loss, sign):
    intercept = first_intercept(Problem(np.ones((3, 1)), [sign] * 3), as_loss(loss))
    assert as_loss(loss).value(sign * intercept) == 0


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


def test_nothing_inside_is_nothing_to_do(problem):
    p = Problem(*problem)
    dual, w = np.ones(p.n), np.zeros(30)
    assert free_variable_cg(p, as_loss("hinge"), CG_ALPHA, 0.0, w, 0.25, dual) == 0.25
    assert not w.any()
