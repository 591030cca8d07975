"""`sdca`, which takes coordinate steps or Newton's method, and the solver that takes coordinate steps."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from .._utils.threads import number_of_threads
from . import _sdca  # type: ignore[attr-defined]  # compiled
from ._input import (
    as_alpha,
    as_start,
    as_state,
    as_width,
    flag,
    one_of,
    order_of,
    positive,
)
from ._intercept import best_intercept
from ._polish import polish
from ._problem import Problem
from ._random import draw_integer
from ._rows import map_chunks
from ._scores import scores_of
from ._solver import Candidate, Point, Result, Solver, SolverState
from .losses import LOSSES, as_loss
from .newton_solver import MOST_COLUMNS, NewtonSolver, suits_newton

if TYPE_CHECKING:
    from .annotations import ArrayLike, Callable, Matrix, Seed

SOLVERS = ("auto", "coordinate", "newton")
ORDERS = ("permutation", "random", "cyclic")
OUTPUTS = ("last", "tail", "random")
# How much each matters is measured by `python -m benchmarks.tuning sdca`; see benchmarks/README.md.
SHRINK_SLOPE = 0.25  # of the largest slope, above which a row at its bound is left out (LIBLINEAR: 1)
REVISIT_EPOCHS = 50  # epochs after which all rows are visited again; and after twice as many
PACE_EPOCHS = 20  # epochs between looks at the pace
CG_PAYS_EPOCHS = 60  # epochs to go before conjugate gradients pay
FREE_SHARE = 0.9  # of the rows visited, which are inside their box, before they are tried
INTERCEPT_SQUARE = 0.1  # of the intercept's column, as a share of a row's mean square, or
INTERCEPT_BENDS = 10  # times the losses' own curvature in the intercept, where that is more
LOST_DIGITS = 1e-4  # share of ||w||^2 at the start, below which w carries the start's rounding along
EXACT_TOL = 1e-6  # below it, and after
EXACT_EPOCHS = 1000  # epochs, w is summed again before it is returned
TINY = np.finfo(float).tiny


class SDCASolver(Solver):
    """SDCA on one problem, an epoch at a time; parameters as in `sdca`."""

    solver = "coordinate"

    knows_sides = True
    """Whether w is known by the rows' signs where X is on disk: what balances them then costs no pass."""

    def __init__(
        self,
        problem,
        *,
        loss,
        alpha,
        fit_intercept,
        max_iter,
        order,
        averaging,
        sgd_init,
        random,
        start=None,
    ):
        self.can_check_late = start is None
        super().__init__(problem, order=order, max_iter=max_iter, random=random, alpha=alpha)
        self.loss, self.fit_intercept, self.averaging = as_loss(loss), fit_intercept, averaging
        self.sgd_init = sgd_init
        n = problem.n
        norms = problem.rows.norms if self.checks_late else problem.rows.squared_norms()
        rate = 1 / (alpha * n)
        self.bias_rate = 0.0
        if fit_intercept:
            # In windows always an estimate: other classes, in other threads, may have had all rows checked.
            mean_square = norms.mean() if self.order.windows is None else self.order.windows.mean_square()
            self.bias_rate = self._bias_rate(mean_square)
        self.w, self.dual = np.zeros(problem.rows.n_columns), np.zeros(n)
        self.above = None
        if self.knows_sides and fit_intercept and averaging == "last" and problem.rows.mapped:
            self.above = np.zeros_like(self.w)
        self.watching = averaging == "last"
        shuffled = isinstance(order, str) and order == "permutation"
        self.shrinking = self.watching and shuffled and self.loss.quadratic
        self.last_gap, self.looking = 0.0, False
        if self.shrinking:
            self._take_all()
        if start is not None:
            self.dual[:], intercept, *known = start  # perhaps with the w(b) that belongs to it
            changed = problem.clip_dual(self.dual, self.loss)
            self.w[:] = known[0] if known and not changed else problem.primal_from_dual(self.dual, alpha)
            self._sum_above()
        self.first = float(self.w @ self.w)
        self.averaging_correction = np.zeros(n) if averaging == "tail" else None
        self.gap_seen, self.polished, self.in_vain = math.inf, False, False
        self.anchor = 0.0  # the intercept when the rows left out were dropped
        self.dropped = np.zeros(n, np.int8) if self.watching else None
        self.state = _sdca.SDCAState(
            *(self.loss.struct, rate, self.bias_rate, self.w, self.dual, norms, self.dropped),
            self.averaging_correction,
            self.above,
        )
        if start is not None and fit_intercept:
            self.state.bias = self.anchor = intercept
        total = max_iter * self.visits
        self.steps, self.half = 0, total // 2
        self.kept = None
        if averaging == "random":
            self.keep_at = self.half + 1 + draw_integer(total - self.half, random)

    def _bias_rate(self, mean_square):
        p = self.problem
        return sdca_bias_rate(self.alpha, p.n, mean_square, p.mean_weight)

    def next_order(self):
        """As asked for, but modified SGD must see each row once."""
        if self.sgd_init and self.done == 0 and isinstance(self.order.sampling, str):
            self.order.permute()
            return self.order.rows
        return super().next_order()

    def run_epoch(self):
        """Visit every row once (n random rows with order 'random')."""
        if self.sgd_init and self.done == 0:
            self.state.seen = 0
        order, late = self.next_order(), self.checks_late
        data = self.problem.data_of_windows if late else self.problem.data
        self.state.begin()
        cuts = ()
        if self.averaging == "tail":
            cuts = (self.half - self.steps,)
        elif self.averaging == "random":
            cuts = (self.keep_at - self.steps,)
        for part in self.slices(order, cuts=cuts):
            if self.averaging == "tail" and self.steps == self.half:
                self._start_average()
            _sdca.run_epoch(*data, part, self.state)
            self.steps += len(part)
            if self.averaging == "random" and self.steps == self.keep_at:
                self.kept = self.dual.copy(), self.state.bias
            if self.state.seen < 0:
                self.report_checkpoint()
        self.state.seen = -1
        if late:
            self.problem.require_range(self.alpha)
        if self.shrinking and self.tol is not None:
            self._shrink()
            if (self.done + 1) % PACE_EPOCHS == 0:
                self._polish_if_slow()
        if self.fit_intercept:
            # Proximal step: the centre moves to the intercept reached, which keeps what the dual adds.
            self.state.bias += self.bias_rate * self.problem.imbalance(self.dual)

    def _shrink(self):
        """Leave out the rows that this epoch dropped; the next is to drop as its slopes suggest."""
        self.state.threshold = SHRINK_SLOPE * self.state.violation
        moved = abs(self.state.bias - self.anchor) > self.state.threshold
        if moved or self.done >= max(REVISIT_EPOCHS, 2 * self.all_at):
            # What was dropped was held by another intercept, or long ago.
            self.anchor = self.state.bias
            self.dropped[:] = 0
            self.state.dropped_loss = self.state.dropped_dual_margins = 0
            self._take_all()
        self._leave_out()

    def _polish_if_slow(self):
        """Take conjugate gradient steps if many epochs seem to be left, and the rows are settled.

        If the gap is no smaller at the next look, they are not taken again.
        """
        state, before = self.state, self.gap_seen
        gap = self.gap_seen = max(state.gap, TINY)
        self.in_vain = self.in_vain or (self.polished and gap > before)
        self.polished = False
        target = max(self.tol * (state.loss_sum + state.dual_margins / 2), TINY)
        pace = (math.log(before) - math.log(gap)) / PACE_EPOCHS
        if self.in_vain or math.log(gap) - math.log(target) <= CG_PAYS_EPOCHS * pace:
            return
        if np.count_nonzero(self.problem.is_free(self.dual, self.loss)) > FREE_SHARE * len(self.order.rows):
            self.polished = True
            state.bias = polish(
                self.problem, self.loss, self.alpha, self.bias_rate, self.w, state.bias, self.dual
            )
            self._sum_above()

    def on_gap_above_tol(self):
        """Visit again the rows that the certificate found to need it."""
        if self._has_lost_digits():
            self._sum_again()
        if self.shrinking:
            self.anchor = self.state.bias
            self._take_all()
            self._leave_out()

    def _has_lost_digits(self):
        """Whether w is small against the one that it started from, whose rounding it carries along."""
        return float(self.w @ self.w) < LOST_DIGITS * self.first

    def _sum_again(self):
        """Make w the sum that the dual variables stand for."""
        self.w[:] = self.problem.primal_from_dual(self.dual, self.alpha)
        self._sum_above()
        self.first = float(self.w @ self.w)

    def _sum_above(self):
        """Make `above` what the dual variables of the rows of sign +1 stand for."""
        if self.above is not None:
            self.above[:] = self.problem.primal_from_dual(self.dual, self.alpha, (1.0, 0.0))

    def _take_all(self):
        """Visit all rows but those of weight 0."""
        self.order.reset()
        self.all_at = self.done

    def _leave_out(self):
        """Visit no rows that are dropped."""
        self.order.filter(lambda rows: _sdca.keep_rows(rows, self.dropped))

    def should_certify(self):
        """Whether the gap, summed over the rows as they were met, says that `tol` is reached.

        Rows move on after they were met, so that the sum is behind by about an epoch's progress; and it
        knows nothing of the rows dropped.
        """
        if self.tol is None or not self.watching:
            return False
        s = self.state
        gap, primal = (
            max(s.gap, 0.0),
            s.loss_sum + s.dual_margins / 2,
        )  # at an optimum, rounding has either sign
        if self.fit_intercept:
            # What scaling down the heavier class will cost: its mean slack for each unit.
            gap += abs(self.problem.imbalance(self.dual)) * s.loss_sum / max(self.dual.sum(), TINY)
        progress, self.last_gap = gap / self.last_gap if gap < self.last_gap else 1.0, gap
        self.looking = not len(self.order.rows) or gap * progress <= self.tol * primal
        return self.looking

    def checkpoint_state(self):
        """The state of the last iterate."""
        return SolverState(self.dual, float(self.state.bias), self.done, int(self.random[0]))

    def _start_average(self):
        self.averaging_correction[:] = 0
        self.state.averaged = 0

    def candidate(self):
        """The iterate that `averaging` asks for."""
        dual, intercept, w = self.dual, self.state.bias, self.w
        if self.averaging == "tail" and self.state.averaged and self.steps > self.half:
            dual, w = self.dual - self.averaging_correction / self.state.averaged, None
            self.problem.clip_dual(dual, self.loss)  # rounding
        elif self.kept is not None:
            (dual, intercept), w = self.kept, None
        if not self.fit_intercept:
            return Candidate(w, intercept, dual, w_of_dual=w)
        above, below = factors = self.problem.balance(dual)
        if self.above is None or self._must_be_exact():
            return Candidate(None, intercept, dual, factors)
        w_of_dual = below * self.w + (above - below) * self.above
        return Candidate(None, intercept, dual, factors, w_of_dual)

    def _must_be_exact(self):
        """Whether w must be summed again, because rounding errors in it may matter."""
        return sdca_must_be_exact(self.tol, self.done) or self._has_lost_digits()

    def measure(self):
        """The Point that would be returned now; its intercept is the best one, where that saves epochs.

        An epoch leaves the run's own intercept so far from it that the objective may need another epoch,
        which is dear where rows come from disk. The run goes on with its own: steps hold the sum of b_i y_i
        by it.
        """
        if self.above is None or self._must_be_exact():
            return super().measure()
        p, c = self.problem, self.candidate()
        w, ridge = c.w_of_dual, self.alpha / 2 * float(c.w_of_dual @ c.w_of_dual)
        scores = scores_of(p.rows, w, p.threads)
        intercept, loss = best_intercept(p, scores, c.intercept, self.loss, self.tol * ridge)
        if self.shrinking and self.looking:
            found = _sdca.screen_rows(*p.data, w, c.intercept, self.state, 0, p.n, scores)
            _, self.state.dropped_loss, self.state.dropped_dual_margins = found
        bound = p.dual_value(c.dual, w, self.loss, self.alpha, c.factors)
        return Point(w, intercept, c.dual, ridge + loss, bound)

    def _objective(self, w, intercept):
        return self.alpha / 2 * float(w @ w) + self._mean_loss(w, intercept)

    def _mean_loss(self, w, intercept):
        """The loss of all rows; where this may end the leaving out of some, which to visit again."""
        p = self.problem
        if not (self.shrinking and self.looking):
            return p.mean_loss(w, intercept, self.loss)
        parts = map_chunks(
            p.rows,
            lambda first, last: _sdca.screen_rows(*p.data, w, intercept, self.state, first, last),
            p.threads,
        )
        total, self.state.dropped_loss, self.state.dropped_dual_margins = np.sum(parts, axis=0)
        return total / p.n

    def finalize(self):
        """Make the dual feasible in place, and w the sum that it stands for, where rounding may matter."""
        if self.fit_intercept:
            self.problem.rebalance(self.point.dual)  # the point's w is that of the balanced dual already
            return self.point
        if self.watching and self._must_be_exact():
            self._sum_again()
            return self.measure()
        return self.point


