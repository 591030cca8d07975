"""SDCAClassifierCV and KernelSDCAClassifierCV: what they have in common."""

import numpy as np
import pytest
from recorder import Recorder
from sklearn.base import clone
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import KFold, StratifiedKFold

from fastsvm import KernelSDCAClassifier, KernelSDCAClassifierCV, SDCAClassifier, SDCAClassifierCV

pytestmark = pytest.mark.blas

OPTIONS = {"alphas": [0.1, 0.01, 0.001], "cv": 3, "tol": 1e-6, "max_iter": 10**5, "random_state": 0}
LINEAR = SDCAClassifierCV(**OPTIONS)
KERNEL = KernelSDCAClassifierCV(gammas=[0.05, 0.5], **OPTIONS)
SINGLE = {"tol": 1e-6, "max_iter": 10**5, "random_state": 0}
each = pytest.mark.parametrize("estimator", [LINEAR, KERNEL], ids=["linear", "kernel"])


def parameters(model):
    """Those of each place of `scores_`, without the folds, and the gammas where there are some."""
    for place in np.ndindex(model.mean_scores_.shape):
        chosen = {"alpha": model.alphas_[place[-1]]}
        yield place, chosen | ({"gamma": model.gammas_[place[0]]} if len(place) > 1 else {})


@pytest.mark.parametrize(
    ("estimator", "loss", "class_weight"),
    [
        (LINEAR, "hinge", "balanced"),
        (LINEAR, "log", None),
        (KERNEL, "hinge", None),
        (KERNEL, "squared_hinge", "balanced"),
        *(
            pytest.param(*row, marks=pytest.mark.slow)
            for row in ((LINEAR, "hinge", None), (LINEAR, "log", "balanced"), (KERNEL, "log", None))
        ),
    ],
    ids=lambda value: None if isinstance(value, str | None) else type(value).__name__,
)
def test_scores_are_those_of_fits_on_the_folds(estimator, loss, class_weight, data):
    X, y = data
    y = y.copy()
    y[:20] = y[20]  # classes of different size
    n = len(y)
    model = clone(estimator).set_params(loss=loss, class_weight=class_weight, n_jobs=2).fit(X, y)
    assert model.alphas_.tolist() == OPTIONS["alphas"]
    shape = (3, 3) if estimator is LINEAR else (2, 3, 3)
    assert model.scores_.shape == shape
    problems = 1 if len(model.classes_) == 2 else 3
    assert model.cv_dual_gaps_.shape == model.cv_objectives_.shape == (*shape, problems)
    assert np.all((model.cv_dual_gaps_ >= 0) & (model.cv_dual_gaps_ <= 1e-6 * model.cv_objectives_))
    single = (SDCAClassifier if estimator is LINEAR else KernelSDCAClassifier)(**SINGLE)
    single.set_params(loss=loss, class_weight=class_weight)
    for k, (train, test) in enumerate(StratifiedKFold(3).split(X, y)):
        share = len(train) / n if estimator is LINEAR else 1  # a mean over all rows, or over the fold's
        for place, chosen in parameters(model):
            own = single.set_params(**chosen).fit(X[train], y[train])
            assert abs(own.score(X[test], y[test]) - model.scores_[*place, k]) <= 1.01 / len(test)
            objective = np.atleast_1d(own.objective_) * share
            np.testing.assert_allclose(model.cv_objectives_[*place, k], objective, rtol=3e-6)
    np.testing.assert_allclose(model.mean_scores_, model.scores_.mean(axis=-1))
    _, chosen = list(parameters(model))[int(np.argmax(model.mean_scores_))]
    assert chosen == {name: getattr(model, f"{name}_") for name in chosen}
    best = single.set_params(**chosen).fit(X, y)
    np.testing.assert_allclose(model.objective_, best.objective_, rtol=2e-6)
    assert np.all(model.dual_gap_ <= 1e-6 * model.objective_)
    if estimator is KERNEL:
        np.testing.assert_allclose(model.decision_function(X), best.decision_function(X), atol=0.02)
    else:
        np.testing.assert_allclose(model.coef_, best.coef_, atol=0.02)
        assert (model.predict(X) == best.predict(X)).mean() > 0.99
    assert set(vars(best)) - set(vars(model)) <= set(best.get_params()) | {"_fitted_to"}


@pytest.mark.parametrize(
    ("cv", "single"), [(SDCAClassifierCV, SDCAClassifier), (KernelSDCAClassifierCV, KernelSDCAClassifier)]
)
def test_the_default_grid_and_the_final_start(cv, single, problem, capsys):
    X, y = problem
    model = cv(random_state=0, verbose=True).fit(X, y)
    if cv is KernelSDCAClassifierCV:
        gamma = single(random_state=0).fit(X, y).gamma_
        np.testing.assert_allclose(model.gammas_, gamma * np.array([0.25, 0.5, 1, 2, 4]))
        np.testing.assert_allclose(model.alphas_ * len(y), [10, 1, 0.1, 0.01])
    assert model.scores_.shape == ((10, 5) if cv is SDCAClassifierCV else (5, 4, 5))
    assert len(capsys.readouterr().out.splitlines()) == model.mean_scores_.size
    assert model.score(X, y) > 0.9
    chosen = {name: getattr(model, f"{name}_") for name in ("alpha", "gamma") if hasattr(model, f"{name}_")}
    assert model.n_iter_ <= single(random_state=0, **chosen).fit(X, y).n_iter_


