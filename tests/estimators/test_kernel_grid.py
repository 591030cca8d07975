"""kernel_pegasos_grid: the errors of separate fits, from one kernel matrix a kernel."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_wine
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import scale

from fastsvm import KernelPegasosClassifier, kernel_pegasos_grid

pytestmark = pytest.mark.blas

ALPHAS, STEPS = [1e-4, 0.01, 1.0], [50, 150, 500]
FOLDS = StratifiedKFold(3, shuffle=True, random_state=0)
KERNELS = [
    {"gamma": 0.3},
    {"kernel": "poly", "gamma": 1, "coef0": 1, "degree": 2},
    {"kernel": "linear"},
    {"kernel": "laplacian", "gamma": "auto"},
]


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    rng = np.random.default_rng(0)
    return scale(X) + rng.normal(size=X.shape), np.array(["a", "b", "c"])[y]  # else nothing is misclassified


def grid_of(X, y, kernels=KERNELS, **options):
    options = {"alphas": ALPHAS, "n_iters": STEPS, "cv": FOLDS, "random_state": 3} | options
    return kernel_pegasos_grid(X, y, kernels=kernels, **options)


@pytest.mark.parametrize(
    ("make", "labels"), [(np.asarray, "abc"), (sparse.csr_array, "ab")], ids=["dense", "sparse, two classes"]
)
def test_errors_are_those_of_fits_on_the_folds(make, labels, wine):
    X, y = wine
    X, y = make(X[np.isin(y, list(labels))]), y[np.isin(y, list(labels))]
    kernels = KERNELS[:3]
    grid = grid_of(X, y, kernels)
    expected = np.empty(grid.shape)
    for place in np.ndindex(grid.shape):
        kernel, (train, test) = kernels[place[0]], list(FOLDS.split(X, y))[place[3]]
        own = KernelPegasosClassifier(
            alpha=ALPHAS[place[1]], n_iter=STEPS[place[2]], random_state=3, **kernel
        )
        expected[place] = 1 - own.fit(X[train], y[train]).score(X[test], y[test])
    np.testing.assert_allclose(grid["error"], expected, atol=1e-12)
    assert len(np.unique(grid["error"])) > 10


@pytest.mark.parametrize("options", [{"n_jobs": 2}, {"n_jobs": -1}, {"cache_size": 0.02}], ids=str)
def test_threads_and_cache_do_not_change_the_errors(options, wine):
    kernels = KERNELS[:2]
    np.testing.assert_array_equal(
        grid_of(*wine, kernels, **options)["error"], grid_of(*wine, kernels)["error"]
    )


def test_each_kernel_value_is_computed_once(wine):
    X, y = wine
    computed = []

    def wide(A, B):
        computed.append(A.shape[0] * B.shape[0])
        return rbf_kernel(A, B, gamma=0.3)

    grid = grid_of(X, y, [{"kernel": wide}])
    assert sum(computed) <= 2 * len(y) ** 2  # and the diagonal
    assert set(grid["kernel"].ravel()) == {"wide"}
    np.testing.assert_array_equal(grid["error"], grid_of(X, y, [{"gamma": 0.3}])["error"])
    given = grid_of(rbf_kernel(X, gamma=0.3), y, [{"kernel": "precomputed"}])
    np.testing.assert_array_equal(grid["error"], given["error"])


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_progress(n_jobs, wine):
    calls = []
    grid_of(*wine, n_jobs=n_jobs, progress=lambda *call: calls.append(call))
    assert calls == [(k, 4 * 3 * 3) for k in range(1, 37)]

    def interrupt(done, total):
        if done == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        grid_of(*wine, n_jobs=n_jobs, progress=interrupt)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kernels": []}, r"kernels must be a list of dicts, such as .*; got \[\]"),
        ({"kernels": "rbf"}, "kernels must be a list of dicts, such as .*; got 'rbf'"),
        ({"kernels": ["rbf"]}, r"kernels must be a list of dicts, such as .*; got \['rbf'\]"),
        ({"kernels": [{"alpha": 1}]}, "not 'alpha'"),
        ({"alphas": [0.0]}, "alphas must be positive"),
        ({"n_iters": []}, "n_iters must be a list of positive integers"),
        ({"n_iters": [10, 0]}, "n_iters must be a positive integer"),
        ({"cv": 1000}, "n_splits=1000"),
    ],
    ids=str,
)
def test_bad_parameters_are_named(change, message, wine):
    with pytest.raises(ValueError, match=message):
        grid_of(*wine, **change)
