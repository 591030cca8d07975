"""The kernel classifiers: what they learn, what they take, partial_fit of Pegasos, errors."""

import pickle
from itertools import cycle, product

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import pairwise_kernels, rbf_kernel
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import scale
from sklearn.svm import SVC

import reference
from contracts import KERNEL, estimators
from fastsvm import KernelPegasosClassifier, KernelSDCAClassifier
from fastsvm.solvers._input import as_state
from fastsvm.solvers._random import draw_rows

pytestmark = pytest.mark.blas

ALL = estimators(KERNEL)
KERNELS = ["linear", "poly", "rbf", "sigmoid", "laplacian"]
each = pytest.mark.parametrize("estimator", ALL, ids=str)
layouts = pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array], ids=["dense", "csr"])


def fitted(estimator, X, y, *, sample_weight=None, **parameters):
    return clone(estimator).set_params(**parameters).fit(X, y, sample_weight=sample_weight)


def values(model, X, Z):
    """Kernel values as scikit-learn computes them."""
    options = {"gamma": model.gamma_, "degree": model.degree, "coef0": model.coef0}
    return pairwise_kernels(X, Z, metric=model.kernel, filter_params=True, **options)


def rbf(A, B):
    return rbf_kernel(A, B, gamma=0.3)


def assert_alike(model, other, X, other_X=None, atol=1e-10):
    """The same support, coefficients and scores, up to rounding."""
    np.testing.assert_array_equal(model.support_, other.support_)
    np.testing.assert_allclose(model.dual_coef_, other.dual_coef_, rtol=0, atol=atol)
    scores = other.decision_function(X if other_X is None else other_X)
    np.testing.assert_allclose(model.decision_function(X), scores, rtol=0, atol=10 * atol)


# What is learned -----------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@each
@pytest.mark.parametrize("kernel", KERNELS)
@layouts
def test_scores_are_those_of_the_support(estimator, kernel, layout, data):
    X, y = data
    X = layout(X.toarray() if sparse.issparse(X) else X)[::2]
    y = y[::2]
    limit = {"n_iter": 500} if isinstance(estimator, KernelPegasosClassifier) else {"max_iter": 20}
    model = fitted(estimator, X, y, kernel=kernel, coef0=0.5, degree=2, **limit)
    n_classes, support, coef = len(model.classes_), model.support_, model.dual_coef_
    assert support.dtype == np.int32
    assert (np.diff(support) > 0).all()
    assert coef.shape == (1 if n_classes == 2 else n_classes, len(support))
    assert coef.any(axis=0).all()
    assert model.support_vectors_.dtype == X.dtype
    assert abs(model.support_vectors_ - X[support]).max() == 0
    scores = model.decision_function(X)
    assert scores.dtype == np.float64
    assert scores.shape == ((X.shape[0],) if n_classes == 2 else (X.shape[0], n_classes))
    expected = (coef @ values(model, X[support], X)).T
    np.testing.assert_allclose(scores.reshape(expected.shape), expected, rtol=0, atol=1e-10 * abs(coef).max())
    np.testing.assert_allclose(model.decision_function(X[3:4])[0], scores[3], rtol=0, atol=1e-9)
    for k, label in enumerate(model.classes_[-len(coef) :]):
        assert (coef[k] * np.where(y[support] == label, 1, -1) >= 0).all()
    winners = np.argmax(scores, axis=1) if n_classes > 2 else (scores > 0).astype(int)
    np.testing.assert_array_equal(model.predict(X), model.classes_[winners])


# What is taken ------------------------------------------------------------------------------------------


@each
@layouts
def test_named_given_and_called_kernels_are_one(estimator, layout, data):
    X, y = data
    X = X.toarray() if sparse.issparse(X) else X
    single = np.unique(X, axis=0, return_index=True)[
        1
    ]  # equal rows may share their dual variables in any way
    X, y = layout(X[single]), y[single]
    if isinstance(estimator, KernelSDCAClassifier):  # where it stops short, rounding decides where
        estimator = clone(estimator).set_params(tol=1e-12)
    named = fitted(estimator, X, y, gamma=0.3)
    called = fitted(estimator, X, y, kernel=rbf)
    given = fitted(estimator, rbf(X, X), y, kernel="precomputed")
    assert_alike(called, named, X, atol=1e-6)
    assert_alike(given, named, rbf(X, X), X, atol=1e-6)
    some = X[5:25]
    scores = given.decision_function(rbf(some, X))
    np.testing.assert_allclose(scores, named.decision_function(some), atol=1e-7)
    assert not hasattr(given, "support_vectors_")
    with pytest.raises(ValueError, match="features"):
        given.predict(rbf(some, some))


