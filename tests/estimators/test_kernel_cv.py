"""KernelSDCAClassifierCV: the folds are those of scikit-learn, and each fit of them is certified."""

import tracemalloc

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import StratifiedKFold
from sklearn.utils.estimator_checks import parametrize_with_checks

from fastsvm import KernelSDCAClassifier, KernelSDCAClassifierCV

pytestmark = pytest.mark.blas

GAMMAS, ALPHAS = [0.05, 0.5], [0.1, 0.01, 0.001]
MODEL = KernelSDCAClassifierCV(gammas=GAMMAS, alphas=ALPHAS, cv=3, tol=1e-6, max_iter=10**5, random_state=0)
SINGLE = KernelSDCAClassifier(tol=1e-6, max_iter=10**5, random_state=0)
N_COUNTS_ALL = "the objective averages over all n rows, those of weight 0 and repeated ones included"


NOT_MET = {
    "check_sample_weight_equivalence_on_dense_data": N_COUNTS_ALL,
    "check_sample_weight_equivalence_on_sparse_data": N_COUNTS_ALL,
}
CHECKED = KernelSDCAClassifierCV(gammas=["scale"], alphas=[0.1, 0.001], cv=2)


@pytest.mark.slow  # by default, those of the linear one, and of the kernel machine without cross-validation
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(
    [CHECKED, clone(CHECKED).set_params(loss="log")], expected_failed_checks=lambda estimator: NOT_MET
)
def test_check(estimator, check):
    check(estimator)


@pytest.mark.parametrize(
    ("loss", "class_weight"),
    [
        ("hinge", None),
        pytest.param("hinge", "balanced", marks=pytest.mark.slow),
        ("squared_hinge", "balanced"),
        pytest.param("log", None, marks=pytest.mark.slow),
    ],
)
def test_scores_are_those_of_fits_on_the_folds(loss, class_weight, data):
    X, y = data
    y = y.copy()
    y[:20] = y[20]  # classes of different size
    model = clone(MODEL).set_params(loss=loss, class_weight=class_weight).fit(X, y)
    assert model.gammas_.tolist() == GAMMAS
    assert model.alphas_.tolist() == ALPHAS
    assert model.scores_.shape == (2, 3, 3)
    problems = 1 if len(model.classes_) == 2 else 3
    assert model.cv_dual_gaps_.shape == model.cv_objectives_.shape == (2, 3, 3, problems)
    assert np.all((model.cv_dual_gaps_ >= 0) & (model.cv_dual_gaps_ <= 1e-6 * model.cv_objectives_))
    single = clone(SINGLE).set_params(loss=loss, class_weight=class_weight)
    for k, (train, test) in enumerate(StratifiedKFold(3).split(X, y)):
        for i, j in np.ndindex(2, 3):
            own = single.set_params(gamma=GAMMAS[i], alpha=ALPHAS[j]).fit(X[train], y[train])
            assert abs(own.score(X[test], y[test]) - model.scores_[i, j, k]) <= 1.01 / len(test)
            objective = np.atleast_1d(own.objective_)
            np.testing.assert_allclose(model.cv_objectives_[i, j, k], objective, rtol=3e-6)
    np.testing.assert_allclose(model.mean_scores_, model.scores_.mean(axis=2))
    i, j = np.unravel_index(np.argmax(model.mean_scores_), (2, 3))
    assert (model.gamma_, model.alpha_) == (GAMMAS[i], ALPHAS[j])
    best = single.set_params(gamma=model.gamma_, alpha=model.alpha_).fit(X, y)
    np.testing.assert_allclose(model.objective_, best.objective_, rtol=2e-6)
    assert np.all(model.dual_gap_ <= 1e-6 * model.objective_)
    np.testing.assert_allclose(model.decision_function(X), best.decision_function(X), atol=0.02)
    assert set(vars(best)) - set(vars(model)) <= set(best.get_params()) | {"_fitted_to"}


@pytest.mark.parametrize("kernel", ["rbf", "precomputed"])
def test_scorers_get_a_fold_s_classifier(kernel, iris):
    X, y = iris
    seen = []

    def scorer(model, X_test, y_test):
        seen.append((X_test.shape[0], model.gamma_, getattr(model, "alpha", None)))
        known, computed = model.decision_function(X_test), model.decision_function(X_test.copy())
        np.testing.assert_allclose(known, computed, rtol=1e-9, atol=1e-9)
        return -len(model.support_)

    X = X if kernel == "rbf" else rbf_kernel(X, gamma=0.5)
    model = clone(MODEL).set_params(kernel=kernel, scoring=scorer).fit(X, y)
    gammas = GAMMAS if kernel == "rbf" else [1.0]
    assert seen == [(50, gamma, alpha) for gamma in gammas for alpha in ALPHAS for _ in range(3)]
    assert model.score(X, y) == -len(model.support_)


