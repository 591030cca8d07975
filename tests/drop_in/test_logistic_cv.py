"""LogisticRegressionCV of drop_in against scikit-learn's own, fitted tightly: each attribute."""

import numpy as np
import pytest
import sklearn.linear_model
from scipy.special import softmax
from sklearn import config_context
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.metrics import log_loss
from sklearn.model_selection import GroupKFold, StratifiedKFold
from sklearn.preprocessing import scale

from fastsvm import ConvergenceWarning
from fastsvm.drop_in import FallbackWarning, LogisticRegression, LogisticRegressionCV

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "error::fastsvm.drop_in.FallbackWarning")
CS = [0.1, 0.01, 0.03]  # in no order
OF_A_PATH = "scores_", "coefs_paths_"
OF_A_CHOICE = "Cs_", "C_", "l1_ratio_", "l1_ratios_", "classes_", "coef_", "intercept_"


def rows(n_classes):
    X, y = (load_breast_cancer if n_classes == 2 else load_iris)(return_X_y=True)
    return scale(X)[:, 1::3], np.array(["a", "b", "c"])[y]


def close(ours, theirs):
    """Whether two attributes have the same keys, shape and, nearly, values."""
    if isinstance(theirs, dict):
        return list(ours) == list(theirs) and all(close(ours[key], theirs[key]) for key in theirs)
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    if ours.shape != theirs.shape or theirs.dtype.kind != "f":
        return np.array_equal(ours, theirs)
    return np.allclose(ours, theirs, rtol=1e-3, atol=1e-3 * np.abs(theirs).max())


@pytest.mark.parametrize("legacy", [True, False])
@pytest.mark.parametrize(
    ("n_classes", "options"),
    [
        (2, {}),
        (3, {"class_weight": "balanced"}),
        (3, {"refit": False, "fit_intercept": False}),
        (2, {"l1_ratios": [0, 0.5, 1], "solver": "saga", "class_weight": {"a": 2}}),
        (2, {"l1_ratios": np.array([0.2, 0.9]), "solver": "saga", "refit": False}),
        (2, {"l1_ratios": [1], "solver": "liblinear", "n_jobs": 2}),
        (2, {"penalty": "l1", "solver": "liblinear", "refit": False, "intercept_scaling": 5}),
        (2, {"solver": "liblinear", "scoring": "neg_log_loss", "cv": 3}),
        (2, {"scoring": "neg_brier_score", "fit_intercept": False}),
        (3, {"scoring": "f1_macro"}),
    ],
    ids=str,
)
def test_attributes_are_scikit_learns(n_classes, options, legacy):
    X, y = rows(n_classes)
    weights = np.random.default_rng(0).uniform(0.5, 2, len(y))
    options = {"Cs": CS, "use_legacy_attributes": legacy, "random_state": 0} | options
    tight = {"tol": 1e-6, "max_iter": 20_000}
    theirs = sklearn.linear_model.LogisticRegressionCV(**options, **tight).fit(X, y, weights)
    ours = LogisticRegressionCV(**options).fit(X, y, weights)
    for name in OF_A_PATH + OF_A_CHOICE:
        assert close(getattr(ours, name), getattr(theirs, name)), name
    assert np.shape(ours.n_iter_) == np.shape(theirs.n_iter_)
    if options.get("scoring") != "neg_brier_score":  # which is of 0 and 1, after the fit
        assert ours.score(X, y) == pytest.approx(theirs.score(X, y), rel=1e-3)
    if options.get("refit", True):
        assert ours.dual_gap_ <= 1e-8 * ours.objective_


def test_a_grid_is_a_number_of_costs():
    X, y = rows(2)
    model = LogisticRegressionCV(Cs=3, cv=GroupKFold(2).split(X, y, np.arange(len(y)) % 2)).fit(X, y)
    assert np.array_equal(model.Cs_, np.logspace(-4, 4, 3))
    assert model.scores_["b"].shape == (2, 3)
    assert model.predict_proba(X[:2]).shape == (2, 2)


def test_each_cost_of_several_classes_is_that_of_a_fit_alone():
    """From 1e-4 to 1e4 on few rows: a start at the dual variables of the last was beyond range."""
    X, y = load_iris(return_X_y=True)
    folds = list(StratifiedKFold(2).split(X, y))
    model = LogisticRegressionCV(cv=folds, scoring="neg_log_loss").fit(X, y)
    for k in (3, 9):
        alone = LogisticRegression(C=model.Cs_[k]).fit(X[folds[0][0]], y[folds[0][0]])
        found = np.array([coefs[0, k, :-1] for coefs in model.coefs_paths_.values()])
        assert np.abs(found - alone.coef_).max() < 1e-3 * np.abs(alone.coef_).max()


@pytest.mark.parametrize("refit", [True, False])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_fit_of_a_fold_that_ends_early_warns(n_classes, refit):
    """Also if the cost with the best score, which is fitted again, needs fewer epochs."""
    X, y = rows(n_classes)
    model = LogisticRegressionCV(Cs=[1e-4, 1e8], cv=2, refit=refit, max_iter=3, scoring="neg_log_loss")
    with pytest.warns(ConvergenceWarning, match="Stopped after [23] epochs"):
        model.fit(100 * X, y)


def test_costs_far_apart_reach_the_optimum_of_several_classes():
    """On each fold, the second fit starts where its loss is nearly straight."""
    X, y = load_iris(return_X_y=True)
    folds = list(StratifiedKFold(3).split(X, y))
    options = {"Cs": [1, 1e4], "cv": folds, "scoring": "neg_log_loss", "max_iter": 200}
    model = LogisticRegressionCV(**options).fit(10 * X, y)
    for k, (train, _) in enumerate(folds):
        alone = LogisticRegression(C=1e4, tol=1e-3, max_iter=1000).fit(10 * X[train], y[train])
        found = np.array([coefs[k, 1] for coefs in model.coefs_paths_.values()])
        loss = log_loss(y[train], softmax(10 * X[train] @ found[:, :-1].T + found[:, -1], axis=1))
        objective = loss + (found[:, :-1] ** 2).sum() / (2e4 * len(train))
        assert objective <= alone.objective_ * (1 + 1e-5)


def test_what_scikit_learn_refuses_and_does():
    X, y = rows(3)
    with pytest.raises(ValueError, match="does not support multiclass"):
        LogisticRegressionCV(solver="liblinear").fit(X, y)
    with pytest.raises(ValueError, match="metadata"):
        LogisticRegressionCV().fit(X, y, groups=np.arange(len(y)))
    with (
        config_context(enable_metadata_routing=True),
        pytest.warns(FallbackWarning, match="fastsvm does not support metadata routing"),
    ):
        LogisticRegressionCV(Cs=1, cv=2, tol=0.1).fit(X, y)
