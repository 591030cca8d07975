"""What the solvers share: a run of epochs over a problem, and the result."""

import math
import time
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ._input import as_order
from ._random import block_numbers, draw_batches, draw_rows, shuffle, shuffle_blocks
from ._windows import Windows
from .losses import Loss

CACHE = 1 << 25  # bytes of X that a processor's last cache is likely to hold


class Epoch(NamedTuple):
    """One line of a history.

    Attributes
    ----------
    epoch : int, from 1
    seconds : float, CPU seconds spent in updates so far (measuring not counted)
    primal : float, the objective
    dual : float or None, a lower bound on the optimum
    gap : float or None, primal - dual
    score : what the caller's `score` function returned, or None
    """

    epoch: int
    seconds: float
    primal: float
    dual: float | None
    gap: float | None
    score: object = None


class Result(NamedTuple):
    """What a solver returns.

    Attributes
    ----------
    w : ndarray of shape (n_features,), float64
    intercept : float
    dual : ndarray of shape (n_samples,), float64, or None
        Dual variables b, 0 <= b_i (<= c_i for all losses but squared_hinge).
    objective : float, at (w, intercept)
    gap : float or None
        objective minus the dual value: the objective is at most this far from the optimum.
    n_iter : int, epochs done
    history : list of Epoch
    solver : str, the method that was used
    """

    w: np.ndarray
    intercept: float
    dual: np.ndarray | None
    objective: float
    gap: float | None
    n_iter: int
    history: list
    solver: str


class Candidate(NamedTuple):
    """What a solver would return now, before any pass over X.

    Attributes
    ----------
    w : ndarray of shape (n_features,), float64, or None
        None: w(b) of these dual variables.
    intercept : float
    dual : ndarray of shape (n_samples,), float64, or None
        Dual variables b; times `factors` they are feasible.
    factors : (float, float)
        For the rows of sign +1 and of sign -1.
    w_of_dual : ndarray of shape (n_features,), float64, or None
        w(b) of the feasible ones, where the solver has it; None: a pass over X makes it.
    """

    w: np.ndarray | None
    intercept: float
    dual: np.ndarray | None = None
    factors: tuple[float, float] = (1.0, 1.0)
    w_of_dual: np.ndarray | None = None


class State(NamedTuple):
    """What a run can go on from, in another process: dual variables and an intercept, as `sdca` takes them.

    Attributes
    ----------
    dual : ndarray of shape (n_samples,), float64
    intercept : float
    done : int, epochs before
    seed : int, of the rows' order from here on
    """

    dual: np.ndarray
    intercept: float
    done: int
    seed: int


class Point(NamedTuple):
    """A candidate solution, measured."""

    w: np.ndarray
    intercept: float
    dual: np.ndarray | None
    primal: float
    bound: float | None

    @property
    def gap(self):
        """Primal minus bound; rounding can't make it negative."""
        if self.bound is None:
            return None
        gap = self.primal - self.bound
        return 0.0 if gap < 0 else gap  # NaN stays NaN

    def within(self, tol):
        """Whether the relative gap is certified to be `tol` or less."""
        return tol is not None and self.gap is not None and self.gap <= tol * self.primal


def require_finite(objective, gap):
    """Raise a ValueError if objective or gap (None: there is none) is not finite: that is no certificate."""
    if not (math.isfinite(objective) and (gap is None or math.isfinite(gap))):
        raise ValueError(
            f"The objective ({objective:.3g}) or its lower bound is not finite: was X changed during the "
            "fit? If not, scale X, or raise alpha."
        )


