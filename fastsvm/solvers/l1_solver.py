"""The l1 penalty from the outside: which columns are looked at, the steps on them, and the certificate.

With a1 = alpha l1_ratio and a2 = alpha (1 - l1_ratio) the objective and its dual are::

    P(w, b0) = a1 ||w||_1 + a2/2 ||w||^2 + 1/n sum_i c_i phi(m_i),    m_i = y_i (w.x_i + b0)
    D(b) = 1/n sum_i c_i psi(b_i / c_i) - 1/(2 a2) sum_j max(0, |v_j| - a1)^2,    v_j = 1/n sum_i b_i y_i x_ij

and sum_i b_i y_i = 0 if b0 is free; |v_j| <= a1 if a2 = 0. A round is a look at all columns, which gives the
bound, and Newton steps on those that matter.

Sources: Johnson & Guestrin, Blitz: a principled meta-algorithm for scaling sparse optimization, ICML 2015,
for the working sets. Yuan, Ho & Lin, An improved GLMNET for l1-regularized logistic regression, JMLR 13
(2012), for the steps. Ndiaye, Fercoq, Gramfort & Salmon, Gap safe screening rules for sparsity enforcing
penalties, JMLR 18 (2017). Bertrand & Massias, Anderson acceleration of coordinate descent, AISTATS 2021.
"""

import math

import numpy as np

from . import _l1  # type: ignore[attr-defined]  # compiled
from ._intercept import lossless_intercept
from ._problem import balance_factors
from ._rows import dual_sum, map_chunks
from ._solver import MeasuredIterate, Solver
from .newton_solver import newton_direction

NEAR = 0.95  # share of a1 from which |v_j| brings a column into the working set
FIRST_SHARE, FIRST_LEAST, FIRST_MOST = 0.1, 20, 1000  # of the first working set: of the rows, and in columns
LEAVE = 0.3  # of the violation of all columns, at which the working set is left
STEP_LEFT = 0.5  # of the violation at a step's start that it may leave in the model
SUPPORT_LEFT = 0.1  # of the violation that a sweep met, at which sweeps over nonzero weights end
SWEEPS = 5  # between two extrapolations
GRAM_SWEEPS = 100  # before a system is solved, which takes as long
MOST_SWEEPS = 500  # of a step
MOST_STEPS = 50  # on a working set
FARTHEST = 3.0  # that one column may move a margin in a step, for the log loss, whose bend is gone there
MOST_IN_GRAM = 256  # dense columns
LONG_ROW = 20  # values of the working set a row, from which pairs of them cost more than sweeps
SAMPLE_ROWS = 400  # a column, from which on a part of the rows tells dense columns' products well enough
GRAM_VALUES = 1 << 17  # of dense columns, for a product of matrices
ON_DEMAND, LATE = 0.5, 0.9  # share of a1 from which |v_j| has a column copied at first, and later
SCREENED = 0.1  # relative gap above which too few columns could be dropped
APPROACH = 0.3  # from one larger alpha to the next, at the start, from the largest
ROUGH_GAP, ROUGH_ROUNDS = 0.1, 3  # the relative gap there, and the rounds at most
RIDGE = 1e-12  # of a system for the weights, which may be more than the rows
REFRESH = 8  # steps, after which margins are computed from the weights
DECREASE = 1e-4  # share of the promised decrease that a step must bring
BALANCED = 1e-4  # sum_i b_i y_i left, as a share of sum_i b_i and of `tol`
TINY = np.finfo(float).tiny


def largest_l1_alpha(problem, params):
    """The alpha from which on w = 0 is the optimum."""
    solver = L1Solver(problem, params)
    solver.begin_loss()
    solver.start_from(np.zeros(problem.n))
    return float(np.abs(solver.all_products(solver.balanced_pull())).max()) / params.l1_share


