"""The l1 and elastic-net penalties of the drop-in classes, against scikit-learn's own, fitted tightly."""

import numpy as np
import pytest
import sklearn.linear_model
import sklearn.svm
from sklearn.datasets import load_breast_cancer
from sklearn.feature_selection import SelectFromModel
from sklearn.preprocessing import scale

from fastsvm import certify, drop_in
from fastsvm.drop_in import FallbackWarning

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "error::fastsvm.drop_in.FallbackWarning")


def rows():
    X, y = load_breast_cancer(return_X_y=True)
    return scale(X), np.array(["a", "b"])[y]


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("LogisticRegression", {"l1_ratio": 1, "solver": "liblinear", "C": 0.1, "intercept_scaling": 3}),
        ("LogisticRegression", {"l1_ratio": 1, "solver": "saga", "C": 0.05}),
        ("LogisticRegression", {"l1_ratio": 0.3, "solver": "saga", "C": 0.05, "class_weight": "balanced"}),
        ("LogisticRegression", {"penalty": "l1", "solver": "liblinear", "C": 0.1, "warm_start": True}),
        ("LogisticRegression", {"penalty": "elasticnet", "l1_ratio": 0.5, "solver": "saga", "C": 0.1}),
        ("LogisticRegression", {"penalty": "l2", "l1_ratio": 0.5, "C": 0.1}),
        ("LinearSVC", {"penalty": "l1", "dual": False, "C": 0.1, "intercept_scaling": 2}),
        ("LinearSVC", {"penalty": "l1", "C": 0.01, "class_weight": {"a": 3}}),
    ],
    ids=str,
)
def test_the_solution_is_scikit_learns(name, options, fit_intercept):
    X, y = rows()
    weights = np.random.default_rng(0).uniform(0, 2, len(y))
    module = sklearn.svm if name == "LinearSVC" else sklearn.linear_model
    options = options | {"fit_intercept": fit_intercept, "random_state": 0}
    theirs = getattr(module, name)(**options, tol=1e-7, max_iter=20_000).fit(X, y, weights)
    ours = getattr(drop_in, name)(**options).fit(X, y, weights)
    assert np.abs(ours.coef_ - theirs.coef_).max() < 1e-3 * np.abs(theirs.coef_).max()
    assert np.abs(ours.intercept_ - theirs.intercept_).max() < 1e-3 * (1 + np.abs(theirs.intercept_).max())
    assert ours.coef_.shape == theirs.coef_.shape
    assert ours.dual_gap_ <= 1e-8 * ours.objective_
    assert certify(ours, X, y, sample_weight=weights).relative_gap <= 1e-7
    ours.fit(X, y, weights)  # which liblinear begins anew


@pytest.mark.parametrize(("penalty", "loss"), [("l1", "log_loss"), ("elasticnet", "squared_hinge")])
def test_sgd_has_the_penalty(penalty, loss):
    X, y = rows()
    model = drop_in.SGDClassifier(loss, penalty=penalty, alpha=0.03, l1_ratio=0.6).fit(X, y)
    assert model.dual_gap_ <= 1e-3 * model.objective_
    assert 0 < np.count_nonzero(model.coef_) < X.shape[1]
    share = 1.0 if penalty == "l1" else 0.6
    margins = np.where(y == "b", 1, -1) * model.decision_function(X)
    losses = np.logaddexp(0, -margins) if loss == "log_loss" else np.maximum(0, 1 - margins) ** 2
    w = model.coef_[0]
    objective = 0.03 * (share * np.abs(w).sum() + (1 - share) / 2 * w @ w) + losses.mean()
    assert model.objective_ == pytest.approx(objective, rel=1e-9)


def test_a_model_selects_columns():
    X, y = rows()
    labels = np.where(X[:, 3] > 1.5, "c", y)  # three problems
    select = SelectFromModel(drop_in.LinearSVC(C=0.01, penalty="l1", dual=False)).fit(X, labels)
    kept = np.abs(select.estimator_.coef_).sum(axis=0) > 0
    assert np.array_equal(select.get_support(), kept)
    assert 0 < kept.sum() < X.shape[1]


@pytest.mark.parametrize(
    ("estimator", "words"),
    [
        (drop_in.LinearSVC(penalty="l1", loss="hinge"), "penalty='l1' and loss='hinge' is not supported"),
        (drop_in.LinearSVC(penalty="l1", dual=True), "are not supported when dual=True"),
        (drop_in.LogisticRegression(l1_ratio=1), "supports only 'l2' or None penalties"),
        (drop_in.LogisticRegression(l1_ratio=0.5, solver="liblinear"), "Only 'saga' solver supports"),
        (drop_in.LogisticRegression(penalty="elasticnet", l1_ratio=None, solver="saga"), "must be specified"),
        (drop_in.LogisticRegressionCV(l1_ratios=(1,)), "supports only 'l2' or None penalties"),
        (drop_in.LogisticRegressionCV(l1_ratios=(0, 1), solver="liblinear"), "Only 'saga' solver supports"),
        (
            drop_in.LogisticRegressionCV(penalty="elasticnet", solver="saga"),
            "l1_ratios must be",
        ),
    ],
    ids=str,
)
def test_scikit_learn_refuses_in_its_words(estimator, words):
    with pytest.raises(ValueError, match=words):
        estimator.fit(*rows())


@pytest.mark.filterwarnings("default::fastsvm.drop_in.FallbackWarning")
@pytest.mark.parametrize(
    ("estimator", "missing"),
    [
        (drop_in.LogisticRegression(l1_ratio=1, solver="saga", tol=0.1), "an l1 penalty with more than two"),
        (drop_in.SGDClassifier(penalty="elasticnet"), "l1 penalty with hinge loss"),
        (drop_in.SGDClassifier(penalty=None), "fit without a penalty"),
        (drop_in.LogisticRegressionCV(Cs=[np.inf], tol=0.1, cv=2), "fit without a penalty"),
        (
            drop_in.LogisticRegressionCV(Cs=1, l1_ratios=[1], solver="saga", tol=0.1, cv=2),
            "an l1 penalty with more than two classes",
        ),
        (
            drop_in.LogisticRegressionCV(Cs=1, cv=[(np.arange(400), np.arange(400, 569))], scoring=None),
            "folds that train on no row of a class",
        ),
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_what_is_left_to_scikit_learn(estimator, missing):
    X, _ = rows()
    with pytest.warns(FallbackWarning, match=missing):
        estimator.fit(X, np.arange(len(X)) // 200)
