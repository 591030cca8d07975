"""The study of kernels: its implementations agree, verdicts follow from the arrays, and it runs whole."""

import numpy as np
import pytest

from fastsvm import KernelPegasosClassifier
from fastsvm_apps.common.cache import Cache
from fastsvm_apps.studies.documents import kernels
from fastsvm_apps.studies.documents.plain_kernel_pegasos import gaussian_matrix, naive, vectorised
from fastsvm_apps.studies.report.charts import draw_figure
from fastsvm_apps.studies.report.study_report import Context

pytestmark = pytest.mark.blas

SMALL = {"steps": (100, 500), "rows": 200, "plane_rows": 100, "plane_steps": 250}
TINY = kernels.Size(**SMALL, race_steps=(5, 20), repeats=2)


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
    assert kernels.chosen_errors(errors).tolist() == [0.2, 0.2, 0.4]


@pytest.mark.slow
def test_a_tiny_run(monkeypatch, tmp_path):
    monkeypatch.setattr(kernels, "QUICK", TINY)
    report = kernels.run(
        Context(quick=True, data=str(tmp_path), parts=Cache(tmp_path / "parts"), grid="wider")
    )
    assert all(draw_figure(each).startswith(b"\x89PNG") for each in report.figures)
    monkeypatch.setattr(kernels, "measure_kernel", pytest.fail)  # the parts are there
    again = Context(quick=True, parts=Cache(tmp_path / "parts"))
    words = [claim.words for claim in report.claims]
    assert [claim.words for claim in kernels.run(again).claims] == words[:-1]


@pytest.mark.slow
def test_usps(shared):
    """A small grid: the document's cells at 10,000 steps, and the quick sample of it."""
    X, y, usps, _ = kernels.read_digits(str(shared), None)
    assert usps
    assert not kernels.read_digits(str(shared), 2000)[2]
    settings = kernels.KERNELS["gamma 2"], kernels.LAMBDAS, (1000, 10_000), range(1), 2
    grid = kernels.measure_kernel(X, y, *settings, lambda: None)
    assert grid["error"].shape == (len(kernels.LAMBDAS), 2, kernels.FOLDS)
    low, high = grid["error"][0].mean(axis=-1), grid["error"][-1].mean(axis=-1)
    assert low[0] == pytest.approx(0.070, abs=0.004)
    assert (low < high - 0.02).all()