def test_a_callable_gets_what_was_given(problem):
    """CSR rows stay CSR, as SVC hands them on."""
    seen = set()

    def kernel(A, B):
        seen.update((type(A), type(B)))
        return (A @ B.T).toarray()

    model = KernelSDCAClassifier(kernel, alpha=0.1).fit(*problem)
    model.predict(problem[0])
    assert seen == {sparse.csr_array}


@layouts
def test_the_kernel_that_is_kept_is_that_of_the_model(layout, problem):
    X, y = layout(problem[0].toarray()), problem[1]
    model = KernelSDCAClassifier(gamma=0.5, alpha=0.1, random_state=0)

    def assert_fresh(**changes):
        vars(model).update(changes)
        scores = model.decision_function(X[:9])
        assert scores.tobytes() == pickle.loads(pickle.dumps(model)).decision_function(X[:9]).tobytes()
        expected = model.dual_coef_[0] @ values(model, model.support_vectors_, X[:9])
        np.testing.assert_allclose(scores, expected, atol=1e-9)

    assert_fresh(**vars(model.fit(X, y)))
    for changes in ({"gamma_": 0.7}, {"kernel": "poly"}, {"degree": 2}, {"coef0": 1.5}, {"kernel": "rbf"}):
        assert_fresh(**changes)
    assert_fresh(dual_coef_=model.dual_coef_ / 2, support_vectors_=model.support_vectors_ * 2)
    model.dual_coef_ /= 3
    assert_fresh()
    with pytest.raises(ValueError, match="read-only"):
        (model.support_vectors_ if layout is np.asarray else model.support_vectors_.data)[:] = 0
    assert_fresh(**vars(model.fit(X[::2], y[::2])))


@pytest.mark.parametrize("gamma", ["scale", "auto", 0.7])
def test_gamma_is_svcs(gamma, problem, iris):
    for X, y in (problem, iris):
        for estimator in ALL:
            model = fitted(estimator, X, y, gamma=gamma, alpha=1)
            assert model.gamma_ == pytest.approx(SVC(gamma=gamma).fit(X, y)._gamma, rel=1e-12)
    far = iris[0] + 1e6  # where mean squares minus squared means lose all digits
    assert fitted(ALL[0], far, iris[1], alpha=1).gamma_ == pytest.approx(1 / 4, rel=1e-6)


# Among others -------------------------------------------------------------------------------------------


@each
def test_searches_cut_a_given_matrix_both_ways(estimator, iris):
    X, y = iris
    search = GridSearchCV(clone(estimator).set_params(gamma=0.3), {"alpha": [0.01, 1.0]}, cv=3).fit(X, y)
    given = GridSearchCV(clone(estimator).set_params(kernel="precomputed"), {"alpha": [0.01, 1.0]}, cv=3)
    given.fit(rbf(X, X), y)
    np.testing.assert_allclose(given.cv_results_["mean_test_score"], search.cv_results_["mean_test_score"])


# partial_fit of Pegasos ---------------------------------------------------------------------------------


def permutation(n):
    return np.random.RandomState(0).permutation(n)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kinds", product([np.asarray, sparse.csr_array], repeat=2))
