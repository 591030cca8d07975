"""SDCAClassifierCV and KernelSDCAClassifierCV: what they have in common."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold

from fastsvm import KernelSDCAClassifierCV, SDCAClassifierCV
from rounding import assert_close

pytestmark = pytest.mark.blas

OPTIONS = {"alphas": [0.1, 0.01, 0.001], "cv": 3, "tol": 1e-6, "max_iter": 10**5, "random_state": 0}
LINEAR = SDCAClassifierCV(**OPTIONS)
KERNEL = KernelSDCAClassifierCV(gammas=[0.05, 0.5], **OPTIONS)
each = pytest.mark.parametrize("estimator", [LINEAR, KERNEL], ids=["linear", "kernel"])


@each
def test_other_parameters_of_fit_are_refused(estimator, problem):
    with pytest.raises(TypeError, match="fit has no parameter 'colour'"):
        clone(estimator).fit(*problem, colour=1)


@each
def test_a_fold_without_a_class_is_an_error(estimator, iris):
    with pytest.raises(ValueError, match=r"Fold 0 trains on no row of class 'setosa': use fewer folds"):
        clone(estimator).set_params(cv=KFold(3)).fit(*iris)


@each
def test_a_score_that_is_never_finite_is_an_error(estimator, problem):
    with pytest.raises(ValueError, match="no finite mean score"):
        clone(estimator).set_params(scoring=lambda *_: np.nan).fit(*problem)


@each
def test_the_smoothest_of_equals(estimator, problem):
    model = clone(estimator).set_params(scoring=lambda *_: 0.5).fit(*problem)
    assert model.alpha_ == 0.1
    if estimator is KERNEL:
        assert model.gamma_ == 0.05


@each
def test_threads_do_not_change_the_result(estimator, iris):
    first, *others = [clone(estimator).set_params(n_jobs=n).fit(*iris) for n in (None, 2)]
    names = {name for name, value in vars(first).items() if isinstance(value, np.ndarray)}
    assert names >= {"dual_coef_", "scores_", "cv_dual_gaps_"}
    for other in others:
        for name in names:
            assert_close(getattr(other, name), getattr(first, name), scale=1, digits=0.8)


@each
def test_one_warning_names_alpha(estimator, problem):
    if isinstance(estimator, SDCAClassifierCV):  # as many columns as Newton's method does not take
        rng = np.random.default_rng(0)
        problem = rng.normal(size=(500, 400)), rng.choice([-1, 1], 500)
    model = clone(estimator).set_params(max_iter=2, alphas=[1e-6, 1.0])
    with pytest.warns(ConvergenceWarning, match="Stopped at alpha=1e-06 after 2 epochs") as caught:
        model.fit(*problem)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.set_params(tol=None).fit(*problem)


@pytest.mark.parametrize(
    ("estimator", "change", "message"),
    [
        *(
            (estimator, change, message)
            for estimator in (LINEAR, KERNEL)
            for change, message in [
                ({"alphas": [0.0]}, "alphas must be positive"),
                ({"scoring": "beauty"}, "beauty"),
                ({"loss": "huber"}, "loss must be one of"),
                ({"tol": -1}, "tol must be"),
                ({"cv": 1000}, "n_splits=1000"),
            ]
        ),
        (LINEAR, {"alphas": None, "eps": 2}, "eps must be less than 1"),
        (LINEAR, {"fit_intercept": "no"}, "fit_intercept must be"),
        (KERNEL, {"gammas": []}, "gammas must be a list"),
        (KERNEL, {"gammas": "scale"}, "gammas must be a list"),
        (KERNEL, {"gammas": [1, -1]}, "gamma must be a positive number"),
        (KERNEL, {"kernel": "cubic"}, "kernel must be one of"),
        (KERNEL, {"cache_size": 0}, "cache_size must be"),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else None,
)
def test_bad_parameters_are_named_and_change_nothing(estimator, change, message, problem):
    model = clone(estimator).set_params(alphas=[0.1, 1.0], tol=1e-3).fit(*problem)
    before = dict(vars(model.set_params(**change)))
    with pytest.raises(ValueError, match=message):
        model.fit(*problem)
    assert all(vars(model)[name] is before[name] for name in before)
    assert vars(model).keys() == before.keys()
