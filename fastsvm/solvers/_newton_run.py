"""Newton's method from the outside: which rows it looks at, how sharp the bend is, when it stops."""

import math

import numpy as np
from scipy.linalg.lapack import dposv

from . import _newton
from ._run import CODES, Point, Run

SMALL, RATIO = 2000, 4  # rows of the first sample, and how much larger the next ones are
WIDE = 2.0  # how many times what margins last moved by (root mean square) a row may be off the bend
COARSE, FINE, FINER = 1e-2, 3e-4, 0.03  # gaps to reach: in a sample, in the first epoch, in later ones
GROW, EASY = 4, 0.1
BLOCK = 512  # rows a BLAS call
DEBUG = False


class Sample:
    """Some rows of a problem, and where they are."""

    def __init__(self, problem, which):
        used = np.count_nonzero(problem.weights) if problem.weights.size else problem.n
        self.which = which
        self.share = used / (len(which) * problem.n)  # of a row in the objective
        self.weights = problem.weights[which] if problem.weights.size else problem.weights
        self.margin, self.dual = np.zeros(len(which)), np.zeros(len(which))
        self.member = np.zeros(len(which), np.uint8)


class NewtonRun(Run):
    """Newton's method on one problem, an epoch at a time."""

    solver = "newton"

    def __init__(self, problem, *, loss, alpha, fit_intercept, max_iter, random=None, start=None):
        super().__init__(problem, order=np.empty((max_iter, 0), np.int32), max_iter=max_iter, random=random)
        self.loss, self.alpha, self.fit_intercept = loss, alpha, fit_intercept
        self.d = problem.rows.n_columns
        self.size = self.d + bool(fit_intercept)
        self.w = np.zeros(self.d + 1)  # the intercept comes last
        self.sharpness, self.radius = 0.4, math.inf
        self.start, self.all, self.point = start, None, None
        self.stalled, self.sharpest = 0, 1e8
        self.log = []

    def epoch(self):
        """Newton steps on the rows near the bend, then a pass over all rows and its certificate."""
        if self.all is None:
            self.begin()
            target, fresh = FINE * self.value, self.start is None
        else:
            target, fresh = FINER * self.best.gap, False
        sample, before = self.all, self.w.copy()
        whole = self.advance(sample, target, fresh)
        inner = self.w.copy()
        point = self.certify()
        better = self.best is None or point.gap < self.best.gap
        self.stalled = 0 if self.best is None or point.gap < 0.9 * self.best.gap else self.stalled + 1
        if self.stalled:
            # What rounds off in a margin is `sharpness` times as large in b.
            stiff = self.sharpness * sample.share * self.half.max() / self.alpha
            if stiff > 1e3:
                self.sharpest = min(self.sharpest, stiff) / 100
                self.sharpness *= self.sharpest / stiff
        if better:
            self.best = point._replace(dual=point.dual.copy())
        if better or point.primal <= self.value * (1 + 1e-12):
            self.value = point.primal
            self.radius = max(WIDE * self.moved, 1.5 / self.sharpness)
            sample.member[:] = 0
        else:
            # Members were too few, or there were too few steps.
            self.mark(sample)
            self.radius *= 4
            self.sharpness = min(self.sharpness, max(1.0, 1.5 / self.radius))
            self.w = inner if whole else before
            self.look(sample)

    def begin(self):
        problem = self.problem
        used = np.arange(problem.n, dtype=np.int32)
        if problem.weights.size:
            used = used[problem.weights > 0]
        self.best = None
        if self.start is None:
            self.approach(used)
        self.all = Sample(problem, used)
        if self.start is not None:
            dual, self.w[-1] = self.start
            dual = dual.copy()
            problem.box(dual, self.loss)
            self.all.dual[:] = dual[used]
            self.w[:-1] = problem.combine(dual, self.alpha)
            self.w[-1] *= self.fit_intercept
            self.z = self.pulled(self.all)
            self.sharpness = 1.0
        value, _ = self.look(self.all)
        self.value = value + self.ridge()

    def ridge(self):
        return self.alpha / 2 * float(self.w[:-1] @ self.w[:-1])

    def approach(self, used):
        size = max(SMALL, 6 * self.size)
        rng = np.random.default_rng(0)
        wide = math.inf
        while size * 2.5 < len(used):
            places = (np.arange(size) + rng.random(size)) * (len(used) / size)
            sample = Sample(self.problem, used[places.astype(np.intp)])
            value, _ = self.look(sample)
            self.value = value
            self.advance(sample, COARSE * value, fresh=True)
            _, moved = self.look(sample)
            self.radius = max(wide * moved, 1.5 / self.sharpness) if moved else math.inf
            self.sharpness = min(self.sharpness, max(1, 1.5 / self.radius))
            self.log.append((moved, self.radius, self.sharpness))
            wide = WIDE
            size *= RATIO

    # Passes over rows, in parts short enough for Ctrl-C.

    @property
    def matrix(self):
        p = self.problem
        return p.rows, p.rows.values, p.rows.columns

    def parts(self, count):
        step = self.problem.rows.chunk_rows()
        for first in range(0, count, step):
            if self.cancelled:
                raise KeyboardInterrupt
            yield first, min(first + step, count)

    def look(self, sample):
        """Margins at w; the mean loss there, and by how much margins moved."""
        total = moved = 0.0
        for part in self.parts(len(sample.which)):
            a, b = _newton.measure(*self.matrix, self.problem.signs, sample.which, sample.weights, self.w,
                                   CODES[self.loss], sample.margin, *part)
            total += a
            moved += b
        return total * sample.share, math.sqrt(moved / len(sample.which))

    def pulled(self, sample):
        z = np.zeros((2, self.d + 1))
        for part in self.parts(len(sample.which)):
            _newton.pulled(*self.matrix, self.problem.signs, sample.which, sample.dual, z, *part)
        return z

    def mark(self, sample):
        _newton.split(CODES[self.loss], sample.margin, sample.weights, sample.dual, self.radius, sample.member)

    def advance(self, sample, target, fresh):
        """Newton steps on members only; whether that was all rows."""
        if fresh:  # each b is that of its piece
            top = sample.weights if sample.weights.size else 1.0
            sample.dual[:] = top * (sample.margin < 1) if self.loss in ("hinge", "smooth_hinge") else 0
        self.mark(sample)
        near = np.flatnonzero(sample.member)
        if fresh and self.loss == "hinge":
            sample.dual[near] = 0.5 * (sample.weights[near] if sample.weights.size else 1.0)
        if fresh:
            self.z = self.pulled(sample)
        weights = sample.weights[near] if sample.weights.size else sample.weights
        work = _newton.Working(
            CODES[self.loss], sample.which[near], weights, sample.margin[near], sample.dual[near]
        )
        if self.loss == "hinge":
            work.sharpness = self.sharpness
            work.centre[:] = work.dual
        its = self.newton(work, sample.share, target)
        self.sharpness = work.sharpness
        sample.dual[near] = work.dual
        self.log.append((len(near), len(sample.which), self.sharpness, its))
        return len(near) == len(sample.which)

    def newton(self, work, share, target):
        d, size, alpha = self.d, self.size, self.alpha
        self.half = np.zeros((d + 1, d + 1))
        converged, lowest = 0, math.inf
        for k in range(100):
            slack = self.respond(work) * share
            H = (self.half + self.half.T)[:size, :size] * (share * work.sharpness)
            diagonal = H.reshape(-1)[:: size + 1]
            diagonal[:d] += alpha
            z = self.z.sum(axis=0)
            g = -share * z[:size]
            g[:d] += alpha * self.w[:d]
            off = g[:d]
            if self.fit_intercept:
                # What balancing the two classes of dual variables will do to w.
                heavy = int(z[d] > 0)
                if z[d]:
                    excess = min(1.0, z[d] / (self.z[heavy, d] or z[d]))
                    off = off + share * excess * self.z[heavy, :d]
                diagonal[d] += 1e-3 * abs(g[d]) + 1e-300
            own = 0.5 * float(off @ (H[:d, :d] @ off)) / alpha**2
            if self.fit_intercept:
                own += abs(g[d]) * (1 + abs(self.w[d]))
            if slack + own <= target and share * self.excess(work, off) <= target:
                return k
            p = direction(H, -g)
            promise = -0.5 * float(p @ g)
            converged += 0.1 * lowest <= promise <= 1e-12 * self.value
            lowest = min(lowest, promise)
            if converged > 2 or not math.isfinite(promise):
                return k
            if DEBUG:
                print(f"    {k} slack {slack:.3e} own {own:.3e} target {target:.3e} promise {promise:.3e}")
            step = np.zeros(d + 1)
            step[:size] = p
            self.try_step(work, step)
            t = self.length(work, step, z, share)
            self.w += t * step
            work.margin[:] += t * work.change
            if slack > target and promise <= EASY * slack and self.loss == "hinge":
                _newton.recentre(work)
                if share * work.sharpness * self.half.max() < self.sharpest * alpha:
                    work.sharpness *= GROW
                    converged, lowest = 0, math.inf
        return k

    def try_step(self, work, step):
        """How margins would change."""
        for part in self.parts(len(work.which)):
            _newton.measure(
                *self.matrix, self.problem.signs, work.which, np.empty(0), step, 0, work.change, *part
            )

    def excess(self, work, off):
        """The members' part of the gap, times n, at the w of their dual variables."""
        self.try_step(work, np.append(-off / self.alpha, 0.0))
        return _newton.excess(work)

    def respond(self, work):
        """b and the Hessian at the margins; the hinge's slack."""
        slack, curved, changed = 0.0, 0, 0
        for part in self.parts(len(work.which)):
            sums = _newton.respond(*self.matrix, self.problem.signs, work, self.z, *part)
            slack, curved, changed = slack + sums[0], curved + sums[1], changed + sums[2]
        if changed > curved:
            self.half[:] = 0
            work.held[:] = 0
        if changed and self.problem.rows.n_values < 32 * self.problem.n:
            for part in self.parts(len(work.which)):
                _newton.scatter(*self.matrix, work, self.half, *part)
        elif changed:
            block = np.empty((min(max(changed, curved), BLOCK), self.d + 1))
            for side in (1, -1):
                at = 0
                while at < len(work.which):
                    count, at = _newton.gather(*self.matrix, work, side, block, at)
                    self.half += 0.5 * side * (block[:count].T @ block[:count])
        return slack

    def length(self, work, step, z, share):
        """How far to go along `step`: to where the slope has lost most of its size."""
        d = self.d
        curvature = self.alpha * float(step[:d] @ step[:d])
        own = float(step @ z) - float(work.dual @ work.change)
        base = self.alpha * float(self.w[:d] @ step[:d]) - share * own
        first = abs(base - share * float(work.dual @ work.change))
        tiny = 1e-14 * (abs(base) + share * float(np.abs(work.dual * work.change).sum()))
        low, high, t = 0.0, math.inf, 1.0
        for _ in range(60):
            down, bend = _newton.slope(work, t)
            value = base + t * curvature - share * down
            bend = curvature + share * work.sharpness * bend
            if abs(value) <= 0.3 * first + tiny:
                return t
            if value < 0:
                low = t
            else:
                high = t
            new = t - value / bend if bend > 0 else math.inf
            if high == math.inf:
                t = min(max(new, 1.5 * t), 10 * t)
            elif low < new < high:
                t = new
            elif low > 0.1 * high:
                t = 0.5 * (low + high)
            else:
                t = max(0.1 * high, low * 2)
        return t

    def certify(self):
        problem, sample = self.problem, self.all
        dual = sample.dual
        if len(sample.which) < problem.n:
            dual = np.zeros(problem.n)
            dual[sample.which] = sample.dual
        if self.fit_intercept:
            problem.rebalance(dual)
            sample.dual[:] = dual[sample.which]
        self.z = self.pulled(sample)
        self.w[:-1] = self.z.sum(axis=0)[:-1] * (sample.share / self.alpha)
        value, self.moved = self.look(sample)
        primal = self.ridge() + value
        w = self.w[:-1].copy()
        bound = problem.bound(dual, w, self.loss, self.alpha)
        return Point(w, float(self.w[-1]), dual, primal, bound)

    def finished(self):
        """Whether double precision allows no more."""
        return self.stalled > 5 or self.best.gap <= 1e-15 * self.best.primal

    def measure(self):
        """The best point so far."""
        return self.best

    def settle(self):
        """Its certificate is that of what is returned already."""
        return self.best


def direction(H, slope):
    """Solve H p = slope, with a ridge if H is singular in double precision."""
    diagonal = H.diagonal().copy()
    ridge = 0.0
    while True:
        _, p, info = dposv(H.T, slope)
        if info == 0:
            return p
        ridge = max(1e-14, 100 * ridge)
        H.reshape(-1)[:: len(H) + 1] = diagonal * (1 + ridge) + 1e-300
