"""sdca_path: certified at each alpha, started warm, on a principled grid."""

import numpy as np
import pytest

import reference
from fastsvm import SDCAPath, sdca_path
from fastsvm.solvers import LOSSES, sdca
from rounding import assert_close

pytestmark = pytest.mark.blas

ALPHAS = np.geomspace(0.3, 1e-3, 6)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_each_solution_is_that_of_its_alpha(loss, fit_intercept, problem):
    X, y = problem
    weights = np.linspace(0, 2, len(y))
    options = {"loss": loss, "fit_intercept": fit_intercept, "sample_weight": weights, "max_iter": 10**5}
    path = sdca_path(X, y, ALPHAS, tol=1e-5, random_state=0, **options)
    assert isinstance(path, SDCAPath)
    assert np.all((path.dual_gaps >= 0) & (path.dual_gaps <= 1e-5 * path.objectives))
    for alpha, w, intercept, objective in zip(*path[:4], strict=True):
        own = reference.primal(loss, alpha, X, y, w, intercept, weights)
        assert own == pytest.approx(objective, rel=1e-9)
        best = sdca(X, y, alpha=alpha, tol=1e-8, random_state=1, **options)
        assert best.objective - best.gap - 1e-12 <= objective <= best.objective * (1 + 1.1e-5)


@pytest.mark.parametrize("loss", LOSSES)
def test_alphas_may_be_repeated(loss, problem):
    path = sdca_path(*problem, [0.1] * 4 + [0.01] * 4, loss=loss, tol=1e-5, random_state=0)
    assert (path.dual_gaps <= 1e-5 * path.objectives).all()
    assert np.ptp(path.objectives[:4]) <= 1e-5 * path.objectives[0]


def test_alphas_are_sorted_and_not_written_to(problem):
    alphas = np.array([0.01, 1.0, 0.1])
    path = sdca_path(*problem, alphas, random_state=0)
    assert path.alphas.tolist() == [1.0, 0.1, 0.01]
    assert alphas.tolist() == [0.01, 1.0, 0.1]
    assert np.diff(np.linalg.norm(path.coefs, axis=1)).min() > 0
    again = sdca_path(*problem, path.alphas.tolist(), random_state=0)
    assert_close(path.coefs, again.coefs)


@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("loss", LOSSES)
def test_the_grid_starts_where_w_is_still_in_proportion_to_1_over_alpha(loss, fit_intercept, problem):
    X, y = problem
    y = np.where(np.arange(len(y)) < 60, 1, y)  # unbalanced
    largest = sdca_path(X, y, n_alphas=1, loss=loss, fit_intercept=fit_intercept).alphas[0]
    alphas = largest * np.array([100, 2, 1, 0.1, 0.01])
    path = sdca_path(X, y, alphas, loss=loss, fit_intercept=fit_intercept, tol=1e-8, max_iter=10**5)
    g = path.coefs * path.alphas[:, np.newaxis]
    change = np.linalg.norm(g - g[0], axis=1) / np.linalg.norm(g[0])
    if loss == "hinge" and not fit_intercept:
        assert change[1:3].max() < 1e-3
        np.testing.assert_allclose(g[2], X.T @ y / len(y), rtol=1e-3, atol=1e-6)
    assert change[2] < 0.5
    assert change[4] > 0.6
    assert change[4] > 1.5 * change[2]


def test_the_default_grid(problem):
    path = sdca_path(*problem, n_alphas=5, eps=1e-2, random_state=0)
    assert len(path.alphas) == len(path.coefs) == len(path.n_iters) == 5
    np.testing.assert_allclose(path.alphas[-1] / path.alphas[0], 1e-2)
    np.testing.assert_allclose(np.diff(np.log(path.alphas)), np.log(1e-2) / 4)
    X, y = problem
    used = np.arange(len(y)) % 4 > 0
    alone = sdca_path(X[used], y[used], n_alphas=1).alphas
    assert sdca_path(X, y, n_alphas=1, sample_weight=used.astype(float)).alphas == pytest.approx(alone)
    assert sdca_path(0 * X, y, n_alphas=1).alphas == [1.0]


def test_labels_types_and_seeds(problem):
    X, y = problem
    expected = sdca_path(X, y, ALPHAS, random_state=3)
    named = sdca_path(X, np.where(y > 0, "yes", "no"), ALPHAS, random_state=3, n_jobs=2)
    for one, other in zip(expected, named, strict=True):
        assert_close(one, other, scale=1, digits=0.8)  # gaps are differences of what is larger
    single = sdca_path(X.astype(np.float32), y, ALPHAS, random_state=3)
    assert single.coefs.dtype == single.intercepts.dtype == np.float32
    dense = sdca_path(X.toarray().tolist(), y.tolist(), ALPHAS, random_state=3)
    np.testing.assert_allclose(dense.coefs, expected.coefs, rtol=0.2, atol=0.1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alphas": [1, 0]}, r"alphas must be positive finite numbers; got \[1.0, 0.0\]"),
        ({"alphas": []}, r"alphas must be a list of positive numbers; its shape is \(0,\)"),
        ({"eps": 1}, "eps must be less than 1; got 1"),
        ({"loss": "huber"}, "loss must be one of"),
        ({"sample_weight": [1.0]}, "sample_weight has shape"),
    ],
    ids=lambda p: str(p)[:30],
)
def test_bad_arguments_are_named(options, message, problem):
    with pytest.raises(ValueError, match=message):
        sdca_path(*problem, **options)
