"""The study of kernels: its implementations agree, verdicts follow from the arrays, and it runs whole."""

import numpy as np
import pytest

from fastsvm import KernelPegasosClassifier
from fastsvm_apps.common.cache import Cache
from fastsvm_apps.common.matplotlib_figures import figure
from fastsvm_apps.studies import kernels
from fastsvm_apps.studies.frame.study_context import Context
from fastsvm_apps.studies.frame.study_report import Verdict
from fastsvm_apps.studies.kernels import kernel_claims, kernel_experiments
from fastsvm_apps.studies.kernels.kernel_digits import Digits, digits_of
from fastsvm_apps.studies.kernels.kernel_grid import (
    FOLDS,
    GAUSSIANS,
    KERNELS,
    LAMBDAS,
    POLYNOMIALS,
    STEPS,
    WHOLE,
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


def made_grids(rng):
    """Grids in which everything is as the document says."""
    grids = {}
    for name in KERNELS:
        error = np.empty((len(LAMBDAS), len(STEPS), FOLDS))
        for t, steps in enumerate(STEPS):
            error[:, t] = 0.04 + 3 * steps**-0.6 / 1000**0.4 if name in POLYNOMIALS else 0.04 + 1 / steps
        if name == "degree 2":
            error += np.linspace(0, 0.06, 7)[:, None, None]
        if name == "degree 7":
            error += 0.06
        if name in GAUSSIANS:
            error += np.linspace(0, 0.03 if name == "gamma 2" else 0.002, 7)[:, None, None]
        if name == "degree 3":
            error[5, :, :] = np.array([0.106, 0.06, 0.045, 0.034, 0.0265])[:, None]
        if name == "degree 4":
            error[6, 4] = 0.027
        if name == "gamma 2":
            error[0, :, :] = np.array([0.070, 0.031, 0.028, 0.027, 0.0271])[:, None]
        seconds = np.multiply.outer(np.ones(7), np.multiply.outer(STEPS, np.ones(FOLDS)))
        seconds = seconds * (1e-5 if name in GAUSSIANS else 1e-6) * rng.uniform(0.99, 1.01, seconds.shape)
        grids[name] = {"error": error + rng.normal(0, 1e-5, FOLDS), "seconds": seconds}
    return grids


def judged(grids, size=WHOLE, usps=True):
    digits = Digits(np.zeros((10, 4)), np.arange(10), 2, usps, "Made.")
    race = {"seconds": np.array([100.0, 2.0, 0.1])[:, None, None] * np.ones((1, len(size.race_steps), 3))}
    plane = {"labels": np.repeat(np.arange(10), 50), "nearest": np.arange(500) % 50 > 0}
    memory = {"matrix": np.array(0.346), "tensor": np.array(88.5)}
    found = kernel_claims.claims(digits, size, grids, race, plane, memory, {})
    return {claim.words: claim for claim in found}


def test_a_fold_is_told_by_the_cells_of_the_others():
    errors = np.array([[0.1, 0.1, 0.4], [0.2, 0.2, 0.2]])
    assert kernel_claims._chosen_errors(errors).tolist() == [0.2, 0.2, 0.4]


def test_claims_hold_where_all_is_as_the_document_says():
    found = judged(made_grids(np.random.default_rng(0)))
    assert {words for words, claim in found.items() if claim.verdict is not Verdict.HELD} == set()


@pytest.mark.parametrize(
    ("kernel", "change", "words"),
    [
        ("degree 3", lambda grid: grid["error"][5, 4].__iadd__(0.002), "The best polynomial is of degree 3"),
        ("degree 7", lambda grid: grid["error"][0].__isub__(0.003), "Degree 7 does not depend"),
        ("degree 7", lambda grid: grid["error"][:, 2].__isub__(0.08), "Degree 7 is worse"),
        ("degree 4", lambda grid: grid["error"][0].__iadd__(0.08), "Lambda matters little"),
        ("gamma 0.25", lambda grid: grid["error"][0].__iadd__(0.02), "Lambda hardly matters"),
        ("gamma 0.75", lambda grid: grid["error"][0, 3].__iadd__(0.003), "With gaussians a low lambda"),
        ("gamma 2", lambda grid: grid["error"][0, 3].__isub__(0.001), "The best polynomial is better"),
        ("gamma 2", lambda grid: grid["error"][0, 2].__iadd__(0.02), "Up to T 25,000"),
        ("gamma 2", lambda grid: grid["error"][0, 4].__isub__(0.01), "The gaussian reaches its lowest"),
        ("gamma 2", lambda grid: grid["seconds"].__imul__(0.05), "Training takes longer"),
        ("degree 4", lambda grid: grid["seconds"][:, 4].__imul__(0.1), "The time grows"),
    ],
)
def test_a_claim_falls_with_what_it_rests_on(kernel, change, words):
    grids = made_grids(np.random.default_rng(0))
    change(grids[kernel])
    claim = next(claim for key, claim in judged(grids).items() if key.startswith(words))
    assert claim.verdict is Verdict.REFUTED


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
        *(digits.X, digits.y, KERNELS["gamma 2"], LAMBDAS, (1000, 10_000), range(1), 2, lambda: None)
    )
    assert grid["error"].shape == (len(LAMBDAS), 2, FOLDS)
    low, high = grid["error"][0].mean(axis=-1), grid["error"][-1].mean(axis=-1)
    assert low[0] == pytest.approx(0.070, abs=0.004)
    assert (low < high - 0.02).all()
