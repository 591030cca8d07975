import numpy as np

from fastsvm.solvers._input import as_state
from fastsvm.solvers._random import (
    block_numbers,
    draw_batches,
    draw_integer,
    draw_rows,
    shuffle,
    shuffle_blocks,
)


def test_shuffle_permutes_uniformly():
    state, place = as_state(0), np.zeros((5, 5))
    order = np.arange(5, dtype=np.int32)
    for _ in range(6000):
        shuffle(order, state)
        place[order, range(5)] += 1
    assert sorted(order) == list(range(5))
    assert ((place - 1200) ** 2 / 1200).sum() < 55  # chi-square, 16 degrees of freedom: p = 4e-6


def test_blocks_and_the_rows_inside_are_permuted_uniformly():
    state, n = as_state(0), 21  # blocks of 8, 8 and 5 rows
    rows = np.arange(n, dtype=np.int32)
    order, blocks = np.empty(n, dtype=np.int32), block_numbers(n)
    first_block, place = np.zeros(3), np.zeros((8, 8))
    for _ in range(6000):
        shuffle_blocks(rows, order, blocks, state)
        assert sorted(order) == list(range(n))
        assert sum(np.diff(order // 8) != 0) == 2  # each block in one piece
        first_block[order[0] // 8] += 1
        place[order[order < 8], range(8)] += 1
    assert ((first_block - 2000) ** 2 / 2000).sum() < 25  # chi-square, 2 degrees of freedom: p = 4e-6
    assert ((place - 750) ** 2 / 750).sum() < 105  # 49 degrees of freedom: p = 5e-6


def test_rows_are_drawn_uniformly():
    order = np.empty(70000, dtype=np.int32)
    draw_rows(order, 7, as_state(1))
    counts = np.bincount(order, minlength=7)
    assert len(counts) == 7
    assert ((counts - 10000) ** 2 / 10000).sum() < 35  # 6 degrees of freedom: p = 4e-6


def test_a_batch_is_drawn_anew_from_all_rows_without_replacement():
    state, pool = as_state(1), np.arange(7, dtype=np.int32)
    order = np.empty(8, dtype=np.int32)  # of 3, 3 and 2 rows
    places, again, rounds = np.zeros((8, 7)), 0, 6000
    for _ in range(rounds):
        draw_batches(pool, order, 3, state)
        assert len(set(order[:3])) == len(set(order[3:6])) == 3 > len(set(order[6:])) == 2
        places[range(8), order] += 1
        again += order[0] in order[3:6]
    assert sorted(pool) == list(range(7))
    assert ((places - rounds / 7) ** 2 / (rounds / 7)).sum() < 95  # 48 degrees of freedom: p = 6e-5
    assert abs(again / rounds - 3 / 7) < 5 * (3 / 7 * 4 / 7 / rounds) ** 0.5


def test_integers_stay_below_their_bound():
    state = as_state(2)
    assert {draw_integer(3, state) for _ in range(100)} == {0, 1, 2}
    large = [draw_integer(2**40, state) for _ in range(200)]
    assert max(large) < 2**40
    assert min(large) < 2**38 < 3 * 2**38 < max(large)
