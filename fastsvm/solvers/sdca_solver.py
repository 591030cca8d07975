"""SDCA, the solver with coordinate steps."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _sdca  # type: ignore[attr-defined]  # compiled
from ._dual_moves import free_variable_cg
from ._intercept import best_intercept, lossless_intercept
from ._scores import loss_and_slope, scores_of
from ._solver import Iterate, Solver, SolverState

if TYPE_CHECKING:
    from ._problem import Problem
    from .params import SDCAParams

# The effect of each constant is measured by `python -m benchmarks.tuning sdca`; see benchmarks/README.md.
REVISIT_EPOCHS = 50  # epochs after which all rows are visited again, and then each time after twice as many
PACE_EPOCHS = 20  # epochs between checks of the pace
CG_PAYS_EPOCHS = 60  # expected number of remaining epochs from which conjugate gradients pay
FREE_SHARE = 0.9  # share of the visited rows strictly between their bounds from which they are tried
INTERCEPT_SQUARE = 0.1  # squared value of the intercept's column, as a share of the mean ||x||^2, or
INTERCEPT_BENDS = 10  # times the losses' own curvature in the intercept, if that is more
MOST_BEND = 2  # the largest second derivative of a loss with a curved bend, used for the hinge, too
START_STEEPNESS = 0.5  # ||x||^2 / (alpha n) times the bend up to which the first epoch is modified SGD,
START_AHEAD = 0.3  # with this share of the rows counted as already seen,
START_AGAIN = 0.2  # and this share, the first ones, visited again at its end
SPARE_GAP = 0.1  # share of tol that balancing by few rows may cost
SAMPLE_STEP = 16  # one of this many rows is sampled once the gap may be near `tol`,
LEAST_SAMPLE = 128  # but at least this many rows
FIRST_PROGRESS = 0.05  # expected gap after the first epoch, as a share of its measured gap, or, if less,
FLAT_PROGRESS = 0.25  # times the steepness
LOST_DIGITS = 1e-4  # share of an earlier ||w||^2 below which the rounding errors of that w may dominate
EXACT_TOL = 1e-6  # below this tol, and after
EXACT_EPOCHS = 1000  # epochs, w is summed again before it is returned
TINY = np.finfo(float).tiny


class SDCASolver(Solver):
    """SDCA on one problem, an epoch at a time; parameters as in `sdca`. The formulas are in `_sdca.pyx`."""

    solver = "coordinate"

    has_default_start = True
    """Whether the solver chooses its own start."""

    keeps_w_by_sign = True
    """Whether w is kept by the rows' signs if X is on disk: balancing then costs no pass."""

    def __init__(self, problem: Problem, params: SDCAParams, random: Any, start: Any = None) -> None:
        self.can_check_late = start is None
        super().__init__(problem, params, order=params.order, random=random)
        averaging = self.averaging = params.averaging
        n, alpha, order = problem.n, params.alpha, params.order
        norms = problem.rows.norms if self.checks_late else problem.rows.squared_norms()
        rate = 1 / (alpha * n)
        # With windows, always an estimate: whether all rows are checked may depend on other threads.
        mean_square = norms.mean() if self.order.windows is None else self.order.windows.mean_square()
        self.steepness = rate * mean_square * min(self.loss.lipschitz, MOST_BEND)
        self.intercept_step = self._intercept_step(mean_square) if self.has_intercept else 0.0
        self.w, self.dual = np.zeros(problem.rows.n_columns), np.zeros(n)
        self.w_positive = None
        if self.keeps_w_by_sign and self.has_intercept and averaging == "last" and problem.rows.mapped:
            self.w_positive = np.zeros_like(self.w)
        self.estimates_gap = averaging == "last"
        shuffled = isinstance(order, str) and order == "permutation"
        self.shrinking = self.estimates_gap and shuffled and self.loss.quadratic
        self.likely_last, self.cached_iterate = False, None
        has_momentum = self.shrinking and self.has_default_start and self.loss.straight
        if self.shrinking:
            self._visit_all()
        intercept, self.modified_sgd, ahead, self.again = 0.0, params.sgd_init, 0.0, 0
        if start is not None:
            self.dual[:], intercept, *known = start  # perhaps with the w(b) that belongs to it
            changed = problem.clip_dual(self.dual, self.loss)
            self.w[:] = known[0] if known and not changed else problem.primal_from_dual(self.dual, alpha)
            self._sum_w_positive()
        elif self.has_default_start and self.estimates_gap and shuffled:
            intercept = first_intercept(problem, self.loss)
            if not (params.sgd_init or problem.rows.mapped) and self.steepness <= START_STEEPNESS:
                self.modified_sgd, ahead, self.again = True, START_AHEAD * n, int(START_AGAIN * n)
        self.averaging_correction = np.zeros(n) if averaging == "tail" else None
        self.gap_at_last_look, self.cg_taken, self.cg_failed = math.inf, False, False
        self.dropped = np.zeros(n, np.int8) if self.estimates_gap else None
        self.state = _sdca.SDCAState(
            *(self.loss.struct, rate, self.intercept_step, self.w, self.dual, norms, self.dropped),
            self.averaging_correction,
            self.w_positive,
            np.zeros(n, np.float32) if has_momentum else None,
        )
        self.state.largest_squared_norm = float(self.w @ self.w)
        self.state.shrinking, self.state.ahead = self.shrinking, ahead
        if self.has_intercept:
            self.state.intercept = self.state.screening_intercept = intercept
            longest = longest_intercept_step(problem, self.loss)
            if longest and self.steepness <= START_STEEPNESS:  # w, too, may represent a constant
                longest = max(longest, _sdca.LONGER_STEPS * self.intercept_step)
            self.state.longest_intercept_step = longest
        self.steps = 0
        if averaging != "last":
            self.choose_averaged(self.max_iter * self.order.n_visits)

    def _intercept_step(self, mean_square):
        p = self.problem
        return sdca_intercept_step(self.alpha, p.n, mean_square, p.mean_weight)

    def run_epoch(self):
        """Visit every row once (n random rows with order 'random')."""
        self.cached_iterate = None
        modified_sgd = self.modified_sgd and self.done == 0
        order, late = self.order.epoch(self.done, each_once=modified_sgd), self.checks_late
        if modified_sgd:
            self.state.seen = 0
        data = self.problem.data_of_windows if late else self.problem.data
        self.state.begin()
        if self.done == 1:
            self.state.momentum = 0.0  # there is no pace yet
        tol = self.tol if self.estimates_gap and self.tol is not None else 0.0
        cuts, most = (), self._epochs_at_once()
        if modified_sgd and self.again:
            order, cuts = np.concatenate([order, order[: self.again]]), (self.again,)
        if self.averaging == "tail":
            cuts = (self.averaging_start - self.steps,)
        elif self.averaging == "random":
            cuts = (self.drawn_at - self.steps,)
        for part in self.slices(order, cuts=cuts):
            if self.steps == self.again:
                self.state.begin()  # these rows are visited again
            if self.averaging == "tail" and self.steps == self.averaging_start:
                self._start_average()
            epochs, kept = _sdca.run_epoch(*data, part, self.state, self.random, most, tol)
            self.steps += len(part)
            if self.averaging == "random" and self.steps == self.drawn_at:
                self.drawn_iterate = self.dual.copy(), self.state.intercept
            if self.state.seen < 0 and self.checkpoint_hook is not None:
                self.checkpoint_hook(self)
        self.state.seen = -1
        if most > 1:
            self.done += epochs - 1  # the last one is counted and ended by the caller
            self.order.rows = order[:kept]
        if late:
            self.problem.require_range(self.alpha)
        if self.shrinking and self.tol is not None:
            self._shrink()
            if (self.done + 1) % PACE_EPOCHS == 0:
                self._take_cg_steps_if_slow()
        self.state.end_epoch(self.problem.signs, tol)

    def _epochs_at_once(self):
        """The number of epochs in one call of the kernel, after which nothing in Python needs to be done."""
        plain = self.estimates_gap and not self.traced and self.done and self.checkpoint_hook is None
        shuffled = isinstance(self.order.sampling, str) and self.order.sampling == "permutation"
        rows = self.problem.rows
        if not (plain and shuffled) or self.tol is None or self.order.grouped or rows.mapped:
            return 1
        revisit = max(REVISIT_EPOCHS, 2 * self.all_visited_at) if self.shrinking else self.max_iter
        room = rows.chunk_rows() // max(1, len(self.order.rows))
        to_look = PACE_EPOCHS - self.done % PACE_EPOCHS
        return max(1, min(room, to_look, revisit + 1 - self.done, self.max_iter - self.done))

    def _shrink(self):
        """Leave out the rows that this epoch dropped, and set the threshold of the next epoch."""
        if self.state.must_revisit() or self.done >= max(REVISIT_EPOCHS, 2 * self.all_visited_at):
            # Rows were dropped at another intercept, or long ago.
            self.state.screening_intercept = self.state.intercept
            self.dropped[:] = 0
            self.state.dropped_loss = self.state.dropped_dual_margins = 0
            self._visit_all()
        self.order.leave_out(self.dropped)

    def _take_cg_steps_if_slow(self):
        """Take conjugate gradient steps if many epochs seem to be left, and the working set is settled.

        If the gap is no smaller at the next check, they are not taken again.
        """
        state, before = self.state, self.gap_at_last_look
        gap = self.gap_at_last_look = max(state.gap, TINY)
        self.cg_failed = self.cg_failed or (self.cg_taken and gap > before)
        self.cg_taken = False
        target = max(self.tol * (state.loss_sum + state.dual_margins / 2), TINY)
        pace = (math.log(before) - math.log(gap)) / PACE_EPOCHS
        if self.cg_failed or math.log(gap) - math.log(target) <= CG_PAYS_EPOCHS * pace:
            return
        if np.count_nonzero(self.problem.is_free(self.dual, self.loss)) > FREE_SHARE * len(self.order.rows):
            self.cg_taken = True
            state.intercept = free_variable_cg(
                self.problem, self.loss, self.alpha, self.intercept_step, self.w, state.intercept, self.dual
            )
            self._sum_w_positive()

    def on_gap_above_tol(self):
        """Visit the rows again that the certificate did not drop."""
        if self._has_lost_digits():
            self._sum_again()
        if self.shrinking:
            self.state.screening_intercept = self.state.intercept
            self._visit_all()
            self.order.leave_out(self.dropped)

    def _has_lost_digits(self):
        """Whether w is small relative to an earlier w, whose rounding errors it contains."""
        return float(self.w @ self.w) < LOST_DIGITS * self.state.largest_squared_norm

    def _sum_again(self):
        """Compute w anew from the dual variables."""
        self.w[:] = self.problem.primal_from_dual(self.dual, self.alpha)
        self._sum_w_positive()
        self.state.largest_squared_norm = float(self.w @ self.w)

    def _screen(self, scores, intercept):
        """Drop the rows that need no visits at these scores w.x_i; return the sum of all losses."""
        p, s = self.problem, self.state
        total, s.dropped_loss, s.dropped_dual_margins = _sdca.screen_rows(
            scores, p.signs, p.weights, intercept, s
        )
        return total

    def _sum_w_positive(self):
        """Compute `w_positive` from the dual variables of the rows of sign +1."""
        if self.w_positive is not None:
            self.w_positive[:] = self.problem.primal_from_dual(self.dual, self.alpha, (1.0, 0.0))

    def _visit_all(self):
        """Visit all rows except those of weight 0."""
        self.order.reset()
        self.all_visited_at = self.done

    def should_certify(self):
        """Whether the gap is likely to be within `tol`, estimated without a pass.

        The gap was summed over the rows as they were visited: it lags behind by about an epoch's progress,
        and does not include the dropped rows. If X is in memory, some of the rows are measured again.
        """
        if self.tol is None or not self.estimates_gap:
            return False
        s, rows = self.state, self.order.rows
        target = self.tol * (s.loss_sum + s.dual_margins / 2)
        progress = min(FIRST_PROGRESS, FLAT_PROGRESS * self.steepness) if self.done == 1 else s.gap_ratio
        if self.problem.rows.mapped:
            expected = s.gap_estimate * s.gap_ratio
        elif s.is_near_tol(s.gap_estimate * progress, self.tol):
            expected = self._sampled_gap(rows)
        else:
            expected = math.inf
        self.likely_last = not len(rows) or expected <= target
        return self.likely_last

    def _sampled_gap(self, rows):
        """The gap of the candidate summed over these rows, estimated from a sample of them."""
        p, iterate = self.problem, self.iterate()
        self.cached_iterate = iterate
        w = self.w if iterate.w_of_dual is None else iterate.w_of_dual
        step = max(1, len(rows) // max(LEAST_SAMPLE, p.n // SAMPLE_STEP))
        return len(rows) * _sdca.mean_gap(
            *(*p.data, rows, step), w, iterate.intercept, iterate.dual, self.state
        )

    def checkpoint_state(self):
        """The state of the last iterate."""
        return SolverState(self.dual, float(self.state.intercept), self.done, int(self.random[0]))

    def _start_average(self):
        self.averaging_correction[:] = 0
        self.state.averaged = 0

    def iterate(self):
        """The iterate that `averaging` asks for."""
        if self.cached_iterate is not None:
            return self.cached_iterate
        dual, intercept, w = self.dual, self.state.intercept, self.w
        if self.averaging == "tail" and self.state.averaged and self.steps > self.averaging_start:
            dual, w = self.dual - self.averaging_correction / self.state.averaged, None
            self.problem.clip_dual(dual, self.loss)  # rounding
        elif self.drawn_iterate is not None:
            (dual, intercept), w = self.drawn_iterate, None
        if not self.has_intercept:
            return Iterate(w, intercept, dual, w_of_dual=w)
        positive, negative = factors = self.problem.balance_factors(dual)
        if w is None or self._must_be_exact():
            return Iterate(None, intercept, dual, factors)
        if self.w_positive is None:
            lighter = min(factors)  # over the heavier side
            share = SPARE_GAP * self.tol * (1 + lighter) / max(1 - lighter, TINY)
            taken = self.problem.taken_from_few_rows(dual, factors, min(1.0, share))
            w_of_dual = self.problem.primal_from_dual(taken, self.alpha)
            np.subtract(w, w_of_dual, out=w_of_dual)
            left = np.subtract(dual, taken, out=taken)
            lost = float(w_of_dual @ w_of_dual) < LOST_DIGITS * float(w @ w)
            if lost or lighter**2 < LOST_DIGITS:  # the rest may be rounding errors
                self.problem.scale_to_balance(left)
                w_of_dual = None
            return Iterate(None, intercept, left, w_of_dual=w_of_dual)
        w_of_dual = negative * self.w + (positive - negative) * self.w_positive
        return Iterate(None, intercept, dual, factors, w_of_dual)

    def _must_be_exact(self):
        """Whether w must be summed again, because rounding errors in it may matter."""
        return sdca_must_be_exact(self.tol, self.done) or self._has_lost_digits()

    def _with_objective(self, point):
        """The MeasuredIterate with its objective, at the best intercept if X is on disk.

        After an epoch, the solver's own intercept is so far from the best one that the objective may need
        another epoch, which is slow from disk. The solver keeps its own intercept, which controls the sum of
        b_i y_i.
        """
        if self.w_positive is None or self._must_be_exact():
            return super()._with_objective(point)
        p, w = self.problem, point.w
        ridge, scores = self.alpha / 2 * float(w @ w), scores_of(p.rows, w, p.threads)
        intercept, loss = best_intercept(p, scores, point.intercept, self.loss, self.tol * ridge)
        if self.shrinking and self.likely_last:
            self._screen(scores, point.intercept)
        best = point._replace(intercept=intercept)
        if self._rounded(point) is point and (rounded := self._rounded(best)) is not best:
            best = rounded
            loss = loss_and_slope(scores, p.signs, p.weights, best.intercept, self.loss.struct)[0] / p.n
        return best._replace(primal=ridge + loss)

    def _objective(self, w, intercept):
        return self.alpha / 2 * float(w @ w) + self._mean_loss(w, intercept)

    def _mean_loss(self, w, intercept):
        """The mean loss of all rows; if rows are left out, also choose which rows to visit again."""
        p = self.problem
        if not (self.shrinking and self.likely_last):
            return p.mean_loss(w, intercept, self.loss)
        return self._screen(scores_of(p.rows, w, p.threads), intercept) / p.n

    def finalize(self):
        """Make the dual feasible in place, and compute w from it if rounding may matter."""
        if self.has_intercept:
            self.problem.scale_to_balance(self.point.dual)  # the point's w already belongs to it
            return self.point
        if self.estimates_gap and self._must_be_exact():
            self._sum_again()
            return self.measure()
        return self.point


def first_intercept(problem, loss):
    """The best intercept for w = 0; for the hinge, a little nearer to 0."""
    positive, negative = problem.class_weight_sums()
    if not (positive and negative):
        return lossless_intercept(problem, loss)
    odds = math.log(positive / negative)
    if not loss.quadratic:
        return odds
    return min(1.0, max(-1.0, odds)) if loss.straight else math.tanh(odds / 2)


def sdca_must_be_exact(tol, done):
    """Whether rounding errors in w may matter after so many epochs."""
    return tol is None or tol < EXACT_TOL or done > EXACT_EPOCHS


def sdca_intercept_step(alpha, n, mean_square, mean_weight):
    """The squared value of the intercept's column, over alpha n.

    The intercept is found by proximal steps, each on a problem with an extra column, whose squared value is a
    tenth of the mean ||x||^2: a larger value slows the epochs, a smaller one the proximal steps (measured:
    .03 to .2 are alike). If alpha is large, it must exceed the losses' own curvature in the intercept.
    """
    return max(INTERCEPT_SQUARE * (1 / (alpha * n)) * mean_square, INTERCEPT_BENDS / (n * mean_weight))


def longest_intercept_step(problem, loss):
    """The longest step of the intercept: with a rare class, the log loss has little curvature."""
    positive, negative = problem.class_weight_sums()
    if loss.quadratic or not (positive and negative):
        return 0.0
    return INTERCEPT_BENDS * (positive + negative) / (4 * positive * negative)
