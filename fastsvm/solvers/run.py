"""The epoch loop of all solvers: iterate, measure, stop; and those who watch it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any


class Watcher:
    """One that looks on at a run, and may end it."""

    def begin(self, solver: Any) -> None:
        """Look at the solver before its first epoch; it may be made to `restore` an earlier run."""

    def before(self, solver: Any) -> None:
        """Look at it before the epochs up to the next that is measured."""

    def after(self, solver: Any) -> bool:
        """Look at it when that was measured; True ends the run, unless it is over already."""
        return False

    def end(self, solver: Any) -> None:
        """Look at it when the run is over."""


def run(
    solver: Any,
    tol: float | None = None,
    trace: bool = True,
    *,
    score: Callable[..., object] | None = None,
    watchers: Sequence[Watcher] = (),
    labels: Sequence[object] = (),
) -> Any:
    """Do epochs until `max_iter`, a relative gap of `tol`, or the word of a watcher.

    Parameters
    ----------
    solver : Solver or KernelSolver, not begun
    tol : float or None
        The relative gap to reach; None: it does all epochs.
    trace : bool, default=True
        Measure every epoch, not only those that `should_certify` and the last.
    score : callable, default=None
        ``score(w, intercept)`` of each point that is measured goes into the history; of kernel machines
        ``score(dual_coef, intercept)``, of all classes.
    watchers : list of Watcher
        Called in this order.
    labels : list of str, one per problem of the solver
        What the lines that it prints begin with; it prints none without.

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
        if over:  # before anybody looks at the point
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
        over = solver.is_over  # what was finished may be worse
        if over or stopped:
            break
    for watcher in watchers:
        watcher.end(solver)
    return solver.result()
