"""What libpng and libjpeg write to stderr by themselves, naming no file: heard, and kept from the user."""

import os
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TypeVar

from .shared import shared

T = TypeVar("T")

_STDERR = 2  # the descriptor that C libraries write to


class _Listener:
    """Leads descriptor 2 into a file while any thread listens, and back to where it led.

    Threads share the descriptor: a call during which there was a complaint is made again, by itself.
    """

    def __init__(self) -> None:
        self._turn = threading.Condition()
        self._listening = self._alone = self._heard = 0
        self._shown, self._closed = os.dup(_STDERR), False
        try:
            self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115
        except OSError:
            self._file = open(os.devnull, "r+b", buffering=0)  # noqa: SIM115

    def hear(self, call: Callable[[], T]) -> tuple[T, bytes]:
        with self._turn:
            self._turn.wait_for(lambda: not self._alone)
            self._listening += 1
            self._lead_to(self._file.fileno())
        try:
            result = call()
        finally:
            with self._turn:
                suspected = self._size() > self._heard
                self._listening -= 1
                if not self._listening:
                    self._lead_to(self._shown)
                    self._turn.notify_all()
        return self._hear_alone(call) if suspected else (result, b"")

    def _hear_alone(self, call: Callable[[], T]) -> tuple[T, bytes]:
        with self._turn:
            self._alone += 1
            try:
                self._turn.wait_for(lambda: not self._listening)
                start = self._size()
                self._lead_to(self._file.fileno())
                result = call()
                self._file.seek(start)
                return result, self._file.read()
            finally:
                self._heard = self._size()
                self._lead_to(self._shown)
                self._alone -= 1
                self._turn.notify_all()

    def _lead_to(self, descriptor: int) -> None:
        if not self._closed:
            os.dup2(descriptor, _STDERR)

    def _size(self) -> int:
        return os.fstat(self._file.fileno()).st_size

    def close(self) -> None:
        """Lead descriptor 2 back, though threads that an interrupt has left behind may still listen."""
        with self._turn:
            self._lead_to(self._shown)
            self._closed = True
            os.close(self._shown)  # the file goes with the last of them


_listener: _Listener | None = None


@shared
@contextmanager
def own_stderr() -> Iterator[None]:
    """Give Python's stderr a descriptor of its own, so that `hear` may take the other one."""
    global _listener
    before, own = sys.stderr, None
    with suppress(OSError, ValueError, AttributeError):  # None, closed, or no file at all
        if before.fileno() == _STDERR:
            own = open(  # noqa: SIM115
                os.dup(_STDERR), "w", buffering=1, encoding=before.encoding, errors=before.errors
            )
    sys.stderr = own or before
    _listener = _Listener()
    try:
        yield
    finally:
        listener, _listener = _listener, None
        listener.close()
        sys.stderr = before
        if own:
            own.close()


def hear(call: Callable[[], T]) -> tuple[T, bytes]:
    """Return what a function returns, and what C libraries wrote to stderr meanwhile; in any thread.

    Outside of `own_stderr` nothing is heard: what Python writes there meanwhile would be lost as well.
    """
    from fastsvm._utils.interrupts import held_interrupts  # not before --help

    listener = _listener
    if not listener:
        return call(), b""
    with held_interrupts():  # or one could leave the listener's lock locked
        return listener.hear(call)
