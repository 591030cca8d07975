"""Newton's method for many dense rows: the Hessian of a sample, and one pass over all rows per step."""

import math
from typing import NamedTuple

import numpy as np

from . import _newton  # type: ignore[attr-defined]  # compiled
from ._problem import balance_factors
from ._solver import MeasuredIterate, Solver, SolverState
from .newton_solver import (
    GRAM_ROWS,
    LEAST_RATIO,
    MOST_STEPS,
    SAMPLE_ROWS,
    SMOOTH_RATIO,
    newton_direction,
    sample_ridge,
    spread_places,
)

SAMPLE_ERROR = 0.1  # descent that a sample's last step may promise, as a share of the sampling error
SLOW = 0.2  # share of the gap that a step on a sample may leave before the Hessian is computed anew
PASS_COLUMNS = 5  # columns for which a row of the Hessian costs as much as a row of a pass
CHEAP = 0.5  # passes over all rows that the Hessian at a sample's optimum may cost
DESCENT = 0.1  # share of the promised descent that suffices
ROUNDING = 1e-12  # relative change of the objective below which only the gap decides
EXACT, MOST_SWEEPS = 1e-3, 200  # violation that a step with an l1 penalty leaves, and its maximum of sweeps
SHORTEST = 0.1  # smallest share of an uphill step that is tried next


class Part(NamedTuple):
    """All rows, or a copy of some.

    Attributes
    ----------
    values : ndarray of shape (n, d)
    signs, weights : as in `Problem`
    share : float, the weight of a row in the objective
    """

    values: np.ndarray
    signs: np.ndarray
    weights: np.ndarray
    share: float


class SmoothPoint(NamedTuple):
    """A point, measured by one pass over the rows.

    Attributes
    ----------
    w : ndarray, the intercept last
    primal, gap : float; the gap to the balanced `dual`
    dual : ndarray, b_i = c_i (-phi'(m_i))
    factors : (float, float), which balance `dual`, and scale it down if the l1 norm is the only penalty
    z : ndarray with rows for sign -1 and 1: sum_i b_i y_i x_i and, last, sum_i b_i y_i
    """

    w: np.ndarray
    primal: float
    gap: float
    dual: np.ndarray
    factors: tuple[float, float]
    z: np.ndarray


