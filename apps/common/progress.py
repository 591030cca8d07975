"""The stages of a command: named, timed, and shown once the user has waited."""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from time import perf_counter
from typing import Self

from .streams import tell


def by_steps(advance: Callable[[], None]) -> Callable[[int, int], None]:
    """Return what is told how many steps are done of how many, and calls `advance` for each."""
    seen = 0

    def progress(done: int, total: int) -> None:
        nonlocal seen
        for _ in range(done - seen):
            advance()
        seen = done

    return progress


class Stages:
    """Time each stage of a command, and tell a waiting user which one is running and how far it is.

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
        self._stage = _Stage("")
        self._display = None
        if spinner and not verbose and sys.stderr.isatty():
            self._timer = threading.Timer(patience, self._show)
            self._timer.daemon = True
        else:
            self._timer = None

    @contextmanager
    def __call__(self, name: str, total: int | None = None) -> Iterator[Callable[[], None]]:
        """Run one stage. One that is known to take `total` steps has a bar.

        Yields
        ------
        advance : callable
            To call after each step.
        """
        if self._verbose:
            tell(f"{name} ...")
        self._stage = stage = _Stage(name, total)
        try:
            yield stage.advance
        finally:
            self.seconds[name] = stage.seconds

    def _show(self) -> None:
        from rich.live import Live
        from rich.spinner import Spinner

        from .output import console

        spinner = Spinner("dots", style="status.spinner")
        self._display = Live(
            get_renderable=lambda: self._stage.line(spinner),
            console=console(stderr=True),
            refresh_per_second=10,
            transient=True,
            redirect_stdout=False,  # it may be a file; what goes to stderr is printed above
        )
        self._display.start()

    def __enter__(self) -> Self:
        from fastsvm._utils.interrupts import held_interrupts

        if self._timer is not None:
            with held_interrupts():
                self._timer.start()
        return self

    def __exit__(self, *exc_info) -> None:
        from fastsvm._utils.interrupts import held_interrupts

        with held_interrupts():
            if self._timer is not None:
                self._timer.cancel()
                self._timer.join()
            if self._display is not None:
                self._display.stop()


@dataclass
class _Stage:
    name: str
    total: int | None = None
    done: int = 0
    start: float = field(default_factory=perf_counter)

    @property
    def seconds(self) -> float:
        return perf_counter() - self.start

    def advance(self) -> None:
        self.done += 1

    def line(self, spinner):
        """Return what a terminal shows of the stage now."""
        from rich.progress_bar import ProgressBar
        from rich.table import Table

        row = Table.grid(padding=(0, 1))
        if self.total is None:
            row.add_row(spinner, self.name)
        else:
            bar = ProgressBar(total=self.total, completed=self.done, width=30)
            row.add_row(spinner, self.name, bar, *self._figures())
        return row

    def _figures(self) -> Iterator[str]:
        yield f"{self.done:,}/{self.total:,}"
        if self.done:
            rate = self.done / self.seconds
            yield f"{rate:,.1f}/s"
            yield f"{timedelta(seconds=round((self.total - self.done) / rate))} left"


UNWATCHED = Stages()  # of calls that no user waits for
