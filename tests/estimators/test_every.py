"""What every classifier does alike, with a kernel or without: bad input, names of columns, routed weights."""

import numpy as np
import pytest
import sklearn
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV

from contracts import estimators
from rounding import assert_close

pytestmark = pytest.mark.parametrize("estimator", estimators(), ids=str)


def test_bad_input_is_one_line(estimator, problem):
    X, y = problem
    bad = X.toarray()
    bad[3, 7] = np.nan
    infinite = np.where(np.isnan(bad), np.inf, bad)
    cases = [
        ((bad, y), "X contains NaN at row 3, column 7;"),
        ((infinite, y), "X contains infinity at row 3, column 7;"),
        ((sparse.csr_array(infinite), y), "X contains infinity at row 3, column 7;"),
        ((X, y[:-1]), "inconsistent numbers of samples"),
        ((["a good film"] * len(y), y), r"takes numbers, but X holds texts: .* make_pipeline\(BagOfWords\("),
        ((X, np.ones(len(y))), r"y has one class only \(1\.0\); at least two"),
    ]
    for arguments, message in cases:
        with pytest.raises(ValueError, match=message) as caught:
            clone(estimator).fit(*arguments)
        assert "\n" not in str(caught.value)
    with pytest.raises(ValueError, match=r"sample_weight\[0\] is -1.0; weights must be finite and >= 0"):
        clone(estimator).fit(X, y, sample_weight=np.full(len(y), -1.0))
    with pytest.raises(NotFittedError):
        clone(estimator).predict(X)


@pytest.mark.parametrize("real", [np.float32, np.float64])
def test_types_and_layouts(estimator, real, problem):
    X, y = problem[0].astype(real), problem[1]
    expected = clone(estimator).fit(X, y)
    scores, dense, wide = expected.decision_function(X), X.toarray(), X.copy()
    assert not hasattr(expected, "coef_") or expected.coef_.dtype == expected.intercept_.dtype == real
    assert scores.dtype == (real if hasattr(expected, "coef_") else np.float64)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    layouts = [wide, X.tocsc(), X.tocoo(), sparse.csr_matrix(X), dense, np.asfortranarray(dense)]
    layouts += [np.repeat(dense, 2, axis=0)[::2], dense.astype(dense.dtype.newbyteorder()), dense.tolist()]
    for other in layouts:
        model = clone(estimator).fit(other, y)
        support = getattr(model, "support_vectors_", other)
        assert not sparse.issparse(other) or sparse.issparse(support)
        for some in (other, X, dense):
            np.testing.assert_allclose(model.decision_function(some), scores, atol=1e-4)


def test_threads_do_not_change_a_bit(estimator, iris, monkeypatch):
    monkeypatch.setattr("fastsvm.solvers._rows.PASS_VALUES", 200)
    one, *others = (clone(estimator).set_params(n_jobs=n).fit(*iris) for n in (None, 2, 5))
    for name in ("coef_", "intercept_", "dual_coef_", "objective_", "dual_gap_"):
        for other in others:
            assert np.array_equal(getattr(other, name, None), getattr(one, name, None)), name


def test_rows_to_predict_are_checked(estimator, iris):
    """Rows that are ready for the solvers pass scikit-learn's checks by; others do not."""
    X, y = iris
    model = clone(estimator).fit(X, y)
    bad = X[:3].copy()
    bad[1, 2] = np.nan
    for rows, message in (
        (X[:3, :2], "X has 2 features, but .* is expecting 4 features"),
        (X[0], "Expected 2D array, got 1D array"),
        (X[:0], "Found array with 0 sample"),
        (bad, "X contains NaN at row 1, column 2;"),
    ):
        with pytest.raises(ValueError, match=message):
            model.predict(rows)


def test_class_weight_is_a_sample_weight(estimator, iris):
    X, y = iris
    by_label = {"setosa": 0.5, "versicolor": 2.0, "virginica": 0.0}
    weights = np.array([by_label[label] for label in y])
    own = np.linspace(0.5, 1.5, len(y))
    own.setflags(write=False)
    expected = clone(estimator).fit(X, y, sample_weight=weights * own)
    model = clone(estimator).set_params(class_weight=by_label).fit(X, y, sample_weight=own)
    np.testing.assert_allclose(model.decision_function(X), expected.decision_function(X), atol=1e-9)
    if hasattr(model, "support_"):
        assert (y[model.support_] != "virginica").all()


def test_probabilities(estimator, iris, problem):
    X, y = problem
    if getattr(estimator, "loss", None) != "log":
        assert not hasattr(estimator, "predict_proba")
        return
    model = clone(estimator).fit(X, y)
    p = model.predict_proba(X)
    np.testing.assert_allclose(p[:, 1], 1 / (1 + np.exp(-model.decision_function(X))))
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), p)
    p = model.fit(*iris).predict_proba(iris[0])
    np.testing.assert_allclose(p.sum(axis=1), 1)
    np.testing.assert_array_equal(model.classes_[p.argmax(axis=1)], model.predict(iris[0]))
    if hasattr(model, "coef_"):  # where all scores are far below 0
        model.coef_, model.intercept_ = np.zeros((3, 4)), np.full(3, -1e4)
        np.testing.assert_allclose(model.predict_proba(iris[0]), 1 / 3)


def test_weights_are_routed(estimator, iris):
    X, y = iris
    weights = np.where(y == "setosa", 0.1, 1.0)
    with sklearn.config_context(enable_metadata_routing=True):
        routed = clone(estimator).set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
        search = GridSearchCV(routed, {"class_weight": [None]}, cv=3).fit(X, y, sample_weight=weights)
    expected = clone(estimator).fit(X, y, sample_weight=weights)
    assert_close(search.decision_function(X), expected.decision_function(X))


def test_a_weight_of_2_is_a_row_twice_and_of_0_none(estimator, problem):
    if "SDCA" not in type(estimator).__name__:
        pytest.skip("its steps see a row twice, or once")
    X, y = problem[0].toarray(), problem[1]
    weights = np.arange(len(y)) % 3
    model = clone(estimator).set_params(alpha=0.05, tol=1e-9, max_iter=20_000)
    if hasattr(model, "gamma"):
        model.set_params(gamma=0.1, tol=1e-5)
    weighted = clone(model).fit(X, y, sample_weight=weights)
    repeated = clone(model).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    np.testing.assert_allclose(weighted.objective_, repeated.objective_, rtol=1e-4)
    np.testing.assert_allclose(weighted.decision_function(X), repeated.decision_function(X), atol=0.01)
