"""The evaluation of decision values, against scikit-learn's scores and by hand."""

from types import SimpleNamespace

import numpy as np
import pytest

from fastsvm_apps.sentiment.data.text_labels import TextLabels
from fastsvm_apps.sentiment.measures.answer_scores import AnswerScores
from fastsvm_apps.sentiment.measures.metrics import probability_groups


def evaluation(classes, truth, decision):
    return AnswerScores(SimpleNamespace(classes_=np.array(classes)), ["text"] * len(truth), truth, decision)


def test_copies_count_as_one_text_in_the_interval():
    texts, labels, decision = [*"abcdefghij"], [*"xxxxyxxxxy"], np.tile([-1.0, 1], 5)
    alone = evaluation(["x", "y"], TextLabels.of(labels, texts=texts), decision)
    copied = evaluation(["x", "y"], TextLabels.of(labels * 5, texts=texts * 5), np.tile(decision, 5))
    assert copied.n == 5 * alone.n
    assert (copied.accuracy, copied.interval) == (alone.accuracy, alone.interval)
    assert evaluation(["x", "y"], labels * 5, np.tile(decision, 5)).interval[1] < alone.interval[1]


def test_shares_of_nothing():
    found = evaluation(["a", "b", "c"], ["a", "a", "x"], np.array([[1.0, 0, 0], [0, 1, 0], [1, 0, 0]]))
    assert [row[:5] for row in found.label_rows] == [
        ("a", 2, 0.5, 0.5, 0.5),
        ("b", 0, 0.0, None, 0.0),
        ("c", 0, None, None, None),
        ("x", 1, None, 0.0, 0.0),
    ]
    assert found.ladder("b") is found.ladder("x") is None
    assert found.right.tolist() == [True, False, False]


def test_margins():
    assert evaluation(["a", "b"], ["a", "b"], np.array([-2.0, 0.5])).margins.tolist() == [2, 0.5]
    decision = np.array([[1.0, 5, 3], [-1, -1, -4]])
    assert evaluation(["a", "b", "c"], ["a", "b"], decision).margins.tolist() == [2, 0]


def test_groups_by_probability():
    probability = np.array([0, 0.05, 0.1, 0.95, 1.0])
    groups = probability_groups(probability, np.array([False, True, True, True, False]))
    assert [(n, share) for _, _, _, n, share, _ in groups] == [(2, 0.5), (1, 1), (2, 0.5)]
    assert groups[2][:3] == pytest.approx((0.95, 1, 0.975))
