"""The width of the smooth hinge's bend, from the solvers to model files."""

import numpy as np
import pytest

import reference
from fastsvm import ASDCAClassifier, SDCAClassifier, certify
from fastsvm.solvers import asdca, sdca
from fastsvm.solvers.losses import as_loss
from pairs import pairs

pytestmark = pytest.mark.blas

WIDTHS = [0.1, 0.5, 4.0]


@pytest.mark.parametrize(
    *pairs(
        fit_intercept=[False, True],
        weighted=[False, True],
        width=WIDTHS,
        solver=["coordinate", "newton", "asdca"],
    )
)
def test_the_optimum_is_reached_and_certified(solver, width, weighted, fit_intercept, problem):
    X, y = problem
    c = reference.weights(np.random.default_rng(2), len(y)) if weighted else None
    options = {"loss": "smooth_hinge", "hinge_width": width, "alpha": 0.03, "tol": 1e-7, "max_iter": 10**5}
    options |= {"fit_intercept": fit_intercept, "sample_weight": c, "random_state": 0}
    r = asdca(X, y, **options) if solver == "asdca" else sdca(X, y, solver=solver, **options)
    assert (r.solver, r.gap <= 1e-7 * r.objective) == (solver, True)
    loss = as_loss("smooth_hinge", width)
    assert r.objective == pytest.approx(reference.primal(loss, 0.03, X, y, r.w, r.intercept, c), rel=1e-12)
    assert r.gap == pytest.approx(reference.gap(loss, 0.03, X, y, r.dual, r.w, r.intercept, c), abs=1e-12)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "log"])
def test_other_losses_have_none(loss, problem):
    options = {"loss": loss, "alpha": 0.03, "random_state": 0}
    r = sdca(*problem, hinge_width=0.1, **options)
    np.testing.assert_array_equal(r.w, sdca(*problem, **options).w)


@pytest.mark.parametrize("width", [0, -1.0, np.nan, np.inf, "wide", True, 1e-200, 1e200])
@pytest.mark.parametrize("cls", [SDCAClassifier, ASDCAClassifier])
def test_a_bad_width_is_named(cls, width, problem):
    with pytest.raises(ValueError, match=r"^hinge_width must be "):
        cls("smooth_hinge", hinge_width=width).fit(*problem)
    with pytest.raises(ValueError, match=r"^hinge_width must be "):
        (sdca if cls is SDCAClassifier else asdca)(*problem, loss="smooth_hinge", hinge_width=width)


@pytest.mark.parametrize("cls", [SDCAClassifier, ASDCAClassifier])
def test_certify_reads_it_from_an_estimator(cls, problem):
    X, y = problem
    options = {"alpha": 0.03, "max_iter": 10**4, "tol": 1e-6, "random_state": 0}
    model = cls("smooth_hinge", hinge_width=0.3, **options).fit(X, y)
    best = reference.optimum_with_intercept(as_loss("smooth_hinge", 0.3), 0.03, X.toarray(), y)
    certificate = certify(model, X, y, random_state=0)
    assert model.objective_ == pytest.approx(best, rel=1e-5)
    assert certificate.objective == pytest.approx(model.objective_, rel=1e-9)
    assert certificate.bound <= best * (1 + 1e-9)
