"""Runs of solvers to their end: one per class, in threads, with verbose lines, callbacks and Ctrl-C."""

from collections.abc import Callable, Sequence
from typing import Any

from .._utils.threads import batches_in_threads, one_blas_thread
from ..solvers.run import Watcher, run

# With fewer values of X, SDCA's threads wait for each other, in Python, longer than they work: two threads
# took 0.8 to 2 times as long as one (classes of USPS, digits, six domains, 77 short texts; folds of a9a,
# digits, reviews).
FEW_VALUES = 1 << 17


def workers_for(rows: Any, n_threads: int) -> int:
    """Return the number of threads, at most `n_threads`, that make runs of SDCA on these `Rows` faster."""
    return n_threads if rows.n_values >= FEW_VALUES else 1


def solve_independent(
    make_solvers: Sequence[tuple[object, Callable[[int], Any]]],
    *,
    tol: float | None = None,
    trace: bool = True,
    n_threads: int = 1,
    verbose: bool = False,
    kept: Callable[[int, Any], Any] = lambda k, result: result,
    watchers_of: Callable[[int], Sequence[Watcher]] | None = None,
) -> list[Any]:
    """Solve independent runs.

    Parameters
    ----------
    make_solvers : list of (label, callable)
        Each callable makes a `Solver` from the number of threads that it may use. A callable is called when
        its turn comes, so that at most `n_threads` solvers hold memory at a time.
    tol, trace : as in `run`
    n_threads : int
        Number of threads, first over the runs (the kernels release the GIL). If there are more threads than
        runs, each run gets its share. BLAS gets one thread. Results do not depend on this number.
    verbose : bool
        Print a line per epoch.
    kept : callable, default=lambda k, result: result
        From k and the Result of the k-th run, at its end, to what is returned for this run.
    watchers_of : callable, default=None
        From k to the list of the k-th run's watchers.

    Returns
    -------
    list of Result

    Raises
    ------
    KeyboardInterrupt
        On Ctrl-C, after all threads have stopped.
    """
    jobs = []
    for k, (label, make_solver) in enumerate(make_solvers):
        watchers = () if watchers_of is None else watchers_of(k)
        run_of = make_solver, watchers, [label] if verbose else ()
        jobs.append(lambda solve, k=k, run_of=run_of: kept(k, solve(*run_of)))
    [results] = solve_in_order([jobs], len(jobs), tol=tol, trace=trace, n_threads=n_threads)
    return results


def solve_in_order(batches, n_jobs, *, tol, n_threads, trace=False):
    """Yield a list of the results of each batch of jobs, while the next batch runs.

    Parameters
    ----------
    batches : iterable of lists of callables
        Each callable gets ``solve``; ``solve(make_solver)`` returns the Result of a run. The jobs of a batch
        are independent; each follows the job at its place in the previous batch.
    n_jobs : int, of a batch
    tol, n_threads, trace : as in `solve_independent`, with its errors

    Notes
    -----
    A caller that does not take all batches closes the iterator, which stops the runs.
    """
    live, stopping = [], []

    def stop(error):
        stopping.append(error)
        for solver in list(live):
            solver.cancelled = True

    def solve(make_solver, watchers=(), labels=()):
        solver = make_solver(share)
        live.append(solver)
        if stopping:  # checked after `live` has the solver, so that none is missed
            solver.cancelled = True
        result = run(solver, tol, trace, watchers=watchers, labels=labels)
        live.remove(solver)
        return result

    n_workers = min(n_threads, n_jobs)
    share = n_threads // n_workers
    with one_blas_thread:
        yield from batches_in_threads(lambda job: job(solve), batches, n_workers, stop)