class TallNewtonSolver(Solver):
    """Newton's method for a smooth loss on many more dense rows than columns.

    A step needs the gradient of all rows, which one pass gives, with dual variables and their gap. The
    Hessian of a sample suffices: a step leaves about d / rows of the gap, for d columns and a sample of that
    many rows. If it leaves more, the Hessian is computed anew from more rows.

    Parameters
    ----------
    problem, params, start : as in `make_solver`
        The problem has dense rows and a smooth loss. An epoch is a step and its pass.
    """

    solver = "newton"

    def __init__(self, problem, params, start=None) -> None:
        super().__init__(problem, params, random=np.zeros(1, np.uint64))
        rows, self.d = problem.rows, problem.rows.n_columns
        self.start, self.size = start, self.d + self.has_intercept
        self.a1, self.a2 = params.alpha * params.l1_share, params.alpha * (1 - params.l1_share)
        self.all = Part(rows.values.reshape(-1, self.d), problem.signs, problem.weights, 1 / problem.n)
        self.used = np.flatnonzero(problem.weights) if problem.weights.size else None
        self.n_used = problem.n if self.used is None else len(self.used)
        self.ridge = sample_ridge(rows)
        self.hessian, self.hessian_rows, self.hessian_w = None, 0, None  # with its number of rows, and its w
        self.here = self.best = None  # the SmoothPoint to step from, and the one with the smallest gap
        self.stalled = 0
        self.rounding = problem.rounding if self.a1 else 0.0  # relative error of the gap with an l1 norm

    def run_epoch(self):
        """Take a step, then a pass over all rows, which gives the certificate."""
        if self.here is None:
            self.begin()
            return
        here, point = self.here, self.take_step(self.all)
        better = point.gap < 0.9 * self.best.gap or point.primal < (1 - 1e-9) * here.primal
        self.stalled = 0 if better else self.stalled + 1
        if point.gap < self.best.gap:
            self.best = point

    def begin(self):
        """Find a starting point, and measure it."""
        w = np.zeros(self.d + 1)
        if self.start is None:
            w = self.solve_samples(w)
        else:
            first, intercept, *near = self.start
            if self.a1:
                w[:-1] = first
            else:  # dual variables, and possibly a better w than w(b)
                w[:-1] = near[0] if near else self.problem.primal_from_dual(first, self.alpha)
            w[-1] = intercept if self.has_intercept else 0
            self.renew_hessian(self.all, w)
        self.best = self.look_at(self.all, w)
        self.go_to(self.best, self.all)

    def solve_samples(self, w):
        """Solve growing samples approximately, from w; alpha as in `NewtonSolver.solve_samples`."""
        a2, size = self.a2, SAMPLE_ROWS * self.size
        while size * LEAST_RATIO < self.n_used:
            part = self.sample(size)
            self.a2 = max(a2, self.ridge / size)
            self.renew_hessian(part, w)
            self.go_to(self.look_at(part, w), part)
            for _ in range(MOST_STEPS):
                if not self.promise > SAMPLE_ERROR * self.here.primal * self.size / (2 * size):
                    break
                self.take_step(part)
            w = self.here.w + self.direction
            size *= SMOOTH_RATIO
        self.a2 = a2
        if self.hessian is None:  # too few rows for a sample
            self.renew_hessian(self.all, w)
        elif self.hessian_cost(self.hessian_rows) < CHEAP:
            self.renew_hessian(part, w)
        return w

    def sample(self, size):
        """One row from each of as many equal parts of the rows with a weight, or all rows if few have one."""
        if size >= self.n_used:
            return self.all
        which = spread_places(size, self.n_used, self.random)
        which = which if self.used is None else self.used[which]
        values, signs, weights, share = self.all
        weights = weights[which] if weights.size else weights
        return Part(values[which], signs[which], weights, share * self.n_used / size)

    def look_at(self, part, w, curvature=None):
        """The SmoothPoint of w; write -db_i/dm_i to `curvature`.

        Let b be scaled by 1 - t, with a t per sign, v_j belong to it, and u_j be v_j clipped to [-a1, a1]. P
        - D is the sum of ||v - u - a2 w||^2 / (2 a2), of sum_j a1 |w_j| - w_j u_j, and of the distance of the
        dual terms from their tangents. The larger side is scaled down; if a2 is 0, both are, until v = u.
        """
        if part is self.all and self.a2:  # with a2 = 0, the bound would be off by as much as v_j
            w = self.as_kept(w)  # so the result needs no pass of its own
        n, z, sums = len(part.signs), np.zeros((2, self.d + 1)), np.zeros((2, 3))
        dual, curvature = np.empty(n), np.empty(0) if curvature is None else curvature
        data = part.values.reshape(-1), part.signs, part.weights, self.loss.struct, w
        step = self.problem.rows.chunk_rows()
        for first in range(0, n, step):
            if self.cancelled:
                raise KeyboardInterrupt
            _newton.smooth_pass(*data, dual, curvature, z, sums, first, min(first + step, n))
            self.problem.rows.release()
        factors = np.array(balance_factors(z[1, -1], -z[0, -1]) if self.has_intercept else (1.0, 1.0))
        pull = factors[0] * z[1, :-1] + factors[1] * z[0, :-1]
        losses, at_bound, bend = part.share * sums[::-1].T  # of sign 1, and of -1
        most, norm = self.a1 / part.share, float(np.abs(w[:-1]).sum())

        def gap_of(scale):
            taken = 1 - scale * factors
            some, t = taken > 0, taken[taken > 0]
            gap = float(np.minimum(t * at_bound[some] + t * t * bend[some], t * losses[some]).sum())
            near = np.clip(scale * pull, -most, most)
            if self.a1:
                gap += self.a1 * norm - part.share * float(w[:-1] @ near)
            if self.a2:
                short = w[:-1] - (scale * pull - near) * (part.share / self.a2)
                gap += self.a2 / 2 * float(short @ short)
            return gap, scale

        scales = {1.0} if self.a2 else set()
        if self.a1:
            scales.add(most / max(most, np.abs(pull).max()))
        gap, scale = min(map(gap_of, scales))
        primal = self.a1 * norm + self.a2 / 2 * float(w[:-1] @ w[:-1]) + float(losses.sum())
        return SmoothPoint(w, primal, gap + self.rounding * primal, dual, tuple(scale * factors), z)

    def as_kept(self, w):
        """`w` rounded as in the result, unless that overflows."""
        with np.errstate(over="ignore"):
            rounded = np.asarray(w, self.kept_as).astype(float)
        return rounded if np.isfinite(rounded).all() else w

    def take_step(self, part):
        """Measure the point after a step, and continue from it if it is better; return that SmoothPoint."""
        here, there = self.here, self.look_at(part, self.here.w + self.length * self.direction)
        descends = there.primal <= here.primal - DESCENT * self.length * self.promise
        if descends or (there.gap < here.gap and there.primal <= (1 + ROUNDING) * here.primal):
            if self.is_slow(part, here.gap, there):
                self.renew_hessian(part, there.w)
            self.go_to(there, part)
        elif self.hessian_w is not here.w:
            self.renew_hessian(part, here.w)
            self.go_to(here, part)
        else:  # up to the zero of a linear slope
            slope = self.gradient(there, part)
            slope[: self.d] += self.a1 * np.sign(there.w[:-1])
            rise = max(0.0, float(slope @ self.direction[: self.size]))
            fall = 2 * self.promise
            self.length *= min(max(SHORTEST, fall / (fall + rise)), 1 - SHORTEST)
        return there

    def hessian_cost(self, rows):
        """The cost of the Hessian of `rows` rows, in passes over all rows."""
        return rows / self.n_used * self.size / PASS_COLUMNS

    def is_slow(self, part, gap, there):
        """Whether a new Hessian is worth its cost, after a step from a point with this gap."""
        if part is not self.all or not there.gap < gap:
            return there.gap > SLOW * gap
        far = math.log(max(there.gap, 1e-300) / max((self.tol or 0) * there.primal, 1e-6 * there.gap))
        rows = min(SMOOTH_RATIO * self.hessian_rows, self.n_used)
        steps = 1 + far / math.log(rows / self.size)
        return far / math.log(gap / there.gap) > self.hessian_cost(rows) + steps

    def go_to(self, point, part):
        """Continue from this point, with a step by the present Hessian."""
        self.here, self.length = point, 1.0
        g, H = self.gradient(point, part), self.hessian[: self.size, : self.size].copy()
        diagonal = H.reshape(-1)[:: self.size + 1]
        # A column that is 0 in all rows of a sample may not be so in the other rows.
        unsure = (diagonal[: self.d] == 0) & (self.hessian_rows < self.n_used)
        diagonal[: self.d] += np.where(unsure, max(self.a2, self.ridge / self.hessian_rows), self.a2)
        if self.has_intercept:
            diagonal[-1] += 1e-3 * abs(g[-1]) + 1e-300
        if self.a1:
            p, self.promise = l1_direction(H, g, point.w[:-1], self.a1)
        else:
            p, self.promise = newton_direction(H, g)
        self.direction = np.zeros(self.d + 1)
        self.direction[: self.size] = p

    def gradient(self, point, part):
        """The gradient of the objective without the l1 norm; the intercept's entry, if any, comes last."""
        g = -part.share * point.z.sum(axis=0)
        g[:-1] += self.a2 * point.w[:-1]
        return g[: self.size]

    def renew_hessian(self, part, w):
        """Compute the Hessian at w from `part`; for all rows, from a larger sample than the last one."""
        if part is self.all:
            size = self.hessian_rows * SMOOTH_RATIO or SAMPLE_ROWS * SMOOTH_RATIO * self.size
            part = self.sample(size)
        n = len(part.signs)
        self.look_at(part, w, curvature := np.empty(n))
        self.hessian, self.hessian_rows, self.hessian_w = np.zeros((self.d + 1, self.d + 1)), n, w
        block = np.empty((min(n, GRAM_ROWS), self.d + 1))
        for first in range(0, n, GRAM_ROWS):
            root = np.sqrt(curvature[first : first + GRAM_ROWS])
            rows = block[: len(root)]
            np.multiply(part.values[first : first + GRAM_ROWS], root[:, np.newaxis], out=rows[:, :-1])
            rows[:, -1] = root
            self.hessian += rows.T @ rows
        self.hessian *= part.share

    def checkpoint_state(self):
        """The state of the best point so far."""
        return SolverState(self.best.dual, float(self.best.w[-1]), self.done, int(self.random[0]))

    def restore(self, state):
        """Continue from this state."""
        self.begin()
        super().restore(state)

    def should_certify(self):
        """True, since every epoch has its certificate."""
        return True

    def measure(self):
        """The best point so far."""
        w, primal, gap, dual, _, _ = self.best
        return MeasuredIterate(w[:-1], float(w[-1]), dual, primal, primal - gap)

    def finalize(self):
        """The best point, with balanced dual variables."""
        positive, negative = self.best.factors
        if positive < 1 or negative < 1:
            dual = np.where(self.problem.signs > 0, positive, negative)
            dual *= self.best.dual
            self.best = self.best._replace(dual=dual, factors=(1.0, 1.0))
        return self.measure()

    def finished(self):
        """Whether double precision allows no further progress."""
        exact = max(1e-15, 2 * self.rounding)
        return self.best is not None and (self.best.gap <= exact * self.best.primal or self.stalled > 5)

    def _objective(self, w, intercept):
        return self.params.penalty_of(w) + self.problem.mean_loss(w, intercept, self.loss)


def l1_direction(H, g, w, a1):
    """The p that nearly minimises g.p + p.H p / 2 + a1 ||w + p||_1, and the descent that it promises.

    Sweeps find the nonzero weights; a linear system gives their values, up to the first that becomes 0.
    """
    z, slope, a = np.zeros(len(g)), g.copy(), np.zeros(len(g))
    z[: len(w)], a[: len(w)] = w, a1
    before, enough = z.copy(), None
    for _ in range(MOST_SWEEPS):
        met = _newton.sweep(H, slope, z, a)
        enough = EXACT * met if enough is None else enough
        if met <= enough:
            break
        used = np.flatnonzero((z != 0) | (a == 0))
        move, _ = newton_direction(H[np.ix_(used, used)], slope[used] + a[used] * np.sign(z[used]))
        crossing = np.full(len(used), math.inf)
        np.divide(-z[used], move, out=crossing, where=(move * z[used] < 0) & (a[used] > 0))
        share = min(1.0, crossing.min(initial=math.inf))
        z[used] += share * move
        z[used[crossing <= share]] = 0
        slope = g + H @ (z - before)
    p = z - before
    return p, float(a @ (np.abs(before) - np.abs(z)) - (g + slope) @ p / 2)
