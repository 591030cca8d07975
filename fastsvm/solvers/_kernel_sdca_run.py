"""Kernel SDCA from the outside: rounds of coordinate steps on the rows that matter, certificate."""

import time
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat

import numpy as np

from . import _kernel
from ._random import shuffle
from ._run import CODES, Epoch

START = 256  # rows of the first working set, at least; an eighth of all
MOST = 4096  # rows of any: 64 MiB of kernel values
SMALL = 1024  # up to so many rows, all of them
PATIENCE = 100  # epochs over a working set
SOONER = 0.1  # the share of the gap that a round leaves of what its working set can show
CLOSER = 0.3  # the share of the tolerated gap that it may leave at the end


class KernelSDCARun:
    """SDCA for all classes over one kernel matrix, in rounds.

    A round takes for each class the rows that the gap comes from, with those that have dual variables above 0
    (the working set), makes epochs of exact steps on these alone, and then brings the scores of all rows up
    to date, which gives the certificate. The classes share the values that this takes. What is kept of the
    kernel matrix does not change the steps.

    Parameters
    ----------
    problem : KernelProblem
    loss : {"hinge", "squared_hinge", "smooth_hinge", "log"}
    alpha : float
    max_iter : int
        Most epochs of a class.
    random : uint64 array of length 1
    start : ndarray of shape (n_classes, n), default=None
        Dual variables to start from.
    """

    def __init__(self, problem, *, loss, alpha, max_iter, random, start=None):
        self.problem, self.loss, self.alpha, self.max_iter = problem, loss, alpha, max_iter
        shape = problem.signs.shape
        self.rate = 1 / (alpha * problem.n)
        self.steepness = np.maximum(problem.gram.diagonal, 0) * self.rate  # of indefinite kernels too
        self.dual, self.scores = np.zeros(shape), np.zeros(shape)
        self.terms = np.empty(shape)
        self.random = random
        self.states = [np.array([random[0] + k + 1], np.uint64) for k in range(shape[0])]
        self.epochs = np.zeros(shape[0], int)
        self.primal, self.gap = np.empty(shape[0]), np.empty(shape[0])
        self.round = 0
        self.seconds = 0.0
        self.history = [[] for _ in range(shape[0])]
        if start is not None:
            self._move(range(shape[0]), repeat(np.arange(shape[1], dtype=np.int32)), start)
        for k in range(shape[0]):
            self._measure(k)

    @property
    def coef(self):
        """dual_coef, of shape (n_classes, n)."""
        return self.dual * self.problem.signs * self.rate

    def rounds(self, tol=None):
        """Go on until every class is within `tol` of its optimum or has done `max_iter` epochs.

        Yields
        ------
        list of the classes that took part in the round
        """
        while True:
            left = [k for k in range(len(self.gap)) if not self._done(k, tol)]
            if not left:
                return
            start = time.process_time()
            self._round(left, tol)
            self.seconds += time.process_time() - start
            for k in left:
                self.history[k].append(
                    Epoch(
                        int(self.epochs[k]),
                        self.seconds,
                        float(self.primal[k]),
                        float(self.primal[k] - self.gap[k]),
                        float(self.gap[k]),
                    )
                )
            yield left

    def _done(self, k, tol):
        within = tol is not None and self.gap[k] <= tol * self.primal[k]
        return within or self.epochs[k] >= self.max_iter or self.gap[k] == 0

    def _round(self, classes, tol):
        goals = [SOONER * self.gap[k] for k in classes]
        if tol is not None:
            goals = [
                max(goal, CLOSER * tol * self.primal[k]) for goal, k in zip(goals, classes, strict=True)
            ]
        first = self._first() if self.round == 0 else None
        sets = [self._working_set(k) if first is None else first for k in classes]
        threads = min(self.problem.gram.threads, len(classes))
        if threads > 1:
            with ThreadPoolExecutor(threads) as pool:
                moved = list(pool.map(self._solve, classes, sets, goals))
        else:
            moved = list(map(self._solve, classes, sets, goals))
        self._move(classes, sets, moved)
        for k in classes:
            self._measure(k)
        self.round += 1

    def _first(self):
        """Before anything is known all rows look alike: some of them at random, for all classes."""
        p = self.problem
        rows = np.flatnonzero(p.weights > 0) if p.weights.size else np.arange(p.gram.n)
        rows = rows.astype(np.int32)
        if len(rows) > SMALL:
            shuffle(rows, self.random)
            rows = np.sort(rows[: min(MOST, max(START, len(rows) // 8))])
        return rows

    def _working_set(self, k):
        """The rows that add to the gap, and those with dual variables above 0; at most MOST."""
        rows = np.flatnonzero((self.terms[k] > 0) | (self.dual[k] > 0)).astype(np.int32)
        if len(rows) > MOST:
            rows = np.sort(rows[np.argpartition(-self.terms[k, rows], MOST)[:MOST]])
        return rows

    def _solve(self, k, rows, goal):
        """Epochs of class k on these rows; how much their dual variables change."""
        p = self.problem
        block = p.gram.block(rows)
        dual, scores = self.dual[k, rows], self.scores[k, rows]
        weights = p.weights[rows] if p.weights.size else p.weights
        before, order = dual.copy(), np.arange(len(rows), dtype=np.int32)
        done, _ = _kernel.ascend(
            *(block, self.steepness[rows], self.rate, p.signs[k, rows], weights, dual, scores),
            *(CODES[self.loss], order, self.states[k]),
            *(min(PATIENCE, self.max_iter - self.epochs[k]), goal * p.n),
        )
        self.epochs[k] += done
        return dual - before

    def _move(self, classes, sets, changes):
        """Change dual variables, and the scores of all rows with them."""
        p = self.problem
        factors = np.zeros(p.signs.shape)
        for k, rows, change in zip(classes, sets, changes, strict=False):
            self.dual[k, rows] += change
            factors[k, rows] = change * p.signs[k, rows] * self.rate
        which = np.flatnonzero(factors.any(axis=0)).astype(np.int32)
        p.gram.add(which, factors[:, which], self.scores, self.round)

    def _measure(self, k):
        p = self.problem
        gap, losses, pulls = p.gap_terms(k, self.dual[k], self.scores[k], self.loss, self.terms[k])
        self.primal[k] = (losses + max(pulls, 0.0) / 2) / p.n
        self.gap[k] = gap / p.n
