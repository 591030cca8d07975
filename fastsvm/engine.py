"""Runs driven to their end: one per class, in threads, with verbose lines, callbacks, warnings and Ctrl-C."""

import functools
import warnings
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from threading import Lock

import numpy as np
from joblib import effective_n_jobs
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import ThreadpoolController

from .advice import advise


def solve_all(make_runs, *, tol=None, trace=True, n_jobs=None, verbose=False, tasks=None):
    """Solve independent runs.

    Parameters
    ----------
    make_runs : list of (label, callable)
        Each callable makes a `Run`, given the number of threads it may use; called when its turn comes,
        so that no more than `n_jobs` runs hold memory at a time.
    tol, trace : as in `Run.epochs`
    n_jobs : int or None
        Threads, which go over the runs first (the kernels release the GIL); if there are more of them,
        each run gets its share. BLAS gets one thread. Results do not depend on it.
    verbose : bool
        Print a line an epoch.
    tasks : Tasks, default=None
        Callbacks to call around every epoch.

    Returns
    -------
    list of Result

    Raises
    ------
    KeyboardInterrupt
        On Ctrl-C, after all threads have stopped.
    """
    live, stopping = [], []

    def stop(error):
        stopping.append(error)
        for run in list(live):
            run.cancelled = True

    def solve(k):
        label, make_run = make_runs[k]
        run = make_run(share)
        live.append(run)
        if stopping:  # asked after `live` knows the run: none is missed
            run.cancelled = True
        epochs = run.epochs(tol, trace)
        if tasks is not None:
            epochs = tasks.watch(k, run, epochs, tol)
        result = run.result(_reported(epochs, label) if verbose else epochs)
        live.remove(run)
        return result

    n_threads = effective_n_jobs(n_jobs)
    n_workers = min(n_threads, len(make_runs))
    share = n_threads // n_workers
    with one_blas_thread:
        return in_threads(solve, range(len(make_runs)), n_workers, stop)


def in_threads(work, items, n_workers, stop):
    """A list of work(item) for each item, in so many threads.

    Parameters
    ----------
    work : callable
    items : sequence
    n_workers : int
        1: in this thread.
    stop : callable
        Called with the first exception, Ctrl-C included, while other threads are at work; it tells them.

    Returns
    -------
    list

    Raises
    ------
    The first exception, after all threads have stopped.
    """
    if n_workers == 1:
        return [work(item) for item in items]
    failures = []

    def attempt(item):
        if failures:
            raise KeyboardInterrupt
        try:
            return work(item)
        except BaseException as error:
            failures.append(error)
            raise

    with ThreadPoolExecutor(n_workers) as pool:
        pending = futures = [pool.submit(attempt, item) for item in items]
        try:
            while pending:  # in short waits: where a lock is waited for, Windows hears no Ctrl-C
                _, pending = wait(pending, timeout=0.2, return_when=FIRST_EXCEPTION)
                if failures:
                    raise failures[0]
        except BaseException as error:
            failures.append(error)
            stop(error)
            pool.shutdown(wait=False, cancel_futures=True)
            raise
        return [future.result() for future in futures]


class _OneBlasThread:
    """While any fit runs, BLAS has one thread: ours are busy, and its sums depend on their number.

    The limit is the process's, so fits that overlap share it, and the last one lifts it.
    """

    def __init__(self):
        self.lock, self.fits, self.limiter = Lock(), 0, None

    def __enter__(self):
        with self.lock:
            self.fits += 1
            if self.fits == 1:
                self.limiter = _libraries().limit(limits=1, user_api="blas")

    def __exit__(self, *exception):
        with self.lock:
            self.fits -= 1
            if self.fits == 0:
                self.limiter.restore_original_limits()


one_blas_thread = _OneBlasThread()


@functools.cache
def _libraries():
    return ThreadpoolController()


def _reported(history, label):
    for epoch in history:
        bound = "" if epoch.gap is None else f"  gap {epoch.gap:.3e} ({epoch.gap / epoch.primal:.2%})"
        print(f"{label}: epoch {epoch.epoch:4d}  objective {epoch.primal:.6e}{bound}  {epoch.seconds:.3f} s")
        yield epoch


def warn_if_short(results, tol, X, *, alphas=None, stacklevel=5):
    """Warn once, if any result's relative gap is above `tol`, and say what to do.

    Parameters
    ----------
    results : list of Result
    tol : float or None
    X : what was fitted, if it has columns that may be to blame; or None
    alphas : array, default=None
        The results' alphas, where they differ.
    stacklevel : int

    Warns
    -----
    ConvergenceWarning
    """
    if tol is None or not results:
        return
    gaps = [r.gap / r.objective if r.objective > 0 else 0 for r in results]
    k = int(np.argmax(gaps))
    if gaps[k] > tol:
        where = "" if alphas is None else f" at alpha={alphas[k]:.3g}"
        advice = "raise max_iter, alpha or tol" if X is None else advise(X)
        warnings.warn(
            f"Stopped{where} after {results[k].n_iter} epochs at a relative duality gap of "
            f"{gaps[k]:.1e}, above tol={tol:g}: {advice}.",
            ConvergenceWarning,
            stacklevel=stacklevel,
        )
