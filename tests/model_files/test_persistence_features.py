"""Model files of KernelFeatures: the same bits come out, and nothing else gets in."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fastsvm import KernelFeatures, ModelFileError, SDCAClassifier, save_model
from model_files import assert_round_trip, assert_same_predictions, round_trip
from pairs import pairs
from rounding import assert_close

pytestmark = pytest.mark.blas

X, Y = load_iris(return_X_y=True)

FEATURES = {
    "rbf": KernelFeatures(n_components=20, random_state=0),
    "all rows": KernelFeatures(n_components=1000, gamma=2, n_jobs=2),
    "poly": KernelFeatures("poly", n_components=9, gamma="auto", degree=2, coef0=np.float32(0.5)),
    "linear": KernelFeatures("linear", n_components=np.int64(3)),
    "sigmoid": KernelFeatures("sigmoid", n_components=30, gamma=0.01, random_state=1),
    "laplacian": KernelFeatures("laplacian", n_components=12, random_state=0),
    "random": KernelFeatures(method="random", n_components=40, random_state=0),
    "random laplacian": KernelFeatures("laplacian", method="random", n_components=40, random_state=0),
}
LAYOUTS = {"dense": np.asarray, "sparse": sparse.csr_array, "sparse matrix": sparse.csr_matrix}


# Round trips ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(*pairs(features=FEATURES, layout=LAYOUTS, dtype=[np.float32, np.float64]))
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_round_trip(features, layout, dtype, path):
    rows, classifier = layout(X.astype(dtype)), SDCAClassifier(alpha=1e-3, tol=0.05, random_state=0)
    model = make_pipeline(features, classifier).fit(rows, Y)
    loaded = assert_round_trip(model, path, rows, digits=0.7)  # the factor is nearly singular
    assert_close(model[0].transform(rows), loaded[0].transform(rows), digits=0.7)
    assert loaded[0].transform(rows).dtype == dtype


def test_alone_with_names_and_after_a_scaler(path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=["a", "b", "c", "d"])
    features = KernelFeatures(n_components=10, random_state=0).fit(frame)
    loaded = round_trip(features, path)
    assert loaded.feature_names_in_.tolist() == ["a", "b", "c", "d"]
    assert_close(loaded.transform(frame), features.transform(frame))
    model = make_pipeline(StandardScaler(), features, SDCAClassifier(alpha=0.1)).fit(X, Y)
    assert_same_predictions(model, round_trip(model, path), X)


def test_empty_sparse_components(path):
    """Rows without values, the first and last too, are rows; no rows are not."""
    rows = sparse.csr_array(np.array([[0, 0], [1, 2], [0, 0], [0, 3], [0, 0]], dtype=float))
    features = KernelFeatures(gamma=1.0).fit(rows)
    features.components_ = rows
    features.factor_ = np.eye(5)
    assert np.array_equal(round_trip(features, path).components_.toarray(), rows.toarray())
    features.components_, features.factor_ = rows[:0], np.eye(0)
    with pytest.raises(ModelFileError, match=r"components_ is of shape \(0, 2\)"):
        save_model(features, path)
