"""The Python part of the l1 penalty: working sets of columns, the steps on them, and the certificate.

With a1 = alpha l1_ratio and a2 = alpha (1 - l1_ratio) the objective and its dual are::

    P(w, b0) = a1 ||w||_1 + a2/2 ||w||^2 + 1/n sum_i c_i phi(m_i),    m_i = y_i (w.x_i + b0)
    D(b) = 1/n sum_i c_i psi(b_i / c_i) - 1/(2 a2) sum_j max(0, |v_j| - a1)^2,    v_j = 1/n sum_i b_i y_i x_ij

with sum_i b_i y_i = 0 if b0 is free, and |v_j| <= a1 if a2 = 0. A round takes Newton steps on a working set
of columns, and then computes the v_j of all columns, which gives the bound.

Sources: Johnson & Guestrin, Blitz: a principled meta-algorithm for scaling sparse optimization, ICML 2015,
for working sets. Yuan, Ho & Lin, An improved GLMNET for l1-regularized logistic regression, JMLR 13
(2012), for the steps.
"""

import math

import numpy as np

from . import _l1  # type: ignore[attr-defined]  # compiled
from ._intercept import lossless_intercept
from ._problem import balance_factors
from ._rows import dual_sum, map_chunks
from ._solver import MeasuredIterate, Solver

NEAR = 0.95  # share of a1 from which |v_j| brings a column into the working set
FIRST_SHARE, FIRST_LEAST = 0.1, 20  # size of the first working set: a share of the rows, and at least so many
LEAVE = 0.3  # share of the violation of all columns at which the working set is left
ROUGH = 0.3  # times a1: above this violation, products of columns use a sample of the rows
MOST_STEPS = 50  # steps on a working set
MOST_IN_GRAM = 256  # columns up to which their products are computed
MOST_WITH_ROOM = 2048  # the same once sweeps have cost as much as products of columns
SCATTERED = 8  # cost of a value in a sweep over sparse rows, relative to its cost in a product
LONG_ROW = 20  # values of the working set per row from which pairs of values cost more than sweeps
ON_DEMAND = 0.1  # share of a1 from which |v_j| causes a column to be copied
BALANCED = 1e-4  # remaining sum_i b_i y_i, as a share of sum_i b_i and of `tol`


def largest_l1_alpha(problem, params):
    """The smallest alpha at which w = 0 is the optimum."""
    solver = L1Solver(problem, params)
    solver.descent.fit_intercept()
    return float(np.abs(solver.all_products(solver.balanced_pull())).max()) / params.l1_share


class Columns:
    """Some columns of a problem's X, each contiguous in memory.

    Parameters
    ----------
    problem : Problem
    ids : int32 array, the columns, ascending
    complete : bool, whether no other column can get a weight
    """

    def __init__(self, problem, ids, complete):
        rows, n = problem.rows, problem.n
        self.ids, self.complete = ids, complete
        if rows.dense:
            self.starts = n * np.arange(len(ids), dtype=np.int64)
            self.stops, self.rows = self.starts + n, np.empty(0, np.int32)
            self.values = np.empty(n * len(ids), rows.values.dtype)
            map_chunks(rows, lambda *part: _l1.copy_columns(rows, rows.values, ids, self.values, *part))
        else:
            place = np.full(rows.n_columns, -1, np.int32)
            place[ids] = np.arange(len(ids))

            def count(first, last):
                columns = rows.columns[rows.indptr[first] : rows.indptr[last]]
                return np.bincount(columns, minlength=rows.n_columns)[ids]

            counts = sum(map_chunks(rows, count))
            self.starts = np.cumsum(counts) - counts
            self.stops = self.starts.copy()
            self.values = np.empty(counts.sum(), rows.values.dtype)
            self.rows = np.empty(len(self.values), np.int32)
            own = place, self.starts, self.stops, self.values, self.rows
            map_chunks(rows, lambda *part: _l1.fill_columns(*rows.matrix, *own, *part))

    @property
    def data(self):
        """The first arguments of every kernel."""
        return self.values, self.rows, self.starts, self.stops

    def products(self, vector):
        """x_j . vector / n of each column."""
        out = np.empty(len(self.ids))
        _l1.column_products(*self.data, vector, 1 / len(vector), out)
        return out

    def combination(self, factors, n):
        """The sum of the columns, times `factors`."""
        out = np.zeros(n)
        _l1.add_columns(*self.data, factors, out)
        return out


