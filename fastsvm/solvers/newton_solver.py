"""The Python part of Newton's method: working sets of rows, the width of the bend, the stopping rule."""

import math

import numpy as np

from . import _newton  # type: ignore[attr-defined]  # compiled
from ._random import draw_rows
from ._solver import MeasuredIterate, Solver, SolverState

MOST_COLUMNS = 5000  # the largest supported number: a system of 200 MB
# The effect of each constant is measured by `python -m benchmarks.tuning newton`; see benchmarks/README.md.
SAMPLE_ROWS = 20  # rows of the first sample per column
SAMPLE_RATIO = 4  # growth of the samples
SMOOTH_RATIO = 16  # the same for smooth losses
LEAST_RATIO = 2.5  # smallest ratio of all rows to those of the last sample
SAMPLE_GAP = 1e-3  # relative gap to reach on samples
SAMPLE_RIDGE = 4  # smallest alpha on a sample, in squares of a value over its rows
ACTIVE_GAP = 0.5  # gap of the active set to reach in an epoch, as a share of the one that `tol` allows
NEXT_GAP = 1e-3  # the same without `tol`, as a share of the previous gap, and at first of the objective
ACTIVE_WIDTH = 2.0  # of the active set around the bend, in root mean squares of the margins' last change
ACTIVE_BENDS = 1.5  # and in widths of the hinge's rounded bend, 1 / penalty
LARGEST_PENALTY = 1e8  # times the Hessian's largest entry over alpha: above it, rounding errors dominate
PENALTY_GROWTH = 4  # factor with each update of the multipliers
MULTIPLIER_SHARE = 0.1  # multipliers move once a step promises at most this share of the slack
LINE_SLOPE = 0.3  # share of the slope that the line search may leave
MOST_STEPS = 100  # Newton steps per epoch
STALE = 0.03  # share of the last step's promise above which the log loss's Hessian is computed anew
GRAM_ROWS = 512  # rows per matrix product
WIDE = 1 << 31  # range of the random numbers that choose rows
SMALL_SYSTEM = 32  # unknowns up to which LAPACK's overhead exceeds its work
SHORT_ROW = 32  # values per row up to which its outer product is added value by value


class NewtonSubproblem:
    """Some rows of a problem: their margins, their dual variables, and which are active."""

    def __init__(self, problem, which):
        used = np.count_nonzero(problem.weights) if problem.weights.size else problem.n
        self.which = which
        self.share = used / (len(which) * problem.n)  # weight of a row in the objective
        self.weights = problem.weights[which] if problem.weights.size else problem.weights
        self.margin, self.dual = np.zeros(len(which)), np.zeros(len(which))
        self.active = np.zeros(len(which), np.uint8)

    def weights_of(self, near):
        """The weights of the rows at the places `near`."""
        return self.weights[near] if self.weights.size else self.weights