def sdca_must_be_exact(tol, done):
    """Whether rounding errors in w may matter after so many epochs."""
    return tol is None or tol < EXACT_TOL or done > EXACT_EPOCHS


def sdca_bias_rate(alpha, n, mean_square, mean_weight):
    """The square of the intercept's column, over alpha n.

    The intercept is solved by proximal steps, each a problem with one more column, whose square is
    a tenth of a row's: more slows the epochs, less the steps (measured: .03 to .2 are alike). Where
    alpha is large the losses' own curvature in the intercept is what it must be compared with.
    """
    return max(INTERCEPT_SQUARE * (1 / (alpha * n)) * mean_square, INTERCEPT_BENDS / (n * mean_weight))


def make_sdca_solver(
    problem, *, solver="auto", tol=None, order="permutation", averaging="last", sgd_init=False, **options
):
    """Make the solver asked for, or the one that suits the problem.

    Parameters
    ----------
    problem : Problem
    solver : {"auto", "coordinate", "newton"}
    tol : float or None, the relative gap to reach
    order, averaging, sgd_init, options : as in `sdca`; `start` may have w(b) as a third item

    Raises
    ------
    ValueError
        If `solver` is "newton" and the problem or another option rules it out.
    """
    plain = isinstance(order, str) and (order, averaging, sgd_init) == ("permutation", "last", False)
    if solver == "newton" and not plain:
        name = "sgd_init" if sgd_init else "averaging" if averaging != "last" else "order"
        raise ValueError(f"solver='newton' has no {name}; leave it at its default, or take 'coordinate'.")
    if solver == "newton" and problem.rows.n_columns > MOST_COLUMNS:
        raise ValueError(
            f"solver='newton' solves systems with an unknown for each of X's {problem.rows.n_columns} "
            f"columns; it takes up to {MOST_COLUMNS}. Use 'coordinate'."
        )
    if solver == "auto" and plain and suits_newton(problem, options["loss"], options["alpha"], tol):
        solver = "newton"
    if solver == "newton":
        return NewtonSolver(problem, **options)
    return SDCASolver(problem, order=order, averaging=averaging, sgd_init=sgd_init, **options)


