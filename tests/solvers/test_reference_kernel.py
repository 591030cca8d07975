"""The twins of the kernel machines, against the sources that others wrote."""

import numpy as np
import pytest
from sklearn.metrics.pairwise import pairwise_kernels

import reference

pytestmark = pytest.mark.blas

RNG = np.random.default_rng(0)
X, Z = RNG.normal(size=(23, 5)), RNG.normal(size=(11, 5))
Y = np.where(X @ RNG.normal(size=(5, 3)) + RNG.normal(size=(23, 3)) > 0.3, 1, -1).T
ALPHA = 0.05
OPTIONS = {"gamma": 0.3, "degree": 4, "coef0": 0.7}


@pytest.mark.parametrize("name", ["rbf", "poly", "linear", "sigmoid", "laplacian"])
def test_kernels_are_scikit_learns(name):
    theirs = pairwise_kernels(X, Z, metric=name, filter_params=True, **OPTIONS)
    np.testing.assert_allclose(reference.kernel_matrix(name, X, Z, **OPTIONS), theirs, rtol=1e-12, atol=1e-14)


def test_the_documents_kernels_have_other_names():
    gaussian = reference.document_gram(X, Z, g=2, chunk=5)
    np.testing.assert_allclose(gaussian, reference.kernel_matrix("rbf", X, Z, gamma=1 / 4), rtol=1e-12)
    polynomial = reference.kernel_matrix("poly", X, Z, gamma=1, degree=3, coef0=1)
    np.testing.assert_allclose(reference.document_gram(X, Z, degree=3), polynomial, rtol=1e-12)


def test_three_programs_of_kernel_pegasos_are_one():
    K = reference.kernel_matrix("rbf", X, X, gamma=1 / 4)
    order = np.random.default_rng(1).integers(len(X), size=200)
    counts = reference.kernel_pegasos(K, Y[:1], order, ALPHA)
    assert 0 < counts.sum() < 200
    program = reference.document_kernel_pegasos(K, Y[:1], 200, ALPHA, np.random.default_rng(1))
    np.testing.assert_array_equal(program, counts)
    gaussian = lambda x, z: np.exp(-np.sum((x - z) ** 2) / 4)  # noqa: E731
    naive = reference.naive_kernel_pegasos(X, Y[0], 200, ALPHA, gaussian, np.random.default_rng(1))
    np.testing.assert_array_equal(naive, counts[0])


def test_weights_of_kernel_pegasos_count_as_often():
    K = reference.kernel_matrix("rbf", X, X, gamma=1 / 4)
    order = np.random.default_rng(2).integers(len(X), size=300)
    counts = reference.kernel_pegasos(K, Y, order, ALPHA)
    doubled = reference.kernel_pegasos(K, Y, order, 2 * ALPHA, np.full(len(X), 2.0))
    np.testing.assert_array_equal(doubled, 2 * counts)
    used = np.arange(len(X)) != np.argmax(counts[0])
    without = reference.kernel_pegasos(K, Y, order, ALPHA, used.astype(float))
    assert (without[:, ~used] == 0).all()


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "smooth_hinge", "log"])
def test_with_a_linear_kernel_sdca_is_the_linear_one(loss, weighted):
    c = RNG.integers(0, 3, len(X)) / 2 if weighted else None
    order = [np.random.default_rng(epoch).permutation(len(X)) for epoch in range(30)]
    b = reference.kernel_sdca(X @ X.T, Y[0], order, loss, ALPHA, c)
    same, w, _ = reference.sdca(X, Y[0], order, loss=loss, alpha=ALPHA, sample_weight=c)
    np.testing.assert_allclose(b, same, rtol=1e-8, atol=1e-10)
    primal, dual = reference.kernel_primal_dual(X @ X.T, Y[0], b, loss, ALPHA, c)
    assert primal == pytest.approx(reference.primal(loss, ALPHA, X, Y[0], w, 0.0, c), rel=1e-9)
    assert dual == pytest.approx(reference.dual(loss, ALPHA, X, Y[0], b, c), rel=1e-9)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "smooth_hinge", "log"])
def test_the_gap_of_kernel_sdca_closes(loss):
    K = reference.kernel_matrix("rbf", X, X, gamma=0.3)
    gaps = []
    for epochs in 1, 200:
        order = [np.random.default_rng(epoch).permutation(len(X)) for epoch in range(epochs)]
        b = reference.kernel_sdca(K, Y[1], order, loss, ALPHA)
        gaps.append(np.subtract(*reference.kernel_primal_dual(K, Y[1], b, loss, ALPHA)))
    assert gaps[0] > 0
    assert 0 <= gaps[1] + 1e-14 <= 1e-7
