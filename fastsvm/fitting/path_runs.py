"""The runs for decreasing alphas, and solutions interpolated between two runs."""

import math
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ..solvers._rows import dual_sum
from ..solvers._solver import Result
from ..solvers.l1_solver import L1Solver
from ..solvers.make_solver import is_tall, make_solver, suits_newton
from ..solvers.tall_newton_solver import TallNewtonSolver

# Values from 2.4 to 5.7 do alike (passes over X of five texts and three grids, time on three tables).
REACH = 3.2  # largest factor to the next alpha to solve for a smooth loss; again by Newton's method
# Values from 4 to 10 do alike (time on five texts and two grids).
FEW_EPOCHS = 6  # of the last run; after more, one long way takes as many as its parts together


@dataclass
class PathSolution:
    """The solution at the k-th alpha, and arrays that combine it with another without passes over X.

    Attributes
    ----------
    k : int
    alpha : float
    result : Result
    w_of_dual : ndarray of w's shape, w(b)
    margins : ndarray of shape (n_rows,), or None until needed
    """

    k: int
    alpha: float
    result: Result
    w_of_dual: np.ndarray
    margins: np.ndarray | None = None

    @property
    def sums(self):
        """alpha w(b), which is linear in b."""
        return self.alpha * self.w_of_dual


class Path:
    """The runs of one problem for decreasing alphas.

    A much smaller alpha is solved first. Solutions in between are then looked for on the lines between the w
    and the b of two solutions, where objective and bound cost no pass over X.

    Parameters
    ----------
    problem : Problem
    alphas : ndarray, decreasing
    random : random generator's state
    params : SDCAParams
        All but alpha.
    """

    def __init__(self, problem, alphas, random, params):
        self.problem, self.alphas, self.random, self.params = problem, alphas, random, params
        self.tol, self.loss = params.tol, params.loss_entry
        self.previous = self.before_previous = None  # the last two solutions returned
        self.pending = []  # solutions at smaller alphas that wait for those between, the next one last
        self.margin_change = math.inf

    def result(self, k, solve):
        """Return the result at the next alpha, the k-th; `solve` is as in `solve_in_order`."""
        while not self.pending or self.pending[-1].k > k:
            if not self.pending:
                target_index, between = self._next_target_index(k), None
            else:
                target_index = (k - 1 + self.pending[-1].k) // 2
                between = self._solution_between(target_index, self.previous, self.pending[-1])
                if between.result.gap <= self.tol * between.result.objective:
                    self.pending.append(between)
                    continue
            self.pending.append(self._solution(target_index, between, solve))
        return self._take()

    def _next_target_index(self, k):
        if k == 0 or self.tol is None:
            return k
        newton = self._suits_newton(self.alphas[k])
        quick = newton or self.previous.result.n_iter <= FEW_EPOCHS
        least = self.alphas[k - 1] / REACH ** ((self.loss.smooth and quick) + newton)
        return max(k, np.count_nonzero(self.alphas >= least) - 1)

    def _suits_newton(self, alpha):
        return suits_newton(self.problem, replace(self.params, alpha=alpha))

    def _solution(self, k, between, solve):
        """Return the PathSolution of a run from `between`, or from the last solution if that is None."""
        alpha, start, near = self.alphas[k], None, between or self.previous
        newton = self._suits_newton(alpha)
        if near is not None and newton:
            # On a line, the root mean square error of margins is about t (1 - t) of its length.
            if between is None:
                margin_change = self.margin_change
            else:
                margin_change = self._distance(self.previous, self.pending[-1]) / 4
            start = near.result.dual, near.result.intercept, near.result.w, margin_change
        elif between is not None:
            start = near.result.dual, near.result.intercept, near.w_of_dual
        elif near is not None:
            start = self._best_start(alpha)
        params = replace(self.params, alpha=alpha, solver="newton" if newton else "coordinate")

        def solver_of(threads):
            self.problem = self.problem.with_threads(threads)
            return make_solver(params, self.problem, self.random, start)

        result = solve(solver_of)
        w_of_dual = result.w
        if newton and is_tall(self.problem, self.loss):  # its w need not follow from the dual variables
            w_of_dual = self.problem.primal_from_dual(result.dual, alpha)
        return PathSolution(k, alpha, result, w_of_dual)

    def _take(self):
        """Return the result at the next alpha."""
        solution, previous = self.pending.pop(), self.previous
        if previous is not None and solution.result.solver == "newton":
            self.margin_change = self._distance(previous, solution)
        if previous is not None and previous.alpha > solution.alpha and self.loss.smooth:
            self.before_previous = previous.alpha, previous.result.dual
        self.previous = solution
        return solution.result

    def _margins(self, solution):
        if solution.margins is None:
            solution.margins = self.problem.margins(solution.result.w, solution.result.intercept)
        return solution.margins

    def _distance(self, one, two):
        """Return the root mean square difference between margins."""
        return float(np.sqrt(np.mean(np.square(self._margins(two) - self._margins(one)))))

    def _bound(self, dual, square, alpha):
        """D, given alpha^2 ||w(b)||^2."""
        p = self.problem
        return dual_sum(p.signs, dual, p.weights, self.loss.struct) / p.n - square / (2 * alpha)

    def _solution_between(self, k, left, right):
        """Interpolate the k-th solution, within `tol` or not: w by lowest objective, b by highest bound.

        Both are taken at the place of alpha on the grid, or where a parabola has a better value.
        """
        alpha, (one, two), p = self.alphas[k], (left.result, right.result), self.problem
        margins, sums = (self._margins(left), self._margins(right)), (left.sums, right.sums)
        norms, squares = products(one.w, two.w), products(*sums)

        def objective(t):
            return p.mean_loss_at(blend(*margins, t), self.loss) + alpha / 2 * blended_norm(norms, t)

        def minus_bound(u):
            return -self._bound(blend(one.dual, two.dual, u), blended_norm(squares, u), alpha)

        t = u = (k - left.k) / (right.k - left.k)
        primal, dual = objective(t), minus_bound(u)
        if not primal + dual <= self.tol * primal:
            ends = list(zip((left, right), norms[::2], squares[::2], strict=True))
            of_ends = (s.result.objective + (alpha - s.alpha) / 2 * norm for s, norm, _ in ends)
            t, primal = parabola_min(objective, t, primal, *of_ends)
            of_ends = (
                s.result.gap - s.result.objective + (1 / alpha - 1 / s.alpha) / 2 * norm
                for s, _, norm in ends
            )
            u, dual = parabola_min(minus_bound, u, dual, *of_ends)
        w, intercept = blend(one.w, two.w, t), blend(one.intercept, two.intercept, t)
        b, w_of_dual = blend(one.dual, two.dual, u), blend(*sums, u) / alpha
        result = Result(w, intercept, b, primal, max(primal + dual, 0.0), 0, [], two.solver)
        return PathSolution(k, alpha, result, w_of_dual, blend(*margins, t))

    def _best_start(self, alpha):
        """Return the start with the best bound among multiples of the last dual variables.

        If most b are at a bound, they stay as alpha shrinks and w grows. If a plane separates the classes, w
        stays and all b shrink with alpha. The best multiple between these cases is found without a pass over
        X. For losses whose b change smoothly, multiples of an extrapolation of the last two b are tried too.
        """
        previous = self.previous
        dual = previous.result.dual
        starts = [self._best_multiple(dual, previous.sums / alpha, alpha)]
        if self.before_previous is not None:
            older_alpha, older_dual = self.before_previous
            dual = dual + (previous.alpha - alpha) / (older_alpha - previous.alpha) * (dual - older_dual)
            self.problem.clip_dual(dual, self.loss)
            if self.params.fit_intercept:
                self.problem.scale_to_balance(dual)
            starts.append(self._best_multiple(dual, self.problem.primal_from_dual(dual, alpha), alpha))
        _, dual, w = max(starts, key=lambda start: start[0])
        return dual, previous.result.intercept, w

    def _best_multiple(self, dual, w, alpha):
        """Return nearly the best bound of t * dual, this multiple, and its w."""
        norm = alpha**2 * float(w @ w)
        t, best = best_dual_multiple(
            lambda t: self._bound(t * dual, t * t * norm, alpha), min(1.0, alpha / self.previous.alpha)
        )
        return best, t * dual, t * w


