"""What a second fit starts from, and what a broken one leaves behind."""

import pickle

import numpy as np
import pytest
from recorder import Recorder
from sklearn.base import clone

from fastsvm import KernelSDCAClassifier, SDCAClassifier, load_model, save_model
from fastsvm.solvers import LOSSES
from pairs import pairs

pytestmark = pytest.mark.blas

MODEL = SDCAClassifier(alpha=1e-2, solver="coordinate", random_state=0, warm_start=True)
KERNEL = KernelSDCAClassifier(alpha=1e-3, tol=1e-5, max_iter=10**5, random_state=0, warm_start=True)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize(
    "estimator",
    [MODEL, clone(MODEL).set_params(fit_intercept=False), KERNEL],
    ids=["linear", "without an intercept", "kernel"],
)
def test_a_second_fit_starts_at_the_solution(estimator, loss, data):
    model = clone(estimator).set_params(loss=loss).fit(*data)
    first, cold = model.objective_, model.n_iter_
    assert cold > 2 or estimator is not KERNEL
    again = pickle.loads(pickle.dumps(model))
    for warm in (model.fit(*data), again.fit(*data)):
        assert warm.n_iter_ < cold / 2
        assert np.all(warm.dual_gap_ <= warm.tol * warm.objective_)
        np.testing.assert_allclose(warm.objective_, first, rtol=warm.tol)


def test_weights_may_change(data):
    """The old dual variables of rows that weigh nothing now are not those of a solution."""
    X, y = data
    weights = (np.arange(len(y)) % 3 > 0).astype(float)
    warm = clone(MODEL).set_params(tol=1e-5, max_iter=10**5).fit(X, y).fit(X, y, sample_weight=weights)
    cold = clone(warm).fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(warm.objective_, cold.objective_, rtol=2e-5)
    assert not warm.dual_coef_[:, weights == 0].any()


@pytest.mark.parametrize(
    ("estimator", "change"),
    [
        *((MODEL, change) for change in ({"alpha": 5e-3}, {"alpha": 2e-2}, {"loss": "smooth_hinge"})),
        *((KERNEL, change) for change in ({"alpha": 5e-4}, {"alpha": 2e-3}, {"loss": "squared_hinge"})),
        *((KERNEL, change) for change in ({"gamma": 0.5}, {"kernel": "poly"})),
        *((estimator, {"loss": "log"}) for estimator in (MODEL, KERNEL)),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else type(value).__name__,
)
def test_other_parameters_have_their_own_solution(estimator, change, data):
    model = clone(estimator).set_params(tol=1e-5, max_iter=10**5).fit(*data).set_params(**change).fit(*data)
    cold = clone(model).fit(*data)
    np.testing.assert_allclose(model.objective_, cold.objective_, rtol=2e-5)
    assert np.all(model.dual_gap_ <= 1e-5 * model.objective_)
    if estimator is MODEL:
        np.testing.assert_allclose(model.dual_coef_ @ data[0], model.coef_, atol=1e-8)


@pytest.mark.parametrize("options", [
    {"loss": "log", "multi_class": "multinomial"}, {"loss": "log", "solver": "newton"}, {"solver": "newton"},
])  # fmt: skip
def test_a_much_smaller_alpha_starts_at_the_old_weights(options, iris):
    """The old dual variables would give weights that are far too large, from which few fits found back."""
    X, y = iris
    warm = SDCAClassifier(alpha=0.1, warm_start=True, **options).fit(X, y).set_params(alpha=1e-6).fit(X, y)
    assert np.all(warm.dual_gap_ <= 1e-3 * warm.objective_)
    assert warm.n_iter_ <= 2 + clone(warm).fit(X, y).n_iter_


@pytest.mark.parametrize("options", [
    {"loss": "log", "multi_class": "multinomial"}, {"loss": "log", "solver": "newton"},
    {"loss": "hinge", "solver": "newton"}, {"loss": "log", "penalty": "l1"},
])  # fmt: skip
@pytest.mark.parametrize("change", [lambda X, y: (100 * X, y), lambda X, y: (X, y[::-1])])
def test_a_start_worse_than_zero_weights_is_dropped(options, change, iris):
    """Scores far from 0 saturate the loss: its curvature leads nowhere, and the fit would end there."""
    X, y = change(*iris)
    warm = SDCAClassifier(alpha=1e-6, warm_start=True, **options).fit(*iris).fit(X, y)
    cold = clone(warm).fit(X, y)
    assert np.all(warm.objective_ <= cold.objective_ + warm.dual_gap_ + cold.dual_gap_)
    assert np.all(warm.dual_gap_ <= 1e-3 * warm.objective_)


@pytest.mark.parametrize("what", ["rows", "classes", "warm_start=False", "a file"])
@pytest.mark.parametrize("estimator", [MODEL, KERNEL], ids=["linear", "kernel"])
def test_what_has_no_old_solution_starts_cold(estimator, what, iris, tmp_path):
    X, y = iris
    model = clone(estimator).fit(X, y)
    if what == "rows":
        X, y = X[:-1], y[:-1]
    elif what == "classes":
        y = np.where(y == "setosa", "rose", y)
    elif what == "a file":
        save_model(model, tmp_path / "model.safetensors")
        model = load_model(tmp_path / "model.safetensors")
        assert model.warm_start is True
    else:
        model.warm_start = False
    cold = clone(model).fit(X, y)
    np.testing.assert_array_equal(model.fit(X, y).dual_coef_, cold.dual_coef_)


def test_dual_variables_of_a_kernel_machine_stay_in_their_domain(data):
    """The squared hinge's go beyond the hinge's; rows that weigh nothing now have none."""
    X, y = data
    weights = (np.arange(len(y)) % 3 > 0).astype(float)
    model = clone(KERNEL).set_params(loss="squared_hinge", alpha=0.1).fit(X, y)
    assert np.abs(model.dual_coef_).max() * 0.1 * len(y) > 1.5
    model.set_params(loss="hinge", max_iter=1, tol=None).fit(X, y, sample_weight=weights)
    bounds = np.abs(model.dual_coef_) * 0.1 * len(y)
    assert (bounds <= weights[model.support_] / weights.mean() * (1 + 1e-12)).all()


@pytest.mark.parametrize(
    *pairs(
        estimator={"linear": MODEL, "kernel": KERNEL},
        warm_start=[False, True],
        n_jobs=[None, 2],
        error={repr(each): each for each in [KeyboardInterrupt(), ValueError("broken")]},
    )
)
def test_a_broken_fit_leaves_the_estimator_as_it_was(error, n_jobs, warm_start, estimator, data):
    pytest.importorskip("sklearn.callback")
    model = clone(estimator).set_params(warm_start=warm_start, n_jobs=n_jobs).fit(*data)
    expected = clone(model).fit(*data).fit(*data)
    before = {name: pickle.dumps(value) for name, value in vars(model).items()}
    alpha = model.alpha

    def fail(context):
        if context.task_name == "epoch" and context.task_id == 3:
            raise error

    model.set_params(alpha=1e-6).set_callbacks(Recorder(fail))
    with pytest.raises(type(error)):
        model.fit(data[0][:, :-1], data[1])
    model.set_callbacks().set_params(alpha=alpha)
    assert {name: pickle.dumps(value) for name, value in vars(model).items()} == before
    np.testing.assert_array_equal(model.fit(*data).dual_coef_, expected.dual_coef_)

    unfitted = clone(estimator).set_params(alpha=1e-6).set_callbacks(Recorder(fail))
    with pytest.raises(type(error)):
        unfitted.fit(*data)
    assert [name for name in vars(unfitted) if name.endswith("_")] == []
