import numpy as np
import pytest

from fastsvm.solvers import asdca, losses, sdca
from fastsvm.solvers.losses import SMOOTH_LOSSES
from pairs import pairs

pytestmark = pytest.mark.blas


def assert_the_gap_goes_to_zero(X, y, tol, max_iter, fit_intercept=False, **options):
    r = asdca(X, y, tol=tol, max_iter=max_iter, fit_intercept=fit_intercept, random_state=0, **options)
    assert 0 <= r.gap <= tol * r.objective


@pytest.mark.parametrize(
    *pairs(
        fit_intercept=[False, True],
        alpha=[1e-3, 0.1, 1.0],
        batch_size=[1, 5, 100, 200],
        loss=SMOOTH_LOSSES,
        order=["permutation", "batches"],
    )
)
def test_the_gap_goes_to_zero(loss, batch_size, alpha, fit_intercept, order, problem):
    options = {"loss": loss, "batch_size": batch_size, "alpha": alpha, "order": order}
    tol = 1e-8 if alpha > 0.01 and order == "permutation" else 1e-4
    assert_the_gap_goes_to_zero(*problem, tol, 10**4, fit_intercept, **options)


@pytest.mark.slow
@pytest.mark.parametrize("batch_size", [1, 5, 100, 200])
@pytest.mark.parametrize("loss", SMOOTH_LOSSES)
def test_the_gap_goes_to_zero_for_hardly_any_regularisation(loss, batch_size, problem):
    assert_the_gap_goes_to_zero(*problem, 1e-2, 10**6, loss=loss, batch_size=batch_size, alpha=1e-5)


def unscaled(X, spread):
    """Columns of very different size, a row much longer than the others, and raw counts."""
    X = X.toarray()
    outlier = X.copy()
    outlier[3] *= spread
    columns = X * spread ** np.linspace(-1, 1, 30)
    return columns, outlier, np.floor(np.random.default_rng(0).pareto(1, size=X.shape))


@pytest.mark.parametrize("batch_size", [1, 8, 200])
@pytest.mark.parametrize("loss", SMOOTH_LOSSES)
def test_nothing_diverges_on_unscaled_data(loss, batch_size, problem):
    X, y = problem
    for rows in unscaled(X, 1e3):
        options = {"loss": loss, "alpha": 1e-3, "batch_size": batch_size, "fit_intercept": False}
        history = asdca(rows, y, max_iter=300, tol=None, trace=True, random_state=0, **options).history
        assert max(epoch.primal for epoch in history) < 1.01 * losses.value(loss, 0.0)
        assert history[-1].primal < history[0].primal
    for rows in unscaled(X, 10):
        alpha = 0.01 * (rows**2).sum(axis=1).max()
        assert_the_gap_goes_to_zero(rows, y, 1e-6, 10**4, loss=loss, batch_size=batch_size, alpha=alpha)


def test_steps_that_diverge_are_refused(problem):
    X, y = problem
    with pytest.raises(ValueError, match=r"theta=1 is too large: the steps diverge\. Try theta='paper'"):
        asdca(X, y, loss="squared_hinge", alpha=1e-4, theta=1.0, batch_size=200, max_iter=5000, tol=None)


@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("loss", SMOOTH_LOSSES)
def test_small_and_empty_problems(loss, fit_intercept):
    cases = [
        (np.zeros((3, 2)), [1, -1, 1], None),
        (np.ones((1, 1)), [-1], None),
        (np.array([[1.0], [1.0]]), [1, -1], None),
        (np.array([[2.0, 0.0], [0.0, 0.0], [1.0, 1.0]]), [1, 1, -1], [1.0, 2.0, 0.0]),
        (np.full((2, 1), 1e-170), [1, -1], None),
    ]
    for X, y, c in cases:
        options = {"loss": loss, "alpha": 0.1, "fit_intercept": fit_intercept, "tol": 1e-6}
        options |= {"sample_weight": c, "max_iter": 50 if fit_intercept else 1000}
        r, best = asdca(X, np.array(y), **options), sdca(X, np.array(y), **options)
        assert r.objective - r.gap <= best.objective + 1e-12
        assert r.gap <= 1e-6 * r.objective or len(set(y)) == 1 or fit_intercept
        assert np.isfinite(r.w).all()
