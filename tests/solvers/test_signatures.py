"""One signature for all solvers: a name has one place, one meaning and one default, but for those listed."""

import inspect
from itertools import combinations

import numpy as np
import pytest

from fastsvm import solvers
from fastsvm.solvers import asdca, pegasos, sdca

pytestmark = pytest.mark.blas

SOLVERS = [getattr(solvers, name) for name in solvers.__all__ if name.islower() and name != "as_rows"]
# The solver whose default is its own, and why.
OWN_DEFAULTS = {
    "loss": {"asdca": "smooth_hinge"},  # the hinge has a kink
    "max_iter": {"pegasos": 20, "perceptron": 10, "kernel_sdca": -1},  # no gap ends them; as SVC has it
    "tol": {"pegasos": None},  # its bound is a loose one
    "batch_size": {"asdca": 8},  # it is a method of mini-batches
    "order": {"kernel_pegasos": None},  # n_iter rows are drawn
    "fit_intercept": {"kernel_sdca": False},  # the kernel may have a constant
}


def test_shared_names_have_one_order_and_default():
    signatures = {each.__name__: inspect.signature(each).parameters for each in SOLVERS}
    for one, other in combinations(signatures.values(), 2):
        assert [name for name in one if name in other] == [name for name in other if name in one]
    for name in {name for each in signatures.values() for name in each}:
        defaults = {solver: each[name].default for solver, each in signatures.items() if name in each}
        own = OWN_DEFAULTS.get(name, {})
        assert own.items() <= defaults.items(), name
        assert len({repr(default) for solver, default in defaults.items() if solver not in own}) == 1, name
        assert len(defaults) == len(SOLVERS) or name not in ("trace", "score", "random_state")


@pytest.mark.parametrize(
    ("solve", "batch"), [(sdca, {}), (asdca, {"batch_size": 3}), (pegasos, {"batch_size": 3})]
)
def test_the_same_options_mean_the_same(solve, batch, problem):
    """Each line of the history has the iterate of a step: averages, draws, and ends are of these."""
    X, y = problem
    options = {"loss": "log", "alpha": 0.1, "sample_weight": np.arange(len(y)), "fit_intercept": False}
    order = np.random.default_rng(2).integers(len(y), size=(40, batch.get("batch_size", 1)))
    options |= {"order": order, "max_iter": 40, "tol": None, "average_from": 15, "random_state": 0, **batch}
    history = solve(X, y, trace=True, score=lambda w, intercept: w, **options).history
    iterates = np.array([line.score for line in history])
    tail = solve(X, y, **options | {"averaging": "tail"})
    np.testing.assert_allclose(tail.w, iterates[15:].mean(axis=0), rtol=1e-9)
    assert len(tail.history) == 1
    drawn = [solve(X, y, **options | {"averaging": "random", "random_state": seed}).w for seed in range(5)]
    nearest = [np.abs(iterates - w).max(axis=1).argmin() for w in drawn]
    np.testing.assert_allclose(drawn, iterates[nearest], rtol=1e-9)
    assert 15 <= min(nearest) < max(nearest)
    shares = np.array([line.gap / line.primal for line in history])
    ended = solve(X, y, trace=True, **options | {"tol": 1.001 * shares[20]})
    assert ended.n_iter == np.flatnonzero(shares <= 1.001 * shares[20])[0] + 1
    np.testing.assert_array_equal(ended.w, iterates[ended.n_iter - 1])