def test_a_small_cache_does_not_change_the_result(iris):
    small = clone(MODEL).set_params(cache_size=0.01, n_jobs=2).fit(*iris)  # eight rows
    model = clone(MODEL).fit(*iris)
    np.testing.assert_allclose(small.scores_, model.scores_, atol=1.01 / 50)
    np.testing.assert_allclose(small.cv_objectives_, model.cv_objectives_, rtol=1e-6)
    np.testing.assert_allclose(small.decision_function(iris[0]), model.decision_function(iris[0]), atol=1e-3)


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_matrix], ids=["dense", "sparse"])
def test_each_kernel_value_is_computed_once(make, iris):
    X, y = make(iris[0]), iris[1]
    computed = []

    def wide(A, B):
        computed.append(A.shape[0] * B.shape[0])
        return rbf_kernel(A, B, gamma=0.5)

    model = clone(MODEL).set_params(kernel=wide, scoring="accuracy").fit(X, y)
    assert sum(computed) <= 2 * (2 * len(y) ** 2)  # for the folds, for the final fit, and both diagonals
    assert model.gammas_.tolist() == [1.0]
    by_name = clone(MODEL).set_params(gammas=[0.5]).fit(X, y)
    np.testing.assert_array_equal(model.scores_, by_name.scores_)
    given = clone(MODEL).set_params(kernel="precomputed").fit(rbf_kernel(X, gamma=0.5), y)
    np.testing.assert_array_equal(given.scores_, by_name.scores_)


def test_default_grid_and_the_final_start(problem, capsys):
    X, y = problem
    model = KernelSDCAClassifierCV(random_state=0, verbose=True).fit(X, y)
    scale = KernelSDCAClassifier(random_state=0).fit(X, y).gamma_
    np.testing.assert_allclose(model.gammas_, scale * np.array([0.25, 0.5, 1, 2, 4]))
    np.testing.assert_allclose(model.alphas_ * len(y), [10, 1, 0.1, 0.01])
    assert model.scores_.shape == (5, 4, 5)
    assert len(capsys.readouterr().out.splitlines()) == 20
    assert model.score(X, y) > 0.9
    cold = KernelSDCAClassifier(gamma=model.gamma_, alpha=model.alpha_, random_state=0).fit(X, y)
    assert model.n_iter_ <= cold.n_iter_


def test_one_kernel_matrix_at_a_time():
    rng = np.random.default_rng(0)
    X, n = rng.normal(size=(1500, 3)), 1500
    y = np.where(X[:, 0] > 0, 1, -1)  # few rows are near the border, and few are worked on
    X[:, 0] += 3 * y
    model = KernelSDCAClassifierCV(gammas=[0.1, 0.2, 0.3], alphas=[1e-4], cv=3, random_state=0)
    tracemalloc.start()
    model.fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1.8 * 4 * n**2


def test_callbacks_see_gammas_and_alphas_and_may_stop(problem):
    pytest.importorskip("sklearn.callback")

    class Stop:
        names = ()

        def setup(self, estimator, context):
            pass

        def on_fit_task_begin(self, estimator, context):
            self.names = (*self.names, context.task_name)

        def on_fit_task_end(self, estimator, context):
            return context.task_id == len(ALPHAS)  # the first alpha at the second gamma

        teardown = setup

    stop = Stop()
    model = clone(MODEL).set_callbacks(stop).fit(*problem)
    tried = [f"gamma {GAMMAS[0]:.3g}, alpha {alpha:.3g}" for alpha in ALPHAS]
    tried.append(f"gamma {GAMMAS[1]:.3g}, alpha {ALPHAS[0]:.3g}")
    final = f"final fit at gamma {model.gamma_:.3g}, alpha {model.alpha_:.3g}"
    assert stop.names == ("fit", *tried, final)
    assert np.isnan(model.mean_scores_).tolist() == [
        [False] * len(ALPHAS),
        [False] + [True] * (len(ALPHAS) - 1),
    ]
    assert model.mean_scores_[0].tolist() == clone(MODEL).fit(*problem).mean_scores_[0].tolist()
    assert (model.gamma_, model.alpha_) == (GAMMAS[0], ALPHAS[-1])
