"""Newton's method from the outside: which rows it looks at, how sharp the bend is, when it stops."""

import math

import numpy as np

from . import _newton
from ._solver import CODES, Point, Solver

SMALL, RATIO = 2000, 4  # rows of the first sample, and how many times more the next one has
WIDE = 2.0  # members lie within this many times the last change of margins (root mean square) of the bend
COARSE, FINE, FINER = 1e-2, 3e-4, 0.03  # gaps to reach: on samples, in the first epoch, of the last gap
EASY, GROW = (
    0.1,
    4,
)  # centres move once steps promise this share of the slack; the bend is so much sharper then
STEPS = 100  # most Newton steps of an epoch
BLOCK = 512  # rows a product of matrices
SHORT = 32  # values a row up to which its outer product is added value by value


class Sample:
    """Some rows of a problem: their margins, their dual variables, and which are members."""

    def __init__(self, problem, which):
        used = np.count_nonzero(problem.weights) if problem.weights.size else problem.n
        self.which = which
        self.share = used / (len(which) * problem.n)  # of a row in the objective
        self.weights = problem.weights[which] if problem.weights.size else problem.weights
        self.margin, self.dual = np.zeros(len(which)), np.zeros(len(which))
        self.member = np.zeros(len(which), np.uint8)

    def weights_of(self, near):
        """The weights of the rows at the places `near`."""
        return self.weights[near] if self.weights.size else self.weights


