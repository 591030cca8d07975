"""SVC's problems, one for each pair of classes, over the kernel matrix of their rows.

Minimises 1/2 ||f||^2 + sum_i C_i max(0, 1 - y_i (f(x_i) + b0)): the objective of `sdca_solver` times n, with
alpha = 1/n and c_i = C_i.
"""

from copy import copy
from typing import NamedTuple

import numpy as np

from ..losses import as_loss
from ..run import run
from . import _kernel
from ._gram import MIB, FullGram, Gram
from ._problem import KernelProblem, with_rounding
from ._values import DOUBLE_ROWS, aligned_empty
from .params import KernelSDCAParams
from .sdca_solver import FIRST_ROWS, MOST_EPOCHS, MOST_ROWS, KernelSDCASolver

HINGE = as_loss("hinge")
FOLDS = 5  # as in LIBSVM
WHOLE_GRAM_ROWS = 1024  # rows of two classes up to which all kernel values are computed at once


class PairsOfClasses:
    """The kernel matrices of all pairs of classes; values among the rows of one class are computed once.

    Parameters
    ----------
    kernel : Kernel, fitted to rows that are sorted by class, or ndarray, their kernel matrix
    counts : sequence of int, rows of each class
    cache_size : float
        MiB of values to keep.
    whole : bool, default=False
        Whether two classes with many rows, up to `MOST_ROWS`, also need a whole matrix.
    """

    def __init__(self, kernel, counts, cache_size, whole=False):
        self.kernel, self.cache_size, self.whole = kernel, cache_size, whole
        ends = np.cumsum(counts)
        self.rows = [slice(end - count, end) for end, count in zip(ends, counts, strict=True)]
        self.dtype = np.dtype(np.float64 if ends[-1] <= DOUBLE_ROWS else np.float32)
        self.keeps = len(counts) > 2 and self.dtype.itemsize * sum(n**2 for n in counts) <= cache_size * MIB
        self.squares = {}
        self.room = np.empty(0, self.dtype)

    def __iter__(self):
        """Yield (i, j, Gram) for i < j, the rows of class i first; the Gram is valid until the next one."""
        for i in range(len(self.rows)):
            for j in range(i + 1, len(self.rows)):
                yield i, j, self._gram(i, j)

    def _gram(self, i, j):
        a, b = self.rows[i], self.rows[j]
        split, n = a.stop - a.start, a.stop - a.start + b.stop - b.start
        if isinstance(self.kernel, np.ndarray):
            both = np.r_[a, b]
            return FullGram(self.kernel[np.ix_(both, both)])
        if n > (WHOLE_GRAM_ROWS if len(self.rows) == 2 and not self.whole else MOST_ROWS):
            kernel = copy(self.kernel)
            kernel.trained = kernel.trained[np.r_[a, b]]
            return Gram(kernel, self.cache_size)
        if len(self.room) < n * n:
            self.room = aligned_empty((n * n,), self.dtype)
        out = self.room[: n * n].reshape(n, n)
        self._fill_square(i, out[:split, :split])
        self._fill_square(j, out[split:, split:])
        self._fill(out[:split, split:], a, b)
        out[split:, :split] = out[:split, split:].T
        return FullGram(out)

    def _fill_square(self, i, out):
        if i in self.squares:
            out[:] = self.squares[i]
            return
        self._fill(out, self.rows[i], self.rows[i])
        if self.keeps:
            self.squares[i] = out.copy()

    def _fill(self, out, few, many):
        """Fill in the values of two classes; within a class, compute each pair of rows once."""
        points = self.kernel.trained
        step = self.kernel.panel(points.values.shape[-1])
        for first in range(few.start, few.stop, step):
            last = min(first + step, few.stop)
            rows = slice(first - few.start, last - few.start)
            if few != many:
                for _ in self.kernel.tiles(points[first:last], points, many.start, many.stop, out=out[rows]):
                    pass
                continue
            for start, stop, tile in self.kernel.tiles(points[first:last], points, first, many.stop):
                columns = slice(start - many.start, stop - many.start)
                if start > first:
                    out[rows, columns] = tile
                out[columns, rows] = tile.T


class PairFit(NamedTuple):
    """A solution: dual variables, intercept, and objective, gap and steps as in `KernelResult`."""

    dual: np.ndarray
    intercept: float
    objective: float
    gap: float
    steps: int


def fit_pair(gram, signs, weights, *, tol, slack, most_steps=-1):
    """Solve SVC's problem; the weights are the C of the rows.

    Parameters
    ----------
    gram : Gram
    signs : int8 array of shape (n,)
    weights : float64 array of shape (n,), all above 0
    tol, slack, most_steps : as in `KernelSDCASolver`

    Returns
    -------
    PairFit
    """
    n, start = gram.n, None
    steps, limit = 0, np.inf if most_steps == -1 else most_steps
    if n <= FIRST_ROWS and isinstance(gram, FullGram):  # most need no more than this, without rounds
        dual, scores, room = np.zeros(n), np.zeros(n), np.empty((4, n))
        state = signs, weights, dual, scores, HINGE.struct
        most = min(MOST_EPOCHS * n, limit)
        steps, short = _kernel.climb_in_pairs(
            gram.rows, gram.diagonal, 1.0, *state, room, most, 0.0, tol, slack
        )
        if not short or steps == limit:
            intercept, _ = _kernel.intercept_of(*state)
            gap, losses, margins = _kernel.gap_terms(*state, room[0], intercept)
            objective = losses + margins / 2
            gap = with_rounding(gap, objective, gram, dual, weights, dual)
            if not gap > tol * objective or steps == limit:  # or NaN
                return PairFit(dual, intercept, objective / n, gap / n, steps)
        start = dual[np.newaxis]
    solver = KernelSDCASolver(
        KernelProblem.of_sample(gram, signs, weights, n),
        KernelSDCAParams(alpha=1 / n, fit_intercept=True),
        np.ones(1, np.uint64),
        start,
        slack=slack,
        most_steps=-1 if most_steps == -1 else most_steps - steps,
    )
    run(solver, tol, trace=False)
    found = solver.dual, solver.intercept, solver.primal, solver.gap, steps + solver.steps
    return PairFit(*(of_all[0] for of_all in found))


def cross_scores(gram, signs, weights, random, options):
    """Scores of all rows by five-fold cross-validation, as in LIBSVM.

    Parameters
    ----------
    gram, signs, weights : as in `fit_pair`
    random : RandomState
    options : dict, the other parameters of `fit_pair`

    Returns
    -------
    ndarray of shape (n,)
    """
    scores = np.empty(gram.n)
    for fold in np.array_split(random.permutation(gram.n), FOLDS):
        rest = np.setdiff1d(np.arange(gram.n), fold)
        if np.ptp(signs[rest]) == 0:  # a single class
            scores[fold] = signs[rest].mean() if len(rest) else 0
            continue
        part = FullGram(np.ascontiguousarray(gram.rows[np.ix_(rest, rest)]))
        fit = fit_pair(part, signs[rest], weights[rest], **options)
        scores[fold] = gram.rows[np.ix_(fold, rest)] @ (fit.dual * signs[rest]) + fit.intercept
    return scores