class NewtonSolver(Solver):
    """Newton's method on one problem of few columns, an epoch at a time.

    A step solves a system of the size of w, whose matrix is summed over the rows at which the loss is curved.
    The formulas are in `_newton.pyx`.

    Steps use the active set, the rows near the bend. The loss of the other rows is a straight line around
    their margins. An epoch ends with a pass over all rows, the certificate, and a new active set. If there
    are many more rows than columns, the first epoch is preceded by approximate solutions on growing samples.

    Parameters
    ----------
    problem : Problem
        With few columns: the system takes 8 bytes times the square of their number.
    params : SDCAParams
        An epoch is some steps, then a pass over all rows.
    start : as in `make_solver`
    """

    solver = "newton"

    def __init__(self, problem, params, start=None) -> None:
        super().__init__(problem, params, random=np.zeros(1, np.uint64))
        if not self.loss.newton:
            raise ValueError(
                f"solver='newton' does not support loss={self.loss.name!r}. Use solver='coordinate'."
            )
        self.start, self.matrix, self.d = start, problem.rows.matrix, problem.rows.n_columns
        self.size = self.d + self.has_intercept
        self.w = np.zeros(self.d + 1)  # the intercept comes last
        self.penalty, self.largest_penalty = 1.0, LARGEST_PENALTY
        self.radius = math.inf
        self.all, self.stalled = None, 0
        self.hessian_half, self.hessian_rows = None, None  # half the Hessian, the ActiveSet of its rows
        self.hessian_share = 0.0

    def run_epoch(self):
        """Newton steps on the active rows, then a pass over all rows and its certificate."""
        if self.all is None:
            self.begin()
        fresh = self.point is None and self.start is None
        if self.tol is None:
            target = NEXT_GAP * (self.value if self.point is None else self.point.gap)
        else:
            target = ACTIVE_GAP * self.tol * self.value
        sub, before = self.all, self.w.copy()
        self.solve_subproblem(sub, target, fresh)
        w_after = self.w.copy()
        point = self.certify()
        better = self.point is None or point.gap < self.point.gap
        self.stalled = 0 if self.point is None or point.gap < 0.9 * self.point.gap else self.stalled + 1
        if better:
            self.point = point._replace(dual=point.dual.copy())
        if self.stalled:
            self.lower_penalty()
        if point.primal <= self.value * (2 if better else 1 + 1e-12):
            self.value = point.primal
            self.radius = max(ACTIVE_WIDTH * self.margin_change, ACTIVE_BENDS / self.penalty)
            sub.active[:] = 0
        else:
            # Inactive rows moved, or there were too few steps: repeat, with more active rows.
            everything = sub.active.all()
            self.activate(sub)
            self.radius *= 4
            self.penalty = min(self.penalty, max(1.0, ACTIVE_BENDS / self.radius))
            self.w = w_after if everything else before
            loss, _ = self.measure_margins(sub)
            self.value = loss + self.ridge()

    def begin(self):
        """Find a starting point."""
        problem = self.problem
        used = np.arange(problem.n, dtype=np.int32)
        if problem.weights.size:
            used = used[problem.weights > 0]
        self.all = NewtonSubproblem(problem, used)
        if self.start is None:
            self.solve_samples(used)
        else:
            dual, intercept, *near = self.start  # possibly a better w than w(b), and the error of its margins
            dual = dual.copy()
            problem.clip_dual(dual, self.loss)
            self.all.dual[:] = dual[used]
            self.w[:-1], moved = near or (problem.primal_from_dual(dual, self.alpha), math.inf)
            self.radius = ACTIVE_WIDTH * moved or math.inf
            self.w[-1] = intercept if self.has_intercept else 0
            self.z = self.row_sums(self.all)
        loss, _ = self.measure_margins(self.all)
        self.value = loss + self.ridge()

    def solve_samples(self, used):
        """Solve samples, which take one row from each of as many equal parts of `used`.

        The alpha of a sample is larger, so that w does not overfit columns that are rare in its rows.
        """
        size = SAMPLE_ROWS * self.size
        wide = math.inf  # the moves on the first sample say nothing
        alpha, rows, ridge = self.alpha, self.problem.rows, 0.0
        if self.loss.smooth or not rows.dense:  # otherwise it would only enlarge the hinge's active sets
            ridge = sample_ridge(rows)
        while size * LEAST_RATIO < len(used):
            sub = NewtonSubproblem(self.problem, used[spread_places(size, len(used), self.random)])
            self.alpha = max(alpha, ridge / size)
            loss, _ = self.measure_margins(sub)
            self.value = loss + self.ridge()
            self.solve_subproblem(sub, SAMPLE_GAP * self.value, fresh=True)
            _, moved = self.measure_margins(sub)
            self.radius = max(wide * moved, ACTIVE_BENDS / self.penalty) if moved else math.inf
            self.penalty = min(self.penalty, max(1.0, ACTIVE_BENDS / self.radius))
            wide = ACTIVE_WIDTH
            size *= SMOOTH_RATIO if self.loss.smooth else SAMPLE_RATIO
        self.alpha = alpha

    def solve_subproblem(self, sub, target, fresh):
        """Take steps on the active rows until their gap is `target`; all b are computed anew if `fresh`."""
        if fresh:
            straight = sub.weights if sub.weights.size else 1.0
            sub.dual[:] = straight * (sub.margin < 1) if self.loss.straight else 0
        self.activate(sub)
        near = slice(None) if sub.active.all() else np.flatnonzero(sub.active)
        if fresh:
            if not self.loss.smooth:
                sub.dual[near] = 0.5 * sub.weights_of(near) if sub.weights.size else 0.5
            self.z = self.row_sums(sub)
        margin = sub.margin[near].copy()  # whose changes decide the next active set
        active = _newton.ActiveSet(
            self.loss.struct, sub.which[near], sub.weights_of(near), margin, sub.dual[near]
        )
        if not self.loss.smooth:
            active.penalty = self.penalty
            active.multiplier[:] = active.dual
        self.newton_steps(active, sub.share, target)
        self.penalty = active.penalty
        sub.dual[near] = active.dual

    def newton_steps(self, active, share, target):
        """Take Newton steps on `active`, whose rows have the weight `share` in the objective."""
        lowest, idle, before = math.inf, 0, self.value
        g, H, short = np.empty(self.size), np.empty((self.size, self.size)), np.empty(self.d)
        for step_number in range(MOST_STEPS):
            slack, *curved = self.update_duals(active)
            slack *= share
            if self.hessian_half is None or self.loss.quadratic:
                self.update_hessian(active, share, *curved)
            quick = self.fill_system(active, share, g, H, short)
            if slack + quick <= target and self.is_enough(active, short, target / share, step_number):
                return
            p, promise = newton_direction(H, g)
            if not (self.loss.quadratic or promise <= STALE * before):
                self.update_hessian(active, share, *curved)
                self.fill_system(active, share, g, H, short)
                p, promise = newton_direction(H, g)
            before = promise
            if promise > self.value:  # impossible: too few rows are curved; take a step of Polyak's length
                H.reshape(-1)[:: self.size + 1] += float(g @ g) / (2 * self.value)
                p, promise = newton_direction(H, g)
            idle += 0.1 * lowest <= promise <= 1e-12 * self.value
            lowest = min(lowest, promise)
            if idle > 2 or not math.isfinite(promise):  # no further digits
                return
            step = np.zeros(self.d + 1)
            step[: self.size] = p
            self.project(active, step)
            _newton.take_step(active, step, self.z, self.w, self.alpha, share, LINE_SLOPE)
            if not self.loss.smooth and slack > target and promise <= MULTIPLIER_SHARE * slack:
                _newton.update_multipliers(active)
                if share * active.penalty * self.hessian_half.max() < self.largest_penalty * self.alpha:
                    active.penalty *= PENALTY_GROWTH
                    lowest, idle = math.inf, 0

    def update_duals(self, active):
        """Set b to its value at the margins; return n times the hinge's gap, and counts for the Hessian."""
        slack, bent, changed = 0.0, 0, 0
        for part in self.parts(len(active.which)):
            sums = _newton.update_duals(*self.matrix, self.problem.signs, active, self.z, *part)
            slack, bent, changed = slack + sums[0], bent + sums[1], changed + sums[2]
        return slack, bent, changed

    def update_hessian(self, active, share, bent, changed):
        """Update the Hessian to the margins."""
        if changed > bent or self.hessian_rows is not active:
            self.hessian_half = np.zeros((self.d + 1, self.d + 1))
            active.held[:] = 0
        self.hessian_rows, self.hessian_share = active, share
        if changed and self.problem.rows.n_values < SHORT_ROW * self.problem.n:
            for part in self.parts(len(active.which)):
                _newton.update_hessian(*self.matrix, active, self.hessian_half, *part)
        elif changed:
            block = np.empty((min(len(active.which), GRAM_ROWS), self.d + 1))
            for side in (1, -1):
                at = 0
                while at < len(active.which):
                    count, at = _newton.gather_hessian_rows(*self.matrix, active, side, block, at)
                    self.hessian_half += 0.5 * side * (block[:count].T @ block[:count])

    def fill_system(self, active, share, g, H, short):
        """Fill in the gradient, the Hessian and w - w(b); return what that difference adds to the gap."""
        curvature = self.hessian_share * active.penalty
        return _newton.fill_system(
            self.hessian_half, curvature, self.z, self.w, self.alpha, share, g, H, short
        )

    def is_enough(self, active, short, target, steps):
        """Whether the gap of the active rows, at the w of their dual variables, is `target` or less.

        For a smooth loss, the certificate decides; the next epoch takes a step if the gap is too large.
        """
        if self.loss.smooth:
            return steps > 0 or self.point is None
        self.project(active, np.append(-short, 0.0))
        return _newton.newton_excess(active) <= target

    def certify(self):
        """The MeasuredIterate of the dual variables; its w replaces the solver's."""
        problem, sub = self.problem, self.all
        dual = sub.dual
        if len(sub.which) < problem.n:
            dual = np.zeros(problem.n)
            dual[sub.which] = sub.dual
        if self.has_intercept:
            problem.scale_to_balance(dual)
            sub.dual[:] = dual[sub.which]
        self.z = self.row_sums(sub)
        w = self.z.sum(axis=0)[:-1] * (sub.share / self.alpha)
        self.w[:-1] = w
        loss, self.margin_change = self.measure_margins(sub)
        bound = problem.dual_value(dual, w, self.loss, self.alpha)
        return MeasuredIterate(w, float(self.w[-1]), dual, self.ridge() + loss, bound)

    def lower_penalty(self):
        """Widen the bend again, since rounding errors of a margin are multiplied by `penalty` in b."""
        stiffness = self.penalty * self.all.share * self.hessian_half.max() / self.alpha
        if stiffness > 1e3:
            self.largest_penalty = min(self.largest_penalty, stiffness) / 100
            self.penalty *= self.largest_penalty / stiffness

    def ridge(self):
        """alpha/2 ||w||^2."""
        return self.alpha / 2 * float(self.w[:-1] @ self.w[:-1])

    def parts(self, count):
        """Yield parts of a pass over `count` rows, short enough for Ctrl-C and `cancelled` to act."""
        rows = self.problem.rows
        step = rows.chunk_rows()
        for first in range(0, count, step):
            if self.cancelled:
                raise KeyboardInterrupt
            yield first, min(first + step, count)
            rows.release()

    def measure_margins(self, sub):
        """Compute the margins at w; return the mean loss, and the root mean square change of the margins."""
        total = moved = 0.0
        for first, last in self.parts(len(sub.which)):
            moved += _newton.newton_margins(
                *self.matrix, self.problem.signs, sub.which, self.w, sub.margin, first, last
            )
            some = slice(first, last)
            total += _newton.newton_loss_sum(self.loss.struct, sub.margin[some], sub.weights[some])
        return total * sub.share, math.sqrt(moved / len(sub.which))

    def project(self, active, step):
        """Compute by how much a step changes the margins."""
        for part in self.parts(len(active.which)):
            _newton.newton_margins(*self.matrix, self.problem.signs, active.which, step, active.change, *part)

    def row_sums(self, sub):
        """sum_i b_i y_i x_i and sum_i b_i y_i, for either sign y."""
        z = np.zeros((2, self.d + 1))
        for part in self.parts(len(sub.which)):
            _newton.newton_row_sums(*self.matrix, self.problem.signs, sub.which, sub.dual, z, *part)
        return z

    def activate(self, sub):
        """Make the rows near the bend active."""
        _newton.activate_rows(self.loss.struct, sub.margin, sub.weights, sub.dual, self.radius, sub.active)

    def checkpoint_state(self):
        """The state of the best point so far."""
        return SolverState(self.point.dual, self.point.intercept, self.done, int(self.random[0]))

    def restore(self, state):
        """Continue from this state."""
        self.begin()
        point = self.certify()
        self.point = point._replace(dual=point.dual.copy())
        super().restore(state)

    def should_certify(self):
        """True, since every epoch has its certificate."""
        return True

    def measure(self):
        """The best point so far."""
        return self.point

    def finished(self):
        """Whether double precision allows no further progress."""
        exact = self.point is not None and self.point.gap <= 1e-15 * self.point.primal
        return exact or self.stalled > 5


