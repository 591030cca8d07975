"""SDCA on rows that lie in several shards: CoCoA+, certified."""

import math

import numpy as np

from ..solvers._problem import balancing
from ..solvers._solver import Point
from ..solvers.sdca_solver import TINY, bias_rate, must_be_exact
from .rounds import PASSES, Rounds

__all__ = ["SDCARounds"]


class SDCARounds(Rounds):
    """The driver of CoCoA+; w is the sum of the shards' w(b).

    The shards work on their own local problems (`SDCAPart`, its damping the number of shards), and the driver
    adds the changes. That w was rounded to float32 on its way, and that the dual variables of the heavier
    class are scaled down for the intercept's sake, is in the certificate.

    A shard that was lost has lost its dual variables: its share is subtracted from w, and it starts from 0.
    What remains is w(b) of all shards as before.

    Parameters
    ----------
    shards, described, positive, loss, ... : as in `Rounds`
    start : float, default=None
        An intercept: start from it, and from the shards' last dual variables for this label.

    References
    ----------
    Ma, Smith, Jaggi, Jordan, Richtarik & Takac, Adding vs. averaging in distributed primal-dual
    optimization, ICML 2015.
    """

    solver = "cocoa"

    def __init__(
        self, shards, described, *, alpha, fit_intercept, class_weight=None, seed=0, passes=PASSES,
        start=None, **options,
    ):  # fmt: skip
        super().__init__(
            shards, described, "sdca", alpha=alpha, fit_intercept=fit_intercept, class_weight=class_weight,
            seed=seed, passes=passes, **options,
        )  # fmt: skip
        self.column = 0.0
        if fit_intercept:
            mean_square = sum(part.squares for part in described) / self.n
            self.column = bias_rate(alpha, self.n, mean_square, self.mean_weight)
        self.task.options.update(n=self.n, alpha=alpha, damping=float(len(shards)), column=self.column)
        self.bias = start if start and fit_intercept else 0.0
        self.summed, self.looseness = 0.0, None
        self.shares = np.zeros((len(shards), len(self.w)))
        self.sums = np.zeros((len(shards), 2))  # of b_i, of either sign
        self.moves = {}
        self._begin(range(len(shards)), start is not None)

    def _begin(self, numbers, keep=False):
        super()._begin(numbers, keep)
        self.w = self.shares.sum(axis=0)

    def _has_begun(self, k, share, sums):
        self.shares[k], self.sums[k] = share, sums
        self.moves.pop(k, None)

    def run_epoch(self):
        """Make the rounds of an epoch, and a proximal step of the intercept."""
        super().run_epoch()
        self.bias += self.column * self._imbalance()

    def _imbalance(self):
        above, below = self.sums.sum(axis=0)
        return above - below

    def _gather(self, replies):
        before = self._imbalance()
        for k, (change, move) in replies.items():
            self.shares[k] += change.unpack()
            self.sums[k], self.moves[k] = move.sums, move
        self.bias += self.column * (self._imbalance() - before)
        self.w = self.shares.sum(axis=0)

    def should_certify(self):
        """Whether the gaps that shards have summed in their last passes say that `tol` is reached.

        A row was met half an epoch ago, on average: the sum is behind by half an epoch's progress.
        """
        if self.tol is None or len(self.moves) < len(self.shards):
            return False
        moves = self.moves.values()
        gap, loss = max(sum(m.gap for m in moves), 0.0), sum(m.loss for m in moves)
        if not math.isfinite(gap):
            return False
        if self.column:  # as for all rows in one place
            gap += abs(self._imbalance()) * loss / max(self.sums.sum(), TINY)
        progress, self.summed = gap / self.summed if gap < self.summed else 1.0, gap
        primal = loss + sum(m.dual_margins for m in moves) / 2
        return gap * (math.sqrt(progress) if self.looseness is None else self.looseness) <= self.tol * primal

    def on_loose_gap(self):
        """Learn how much larger, or smaller, the gap is than the shards' sums."""
        self.looseness = self.point.gap * self.n / max(self.summed, TINY)

    def measure(self):
        """Certify w as the shards have it."""
        replies = {}
        while len(replies) < len(self.shards):
            factors = balancing(*self.sums.sum(axis=0)) if self.column else (1.0, 1.0)
            replies = self._ask("measure", self.bias, factors, must_be_exact(self.tol, self.done))
        loss, terms, inner, rest = map(float, np.array(list(replies.values())).sum(axis=0))
        w, off = self.published.copy(), float(np.linalg.norm(self.w - self.published))
        # w(b) is w, plus what is `inner` along it and at most `rest` long, plus what is `off` long.
        square = float(w @ w)
        longest = math.sqrt(max(square + 2 * inner + rest**2, 0.0)) + off
        primal = self.alpha / 2 * square + loss / self.n
        return Point(w, self.bias, None, primal, terms / self.n - self.alpha / 2 * longest**2)
