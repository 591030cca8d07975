"""What classifiers are judged by: scikit-learn's numbers, on ties and labels without a text too."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from sklearn import metrics as theirs

from fastsvm_apps.sentiment.data.text_labels import TextLabels
from fastsvm_apps.sentiment.measures import metrics
from fastsvm_apps.sentiment.measures.metrics import threshold_for_metric
from fastsvm_apps.sentiment.text_recipes import METRICS, usual_metric

pytestmark = pytest.mark.blas

SCIKIT_LEARN = {
    "accuracy": theirs.accuracy_score,
    "balanced-accuracy": theirs.balanced_accuracy_score,
    "macro-f1": lambda y, predicted: theirs.f1_score(y, predicted, average="macro"),
    "micro-f1": lambda y, predicted: theirs.f1_score(y, predicted, average="micro"),
}


def score_labels(metric, y, predicted):
    names, codes = np.unique(np.concatenate([y, predicted]), return_inverse=True)
    both = (TextLabels.of_codes(names, each) for each in np.split(codes, 2))
    return metrics.score_labels(metric, *both)


@pytest.mark.parametrize("metric", SCIKIT_LEARN)
@pytest.mark.parametrize("n_labels", [2, 5])
def test_scores_of_labels(metric, n_labels):
    rng = np.random.default_rng(n_labels)
    for n in (1, 3, 100):
        y = rng.integers(0, n_labels, n)
        predicted = np.where(rng.random(n) < 0.5, y, rng.integers(0, n_labels, n))
        predicted[predicted == 1] = 0  # never found
        with np.errstate(all="ignore"):
            expected = SCIKIT_LEARN[metric](y, predicted)
        if metric == "balanced-accuracy":  # scikit-learn warns of labels that were found but are not true
            expected = np.mean([np.mean(predicted[y == label] == label) for label in np.unique(y)])
        assert score_labels(metric, y, predicted) == pytest.approx(expected)


@pytest.mark.parametrize("decimals", [0, 1, 9])
def test_average_precision(decimals):
    rng = np.random.default_rng(decimals)
    is_it = rng.random(200) < 0.2
    decision = np.round(rng.normal(size=200) + is_it, decimals).astype(np.float32)
    expected = theirs.average_precision_score(is_it, decision)
    assert metrics.average_precision(is_it, decision) == pytest.approx(expected)
    assert np.isnan(metrics.average_precision(np.zeros(3, bool), np.zeros(3)))


def test_squared_errors():
    rng = np.random.default_rng(2)
    codes = rng.integers(0, 3, 90)
    decision, true = rng.normal(size=(90, 3)) + np.eye(3)[codes], np.eye(3)[codes] > 0
    z = decision.copy()
    decision[4, 1], z[4, 1] = -np.inf, min(z[:4].min(), z[5:].min(), z[4, 0], z[4, 2])

    def likely(factor):
        return np.exp(factor * z) / np.exp(factor * z).sum(axis=1, keepdims=True)

    best = minimize_scalar(lambda each: -np.log(likely(each)[true]).sum(), (0.1, 1, 10)).x
    expected = ((likely(best) - true) ** 2).sum(axis=1)
    assert metrics.squared_errors(codes, decision) == pytest.approx(expected, abs=1e-4)
    two = metrics.squared_errors(codes % 2, np.column_stack([-decision[:, 0], decision[:, 0]]))
    assert metrics.squared_errors(codes % 2, decision[:, 0]).tolist() == two.tolist()


def test_of_two_labels_the_average_precision_is_that_of_the_rarer():
    rng = np.random.default_rng(0)
    y = np.where(rng.random(300) < 0.1, "a", "b")
    decision = rng.normal(size=300) + (y == "b")
    found = metrics.score_decision("average-precision", TextLabels.of(y.tolist()), decision)
    assert found == pytest.approx(theirs.average_precision_score(y == "a", -decision))


@pytest.mark.parametrize("metric", METRICS)
def test_guessing_is_what_a_constant_gets(metric):
    """Of three labels, one of them unknown to the model."""
    y = ["a"] * 70 + ["b"] * 20 + ["new"] * 10
    labels, constant = TextLabels.of(y), np.tile([1.0, 0.0], (100, 1))
    guessing, scored = (
        metrics.score_guessing(metric, labels, 0),
        metrics.score_decision(metric, labels, constant),
    )
    if metric == "average-precision":
        assert guessing == pytest.approx((0.7 + 0.2 + 0.1) / 3)
        assert scored == pytest.approx((0.7 + 0.2) / 2)
    else:
        assert guessing == pytest.approx(scored)
        assert guessing == pytest.approx(SCIKIT_LEARN[metric](y, ["a"] * 100), abs=1e-12)


@pytest.mark.parametrize(
    "metric", [pytest.param(each, marks=[pytest.mark.slow] * (each == "macro-f1")) for each in SCIKIT_LEARN]
)
def test_the_best_threshold_is_that_of_the_score_counted_where_probabilities_are_certain(metric):
    rng = np.random.default_rng(3)
    decision = np.sort(rng.normal(size=60))
    likely = (decision > 0.8).astype(float)
    assert 0.8 - 0.2 < threshold_for_metric(metric, decision, likely) < 0.8 + 0.2
    likely = np.clip(decision / 8 + 0.1, 0.01, 0.4)
    y = rng.random((2000, 60)) < likely
    thresholds = (decision[1:] + decision[:-1]) / 2
    means = [np.mean([score_labels(metric, row, decision > t) for row in y[:100]]) for t in thresholds]
    found = threshold_for_metric(metric, decision, likely)
    assert found in thresholds
    assert means[list(thresholds).index(found)] > max(means) - 0.03


@pytest.mark.parametrize("metric", ["micro-f1", "macro-f1"])
def test_texts_that_no_model_of_a_fold_could_judge_do_not_get_the_label(metric):
    columns = np.random.default_rng(0).random((3, 50)) ** 4
    columns[2, :20] = 0
    expected = metrics.set_thresholds(metric, columns)
    columns[2, :20] = np.nan
    assert metrics.set_thresholds(metric, columns).tolist() == expected.tolist()


def test_the_usual_metric():
    assert usual_metric(["a"] * 80 + ["b"] * 20) == "accuracy"
    assert usual_metric(["a"] * 81 + ["b"] * 19) == "balanced-accuracy"
