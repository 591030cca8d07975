"""Ctrl-C, delayed where it would do harm.

Python raises KeyboardInterrupt also inside its own locks (`threading.Condition`, which futures, events and
the start of a thread wait on). Such a lock stays locked, and the next thread that waits for it waits forever.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def held_interrupts() -> Iterator[None]:
    """Let Ctrl-C wait until the block is over."""
    # Only the main thread gets it. A handler that is not Python's is None, and could not be restored.
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGINT) is None:
        yield
        return
    held = []
    before = signal.signal(signal.SIGINT, lambda *_: held.append(True))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if held:
            signal.raise_signal(signal.SIGINT)