class L1Solver(Solver):
    """Newton steps on working sets of columns, for one problem with an l1 penalty; a round is an epoch.

    Parameters
    ----------
    problem : Problem
    params : SDCAParams
    start : (w, intercept) or (w, intercept, Columns), default=None
        Columns come from an earlier run with the same `least_alpha`.
    least_alpha : float, default=None
        The smallest alpha of runs that share the columns.
    """

    solver = "columns"

    def __init__(self, problem, params, start=None, least_alpha=None) -> None:
        super().__init__(problem, params)
        self.start, self.columns = start, None
        self.a1, self.a2 = params.alpha * params.l1_share, params.alpha * (1 - params.l1_share)
        self.least_a1 = self.a1 if least_alpha is None else least_alpha * params.l1_share
        self.bound, self.dual, self.stalled = 0.0, None, 0
        self.least = np.full(3, math.inf)  # the smallest gap, violation and objective of all rounds
        self.rounding = problem.rounding
        balanced = BALANCED * (1e-8 if params.tol is None else params.tol)
        one_sided = self.has_intercept and not all(problem.class_weight_sums())
        self.descent = _l1.Descent(
            self.loss.struct,
            problem.signs,
            problem.weights,
            self.a1,
            self.a2,
            self.has_intercept and not one_sided,
            balanced,
        )
        if one_sided:
            self.start, self.descent.intercept = None, lossless_intercept(problem, self.loss)

    # Rounds.

    def run_epoch(self):
        """Take steps on a working set, then check all columns."""
        if self.columns is None:
            self.begin()
            self.certify()
            if self.is_over:
                return
        self.solve(self.working_set())
        self.certify()

    def begin(self):
        """Find a starting point."""
        w, columns, descent = None, None, self.descent
        if self.start is not None:
            w, intercept, *shared = self.start
            columns = shared[0] if shared else None
            descent.intercept = intercept if self.has_intercept else 0.0
        if columns is None:
            if w is not None:
                descent.scores[:] = self.problem.margins(w, 0.0)
            descent.fit_intercept()
            columns = self.columns_of(self.all_products(self.balanced_pull()), w)
        self.columns = columns
        self.w = np.zeros(len(columns.ids)) if w is None else w[columns.ids]

    def columns_of(self, products, w):
        """The columns that have a weight, or are likely to get one."""
        kept = np.abs(products) >= ON_DEMAND * self.least_a1
        if w is not None:
            kept |= w != 0
        complete = 2 * np.count_nonzero(kept) > len(kept)
        if complete:
            kept[:] = True
        return Columns(self.problem, np.flatnonzero(kept).astype(np.int32), complete)

    def certify(self, last=False):
        """Compute objective and bound from all columns that matter; if `last`, from all columns of X."""
        columns, descent, n = self.columns, self.descent, self.problem.n
        descent.scores[:] = columns.combination(self.w, n) * self.problem.signs
        descent.fit_intercept()
        self.primal = descent.loss_sum / n + self.params.penalty_of(self.w)
        pull, proven = self.balanced_pull(), columns.complete
        self.products = columns.products(pull)
        bound, scale = self.dual_bound(pull, self.products)
        enough = self.tol is None or self.primal - bound <= max(self.tol, 2 * self.rounding) * self.primal
        if not proven and (last or enough or self.stalled >= 5):
            everywhere, proven = self.all_products(pull), True
            bound, scale = self.dual_bound(pull, everywhere)
            if self.tol is None or self.primal - bound > self.tol * self.primal:
                w = self.all_weights()
                self.columns = self.columns_of(everywhere, w)
                self.w, self.products = w[self.columns.ids], everywhere[self.columns.ids]
                self.least[:2] = math.inf
        self.violation = _l1.largest_violation(self.products, self.w, self.a1, self.a2)
        if proven and (self.dual is None or bound > self.bound):
            self.bound, self.dual = bound, scale * np.abs(pull)
        measures = np.array((self.primal - bound, self.violation, self.primal))
        progress = measures < self.least * (0.9, 0.9, 1 - self.rounding)
        self.stalled = 0 if progress.any() else self.stalled + 1
        self.least = np.minimum(self.least, measures)
        bound = self.bound - self.rounding * self.primal
        self.point = MeasuredIterate(None, descent.intercept, self.dual, self.primal, bound)

    def all_products(self, pull):
        """v_j of all columns of X, in one pass over the rows."""
        return self.problem.primal_from_dual(pull * self.problem.signs, 1.0)

    def all_weights(self):
        """w, for all columns of X."""
        w = np.zeros(self.problem.rows.n_columns)
        w[self.columns.ids] = self.w
        return w

    def working_set(self):
        """The columns with weights, and those that are most likely to get one."""
        used, size = self.w != 0, np.abs(self.products)
        n_used = np.count_nonzero(used)
        first = max(int(FIRST_SHARE * self.problem.n), FIRST_LEAST)
        others = np.flatnonzero((size >= NEAR * self.a1) & ~used)
        room = max(first, 2 * n_used) - n_used
        if len(others) > room:
            others = others[np.argpartition(-size[others], room)[:room]]
        used[others] = True
        return np.flatnonzero(used)

    def balanced_pull(self):
        """y_i b_i, with b made feasible for a free intercept."""
        descent = self.descent
        if not self.has_intercept:
            return descent.pull
        factors = balance_factors(descent.positive, descent.negative)
        return descent.pull * np.where(self.problem.signs > 0, *factors)

    def dual_bound(self, pull, products):
        """The best dual value of some multiples of b, and that multiple."""
        signs, weights, n, b = self.problem.signs, self.problem.weights, self.problem.n, np.abs(pull)
        descent, size = self.descent, np.abs(products)
        most = size.max(initial=0.0)
        largest = self.a1 / most if most > 0 else math.inf
        if self.loss.quadratic:
            shares = b / np.where(weights > 0, weights, 1.0) if weights.size else b
            total, square = float(b.sum()), float(b @ shares)
            best = 2 * total / square if square > 0 else 0.0
        else:
            positive, negative = descent.positive, descent.negative
            best, factor = 1.0, min(balance_factors(positive, negative)) if self.has_intercept else 1.0
            margins = float((descent.pull * signs) @ descent.scores)
            margins += descent.intercept * (positive - negative)  # sum_i b_i m_i
            at_b = descent.loss_sum + margins  # sum_i c_i psi(b_i / c_i), which is concave along a ray from 0

        def bound(scale):
            if self.loss.quadratic:
                psi = scale * total - scale * scale * square / 4
            elif self.tol and self.primal - (descent.loss_sum + scale * margins) / n > self.tol * self.primal:
                psi = scale * factor * at_b  # a lower bound, which suffices here
            else:
                psi = dual_sum(signs, b, weights, self.loss.struct, scale, scale)
            if scale > largest:
                psi -= n / (2 * self.a2) * float(np.square(np.maximum(0, scale * size - self.a1)).sum())
            return psi / n, scale

        scales = {min(best, largest)} | ({1.0} if self.a2 > 0 else set())
        return max(map(bound, scales))

    def solve(self, which):
        """Take Newton steps on these columns, until their violation is small relative to all columns'."""
        columns, descent = self.columns, self.descent
        if not len(which):
            return
        starts, stops = columns.starts[which], columns.stops[which]
        mean_row = (stops - starts).sum() / self.problem.n
        with_gram = len(which) <= MOST_IN_GRAM and (self.problem.rows.dense or mean_row <= LONG_ROW)
        n_values = (1 if self.problem.rows.dense else SCATTERED) * mean_row * self.problem.n
        with_room = with_gram or (len(which) <= MOST_WITH_ROOM and len(which) ** 2 <= n_values)
        roughly = self.violation > ROUGH * self.a1
        descent.begin_steps(self.w[which], starts, stops, with_room, with_gram, roughly)
        limits = LEAVE * self.violation, self.rounding
        for _ in range(MOST_STEPS):
            if self.cancelled:
                raise KeyboardInterrupt
            if not _l1.newton_step(descent, columns.values, columns.rows, *limits):
                break
        self.w[which] = descent.w

    # The protocol of solvers.

    def _objective(self, w, intercept):
        return self.params.penalty_of(w) + self.problem.mean_loss(w, intercept, self.loss)

    def should_certify(self):
        """Whether the bound of the last round is within `tol`; the weights of all columns then follow."""
        return self.point.within(self.tol)

    def measure(self):
        """The point with the weights of all columns, rounded as in the result."""
        return self._as_kept(self.point._replace(w=self.all_weights()))

    def finalize(self):
        """Compute the bound from all columns of X, unless that is done already."""
        if self.dual is None:
            self.certify(last=True)
            self.point = self.measure()
        return self.point

    def finished(self):
        """Whether double precision allows no further progress."""
        exact = self.point is not None and self.point.gap <= 2 * self.rounding * self.point.primal
        return exact or self.stalled > 5
