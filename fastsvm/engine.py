"""Runs driven to their end: one per class, in threads, with verbose lines, warnings and Ctrl-C."""

import warnings
from concurrent.futures import ThreadPoolExecutor

from joblib import effective_n_jobs
from sklearn.exceptions import ConvergenceWarning


def solve_all(make_runs, *, tol=None, trace=True, n_jobs=None, verbose=False):
    """Solve independent runs.

    Parameters
    ----------
    make_runs : list of (label, callable)
        Each callable makes a `Run`; called when its turn comes, so that no more than `n_jobs` runs hold
        memory at a time.
    tol, trace : as in `Run.epochs`
    n_jobs : int or None
        Threads over the runs; the kernels release the GIL. Results do not depend on it.
    verbose : bool
        Print a line an epoch.

    Returns
    -------
    list of Result

    Warns
    -----
    ConvergenceWarning
        Once, if any run with a `tol` stopped short of it.
    """
    live = []

    def solve(label, make_run):
        run = make_run()
        live.append(run)
        history = run.epochs(tol, trace)
        result = run.result(_reported(history, label) if verbose else history)
        live.remove(run)
        return result

    threads = min(effective_n_jobs(n_jobs), len(make_runs))
    if threads == 1:
        results = [solve(*each) for each in make_runs]
    else:
        with ThreadPoolExecutor(threads) as pool:
            futures = [pool.submit(solve, *each) for each in make_runs]
            try:
                results = [future.result() for future in futures]
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                for run in list(live):
                    run.cancelled = True
                raise
    if tol is not None:
        _warn_if_short(results, tol)
    return results


def _reported(history, label):
    for epoch in history:
        bound = "" if epoch.gap is None else f"  gap {epoch.gap:.3e} ({epoch.gap / epoch.primal:.2%})"
        print(f"{label}: epoch {epoch.epoch:4d}  objective {epoch.primal:.6e}{bound}  {epoch.seconds:.3f} s")
        yield epoch


def _warn_if_short(results, tol):
    worst = max(results, key=lambda r: r.gap / r.objective if r.objective > 0 else 0)
    if worst.gap > tol * worst.objective:
        warnings.warn(
            f"Stopped after {worst.n_iter} epochs at a relative duality gap of "
            f"{worst.gap / worst.objective:.1e}, above tol={tol:g}: raise max_iter, alpha or tol, or scale "
            "the columns of X (StandardScaler; MaxAbsScaler or TfidfTransformer for sparse X).",
            ConvergenceWarning,
            stacklevel=4,
        )