def sdca(
    X: Matrix,
    y: ArrayLike,
    *,
    loss: str = "hinge",
    hinge_width: float = 1.0,
    alpha: float = 1e-4,
    sample_weight: ArrayLike | None = None,
    fit_intercept: bool = True,
    max_iter: int = 1000,
    tol: float | None = 1e-3,
    order: str | ArrayLike = "permutation",
    averaging: str = "last",
    sgd_init: bool = False,
    solver: str = "auto",
    start: tuple | None = None,
    n_jobs: int | None = None,
    trace: bool = False,
    score: Callable[..., object] | None = None,
    random_state: Seed = None,
) -> Result:
    """Stochastic dual coordinate ascent, certified.

    Minimises, over w (and b0 if `fit_intercept`)::

        P(w, b0) = alpha/2 ||w||^2 + 1/n sum_i c_i phi(y_i (w.x_i + b0))

    through its dual, whose value at any feasible b is a lower bound on every P::

        D(b) = 1/n sum_i c_i psi(b_i / c_i) - alpha/2 ||w(b)||^2,
        w(b) = 1/(alpha n) sum_i b_i y_i x_i,    and sum_i b_i y_i = 0 if `fit_intercept`.

    One step maximises D over one b_i exactly, in O(values of the row).

    Parameters
    ----------
    X : CSR matrix or array, or ndarray, of shape (n_samples, n_features), float32 or float64
        Not copied, and not written to.
    y : array of shape (n_samples,), of -1 and +1
    loss : {"hinge", "squared_hinge", "smooth_hinge", "log"}, default="hinge"
        phi(m) = max(0, 1-m); its square; the hinge with its kink rounded; log(1 + exp(-m)).
    hinge_width : float > 0, default=1.0
        The g of "smooth_hinge", gamma in the papers: (1-m)^2 / (2 g) for 1-g <= m <= 1, 1 - g/2 - m below.
        The narrower, the nearer to the hinge, and the slower. Other losses have none.
    alpha : float > 0, default=1e-4
        Regularisation strength; C = 1/(alpha n) of LIBLINEAR.
    sample_weight : array of shape (n_samples,), default=None
        c_i >= 0; all 1 by default. n counts rows of weight 0 too.
    fit_intercept : bool, default=True
        Also minimise over b0, which is not regularised: proximal steps on b0 (the method of
        multipliers on sum_i b_i y_i = 0), one after every epoch.
    max_iter : int, default=1000
        Most epochs (n steps each).
    tol : float or None, default=1e-3
        Stop once gap <= tol * objective. None: do `max_iter` epochs.
    order : {"permutation", "random", "cyclic"} or int array, default="permutation"
        A fresh permutation for each epoch (of blocks of 8 rows, and within them, where X is larger
        than 32 MiB), draws with replacement, or one permutation for all epochs. An array of shape
        (>= max_iter, n_visits) gives the rows to visit, epoch by epoch.
    averaging : {"last", "tail", "random"}, default="last"
        Return the last iterate, the average over the second half of the max_iter * n steps, or one
        iterate drawn from that half. The certificate belongs to the returned iterate. A run that
        reaches `tol` before its second half returns its last iterate.
    sgd_init : bool, default=False
        Make the first epoch modified SGD: the t-th row is treated as the last of a problem of t rows.
    solver : {"auto", "coordinate", "newton"}, default="auto"
        "coordinate": the coordinate steps. "newton": Newton's method on the primal (for the hinge on
        proximal problems), for few columns; n_iter then counts its passes over all rows. "auto" takes
        it for up to 300 columns and no more than rows, unless coordinate steps will be quick; the
        result's `solver` says which it was.
    start : (dual, intercept), default=None
        Where to start from: dual variables b of shape (n_samples,), clipped to their domain, and an
        intercept (ignored without `fit_intercept`). A Result's of another alpha will do, since b does
        not scale with alpha. By default b = 0.
    n_jobs : int or None, default=None
        Threads for the checks of X and the certificate; they do not change the result.
    trace : bool, default=False
        Take the certificate after every epoch, for the history, not only when the gap that is summed
        on the way promises `tol`.
    score : callable, default=None
        ``score(w, intercept)`` is called after each epoch; its value goes into the history.
    random_state : int, numpy Generator or None, default=None

    Returns
    -------
    Result
        Named tuple (w, intercept, dual, objective, gap, n_iter, history, solver).

    Raises
    ------
    ValueError
        On bad input, naming the argument, row and column.

    References
    ----------
    Shalev-Shwartz & Zhang, Stochastic dual coordinate ascent methods for regularized loss
    minimization, JMLR 14 (2013), fig. 1 and sec. 5 (averaging, modified SGD). Hsieh et al., A dual
    coordinate descent method for large-scale linear SVM, ICML 2008. Yu, Huang & Lin, Dual coordinate
    descent methods for logistic regression and maximum entropy models, Mach. Learn. 85 (2011).
    Rockafellar, Augmented Lagrangians and applications of the proximal point algorithm, Math. Oper.
    Res. 1 (1976), for the intercept.

    Examples
    --------
    >>> import numpy as np
    >>> from fastsvm.solvers import sdca
    >>> X, y = np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([1, -1])
    >>> result = sdca(X, y, alpha=1.0, tol=1e-9, random_state=0)
    >>> result.w.round(6).tolist(), round(result.objective, 6)
    ([-0.5, 0.5], 0.75)
    """
    order = order_of(order, ORDERS)
    threads = number_of_threads(n_jobs)
    problem = Problem(X, y, sample_weight, threads, norms=True)
    tol = None if tol is None else positive("tol", tol)
    run = make_sdca_solver(
        problem,
        solver=one_of("solver", solver, SOLVERS),
        tol=tol,
        loss=as_loss(one_of("loss", loss, LOSSES), as_width(hinge_width)),
        alpha=as_alpha(alpha),
        fit_intercept=flag("fit_intercept", fit_intercept),
        max_iter=positive("max_iter", max_iter, kind=int),
        order=order,
        averaging=one_of("averaging", averaging, OUTPUTS),
        sgd_init=flag("sgd_init", sgd_init),
        random=as_state(random_state),
        start=None if start is None else as_start(start, problem.n),
    )
    return run.solve(tol, flag("trace", trace) or score is not None, score)
