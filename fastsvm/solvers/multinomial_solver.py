"""Multinomial log loss (softmax regression): Newton's method with conjugate gradients, certified.

Minimises over W, and over the intercepts b, if any, with the scores s_i = W x_i + b::

    P(W, b) = alpha/2 ||W||^2 + 1/n sum_i c_i (log sum_k exp(s_ik) - s_iy)

For probabilities p_i, their entropy H, and W(p) = 1/(alpha n) sum_i c_i (e_yi - p_i) x_i^T,

    D(p) = 1/n sum_i c_i H(p_i) - alpha/2 ||W(p)||^2 <= P(W, b)    if sum_i c_i (e_yi - p_i) = 0.

Proof: log sum_k exp(s_ik) >= s_i.p_i + H(p_i) (Fenchel and Young). Summed, with the definition of W(p),
P(W, b) - D(p) >= alpha/2 ||W||^2 - alpha W.W(p) + alpha/2 ||W(p)||^2 - b.sum_i c_i (e_yi - p_i) / n. The
last term is 0, and the others are alpha/2 ||W - W(p)||^2 >= 0. At p_i = softmax(s_i) there is equality, and
alpha (W - W(p)) is the gradient with respect to W: the gap is its squared norm over 2 alpha. First, the
intercepts are moved to their optimum for the scores, where the sum, n times their gradient, is 0.

A step is -H^-1 g, with the gradient g = alpha W + 1/n sum_i c_i (p_i - e_yi) x_i^T and the Hessian's products
H V = alpha V + 1/n sum_i c_i (diag(p_i) - p_i p_i^T) V x_i x_i^T, by conjugate gradients, then a line search.

Sources: Shalev-Shwartz & Zhang, Math. Program. 155 (2016), for the dual. Nocedal & Wright, Numerical
Optimization (2006), algorithm 7.1, for the steps.
"""

import math
from itertools import pairwise
from typing import Any

import numpy as np

from .._utils.threads import in_threads
from . import _multinomial  # type: ignore[attr-defined]  # compiled
from ._input import as_rows, as_weights
from ._problem import Problem
from ._rows import map_chunks
from ._solver import MeasuredIterate, Solver

FORCING = 0.25  # the largest share of the squared gradient that a step may leave, and
LEAST_FORCING = 1e-6  # the smallest one, which single precision allows
GAP_SHARE = 0.25  # share of the gap that `tol` allows, below which no step aims
MOST_CG = 500  # conjugate gradient iterations per step
LEAST_CURVED = 1e-16  # share of alpha: intercepts have no curvature if all probabilities are 0 or 1
MOST_BALANCING = 50  # steps of the intercepts
BALANCE = 1e-13  # share of the mean weight up to which the slope of an intercept counts as 0
UNSEEN = -700.0  # intercept of a class without weight, whose probability is then 0
ARMIJO = 1e-4  # share of the promised descent that ends a line search
SHORTEST = 1e-6  # the shortest step of a line search
ROUNDING = 1e-14  # share of the objective by which rounding may raise it
BLOCK_ROWS = 512  # dense rows that are converted to single precision at a time
SLOW = 0.9  # share of the gap that a step may leave before directions are computed in double precision
# Slow steps after which FORCING shrinks, and its factor for each further one. Of 16 fits of six data sets
# (iris, wine, digits, usps and two drawn ones, badly scaled; tol 1e-4), one misses tol in 1,000 steps without
# them, and two take twice as many; 10 or 100 slow steps and factors of 0.01 or 0.5 take the same time in all.
PATIENCE, TIGHTER = 30, 0.1
SINGLE = 1e-30, 1e60  # range of squared norms that single precision can represent


