"""Kernel Pegasos from the outside: the stream of rows, which values to have ready, certificate."""

import time

import numpy as np

from . import _kernel
from ._kernel_run import KernelResult
from ._kernel_values import PANEL
from ._run import Epoch

AHEAD = 1 << 12  # draws in which to look for rows that will be needed
VALUES = 1 << 20  # computed at a time, where rows are short
STEPS = 1 << 27  # additions in one call of the kernel: some tenths of a second, so that Ctrl-C is heard


class KernelPegasosRun:
    """Steps of Pegasos for all classes on the same stream of rows.

    Attributes
    ----------
    t : int, steps taken
    counts : ndarray of shape (n_classes, n)
        a_i: how often row i pulled, times its weight.
    scores : ndarray of shape (n_classes, n)
        sum_j a_j y_j K(x_j, x_i), which is alpha t f(x_i).
    """

    def __init__(self, problem, alpha):
        self.problem, self.alpha = problem, alpha
        self.t = 0
        self.seconds = 0.0
        self.counts, self.scores = np.zeros(problem.signs.shape), np.zeros(problem.signs.shape)

    def visit(self, order):
        """Take a step on each row of an int32 array of row numbers."""
        start = time.thread_time()
        p, gram = self.problem, self.problem.gram
        step = max(1, STEPS // self.scores.size)
        done = 0
        while done < len(order):
            part = order[done : done + step]
            moved = _kernel.pegasos(
                *(gram.rows, gram.slots, gram.used, part, p.signs, p.weights, self.alpha, self.t),
                *(self.counts, self.scores),
            )
            done += moved
            self.t += moved
            if moved < len(part):
                gram.fetch(self._needed(order[done : done + AHEAD]), self.t)
        self.seconds += time.thread_time() - start

    def _needed(self, order):
        """The next rows that have no values yet and would pull now; the first is one."""
        p, gram = self.problem, self.problem.gram
        missing = order[gram.slots[order] < 0]
        missing = missing[np.sort(np.unique(missing, return_index=True)[1])]
        pulls = p.signs[:, missing] * self.scores[:, missing] < self.alpha * (self.t + 1)
        return missing[pulls.any(axis=0)][: min(gram.capacity, max(PANEL, VALUES // gram.n))]

    @property
    def coef(self):
        """dual_coef, of shape (n_classes, n)."""
        return self.counts * self.problem.signs / (self.alpha * self.t)

    def measure(self, losses=0.0):
        """Objective and gap of each class.

        b_i = a_i n / t, clipped to c_i, are feasible dual variables; so are they times theta <= 1.

        Parameters
        ----------
        losses : float or array of shape (n_classes,)
            Sums of the losses of rows that are not in the problem.

        Returns
        -------
        primal, gap : ndarrays of shape (n_classes,)
        """
        p = self.problem
        n, signs = p.n, p.signs
        scale = 1 / (self.alpha * self.t)
        c = p.weights if p.weights.size else 1.0
        values = c * np.maximum(0, 1 - signs * self.scores * scale)
        norms = np.maximum(0, (self.counts * signs * self.scores).sum(axis=1)) * scale**2
        primal = self.alpha / 2 * norms + (values.sum(axis=1) + losses) / n

        dual = np.minimum(self.counts * (n / self.t), c)
        excess = self.counts - dual * (self.t / n)
        over = np.flatnonzero((excess > 1e-9 * self.counts).any(axis=0)).astype(np.int32)
        scores = self.scores.copy()
        p.gram.add(over, -(excess * signs)[:, over], scores, self.t)
        pulls = np.maximum(0, (dual * signs * scores).sum(axis=1) / (self.alpha * self.t))
        total = dual.sum(axis=1)
        theta = np.minimum(1, total / np.maximum(pulls, 1e-300))
        return primal, np.maximum(0, primal - (theta * total - theta**2 / 2 * pulls) / n)