class Columns:
    """Some columns of a problem's X, each in one piece.

    Parameters
    ----------
    problem : Problem
    ids : int32 array, which columns, ascending
    complete : bool, whether no other column can have a weight
    most : float64 array, default=None
        What |v_j| is at most, at any feasible b.
    """

    def __init__(self, problem, ids, complete, most=None):
        rows, n = problem.rows, problem.n
        self.ids, self.complete, self.most = ids, complete, most
        if rows.dense:
            self.starts = n * np.arange(len(ids), dtype=np.int64)
            self.stops, self.rows = self.starts + n, np.empty(0, np.int32)
            self.values = np.empty(n * len(ids), rows.values.dtype)
            map_chunks(rows, lambda *part: _l1.copy_columns(rows, rows.values, ids, self.values, *part))
        else:
            place, counts = np.full(rows.n_columns, -1, np.int32), np.zeros(len(ids), np.int64)
            place[ids] = np.arange(len(ids))
            matrix = rows, rows.values, rows.columns
            map_chunks(rows, lambda *part: _l1.count_columns(*matrix, place, counts, *part))
            self.starts = np.cumsum(counts) - counts
            self.stops = self.starts.copy()
            self.values = np.empty(counts.sum(), rows.values.dtype)
            self.rows = np.empty(len(self.values), np.int32)
            own = place, self.starts, self.stops, self.values, self.rows
            map_chunks(rows, lambda *part: _l1.fill_columns(*matrix, *own, *part))
        self.norms, self.largest = np.empty((2, len(ids)))
        _l1.column_sizes(self.values, self.starts, self.stops, self.norms, self.largest)

    @property
    def data(self):
        """The leading arguments of every kernel."""
        return self.values, self.rows, self.starts, self.stops

    def products(self, which, vector):
        """x_j . vector / n of these columns."""
        out = np.empty(len(which))
        _l1.column_products(*self.data, which, vector, 1 / len(vector), out)
        return out

    def combination(self, which, factors, n):
        """The sum of these columns, times `factors`."""
        out = np.zeros(n)
        _l1.add_columns(*self.data, which, factors, out)
        return out


