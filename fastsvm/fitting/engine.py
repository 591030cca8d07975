"""Solvers driven to their end: one per class, in threads, with verbose lines, callbacks and Ctrl-C."""

from .._utils.blas import one_blas_thread
from .._utils.threads import in_threads

__all__ = ["solve_all"]


def solve_all(make_solvers, *, tol=None, trace=True, n_threads=1, verbose=False, tasks=None, checkpoint=None):
    """Solve independent runs.

    Parameters
    ----------
    make_solvers : list of (label, callable)
        Each callable makes a `Solver`, given the number of threads it may use; called when its turn comes,
        so that no more than `n_threads` solvers hold memory at a time.
    tol, trace : as in `Solver.epochs`
    n_threads : int
        Threads, which go over the runs first (the kernels release the GIL); if there are more of them,
        each run gets its share. BLAS gets one thread. Results do not depend on it.
    verbose : bool
        Print a line an epoch.
    tasks : TaskCallbacks, default=None
        Callbacks to call around every epoch.
    checkpoint : Checkpoint, default=None
        Where to go on from, and what to keep for the next time.

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
        label, make_solver = make_solvers[k]
        run = make_solver(share)
        live.append(run)
        if stopping:  # asked after `live` knows the run: none is missed
            run.cancelled = True
        epochs = run.epochs(tol, trace)
        if checkpoint is not None:
            epochs = checkpoint.watch(k, run, epochs)
        if tasks is not None:
            epochs = tasks.watch(k, run, epochs)
        result = run.result(_printed_epochs(epochs, label) if verbose else epochs)
        live.remove(run)
        return result

    n_workers = min(n_threads, len(make_solvers))
    share = n_threads // n_workers
    with one_blas_thread:
        results = in_threads(solve, range(len(make_solvers)), n_workers, stop)
    if checkpoint is not None:
        checkpoint.finish()
    return results


def _printed_epochs(history, label):
    for epoch in history:
        print(epoch.line(label))
        yield epoch
