"""Model files of the kernel classifiers: the same bits come out, and nothing else gets in."""

from functools import partial

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris

from fastsvm import KernelPegasosClassifier, KernelSDCAClassifier, ModelFileError, save_model
from fastsvm.fitting import Calibration
from model_files import LABELS, assert_round_trip, assert_same_predictions, assert_saved_alike, round_trip

pytestmark = pytest.mark.blas

X, Y = load_iris(return_X_y=True)

SDCA = partial(KernelSDCAClassifier, alpha=1e-2, tol=0.1, random_state=0)
PEGASOS = partial(KernelPegasosClassifier, alpha=1e-2, n_iter=300, random_state=0)
MODELS = {
    "rbf": SDCA(),
    "rbf, log loss": SDCA(loss="log", gamma="auto", cache_size=0.5, tol=None, max_iter=3),
    "poly": SDCA("poly", gamma=1, coef0=np.float32(0.5), degree=np.int64(2), class_weight="balanced"),
    "linear": SDCA("linear", n_jobs=2),
    "laplacian": SDCA("laplacian", loss="squared_hinge"),
    "pegasos": PEGASOS(),
    "pegasos, sigmoid": PEGASOS("sigmoid", gamma=0.01, n_iter=None, n_jobs=-1),
    "pegasos, laplacian": PEGASOS("laplacian", gamma=np.float64(0.3)),
}
LAYOUTS = {"dense": np.asarray, "sparse": sparse.csr_array, "sparse matrix": sparse.csr_matrix}
FORMS = [(np.asarray, np.float64), (np.asarray, np.float32)]
FORMS += [(sparse.csr_array, np.float64), (sparse.csr_matrix, np.float32)]


def fitted(estimator, layout=np.asarray, dtype=np.float64):
    return clone(estimator).fit(layout(X[::2].astype(dtype)), LABELS["three"][Y[::2]])


# Round trips ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("estimator", MODELS.values(), ids=MODELS)
@pytest.mark.parametrize(("layout", "dtype"), FORMS)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_round_trip(estimator, layout, dtype, path):
    model = fitted(estimator, layout=layout, dtype=dtype)
    others = layout(X[1::2].astype(dtype)), X[::9], sparse.csr_array(X[::9])
    loaded = assert_round_trip(model, path, *others)
    assert loaded.support_vectors_.dtype == dtype
    assert not hasattr(loaded, "history_")


@pytest.mark.parametrize("fit", [Calibration.fit, Calibration.fit_common])
@pytest.mark.parametrize("labels", ["str", "three"])
def test_calibration_and_intercept(labels, path, fit):
    """What the app for texts adds to a fitted model; another fit drops it."""
    y = LABELS[labels][np.minimum(Y, len(LABELS[labels]) - 1)]
    model = SDCA().fit(X, y)
    before = model.decision_function(X)
    model.intercept_ = np.full(len(model.dual_coef_), 0.25)
    model.calibration_ = fit(model.decision_function(X), y, model.classes_)
    loaded = round_trip(model, path)
    np.testing.assert_array_equal(loaded.decision_function(X), before + 0.25)
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    assert_saved_alike(loaded, path)
    np.testing.assert_array_equal(model.fit(X, y).decision_function(X), before)
    assert not hasattr(model, "predict_proba")
    model.intercept_ = np.ones(5)
    with pytest.raises(ModelFileError, match="intercept_ is of shape"):
        save_model(model, path)


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_more_rows_than_are_compared_in_double_precision(layout, path):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(1500, 6)).astype(np.float32)
    model = PEGASOS(n_iter=1500, cache_size=16).fit(layout(rows), rows[:, 0] * rows[:, 1] > 0)
    assert_same_predictions(model, round_trip(model, path), layout(rows))


def test_columns_in_any_order_and_repeated_ones(path):
    rows = sparse.csr_array((X.ravel(), np.tile([3, 1, 0, 1], len(X)), np.arange(0, 4 * len(X) + 1, 4)))
    rows.resize(len(X), 4)
    model = SDCA().fit(rows, Y)
    loaded = round_trip(model, path)
    assert_same_predictions(model, loaded, rows)
    assert np.array_equal(loaded.support_vectors_.toarray(), model.support_vectors_.toarray())
    assert model.support_vectors_.nnz == 4 * len(model.support_)  # as they were


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_no_support_at_all(layout, path):
    """A row of weight 0 does not pull."""
    model = PEGASOS(n_iter=1).fit(layout(X), Y, sample_weight=np.arange(len(Y)) == 149)
    loaded = round_trip(model, path)
    assert loaded.support_vectors_.shape == (0, 4)
    assert loaded.dual_coef_.shape == (3, 0)
    assert_same_predictions(model, loaded, X)
    for each in (model, loaded):
        each.partial_fit(layout(X[::9]), Y[::9])
    assert_same_predictions(model, loaded, X)


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("first", ["fit", "partial_fit"])
def test_training_goes_on_after_loading(layout, first, path):
    order = np.random.default_rng(0).permutation(len(Y))
    rows, y = layout(X[order]), Y[order]
    model = PEGASOS(gamma=0.2)
    if first == "fit":
        model.fit(rows[:60], y[:60])
    else:
        model.partial_fit(rows[:60], y[:60], classes=[0, 1, 2])
    loaded = round_trip(model, path)
    seen = loaded.support_[-1] + 1  # rows, as far as the file tells
    for start in (60, 90):
        batch = rows[start : start + 30], y[start : start + 30]
        n = len(loaded.support_)
        model.partial_fit(*batch)
        loaded.partial_fit(*batch)
        assert (loaded.t_, loaded.gamma_) == (model.t_, model.gamma_)
        assert loaded.dual_coef_.tobytes() == model.dual_coef_.tobytes()
        assert np.array_equal(loaded.support_[n:] - seen, model.support_[n:] - start)
        assert_same_predictions(model, loaded, rows)
        seen += 30
    assert not hasattr(loaded, "objective_")
    assert_same_predictions(model, round_trip(loaded, path), rows)


def test_measures_that_are_not_finite_are_left_out(path):
    model = fitted(SDCA())
    model.dual_gap_ = np.array([0.1, np.inf, 0.1])
    loaded = round_trip(model, path)
    assert not hasattr(loaded, "dual_gap_")
    assert np.array_equal(loaded.objective_, model.objective_)
