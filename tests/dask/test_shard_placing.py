"""Rows that workers make of what is sent to them: all of them, whatever happens to workers."""

from collections import Counter

import numpy as np
import pytest

pytest.importorskip("distributed")

from fastsvm import SDCAClassifier
from fastsvm.dask import SDCAClassifier as OnCluster
from fastsvm.dask import place_shards

DRAWN = np.random.default_rng(0)
X = DRAWN.normal(size=(400, 6))
Y = np.where(X[:, 0] + DRAWN.normal(size=400) > 0, "yes", "no")


class Pieces:
    """Seven pieces of X and Y, and what is to happen as one is asked for."""

    def __init__(self, happens):
        self.happens, self.asked = happens, []

    def __len__(self):
        return 7

    def __getitem__(self, number):
        self.asked.append(number)
        self.happens(number, self.asked)
        return X[number::7], Y[number::7]


@pytest.mark.slow
def test_a_worker_that_is_lost_while_rows_are_made_costs_no_row(client, kill):
    def happens(number, asked):
        if asked.count(4) == 1 and number == 4:
            kill(client, min(client.scheduler_info()["workers"]))

    pieces = Pieces(happens)
    data = place_shards(client, tuple, pieces)
    assert data.shape == X.shape
    assert data.counts == Counter(Y.tolist())
    assert len(pieces.asked) > 7
    there = OnCluster(alpha=0.01, random_state=0).fit(data)
    here = SDCAClassifier(alpha=0.01, random_state=0).fit(X, Y)
    assert there.dual_gap_ <= 1e-3 * there.objective_
    assert there.objective_ - there.dual_gap_ <= here.objective_
    assert here.objective_ - here.dual_gap_ <= there.objective_


@pytest.mark.slow
def test_what_goes_wrong_with_rows_is_raised(client):
    with pytest.raises(OSError, match="its own"):
        place_shards(client, exec, ["raise OSError('its own')"])
    with pytest.raises(ValueError, match="NaN"):
        place_shards(client, tuple, [(np.full((2, 2), np.nan), [0, 1])])
