import numpy as np

from fastsvm.solvers._input import as_state
from fastsvm.solvers._random import draw_integer, draw_rows, shuffle


def test_shuffle_permutes_uniformly():
    state = as_state(0)
    counts = np.zeros((5, 5))
    for _ in range(6000):
        order = np.arange(5, dtype=np.int32)
        shuffle(order, state)
        counts[order, range(5)] += 1
    assert sorted(order) == list(range(5))
    assert ((counts - 1200) ** 2 / 1200).sum() < 55  # chi-square, 16 degrees of freedom: p = 4e-6


def test_rows_are_drawn_uniformly():
    order = np.empty(70000, dtype=np.int32)
    draw_rows(order, 7, as_state(1))
    counts = np.bincount(order, minlength=7)
    assert len(counts) == 7
    assert ((counts - 10000) ** 2 / 10000).sum() < 35  # 6 degrees of freedom: p = 4e-6


def test_integers_stay_below_their_bound():
    state = as_state(2)
    assert {draw_integer(3, state) for _ in range(100)} == {0, 1, 2}
    large = [draw_integer(2**40, state) for _ in range(200)]
    assert max(large) < 2**40
    assert min(large) < 2**38 < 3 * 2**38 < max(large)


def test_the_seed_decides():
    def drawn(seed):
        order = np.arange(50, dtype=np.int32)
        shuffle(order, as_state(seed))
        return order.tolist()

    assert drawn(3) == drawn(3) != drawn(4)
    assert drawn(np.random.default_rng(3)) == drawn(np.random.default_rng(3))
    assert drawn(None) != drawn(None)
