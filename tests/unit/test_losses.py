import numpy as np
import pytest

from fastsvm.solvers import LOSSES, Problem, losses

M = np.concatenate([np.linspace(-3, 4, 141) + 0.013, [-800.0, 800.0, 0.0]])


def duals(loss, rng, size):
    low, high = losses.domain(loss)
    return rng.uniform(low, min(high, 3), size)


@pytest.mark.parametrize("loss", LOSSES)
def test_slope_is_the_derivative(loss):
    h = 1e-6
    numeric = (losses.value(loss, M + h) - losses.value(loss, M - h)) / (2 * h)
    np.testing.assert_allclose(losses.slope(loss, M), numeric, atol=2e-6)


@pytest.mark.parametrize("loss", LOSSES)
def test_fenchel_young(loss):
    b = duals(loss, np.random.default_rng(0), 500)[:, None]
    assert (losses.value(loss, M) + b * M >= losses.dual_term(loss, b) - 1e-12).all()
    # Equality at b = -phi'(m): the conjugate is the right one, not only a bound.
    at = losses.dual_term(loss, -losses.slope(loss, M))
    np.testing.assert_allclose(losses.value(loss, M) - losses.slope(loss, M) * M, at, atol=1e-12)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("seed", range(20))
def test_weak_duality_at_random_points(loss, seed, problem):
    X, y = problem
    rng = np.random.default_rng(seed)
    c = rng.integers(0, 3, len(y)) + rng.random(len(y)) * (rng.random(len(y)) < 0.8)
    b = c * duals(loss, rng, len(y))
    alpha = 10 ** rng.uniform(-4, 1)
    w = X.T @ (b * y) / (alpha * len(y))
    lower = losses.dual(loss, alpha, X, y, b, c)
    assert losses.primal(loss, alpha, X, y, w, 0.0, c) >= lower
    assert losses.primal(loss, alpha, X, y, rng.normal(size=X.shape[1]), 0.0, c) >= lower


@pytest.mark.parametrize("loss", LOSSES)
def test_outside_its_domain_the_dual_bounds_nothing(loss):
    assert losses.dual_term(loss, -0.1) == -np.inf
    assert losses.dual_term(loss, 1.1) == (-np.inf if loss != "squared_hinge" else 1.1 - 1.1**2 / 4)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("weighted", [False, True])
def test_kernels_agree_with_numpy(loss, weighted, problem):
    X, y = problem
    rng = np.random.default_rng(1)
    c = rng.random(len(y)) * (rng.random(len(y)) < 0.7) if weighted else None
    w, b0 = 3 * rng.normal(size=X.shape[1]), 0.4
    p = Problem(X, y, c)
    assert p.primal(w, b0, loss, 0.1) == pytest.approx(losses.primal(loss, 0.1, X, y, w, b0, c), rel=1e-13)
    b = duals(loss, rng, len(y)) * (1 if c is None else c)
    w = p.primal_from_dual(b, 0.1)
    np.testing.assert_allclose(w, X.T @ (b * y) / (0.1 * len(y)), rtol=1e-12)
    assert p.dual_value(b, w, loss, 0.1) == pytest.approx(losses.dual(loss, 0.1, X, y, b, c), rel=1e-12)


def test_an_unknown_loss_is_named():
    for function in (losses.value, losses.slope, losses.dual_term):
        with pytest.raises(ValueError, match=r"loss must be one of 'hinge'.*got 'huber'"):
            function("huber", 1.0)
