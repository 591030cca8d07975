"""Features that approximate a kernel: how well, from which rows, with which errors."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits, load_iris
from sklearn.kernel_approximation import Nystroem, RBFSampler
from sklearn.metrics.pairwise import chi2_kernel, pairwise_kernels, rbf_kernel
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

import fastsvm.estimators.kernel_features
from fastsvm import KernelFeatures, SDCAClassifier
from rounding import assert_close

pytestmark = pytest.mark.blas

KERNELS = ["rbf", "poly", "linear", "sigmoid", "laplacian"]
POSITIVE = [kernel for kernel in KERNELS if kernel != "sigmoid"]


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X / 16, y


def dots(features, X, Z=None):
    A = features.transform(X)
    return A @ (A if Z is None else features.transform(Z)).T


@parametrize_with_checks([KernelFeatures(), KernelFeatures(method="random", n_components=20)])
def test_check(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks([KernelFeatures(n_components=10), KernelFeatures("poly", coef0=1.0)])
def test_check_of_other_parameters(estimator, check):
    check(estimator)


# What is approximated -----------------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", POSITIVE)
@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_matrix, sparse.csr_array])
@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float64, 1e-6), (np.float32, 1e-2)])
def test_with_all_rows_as_centres_nothing_is_lost(kernel, layout, dtype, tolerance, digits):
    X = layout(digits[0][:200].astype(dtype))
    features = KernelFeatures(kernel, coef0=0.5, degree=2).fit(X)
    expected = pairwise_kernels(
        X, metric=kernel, filter_params=True, gamma=features.gamma_, coef0=0.5, degree=2
    )
    assert np.abs(dots(features, X) - expected).max() <= tolerance * np.abs(expected).max()
    assert features.transform(X).dtype == dtype
    assert sparse.issparse(features.components_) == sparse.issparse(X)


@pytest.mark.parametrize("kernel", POSITIVE)
def test_rows_not_seen_are_projected_onto_the_centres(kernel, digits):
    """As scikit-learn's Nystroem does with the same centres: no projection is longer than its row."""
    X, new = digits[0][:300], digits[0][300:600]
    features = KernelFeatures(kernel, n_components=60, gamma=0.05, coef0=1.0, random_state=0).fit(X)
    theirs = Nystroem(
        kernel=kernel,
        n_components=len(features.components_),
        **({} if kernel == "linear" else {"gamma": 0.05}),
        **({"coef0": 1.0, "degree": 3} if kernel == "poly" else {}),
    ).fit(features.components_)
    expected = theirs.transform(new) @ theirs.transform(new).T
    np.testing.assert_allclose(dots(features, new), expected, rtol=1e-6, atol=1e-6 * expected.max())
    exact = features._values(new, new).diagonal()
    assert (np.square(features.transform(new)).sum(axis=1) <= exact * (1 + 1e-9)).all()


def test_random_features_are_those_of_scikit_learn(digits):
    X = digits[0]
    ours = KernelFeatures(method="random", gamma=0.03, n_components=70, random_state=3).fit(X)
    theirs = RBFSampler(gamma=0.03, n_components=70, random_state=3).fit(X)
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X), atol=1e-12)


def test_a_kernel_that_is_not_positive_is_spanned_where_it_is(digits):
    X = digits[0][:200]
    features = KernelFeatures("sigmoid", coef0=-1.0, random_state=0).fit(X)
    centres = features.components_
    assert 0 < len(centres) < 200
    np.testing.assert_allclose(dots(features, centres), features._values(centres, centres), atol=1e-6)


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array])
def test_centres_that_add_nothing_are_left_out(layout):
    X = np.repeat(load_iris().data[::10], 20, axis=0)
    features = KernelFeatures(n_components=200, random_state=0).fit(layout(X))
    assert features.components_.shape == (15, 4)
    assert features.transform(X).shape == (300, 15)
    assert len(features.get_feature_names_out()) == 15
    np.testing.assert_allclose(dots(features, X), features._values(X, X), atol=1e-9)


def test_a_single_row_and_constant_rows():
    for X in (np.zeros((1, 3)), np.ones((7, 2))):
        features = KernelFeatures().fit(X)
        assert features.gamma_ == 1
        np.testing.assert_allclose(dots(features, X), 1)