class L1Solver(Solver):
    """Newton steps on working sets of columns, for one problem with an l1 penalty; a round is an epoch.

    Parameters
    ----------
    problem : Problem
    params : SDCAParams
    start : (w, intercept) or (w, intercept, Columns), default=None
        Columns are those of an earlier run with the same `least_alpha`.
    least_alpha : float, default=None
        The least alpha of runs that share the columns.
    """

    solver = "columns"

    def __init__(self, problem, params, start=None, least_alpha=None) -> None:
        super().__init__(problem, params)
        self.start, self.columns = start, None
        self.a1, self.a2 = params.alpha * params.l1_share, params.alpha * (1 - params.l1_share)
        self.least_a1 = self.a1 if least_alpha is None else least_alpha * params.l1_share
        self.intercept, self.bound, self.dual, self.stalled = 0.0, 0.0, None, 0
        self.least_gap, self.steps = math.inf, REFRESH
        self.rounding = 4 * np.finfo(float).eps * math.sqrt(problem.n)  # of sums over the rows
        self.balanced = BALANCED * (1e-8 if params.tol is None else params.tol)

    # Rounds.

    def run_epoch(self):
        """Steps on a working set, then a look at all columns."""
        if self.columns is None:
            self.begin()
            self.certify()
            if self.is_over:
                return
            if self.start is None and self.loss.quadratic:
                self.approach()
        self.solve(self.working_set(), LEAVE * self.violation)
        self.certify()

    def begin(self):
        """Find a place to start from."""
        self.begin_loss()
        w, self.intercept, *columns = (None, 0.0) if self.start is None else self.start
        if self.one_sided:
            w, self.intercept = None, lossless_intercept(self.problem, self.loss)
        if not self.has_intercept:
            self.intercept = 0.0
        self.columns = columns[0] if columns and columns[0] is not None else self.first_columns(w)
        self.w = np.zeros(len(self.columns.ids)) if w is None else w[self.columns.ids]
        most = self.columns.most
        alive = np.ones(len(self.w), bool) if most is None else (most > self.a1) | (self.w != 0)
        self.alive = np.flatnonzero(alive).astype(np.int32)

    def begin_loss(self):
        """Make room for what each row has."""
        problem = self.problem
        self.signs = problem.signs.astype(float)
        self.pull, self.bend = np.empty((2, problem.n))
        self.one_sided = self.has_intercept and not all(problem.class_weight_sums())

    def approach(self):
        """Go through larger alphas, roughly: then few columns get a weight that is not to stay."""
        a1, a2 = self.a1, self.a2
        share = APPROACH * float(np.abs(self.products).max(initial=0.0)) / a1
        while share > 1 / APPROACH:
            self.a1, self.a2 = share * a1, share * a2
            for _ in range(ROUGH_ROUNDS):
                _, bound = self.look_at_columns()
                if self.primal - bound <= ROUGH_GAP * self.primal:
                    break
                self.solve(self.working_set(), LEAVE * self.violation)
            share *= APPROACH
        self.a1, self.a2 = a1, a2
        self.certify()

    def first_columns(self, w):
        """The columns that may have weights, or where no bound tells, that are likely to."""
        problem, rows = self.problem, self.problem.rows
        if rows.dense:
            return Columns(problem, np.arange(rows.n_columns, dtype=np.int32), True)
        if self.loss.upper < math.inf:  # b_i <= c_i, so each sign's rows bound v_j
            sums = np.zeros((rows.n_columns, 2))
            matrix = rows, rows.values, rows.columns, problem.signs, problem.weights
            map_chunks(rows, lambda *part: _l1.add_signed_sums(*matrix, sums, *part))
            most = sums.max(axis=1) * (self.loss.upper / problem.n)
            kept = most > self.least_a1
            ids = np.flatnonzero(kept).astype(np.int32)
            return Columns(problem, ids, True, most[ids])
        self.start_from(np.zeros(problem.n) if w is None else problem.margins(w, 0.0))
        kept = np.abs(self.all_products(self.balanced_pull())) >= ON_DEMAND * self.least_a1
        if w is not None:
            kept |= w != 0
        complete = 2 * kept.sum() > rows.n_columns
        if complete:
            kept[:] = True
        return Columns(problem, np.flatnonzero(kept).astype(np.int32), complete)

    def look_at_columns(self):
        """Objective, violation and v of the columns that are there; y_i b_i, and the bound for these."""
        columns, n = self.columns, self.problem.n
        if self.steps >= REFRESH:  # rounding adds up
            support = np.flatnonzero(self.w).astype(np.int32)
            self.start_from(columns.combination(support, self.w[support], n) * self.signs)
        else:
            self.fit_intercept()
        self.primal = self.loss_sum / n + self.penalty(self.w)
        pull = self.balanced_pull()
        self.products = columns.products(self.alive, pull)
        bound, self.scale = self.dual_bound(pull, self.products)
        self.violation = _l1.largest_violation(self.products, self.w[self.alive], self.a1, self.a2)
        return pull, bound

    def certify(self):
        """Look at all columns that matter: objective and bound, and which need no further look."""
        pull, bound = self.look_at_columns()
        proven = self.columns.complete
        if not proven and (self.tol is None or self.primal - bound <= self.tol * self.primal):
            everywhere, proven = self.all_products(pull), True
            bound, self.scale = self.dual_bound(pull, everywhere)
            if self.tol is None or self.primal - bound > self.tol * self.primal:
                self.add_late_columns(everywhere)
        if proven and (self.dual is None or bound > self.bound):
            self.bound, self.dual = bound, self.scale * pull * self.signs
        self.stalled = 0 if self.primal - bound < 0.9 * self.least_gap else self.stalled + 1
        self.least_gap = min(self.least_gap, self.primal - bound)
        self.screen(self.primal - bound)
        bound = self.bound - self.rounding * self.primal
        self.point = MeasuredIterate(None, self.intercept, self.dual, self.primal, bound)

    def all_products(self, pull):
        """v_j of all columns of X, in a pass over its rows."""
        return self.problem.primal_from_dual(pull * self.signs, 1.0)

    def add_late_columns(self, everywhere):
        """Copy the columns, too, whose v_j has come near a1."""
        columns = self.columns
        kept = np.abs(everywhere) >= LATE * self.a1
        kept[columns.ids] = True
        ids = np.flatnonzero(kept).astype(np.int32)
        if len(ids) == len(columns.ids):
            return
        w = np.zeros(self.problem.rows.n_columns)
        w[columns.ids] = self.w
        self.columns, self.w = Columns(self.problem, ids, len(ids) == len(w)), w[ids]
        self.alive = np.arange(len(ids), dtype=np.int32)
        self.products = everywhere[ids]
        self.violation = _l1.largest_violation(self.products, self.w[self.alive], self.a1, self.a2)

    def screen(self, gap):
        """Drop columns whose weight is 0 at every optimum: v_j cannot be far from its value there."""
        if gap > SCREENED * self.primal:
            return
        heaviest = self.problem.weights.max() if self.problem.weights.size else 1.0
        radius = math.sqrt(2 * max(gap, 0.0) * self.loss.lipschitz * heaviest / self.problem.n)
        alive, scale = self.alive, self.scale
        near = scale * np.abs(self.products) + radius * self.columns.norms[alive] >= self.a1
        near |= self.w[alive] != 0
        self.alive, self.products = alive[near], self.products[near]

    def working_set(self):
        """The columns with weights, and those that are most likely to have some."""
        alive, w, size = self.alive, self.w[self.alive], np.abs(self.products)
        used = w != 0
        n_used = np.count_nonzero(used)
        first = min(max(int(FIRST_SHARE * self.problem.n), FIRST_LEAST), FIRST_MOST)
        others = np.flatnonzero((size >= NEAR * self.a1) & ~used)
        room = max(first, 2 * n_used) - n_used
        if len(others) > room:
            distance = (self.a1 - self.scale * size[others]) / self.columns.norms[alive[others]]
            others = others[np.argpartition(distance, room)[:room]]
        used[others] = True
        return alive[used]

    # The loss, the intercept and the bound.

    def look(self, scores, intercept):
        """The loss at these margins; sets b, h and their sums."""
        loss, *self.sums = _l1.look(
            self.loss.struct, scores, self.signs, intercept, self.problem.weights, self.pull, self.bend
        )
        return loss

    def start_from(self, scores):
        """Take these y_i w.x_i, with the best intercept."""
        self.scores, self.steps = scores, 0
        self.loss_sum = self.look(scores, self.intercept)
        self.fit_intercept()

    def fit_intercept(self):
        """Find the best intercept for the scores, from one where the loss is known."""
        low, high, reach = -math.inf, math.inf, 1.0
        while True:
            positive, negative, bent = self.sums
            rise = positive - negative
            if not self.has_intercept or self.one_sided or abs(rise) <= self.balanced * (positive + negative):
                return
            low, high = (self.intercept, high) if rise > 0 else (low, self.intercept)
            step = rise / bent if bent > 0 else math.copysign(1.0, rise)
            following, reach = self.intercept + min(max(step, -reach), reach), 4 * reach
            if not low < following < high:
                following = (low + high) / 2
            if following in (low, high):
                return
            self.intercept = following
            self.loss_sum = self.look(self.scores, self.intercept)

    def balanced_pull(self):
        """y_i b_i, of b made feasible for a free intercept."""
        if not self.has_intercept:
            return self.pull
        return self.pull * np.where(self.signs > 0, *balance_factors(*self.sums[:2]))

    def penalty(self, w):
        """a1 ||w||_1 + a2/2 ||w||^2."""
        return self.a1 * float(np.abs(w).sum()) + self.a2 / 2 * float(w @ w)

    def dual_bound(self, pull, products):
        """The best D of some multiples of b, and the multiple."""
        signs, weights, n, b = self.problem.signs, self.problem.weights, self.problem.n, np.abs(pull)
        size = np.abs(products)
        most = size.max(initial=0.0)
        largest = self.a1 / most if most > 0 else math.inf
        if self.loss.quadratic:
            shares = b / np.where(weights > 0, weights, 1.0) if weights.size else b
            total, square = float(b.sum()), float(b @ shares)
            best = 2 * total / square if square > 0 else 0.0
        else:
            best, factor = 1.0, min(balance_factors(*self.sums[:2])) if self.has_intercept else 1.0
            margins = float((self.pull * self.signs) @ self.scores)
            margins += self.intercept * (self.sums[0] - self.sums[1])  # sum_i b_i m_i
            at_b = self.loss_sum + margins  # sum_i c_i psi(b_i / c_i), which is concave along a ray from 0

        def bound(scale):
            if self.loss.quadratic:
                psi = scale * total - scale * scale * square / 4
            elif self.tol and self.primal - (self.loss_sum + scale * margins) / n > self.tol * self.primal:
                psi = scale * factor * at_b  # less than it is, where it cannot be enough
            else:
                psi = dual_sum(signs, b, weights, self.loss.struct, scale, scale)
            if scale > largest:
                psi -= n / (2 * self.a2) * float(np.square(np.maximum(0, scale * size - self.a1)).sum())
            return psi / n, scale

        scales = {min(best, largest)} | ({1.0} if self.a2 > 0 else set())
        return max(map(bound, scales))

    # Steps.

    def solve(self, which, target):
        """Newton steps on these columns, until their violation is `target` or less."""
        self.gram_rows = None
        for _ in range(MOST_STEPS):
            if self.cancelled:
                raise KeyboardInterrupt
            slope = self.columns.products(which, self.pull)
            violation = _l1.largest_violation(slope, self.w[which], self.a1, self.a2)
            if violation <= target:
                return
            model = self.model_of(which, slope)
            self.minimise(model, STEP_LEFT * violation)
            if not self.take_step(which, model):
                return

    def model_of(self, which, slope):
        """The Model on these columns at the present margins."""
        columns, n = self.columns, self.problem.n
        positive, negative, bent = self.sums
        imbalance, s = ((positive - negative) / n, bent / n) if self.has_intercept else (0.0, 0.0)
        limits = np.full(len(which), math.inf)
        if not self.loss.quadratic:
            np.divide(FARTHEST, columns.largest[which], out=limits, where=columns.largest[which] > 0)
        starts, stops = columns.starts[which], columns.stops[which]
        penalty = self.a1, self.a2
        model = _l1.Model(
            starts, stops, self.w[which], limits, self.pull.copy(), self.bend, imbalance, s, *penalty
        )
        size, values = len(which), int((stops - starts).sum())
        if self.problem.rows.dense and size <= MOST_IN_GRAM:
            gram = self.dense_gram(which, model)
        elif not self.problem.rows.dense and size**2 <= values <= LONG_ROW * n:
            gram = self.sparse_gram(which, model, values)
        else:
            _l1.fill_model(model, columns.values, columns.rows)
            return model
        model.slope[:] = slope
        if s:
            gram -= np.outer(model.tilt / s, model.tilt)
            model.slope[:] -= model.shift * model.tilt
        model.use_gram(gram)
        return model

    def dense_gram(self, which, model):
        """1/n sum_i h_i x_i x_i^T, of a sample of many rows; fills the model's tilt."""
        n, size = self.problem.n, len(which)
        root, table = np.sqrt(self.bend / n), self.columns.values.reshape(-1, n)
        stride = max(1, np.count_nonzero(root) // (SAMPLE_ROWS * size))
        step = max(1, GRAM_VALUES // (size * stride))
        gram, sampled = np.zeros((size, size)), 0.0
        for first in range(0, n, step * stride):
            some = slice(first, first + step)
            part = table[which, some] * root[some]
            gram += part @ part.T
            sampled += float(root[some] @ root[some])
            if model.s:
                model.tilt[:] += part @ root[some]
        if stride > 1 and sampled > 0:
            share = self.sums[2] / n / sampled
            gram *= share
            model.tilt[:] *= share
        return gram

    def sparse_gram(self, which, model, values):
        """The same of sparse columns."""
        if self.gram_rows is None:
            dtype = self.columns.values.dtype
            self.gram_rows = (
                np.zeros(self.problem.n + 1, np.int64),
                np.empty(values, np.int32),
                np.empty(values, dtype),
            )
        if model.s:
            model.tilt[:] = self.columns.products(which, self.bend)
        gram = np.zeros((len(which), len(which)))
        _l1.sparse_gram(model, self.columns.values, self.columns.rows, *self.gram_rows, gram)
        return gram

    def minimise(self, model, enough):
        """Sweeps over the model's columns, until the largest violation that one meets is `enough`."""
        arrays = self.columns.values, self.columns.rows
        steps = np.empty((SWEEPS if model.gram is None else GRAM_SWEEPS, len(model.weights)))
        done = 0
        while done < MOST_SWEEPS:
            met, _ = _l1.sweep(model, *arrays, True, 0.0, steps[:1])
            done += 1
            if met <= enough:
                return
            for _ in range(2):
                left, count = _l1.sweep(model, *arrays, False, SUPPORT_LEFT * met, steps)
                done += count
                if left <= SUPPORT_LEFT * met:
                    break
                if model.gram is None:
                    self.extrapolate(model, steps)
                else:
                    self.solve_support(model)

    def extrapolate(self, model, steps):
        """Go to where the last sweeps lead, if the model is lower there."""
        changes = np.diff(steps, axis=0)
        products = changes @ changes.T
        products.reshape(-1)[:: len(products) + 1] += 1e-10 * np.trace(products) + TINY
        shares = np.linalg.solve(products, np.ones(len(products)))
        total = shares.sum()
        if not math.isfinite(total) or total == 0:
            return
        step = (shares / total) @ steps[1:]
        step[steps[-1] == -model.weights] = -model.weights[steps[-1] == -model.weights]
        signs = np.sign(model.weights + step)
        if (signs != np.sign(model.weights + model.step)).any() or (np.abs(step) > model.limits).any():
            return
        self.go_to(model, step)

    def go_to(self, model, step):
        """Make this the model's step, if the model is lower there."""
        weights = model.weights
        tilted = float(model.tilt @ step)
        if model.gram is not None:
            gradient = model.slope - model.gram @ step
            curved = float(step @ (model.slope - gradient))
        else:
            moved = np.flatnonzero(step)
            change = np.zeros(self.problem.n)
            _l1.add_columns(
                self.columns.values,
                self.columns.rows,
                model.starts,
                model.stops,
                moved.astype(np.int32),
                step[moved],
                change,
            )
            gradient = self.bend * change
            curved = float(gradient @ change) / self.problem.n - (tilted**2 / model.s if model.s else 0.0)
        gain = float(model.slope @ step) - curved / 2 + self.penalty(weights) - self.penalty(weights + step)
        if not gain > model.gain:
            return False
        model.step[:], model.gain = step, gain
        model.shift = (model.imbalance - tilted) / model.s if model.s else 0.0
        if model.gram is not None:
            model.gradient[:] = gradient
        else:
            model.rest[:] = self.pull - gradient
        return True

    def solve_support(self, model):
        """Solve for the weights that are not 0, without those that would change their sign."""
        while (used := np.flatnonzero(z := model.weights + model.step)).size:
            system = np.asarray(model.gram)[np.ix_(used, used)]
            system.reshape(-1)[:: len(used) + 1] += self.a2 + RIDGE * system.diagonal().mean()
            slope = self.a1 * np.sign(z[used]) + self.a2 * z[used] - model.gradient[used]
            move, promise = newton_direction(system, slope)
            if not math.isfinite(promise):
                return
            crossing = np.full(len(used), math.inf)
            np.divide(-z[used], move, out=crossing, where=move * z[used] < 0)
            ends = np.sort(crossing[crossing < 1])
            for share in (1.0, *ends[[len(ends) // 2, len(ends) // 8, 0]]) if len(ends) else (1.0,):
                step = model.step.copy()
                step[used] += share * move
                gone = used[crossing <= share]
                step[gone] = -model.weights[gone]
                if (np.abs(step) <= model.limits).all() and self.go_to(model, step):
                    break
            else:
                return
            if not gone.size:
                return

    def take_step(self, which, model):
        """Move along the model's step, half as far while the objective does not fall; whether it did."""
        step, old = model.step, self.primal
        moved = np.flatnonzero(step)
        change = self.columns.combination(which[moved], step[moved], self.problem.n) * self.signs
        shift = model.shift if self.has_intercept else 0.0
        share = 1.0
        while share > 1e-9:
            scores, intercept = self.scores + share * change, self.intercept + share * shift
            loss = self.look(scores, intercept)
            w = model.weights + share * step
            primal = loss / self.problem.n + self.penalty(w)
            if primal <= old * (1 + self.rounding) - DECREASE * share * model.gain:
                self.scores, self.intercept, self.primal, self.w[which] = scores, intercept, primal, w
                self.loss_sum, self.steps = loss, self.steps + 1
                return True
            share /= 2
        self.look(self.scores, self.intercept)  # where it was
        return False

    # The protocol of solvers.

    def _objective(self, w, intercept):
        return self.penalty(w) + self.problem.mean_loss(w, intercept, self.loss)

    def should_certify(self):
        """A round ends with its bound anyway; this asks for the weights of all columns."""
        return self.point.within(self.tol)

    def measure(self):
        """The point with the weights of all columns, rounded as they will be."""
        w = np.zeros(self.problem.rows.n_columns)
        w[self.columns.ids] = self.w
        return self._as_kept(self.point._replace(w=w))

    def finished(self):
        """Whether double precision allows no more."""
        exact = self.point is not None and self.point.gap <= 2 * self.rounding * self.point.primal
        return exact or self.stalled > 5
