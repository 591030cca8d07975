"""Ctrl-C in the midst of things."""

import signal
import time

import pytest


def interrupt(call):
    """Press Ctrl-C 0.3 s into a call, which must end by KeyboardInterrupt soon; return its `process_time`.

    Soon is counted by the work that all threads still do: on a busy machine a second is no time.
    """
    if not hasattr(signal, "setitimer"):
        pytest.skip("no timer signals here")
    sent = []

    def press(*_):
        sent.append(time.process_time())
        signal.raise_signal(signal.SIGINT)  # which `held_interrupts` holds

    own = {signal.SIGALRM: press, signal.SIGINT: signal.default_int_handler}
    before = {number: signal.signal(number, handler) for number, handler in own.items()}
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(KeyboardInterrupt):
            call()
        assert time.process_time() - sent[0] < 2
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in before.items():
            signal.signal(number, handler)
    return sent[0]
