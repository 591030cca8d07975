"""The runs for ever smaller alpha, and the solutions between two that take none."""

import math
from typing import NamedTuple

import numpy as np

from .._utils.blas import one_blas_thread
from ..solvers._rows import dual_sum
from ..solvers._scores import scores_of
from ..solvers._solver import Result
from ..solvers.losses import as_loss
from ..solvers.newton_solver import suits_newton
from ..solvers.sdca_solver import make_sdca_solver
from .engine import solve_all

# 2.4 to 5.7 are alike (passes over X of five texts and three grids, time on three tables).
REACH = 3.2  # times as small the next alpha to solve may be for a smooth loss; and again by Newton's method


class Solution(NamedTuple):
    """The solution at the k-th alpha, with what it takes to combine it with another without passes over X.

    Attributes
    ----------
    k : int
    alpha : float
    result : Result
    sums : ndarray of w's shape, alpha w(b), which is linear in b
    margins : ndarray of shape (n_rows,), or None where nothing is combined
    """

    k: int
    alpha: float
    result: Result
    sums: np.ndarray
    margins: np.ndarray | None


class Path:
    """The runs of one problem for ever smaller alpha.

    An alpha further down comes first. Those in between are then looked for on the lines between the two
    solutions, of w and of b: objective and bound cost no pass over X there.

    Parameters
    ----------
    problem : Problem
    alphas : ndarray, decreasing
    random : random generator's state
    tol : float or None
    loss, fit_intercept, max_iter : as in `sdca`
    """

    def __init__(self, problem, alphas, random, tol, **options):
        self.problem, self.alphas, self.random, self.tol = problem, alphas, random, tol
        self.options, self.loss = options, as_loss(options["loss"])
        self.last = self.before = self.between = None
        self.ahead, self.goal, self.moved = [], 0, math.inf
        self.on_lines = tol is not None and (self.loss.smooth or self._suits_newton(alphas[-1]))

    def needs_run(self, k):
        """Whether the solution at the k-th alpha, the next, takes a run: that of `make_solver`."""
        while not self.ahead or self.ahead[-1].k > k:
            if not self.ahead:
                self.goal = self._next_goal(k) if k > 0 and self.on_lines else k
                return True
            self.goal = (k - 1 + self.ahead[-1].k) // 2
            solution = self._solution_between(self.last, self.ahead[-1])
            if not solution.result.gap <= self.tol * solution.result.objective:
                self.between = solution
                return True
            self.ahead.append(solution)
        return False

    def _next_goal(self, k):
        least = self.alphas[k - 1] / REACH ** (self.loss.smooth + self._suits_newton(self.alphas[k]))
        return max(k, np.count_nonzero(self.alphas >= least) - 1)

    def _suits_newton(self, alpha):
        fit_intercept = self.options["fit_intercept"]
        return suits_newton(
            self.problem, loss=self.loss, alpha=alpha, tol=self.tol, fit_intercept=fit_intercept
        )

    def make_solver(self, threads=1):
        """The run that is needed."""
        problem, alpha, between = self.problem.with_threads(threads), self.alphas[self.goal], self.between
        newton, start, near = self._suits_newton(alpha), None, between or self.last
        if near is not None:
            start = near.result.dual, near.result.intercept
            if newton:
                start = *start, near.result.w, self._moved()
            else:
                start = (*start, near.sums / alpha) if between is not None else self._best_start(alpha)
        solver = "newton" if newton else "coordinate"
        return make_sdca_solver(
            problem, alpha=alpha, random=self.random, solver=solver, start=start, **self.options
        )

    def _moved(self):
        """How far off the margins are at the start, about, in root mean square: on a line by t (1 - t)."""
        return self.moved if self.between is None else distance(self.last, self.ahead[-1]) / 4

    def add(self, result, threads=1):
        """Remember the result of the run."""
        p, alpha, margins = self.problem, self.alphas[self.goal], None
        if self.on_lines:
            margins = p.signs * (scores_of(p.rows, result.w, threads) + result.intercept)
        self.ahead.append(Solution(self.goal, alpha, result, alpha * result.w, margins))
        self.between = None

    def take(self):
        """The result at the next alpha."""
        solution, last = self.ahead.pop(), self.last
        if last is not None and self.on_lines:
            self.moved = distance(last, solution)
        if last is not None and last.alpha > solution.alpha and self.loss.smooth:
            self.before = last.alpha, last.result.dual
        self.last = solution
        return solution.result

    def _bound(self, dual, square, alpha):
        """D, given alpha^2 ||w(b)||^2."""
        p = self.problem
        return dual_sum(p.signs, dual, p.weights, self.loss.struct) / p.n - square / (2 * alpha)

    def _solution_between(self, left, right):
        """The solution at the alpha wanted, within `tol` or not: w of least objective, b of greatest bound.

        They are at the same place as alpha is on the grid, or where a parabola says is better.
        """
        alpha, (one, two), p = self.alphas[self.goal], (left.result, right.result), self.problem
        norms, squares = products(one.w, two.w), products(left.sums, right.sums)

        def objective(t):
            margins = blend(left.margins, right.margins, t)
            return p.mean_loss_at(margins, self.loss) + alpha / 2 * square(norms, t)

        def minus_bound(u):
            return -self._bound(blend(one.dual, two.dual, u), square(squares, u), alpha)

        t = u = (self.goal - left.k) / (right.k - left.k)
        primal, dual = objective(t), minus_bound(u)
        if not primal + dual <= self.tol * primal:
            ends = list(zip((left, right), norms[::2], squares[::2], strict=True))
            of_ends = (s.result.objective + (alpha - s.alpha) / 2 * norm for s, norm, _ in ends)
            t, primal = lower(objective, t, primal, *of_ends)
            of_ends = (
                s.result.gap - s.result.objective + (1 / alpha - 1 / s.alpha) / 2 * norm
                for s, _, norm in ends
            )
            u, dual = lower(minus_bound, u, dual, *of_ends)
        w, intercept = blend(one.w, two.w, t), blend(one.intercept, two.intercept, t)
        b, sums = blend(one.dual, two.dual, u), blend(left.sums, right.sums, u)
        result = Result(w, intercept, b, primal, max(primal + dual, 0.0), 0, [], two.solver)
        return Solution(self.goal, alpha, result, sums, blend(left.margins, right.margins, t))

    def _best_start(self, alpha):
        """The start with the best bound among multiples of the last dual variables.

        Where most rows are at a bound, their b stay as alpha shrinks and w grows; where a plane parts the
        classes, w stays and all b shrink with alpha. Which multiple of b is between is found without a
        pass over X. For losses whose b change smoothly, so are multiples of what continues the line
        through the last two solutions.
        """
        last = self.last
        dual = last.result.dual
        starts = [self._best_multiple(dual, last.sums / alpha, alpha)]
        if self.before is not None:
            alpha_0, before = self.before
            dual = dual + (last.alpha - alpha) / (alpha_0 - last.alpha) * (dual - before)
            self.problem.clip_dual(dual, self.loss)
            if self.options["fit_intercept"]:
                self.problem.rebalance(dual)
            starts.append(self._best_multiple(dual, self.problem.primal_from_dual(dual, alpha), alpha))
        _, dual, w = max(starts, key=lambda start: start[0])
        return dual, last.result.intercept, w

    def _best_multiple(self, dual, w, alpha):
        """The best bound of t * dual, nearly, that multiple, and its w."""
        norm = alpha**2 * float(w @ w)
        t, best = best_dual_multiple(
            lambda t: self._bound(t * dual, t * t * norm, alpha), min(1.0, alpha / self.last.alpha)
        )
        return best, t * dual, t * w


