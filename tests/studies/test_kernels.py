"""The study of kernels: its implementations agree, verdicts follow from the arrays, and it runs whole."""

import numpy as np
import pytest

from fastsvm import KernelPegasosClassifier
from fastsvm_apps.common.cache import Cache
from fastsvm_apps.common.matplotlib_figures import figure
from fastsvm_apps.studies import kernels
from fastsvm_apps.studies.frame.study_context import Context
from fastsvm_apps.studies.kernels import kernel_claims, kernel_experiments
from fastsvm_apps.studies.kernels.kernel_digits import digits_of
from fastsvm_apps.studies.kernels.kernel_grid import (
    FOLDS,
    KERNELS,
    LAMBDAS,
    Size,
)
from fastsvm_apps.studies.kernels.plain_kernel_pegasos import gaussian_matrix, naive, vectorised

pytestmark = pytest.mark.blas

TINY = Size(steps=(100, 500), rows=200, plane_rows=100, plane_steps=250, race_steps=(5, 20), repeats=2)


def last(run):
    return list(run)[-1]


def test_implementations_take_the_same_steps():
    rng = np.random.default_rng(0)
    X = rng.random((60, 5)).astype(np.float32)
    y = np.where(X.sum(axis=1) + 0.3 * rng.normal(size=60) > 2.5, 1, -1)
    order = rng.integers(60, size=300)
    plain = last(naive(X, y, order, 1e-2, 0.5))
    np.testing.assert_array_equal(plain, last(vectorised(X, y, order, 1e-2, 0.5)))
    assert 0 < plain.sum() < 300
    K = np.exp(-((X[:, None] - X) ** 2).sum(axis=2) / (2 * 0.5))
    np.testing.assert_allclose(gaussian_matrix(X, 0.5), K, rtol=1e-6)
    # The compiled one draws its own rows: by the draws that change its function, it has taken such steps.
    model = KernelPegasosClassifier(gamma=1, alpha=1e-2, n_iter=300, random_state=0).fit(X, y)
    counts = np.abs(model.dual_coef_[0]) * 1e-2 * 300
    np.testing.assert_allclose(counts, counts.round(), atol=1e-4)


def test_a_fold_is_told_by_the_cells_of_the_others():
    errors = np.array([[0.1, 0.1, 0.4], [0.2, 0.2, 0.2]])
    assert kernel_claims._chosen_errors(errors).tolist() == [0.2, 0.2, 0.4]


@pytest.mark.slow
def test_a_tiny_run(monkeypatch, tmp_path):
    monkeypatch.setattr(kernels, "QUICK", TINY)
    report = kernels.run(
        Context(quick=True, data=str(tmp_path), parts=Cache(tmp_path / "parts"), choices={"grid": "wider"})
    )
    for each in report.figures:
        with figure(None, each.size) as sheet:
            each.draw(sheet)
            assert sheet.axes
    monkeypatch.setattr(kernel_experiments, "grid", pytest.fail)  # the parts are there
    again = Context(quick=True, parts=Cache(tmp_path / "parts"))
    words = [claim.words for claim in report.claims]
    assert [claim.words for claim in kernels.run(again).claims] == words[:-1]


@pytest.mark.slow
def test_usps(shared):
    """A small grid: the document's cells at 10,000 steps, and the quick sample of it."""
    digits = digits_of(str(shared), None)
    assert digits.usps
    assert not digits_of(str(shared), 2000).usps
    grid = kernel_experiments.grid(
        *(digits, KERNELS["gamma 2"], LAMBDAS, (1000, 10_000), range(1), 2, lambda: None)
    )
    assert grid["error"].shape == (len(LAMBDAS), 2, FOLDS)
    low, high = grid["error"][0].mean(axis=-1), grid["error"][-1].mean(axis=-1)
    assert low[0] == pytest.approx(0.070, abs=0.004)
    assert (low < high - 0.02).all()
