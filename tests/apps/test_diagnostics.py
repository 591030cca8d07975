"""Numbers about held-out decisions, against scikit-learn's and by hand."""

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, precision_recall_fscore_support, roc_auc_score

from fastsvm_apps.sentiment.measures.diagnostics import by_probability, correct, curves, label_scores, margins
from fastsvm_apps.sentiment.measures.scores import HeldOut, scores_of


@pytest.fixture(params=[2, 4])
def tried(request):
    """Return classes and held-out decisions that are right more often than not."""
    n_classes = request.param
    rng = np.random.default_rng(n_classes)
    y = rng.integers(n_classes, size=300)
    decision = rng.normal(size=(300, n_classes))
    decision[np.arange(300), y] += 1
    if n_classes == 2:
        decision = decision[:, 1] - decision[:, 0]
    classes = np.array([f"label {i}" for i in range(n_classes)])
    return classes, HeldOut(["text"] * 300, classes[y].tolist(), decision)


def test_label_scores(tried):
    classes, held_out = tried
    found = label_scores(scores_of(classes, held_out))
    predicted = np.where(correct(classes, held_out), held_out.labels, None)
    if held_out.decision.ndim > 1:
        predicted = classes[held_out.decision.argmax(axis=1)]
    else:
        predicted = classes[(held_out.decision > 0).astype(int)]
    expected = precision_recall_fscore_support(held_out.labels, predicted, labels=classes)
    np.testing.assert_allclose([row[2:] for row in found], np.transpose(expected[:3]))
    assert [row.n for row in found] == expected[3].tolist()
    assert correct(classes, held_out).mean() == np.mean(predicted == held_out.labels)


def test_shares_of_nothing():
    classes = np.array(["a", "b", "c"])
    held_out = HeldOut(["text"] * 3, ["a", "a", "x"], np.array([[1.0, 0, 0], [0, 1, 0], [1, 0, 0]]))
    a, b, c, x = label_scores(scores_of(classes, held_out))
    assert a == ("a", 2, 0.5, 0.5, 0.5)
    assert b == ("b", 0, 0.0, None, 0.0)
    assert c == ("c", 0, None, None, None)
    assert x == ("x", 1, None, 0.0, 0.0)
    assert curves(classes, held_out, "b") is None
    assert correct(classes, held_out).tolist() == [True, False, False]


def test_curves(tried):
    classes, held_out = tried
    for i, label in enumerate(classes.tolist()):
        decision = held_out.decision
        score = decision[:, i] if decision.ndim > 1 else (decision if i else -decision)
        truth = np.array(held_out.labels) == label
        found = curves(classes, held_out, label)
        assert found.area == pytest.approx(roc_auc_score(truth, score))
        assert found.average_precision == pytest.approx(average_precision_score(truth, score))
        assert found.share == truth.mean()
        assert found.roc[[0, -1]].tolist() == [[0, 0], [1, 1]]
        assert found.precision_recall[0].tolist() == [0, 1]
        assert found.precision_recall[-1].tolist() == [1, truth.mean()]


def test_margins():
    assert margins(np.array([-2.0, 0.5])).tolist() == [2, 0.5]
    assert margins(np.array([[1.0, 5, 3], [-1, -1, -4]])).tolist() == [2, 0]


def test_groups_by_probability():
    probability = np.array([0, 0.05, 0.1, 0.95, 1.0])
    groups = by_probability(probability, np.array([False, True, True, True, False]))
    assert [(group.n, group.share) for group in groups] == [(2, 0.5), (1, 1), (2, 0.5)]
    assert groups[2].mean == pytest.approx(0.975)
