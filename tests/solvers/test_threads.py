"""Threads share the checks and the certificate, chunk by chunk; they change neither bits nor messages."""

from threading import Barrier

import joblib
import numpy as np
import pytest
from scipy import sparse

from fastsvm._utils.threads import number_of_threads
from fastsvm.solvers import LOSSES, sdca
from fastsvm.solvers._problem import Problem
from fastsvm.solvers._rows import map_chunks
from pairs import pairs

pytestmark = pytest.mark.blas


@pytest.fixture(params=["csr", "dense"])
def rows(request, monkeypatch):
    """X and y of 500 rows, in chunks of about 20, where real ones have a million values."""
    rng = np.random.default_rng(0)
    X = sparse.random_array((500, 320), density=0.03, random_state=rng, format="csr")
    y = np.where(X @ rng.normal(size=320) + 0.2 * rng.normal(size=500) > 0.1, 1, -1)
    monkeypatch.setattr("fastsvm.solvers._rows.PASS_VALUES", 200 if request.param == "csr" else 20 * 320)
    return (X if request.param == "csr" else X.toarray()), y


def bits(r):
    """All that a result holds but its times."""
    measured = [(e.epoch, e.primal, e.dual, e.gap) for e in r.history]
    return r.w.tobytes(), r.intercept, r.dual.tobytes(), r.objective, r.gap, r.n_iter, r.solver, measured


@pytest.mark.parametrize(
    *pairs(trace=[False, True], fit_intercept=[False, True], dtype=[np.float32, np.float64], loss=LOSSES)
)
def test_threads_do_not_change_a_bit(loss, dtype, fit_intercept, trace, rows):
    X, y = rows
    X = X.astype(dtype)
    options = {"loss": loss, "alpha": 1e-3, "fit_intercept": fit_intercept, "trace": trace, "random_state": 3}
    options["sample_weight"] = np.arange(len(y)) % 4 / 2
    options |= {"tol": 1e-5, "max_iter": 5 if trace else 1000}
    one, two, many = (sdca(X, y, n_jobs=n, **options) for n in (1, 2, 5))
    assert one.solver == "coordinate"
    assert trace or one.gap <= 1e-5 * one.objective
    assert bits(one) == bits(two) == bits(many)


def test_two_threads_are_at_work_at_once(rows):
    both = Barrier(2, timeout=10)  # opens for two that wait, and never for one
    assert len(map_chunks(Problem(*rows).rows, lambda first, last: first >= 40 or both.wait(), 2)) > 20


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_the_first_bad_value_is_named_by_any_number_of_threads(bad, rows):
    X, y = rows
    X = X.copy()
    values = X.data if sparse.issparse(X) else X.reshape(-1)
    places = np.flatnonzero(values)
    for place in places[[300, 301, 700, -1]]:
        values[place] = bad
    if sparse.issparse(X):
        row, column = np.searchsorted(X.indptr, 300, side="right") - 1, X.indices[300]
    else:
        row, column = divmod(places[300], X.shape[1])
    kind = "NaN" if np.isnan(bad) else "infinity"
    for threads in (1, 2, 5):
        with pytest.raises(ValueError, match=f"X contains {kind} at row {row}, column {column};"):
            sdca(X, y, n_jobs=threads, fit_intercept=False)


@pytest.mark.parametrize(*pairs(cache=[1 << 25, 0], fit_intercept=[False, True], loss=LOSSES))
def test_the_seed_decides_every_bit(loss, fit_intercept, cache, rows, monkeypatch):
    X, y = rows
    options = {"loss": loss, "alpha": 1e-3, "fit_intercept": fit_intercept, "tol": 1e-4}
    monkeypatch.setattr("fastsvm.solvers._order.CACHE_BYTES", cache)
    first, again, other = (bits(sdca(X, y, random_state=seed, n_jobs=2, **options)) for seed in (8, 8, 9))
    assert first == again
    assert first != other


@pytest.mark.parametrize("n_jobs", [None, -1, -(10**6), 3])
def test_n_jobs_counts_as_joblib_does(n_jobs, rows):
    assert number_of_threads(n_jobs) == joblib.effective_n_jobs(n_jobs)
    assert bits(sdca(*rows, n_jobs=n_jobs, random_state=0, fit_intercept=False)) == bits(
        sdca(*rows, random_state=0, fit_intercept=False)
    )


@pytest.mark.parametrize("n_jobs", [0, 1.5, True, "2"])
def test_n_jobs_is_a_number_of_threads(n_jobs, rows):
    with pytest.raises(ValueError, match="n_jobs must be a number of threads"):
        sdca(*rows, n_jobs=n_jobs, fit_intercept=False)
