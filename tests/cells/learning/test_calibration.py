"""Scores that can be trusted, cells without a label, and shares corrected for known mistakes."""

from dataclasses import asdict

import numpy as np
import pytest

from fastsvm_apps.cells.finding.findings import UNCLASSIFIED
from fastsvm_apps.cells.learning.calibration import WANTED_ERROR, calibrate_scores, corrected_shares

pytestmark = pytest.mark.blas

CLASSES = ["a", "b", "c"]


def drawn(n, power, seed=0):
    """Probabilities that would be right if taken to a power, and labels drawn by the right ones."""
    rng = np.random.default_rng(seed)
    right = rng.dirichlet([0.3] * 3, n)
    truth = (right.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1)
    told = right ** (1 / power)
    return told / told.sum(axis=1, keepdims=True), truth


def parts(n, k=5):
    return [np.arange(start, n, k) for start in range(k)]


@pytest.mark.parametrize("power", [0.5, pytest.param(1.0, marks=pytest.mark.slow), 2.0])
def test_the_power_is_found(power):
    told, truth = drawn(6000, power)
    found = calibrate_scores(told, truth, np.ones(6000), parts(6000))
    assert found.power == pytest.approx(power, rel=0.12)
    assert found.miscalibration < 0.03
    sharpened = found.calibrated(told)
    np.testing.assert_allclose(sharpened.sum(axis=1), 1)
    np.testing.assert_array_equal(sharpened.argmax(axis=1), told.argmax(axis=1))


def test_what_gets_a_label_is_right_often_enough():
    told, truth = drawn(6000, 1.0)
    found = calibrate_scores(told, truth, np.ones(6000), parts(6000))
    unseen, labels = drawn(6000, 1.0, seed=1)
    scores = found.calibrated(unseen)
    labelled = scores.max(axis=1) >= found.min_score
    assert labelled.mean() == pytest.approx(found.coverage, abs=0.03)
    assert (scores.argmax(axis=1) != labels)[labelled].mean() == pytest.approx(WANTED_ERROR, abs=0.01)
    assert found.error == pytest.approx(WANTED_ERROR, abs=0.01)


def test_an_original_counts_once_however_many_images_there_are_of_it():
    told, truth = drawn(400, 1.0)
    many = np.repeat(np.arange(400), np.random.default_rng(0).integers(1, 9, 400))
    weights = 1 / np.bincount(many)[many]
    of_each = [np.flatnonzero(np.isin(many, part)) for part in parts(400)]
    one = calibrate_scores(told, truth, np.ones(400), parts(400))
    other = calibrate_scores(told[many], truth[many], weights, of_each)
    assert asdict(one) == pytest.approx(asdict(other))


def test_all_right_and_all_wrong():
    sure = np.tile([0.8, 0.1, 0.1], (50, 1))
    right = calibrate_scores(sure, np.zeros(50, int), np.ones(50), parts(50))
    assert (right.min_score, right.coverage, right.error) == (0, 1, 0)
    wrong = calibrate_scores(sure, np.ones(50, int), np.ones(50), parts(50))
    assert wrong.min_score == 1
    assert wrong.coverage == 0
    assert wrong.error is None


def test_shares_are_corrected():
    confusion = [[0.8, 0.1, 0.0, 0.1], [0.0, 0.9, 0.0, 0.1], [0.0, 0.2, 0.5, 0.3]]
    true = np.array([0.6, 0.1, 0.3])
    counts = dict(zip([*CLASSES, UNCLASSIFIED], (10_000 * true @ confusion).astype(int), strict=True))
    found = corrected_shares(counts, CLASSES, confusion)
    np.testing.assert_allclose(list(found.values()), true, atol=0.01)
    assert corrected_shares(dict.fromkeys(counts, 0), CLASSES, confusion) is None
    assert corrected_shares(counts, CLASSES, []) is None
