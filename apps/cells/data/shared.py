"""Context managers of a whole process, which several threads may be in at once."""

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack


class _Shared(AbstractContextManager):
    """Entered with the first that enters it, and left with the last."""

    def __init__(self, make: Callable[[], AbstractContextManager]) -> None:
        self._make, self._lock = make, threading.Lock()
        self._stack, self._inside = ExitStack(), 0

    def __enter__(self) -> None:
        with self._lock:
            if not self._inside:
                self._stack.enter_context(self._make())
            self._inside += 1

    def __exit__(self, *exc_info) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                self._stack.close()


def shared(make: Callable[[], AbstractContextManager]) -> Callable[[], AbstractContextManager]:
    """Make what returns a context manager return one for all."""
    one = _Shared(make)
    return lambda: one