@each
def test_callbacks_see_what_is_tried_and_may_stop(estimator, problem):
    pytest.importorskip("sklearn.callback")
    last = 1 if estimator is LINEAR else 3  # the second alpha; the first at the second gamma
    recorder = Recorder(stop=lambda context: context.task_id == last)
    model = clone(estimator).set_callbacks(recorder).fit(*problem)
    begun = recorder.begun()
    if estimator is LINEAR:
        assert begun == ["fit", "alpha 0.1", "alpha 0.01", f"final fit at alpha {model.alpha_:.3g}"]
        assert model.alphas_.tolist() == OPTIONS["alphas"][:2]
        assert model.scores_.shape == (2, 3)
        return
    tried = [f"gamma 0.05, alpha {alpha:.3g}" for alpha in OPTIONS["alphas"]] + ["gamma 0.5, alpha 0.1"]
    assert begun == ["fit", *tried, f"final fit at gamma {model.gamma_:.3g}, alpha {model.alpha_:.3g}"]
    assert np.isnan(model.mean_scores_).tolist() == [[False] * 3, [False, True, True]]
    assert model.mean_scores_[0].tolist() == clone(estimator).fit(*problem).mean_scores_[0].tolist()
    assert (model.gamma_, model.alpha_) == (0.05, 0.001)


GIVEN = clone(KERNEL).set_params(kernel="precomputed")


@pytest.mark.parametrize("estimator", [LINEAR, KERNEL, GIVEN], ids=["linear", "kernel", "precomputed"])
def test_scorers_get_a_fold_s_classifier(estimator, iris):
    X, y = iris
    X = rbf_kernel(X, gamma=0.5) if estimator is GIVEN else X
    seen = []

    def size(model):
        return -len(model.support_) if hasattr(model, "support_") else -float(np.linalg.norm(model.coef_))

    def scorer(model, X_test, y_test):
        seen.append((len(X_test), getattr(model, "gamma_", None), getattr(model, "alpha", None)))
        known, computed = model.decision_function(X_test), model.decision_function(X_test.copy())
        np.testing.assert_allclose(known, computed, rtol=1e-9, atol=1e-9)
        return size(model)

    model = clone(estimator).set_params(scoring=scorer).fit(X, y)
    gammas = {LINEAR: [None], KERNEL: KERNEL.gammas, GIVEN: [1.0]}[estimator]
    assert seen == [(50, gamma, alpha) for gamma in gammas for alpha in OPTIONS["alphas"] for _ in range(3)]
    assert model.score(X, y) == pytest.approx(size(model))


@each
def test_other_parameters_of_fit_are_refused(estimator, problem):
    with pytest.raises(TypeError, match="fit has no parameter 'colour'"):
        clone(estimator).fit(*problem, colour=1)


@each
def test_a_fold_without_a_class_is_an_error(estimator, iris):
    with pytest.raises(ValueError, match=r"lack class 'setosa': use fewer or stratified folds"):
        clone(estimator).set_params(cv=KFold(3)).fit(*iris)


@each
def test_rows_of_weight_0_are_left_out_of_the_folds(estimator, problem):
    X, y = problem
    weights = np.repeat([1.0, 0.0], 100)
    model, fewer = clone(estimator).fit(X, y, weights), clone(estimator).fit(X[:100], y[:100])
    if isinstance(estimator, SDCAClassifierCV):  # the other's gammas and alphas follow all rows
        np.testing.assert_array_equal(model.scores_, fewer.scores_)
    with pytest.raises(ValueError, match="test rows of a fold of cv all have weight 0"):
        clone(estimator).set_params(cv=[(np.arange(100), np.arange(100, 200))]).fit(X, y, weights)


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


@pytest.mark.parametrize(
    ("estimator", "change", "message"),
    [
        *(
            (estimator, change, message)
            for estimator in (LINEAR, KERNEL)
            for change, message in [
                ({"alphas": [0.0]}, "alphas must be positive"),
                ({"scoring": "beauty"}, "beauty"),
                ({"cv": 1000}, "n_splits=1000"),
            ]
        ),
        (LINEAR, {"alphas": None, "eps": 2}, "eps must be less than 1"),
        (KERNEL, {"gammas": []}, "gammas must be a list"),
        (KERNEL, {"gammas": "scale"}, "gammas must be a list"),
        (KERNEL, {"gammas": [1, -1]}, "gamma must be a positive number"),
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
