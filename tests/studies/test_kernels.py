"""The study of kernels: its implementations agree, and the real digits give the errors of the document."""

import numpy as np
import pytest

from fastsvm import KernelPegasosClassifier
from fastsvm_apps.common.folds import stratified_folds
from fastsvm_apps.studies.documents import kernels
from fastsvm_apps.studies.report.study import Context

pytestmark = pytest.mark.blas


@pytest.mark.parametrize("name", ["degree 2", "gamma 0.75"])
def test_implementations_take_the_same_steps(name):
    kernel, rng = kernels.KERNELS[name], np.random.default_rng(0)
    X = rng.random((60, 5)).astype(np.float32)
    y = np.where(X.sum(axis=1) + 0.3 * rng.normal(size=60) > 2.5, 1, -1)
    order, K = rng.integers(60, size=300), kernels.kernel_matrix(X, kernel)
    *_, plain = kernels.naive(X, y, order, 1e-2, kernel)
    *_, vectorised = kernels.vectorised(K, y, order, 1e-2)
    np.testing.assert_array_equal(plain, vectorised)
    assert 0 < plain.sum() < 300
    assert K[3, 7] == pytest.approx(kernels.kernel_value(X[3], X[7], kernel), rel=1e-6)
    # The compiled one draws its own rows: by the draws that change its function, it has taken such steps.
    model = KernelPegasosClassifier(**kernel, alpha=1e-2, n_iter=300, random_state=0).fit(X, y)
    counts = np.abs(model.dual_coef_[0]) * 1e-2 * 300
    np.testing.assert_allclose(counts, counts.round(), atol=1e-4)


@pytest.mark.slow
def test_usps(shared):
    """The document's errors at 1,000 steps, and that they fall with lambda."""
    X, y, usps, _ = kernels.read_digits(str(shared), None)
    assert usps
    assert not kernels.read_digits(str(shared), 2000)[2]
    folds = stratified_folds(y, kernels.FOLDS, 0)
    settings = kernels.KERNELS["gamma 2"], kernels.LAMBDAS, (1000, 10_000), folds, Context(threads=2)
    error = kernels.cross_validate(X, y, *settings, lambda: None)["error"].mean(axis=1)
    assert error[0, 0] == pytest.approx(0.070, abs=0.004)
    assert (error[0] < error[-1] - 0.02).all()
