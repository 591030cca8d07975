"""Shards in one process, which take turns: the certificate, the optimum, what a lost shard costs."""

import numpy as np
import pytest
from scipy import sparse

import reference
from fastsvm.dask.sdca_rounds import SDCARounds
from fastsvm.dask.shard import Shard
from fastsvm.solvers import LOSSES, sdca
from fastsvm.solvers._problem import balance_factors
from fastsvm.solvers.params import SDCAParams
from fastsvm.solvers.run import run
from local_shards import LocalShards
from pairs import pairs

pytestmark = pytest.mark.blas

ALPHA = 1e-2


class Losing(LocalShards):
    """Shards of which some are lost, one in so many calls, to be replaced by new ones of the same rows."""

    def __init__(self, shards, every, most, seed=0):
        super().__init__(shards)
        self.every, self.left, self.rng = every, most, np.random.default_rng(seed)

    def ask(self, method, calls):
        replies = super().ask(method, calls)
        if self.left and self.rng.random() < 1 / self.every:
            self.left -= 1
            k = int(self.rng.choice(list(calls)))
            old = self.shards[k]
            self.shards[k] = Shard(
                [old.X], [old.y], None if old.sample_weight is None else [old.sample_weight]
            )
            del replies[k]
        return replies


@pytest.fixture
def rows():
    rng = np.random.default_rng(1)
    X = sparse.random_array((300, 40), density=0.2, random_state=rng, format="csr")
    y = np.where(X @ rng.normal(size=40) + 0.3 * rng.normal(size=300) > 0.1, 1, -1)
    return X, y, reference.weights(rng, 300)


def rounds_of(shards, loss="hinge", fit_intercept=True, alpha=ALPHA, max_iter=300, **options):
    described = [shard.describe() for shard in shards.shards]
    params = SDCAParams(loss, alpha=alpha, fit_intercept=fit_intercept, max_iter=max_iter)
    return SDCARounds(shards, described, params, positive=1, **options)


def dual_of(solver):
    return np.concatenate([shard.solver.dual for shard in solver.shards.shards])


@pytest.mark.parametrize(*pairs(loss=LOSSES, fit_intercept=[False, True], shards=[(1, 1), (3, 0.25), (5, 1)]))
def test_the_optimum_is_that_of_all_rows(rows, loss, fit_intercept, shards):
    n_shards, passes = shards
    X, y, weights = rows
    solver = rounds_of(
        LocalShards.split(X, y, n_shards, weights), loss, fit_intercept, passes=passes, max_iter=1000
    )
    result = run(solver, 1e-4, False)
    alone = sdca(
        X, y, loss=loss, alpha=ALPHA, sample_weight=weights, fit_intercept=fit_intercept, tol=1e-7,
        random_state=0,
    )  # fmt: skip
    primal = reference.primal(loss, ALPHA, X, y, result.w, result.intercept, weights)
    assert result.objective == pytest.approx(primal, rel=1e-12)
    assert result.gap <= 1e-4 * primal
    assert primal - result.gap <= alone.objective <= primal + alone.gap + 1e-12


@pytest.mark.parametrize("tol", [None, 1e-3])  # with one, few rows are balanced
@pytest.mark.parametrize("loss", LOSSES)
def test_the_bound_is_that_of_the_balanced_dual(rows, loss, tol):
    X, y, weights = rows
    solver = rounds_of(LocalShards.split(X, y, 3, weights), loss)
    solver.tol = tol
    for _ in range(3):
        solver.run_epoch()
        factors = balance_factors(*solver.sums.sum(axis=0))
        point = solver.measure()
        dual = dual_of(solver)
        if tol:
            solvers = [shard.solver for shard in solver.shards.shards]
            taken = [solver.problem.taken_from_few_rows(solver.dual, factors) for solver in solvers]
            dual -= np.concatenate(taken)
            assert sum(map(np.count_nonzero, taken)) < np.count_nonzero(dual) / 2
        else:
            above, below = dual[y > 0].sum(), dual[y < 0].sum()
            dual[y > 0] *= min(1, below / above)
            dual[y < 0] *= min(1, above / below)
        assert min(dual) >= 0
        assert (dual * y).sum() == pytest.approx(0, abs=1e-12 * dual.sum())
        exact = reference.dual(loss, ALPHA, X, y, dual, weights)
        assert point.bound <= exact + 1e-12
        # Second order in what balancing takes away.
        assert point.bound == pytest.approx(exact, abs=2e-2 * point.primal)


@pytest.mark.parametrize("loss", LOSSES)
def test_lost_shards_cost_progress_only(rows, loss):
    X, y, weights = rows
    shards = Losing(LocalShards.split(X, y, 4, weights).shards, every=6, most=5)
    solver = rounds_of(shards, loss, max_iter=1000)
    result = run(solver, 1e-3, False)
    assert solver.lost == 5
    assert result.gap <= 1e-3 * result.objective
    best = sdca(X, y, loss=loss, alpha=ALPHA, sample_weight=weights, tol=1e-7, random_state=0).objective
    primal = reference.primal(loss, ALPHA, X, y, result.w, result.intercept, weights)
    assert result.objective == pytest.approx(primal, rel=1e-12)
    assert primal - result.gap <= best * (1 + 1e-7)


def test_another_alpha_starts_from_the_last_dual(rows):
    X, y, _ = rows
    shards = LocalShards.split(X, y, 3)
    result = run(rounds_of(shards), 1e-5, False)
    again = rounds_of(shards, start=result.intercept)
    assert again.measure().within(1e-3)
    assert not rounds_of(shards).measure().within(0.1)


def test_a_shard_of_weights_zero_has_no_say(rows):
    X, y, _ = rows
    weights = np.ones(len(y))
    weights[:100] = 0
    for loss in "hinge", "log":
        result = run(rounds_of(LocalShards.split(X, y, 3, weights), loss), 1e-4, False)
        assert result.gap <= 1e-4 * result.objective