class L1Path:
    """The runs of one problem with an l1 penalty for decreasing alphas, each from the weights of the last.

    Parameters
    ----------
    problem, alphas, params : as of `Path`
    """

    def __init__(self, problem, alphas, params):
        self.problem, self.alphas, self.params = problem, alphas, params
        self.start = None

    def result(self, k, solve):
        """Return the result at the next alpha, the k-th; `solve` is as in `solve_in_order`."""
        solvers = []

        def solver_of(threads):
            self.problem = self.problem.with_threads(threads)
            params, kind = replace(self.params, alpha=self.alphas[k]), TallNewtonSolver
            if not is_tall(self.problem, params.loss_entry):
                kind = partial(L1Solver, least_alpha=self.alphas[-1])
            solvers.append(kind(self.problem, params, self.start))
            return solvers[0]

        result = solve(solver_of)
        self.start = result.w, result.intercept, getattr(solvers[0], "columns", None)
        return result


def path_of(problem, alphas, random, params):
    """Return the runs that suit the penalty, a `Path` or an `L1Path`."""
    if params.l1_share:
        return L1Path(problem, alphas, params)
    return Path(problem, alphas, random, params)


def blend(one, two, t):
    """Return the point at share t of the way from `one` to `two`; exactly `one` where both are equal."""
    return one + t * (two - one)


def products(one, two):
    """Return the products one.one, one.two and two.two."""
    return float(one @ one), float(one @ two), float(two @ two)


def blended_norm(products, t):
    """||blend(one, two, t)||^2."""
    return (1 - t) ** 2 * products[0] + 2 * t * (1 - t) * products[1] + t**2 * products[2]


def parabola_min(value, middle, at_middle, left, right):
    """Return t and value(t) at the minimum of a parabola through 0, `middle` and 1; `middle` if lower."""
    found, slope = (middle, at_middle), (at_middle - left) / middle
    bend = (right - left - slope) / (1 - middle)
    if bend > 0 and 0 < (t := (middle - slope / bend) / 2) < 1:
        found = min(found, (t, value(t)), key=lambda pair: pair[1])
    return found


def best_dual_multiple(bound, low):
    """Return nearly the t in [low, 1] with the highest bound(t), and this bound, by a parabola."""
    t = np.array([low, (1 + low) / 2, 1.0])
    bounds = left, middle, right = [bound(each) for each in t]
    k = int(np.argmax(bounds))
    if low < 1 and middle > (left + right) / 2:  # concave
        best = t[1] + (right - left) / (4 * middle - 2 * left - 2 * right) * (t[1] - low)
        if low < best < 1:
            return best, bounds[k]
    return t[k], bounds[k]
