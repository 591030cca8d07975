"""What is certified of a classifier is proven, tight, and about the objective that it was fitted for."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import (
    LinearRegression,
    LogisticRegression,
    LogisticRegressionCV,
    Perceptron,
    RidgeClassifier,
    SGDClassifier,
)
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

import reference
from fastsvm import PerceptronClassifier, SDCAClassifier, certify
from fastsvm.fitting import SDCA
from fastsvm.solvers import LOSSES, losses, sdca

pytestmark = pytest.mark.blas

ALPHA = 0.01


@pytest.fixture
def classes():
    """A dense problem of three classes, off the origin, so that intercepts matter; weights."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(150, 4)) + 1
    y = np.array(["a", "b", "c"])[np.argmax(X @ rng.normal(size=(4, 3)) + rng.normal(size=(150, 3)), axis=1)]
    return X, y, rng.integers(1, 4, 150) / 2


@settings(max_examples=60, deadline=None)
@given(
    loss=st.sampled_from(LOSSES),
    seed=st.integers(0, 10**6),
    size=st.tuples(st.integers(2, 25), st.integers(1, 6)),
    alpha=st.sampled_from([1e-3, 0.1, 10.0]),
    distance=st.sampled_from([0, 1e-9, 1e-6, 1e-3, 0.1, 10.0]),
    scale=st.sampled_from([1e-3, 1.0, 30.0]),
    free=st.booleans(),
    weighted=st.booleans(),
    accuracy=st.sampled_from([1.2, 2.0]),
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_gap_is_never_below_the_true_one_nor_far_above(
    loss, seed, size, alpha, distance, scale, free, weighted, accuracy
):
    rng = np.random.default_rng(seed)
    X = scale * rng.normal(size=size) * (rng.random(size) < 0.7)
    y = np.where(rng.random(size[0]) < 0.5, 1, -1)
    y[:2] = 1, -1
    c = rng.integers(0, 3, size[0]) + (np.arange(size[0]) == 0) if weighted else None
    best = sdca(X, y, loss=loss, alpha=alpha, sample_weight=c, fit_intercept=free, tol=1e-11, max_iter=1000,
                random_state=0)  # fmt: skip
    w = best.w + distance * rng.normal(size=size[1])
    b0 = best.intercept + distance * rng.normal() if free else None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        found = certify(
            w, X, y, loss=loss, alpha=alpha, intercept=b0, sample_weight=c, accuracy=accuracy, random_state=0
        )
    objective = reference.primal(loss, alpha, X, y, w, b0 or 0.0, c if c is None else c / c.mean())
    assert found.objective == pytest.approx(objective, rel=1e-12)
    assert found.bound <= best.objective
    assert found.gap >= objective - best.objective
    assert found.gap_at_least <= objective - (best.objective - best.gap) + 1e-13 * objective
    assert 0 <= found.gap_at_least <= found.gap
    tight = found.gap <= max(accuracy * found.gap_at_least, 1e-8 * objective, 1e-307)
    assert tight or caught  # then it says so
    assert tight or distance < 1e-3 or alpha < 0.1


def by_hand(loss, C, X, y, coef, intercept, weights, scaling=None):
    """LIBLINEAR's objective of each class against the rest, divided by C n."""
    values = []
    for k, w in enumerate(coef):
        label = np.unique(y)[k if len(coef) > 1 else 1]
        margins = np.where(y == label, 1, -1) * (X @ w + intercept[k])
        bias = 0 if scaling is None else (intercept[k] / scaling) ** 2
        total = C * np.sum(weights[k] * losses.value(loss, margins)) + (w @ w + bias) / 2
        values.append(total / (C * len(y)))
    return np.array(values) if len(coef) > 1 else values[0]


LIBLINEAR = {"tol": 1e-10, "max_iter": 10**6, "random_state": 0}
TIGHT = [
    (LinearSVC(C=0.3, **LIBLINEAR), "squared_hinge", 0.3, 1),
    (LinearSVC(C=0.3, loss="hinge", intercept_scaling=3, **LIBLINEAR), "hinge", 0.3, 3),
    (LinearSVC(C=2, fit_intercept=False, **LIBLINEAR), "squared_hinge", 2, None),
    (LogisticRegression(C=2, tol=1e-10), "log", 2, None),
    (LogisticRegression(C=0.5, tol=1e-10, solver="newton-cholesky"), "log", 0.5, None),
    (LogisticRegression(C=2, solver="liblinear", intercept_scaling=0.5, **LIBLINEAR), "log", 2, 0.5),
    (SVC(kernel="linear", C=0.5, tol=1e-8), "hinge", 0.5, None),
]


@pytest.mark.parametrize("class_weight", [None, {"a": 3, "b": 0.5}, "balanced"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("model", "loss", "C", "scaling"), TIGHT)
def test_the_objective_is_read_from_a_model(model, loss, C, scaling, weighted, class_weight, classes):
    """A model at its own optimum shows that it has been read right: no other objective has it there."""
    X, y, c = classes
    X, y, c = X[y != "c"], y[y != "c"], c[y != "c"] if weighted else None
    model.set_params(class_weight=class_weight).fit(X, y, sample_weight=c)
    found = certify(model, X, y, sample_weight=c, tol=1e-7, random_state=0)
    weights = np.ones(len(y)) if c is None else c
    if class_weight == "balanced":
        counted = weights if not isinstance(model, SVC) else np.ones(len(y))
        a, b = (np.sum(counted[y == label]) for label in "ab")
        class_weight = {"a": np.sum(counted) / (2 * a), "b": np.sum(counted) / (2 * b)}
    if class_weight is not None:
        weights = weights * np.where(y == "a", class_weight["a"], class_weight["b"])
    intercept = np.ravel(model.intercept_)
    assert (found.loss, found.alpha) == (loss, pytest.approx(1 / (C * len(y))))
    assert found.objective == pytest.approx(
        by_hand(loss, C, X, y, model.coef_, intercept, [weights], scaling), rel=1e-12
    )
    assert 0 <= found.relative_gap <= 1e-5
    assert certify(model, X + 0.1, y, sample_weight=c).relative_gap > 1e-5


@pytest.mark.parametrize("model", [LinearSVC(C=0.3, **LIBLINEAR), LinearSVC(C=2, loss="hinge", **LIBLINEAR)])
def test_liblinear_weights_a_class_but_not_the_rest(model, classes):
    X, y, c = classes
    model.set_params(class_weight={"a": 3, "b": 0.5}).fit(X, y, sample_weight=c)
    found = certify(model, sparse.csr_array(X), y, sample_weight=c, random_state=0)
    weights = [c * np.where(y == label, weight, 1) for label, weight in zip("abc", (3, 0.5, 1), strict=True)]
    expected = by_hand(model.loss, model.C, X, y, model.coef_, model.intercept_, weights, scaling=1)
    np.testing.assert_allclose(found.objective, expected, rtol=1e-12)
    assert found.relative_gap.shape == (3,)
    assert (found.relative_gap <= 1e-5).all()


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "log_loss"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_sgd(loss, n_classes, classes):
    X, y, c = classes
    few = y != "c" if n_classes == 2 else y != ""
    X, y, c = X[few], y[few], c[few]
    model = SGDClassifier(loss, alpha=0.1, average=10**4, max_iter=600, tol=None, random_state=0)
    model.set_params(learning_rate="invscaling", power_t=0.3, eta0=0.05, class_weight={"a": 2, "b": 0.5})
    model.fit(X, y, sample_weight=c)
    found = certify(model, X, y, sample_weight=c, random_state=0)
    factors = {"a": 2, "b": 0.5, "c": 1}
    of_class = np.array([factors[label] for label in y])
    weights = [c * of_class] if n_classes == 2 else [c * np.where(y == k, factors[k], 1) for k in "abc"]
    ours = {"log_loss": "log"}.get(loss, loss)
    expected = by_hand(ours, 1 / (0.1 * len(y)), X, y, model.coef_, model.intercept_, weights)
    np.testing.assert_allclose(found.objective, expected, rtol=1e-12)
    assert (found.alpha, found.loss) == (0.1, ours)
    assert np.max(found.relative_gap) < 0.005  # so SGD, with its many small steps, was after this objective
    assert np.all((found.gap <= 2 * found.gap_at_least) | (found.relative_gap <= 1e-8))


@pytest.mark.parametrize("loss", LOSSES)
def test_ours(loss, classes):
    X, y, c = classes
    model = SDCAClassifier(loss, alpha=ALPHA, class_weight="balanced", solver="coordinate", random_state=0)
    model.fit(X, y, c)
    reached = np.max(model.dual_gap_ / model.objective_)
    found = certify(model, X, y, sample_weight=c, tol=1.01 * reached, random_state=0)
    assert found.n_iter == 0  # its own dual variables are proof enough
    np.testing.assert_allclose(found.objective, model.objective_)
    np.testing.assert_allclose(found.gap, model.dual_gap_, rtol=1e-6)
    tighter = certify(model, X, y, sample_weight=c, random_state=0)
    assert np.all(tighter.gap <= found.gap)
    assert np.all(tighter.gap <= 2 * tighter.gap_at_least)
    plain = SDCA(**model.get_params()).fit(X, y, c)
    assert np.array_equal(certify(plain, X, y, sample_weight=c, random_state=0).gap, tighter.gap)


def test_our_dual_variables_help_with_other_data_only_if_they_fit(classes):
    X, y, _ = classes
    model = SDCAClassifier(alpha=ALPHA, random_state=0).fit(X, y)
    for rows in (slice(100), np.random.default_rng(0).permutation(len(y))):
        found = certify(model, X[rows], y[rows], random_state=0)
        for k, label in enumerate(found.classes):
            signs = np.where(y[rows] == label, 1, -1)
            best = sdca(X[rows], signs, alpha=ALPHA, fit_intercept=True, tol=1e-8, random_state=0)
            true = found.objective[k] - best.objective
            assert true <= found.gap[k] <= 2.001 * true + 1e-6


def test_bare_coefficients(problem):
    X, y = problem
    model = SDCAClassifier("log", alpha=ALPHA, random_state=0).fit(X, y)
    options = {"loss": "log", "alpha": ALPHA, "random_state": 0}
    free = certify(model.coef_, X, y, intercept=model.intercept_, **options)
    assert free.objective == pytest.approx(model.objective_)
    assert free[:2] == ("log", ALPHA)
    flat = certify(model.coef_[0], X, y, intercept=float(model.intercept_[0]), **options)
    assert flat[3:] == free[3:]
    none = certify(model.coef_[0], X, y, **options)
    assert none.objective == pytest.approx(reference.primal("log", ALPHA, X, y, model.coef_[0]))
    best = sdca(X, y, loss="log", alpha=ALPHA, tol=1e-9, random_state=0, fit_intercept=False)
    assert none.bound <= best.objective
    assert best.objective - best.gap <= none.attained


def test_what_is_passed_goes_before_what_is_read(classes):
    X, y, _ = classes
    model = LinearSVC(C=1, random_state=0).fit(X, y)
    found = certify(model, X, y, loss="hinge", random_state=0)
    assert (found.loss, found.alpha) == ("hinge", 1 / len(y))
    found = certify(model, X, y, alpha=0.3, random_state=0)
    assert (found.loss, found.alpha) == ("squared_hinge", 0.3)
    ridge = RidgeClassifier().fit(X, y)
    options = {"loss": "hinge", "alpha": 0.3, "random_state": 0}
    bare = certify(ridge.coef_, X, y, intercept=ridge.intercept_, **options)
    np.testing.assert_array_equal(certify(ridge, X, y, **options).bound, bare.bound)
    perceptron = PerceptronClassifier(random_state=0).fit(X, y)
    assert np.all(certify(perceptron, X, y, **options).gap > 0)


def test_a_zero_objective_has_nothing_to_gain():
    X, y = np.array([[1.0], [-1.0]]), np.array([1, -1])
    found = certify([0.0], X, np.array([1, -1]), loss="squared_hinge", alpha=1.0, random_state=0)
    assert found.relative_gap > 0
    nothing = certify([0.0], X, y, loss="hinge", alpha=1.0, sample_weight=[1, 0], intercept=1.0)
    assert (nothing.objective, nothing.gap, nothing.relative_gap, nothing.n_iter) == (0, 0, 0, 0)


def test_too_few_epochs(problem):
    X, y = sparse.csr_array(np.tile(problem[0].toarray(), 20)), problem[1]  # too wide for Newton's method
    w = sdca(X, y, alpha=1e-3, tol=1e-4, random_state=0, fit_intercept=False).w
    with pytest.warns(ConvergenceWarning, match="After 2 epochs the bound is still loose"):
        found = certify(w, X, y, loss="hinge", alpha=1e-3, max_iter=2, random_state=0)
    assert found.gap > 2 * found.gap_at_least
    assert found.n_iter == 2


X2, Y2 = np.array([[0.0, 1], [1, 0], [1, 1], [2, 0]]), np.array([0, 1, 0, 1])
Y3 = np.array([0, 1, 2, 1])


@pytest.mark.parametrize(
    ("model", "y", "message"),
    [
        (RidgeClassifier(), Y2, "RidgeClassifier has an objective that certify does not support"),
        (Perceptron(), Y2, "another objective"),
        (PerceptronClassifier(), Y2, "another objective"),
        (LogisticRegressionCV(cv=2), Y2, "another objective"),
        (LinearSVC(multi_class="crammer_singer"), Y3, "crammer_singer"),
        (LogisticRegression(C=np.inf), Y2, "penalty None"),
        (LogisticRegression(), Y3, "multinomial"),
        (SGDClassifier(penalty="elasticnet"), Y2, "penalty='elasticnet' needs loss="),
        (SGDClassifier(loss="huber"), Y2, "loss 'huber'"),
        (SVC(kernel="linear"), Y3, "one-vs-one"),
        (SVC(), Y2, "no coef_"),
        (LinearRegression(), Y2, "no coef_ or classes_"),
        (make_pipeline(StandardScaler(), LinearSVC()), Y2, r"model\[-1\]"),
        (GridSearchCV(LinearSVC(), {"C": [1]}, cv=2), Y2, "best_estimator_"),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_refusals(model, y, message):
    with pytest.raises(ValueError, match=message):
        certify(model.fit(X2, y), X2, y)


@pytest.mark.parametrize(
    ("model", "options", "message"),
    [
        ([1.0, 2], {}, "pass loss and alpha"),
        ([1.0, 2], {"loss": "hinge"}, "pass loss and alpha"),
        ([1.0], {"loss": "hinge", "alpha": 1}, r"coef has shape \(1, 1\)"),
        ([[1.0, 2], [1, 2]], {"loss": "hinge", "alpha": 1}, r"it must be \(1, 2\)"),
        ([1.0, np.nan], {"loss": "hinge", "alpha": 1}, "must be finite"),
        ([1.0, 2], {"loss": "hinge", "alpha": 1, "intercept": [1, 2]}, "2 values for 1 row"),
        ([1.0, 2], {"loss": "hinge", "alpha": 1, "accuracy": 1}, "accuracy must be above 1"),
        (LinearSVC().fit(X2, Y2), {"intercept": 1}, "intercept is for bare coefficients"),
        (LinearSVC().fit(X2, Y2 + 1), {}, "label 0"),
    ],
)
def test_bad_arguments(model, options, message):
    with pytest.raises(ValueError, match=message):
        certify(model, X2, Y2, **options)
