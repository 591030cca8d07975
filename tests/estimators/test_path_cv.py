"""SDCAClassifierCV: the folds are those of scikit-learn, and each fit of them is certified."""

import numpy as np
import pytest
import sklearn
from peak_memory import peak_of
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics import get_scorer, make_scorer, roc_auc_score
from sklearn.model_selection import (
    GroupKFold,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    cross_val_score,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fastsvm import SDCAClassifier, SDCAClassifierCV

pytestmark = pytest.mark.blas

ALPHAS = [1.0, 0.1, 0.01]
MODEL = SDCAClassifierCV(alphas=ALPHAS, cv=3, tol=1e-6, max_iter=10**5, random_state=0)


def test_weights(iris):
    X, y = iris
    weights = 1.0 + (y == "setosa")
    model = clone(MODEL).fit(X, y, sample_weight=weights)
    scorer = get_scorer("accuracy")
    for k, (train, test) in enumerate(StratifiedKFold(3).split(X, y)):
        own = SDCAClassifier(alpha=0.01, tol=1e-6, max_iter=10**5).fit(X[train], y[train], weights[train])
        expected = scorer(own, X[test], y[test], sample_weight=weights[test])
        assert model.scores_[2, k] == pytest.approx(expected, abs=0.05)
        np.testing.assert_allclose(model.cv_objectives_[2, k], own.objective_ * 2 / 3, rtol=3e-6)


def test_scoring(problem):
    X, y = problem
    by_name = clone(MODEL).set_params(scoring="roc_auc").fit(X, y)
    assert by_name.mean_scores_.max() > 0.9
    by_scorer = clone(MODEL).set_params(
        scoring=make_scorer(roc_auc_score, response_method="decision_function")
    )
    np.testing.assert_array_equal(by_scorer.fit(X, y).scores_, by_name.scores_)
    plain = clone(MODEL).fit(X, y).scores_
    np.testing.assert_array_equal(plain, clone(MODEL).set_params(scoring="accuracy").fit(X, y).scores_)
    np.testing.assert_array_equal(
        plain, by_scorer.set_params(scoring=get_scorer("accuracy")).fit(X, y).scores_
    )
    assert by_name.score(X, y) == get_scorer("roc_auc")(by_name, X, y)


@pytest.mark.parametrize("routing", [False, True])
@pytest.mark.parametrize("splitter", [GroupKFold(3), StratifiedGroupKFold(3)], ids=str)
def test_groups(splitter, routing, iris):
    X, y = iris
    groups = np.arange(len(y)) % 7
    with sklearn.config_context(enable_metadata_routing=routing):
        model = clone(MODEL).set_params(cv=splitter).fit(X, y, groups=groups)
        for k, (train, test) in enumerate(splitter.split(X, y, groups)):
            assert not set(groups[train]) & set(groups[test])
            own = SDCAClassifier(alpha=0.1, tol=1e-6, max_iter=10**5).fit(X[train], y[train])
            assert abs(own.score(X[test], y[test]) - model.scores_[1, k]) <= 1.01 / len(test)
        if routing:
            pipeline = make_pipeline(StandardScaler(), clone(MODEL).set_params(cv=splitter))
            routed = pipeline.fit(X, y, groups=groups)[-1]
            np.testing.assert_allclose(routed.scores_, model.scores_, atol=0.03)
    with pytest.raises((ValueError, TypeError)):  # before scikit-learn 1.7 a TypeError
        clone(MODEL).set_params(cv=splitter).fit(X, y)


def test_weights_are_routed_to_the_scorer(iris):
    X, y = iris
    weights = np.where(y == "setosa", 0.1, 1.0)
    expected = clone(MODEL).fit(X, y, sample_weight=weights)
    with sklearn.config_context(enable_metadata_routing=True):
        scorer = get_scorer("accuracy").set_score_request(sample_weight=True)
        routed = clone(MODEL).set_params(scoring=scorer).set_fit_request(sample_weight=True)
        routed.set_score_request(sample_weight=True)
        np.testing.assert_array_equal(routed.fit(X, y, sample_weight=weights).scores_, expected.scores_)
        assert cross_val_score(routed, X, y, params={"sample_weight": weights}, cv=2).mean() > 0.8


def test_a_fold_may_repeat_and_leave_out_rows(problem):
    X, y = problem
    rng = np.random.default_rng(0)
    folds = [(rng.integers(0, 200, 150), np.arange(50)) for _ in range(2)]
    model = clone(MODEL).set_params(cv=folds).fit(X, y)
    for k, (train, _) in enumerate(folds):
        own = SDCAClassifier(alpha=0.1, tol=1e-6, max_iter=10**5).fit(X[train], y[train])
        np.testing.assert_allclose(model.cv_objectives_[1, k] * 200 / 150, own.objective_, rtol=3e-6)
    assert clone(MODEL).set_params(cv=ShuffleSplit(2, random_state=0)).fit(X, y).scores_.shape == (3, 2)


def test_folds_share_x():
    """A fit holds a fold's test rows, and a few numbers a row and column; no copy for training."""
    rng = np.random.default_rng(0)
    n, d, row = 10000, 3000, 200
    values, columns = np.ones(n * row, np.float32), rng.integers(0, d, n * row, dtype=np.int32)
    X = sparse.csr_array((values, columns, np.arange(n + 1, dtype=np.int32) * row), shape=(n, d))
    y = np.where(rng.random(n) > 0.5, 1, -1)
    model = SDCAClassifierCV(alphas=[0.1, 0.01], max_iter=1, tol=None, cv=10)
    assert peak_of(lambda: model.fit(X, y)) < 0.35 * (X.data.nbytes + X.indices.nbytes)
