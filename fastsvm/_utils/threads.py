"""Threads: their number, the work shared out to them, and BLAS limited to one."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cache
from itertools import zip_longest
from mmap import mmap
from numbers import Integral
from threading import Lock
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from concurrent.futures import Future


BUFFERS = 1 << 26  # bytes: OpenBLAS takes 32 MiB for each thread that calls it, here two
MOST_THREADS = 32  # threads, where there are fewer processors: work is cut into a part for each


def number_of_threads(n_jobs: int | None) -> int:
    """Return the number of threads for `n_jobs`, which is read as in joblib.

    Parameters
    ----------
    n_jobs : int or None
        None is 1, -1 all processors, -2 all but one.

    Returns
    -------
    int
        At least 1, and at most the larger of 32 and the number of processors.
    """
    if n_jobs is None:
        return 1
    if not isinstance(n_jobs, Integral) or isinstance(n_jobs, bool) or n_jobs == 0:
        raise ValueError(f"n_jobs must be a number of threads, -1 for all, or None; got {n_jobs!r}.")
    affinity = getattr(os, "sched_getaffinity", None)
    processors = len(affinity(0)) if affinity else os.cpu_count() or 1
    wanted = int(n_jobs) if n_jobs > 0 else max(processors + 1 + int(n_jobs), 1)
    return min(wanted, max(processors, MOST_THREADS))


def in_threads(
    work: Callable, items: Sequence, n_workers: int, stop: Callable[[BaseException], object] | None = None
) -> list:
    """Return a list of work(item) for each item, computed in `n_workers` threads.

    Parameters
    ----------
    work : callable
    items : sequence
    n_workers : int
        Maximum number of threads; 1: in this thread.
    stop : callable, default=None
        Called with the first exception, Ctrl-C included, to stop the other threads. No work begins after it.

    Returns
    -------
    list

    Raises
    ------
    The first exception, after all threads have stopped.
    """
    [results] = batches_in_threads(
        work, [items], min(n_workers, len(items) or 1), stop or (lambda error: None)
    )
    return results


def batches_in_threads(
    work: Callable, batches: Iterable[Sequence], n_workers: int, stop: Callable[[BaseException], object]
) -> Iterator[list]:
    """Yield a list of work(item) for each batch of items, while the next batch is processed.

    Each item waits for the item at its place in the previous batch. Parameters and errors as in `in_threads`;
    a caller that does not take all batches closes the iterator, which stops the threads.
    """
    if n_workers == 1:
        yield from ([work(item) for item in batch] for batch in batches)
        return
    from concurrent.futures import FIRST_EXCEPTION

    from .thread_pool import Threads, thread_result, wait_for_threads

    failures: list[BaseException] = []

    def attempt(item, before):
        try:
            if before is not None:  # begun earlier, so that it is not waited for in vain
                thread_result(before)
            if failures:
                raise KeyboardInterrupt
            return work(item)
        except BaseException as error:
            failures.append(error)
            raise

    def results(submitted):
        pending: Collection[Future] = submitted
        while pending:
            pending = wait_for_threads(pending, FIRST_EXCEPTION)
            if failures:
                raise failures[0]
        return [*map(thread_result, submitted)]

    with Threads(n_workers) as pool:
        before: list[Future] = []
        try:
            for batch in batches:
                submitted = [pool.submit(attempt, *pair) for pair in zip_longest(batch, before)]
                if before:
                    yield results(before)
                before = submitted
            if before:
                yield results(before)
        except BaseException as error:
            failures.append(error)
            stop(error)
            pool.shutdown(wait=False, cancel_futures=True)
            raise


@cache
def _require_memory() -> None:
    """Raise a MemoryError if BLAS could not get its memory: OpenBLAS would end the process."""
    try:
        mmap(-1, BUFFERS).close()
    except OSError:
        raise MemoryError("not enough memory for BLAS") from None


class _OneBlasThread:
    """While a fit runs, BLAS has one thread: fits use their own threads, and sums depend on the number.

    The limit holds for the process: overlapping fits share it, and the last one lifts it.
    """

    def __init__(self) -> None:
        self.lock, self.fits = Lock(), 0
        self.libraries: list[Any] | None = None  # looking for them takes a millisecond
        self.limited: list[tuple[Any, int]] = []  # threadpoolctl's own limiter takes as long as a prediction

    def __enter__(self) -> None:
        _require_memory()
        with self.lock:
            self.fits += 1
            if self.fits == 1:
                if self.libraries is None:
                    from threadpoolctl import ThreadpoolController

                    self.libraries = ThreadpoolController().select(user_api="blas").lib_controllers
                for library in self.libraries:
                    if (threads := library.num_threads) != 1:
                        self.limited.append((library, threads))
                        library.set_num_threads(1)

    def __exit__(self, *exception: object) -> None:
        with self.lock:
            self.fits -= 1
            while self.limited and not self.fits:
                library, threads = self.limited.pop()
                library.set_num_threads(threads)


one_blas_thread = _OneBlasThread()
