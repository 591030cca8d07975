"""Numbers of every size: a fit ends in finite numbers and a true gap, or in a ValueError that says so."""

import itertools
import warnings
from functools import partial

import numpy as np
import pytest
from scipy import sparse

import fastsvm
from fastsvm.solvers import LOSSES, sdca

pytestmark = pytest.mark.blas

SCALES = (
    *(1e-320, 1e-300, 1e-200, 1e-160, 1e-100, 1e-30, 1e-10, 1),
    *(1e10, 1e30, 1e75, 1e100, 1e153, 1e160, 1e300),
)
ALPHAS = (1e-300, 1e-100, 1e-4, 1e100, 1e300)
FEW = {"max_iter": 60, "random_state": 0}


def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 5))
    return X, np.where(X @ rng.normal(size=5) + 0.3 * rng.normal(size=60) > 0, 1, -1)


def models():
    """Name, loss where the objective is that of `sdca` with an intercept, and what makes one at an alpha."""
    machine, chosen = fastsvm.KernelSDCAClassifier, fastsvm.SDCAClassifierCV
    for loss in LOSSES:
        for solver in ("coordinate", "newton"):
            yield f"SDCA {loss} {solver}", loss, partial(fastsvm.SDCAClassifier, loss, solver=solver, **FEW)
        for kernel in ("linear", "rbf", "poly"):
            yield f"kernel {loss} {kernel}", None, partial(machine, kernel, loss=loss, **FEW)
        yield f"CV {loss}", None, lambda alpha, loss=loss: chosen(loss, n_alphas=3, cv=2, **FEW)
        if loss != "hinge":
            yield f"ASDCA {loss}", loss, partial(fastsvm.ASDCAClassifier, loss, **FEW)
    pegasos = partial(fastsvm.PegasosClassifier, random_state=0)
    for loss, project in itertools.product(("hinge", "log"), (False, True)):
        name = f"Pegasos {loss} {project}"
        yield name, loss, partial(pegasos, loss, project=project, averaging="tail")
    yield "Pegasos certified", "hinge", partial(pegasos, certify=True)
    yield "perceptron", None, lambda alpha: fastsvm.PerceptronClassifier(averaging="all", random_state=0)
    yield "kernel Pegasos", None, partial(fastsvm.KernelPegasosClassifier, random_state=0)
    search = partial(fastsvm.KernelSDCAClassifierCV, gammas=["scale"], cv=2, **FEW)
    yield "kernel CV", None, lambda alpha: search(alphas=[alpha])


MODELS = {name: (loss, make) for name, loss, make in models()}


def is_within_the_truth(model, loss, scale, rounding):
    """Whether objective and bound hold the optimum; (X s, alpha) has that of (X, alpha / s^2)."""
    alpha = model.alpha / scale**2
    truth = sdca(*data(), loss=loss, alpha=alpha, tol=1e-9, fit_intercept=True, random_state=0)
    above = truth.objective * (1 + rounding)
    below = (truth.objective - truth.gap) * (1 - rounding)
    return model.objective_ >= below and model.objective_ - model.dual_gap_ <= above


def check(name, scale, alpha, convert=np.asarray):
    loss, make = MODELS[name]
    X, y = data()
    model = make(alpha=alpha)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model.fit(convert(X * scale), y)
        except ValueError:
            return "refused"
    for attribute in ("objective_", "dual_gap_", "coef_", "intercept_", "dual_coef_"):
        assert np.isfinite(getattr(model, attribute, 0)).all(), (attribute, scale, alpha)
    if loss and 1e-10 <= scale <= 1e10 and 1e-8 <= alpha / scale**2 <= 1e8:
        rounding = 1e-9 if model.coef_.dtype == np.float64 else 1e-5  # X itself was rounded
        assert is_within_the_truth(model, loss, scale, rounding), (scale, alpha)
    return "fitted"


@pytest.mark.parametrize("name", MODELS)
def test_any_scale_ends_in_finite_numbers_or_is_refused(name):
    said = {scale: check(name, scale, 1e-4) for scale in SCALES[::3]}
    assert said[SCALES[6]] == "fitted"
    for alpha in (1e-300, 1e100):
        check(name, SCALES[6], alpha)


@pytest.mark.slow
@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_array, lambda X: X.astype(np.float32)])
@pytest.mark.parametrize("name", MODELS)
def test_any_scale_in_small_steps(name, convert):
    for scale, alpha in itertools.product(SCALES, ALPHAS):
        if convert(np.array([[scale]])).max() < np.inf:
            check(name, scale, alpha, convert)


@pytest.mark.parametrize("scale", [1e-150, 1e-100, 1e-20, 1, 1e20, 1e99])
def test_alphas_of_cross_validation_follow_the_scale(scale):
    X, y = data()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model = fastsvm.SDCAClassifierCV(cv=2, random_state=0).fit(X * scale, y)
        except ValueError as error:
            assert "scale X" in str(error)  # noqa: PT017
            assert not 1e-40 < scale < 1e40
        else:
            assert model.score(X * scale, y) > 0.9


@pytest.mark.parametrize(
    ("weight", "message"), [(1e-320, "divide the weights"), (1e308, "divide the weights"), (1e90, None)]
)
def test_weights_beyond_range_are_refused(weight, message):
    X, y = data()
    fit = lambda: fastsvm.SDCAClassifier(alpha=1e-4, random_state=0).fit(X, y, np.full(60, weight))  # noqa: E731
    if message:
        with pytest.raises(ValueError, match=message):
            fit()
    else:
        assert np.isfinite(fit().dual_gap_)


@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_array])
def test_complex_values_are_refused(convert):
    X, y = data()
    for use in (lambda X: sdca(X, y, fit_intercept=False), lambda X: fastsvm.SDCAClassifier().fit(X, y)):
        with pytest.raises(ValueError, match=r"must contain real numbers|Complex data not supported"):
            use(convert(X + 0j))


def test_coefficients_beyond_single_precision_are_refused():
    X, y = data()
    with pytest.raises(ValueError, match="coefficients overflow float32"):
        fastsvm.SDCAClassifier(alpha=1e-85, fit_intercept=False).fit((X * 1e-42).astype(np.float32), y)