class NewtonSolver(Solver):
    """Newton's method on one problem of few columns, an epoch at a time.

    A step solves a system of the size of w, whose matrix is summed over the rows where the loss is bent.
    The hinge, which has no second derivative, gets one: it is the limit of the augmented Lagrangians of its
    dual, where b_i = clip(centre_i + c_i sharpness (1 - m_i), 0, c_i). Their minimum gives the next centres
    (the method of multipliers), and few rows are strictly inside.

    Steps are made on the members: rows near the bend. The loss of the others is taken for the straight line
    it is around their margins. An epoch ends with a pass over all rows, the certificate, and new members. If
    there are many more rows than columns, ever larger samples of them are solved roughly before the first.

    Parameters
    ----------
    problem : Problem
        Of few columns: the system takes 8 bytes times the square of their number.
    loss, alpha, fit_intercept, start : as in `sdca`
    max_iter : int
        Most epochs: passes over all rows, and the steps before them.
    random : ignored; the samples are the same each time

    References
    ----------
    Rockafellar, Augmented Lagrangians and applications of the proximal point algorithm, Math. Oper. Res. 1
    (1976). Yin & Li, A semismooth Newton method for support vector classification and regression, Comput.
    Optim. Appl. 73 (2019).
    """

    solver = "newton"

    def __init__(self, problem, *, loss, alpha, fit_intercept, max_iter, random=None, start=None):
        no_order = np.empty((max_iter, 0), np.int32)
        super().__init__(problem, order=no_order, max_iter=max_iter, random=random, alpha=alpha)
        self.loss, self.fit_intercept, self.start = loss, fit_intercept, start
        self.d = problem.rows.n_columns
        self.size = self.d + bool(fit_intercept)
        self.w = np.zeros(self.d + 1)  # the intercept comes last
        self.sharpness, self.sharpest = 0.4, 1e8
        self.radius = math.inf
        self.all, self.stalled = None, 0

    def run_epoch(self):
        """Newton steps on the members, then a pass over all rows and its certificate."""
        if self.all is None:
            self.begin()
            target, fresh = FINE * self.value, self.start is None
        else:
            target, fresh = FINER * self.point.gap, False
        if self.tol is not None:
            target = max(target, 0.5 * self.tol * self.value)
        sample, before = self.all, self.w.copy()
        self.advance(sample, target, fresh)
        reached = self.w.copy()
        point = self.certify()
        better = self.point is None or point.gap < self.point.gap
        self.stalled = 0 if self.point is None or point.gap < 0.9 * self.point.gap else self.stalled + 1
        if better:
            self.point = point._replace(dual=point.dual.copy())
        if self.stalled:
            self.soften()
        if point.primal <= self.value * (2 if better else 1 + 1e-12):
            self.value = point.primal
            self.radius = max(WIDE * self.moved, 1.5 / self.sharpness)
            sample.member[:] = 0
        else:
            # Others moved than the members, or the steps were too few: once more, with more of them.
            everything = sample.member.all()
            self.mark(sample)
            self.radius *= 4
            self.sharpness = min(self.sharpness, max(1.0, 1.5 / self.radius))
            self.w = reached if everything else before
            loss, _ = self.look(sample)
            self.value = loss + self.ridge()

    def begin(self):
        """Find a place to start from."""
        problem = self.problem
        used = np.arange(problem.n, dtype=np.int32)
        if problem.weights.size:
            used = used[problem.weights > 0]
        self.all = Sample(problem, used)
        if self.start is None:
            self.approach(used)
        else:
            dual, intercept = self.start[:2]
            dual = dual.copy()
            problem.clip_dual(dual, self.loss)
            self.all.dual[:] = dual[used]
            self.w[:-1] = problem.primal_from_dual(dual, self.alpha)
            self.w[-1] = intercept if self.fit_intercept else 0
            self.z = self.pulled(self.all)
            self.sharpness = 1.0
        loss, _ = self.look(self.all)
        self.value = loss + self.ridge()

    def approach(self, used):
        """Solve samples, one row from each of as many equal parts of `used`."""
        size = max(SMALL, 6 * self.size)
        random = np.random.default_rng(0)
        wide = math.inf  # what the first sample moved by says nothing
        while size * 2.5 < len(used):
            places = (np.arange(size) + random.random(size)) * (len(used) / size)
            sample = Sample(self.problem, used[places.astype(np.intp)])
            self.value, _ = self.look(sample)
            self.advance(sample, COARSE * self.value, fresh=True)
            _, moved = self.look(sample)
            self.radius = max(wide * moved, 1.5 / self.sharpness) if moved else math.inf
            self.sharpness = min(self.sharpness, max(1.0, 1.5 / self.radius))
            wide = WIDE
            size *= RATIO

    def advance(self, sample, target, fresh):
        """Steps on the members, until their gap is `target`; all b are chosen anew if `fresh`."""
        if fresh:
            top = sample.weights if sample.weights.size else 1.0
            sample.dual[:] = top * (sample.margin < 1) if self.loss in ("hinge", "smooth_hinge") else 0
        self.mark(sample)
        near = np.flatnonzero(sample.member)
        if fresh:
            if self.loss == "hinge":
                sample.dual[near] = 0.5 * sample.weights_of(near) if sample.weights.size else 0.5
            self.z = self.pulled(sample)
        work = _newton.Working(
            CODES[self.loss],
            sample.which[near],
            sample.weights_of(near),
            sample.margin[near],
            sample.dual[near],
        )
        if self.loss == "hinge":
            work.sharpness = self.sharpness
            work.centre[:] = work.dual
        self.descend(work, sample.share, target)
        self.sharpness = work.sharpness
        sample.dual[near] = work.dual

    def descend(self, work, share, target):
        """Newton steps on `work`, each row of which is a `share` of the objective."""
        self.half = np.zeros((self.d + 1, self.d + 1))
        lowest, idle = math.inf, 0
        for _ in range(STEPS):
            slack = self.respond(work) * share
            z = self.z.sum(axis=0)
            g, H = self.system(work, z, share)
            off, imbalance = self.mismatch(g, z, share)
            short = off / self.alpha
            quick = 0.5 * float(short @ (H[: self.d, : self.d] @ short)) + imbalance
            if slack + quick <= target and self.excess(work, off) * share <= target:
                return
            p = direction(H, -g)
            promise = -0.5 * float(p @ g)
            if promise > self.value:  # more than there is: too few rows are bent; a step as long as Polyak's
                H.reshape(-1)[:: self.size + 1] += float(g @ g) / (2 * self.value)
                p = direction(H, -g)
                promise = -0.5 * float(p @ g)
            idle += 0.1 * lowest <= promise <= 1e-12 * self.value
            lowest = min(lowest, promise)
            if idle > 2 or not math.isfinite(promise):  # no more digits
                return
            step = np.zeros(self.d + 1)
            step[: self.size] = p
            self.project(work, step)
            t = self.length(work, step, z, share)
            self.w += t * step
            work.margin[:] += t * work.change
            if self.loss == "hinge" and slack > target and promise <= EASY * slack:
                _newton.recentre(work)
                if share * work.sharpness * self.half.max() < self.sharpest * self.alpha:
                    work.sharpness *= GROW
                    lowest, idle = math.inf, 0

    def respond(self, work):
        """b and the Hessian at the margins; n times the hinge's part of the gap."""
        slack, bent, changed = 0.0, 0, 0
        for part in self.parts(len(work.which)):
            sums = _newton.respond(*self.matrix, self.problem.signs, work, self.z, *part)
            slack, bent, changed = slack + sums[0], bent + sums[1], changed + sums[2]
        if changed > bent:
            self.half[:] = 0
            work.held[:] = 0
        if changed and self.problem.rows.n_values < SHORT * self.problem.n:
            for part in self.parts(len(work.which)):
                _newton.scatter(*self.matrix, work, self.half, *part)
        elif changed:
            block = np.empty((min(len(work.which), BLOCK), self.d + 1))
            for side in (1, -1):
                at = 0
                while at < len(work.which):
                    count, at = _newton.gather(*self.matrix, work, side, block, at)
                    self.half += 0.5 * side * (block[:count].T @ block[:count])
        return slack

    def system(self, work, z, share):
        """Gradient and Hessian, with a bit more on the diagonal for an intercept that nothing holds."""
        d, size = self.d, self.size
        g = -share * z[:size]
        g[:d] += self.alpha * self.w[:d]
        H = (self.half + self.half.T)[:size, :size] * (share * work.sharpness)
        diagonal = H.reshape(-1)[:: size + 1]
        diagonal[:d] += self.alpha
        diagonal[d:] += 1e-3 * np.abs(g[d:]) + 1e-300
        return g, H

    def mismatch(self, g, z, share):
        """alpha times w minus w(b), with b balanced if there is an intercept; what balancing may cost."""
        off, total = g[: self.d], z[self.d]
        if not self.fit_intercept or total == 0:
            return off, 0.0
        heavier = self.z[int(total > 0)]
        excess = min(1.0, total / heavier[self.d]) if heavier[self.d] else 1.0
        return off + share * excess * heavier[: self.d], abs(g[self.d]) * (1 + abs(self.w[self.d]))

    def excess(self, work, off):
        """The members' part of the gap, times n, at the w of their dual variables."""
        self.project(work, np.append(-off / self.alpha, 0.0))
        return _newton.excess(work)

    def length(self, work, step, z, share):
        """How far to go along `step`: to where the slope has lost most of its size."""
        d = self.d
        ridge = self.alpha * float(step[:d] @ step[:d])
        pull = share * float(work.dual @ work.change)
        fixed = self.alpha * float(self.w[:d] @ step[:d]) - share * float(step @ z) + pull
        enough = 0.3 * abs(fixed - pull)
        enough += 1e-14 * (abs(fixed) + share * float(np.abs(work.dual * work.change).sum()))
        low, high, t = 0.0, math.inf, 1.0
        for _ in range(60):
            down, bend = _newton.slope(work, t)
            slope = fixed + t * ridge - share * down
            if abs(slope) <= enough:
                break
            low, high = (t, high) if slope < 0 else (low, t)
            bend = ridge + share * work.sharpness * bend
            newton = t - slope / bend if bend > 0 else math.inf
            if high == math.inf:
                t = min(max(newton, 1.5 * t), 10 * t)
            elif low < newton < high:
                t = newton
            else:
                t = 0.5 * (low + high) if low > 0.1 * high else max(0.1 * high, 2 * low)
        return t

    def certify(self):
        """The Point of the dual variables; w is its w from now on."""
        problem, sample = self.problem, self.all
        dual = sample.dual
        if len(sample.which) < problem.n:
            dual = np.zeros(problem.n)
            dual[sample.which] = sample.dual
        if self.fit_intercept:
            problem.rebalance(dual)
            sample.dual[:] = dual[sample.which]
        self.z = self.pulled(sample)
        w = self.z.sum(axis=0)[:-1] * (sample.share / self.alpha)
        self.w[:-1] = w
        loss, self.moved = self.look(sample)
        bound = problem.dual_value(dual, w, self.loss, self.alpha)
        return Point(w, float(self.w[-1]), dual, self.ridge() + loss, bound)

    def soften(self):
        """Round the bend off again: what rounds off in a margin is `sharpness` times as large in b."""
        stiffness = self.sharpness * self.all.share * self.half.max() / self.alpha
        if stiffness > 1e3:
            self.sharpest = min(self.sharpest, stiffness) / 100
            self.sharpness *= self.sharpest / stiffness

    def ridge(self):
        """alpha/2 ||w||^2."""
        return self.alpha / 2 * float(self.w[:-1] @ self.w[:-1])

    @property
    def matrix(self):
        """The leading arguments of every kernel."""
        rows = self.problem.rows
        return rows, rows.values, rows.columns

    def parts(self, count):
        """Parts of a pass over `count` rows, short enough for Ctrl-C and `cancelled` to be heard."""
        step = self.problem.rows.chunk_rows()
        for first in range(0, count, step):
            if self.cancelled:
                raise KeyboardInterrupt
            yield first, min(first + step, count)

    def look(self, sample):
        """Margins at w; the mean loss there, and by how much (root mean square) margins moved."""
        total = moved = 0.0
        for part in self.parts(len(sample.which)):
            sums = _newton.measure(
                *self.matrix, self.problem.signs, sample.which, sample.weights, self.w, CODES[self.loss],
                sample.margin, *part,
            )  # fmt: skip
            total, moved = total + sums[0], moved + sums[1]
        return total * sample.share, math.sqrt(moved / len(sample.which))

    def project(self, work, step):
        """By how much a step changes the margins."""
        none = np.empty(0)
        for part in self.parts(len(work.which)):
            _newton.measure(*self.matrix, self.problem.signs, work.which, none, step, 0, work.change, *part)

    def pulled(self, sample):
        """sum_i b_i y_i x_i, and with it sum_i b_i y_i, for either sign y."""
        z = np.zeros((2, self.d + 1))
        for part in self.parts(len(sample.which)):
            _newton.pulled(*self.matrix, self.problem.signs, sample.which, sample.dual, z, *part)
        return z

    def mark(self, sample):
        """Make what is near the bend a member."""
        _newton.split(
            CODES[self.loss], sample.margin, sample.weights, sample.dual, self.radius, sample.member
        )

    def should_certify(self):
        """Every epoch has its certificate anyway."""
        return True

    def measure(self):
        """The best point so far."""
        return self.point

    def finished(self):
        """Whether double precision allows no more."""
        return self.stalled > 5 or self.point.gap <= 1e-15 * self.point.primal


def direction(H, slope):
    """Solve H p = slope, with a ridge if H is singular in double precision."""
    from scipy.linalg.lapack import dposv  # nobody else waits for it

    diagonal = H.diagonal().copy()
    for ridge in (0.0, 1e-14, 1e-12, 1e-10, 1e-8, 1e-4, 1.0):
        H.reshape(-1)[:: len(H) + 1] = diagonal * (1 + ridge) + (1e-300 if ridge else 0)
        _, p, info = dposv(H.T, slope)
        if info == 0:
            return p
    return np.full(len(H), np.nan)
