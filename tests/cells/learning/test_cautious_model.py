"""The model of images unlike those of training."""

import numpy as np
import pytest

from fastsvm_apps.cells.learning.cautious_model import (
    REFUSED,
    calibrated_cautious_model,
    columns_of,
    fit_cautious_model,
)
from fastsvm_apps.cells.learning.training_samples import TrainingSamples
from fastsvm_apps.cells.measuring.cell_features import feature_names

N = len(feature_names())


def laboratory(seed, classes="AB", apart=4.0, n=30):
    """Return cells that differ by class in ten features of shape and in ten of the whole cell."""
    rng = np.random.default_rng(seed)
    y = np.repeat([*classes], n)
    X = rng.normal(size=(len(y), N)).astype(np.float32)
    for k, label in enumerate(classes):
        X[np.ix_(y == label, (*range(3 * k, 3 * k + 3), *(columns_of("whole_")[3 * k : 3 * k + 3])))] += apart
    is_version = np.arange(len(y)) % 2 == 1
    none = np.zeros(len(y), bool)
    return TrainingSamples(X, y, np.arange(len(y)), is_version, none, none, X)


def test_both_models_must_be_sure():
    samples = laboratory(0)
    model = fit_cautious_model([samples], 0)
    right = model.scores(samples.X, ["A", "B"])
    assert np.mean(right.argmax(axis=1) == (samples.y == "B")) == 1
    whole = columns_of("whole_")
    mixed = samples.X.copy()
    mixed[:, whole] = mixed[::-1, whole]  # the colours are those of the other class
    assert model.scores(mixed, ["A", "B"]).max(axis=1).mean() < right.max(axis=1).mean() - 0.2
    assert (model.coef[0][:, whole] == 0).all()


def test_finer_structure_than_any_gets_no_label():
    samples = laboratory(0)
    model = fit_cautious_model([samples], 0)
    finer = samples.X.copy()
    finer[:, columns_of("ratio_grain_")] += 20
    assert model.is_too_fine(finer).all()
    assert not model.is_too_fine(samples.X).any()
    assert model.scores(finer, ["A", "B"]).max() <= REFUSED


def test_a_class_that_the_first_model_does_not_know_means_no_label():
    samples = laboratory(0, "ABC")
    model = fit_cautious_model([samples], 0)
    scores = model.scores(samples.X, ["A", "B"])
    assert scores[samples.y == "C"].max() <= REFUSED
    assert np.median(scores[samples.y != "C"].max(axis=1)) > 0.5
    unknown = model.scores(samples.X, ["A", "B", "C", "D"])
    assert (unknown[:, 3] == 0).all()


@pytest.mark.parametrize(("seed", "apart"), [(0, 4.0), (1, 0.6)])
def test_laboratories_left_out_tell_the_least_score(seed, apart):
    laboratories = [laboratory(seed + k, apart=apart) for k in range(0, 30, 10)]
    model = calibrated_cautious_model(laboratories, ["A", "B"], 0)
    usual = fit_cautious_model(laboratories, 0).min_score
    assert model.min_score == usual if apart > 1 else model.min_score > usual
