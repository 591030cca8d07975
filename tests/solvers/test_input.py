"""What the solvers accept, without a copy, and what they refuse, in one line."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.utils import check_random_state

from fastsvm.solvers import pegasos, perceptron, sdca
from fastsvm.solvers._input import as_random, as_rows

SOLVERS = [sdca, pegasos, perceptron]


@pytest.fixture
def dense():
    rng = np.random.default_rng(0)
    return rng.normal(size=(40, 6)), np.where(rng.random(40) > 0.5, 1, -1)


@pytest.mark.parametrize("real", [np.float32, np.float64])
@pytest.mark.parametrize("offsets", [np.int32, np.int64])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_values_columns_and_offsets_are_shared(real, index, offsets, dense):
    X = sparse.csr_array(dense[0].astype(real))
    X.indices, X.indptr = X.indices.astype(index), X.indptr.astype(offsets)
    rows = as_rows(X)
    assert np.shares_memory(rows.values, X.data)
    assert np.shares_memory(rows.columns, X.indices)
    assert np.shares_memory(rows.indptr, X.indptr)


def test_columns_and_offsets_out_of_range_are_located(dense):
    X, y = sparse.csr_array(dense[0]), dense[1]
    X.indices[2 * 6 + 3] = 6
    with pytest.raises(ValueError, match="value in column 6 of row 2; it has columns 0 to 5"):
        sdca(X, y)
    X.indices[2 * 6 + 3] = -1
    with pytest.raises(ValueError, match="value in column -1 of row 2"):
        sdca(X, y)
    X = sparse.csr_array(dense[0])
    X.indptr[3] = 1000
    with pytest.raises(ValueError, match=r"X.indptr at row 2: 12 to 1000 is no range in 240 values"):
        sdca(X, y)
    X = sparse.csr_array(dense[0])
    X.indptr[0] = 1
    with pytest.raises(ValueError, match="must start at 0"):
        sdca(X, y)


@pytest.mark.parametrize("solver", SOLVERS)
def test_bad_arguments_are_named(solver, dense):
    X, y = dense
    for arguments, message in [
        ((X, y[:-1]), r"y has shape \(39,\); X has 40 rows"),
        ((X, np.where(y > 0, 1, 0)), r"y must be -1 or \+1; y\["),
        ((X[0], y), "two dimensions"),
        ((X[:0], y[:0]), "at least one sample"),
        ((sparse.csr_array((40, 0)), y), "at least one sample and one feature"),
    ]:
        with pytest.raises(ValueError, match=message):
            solver(*arguments)
    weights = np.ones(40)
    for changed, message in [
        (weights[:-1], "sample_weight has shape"),
        (np.where(np.arange(40) == 7, -1, weights), r"sample_weight\[7\] is -1.0"),
        (np.where(np.arange(40) == 7, np.nan, weights), r"sample_weight\[7\] is nan"),
        (0 * weights, "All sample weights are zero"),
    ]:
        with pytest.raises(ValueError, match=message):
            solver(X, y, sample_weight=changed)
    with pytest.raises(ValueError, match="max_iter must be a positive integer; got 0"):
        solver(X, y, max_iter=0)
    with pytest.raises(ValueError, match="random_state must be"):
        solver(X, y, random_state="seed")
    with pytest.raises(ValueError, match="order names rows 0 to 40"):
        solver(X, y, max_iter=1, order=[range(41)])
    with pytest.raises(ValueError, match="order must have shape"):
        solver(X, y, max_iter=2, order=[range(40)])


@pytest.mark.parametrize("seed", [0, 7, 2**32 - 1, np.int64(5)])
def test_a_random_state_draws_what_scikit_learns_does(seed):
    """Though its generator is made once a thread, and seeded anew."""
    for _ in range(2):
        expected = check_random_state(seed)
        assert (as_random(seed).randint(2**31 - 1, size=3) == expected.randint(2**31 - 1, size=3)).all()
        assert (as_random(seed).permutation(9) == check_random_state(seed).permutation(9)).all()
    own = np.random.RandomState(3)
    assert as_random(own) is own
    assert as_random(None) is check_random_state(None)
    for bad in ("a", 1.5, -1):
        with pytest.raises(ValueError, match=r"cannot be used to seed|must be between 0 and"):
            as_random(bad)