class MultinomialProblem(Problem):
    """Rows, with the place of the class and the weight of each; a pass over X serves all classes.

    Coefficients have a row for each column of X, a row for the intercepts, and a column for each class.
    """

    def __init__(
        self, X: Any, places: Any, n_classes: int, sample_weight: Any = None, threads: int = 1
    ) -> None:
        self.threads, self.rows = threads, as_rows(X, threads)
        self.n = self.rows.n_rows
        self.places, self.n_classes = np.ascontiguousarray(places, np.int32), n_classes
        self.weights = as_weights(sample_weight, self.n, relative=True)
        self.shape = self.rows.n_columns + 1, n_classes
        self.single = SINGLE[0] < self.rows.longest < SINGLE[1]

    def block(self, first, last, dtype=np.float64):
        """Rows first to last of a dense X."""
        return self.rows.values.reshape(self.n, -1)[first:last].astype(dtype, copy=False)

    def scores(self, coef):
        """The scores of all rows and classes."""
        out = np.empty((self.n, self.n_classes))

        def visit(first, last):
            out[first:last] = coef[-1]
            if self.rows.dense:
                out[first:last] += self.block(first, last) @ coef[:-1]
            else:
                _multinomial.add_scores(*self.rows.matrix, coef, out, first, last)

        map_chunks(self.rows, visit, self.threads)
        return out

    def sums(self, factors):
        """sum_i (x_i, 1) factors_i^T, with the same bits for any number of threads."""
        out = np.zeros(self.shape)
        out[-1] = factors.sum(axis=0)
        if self.rows.dense:
            parts = map_chunks(
                self.rows, lambda first, last: self.block(first, last).T @ factors[first:last], self.threads
            )
            out[:-1] = sum(parts)
            return out

        def visit(classes):
            matrix = self.rows.matrix
            map_chunks(self.rows, lambda *part: _multinomial.add_rows(*matrix, factors, out, *classes, *part))

        ends = np.linspace(0, self.n_classes, min(self.threads, self.n_classes) + 1).astype(int).tolist()
        in_threads(visit, [*pairwise(ends)], self.threads)
        return out

    def hessian_product(self, likely, coef):
        """1/n sum_i c_i (x_i, 1) (J_i coef^T (x_i, 1))^T, with J_i the derivative of softmax at likely_i.

        Only a search direction needs it: dense rows are read once, in single precision.
        """
        if not (self.rows.dense and self.single):
            out = self.scores(coef)
            _multinomial.curve(likely, out, self.weights, out)
            return self.sums(out) / self.n
        size = np.abs(coef).max()
        coef = coef / size
        single = coef[:-1].astype(np.float32)

        def visit(first, last):
            total = np.zeros(self.shape)
            for begin in range(first, last, BLOCK_ROWS):
                part = slice(begin, min(begin + BLOCK_ROWS, last))
                rows = self.block(part.start, part.stop, np.float32)
                out = rows @ single + coef[-1]
                _multinomial.curve(likely[part], out, self.weights[part], out)
                total[:-1] += rows.T @ out.astype(np.float32)
                total[-1] += out.sum(axis=0)
            return total

        return sum(map_chunks(self.rows, visit, self.threads)) * (size / self.n)

    def moments(self):
        """The means of each column of X and of its squares."""
        out, rows = np.zeros((2, self.rows.n_columns)), self.rows

        def visit(first, last):
            if rows.dense:
                block = self.block(first, last)
                out[:] += block.sum(axis=0), np.square(block).sum(axis=0)
            else:
                part = slice(rows.indptr[first], rows.indptr[last])
                values, columns = rows.values[part].astype(np.float64, copy=False), rows.columns[part]
                for k, power in enumerate((values, np.square(values))):
                    out[k] += np.bincount(columns, power, out.shape[1])

        map_chunks(rows, visit)
        return out / self.n

    def weighted(self, array):
        """The rows of an array of shape (n_rows, n_classes), times c_i."""
        return array * self.weights[:, np.newaxis] if self.weights.size else array

    def residuals(self, likely):
        """c_i (p_i - e_yi)."""
        out = likely.copy()
        out[np.arange(self.n), self.places] -= 1
        return self.weighted(out)


