"""What processes cost."""

import os
import sys
import time


def seconds_of(start):
    """CPU seconds of the process that `start` starts, which must succeed.

    A busy machine does not stretch them; Windows does not count them, so there it is the time that passes.
    """
    begin = _now()
    assert start().wait() == 0
    return _now() - begin


def _now():
    if sys.platform == "win32":
        return time.perf_counter()
    times = os.times()
    return times.children_user + times.children_system