class Solver:
    """Epochs over one problem: the protocol of all solvers.

    An epoch: `run_epoch()` changes the state, by a visit of every row or, for Newton's method, by steps
    and a pass over all rows. It returns nothing, and can be interrupted between `slices`.

    What it can certify: `candidate()` is what would be returned now, and costs no pass over X. `measure()`
    makes a Point of it, with its objective and, where there is a dual, a lower bound on every objective. That
    costs a pass or two, so `should_certify()` says when it is worth it; `on_loose_gap()` is told when it was
    not.

    The end: `is_over` is the one rule of stopping, and `finalize()` may make the point better before it is
    returned. `epochs()` does all this, and `result()` is what a plain function returns.

    Some can `go_on` from what another has `reached()`. Where `at_rest` is set, it is called with the run
    between epochs, and between such parts of one as leave a state.

    The kernel machines' solvers, which have several classes, keep to it class by class: `measure` returns
    objectives and gaps, `done[k]` is that of the k-th class. Their `epochs` yield the classes that took part,
    `left` is what is left to do. Kernel Pegasos can be told which steps to take, `run_epoch(order)`.
    """

    solver: str
    """The name of the method."""

    loss: Loss
    """What it minimises."""

    fit_intercept: bool
    """Whether over an intercept, too."""

    batch_size = 1
    """Rows a step."""

    can_check_late = False
    """Whether it can do without the rows' norms until it visits them."""

    at_rest = None
    """What is told of a state."""

    def __init__(self, problem, *, order, max_iter, random, alpha=None, grouped=True):
        self.problem, self.alpha, self.max_iter, self.random = problem, alpha, max_iter, random
        self.sampling = order
        self.windows = None
        if isinstance(order, str):
            self.order = np.arange(problem.n, dtype=np.int32)
            self.rows = None
            # Blocks pay where rows come from memory. Elsewhere they cost SDCA up to half as many epochs
            # again on a9a (none on text), and Pegasos' first, long steps go wrong on rows sorted by class.
            self.grouped = grouped and problem.rows.n_bytes > CACHE
            if problem.rows.mapped and problem.rows.n_bytes > CACHE and order in ("permutation", "cyclic"):
                self.windows, self.grouped = Windows(problem.rows, problem.signs), True
            if order == "cyclic":
                self.permute()
            elif order == "batches":
                self.pool = self.order.copy()
        else:
            self.order = _given_order(order, max_iter, problem.n)
        self.visits = self.order.shape[-1]  # an epoch
        if alpha is not None and not self.checks_late:
            problem.require_range(alpha)
        self.point = None
        self.tol = None
        self.done, self.seconds = 0, 0.0
        self.cancelled = False

    @property
    def checks_late(self):
        """Whether rows, which are on disk, are checked when their window is visited: that saves a pass."""
        rows = self.problem.rows
        unchecked = self.windows is not None and not rows.checked
        return self.can_check_late and unchecked and len(rows.norms) == rows.n_rows

    def next_order(self):
        """The rows of the next epoch, in the order they are visited."""
        if not isinstance(self.sampling, str):
            return self.order[self.done]
        if self.sampling == "permutation":
            self.permute()
        elif self.sampling == "random":
            draw_rows(self.order, self.problem.n, self.random)
        elif self.sampling == "batches":
            draw_batches(self.pool, self.order, self.batch_size, self.random)
        return self.order

    def permute(self):
        """Shuffle `order`; where `grouped`, in blocks of adjacent rows, out of `rows` (None: all)."""
        if not self.grouped:
            shuffle(self.order, self.random)
            return
        n = self.problem.n if self.rows is None else len(self.rows)
        self.order = self.order[:n]
        if self.windows is not None:
            self.windows.shuffle(self.rows, self.order, self.random)
        else:
            shuffle_blocks(self.rows, self.order, block_numbers(n), self.random)

    def slices(self, order, *, multiple=1, cuts=()):
        """Parts of an epoch: cut where asked, and short enough for Ctrl-C and `cancelled` to be heard."""
        rows = self.problem.rows
        windows = self.windows if order is self.order else None
        if windows is None:
            rows.require_checked()
        if len(order) <= rows.chunk_rows() and not (cuts or self.cancelled or rows.mapped):
            yield order
            return
        step = -(-rows.chunk_rows() // multiple) * multiple
        if windows is None:
            edges = range(0, len(order), step)
        else:  # a window is cut, but not let go before its end
            edges = (-(-windows.ends // multiple) * multiple).tolist()
        edges = sorted({0, len(order), *(edge for edge in (*cuts, *edges) if 0 < edge < len(order))})
        for begun, ended in pairwise(edges):
            for first in range(begun, ended, step):
                if self.cancelled:
                    raise KeyboardInterrupt
                last = min(first + step, ended)
                if windows is not None:
                    windows.before(first)
                    windows.check(last)
                yield order[first:last]
            rows.let_go()

    def candidate(self):
        """The Candidate that would be returned now."""
        raise NotImplementedError

    def measure(self):
        """The Point that would be returned now."""
        c, bound = self.candidate(), None
        w_of_dual = c.w_of_dual
        if c.dual is not None and w_of_dual is None:
            w_of_dual = self.problem.primal_from_dual(c.dual, self.alpha, c.factors)
        w = w_of_dual if c.w is None else c.w
        primal = self._objective(w, c.intercept)
        if c.dual is not None:
            bound = self.problem.dual_value(c.dual, w_of_dual, self.loss, self.alpha, c.factors)
        return Point(w, c.intercept, c.dual, primal, bound)

    def _objective(self, w, intercept):
        return self.problem.primal(w, intercept, self.loss, self.alpha)

    def finished(self):
        """Whether further epochs would change nothing."""
        return False

    def should_certify(self):
        """Whether a look at the certificate is worth its cost, where not every epoch is measured."""
        return False

    def on_loose_gap(self):
        """Told that the certificate which looked worth its cost did not reach `tol`."""

    def finalize(self):
        """The Point to return, once measured."""
        return self.point

    def reached(self):
        """The State to go on from; its arrays change with the run."""
        raise NotImplementedError

    def go_on(self, state):
        """Be as far as a run that had this state, which was this one's start."""
        self.done, self.random[0] = state.done, state.seed
        self.point = self.measure()

    def rest(self):
        """Tell whoever wants to know that there is a state."""
        if self.at_rest is not None:
            self.at_rest(self)

    @property
    def is_over(self):
        """Whether no epoch follows: `max_iter` done, none would change anything, or `tol` is certified."""
        within = self.point is not None and self.point.within(self.tol)
        return self.done == self.max_iter or self.finished() or within

    def stop(self):
        """End here, after an epoch that was measured; its line of the history, of the point to return."""
        self.point = self.finalize()
        require_finite(self.point.primal, self.point.gap)
        return self._line()

    def solve(self, tol=None, trace=True, score=None):
        """Do all epochs; the Result."""
        return self.result(self.epochs(tol, trace, score))

    def epochs(self, tol=None, trace=True, score=None):
        """Do epochs until `max_iter` or a relative gap of `tol`; yield a line of history for each.

        Without `trace` only epochs that `should_certify`, and the last, are measured and yielded.
        """
        self.seconds, self.tol = 0.0, tol
        if self.point is not None and self.is_over:  # it went on from the end
            yield self.stop()
            return
        start = time.thread_time()
        while self.done < self.max_iter:
            self.run_epoch()
            self.done += 1
            self.rest()
            should_certify = self.should_certify()
            if not (trace or should_certify or self.is_over):
                continue
            self.seconds += time.thread_time() - start
            self.point = self.measure()
            require_finite(self.point.primal, self.point.gap)
            if self.is_over:
                line = self.stop()
            else:
                line = self._line()
                if should_certify:
                    self.on_loose_gap()
            if score is not None:
                line = line._replace(score=score(self.point.w, self.point.intercept))
            yield line
            if self.is_over:
                return
            start = time.thread_time()

    def _line(self):
        p = self.point
        return Epoch(self.done, self.seconds, p.primal, p.bound, p.gap)

    def result(self, history):
        """The Result, once the iterable `history` of `epochs` is exhausted."""
        history = list(history)
        p = self.point
        return Result(p.w, p.intercept, p.dual, p.primal, p.gap, self.done, history, self.solver)


def _given_order(order, max_iter, n):
    order = as_order(order, n)
    if order.ndim != 2 or len(order) < max_iter:
        raise ValueError(
            f"order must have shape (max_iter, rows an epoch); got {order.shape} for {max_iter}."
        )
    return order
