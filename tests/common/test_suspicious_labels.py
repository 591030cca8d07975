"""Labels that are probably wrong, by probabilities."""

import numpy as np
import pytest

from fastsvm_apps.common.suspicious_labels import suspicious_labels


def noisy_labels(share, n=6000, k=3):
    """Return honest probabilities of labels of which a share is wrong, the labels, and which are wrong."""
    rng = np.random.default_rng(0)
    clean = rng.dirichlet(np.full(k, 0.15), n)
    labels = (clean.cumsum(axis=1) > rng.random((n, 1))).argmax(axis=1)
    is_wrong = rng.random(n) < share
    labels[is_wrong] = (labels + rng.integers(1, k, n))[is_wrong] % k
    return (1 - share) * clean + share * (1 - clean) / (k - 1), labels, is_wrong


@pytest.mark.parametrize("share", [0.0, 0.05, 0.15])
def test_wrong_labels_are_ranked_and_their_share_estimated(share):
    probabilities, labels, is_wrong = noisy_labels(share)
    found = suspicious_labels(probabilities, labels)
    assert found.estimated_share == pytest.approx(share, abs=0.01)
    assert (is_wrong.sum() / 2 < found.n_strong < len(found.order)) or not share
    assert is_wrong[found.order[:50]].mean() > 0.9 or not share
    assert (np.diff(found.log_odds[found.order]) <= 0).all()
    assert (found.suggested != labels).all()


def test_a_label_that_the_model_did_not_know_is_not_suspected():
    probabilities = np.array([[0.9, 0.1, np.nan], [0.2, 0.8, np.nan], [1.0, 0.0, np.nan], [0.7, 0.3, 0.0]])
    found = suspicious_labels(probabilities, np.array([2, 0, 1, 2]))
    assert found.order.tolist() == [2, 3, 1]
    assert found.suggested.tolist() == [0, 1, 0, 0]
    np.testing.assert_allclose(found.log_odds, [-np.inf, np.log(4), np.inf, np.inf])
    nothing = suspicious_labels(np.full((2, 2), np.nan), np.array([0, 1]))
    assert (nothing.order.size, nothing.n_strong, nothing.estimated_share) == (0, 0, 0.0)
