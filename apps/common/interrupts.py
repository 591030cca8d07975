"""Ctrl-C that comes where Python can raise nothing."""

import _thread
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_LATER = 0.01  # seconds; a callback is over by then


def _interrupt() -> None:
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
    else:  # wakes up nobody
        _thread.interrupt_main()


@contextmanager
def come_again() -> Iterator[None]:
    """Let an interrupt that Python raises in a callback, prints and forgets, come again a moment later.

    Finalizers and the callbacks of weak references have nobody to raise it to.
    """
    before, timer = sys.unraisablehook, None

    def hook(unraisable) -> None:
        nonlocal timer
        if not isinstance(unraisable.exc_value, KeyboardInterrupt):
            before(unraisable)
        elif not (timer and timer.is_alive()):
            from fastsvm._utils.interrupts import held_interrupts  # not before --help

            timer = threading.Timer(_LATER, _interrupt)
            with held_interrupts():
                timer.start()

    sys.unraisablehook = hook
    try:
        yield
    finally:
        sys.unraisablehook = before
        if timer:
            timer.cancel()