def distance(one, two):
    """Root mean square of the differences between margins."""
    return float(np.sqrt(np.mean(np.square(two.margins - one.margins))))


def blend(one, two, t):
    """The place t of the way from one to two, which is one where they are equal."""
    return one + t * (two - one)


def products(one, two):
    """The products of one with itself, of the two, and of two with itself."""
    return float(one @ one), float(one @ two), float(two @ two)


def square(products, t):
    """||blend(one, two, t)||^2."""
    return (1 - t) ** 2 * products[0] + 2 * t * (1 - t) * products[1] + t**2 * products[2]


def lower(value, middle, at_middle, left, right):
    """A t with a lower value(t) than `middle`, where a parabola through those at 0, there and 1 has one."""
    found, slope = (middle, at_middle), (at_middle - left) / middle
    bend = (right - left - slope) / (1 - middle)
    if bend > 0 and 0 < (t := (middle - slope / bend) / 2) < 1:
        found = min(found, (t, value(t)), key=lambda pair: pair[1])
    return found


def solve_paths(paths, k, n_threads):
    """The results of the paths at their k-th alphas, which are asked for one after the other."""
    with one_blas_thread:
        while waiting := [path for path in paths if path.needs_run(k)]:
            runs = [(None, path.make_solver) for path in waiting]
            results = solve_all(runs, tol=paths[0].tol, trace=False, n_threads=n_threads)
            for path, result in zip(waiting, results, strict=True):
                path.add(result, n_threads)
    return [path.take() for path in paths]


def best_dual_multiple(bound, low):
    """The t in [low, 1] of the greatest bound(t), nearly, and that bound: from a parabola through three."""
    t = np.array([low, (1 + low) / 2, 1.0])
    bounds = left, middle, right = [bound(each) for each in t]
    k = int(np.argmax(bounds))
    if low < 1 and middle > (left + right) / 2:  # concave
        best = t[1] + (right - left) / (4 * middle - 2 * left - 2 * right) * (t[1] - low)
        if low < best < 1:
            return best, bounds[k]
    return t[k], bounds[k]