class MultinomialSolver(Solver):
    """Newton's method for multinomial log loss; an epoch is a step, with several passes over X.

    The formulas are at the top of this file.

    Parameters
    ----------
    problem : MultinomialProblem
    params : SDCAParams
    start : (dual, intercepts), default=None
        c_i (e_yi - p_i), of shape (n_classes, n_rows), as in a `Result`.
    """

    solver = "newton"

    def __init__(self, problem: Any, params: Any, start: Any = None) -> None:
        super().__init__(problem, params)
        self.stalled, self.likely = False, None
        self.slow_steps, self.forcing = 0, FORCING
        counted = problem.weights if problem.weights.size else None
        self.shares = np.bincount(problem.places, counted, problem.n_classes) / problem.n  # of the classes
        self.coef = np.zeros(problem.shape)
        self.first = np.zeros(problem.n_classes)  # the best intercepts for scores of 0
        if self.has_intercept:
            self.first[:] = UNSEEN
            np.log(self.shares, out=self.first, where=self.shares > 0)
        self.coef[-1] = self.first
        if start is not None:
            self.coef[:] = problem.sums(np.ascontiguousarray(start[0].T)) / (self.alpha * problem.n)
            self.coef[-1] = start[1] if self.has_intercept else 0

    def run_epoch(self):
        """Take a Newton step; the loss along the step is known without a pass over X."""
        if self.likely is None:
            self.begin()
        problem, W = self.problem, self.coef[:-1]
        step = self.direction()
        growth = self.alpha * float(np.vdot(W, step[:-1]))
        square = self.alpha / 2 * float(np.vdot(step[:-1], step[:-1]))
        slope = float(np.vdot(self.gradient, step))
        before, could_be_finer = self.gap, problem.rows.dense and problem.single
        moved = self.descend(slice(None), step, problem.scores(step), slope, growth, square)
        if moved:
            self.look()
        self.stalled = not moved and not could_be_finer
        if not moved or self.gap > SLOW * before:  # rounding may be the reason, or rough directions
            problem.single = False
            self.slow_steps += 1
            self.forcing *= TIGHTER if self.slow_steps > PATIENCE else 1.0

    def begin(self):
        """Make the first pass, and drop a start worse than zero weights; return its objective."""
        problem = self.problem
        means, squares = problem.moments()
        self.means = means[:, np.newaxis] * self.has_intercept
        self.squares = np.append(squares, 1.0)[:, np.newaxis] * problem.mean_weight
        self.squares[:-1] -= self.means**2 * problem.mean_weight
        self.likely = np.empty((problem.n, problem.n_classes))
        first = self._measure_start()
        if first > self.shares.sum() * math.log(problem.n_classes):  # no curvature leads back from there
            self.coef[:-1], self.coef[-1] = 0, self.first
            self._measure_start()
        self.look()
        return first

    def _measure_start(self):
        """Compute the scores and the objective of the coefficients."""
        self.scores = self.problem.scores(self.coef)
        self.ridge = self.alpha / 2 * float(np.vdot(self.coef[:-1], self.coef[:-1]))
        self.objective = self.softmax(self.scores) + self.ridge
        return self.objective

    def softmax(self, scores):
        """Set the probabilities; return the mean loss."""
        return _multinomial.softmax(scores, self.problem.places, self.problem.weights, self.likely)

    def look(self):
        """Find the intercepts, and the gradient and the gap there."""
        balanced = not self.has_intercept or self.balance()
        self.gradient = self.problem.sums(self.problem.residuals(self.likely)) / self.problem.n
        slopes = self.gradient[:-1]
        slopes += self.alpha * self.coef[:-1]
        self.gradient[-1] *= self.has_intercept
        self.gap = float(np.vdot(slopes, slopes)) / (2 * self.alpha) if balanced else math.inf

    def balance(self):
        """Move the intercepts to their optimum for the scores by Newton's method; return success."""
        seen, total = np.flatnonzero(self.shares), self.shares.sum()
        step = np.zeros_like(self.shares)
        for _ in range(MOST_BALANCING):
            weighted = self.problem.weighted(self.likely)
            means = weighted.mean(axis=0)
            slope = (means - self.shares)[seen]
            if np.abs(slope).max() <= BALANCE * total:
                return True
            H = np.diag(means[seen]) - weighted[:, seen].T @ self.likely[:, seen] / self.problem.n
            H += total / len(seen)  # for equal steps, which change nothing
            try:
                step[seen] = -np.linalg.solve(H, slope)
            except np.linalg.LinAlgError:  # scores so far apart that some probabilities are 0
                return False
            if not self.descend(-1, step, step, float(slope @ step[seen])):
                return False
        return False

    def descend(self, places, step, change, slope, growth=0.0, square=0.0):
        """Line search: add a part of `step` to the coefficients at `places`; return whether that helps.

        t times the step changes the scores by t times `change`, and the penalty by t growth + t^2 square.
        """
        t = 1.0
        while t > SHORTEST:
            scores = self.scores + t * change
            ridge = self.ridge + t * growth + t * t * square
            objective = self.softmax(scores) + ridge
            if objective <= self.objective + ARMIJO * t * slope + ROUNDING * self.objective:
                self.coef[places] += t * step
                self.scores, self.ridge, self.objective = scores, ridge, objective
                return True
            t /= 2
        self.softmax(self.scores)
        return False

    def direction(self):
        """Solve Newton's equations approximately, by conjugate gradients.

        Columns are centred, as the intercepts allow, since large means would slow convergence. The
        preconditioner is the square root of the Hessian's diagonal, from the means of x^2 and p (1 - p).
        """
        problem = self.problem
        inverse = self.squares * (self.likely * (1 - self.likely)).mean(axis=0)
        inverse[:-1] += self.alpha
        inverse = 1 / np.sqrt(np.maximum(inverse, self.alpha))
        step, residual = np.zeros(problem.shape), -self.gradient
        residual[:-1] -= self.means * residual[-1]
        p = inverse * residual
        size = float(np.vdot(residual, p))
        share = self.gap / self.objective if self.objective > 0 else 0.0
        target = size * max(LEAST_FORCING, min(self.forcing, share))
        enough = 0.0 if self.tol is None else GAP_SHARE * self.tol * self.objective * 2 * self.alpha
        for _ in range(MOST_CG):
            if self.cancelled:
                raise KeyboardInterrupt
            if size <= target or float(np.vdot(residual, residual)) <= enough:
                break
            product = problem.hessian_product(self.likely, self.uncentred(p))
            product[-1] *= self.has_intercept
            product[:-1] += self.alpha * p[:-1] - self.means * product[-1]
            curved = float(np.vdot(p, product))
            if curved <= LEAST_CURVED * self.alpha * float(np.vdot(p, p)):
                break
            length = size / curved
            step += length * p
            residual -= length * product
            scaled = inverse * residual
            before, size = size, float(np.vdot(residual, scaled))
            p *= size / before
            p += scaled
        return self.uncentred(step)

    def uncentred(self, coef):
        """Convert coefficients of the centred columns to coefficients of X with the same scores."""
        coef = coef.copy()
        coef[-1] -= (self.means.T @ coef[:-1])[0]
        return coef

    def _objective(self, w, intercept):
        scores = self.problem.scores(np.ascontiguousarray(np.vstack([w.T, intercept])))
        loss = _multinomial.softmax(scores, self.problem.places, self.problem.weights, np.empty_like(scores))
        return self.alpha / 2 * float(np.vdot(w, w)) + loss

    def measure(self):
        """The iterate, without a pass, less the mean over the classes, which adds to the penalty only."""
        W = np.ascontiguousarray(self.coef[:-1].T)
        common = W.mean(axis=0)
        W -= common
        objective = self.objective - self.alpha / 2 * len(W) * float(common @ common)
        intercepts = self.coef[-1] - self.coef[-1].mean()
        dual = np.ascontiguousarray(-self.problem.residuals(self.likely).T)
        return MeasuredIterate(W, intercepts, dual, objective, max(0.0, self.objective - self.gap))

    def should_certify(self):
        """Whether the gap is small enough."""
        return self.tol is not None and self.gap <= self.tol * self.objective

    def finished(self):
        """Whether no step lowers the objective."""
        return self.stalled
