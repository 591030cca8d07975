"""The base class of the solvers: a run of epochs over a problem, and the result."""

import math
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ._random import draw_integer


class Epoch(NamedTuple):
    """One line of a history.

    Attributes
    ----------
    epoch : int, from 1
    seconds : float, CPU seconds spent in updates so far, without measurements
    primal : float, the objective
    dual : float or None, a lower bound on the minimum
    gap : float or None, primal - dual
    score : what the caller's `score` function returned, or None
    """

    epoch: int
    seconds: float
    primal: float
    dual: float | None
    gap: float | None
    score: object = None

    def line(self, label: object) -> str:
        """Return the line that a verbose fit prints.

        Parameters
        ----------
        label : str
            The text at the start of the line.

        Returns
        -------
        str
            The line, without a line break.
        """
        bound = ""
        if self.gap is not None:
            bound = f"  gap {self.gap:.3e} ({self.gap / self.primal if self.primal > 0 else 0.0:.2%})"
        return f"{label}: epoch {self.epoch:4d}  objective {self.primal:.6e}{bound}  {self.seconds:.3f} s"


LINE = np.dtype([("epoch", np.int64), *((name, np.float64) for name in Epoch._fields[1:5])])


def as_array(history: list) -> np.ndarray:
    """Return a history, without scores, as a structured array; None becomes NaN."""
    return np.array([epoch[:5] for epoch in history], LINE)


class Result(NamedTuple):
    """The result of a solver.

    Attributes
    ----------
    w : ndarray of shape (n_features,), float64
    intercept : float
    dual : ndarray of shape (n_samples,), float64, or None
        Dual variables b_i, from 0 to the weight c_i ("modified_huber": 4 c_i; "squared_hinge": no limit).
    objective : float, at (w, intercept)
    gap : float or None
        Objective minus the dual value: the objective is at most this far above the minimum.
    n_iter : int, number of epochs
    history : list of Epoch
    solver : str, the method used
    """

    w: np.ndarray
    intercept: float
    dual: np.ndarray | None
    objective: float
    gap: float | None
    n_iter: int
    history: list
    solver: str


class Iterate(NamedTuple):
    """The solution that a solver would return now, before any pass over X.

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
        w(b) of the feasible dual variables; None: it takes a pass over X.
    """

    w: np.ndarray | None
    intercept: float
    dual: np.ndarray | None = None
    factors: tuple[float, float] = (1.0, 1.0)
    w_of_dual: np.ndarray | None = None


class SolverState(NamedTuple):
    """The start of a resumed run: dual variables and an intercept, as `sdca` takes them.

    Attributes
    ----------
    dual : ndarray of shape (n_samples,), float64
    intercept : float
    done : int, number of earlier epochs
    seed : int, for the order of the rows from here on
    """

    dual: np.ndarray
    intercept: float
    done: int
    seed: int


class MeasuredIterate(NamedTuple):
    """A candidate solution, measured."""

    w: np.ndarray
    intercept: float
    dual: np.ndarray | None
    primal: float
    bound: float | None

    @property
    def gap(self):
        """Primal minus bound, but 0 if rounding makes it negative."""
        if self.bound is None:
            return None
        gap = self.primal - self.bound
        return 0.0 if gap < 0 else gap  # NaN stays NaN

    def within(self, tol):
        """Whether the relative gap is certified to be `tol` or less."""
        return tol is not None and self.gap is not None and self.gap <= tol * self.primal


def require_finite(objective, gap):
    """Raise a ValueError if the objective or the gap is not finite, since that is no certificate.

    They are numbers or arrays; the gap may be None.
    """
    if not (np.isfinite(objective).all() and (gap is None or np.isfinite(gap).all())):
        raise ValueError(
            f"The objective ({np.max(objective):.3g}) or its lower bound is not finite: was X changed during "
            "the fit? If not, scale X, or raise alpha (lower C)."
        )


