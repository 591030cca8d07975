"""The stages of a command: named, timed, and shown once the user has waited."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer
from time import perf_counter
from typing import TYPE_CHECKING, Self

from .limits import return_freed_memory
from .printing import console, write_to_stderr

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


def by_steps(advance: Callable[[], None]) -> Callable[[int, int], None]:
    """Return a callback that takes the numbers of steps done and in all, and calls `advance` for each."""
    seen = 0

    def progress(done: int, total: int) -> None:
        nonlocal seen
        for _ in range(done - seen):
            advance()
        seen = done

    return progress


class Stages:
    """Time each stage of a command, and show a waiting user the running stage and its progress.

    Parameters
    ----------
    verbose : bool
        Write a line to stderr as each stage begins.
    spinner : bool
        When stderr is a terminal, show the running stage there from `patience` seconds after the start.
    patience : float
        Seconds.

    Attributes
    ----------
    seconds : dict of str to float
        How long each stage took since `with` was entered.
    spinner : bool
        Whether the running stage is shown on a terminal; may be changed before `with`.
    """

    def __init__(self, verbose: bool = False, spinner: bool = False, patience: float = 2.0) -> None:
        self.seconds: dict[str, float] = {}
        self.spinner = spinner and not verbose and sys.stderr.isatty()
        self._verbose, self._patience = verbose, patience
        self._open: list[_Stage] = []  # one inside the other
        self._bars: Progress | None = None

    @contextmanager
    def __call__(self, name: str, total: int | None = None) -> Iterator[Callable[[], None]]:
        """Run one stage. A stage with a known number of steps has a bar with a percentage.

        Yields
        ------
        advance : callable
            To call after each step.
        """
        if self._verbose:
            write_to_stderr(f"{name} ...")
        stage = _Stage(name, total)
        self._open.append(stage)
        if self._bars is not None:
            stage.show(self._bars)
        start = perf_counter()
        try:
            yield stage.advance
        finally:
            self.seconds[name] = perf_counter() - start
            self._open.remove(stage)
            stage.hide()
            return_freed_memory()

    def _show(self) -> None:
        from rich import progress

        bars = progress.Progress(
            progress.SpinnerColumn(),
            progress.TextColumn("{task.description}", markup=False),
            progress.BarColumn(30),
            progress.TaskProgressColumn(),
            progress.TimeRemainingColumn(),
            console=console(stderr=True),
            transient=True,
            redirect_stdout=False,  # it may be a file; what goes to stderr is printed above
        )
        for stage in [*self._open]:
            stage.show(bars)
        self._bars = bars
        bars.start()

    def __enter__(self) -> Self:
        self.seconds, self._bars = {}, None
        if self.spinner:
            from fastsvm._utils.interrupts import held_interrupts

            self._timer = Timer(self._patience, self._show)
            self._timer.daemon = True
            with held_interrupts():
                self._timer.start()
        return self

    def __exit__(self, *exc_info) -> None:
        if self.spinner:
            from fastsvm._utils.interrupts import held_interrupts

            with held_interrupts():
                self._timer.cancel()
                self._timer.join()
                if self._bars is not None:
                    self._bars.stop()


class _Stage:
    def __init__(self, name: str, total: int | None) -> None:
        self._name, self._total, self._done = name, total, 0
        self._bar: tuple[Progress, TaskID] | None = None

    def advance(self) -> None:
        self._done += 1
        if self._bar is not None:
            bars, task = self._bar
            bars.update(task, completed=self._done)

    def show(self, bars: "Progress") -> None:
        self._bar = bars, bars.add_task(self._name, total=self._total, completed=self._done)

    def hide(self) -> None:
        if self._bar is not None:
            bars, task = self._bar
            bars.remove_task(task)


UNWATCHED = Stages()  # of calls that no user waits for
