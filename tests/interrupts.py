"""Ctrl-C in the midst of things."""

import signal
import time

import pytest


def interrupt(call):
    """Raise KeyboardInterrupt 0.3 s into a call, which must end by it within a second; when that was."""
    if not hasattr(signal, "setitimer"):
        pytest.skip("no timer signals here")
    sent = []

    def raise_it(*_):
        sent.append(time.monotonic())
        raise KeyboardInterrupt

    handler = signal.signal(signal.SIGALRM, raise_it)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(KeyboardInterrupt):
            call()
        assert time.monotonic() - sent[0] < 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
    return sent[0]