class Solver:
    """Epochs over one problem: the protocol of all solvers.

    `run_epoch()` changes the state by visiting every row or, for Newton's method, by steps and a pass over
    all rows. It can be interrupted between `slices`.

    `iterate()` is the solution to return now, without a pass over X. `measure()` adds its objective and, if
    there is a dual, a lower bound on the minimum, which costs a pass or two: `should_certify()` tells when
    this is worthwhile, and `on_gap_above_tol()` is called if the gap is too large.

    `is_over` is the stopping rule, and `finalize()` may improve the point before it is returned. `run` of
    run.py calls `advance()`, up to the next measured epoch, `record()`, for its line of the history,
    `finish()` at the end, and `result()`.

    Some solvers can `restore()` the `checkpoint_state()` of an earlier run. `checkpoint_hook`, if set, is
    called with the solver after each epoch, and within an epoch wherever the state can be saved.

    The solvers of kernel machines (`KernelSolver`) hold all classes: `advance()` is a round of the classes
    that have not ended.
    """

    solver: str
    """The name of the method."""

    batch_size = 1
    """Rows per step."""

    can_check_late = False
    """Whether the rows' norms are not needed before the rows are visited."""

    traced = True
    """Whether every epoch is measured."""

    restored = False
    """Whether it continues an earlier run, which may have ended."""

    checkpoint_hook = None
    """Function that is called with the solver wherever its state can be saved."""

    kept_as = np.dtype(np.float64)
    """The type to which the caller rounds the solution, before its objective and gap are computed."""

    point: Any = None
    """The MeasuredIterate that was measured last."""

    tol: float | None = None
    """The relative gap to reach, in this run."""

    likely_last = False
    """Whether the next measurement is likely to be the last."""

    drawn_at = drawn_iterate = None
    """With averaging="random": the number of steps after which the iterate is kept, and this iterate."""

    def __init__(self, problem, params, *, order=None, random=None, grouped=True):
        self.problem, self.params = problem, params
        self.loss, self.alpha, self.max_iter = params.loss_entry, params.alpha, params.max_iter
        self.has_intercept = bool(params.fit_intercept)
        self.random = random() if callable(random) else random
        self.order = None
        if order is not None:  # Newton's method and the kernel machines use none
            from ._order import Order

            self.order = Order(problem, order, self.max_iter, self.random, grouped)
        if problem is not None and self.alpha is not None and not self.checks_late:
            problem.require_range(self.alpha)
        self.done, self.seconds = 0, 0.0
        self.history: list[Epoch] = []
        self.cancelled = False

    def choose_averaged(self, total):
        """Choose the steps, of `total`, after which iterates are averaged, or the one that is drawn."""
        given = self.params.average_from
        self.averaging_start = total // 2 if given is None else min(given, total - 1)
        if self.params.averaging == "random":
            self.drawn_at = self.averaging_start + 1 + draw_integer(total - self.averaging_start, self.random)

    @property
    def checks_late(self):
        """Whether rows on disk are checked when their window is visited, which saves a pass."""
        if not self.can_check_late or self.order is None or self.order.windows is None:
            return False
        rows = self.problem.rows
        return not rows.checked and len(rows.norms) == rows.n_rows

    def next_order(self):
        """The rows of the next epoch, in the order of their visits."""
        return self.order.epoch(self.done, self.batch_size)

    def slices(self, rows, *, multiple=1, cuts=()):
        """Yield parts of an epoch, short enough for Ctrl-C to act, until the run is cancelled."""
        for part in self.order.slices(rows, multiple, cuts):
            if self.cancelled:
                raise KeyboardInterrupt
            yield part

    def run_epoch(self) -> None:
        """Do an epoch."""
        raise NotImplementedError

    def iterate(self):
        """The Iterate that would be returned now."""
        raise NotImplementedError

    def measure(self):
        """The MeasuredIterate that would be returned now."""
        c, bound = self.iterate(), None
        w_of_dual = c.w_of_dual
        if c.dual is not None and w_of_dual is None:
            w_of_dual = self.problem.primal_from_dual(c.dual, self.alpha, c.factors)
        w = w_of_dual if c.w is None else c.w
        if c.dual is not None:
            bound = self.problem.dual_value(c.dual, w_of_dual, self.loss, self.alpha, c.factors)
        point = MeasuredIterate(w, c.intercept, c.dual, math.nan, bound)
        if self.likely_last and self.kept_as != np.float64:  # round at once, which saves a pass
            kept = self._as_kept(point)
            if kept.within(self.tol):
                return kept
        return self._with_objective(point)  # epochs cannot make up for what rounding adds

    def _as_kept(self, point):
        """The MeasuredIterate rounded to `kept_as`, with its objective."""
        rounded = self._rounded(point)
        return point if rounded is point and not math.isnan(point.primal) else self._with_objective(rounded)

    def _rounded(self, point):
        """The MeasuredIterate rounded to `kept_as`, without objective; itself if exact, or on overflow."""
        if self.kept_as == np.float64:
            return point
        with np.errstate(over="ignore"):
            w, intercept = (np.asarray(part, self.kept_as).astype(float)[()] for part in point[:2])
        if np.array_equal(w, point.w) and np.array_equal(intercept, point.intercept):
            return point
        held = np.isfinite(w).all() and np.isfinite(intercept).all()
        return point._replace(w=w, intercept=intercept) if held else point

    def _with_objective(self, point):
        return point._replace(primal=self._objective(point.w, point.intercept))

    def _objective(self, w, intercept):
        return self.problem.primal(w, intercept, self.loss, self.alpha)

    def finished(self):
        """Whether further epochs would change nothing."""
        return False

    def should_certify(self):
        """Whether the certificate is worth its cost, if not every epoch is measured."""
        return False

    def on_gap_above_tol(self) -> None:
        """Act on a certificate whose gap is above `tol`."""

    def finalize(self):
        """The MeasuredIterate to return, after the last measurement."""
        return self.point

    def checkpoint_state(self):
        """The SolverState to resume from; its arrays change with the run."""
        raise NotImplementedError

    def restore(self, state):
        """Continue from the state that this run was started from."""
        self.done, self.random[0] = state.done, state.seed
        self.restored = True

    @property
    def is_over(self) -> bool:
        """Whether no epoch follows: `max_iter` is reached, nothing would change, or `tol` is certified."""
        within = self.point is not None and self.point.within(self.tol)
        return self.done >= self.max_iter or self.finished() or within

    def was_over(self) -> bool:
        """Measure the point at which an earlier run ended; return whether that run was over."""
        self.point = self.measure()
        return self.is_over

    def advance(self) -> bool:
        """Do epochs up to the next measured one; return whether `should_certify` was true for it."""
        start = time.thread_time()
        while True:
            self.run_epoch()
            self.done += 1
            if self.checkpoint_hook is not None:
                self.checkpoint_hook(self)
            should_certify = self.should_certify()
            if self.traced or should_certify or self.is_over:
                break
        self.seconds += time.thread_time() - start
        self.point = self.measure()
        require_finite(self.point.primal, self.point.gap)
        return should_certify

    def finish(self) -> None:
        """Make the point the one to return, and measure it."""
        self.point = self.finalize()
        if self.kept_as != np.float64:
            self.point = self._as_kept(self.point)
        require_finite(self.point.primal, self.point.gap)

    def record(self, score: Callable[..., object] | None = None) -> list[tuple[int, Epoch]]:
        """Add the measurement to the history; return the line, with the number of its problem, 0."""
        p = self.point
        line = Epoch(self.done, self.seconds, p.primal, p.bound, p.gap)
        if score is not None:
            line = line._replace(score=score(p.w.copy(), p.intercept))  # which the run may change
        self.history.append(line)
        return [(0, line)]

    def result(self) -> Result:
        """The Result at the end of a run."""
        p = self.point
        return Result(p.w, p.intercept, p.dual, p.primal, p.gap, self.done, self.history, self.solver)
