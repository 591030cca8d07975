"""KernelSDCAClassifierCV: the folds are those of scikit-learn, and each fit of them is certified."""

import numpy as np
import pytest
from peak_memory import peak_of
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics.pairwise import rbf_kernel

from fastsvm import KernelSDCAClassifierCV

pytestmark = pytest.mark.blas

GAMMAS, ALPHAS = [0.05, 0.5], [0.1, 0.01, 0.001]
MODEL = KernelSDCAClassifierCV(gammas=GAMMAS, alphas=ALPHAS, cv=3, tol=1e-6, max_iter=10**5, random_state=0)


def test_a_small_cache_does_not_change_the_result(iris):
    small = clone(MODEL).set_params(cache_size=0.01, n_jobs=2).fit(*iris)  # eight rows
    model = clone(MODEL).fit(*iris)
    np.testing.assert_allclose(small.scores_, model.scores_, atol=1.01 / 50)
    np.testing.assert_allclose(small.cv_objectives_, model.cv_objectives_, rtol=1e-6)
    np.testing.assert_allclose(small.decision_function(iris[0]), model.decision_function(iris[0]), atol=1e-3)


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_matrix], ids=["dense", "sparse"])
def test_each_kernel_value_is_computed_once(make, iris):
    X, y = make(iris[0]), iris[1]
    computed = []

    def wide(A, B):
        computed.append(A.shape[0] * B.shape[0])
        return rbf_kernel(A, B, gamma=0.5)

    model = clone(MODEL).set_params(kernel=wide, scoring="accuracy").fit(X, y)
    assert sum(computed) <= 2 * (2 * len(y) ** 2)  # for the folds, for the final fit, and both diagonals
    assert model.gammas_.tolist() == [1.0]
    by_name = clone(MODEL).set_params(gammas=[0.5]).fit(X, y)
    np.testing.assert_array_equal(model.scores_, by_name.scores_)
    given = clone(MODEL).set_params(kernel="precomputed").fit(rbf_kernel(X, gamma=0.5), y)
    np.testing.assert_array_equal(given.scores_, by_name.scores_)


def test_one_kernel_matrix_at_a_time():
    rng = np.random.default_rng(0)
    X, n = rng.normal(size=(1500, 3)), 1500
    y = np.where(X[:, 0] > 0, 1, -1)  # few rows are near the border, and few are worked on
    X[:, 0] += 3 * y
    model = KernelSDCAClassifierCV(gammas=[0.1, 0.2, 0.3], alphas=[1e-4], cv=3, random_state=0)
    assert peak_of(lambda: model.fit(X, y)) < 1.8 * 4 * n**2