# Parameters ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array], ids=["dense", "csr"])
def test_kernels_that_are_given_called_and_of_histograms(layout):
    X = np.random.default_rng(0).random((60, 5))
    for parameters, rows, K in (
        ({"kernel": "precomputed"}, layout(rbf_kernel(X)), rbf_kernel(X)),
        ({"kernel": rbf_kernel}, layout(X), rbf_kernel(X)),
        ({"kernel": "chi2", "gamma": 2}, X, chi2_kernel(X, gamma=2)),
    ):
        features = KernelFeatures(n_components=60, random_state=0, **parameters).fit(rows)
        np.testing.assert_allclose(dots(features, rows), K, atol=1e-9)
        few = KernelFeatures(n_components=20, random_state=0, **parameters).fit(rows)
        np.testing.assert_allclose(
            dots(few, rows)[few.component_indices_], K[few.component_indices_], atol=1e-9
        )


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"kernel": "cosine"}, "kernel must be one of 'rbf', 'poly'"),
        ({"kernel": "precomputed"}, r"needs the matrix of all K\(x_i, x_j\); X is of shape \(1797, 64\)"),
        ({"kernel": np.dot, "method": "random"}, "only 'rbf', 'laplacian'; use method='nystroem'"),
        ({"method": "fourier"}, "method must be one of 'nystroem', 'random'"),
        (
            {"method": "random", "kernel": "poly"},
            "method='random' does not support kernel 'poly', only 'rbf', 'laplacian'; use method='nystroem'",
        ),
        ({"n_components": 0}, "n_components must be a positive integer"),
    ],
)
def test_bad_parameters(params, message, digits):
    with pytest.raises(ValueError, match=message) as error:
        KernelFeatures(**params).fit(digits[0])
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"kernel": "poly", "gamma": 1e200}, "The poly kernel overflows; scale the columns"),
        ({"kernel": "sigmoid", "coef0": -1e3}, "The sigmoid kernel is nowhere positive"),
    ],
)
@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning")
def test_kernels_beyond_range(params, message, digits):
    fitted = KernelFeatures(n_components=5, random_state=0).fit(digits[0][:50])
    before = fitted.transform(digits[0])
    with pytest.raises(ValueError, match=message):
        fitted.set_params(**params).fit(digits[0])
    fitted.set_params(kernel="rbf")
    assert np.array_equal(fitted.transform(digits[0]), before)


# Sizes --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["nystroem", "random"])
@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array])
def test_blocks_and_threads_do_not_change_the_features(method, layout, digits, monkeypatch):
    X = layout(digits[0])
    features = KernelFeatures(method=method, n_components=40, random_state=0).fit(X)
    whole = features.transform(X)
    monkeypatch.setattr(fastsvm.estimators.kernel_features, "BLOCK_VALUES", 40 * 100)
    sizes = []
    of_rows = f"_of_{'centres' if method == 'nystroem' else 'directions'}"
    inner = getattr(features, of_rows)
    monkeypatch.setattr(features, of_rows, lambda rows: sizes.append(rows.shape[0]) or inner(rows))
    in_blocks = features.transform(X)
    np.testing.assert_allclose(in_blocks, whole, atol=1e-12)
    assert max(sizes) == 100
    assert sum(sizes) == X.shape[0]
    assert_close(features.set_params(n_jobs=2).transform(X), in_blocks)


def test_fitted_again_with_the_other_method(digits):
    features = KernelFeatures(n_components=30, random_state=0)
    for method, gone in (("nystroem", "offsets_"), ("random", "factor_"), ("nystroem", "offsets_")):
        features.set_params(method=method).fit(digits[0])
        assert not hasattr(features, gone)
        assert features.transform(digits[0]).shape == (1797, 30)


def test_centres_of_sparse_rows_stay_sparse():
    """Of a million columns there is no dense copy."""
    rng = np.random.default_rng(0)
    X = sparse.random_array((300, 1_000_000), density=2e-5, rng=rng, format="csr", dtype=np.float32)
    features = KernelFeatures(n_components=50, gamma=1.0, random_state=0).fit(X)
    assert isinstance(features.components_, sparse.csr_array)
    assert features.transform(X).shape == (300, 50)


# The recipe ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "n_components"), [pytest.param("nystroem", 300, marks=pytest.mark.slow), ("random", 1000)]
)
def test_the_recipe_comes_near_svc(method, n_components, digits):
    X, y = digits[0].astype(np.float32), digits[1]
    train, test = slice(0, None, 2), slice(1, None, 2)
    model = make_pipeline(
        KernelFeatures(method=method, n_components=n_components, random_state=0),
        SDCAClassifier(alpha=1e-4, tol=1e-2, fit_intercept=False, random_state=0),
    ).fit(X[train], y[train])
    svc = SVC(C=10).fit(X[train], y[train])
    assert model.score(X[test], y[test]) > svc.score(X[test], y[test]) - 0.01
