"""The twins of the kernel machines, against the sources that others wrote."""

import numpy as np
import pytest

import reference

pytestmark = pytest.mark.blas

RNG = np.random.default_rng(0)
X, Z = RNG.normal(size=(23, 5)), RNG.normal(size=(11, 5))
Y = np.where(X @ RNG.normal(size=(5, 3)) + RNG.normal(size=(23, 3)) > 0.3, 1, -1).T
ALPHA = 0.05


def test_the_documents_kernels_have_other_names():
    gaussian = reference.document_gram(X, Z, g=2, chunk=5)
    np.testing.assert_allclose(gaussian, reference.kernel_matrix("rbf", X, Z, gamma=1 / 4), rtol=1e-12)
    polynomial = reference.kernel_matrix("poly", X, Z, gamma=1, degree=3, coef0=1)
    np.testing.assert_allclose(reference.document_gram(X, Z, degree=3), polynomial, rtol=1e-12)


def test_the_documents_kernel_pegasos_is_ours():
    K = reference.kernel_matrix("rbf", X, X, gamma=1 / 4)
    order = np.random.default_rng(1).integers(len(X), size=200)
    counts = reference.kernel_pegasos(K, Y[:1], order, ALPHA)
    assert 0 < counts.sum() < 200
    program = reference.document_kernel_pegasos(K, Y[:1], 200, ALPHA, np.random.default_rng(1))
    np.testing.assert_array_equal(program, counts)
