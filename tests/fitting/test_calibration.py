"""Probabilities from scores: scikit-learn's sigmoid, right on what they were drawn from, kept in files."""

import numpy as np
import pytest
from scipy.special import expit, softmax
from sklearn.calibration import _SigmoidCalibration as Sigmoid

from fastsvm import PegasosClassifier
from fastsvm.fitting import Calibration

pytestmark = pytest.mark.blas

TEXTS = ["a fine pen", "a dull pen", "fine ink", "dull ink", "a pen"] * 4


def drawn(n=4000, slope=3.0, intercept=-1.0, seed=0):
    rng = np.random.default_rng(seed)
    decision = rng.normal(size=n)
    return decision, np.where(rng.random(n) < expit(slope * decision + intercept), "b", "a")


def test_it_is_platts_sigmoid():
    decision, y = drawn(300)
    ours = Calibration.fit(decision, y, ["a", "b"])
    theirs = Sigmoid().fit(decision, y == "b")
    np.testing.assert_allclose([ours.slopes[0], ours.intercepts[0]], [-theirs.a_, -theirs.b_], rtol=1e-3)
    likely = ours.probabilities(decision)
    np.testing.assert_allclose(likely[:, 1], theirs.predict(decision), atol=1e-4)
    np.testing.assert_allclose(likely.sum(axis=1), 1)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_it_finds_what_labels_were_drawn_by_at_any_scale(scale):
    decision, y = drawn()
    found = Calibration.fit(scale * decision, y, ["a", "b"])
    assert found.slopes[0] * scale == pytest.approx(3, rel=0.1)
    assert found.intercepts[0] == pytest.approx(-1, abs=0.1)


def test_scores_that_part_the_labels_or_say_nothing_or_lie():
    parted = Calibration.fit([-2.0, -1, 1, 2], ["a", "a", "b", "b"], ["a", "b"])
    likely = parted.probabilities(np.array([-1.0, 1.0]))[:, 1]
    assert 0.2 < likely[0] < 0.4 < 0.6 < likely[1] < 0.8  # not 0 and 1: there are four rows
    same = Calibration.fit(np.ones(8), ["a"] * 6 + ["b"] * 2, ["a", "b"])
    np.testing.assert_allclose(same.probabilities(np.array([1.0]))[0, 1], 0.25, atol=0.1)
    lying = Calibration.fit([2.0, 1, -1, -2], ["a", "a", "b", "b"], ["a", "b"])
    assert lying.slopes == [0]
    one_label = Calibration.fit([-1.0, 0, 1], ["a"] * 3, ["a", "b"])
    assert (one_label.probabilities(np.array([-1.0, 1.0]))[:, 1] < 0.3).all()


def test_of_several_labels_the_probabilities_are_those_drawn_by():
    rng = np.random.default_rng(1)
    decision = rng.normal(size=(6000, 3))
    truth = softmax(2 * decision + [0.5, 0, -0.5], axis=1)
    y = (rng.random((6000, 1)) > truth.cumsum(axis=1)).sum(axis=1)
    found = Calibration.fit(decision, y, [0, 1, 2]).probabilities(decision)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    assert np.abs(found - truth).mean() < 0.05
    sure = found.max(axis=1)
    for group in np.array_split(np.argsort(sure), 5):
        right = (found[group].argmax(axis=1) == y[group]).mean()
        assert right == pytest.approx(sure[group].mean(), abs=0.04)


def test_labels_without_scores_get_the_mean_of_the_others():
    rng = np.random.default_rng(2)
    decision = np.column_stack([rng.normal(size=(500, 2)), np.full(500, -np.inf)])
    y = decision[:, :2].argmax(axis=1)
    found = Calibration.fit(decision, y, [0, 1, 2])
    assert found.slopes[2] == pytest.approx(found.slopes[:2].mean())
    with pytest.raises(ValueError, match="no finite scores"):
        Calibration.fit(np.full((3, 3), -np.inf), [0, 1, 2], [0, 1, 2])


def shares(z):
    return expit(z) / expit(z).sum(axis=1, keepdims=True)


@pytest.mark.parametrize("intercept", [-60.0, -1.0, 2.0])
def test_a_common_sigmoid_finds_what_labels_were_drawn_by_and_keeps_the_order(intercept):
    """The lowest intercept makes it a softmax."""
    rng = np.random.default_rng(3)
    decision = rng.normal(size=(6000, 4))
    truth = shares(2 * decision + intercept)
    y = (rng.random((6000, 1)) > truth.cumsum(axis=1)).sum(axis=1)
    calibration = Calibration.fit_common(decision, y, range(4))
    found = calibration.probabilities(decision)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    assert np.abs(found - truth).mean() < 0.01
    assert np.array_equal(found.argmax(axis=1), decision.argmax(axis=1))
    assert calibration.slopes.shape == calibration.intercepts.shape == (1,)


def test_a_common_sigmoid_of_scores_that_say_nothing_or_lie_or_are_missing():
    rng = np.random.default_rng(4)
    decision, y = rng.normal(size=(300, 3)), rng.integers(3, size=300)
    for scores in decision, -np.eye(3)[y] + decision / 9, np.zeros((300, 3)):
        found = Calibration.fit_common(scores, y, range(3)).probabilities(scores)
        np.testing.assert_allclose(found, 1 / 3, atol=0.1)
        assert np.array_equal(found.argmax(axis=1), scores.argmax(axis=1))
    decision[y == 2, 2] = -np.inf
    assert np.isfinite(Calibration.fit_common(decision, y, range(3)).probabilities(decision)).all()
    with pytest.raises(ValueError, match="no finite scores"):
        Calibration.fit_common(np.full((3, 3), -np.inf), [0, 1, 2], [0, 1, 2])


def test_a_batch_makes_it_stale():
    X, y = np.eye(4), [0, 1, 0, 1]
    model = PegasosClassifier().fit(X, y)
    model.calibration_ = Calibration(np.ones(1), np.zeros(1))
    assert model.predict_proba(X).shape == (4, 2)
    model.partial_fit(X, y)
    assert not hasattr(model, "predict_proba")
