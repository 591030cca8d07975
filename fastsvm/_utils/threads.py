"""Threads: how many, work shared out to them, and a pool whose locks no Ctrl-C leaves locked."""

import os
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent import futures
from concurrent.futures import ALL_COMPLETED, FIRST_EXCEPTION, Future, ThreadPoolExecutor
from itertools import zip_longest
from numbers import Integral
from typing import Any

from .interrupts import held_interrupts

SHORT = 0.2  # seconds that Ctrl-C is held for at most while results are waited for


def wait_for_threads(pending: Collection[Future], return_when: str = ALL_COMPLETED) -> set[Future]:
    """Wait a short while for futures; return those that are still pending."""
    with held_interrupts():
        return futures.wait(pending, SHORT, return_when).not_done


class Threads(ThreadPoolExecutor):
    """A pool of threads, as Python's own otherwise."""

    def submit(self, *call: Any, **options: Any) -> Future:
        """Have a function called."""
        with held_interrupts():
            return super().submit(*call, **options)

    def shutdown(self, *args: Any, **options: Any) -> None:
        """End the threads."""
        with held_interrupts():
            super().shutdown(*args, **options)

    def map(self, work: Callable, *items: Iterable) -> Iterator:  # type: ignore[override]
        """Yield the results in the order of the items; the first error ends the work."""
        pending = deque(self.submit(work, *arguments) for arguments in zip(*items, strict=False))

        def results() -> Iterator:
            try:
                while pending:
                    yield thread_result(pending.popleft())
            finally:
                with held_interrupts():
                    for future in pending:
                        future.cancel()

        return results()


def thread_result(future: Future) -> Any:
    """Wait for a result, and return or raise it."""
    while not future.done():
        wait_for_threads([future])
    return future.result()


def number_of_threads(n_jobs: int | None) -> int:
    """Number of threads for `n_jobs`, as joblib counts: None is 1, -1 all processors, -2 all but one.

    Parameters
    ----------
    n_jobs : int or None
        Threads: None is 1, -1 all processors, -2 all but one.

    Returns
    -------
    int
        At least 1.
    """
    if n_jobs is None:
        return 1
    if not isinstance(n_jobs, Integral) or isinstance(n_jobs, bool) or n_jobs == 0:
        raise ValueError(f"n_jobs must be a number of threads, -1 for all, or None; got {n_jobs!r}.")
    if n_jobs > 0:
        return int(n_jobs)
    affinity = getattr(os, "sched_getaffinity", None)
    processors = len(affinity(0)) if affinity else os.cpu_count() or 1
    return max(processors + 1 + n_jobs, 1)


def in_threads(
    work: Callable, items: Sequence, n_workers: int, stop: Callable[[BaseException], object]
) -> list:
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
    [results] = batches_in_threads(work, [items], n_workers, stop)
    return results


def batches_in_threads(
    work: Callable, batches: Iterable[Sequence], n_workers: int, stop: Callable[[BaseException], object]
) -> Iterator[list]:
    """Yield a list of work(item) for each batch of items; the next batch is at work meanwhile.

    Each item waits for the one that has its place in the batch before. Parameters and errors as in
    `in_threads`; whoever does not take all batches closes the iterator, which stops the threads.
    """
    if n_workers == 1:
        yield from ([work(item) for item in batch] for batch in batches)
        return
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
