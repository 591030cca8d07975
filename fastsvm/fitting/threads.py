"""Threads of ours, and those of BLAS."""

import functools
from concurrent.futures import FIRST_EXCEPTION
from threading import Lock

from threadpoolctl import ThreadpoolController

from ..solvers._input import number_of_threads
from ..threads import Threads, result, wait

__all__ = ["in_threads", "number_of_threads", "one_blas_thread"]


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
                pending = wait(pending, FIRST_EXCEPTION)
                if failures:
                    raise failures[0]
        except BaseException as error:
            failures.append(error)
            stop(error)
            pool.shutdown(wait=False, cancel_futures=True)
            raise
        return list(map(result, futures))


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
