"""Alpha chosen on texts left out: nothing leaks, and the scores are those of separate fits."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.feature_selection import SelectKBest, chi2

from fastsvm import SDCAClassifier, sdca_path
from fastsvm_apps.common.folds import stratified_folds
from fastsvm_apps.sentiment.data.text_labels import TextLabels
from fastsvm_apps.sentiment.learning import alpha_choice
from fastsvm_apps.sentiment.learning.alpha_choice import AlphaSearch
from fastsvm_apps.sentiment.measures.metrics import score_decision, squared_errors

pytestmark = pytest.mark.blas

ALPHAS = [3e-2, 3e-3, 3e-4]


def choose_alpha(X, y, folds, **recipe):
    return AlphaSearch(**recipe).choose(X, y, folds)


def counts(labels=("neg", "pos"), n=240, seed=0):
    """Return counts in which every label has ten columns of its own that speak a little."""
    rng = np.random.default_rng(seed)
    y = np.array([labels[i % len(labels)] for i in range(n)])
    rates = np.full((n, 80), 0.1)
    for k, label in enumerate(labels):
        rates[y == label, 10 * k : 10 * k + 10] = 0.3
    return sparse.csr_matrix(rng.poisson(rates)), y


class LabelRatio(TransformerMixin, BaseEstimator):
    """Weights that learn from labels: the log-count ratio of the second label of two."""

    def fit(self, X, y):
        first, second = (np.asarray(X[y == label].sum(axis=0)).ravel() + 1 for label in np.unique(y))
        self.ratio_ = np.log(second / second.sum()) - np.log(first / first.sum())
        return self

    def transform(self, X):
        return X.multiply(self.ratio_.astype(X.dtype)).tocsr()


@pytest.mark.parametrize("labels", [("neg", "pos"), ("a", "b", "c")])
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_scores_are_those_of_separate_fits(labels, fit_intercept):
    X, y = counts(labels)
    folds = stratified_folds(y, 3, seed=0)
    options = {"loss": "squared_hinge", "fit_intercept": fit_intercept, "tol": 1e-6}
    found = choose_alpha(X, y, folds, weighting=TfidfTransformer(), alphas=ALPHAS, **options)
    expected, errors = np.empty((2, 3, 3))
    for j, (train, test) in enumerate(folds):
        weighting = TfidfTransformer().fit(X[train])
        for i, alpha in enumerate(ALPHAS):
            own = alpha * len(y) / len(train)
            model = SDCAClassifier(alpha=own, **options).fit(weighting.transform(X[train]), y[train])
            expected[i, j] = model.score(weighting.transform(X[test]), y[test])
            decision = model.decision_function(weighting.transform(X[test]))
            errors[i, j] = squared_errors(np.searchsorted(labels, y[test]), decision).mean()
    assert len(np.unique(expected)) > 3
    np.testing.assert_allclose(found.scores, expected)
    assert found.alpha == ALPHAS[expected.mean(axis=1).argmax()]
    by_error = {"alphas": ALPHAS, "metric": alpha_choice.SQUARED_ERROR, **options}
    found = choose_alpha(X, y, folds, weighting=TfidfTransformer(), **by_error)
    np.testing.assert_allclose(found.scores, -errors, rtol=1e-3)
    assert found.n_tried == len(y)
    assert (found.gaps <= 1e-6).all()


def test_the_largest_of_equal_alphas_in_any_order():
    X, y = counts()
    found = choose_alpha(
        X, y, stratified_folds(y, 3, 0), alphas=[1e-2, 1e3, 1e2], weighting=TfidfTransformer()
    )
    assert found.alphas.tolist() == [1e3, 1e2, 1e-2]
    assert found.scores[0].tolist() == found.scores[1].tolist()  # w is proportional to 1/alpha there
    same = choose_alpha(X, y, stratified_folds(y, 3, 0), alphas=[1e2, 1e3], weighting=TfidfTransformer())
    assert same.alpha == 1e3


@pytest.mark.parametrize("labels", [("neg", "pos"), ("a", "b", "c")])
def test_default_alphas(labels):
    X, y = counts(labels)
    folds = stratified_folds(y, 3, 0)
    found = choose_alpha(X, y, folds, n_alphas=4, eps=1e-3)
    train = folds[0][0]
    positives = labels[1:] if len(labels) == 2 else labels
    largest = [
        sdca_path(X[train], y[train] == label, n_alphas=1, fit_intercept=False).alphas[0]
        for label in positives
    ]
    share = len(train) / len(y)
    np.testing.assert_allclose(
        found.alphas, share * max(largest) * np.array([1, 0.1, 0.01, 0.001]), rtol=5e-3
    )
    assert all(alpha == float(f"{alpha:.3g}") for alpha in found.alphas)
    assert found.scores.mean(axis=1).max() == found.scores[list(found.alphas).index(found.alpha)].mean()


def test_weights_that_learn_from_labels_see_the_training_rows_only():
    """Labels by chance: fitted on all rows the ratios would give the answers away."""
    rng = np.random.default_rng(0)
    X = sparse.random(200, 3000, density=0.02, random_state=0, format="csr")
    X.data[:] = 1
    y = rng.permutation(np.repeat(["neg", "pos"], 100))
    folds = stratified_folds(y, 4, 0)
    leaky = choose_alpha(LabelRatio().fit(X, y).transform(X), y, folds, alphas=ALPHAS)
    honest = choose_alpha(X, y, folds, weighting=LabelRatio(), alphas=ALPHAS)
    assert leaky.scores.min() > 0.85
    assert abs(honest.scores - 0.5).max() < 0.15


def test_selection_sees_the_training_rows_only_and_comes_before_the_weighting():
    X, y = counts()
    folds = stratified_folds(y, 3, 0)
    found = choose_alpha(
        X, y, folds, selection=SelectKBest(chi2, k=12), weighting=TfidfTransformer(), alphas=ALPHAS, tol=1e-6
    )
    for j, (train, test) in enumerate(folds):
        chosen = SelectKBest(chi2, k=12).fit(X[train], y[train])
        weighting = TfidfTransformer().fit(chosen.transform(X[train]))
        X_train, X_test = (weighting.transform(chosen.transform(X[rows])) for rows in (train, test))
        model = SDCAClassifier(alpha=3e-3 * len(y) / len(train), tol=1e-6, fit_intercept=False).fit(
            X_train, y[train]
        )
        assert found.scores[1, j] == model.score(X_test, y[test])


def test_a_label_that_a_fold_does_not_train_on_is_a_mistake():
    X, y = counts(n=60)
    y[7] = "rare"
    found = choose_alpha(X, y, stratified_folds(y, 3, 0), alphas=ALPHAS)
    assert found.scores.shape == (3, 3)
    y[8:] = "neg"
    y[:8] = "pos"
    only_neg = [(np.arange(8, 60), np.arange(16))]
    assert choose_alpha(X, y, only_neg, alphas=ALPHAS).scores.tolist() == [[0.5]] * 3


def skewed(n=400):
    """Return counts of which one row in eight is of the second label."""
    X, y = counts(n=4 * n)
    rare = np.flatnonzero(y == "pos")[: n // 8]
    rows = np.sort(np.concatenate([rare, np.flatnonzero(y == "neg")[: n - len(rare)]]))
    return X[rows], y[rows]


@pytest.mark.parametrize(
    "class_weight", [None, pytest.param("balanced", marks=pytest.mark.slow), {"pos": 3.0}]
)
@pytest.mark.parametrize("metric", ["balanced-accuracy", "macro-f1", "average-precision"])
def test_metrics_and_class_weights_are_those_of_separate_fits(metric, class_weight):
    X, y = skewed()
    folds = stratified_folds(y, 3, seed=0)
    options = {"tol": 1e-6, "fit_intercept": False, "class_weight": class_weight}
    recipe = {"weighting": TfidfTransformer(), "alphas": ALPHAS, "metric": metric, **options}
    found = choose_alpha(X, y, folds, **recipe)
    expected, decision = np.empty((3, 3)), np.empty(len(y))
    for j, (train, test) in enumerate(folds):
        weighting = TfidfTransformer().fit(X[train])
        for i, alpha in enumerate(ALPHAS):
            model = SDCAClassifier(alpha=alpha * len(y) / len(train), **options)
            model.fit(weighting.transform(X[train]).astype(np.float32), y[train])
            values = model.decision_function(weighting.transform(X[test]).astype(np.float32))
            expected[i, j] = score_decision(metric, TextLabels.of(y.tolist())[test], values)
            if alpha == found.alpha:
                decision[test] = values
    np.testing.assert_allclose(found.scores, expected, atol=0.02)  # a tie may fall the other way
    assert len(np.unique(expected)) > 3
    assert sorted(found.rows) == list(range(len(y)))
    np.testing.assert_allclose(found.decision, decision[found.rows], atol=0.02)


def test_the_grid_goes_on_where_its_end_is_best():
    X, y = counts()
    folds, options = stratified_folds(y, 3, 0), {"weighting": TfidfTransformer()}
    wide = choose_alpha(X, y, folds, alphas=np.geomspace(10, 1e-6, 15), **options)
    assert not wide.is_at_end
    for alphas in ([1e-6, 3e-6, 1e-5], [10.0, 1.0]):
        short = choose_alpha(X, y, folds, alphas=alphas, **options)
        longer = choose_alpha(X, y, folds, alphas=alphas, extensions=3, **options)
        assert len(alphas) <= len(longer.alphas) <= len(alphas) + 3 * alpha_choice.EXTENSION
        assert (np.diff(longer.alphas) < 0).all()
        assert longer.scores.shape == (len(longer.alphas), 3)
        assert longer.scores.mean(axis=1).max() >= short.scores.mean(axis=1).max()
        if not short.is_at_end:
            assert longer.alphas.tolist() == short.alphas.tolist()
    narrow = choose_alpha(X, y, folds, alphas=[1.0, 0.5], extensions=3, metric="average-precision", **options)
    assert len(narrow.alphas) > 2 or not narrow.is_at_end
