"""The stages of a command: named, timed, and shown once the user has waited."""

from __future__ import annotations

import sys
import threading
from contextlib import contextmanager
from time import perf_counter

import click


class Stages:
    """Time each stage of a command, and tell a waiting user which one is running.

    Parameters
    ----------
    verbose : bool
        Write a line to stderr as each stage begins.
    spinner : bool
        When stderr is a terminal, show the running stage there from `patience` seconds after the start.
    patience : float
        Seconds.
    """

    def __init__(self, verbose: bool = False, spinner: bool = False, patience: float = 2.0) -> None:
        self.seconds: dict[str, float] = {}
        self._verbose = verbose
        self._status = None
        if spinner and not verbose and sys.stderr.isatty():
            self._label = ""
            self._timer = threading.Timer(patience, self._show)
            self._timer.daemon = True
        else:
            self._timer = None

    @contextmanager
    def __call__(self, name: str):
        """Run one stage."""
        if self._verbose:
            click.echo(f"{name} ...", err=True)
        self._label = name
        if self._status is not None:
            self._status.update(name)
        start = perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = perf_counter() - start

    def _show(self) -> None:
        from .output import console

        self._status = console(stderr=True).status(self._label)
        self._status.start()

    def __enter__(self) -> Stages:
        if self._timer is not None:
            self._timer.start()
        return self

    def __exit__(self, *exc_info) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer.join()
        if self._status is not None:
            self._status.stop()
