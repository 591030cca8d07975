import numpy as np
import pytest

from fastsvm.solvers import perceptron

pytestmark = pytest.mark.blas


@pytest.fixture
def separable():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 5))
    score = X @ rng.normal(size=5) + 0.5
    keep = np.abs(score) > 0.3
    return X[keep], np.where(score[keep] > 0, 1, -1)


def test_separable_data_are_separated(separable):
    X, y = separable
    r = perceptron(X, y, max_iter=1000, random_state=0)
    assert (y * (X @ r.w + r.intercept) > 0).all()
    assert r.n_iter < 1000
    assert (r.objective, r.gap, r.dual) == (0.0, None, None)


def test_the_objective_is_the_mean_perceptron_loss(problem):
    X, y = problem
    c = np.random.default_rng(0).random(len(y))
    r = perceptron(X, y, sample_weight=c, max_iter=2, random_state=0)
    assert r.objective == pytest.approx(np.mean(c * np.maximum(0, -y * (X @ r.w + r.intercept))))
