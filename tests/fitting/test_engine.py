"""Runs in threads: who gets how many, BLAS, Ctrl-C, errors."""

import threading
import time
from contextlib import closing
from functools import partial
from itertools import islice

import numpy as np
import pytest
from sklearn.base import clone
from threadpoolctl import threadpool_info, threadpool_limits

from fastsvm import ASDCAClassifier, KernelPegasosClassifier, KernelSDCAClassifier, SDCAClassifier
from fastsvm._utils.threads import one_blas_thread
from fastsvm.fitting.engine import solve_in_order, solve_independent
from interrupts import interrupt

pytestmark = pytest.mark.blas


@pytest.fixture(autouse=True)
def _libraries_as_they_are():
    """Other tests may have loaded a BLAS of OpenCV's since the first fit."""
    one_blas_thread.libraries = None


class FakeRun:
    """A run that notes the threads it got, and BLAS's."""

    restored, is_over = False, True

    def __init__(self, threads, work=lambda run: None):
        self.threads, self.work, self.cancelled = threads, work, False

    def advance(self):
        self.blas = {library["num_threads"] for library in _blas()}
        self.work(self)

    def finish(self):
        pass

    def record(self, score):
        return []

    def result(self):
        return self.threads, self.blas


def _blas():
    return [library for library in threadpool_info() if library["user_api"] == "blas"]


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_blas_has_one_thread_while_fits_run(n_jobs):
    if not _blas():
        pytest.skip("no BLAS that threadpoolctl knows")
    with threadpool_limits(2, user_api="blas"):
        before = [library["num_threads"] for library in _blas()]
        results = solve_independent([(k, FakeRun) for k in range(3)], n_threads=n_jobs or 1)
        assert [blas for _, blas in results] == [{1}] * 3
        assert [library["num_threads"] for library in _blas()] == before


def test_fits_that_overlap_give_blas_its_threads_back():
    with threadpool_limits(2, user_api="blas"):
        before = [library["num_threads"] for library in _blas()]
        one_blas_thread.__enter__()
        one_blas_thread.__enter__()
        one_blas_thread.__exit__()
        assert {library["num_threads"] for library in _blas()} <= {1}
        one_blas_thread.__exit__()
        assert [library["num_threads"] for library in _blas()] == before


@pytest.mark.parametrize("taken", [1, 3])
def test_the_next_batch_is_at_work_while_one_is_looked_at(taken):
    met, done = [threading.Barrier(2, timeout=10) for _ in range(2)], []

    def work(run):
        batch, place = run.number
        assert batch == 0 or (batch - 1, place) in done
        if place == 0 and batch > 0:
            met[batch - 1].wait()  # for whoever looks at the batch before

    def job(number, solve):
        run = FakeRun(1, work)
        run.number = number
        solve(lambda threads: run)
        done.append(number)

    batches = ([partial(job, (batch, place)) for place in range(3)] for batch in range(3))
    solved = solve_in_order(batches, 3, tol=None, n_threads=2)
    with closing(solved):
        for batch, results in enumerate(islice(solved, taken)):
            assert len(results) == 3
            if batch < 2:
                met[batch].wait()
    assert taken == 1 or sorted(done) == [(batch, place) for batch in range(3) for place in range(3)]
    assert all(batch < 2 for batch, _ in done) or taken == 3


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_an_error_stops_the_other_runs(n_jobs):
    started = threading.Event()

    def fail(run):
        started.wait(5)
        raise OSError("broken")

    def wait_for_stop(run):
        started.set()
        end = time.monotonic() + 20
        while not run.cancelled:
            assert time.monotonic() < end, "was not told to stop"
            time.sleep(0.01)
        raise KeyboardInterrupt

    makers = [lambda threads: FakeRun(threads, fail)]
    if n_jobs == 2:
        makers += [lambda threads: FakeRun(threads, wait_for_stop)]
    else:
        started.set()
    never = lambda threads: pytest.fail("a run was begun after the error")  # noqa: E731
    with pytest.raises(OSError, match="broken"):
        solve_independent([*enumerate([*makers, *(2 * [never])])], n_threads=n_jobs or 1)


LONG = SDCAClassifier(alpha=1e-7, tol=1e-9, max_iter=10**7)


@pytest.mark.parametrize("n_jobs", [None, 2])
@pytest.mark.parametrize(
    ("model", "n", "warm_start"),
    [
        *((clone(LONG).set_params(solver="coordinate"), 20_000, warm_start) for warm_start in (False, True)),
        (clone(LONG).set_params(solver="newton"), 100_000, False),  # it ends by itself, after some seconds
        *((ASDCAClassifier(alpha=1e-9, max_iter=10**7, batch_size=b), 20_000, False) for b in (2, 10**6)),
        (KernelSDCAClassifier(alpha=1e-9, tol=1e-9, max_iter=10**7), 2500, False),
        (KernelPegasosClassifier(n_iter=2 * 10**7), 2500, False),
    ],
    ids=str,
)
def test_ctrl_c_stops_within_a_second_and_leaves_all_as_it_was(model, n, warm_start, n_jobs):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(n, 100)), rng.integers(0, 3, n)
    model = clone(model).set_params(n_jobs=n_jobs)
    if warm_start:
        model.set_params(warm_start=True, max_iter=1, tol=None).fit(X, y).set_params(max_iter=10**7, tol=1e-9)
    before, n_threads = dict(vars(model)), threading.active_count()
    sent = interrupt(lambda: model.fit(X, y))
    while threading.active_count() > n_threads:  # a thread may be at its last epochs
        assert time.process_time() - sent < 4
        time.sleep(0.001)
    assert vars(model).keys() == before.keys()
    assert all(vars(model)[name] is before[name] for name in before)
    assert hasattr(model, "coef_") == warm_start