def sample_ridge(rows):
    """The smallest alpha on a sample, times the number of its rows."""
    return SAMPLE_RIDGE * rows.squared_norms().sum() / max(1, rows.n_values)


def spread_places(size, n, random):
    """One of n places from each of `size` equal parts of them, drawn at random; ascending."""
    draw_rows(drawn := np.empty(size, np.int32), WIDE, random)
    return ((np.arange(size) + drawn / WIDE) * (n / size)).astype(np.intp)


def newton_direction(H, g):
    """Solve H p = -g, with a ridge if H is numerically singular; return p and its promised descent."""
    diagonal = H.diagonal().copy()
    for ridge in (0.0, 1e-14, 1e-12, 1e-10, 1e-8, 1e-4, 1.0):
        if ridge:
            H.reshape(-1)[:: len(H) + 1] = diagonal * (1 + ridge) + 1e-300
        factor = cholesky(H)
        if factor is not None:
            p = _newton.solve_factorised(H, factor, -g)
            return p, -0.5 * float(p @ g)
    return g, math.nan


def cholesky(H):
    """The lower triangular factor of H; None if H is not positive definite."""
    if len(H) <= SMALL_SYSTEM:
        factor = np.empty_like(H)
        return factor if _newton.cholesky(H, factor) else None
    try:
        return np.linalg.cholesky(H)
    except np.linalg.LinAlgError:
        return None
