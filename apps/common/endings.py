"""What ends a command: Ctrl-C, SIGTERM and SIGHUP become one KeyboardInterrupt, which no library swallows."""

import _thread
import signal
import sys
import threading
import time
from types import FrameType

SIGNALS = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
RETRY_SECONDS = 0.005
IMPORT_FILE = "<frozen importlib._bootstrap>"


def _is_importing(frame: FrameType | None) -> bool:
    while frame is not None and frame.f_code.co_filename != IMPORT_FILE:
        frame = frame.f_back
    return frame is not None


def _retry() -> None:
    time.sleep(RETRY_SECONDS)
    if hasattr(signal, "pthread_kill"):  # wakes it if it sleeps
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
    else:
        _thread.interrupt_main()


def end_as_by_ctrl_c() -> list[int]:
    """Have SIGTERM and SIGHUP end the process as Ctrl-C does; return a list that gets the one that came.

    An import is finished first, because libraries turn an interrupt into errors of their own. Where Python
    cannot raise one, as in a `__del__`, it comes again.
    """
    came = []
    before = signal.getsignal(signal.SIGINT)

    def end(number, frame):
        came.append(number)
        for each in SIGNALS:
            signal.signal(each, signal.SIG_IGN)
        signal.raise_signal(signal.SIGINT)  # which may be held back

    def interrupt(number, frame):
        if before is signal.SIG_IGN and not came:  # a job in the background: Ctrl-C is not for it
            return
        if not _is_importing(frame):
            raise KeyboardInterrupt
        _thread.start_new_thread(_retry, ())

    def unraisable(lost):
        if issubclass(lost.exc_type, KeyboardInterrupt):
            _thread.start_new_thread(_retry, ())
        else:
            sys.__unraisablehook__(lost)

    if before in (signal.SIG_IGN, signal.default_int_handler):
        signal.signal(signal.SIGINT, interrupt)
    for each in SIGNALS:
        if signal.getsignal(each) is signal.SIG_DFL:  # nohup ignores SIGHUP
            signal.signal(each, end)
    sys.unraisablehook = unraisable
    return came


def ignore_endings() -> None:
    """Let no signal end the process any more: its work is done."""
    for each in (signal.SIGINT, *SIGNALS):
        signal.signal(each, signal.SIG_IGN)
