"""Ctrl-C in the midst of things."""

import signal
import time

import pytest


def interrupt(call):
    """Raise KeyboardInterrupt 0.3 s into a call, which must end by it soon; return its `process_time`.

    Soon is counted by the work that all threads still do: on a busy machine a second is no time.
    """
    if not hasattr(signal, "setitimer"):
        pytest.skip("no timer signals here")
    sent = []

    def raise_it(*_):
        sent.append(time.process_time())
        raise KeyboardInterrupt

    handler = signal.signal(signal.SIGALRM, raise_it)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(KeyboardInterrupt):
            call()
        assert time.process_time() - sent[0] < 2
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
    return sent[0]
