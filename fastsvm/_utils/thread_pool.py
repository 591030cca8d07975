"""A pool of threads whose locks Ctrl-C never leaves locked."""

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent import futures
from concurrent.futures import ALL_COMPLETED, Future, ThreadPoolExecutor
from itertools import islice
from typing import Any

from .interrupts import held_interrupts

WAIT_SECONDS = 0.2  # longest delay of Ctrl-C while results are awaited


def wait_for_threads(pending: Collection[Future], return_when: str = ALL_COMPLETED) -> set[Future]:
    """Wait a short while for futures; return those that are still pending."""
    with held_interrupts():
        return futures.wait(pending, WAIT_SECONDS, return_when).not_done


class Threads(ThreadPoolExecutor):
    """A pool of threads; otherwise as Python's own."""

    def submit(self, *call: Any, **options: Any) -> Future:
        """Call a function in a thread."""
        with held_interrupts():
            return super().submit(*call, **options)

    def shutdown(self, *args: Any, **options: Any) -> None:
        """End the threads."""
        with held_interrupts():
            super().shutdown(*args, **options)

    def map(  # type: ignore[override]
        self, work: Callable, *items: Iterable, ahead: int | None = None
    ) -> Iterator:
        """Yield the results in the order of the items; the first error ends the work.

        At most `ahead` items are taken and not yet done; None takes all at once.
        """
        calls = zip(*items, strict=False)
        pending = deque(self.submit(work, *call) for call in islice(calls, ahead))

        def results() -> Iterator:
            try:
                while pending:
                    yield thread_result(pending.popleft())
                    pending.extend(self.submit(work, *call) for call in islice(calls, 1))
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
