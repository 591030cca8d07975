"""The l1 penalty in estimators: classes, labels, weights, files, paths, the choice of alpha, certificates."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.preprocessing import scale
from sklearn.svm import LinearSVC

from fastsvm import SDCAClassifier, SDCAClassifierCV, certify, load_model, save_model, sdca_path
from fastsvm.solvers import sdca

X, Y = load_breast_cancer(return_X_y=True)
X = scale(X)
DIGITS, NUMBERS = load_digits(return_X_y=True)
DIGITS = DIGITS[:600] / 16
NUMBERS = NUMBERS[:600]


def within(model, tol):
    """Whether the gaps are those asked for."""
    return bool(np.all(np.asarray(model.dual_gap_) <= tol * np.asarray(model.objective_)))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_each_class_is_a_problem_of_its_own(dtype, form):
    model = SDCAClassifier("log", penalty="l1", alpha=1e-3, tol=1e-5)
    model.fit(form(DIGITS.astype(dtype)), NUMBERS)
    assert model.coef_.dtype == dtype
    assert model.solver_ == "columns"
    assert within(model, 1e-5)
    for k in (0, 7):
        alone = sdca(DIGITS, np.where(k == NUMBERS, 1, -1), loss="log", penalty="l1", alpha=1e-3, tol=1e-6)
        assert model.objective_[k] == pytest.approx(alone.objective, rel=2e-5)
    assert (np.abs(model.dual_coef_ @ DIGITS) <= 1 + 1e-6).all()


def test_several_labels_a_row_and_weights_by_class():
    several = np.column_stack([NUMBERS % 2, NUMBERS > 4])
    model = SDCAClassifier("squared_hinge", penalty="elasticnet", alpha=1e-2).fit(DIGITS, several)
    assert model.predict(DIGITS).shape == several.shape
    assert within(model, 1e-3)
    weighed = SDCAClassifier("log", penalty="l1", alpha=1e-2, class_weight={1: 3}, tol=1e-6).fit(X, Y)
    by_hand = SDCAClassifier("log", penalty="l1", alpha=1e-2, tol=1e-6).fit(X, Y, np.where(Y == 1, 3.0, 1.0))
    np.testing.assert_array_equal(weighed.coef_, by_hand.coef_)


def test_an_elastic_net_without_l1_is_the_usual_penalty():
    one, other = SDCAClassifier("log", penalty="elasticnet", l1_ratio=0.0), SDCAClassifier("log")
    np.testing.assert_array_equal(one.fit(X, Y).coef_, other.fit(X, Y).coef_)


def test_a_warm_start_goes_on_from_the_weights():
    model = SDCAClassifier("log", penalty="l1", alpha=1e-2, tol=1e-6, warm_start=True).fit(X, Y)
    assert model.n_iter_ > 1
    assert model.set_params(tol=1e-5).fit(X, Y).n_iter_ == 1
    assert model.sparsify().fit(X, Y).n_iter_ == 1
    assert within(model.fit(X[:, :20], Y), 1e-5)


def test_a_file_keeps_penalty_and_weights(tmp_path):
    model = SDCAClassifier("log", penalty="elasticnet", l1_ratio=0.7, alpha=1e-2).fit(X, Y)
    save_model(model, tmp_path / "model")
    loaded = load_model(tmp_path / "model")
    assert (loaded.penalty, loaded.l1_ratio) == ("elasticnet", 0.7)
    np.testing.assert_array_equal(loaded.coef_, model.coef_)


@pytest.mark.parametrize("loss", ["log", "squared_hinge"])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_a_path_has_the_single_fits(loss, form):
    path = sdca_path(form(X), Y, loss=loss, penalty="l1", n_alphas=8, eps=1e-3, tol=1e-6)
    assert not path.coefs[0].any()
    assert (path.dual_gaps <= 1e-6 * path.objectives).all()
    for alpha, objective in zip(path.alphas, path.objectives, strict=True):
        alone = SDCAClassifier(loss, penalty="l1", alpha=alpha, tol=1e-6).fit(X, Y)
        assert objective == pytest.approx(alone.objective_, rel=2e-6)


def test_alpha_is_chosen_on_a_path_with_the_penalty():
    model = SDCAClassifierCV("log", penalty="l1", n_alphas=4, eps=1e-2, cv=3).fit(X, Y)
    assert model.mean_scores_[0] < 0.7  # at the largest alpha there are no weights
    assert model.mean_scores_.max() > 0.95
    assert within(model, 1e-3)
    assert not (model.coef_ != 0).all()


def test_a_checkpoint_is_refused(tmp_path):
    with pytest.raises(ValueError, match="l1 penalty cannot resume"):
        SDCAClassifier("log", penalty="l1").fit(X, Y, checkpoint=tmp_path / "fit")


C = 1 / (1e-2 * len(Y))


@pytest.mark.parametrize(
    "model",
    [
        LogisticRegression(C=C, l1_ratio=1, solver="saga", tol=1e-2),
        LogisticRegression(C=C, l1_ratio=0.4, solver="saga", tol=1e-2),
        LogisticRegression(C=C, l1_ratio=1, solver="liblinear", intercept_scaling=3, random_state=0),
        LogisticRegression(C=C, l1_ratio=1, solver="liblinear", class_weight="balanced", random_state=0),
        LinearSVC(C=C, penalty="l1", dual=False, random_state=0),
        SGDClassifier("log_loss", penalty="elasticnet", alpha=1e-2, random_state=0),
        SGDClassifier("squared_hinge", penalty="l1", alpha=1e-2, eta0=1e-3, learning_rate="constant"),
    ],
    ids=lambda model: f"{type(model).__name__}-{model.penalty}",
)
def test_models_of_scikit_learn_are_certified(model):
    model.fit(X, Y)
    found = certify(model, X, Y)
    assert found.bound <= found.attained <= found.objective
    assert found.gap <= max(2 * found.gap_at_least, 1.01e-8 * found.objective)
    assert found.attained - found.bound <= found.gap
    optimum = certify(model, X, Y, accuracy=1.01, tol=1e-10)
    assert found.bound <= optimum.attained
    assert found.attained >= optimum.bound


def test_a_penalised_intercept_counts_in_the_objective():
    model = LogisticRegression(C=C, l1_ratio=1, solver="liblinear", intercept_scaling=3, random_state=0)
    model.fit(X, Y)
    m = np.where(Y == 1, 1, -1) * model.decision_function(X)
    expected = np.logaddexp(0, -m).mean() + 1e-2 * (np.abs(model.coef_).sum() + abs(model.intercept_[0]) / 3)
    assert certify(model, X, Y).objective == pytest.approx(expected, rel=1e-12)


def test_bare_coefficients_take_a_penalty():
    model = SDCAClassifier("log", penalty="l1", alpha=1e-2, tol=1e-9).fit(X, Y)
    options = {"loss": "log", "alpha": 1e-2, "intercept": model.intercept_}
    assert certify(model.coef_, X, Y, penalty="l1", **options).relative_gap <= 1e-8
    assert certify(model.coef_, X, Y, penalty="elasticnet", l1_ratio=0.5, **options).relative_gap > 1e-2
    with pytest.raises(ValueError, match="needs loss='squared_hinge' or 'log'"):
        certify(model.coef_, X, Y, penalty="l1", loss="hinge", alpha=1e-2)
