"""The epoch loop of all solvers, and the watchers that it calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any


class Watcher:
    """An observer of a run, which may end it."""

    def begin(self, solver: Any) -> None:
        """Called before the first epoch; may call the solver's `restore` to continue an earlier run."""

    def before(self, solver: Any) -> None:
        """Called before the epochs up to the next measured one."""

    def after(self, solver: Any) -> bool:
        """Called after the measurement; True ends the run."""
        return False

    def end(self, solver: Any) -> None:
        """Called when the run is over."""


def run(
    solver: Any,
    tol: float | None = None,
    trace: bool = True,
    *,
    score: Callable[..., object] | None = None,
    watchers: Sequence[Watcher] = (),
    labels: Sequence[object] = (),
) -> Any:
    """Do epochs until `max_iter`, a relative gap of `tol`, or a watcher's request to stop.

    Parameters
    ----------
    solver : Solver or KernelSolver, before its first epoch
    tol : float or None
        The relative gap to reach; None: do all epochs.
    trace : bool, default=True
        Measure every epoch, not only the last one and those for which `should_certify` is true.
    score : callable, default=None
        ``score(w, intercept)`` of each measured point is stored in the history; for kernel machines,
        ``score(dual_coef, intercept)`` of all classes.
    watchers : list of Watcher
        Called in this order.
    labels : list of str, one per problem of the solver
        The text at the start of each printed line; without labels, nothing is printed.

    Returns
    -------
    The solver's result
    """
    solver.seconds, solver.tol, solver.traced = 0.0, tol, trace
    for watcher in watchers:
        watcher.begin(solver)
    over = solver.restored and solver.was_over()
    while True:
        for watcher in watchers:
            watcher.before(solver)
        worth_it = not over and solver.advance()
        over = solver.is_over
        if over:  # before the watchers see the point
            solver.finish()
        elif worth_it:
            solver.on_gap_above_tol()
        words = [watcher.after(solver) for watcher in watchers]
        stopped = any(words) and not over
        if stopped:
            solver.finish()
        for problem, line in solver.record(score):
            if labels:
                print(line.line(labels[problem]))
        over = solver.is_over  # the finished point may have a larger gap
        if over or stopped:
            break
    for watcher in watchers:
        watcher.end(solver)
    return solver.result()
