import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import scale

import reference
from fastsvm.solvers import pegasos, sdca
from fastsvm.solvers.losses import PEGASOS_LOSSES

pytestmark = pytest.mark.blas

OPTIONS = [
    {},
    {"batch_size": 7},
    {"order": "random"},
    {"order": "random", "batch_size": 10, "averaging": "tail"},
    {"project": True},
    {"averaging": "tail"},
    {"averaging": "random", "batch_size": 3},
    {"order": "batches", "batch_size": 6, "averaging": "tail"},
    {"fit_intercept": True, "batch_size": 20, "averaging": "tail"},
]


def optimum(loss, alpha, X, y, **options):
    """The least objective; the modified Huber loss is 4 times the smooth hinge of width 2."""
    times, width = (4, 2.0) if loss == "modified_huber" else (1, 1.0)
    options |= {"tol": 1e-9, "max_iter": 20000, "random_state": 0, "hinge_width": width}
    loss = "smooth_hinge" if times == 4 else loss
    return times * sdca(X, y, loss=loss, alpha=alpha / times, **options).objective


@pytest.mark.parametrize("options", OPTIONS, ids=lambda o: "-".join(o) or "plain")
@pytest.mark.parametrize("loss", PEGASOS_LOSSES)
def test_it_converges(loss, options, problem):
    alpha = 0.05
    best = optimum(loss, alpha, *problem, fit_intercept=options.get("fit_intercept", False))
    options = {"loss": loss, "alpha": alpha, "random_state": 0, "fit_intercept": False} | options
    far, near = (pegasos(*problem, max_iter=epochs, **options) for epochs in (5, 1000))
    assert near.objective - best < 0.005 * best
    assert near.objective - best < far.objective - best
    assert near.gap < 0.05 * best


def test_a_small_alpha_does_not_throw_the_intercept_off():
    """Steps of 1/(alpha t) on b0 end at an objective of 15 here; without b0 it is .34, the optimum .042."""
    X, y = load_breast_cancer(return_X_y=True)
    X, y = scale(X) + 1, 2 * y - 1
    options = {"alpha": 1e-3, "averaging": "tail", "max_iter": 20}
    for seed in range(5):
        r = pegasos(X, y, fit_intercept=True, random_state=seed, **options)
        assert r.objective < 0.5 * pegasos(X, y, fit_intercept=False, random_state=seed, **options).objective


def test_a_scale_about_to_underflow_is_absorbed(problem):
    """Projection at every step shrinks the scale without bound; the result must not notice."""
    X, y = problem
    X = X.toarray() * 1e6
    order = np.array([np.random.default_rng(k).permutation(len(y)) for k in range(20)], dtype=np.int32)
    r = pegasos(
        X, y, alpha=1.0, max_iter=20, order=order, project=True, averaging="tail", fit_intercept=False
    )
    w, _ = reference.pegasos(X, y, order, alpha=1.0, project=True, averaging="tail")
    np.testing.assert_allclose(r.w, w, rtol=1e-6)


def test_the_seed_decides(problem):
    for options in OPTIONS:
        runs = [pegasos(*problem, max_iter=2, random_state=seed, **options).w.tobytes() for seed in (5, 5, 6)]
        assert runs[0] == runs[1] != runs[2]
