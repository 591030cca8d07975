"""The solutions for ever smaller alpha, each between two others or started from them, and certified."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .._utils.threads import number_of_threads
from ..solvers import LOSSES
from ..solvers._input import as_matrix, as_state, flag, one_of, positive
from ..solvers._problem import Problem
from ..solvers._rows import dual_sum
from ..solvers._scores import scores_of
from ..solvers._solver import Result
from ..solvers.losses import as_loss, slope
from ..solvers.newton_solver import suits_newton
from ..solvers.sdca_solver import make_sdca_solver
from .convergence_advice import FitEnd, warn_if_short
from .engine import solve_all
from .labels import as_coefficients, as_labels, signs_of

if TYPE_CHECKING:
    from ..solvers.annotations import ArrayLike, Matrix, Seed

__all__ = ["Path", "SDCAPath", "sdca_path"]


REACH = 3.2  # times as small the next alpha to solve may be for a smooth loss; and again by Newton's method


class SDCAPath(NamedTuple):
    """The result of `sdca_path`.

    Attributes
    ----------
    alphas : ndarray of shape (n_alphas,), decreasing
    coefs : ndarray of shape (n_alphas, n_features), of X's dtype
    intercepts : ndarray of shape (n_alphas,), of X's dtype
    objectives : ndarray of shape (n_alphas,)
        P at each solution.
    dual_gaps : ndarray of shape (n_alphas,)
        P minus a lower bound on its optimum, in units of P.
    n_iters : ndarray of shape (n_alphas,), int
        Epochs done; 0 where the solution is one between two others.
    """

    alphas: np.ndarray
    coefs: np.ndarray
    intercepts: np.ndarray
    objectives: np.ndarray
    dual_gaps: np.ndarray
    n_iters: np.ndarray


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


def sdca_path(
    X: Matrix,
    y: ArrayLike,
    alphas: ArrayLike | None = None,
    *,
    n_alphas: int = 20,
    eps: float = 1e-4,
    loss: str = "hinge",
    sample_weight: ArrayLike | None = None,
    fit_intercept: bool = True,
    max_iter: int = 1000,
    tol: float | None = 1e-3,
    n_jobs: int | None = None,
    random_state: Seed = None,
) -> SDCAPath:
    """Certified solutions for a range of alphas, each started from the ones before.

    Minimises, for each alpha, over w (and b0 if `fit_intercept`)::

        P(w, b0) = alpha/2 ||w||^2 + 1/n sum_i c_i phi(y_i (w.x_i + b0))

    X is checked, and the norms of its rows are computed, once. Twenty alphas of a factor 1000 cost about
    as much as one to four fits of the smallest.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        As in `SDCAClassifier.fit`: CSR and C-ordered arrays of float32 or float64 are not copied.
    y : array of shape (n_samples,)
        Labels of any kind, of two classes; the greater one is +1.
    alphas : array of shape (n_alphas,), default=None
        Regularisation strengths > 0, in any order. By default `n_alphas` in geometric progression from
        the largest that matters (see Notes) down to `eps` times that.
    n_alphas : int, default=20
    eps : float in (0, 1), default=1e-4
    loss : {"hinge", "squared_hinge", "smooth_hinge", "log"}, default="hinge"
    sample_weight : array of shape (n_samples,), default=None
        c_i >= 0; all 1 by default. n counts rows of weight 0 too.
    fit_intercept : bool, default=True
        Also minimise over b0, which is not regularised.
    max_iter : int, default=1000
        Most epochs for each alpha.
    tol : float > 0 or None, default=1e-3
        Relative duality gap, gap / P, at which to go on to the next alpha.
    n_jobs : int or None, default=None
        Threads; does not change the result.
    random_state : int, numpy Generator or None, default=None

    Returns
    -------
    SDCAPath
        Named tuple (alphas, coefs, intercepts, objectives, dual_gaps, n_iters).

    Raises
    ------
    ValueError
        On bad input, naming the argument and what is wrong.

    Warns
    -----
    ConvergenceWarning
        Once, if any solution's gap is above `tol`, for the worst.

    Notes
    -----
    The largest alpha that matters: as alpha grows, w goes to g / alpha, where g = 1/n sum_i b_i y_i x_i
    and b_i = c_i |phi'(0)|, those of the heavier class scaled down so that sum_i b_i y_i = 0 with an
    intercept. It starts at the alpha at which no |g.x_i| / alpha is above 1 (with an intercept: at which
    they lie within an interval of length 2). For the hinge without intercept w = g / alpha is exact
    there and above, where no row has passed its margin (Hastie et al. 2004); for other losses the
    slopes have changed little.

    References
    ----------
    Hastie, Rosset, Tibshirani & Zhu, The entire regularization path for the support vector machine,
    JMLR 5 (2004). Chu, Ho, Tsai, Lin & Lin, Warm start for parameter selection of linear classifiers,
    KDD 2015.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from fastsvm import sdca_path
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> path = sdca_path(scale(X), y, [1e-1, 1e-2, 1e-3], random_state=0)
    >>> path.coefs.shape
    (3, 30)
    >>> bool((path.dual_gaps <= 1e-3 * path.objectives).all())
    True
    """
    X, rows = as_matrix(X, norms=True)
    y = as_labels(y, rows.n_rows)
    classes = np.unique(y)
    if len(classes) != 2:
        raise ValueError(f"y must have two classes; it has {len(classes)}.")
    problem = Problem(rows, signs_of(y, classes[1]), sample_weight)
    loss, tol = one_of("loss", loss, LOSSES), None if tol is None else positive("tol", tol)
    fit_intercept = flag("fit_intercept", fit_intercept)
    alphas = as_alphas(alphas, n_alphas, eps, lambda: largest_alpha(problem, loss, fit_intercept))
    path = Path(
        problem,
        alphas,
        as_state(random_state),
        loss=loss,
        fit_intercept=fit_intercept,
        max_iter=positive("max_iter", max_iter, kind=int),
        tol=tol,
    )
    results, n_threads = [], number_of_threads(n_jobs)
    for k in range(len(alphas)):
        [result] = solve_paths([path], k, n_threads)
        results.append(result._replace(w=as_coefficients(result.w, X.dtype), dual=None))
    warn_if_short([FitEnd.of(*pair) for pair in zip(results, alphas, strict=True)], tol, X, max_iter)
    return SDCAPath(
        alphas,
        np.array([r.w for r in results]),
        as_coefficients([r.intercept for r in results], X.dtype),
        np.array([r.objective for r in results]),
        np.array([r.gap for r in results]),
        np.array([r.n_iter for r in results]),
    )


def as_alphas(alphas, n_alphas, eps, largest):
    """The alphas in decreasing order, checked; a grid down from `largest()` if there are none."""
    if alphas is None:
        n_alphas = positive("n_alphas", n_alphas, kind=int)
        if positive("eps", eps) >= 1:
            raise ValueError(f"eps must be less than 1; got {eps!r}.")
        return largest() * np.geomspace(1, eps, n_alphas)
    return decreasing_alphas(alphas)


def decreasing_alphas(alphas):
    """The alphas in decreasing order, checked."""
    alphas = np.array(alphas, dtype=float)
    if alphas.ndim != 1 or not alphas.size:
        raise ValueError(f"alphas must be a list of positive numbers; its shape is {alphas.shape}.")
    if not ((alphas > 0) & np.isfinite(alphas)).all():
        raise ValueError(f"alphas must be positive finite numbers; got {alphas.tolist()}.")
    return np.sort(alphas)[::-1]


def largest_alpha(problem, loss, fit_intercept):
    """The alpha above which w = g / alpha, nearly; see `sdca_path`."""
    dual = np.full(problem.n, -slope(loss, 0.0))
    if problem.weights.size:
        dual *= problem.weights
    factors = problem.balance(dual) if fit_intercept else (1.0, 1.0)
    margins = scores_of(problem.rows, problem.primal_from_dual(dual, 1.0, factors), problem.threads)
    used = margins[problem.weights > 0] if problem.weights.size else margins
    largest = np.ptp(used) / 2 if fit_intercept else np.abs(used).max()
    return float(largest) or 1.0
