"""A solver whose visits are counted, and which can be measured inside its epochs."""

from math import ceil
from time import thread_time
from typing import NamedTuple

import numpy as np

from fastsvm.solvers._solver import Iterate, Solver


class Look(NamedTuple):
    """One measurement of a solver.

    Attributes
    ----------
    epoch : float, epochs done
    visits, steps : int, rows and batches so far
    seconds : float, CPU seconds of the updates so far, and of drawing the rows for them
    iterate : Iterate
    """

    epoch: float
    visits: int
    steps: int
    seconds: float
    iterate: Iterate


class WatchedSolver:
    """A solver that is run one epoch at a time, with the same steps as an unwatched solver.

    Parameters
    ----------
    solver : Solver
    shares : ndarray
        The shares of the first epoch at which it is measured, without its end.
    every : int or None
        Number of steps between further measurements in each epoch; None: no such measurements.

    Attributes
    ----------
    looks : list of Look
        The measurements of the last epoch.
    """

    def __init__(self, solver: Solver, shares: np.ndarray, every: int | None):
        self.solver, self.shares, self.every = solver, shares, every
        self.epochs = self.visits = self.steps = 0
        self._own_slices, solver.slices = solver.slices, self._slices

    def run_epoch(self):
        """Run an epoch unless the solver has finished, and measure the solver."""
        self.looks = []
        if self.solver.finished():
            self.looks = [self._look(self.epochs, self.solver.iterate())] * len(self._places())
        else:
            self._start = thread_time()
            self.solver.run_epoch()
            self._stop_clock()
            self.solver.done += 1
        self.epochs += 1
        self.looks.append(self._look(self.epochs, self.solver.iterate()))

    def _places(self):
        """Return the numbers of visits in this epoch at which it is measured: whole batches."""
        visits, size = self.solver.order.n_visits, self.solver.batch_size
        shares = self.shares if self.epochs == 0 else ()
        inside = [min(ceil(share * visits / size) * size, visits) for share in shares]
        steps = range(self.every * size, visits, self.every * size) if self.every else ()
        return sorted([*inside, *steps])

    def _stop_clock(self):
        self.solver.seconds += thread_time() - self._start

    def _look(self, epoch, iterate):
        return Look(epoch, self.visits, self.steps, self.solver.seconds, iterate)

    def _slices(self, rows, *, multiple=1, cuts=()):
        """Yield the parts of an epoch, cut where the solver asks for it and where it is measured."""
        drawing = thread_time() - self._start  # of the rows of the whole epoch
        places, seen = self._places(), 0
        for part in self._own_slices(rows, multiple=multiple, cuts=(*cuts, *places)):
            yield part
            seen += len(part)
            self.visits += len(part)
            self.steps += -(-len(part) // multiple)
            while places and seen >= places[0]:
                self._stop_clock()
                share = seen / len(rows)
                look = self._look(self.epochs + share, self._copied_iterate())
                self.looks.append(look._replace(seconds=look.seconds - drawing * (1 - share)))
                places.pop(0)
                self._start = thread_time()

    def _copied_iterate(self):
        """Return a copy of the iterate that the solver would return now."""
        found = self.solver.iterate()
        state = self.solver.state
        if getattr(state, "seen", -1) > 0:  # modified SGD: its w is for the problem of the rows seen so far
            n = self.solver.problem.n
            found = found._replace(w=self.solver.w * ((n + state.ahead) / (state.seen + state.ahead)))
        return Iterate(*(np.copy(part) if isinstance(part, np.ndarray) else part for part in found))
