"""Work on several problems at once."""

from concurrent.futures import FIRST_EXCEPTION

from .._utils.threads import Threads, thread_result, wait_for_threads
from ..solvers._input import number_of_threads

__all__ = ["in_threads", "number_of_threads"]


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

    with Threads(n_workers) as pool:
        pending = futures = [pool.submit(attempt, item) for item in items]
        try:
            while pending:
                pending = wait_for_threads(pending, FIRST_EXCEPTION)
                if failures:
                    raise failures[0]
        except BaseException as error:
            failures.append(error)
            stop(error)
            pool.shutdown(wait=False, cancel_futures=True)
            raise
        return list(map(thread_result, futures))