def test_partial_fit_is_the_twin_batch_by_batch(kinds, weighted, data):
    """Rows of different batches are different rows, and t goes on; batches may be sparse or dense."""
    X, y = data
    X = X.toarray() if sparse.issparse(X) else X
    K = rbf(X, X)
    weights = np.arange(len(y)) % 4 / 2 if weighted else None
    model = KernelPegasosClassifier(gamma=0.3, alpha=0.01, random_state=0)
    stream = []
    labels = np.unique(y)
    Y = np.array([np.where(y == label, 1, -1) for label in labels[-1 if len(labels) == 2 else 0 :]])
    parts = np.array_split(np.random.default_rng(0).permutation(len(y)), 4)
    for layout, part in zip(cycle(kinds), parts, strict=False):
        some = None if weights is None else weights[part]
        model.partial_fit(layout(X[part]), y[part], classes=labels, sample_weight=some)
        stream.extend(part[permutation(len(part))])
        counts = reference.kernel_pegasos(K, Y, stream, 0.01, weights)
        assert model.t_ == len(stream)
        coef = counts * Y / (0.01 * model.t_)
        np.testing.assert_allclose(model.decision_function(X), np.squeeze((coef @ K).T), atol=1e-8)
        assert model.dual_coef_.shape == (len(Y), len(model.support_))
    batches = np.random.default_rng(0).permutation(len(y))
    np.testing.assert_array_equal(np.sort(batches[model.support_]), np.flatnonzero(counts.any(axis=0)))
    np.testing.assert_allclose(model.dual_coef_, coef[:, batches[model.support_]], rtol=1e-10)
    assert sparse.issparse(model.support_vectors_) == (sparse.csr_array in kinds)
    assert abs(model.support_vectors_ - X[batches[model.support_]]).max() == 0
    for name in ("objective_", "dual_gap_", "history_"):
        assert not hasattr(model, name)


def test_partial_fit_goes_on_from_fit(iris):
    X, y = iris
    model = KernelPegasosClassifier(gamma=0.3, alpha=0.01, n_iter=200, random_state=0).fit(X[:100], y[:100])
    assert model.classes_.tolist() == ["setosa", "versicolor"]
    again = pickle.loads(pickle.dumps(model))
    model.partial_fit(X[40:80], y[40:80])
    drawn = np.empty(200, np.int32)
    draw_rows(drawn, 100, as_state(int(np.random.RandomState(0).randint(2**31 - 1))))
    rows = np.concatenate([np.arange(100), np.arange(40, 80)])
    stream = np.concatenate([drawn, 100 + permutation(40)])
    Y = np.where(y[rows] == "versicolor", 1, -1)[None]
    counts = reference.kernel_pegasos(rbf(X[rows], X[rows]), Y, stream, 0.01)
    np.testing.assert_array_equal(model.support_, np.flatnonzero(counts[0]))
    np.testing.assert_allclose(model.dual_coef_, (counts * Y / 2.4)[:, model.support_], rtol=1e-10)
    assert model.t_ == 240
    assert not hasattr(model, "objective_")
    again.partial_fit(X[40:80], y[40:80])
    np.testing.assert_array_equal(again.dual_coef_, model.dual_coef_)


def test_partial_fit_takes_no_matrix_of_kernel_values(problem):
    X, y = problem
    with pytest.raises(AttributeError, match="kernel='precomputed' needs fit"):
        KernelPegasosClassifier("precomputed").partial_fit(rbf(X, X), y, classes=[-1, 1])
    assert not hasattr(KernelSDCAClassifier(), "partial_fit")


# Errors, warnings, interrupts ---------------------------------------------------------------------------


@each
def test_a_given_matrix_is_square(estimator, problem):
    X, y = problem
    with pytest.raises(ValueError, match=r"needs the matrix of all K.*X has shape \(200, 30\)"):
        fitted(estimator, X.toarray(), y, kernel="precomputed")


@pytest.mark.parametrize("scaled", [True, False])
@pytest.mark.parametrize("C", [1, 1000])
def test_the_default_reaches_tol_however_large_C_is(C, scaled):
    """Few columns and a linear kernel: most directions are flat."""
    X, y = load_breast_cancer(return_X_y=True)
    X = scale(X) if scaled else X
    model = KernelSDCAClassifier("linear", alpha=1 / (C * len(y)), random_state=0).fit(X, y)
    assert 0 <= model.dual_gap_ <= 1e-3 * model.objective_
    assert model.score(X, y) > 0.96


def test_a_fit_ends_where_the_kernel_allows_no_small_gap(monkeypatch):
    monkeypatch.setattr("fastsvm.solvers.kernel.sdca_solver.FIRST_SHARE", 1)  # a part may end at a gap of 0
    X, y = load_breast_cancer(return_X_y=True)
    model = KernelSDCAClassifier("sigmoid", gamma=1.0, coef0=-1.0, alpha=1e-2, tol=1e-9)
    with pytest.warns(ConvergenceWarning, match="above tol=1e-09: the kernel is not positive semi-definite"):
        model.fit(scale(X), y)
    with pytest.raises(ValueError, match=r"^The dual .* not positive semi-definite\. Use kernel='rbf', loss"):
        model.set_params(loss="squared_hinge").fit(scale(X), y)
