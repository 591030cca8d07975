"""Conjugate gradients on the dual variables inside their box."""

import numpy as np
import pytest

import reference
from fastsvm.solvers import sdca
from fastsvm.solvers._polish import polish
from fastsvm.solvers._problem import Problem
from fastsvm.solvers.losses import as_loss

pytestmark = pytest.mark.blas

ALPHA = 0.01


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("bias_rate", [0.0, 0.3])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "smooth_hinge"])
def test_the_dual_never_falls_and_stays_in_its_box(loss, bias_rate, weighted, problem):
    X, y = problem
    c = reference.weights(np.random.default_rng(1), len(y)) if weighted else None
    p = Problem(X, y, c)
    options = {"loss": loss, "alpha": ALPHA, "sample_weight": c, "fit_intercept": False}
    dual = sdca(X, y, tol=None, max_iter=3, random_state=0, **options).dual
    w, bias = p.primal_from_dual(dual, ALPHA), bias_rate * p.imbalance(dual)

    def value(dual, w, bias):  # with the intercept's own quadratic term, which stands for one more column
        extra = bias**2 / (2 * bias_rate * p.n) if bias_rate else 0.0
        return p.dual_value(dual, w, loss, ALPHA) - extra

    before, inside = value(dual, w, bias), p.is_free(dual, loss)
    old = dual.copy()
    bias = polish(p, as_loss(loss), ALPHA, bias_rate, w, bias, dual)
    after = value(dual, w, bias)
    assert after >= before if bias_rate else after > before  # clipped, the way may lead nowhere
    assert (dual[~inside] == old[~inside]).all()
    assert not p.clip_dual(dual.copy(), loss)
    np.testing.assert_allclose(w, p.primal_from_dual(dual, ALPHA), atol=1e-10)
    assert bias == pytest.approx(bias_rate * p.imbalance(dual), abs=1e-10)


def test_flat_directions_take_few_epochs(monkeypatch):
    """Twins among the rows make the dual flat: with conjugate gradients the same gap in fewer epochs."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 400))
    X = np.vstack([X, X + 0.03 * rng.normal(size=X.shape)]) / 20
    y = np.where(rng.random(400) < 0.5, 1, -1)
    options = {"loss": "squared_hinge", "alpha": 1e-4, "tol": 1e-6, "solver": "coordinate", "random_state": 0}
    options["fit_intercept"] = False
    with_them = sdca(X, y, **options)
    monkeypatch.setattr("fastsvm.solvers.coordinate_solver.PACE_EPOCHS", 10**9)
    without = sdca(X, y, **options)
    assert max(with_them.gap / with_them.objective, without.gap / without.objective) <= 1e-6
    assert with_them.n_iter < 0.7 * without.n_iter


def test_nothing_inside_is_nothing_to_do(problem):
    p = Problem(*problem)
    dual, w = np.ones(p.n), np.zeros(30)
    assert polish(p, as_loss("hinge"), ALPHA, 0.0, w, 0.25, dual) == 0.25
    assert not w.any()
