"""SDCA on rows that lie in several shards: CoCoA+, certified."""

import math

import numpy as np

from ..solvers._problem import balance_factors
from ..solvers._solver import MeasuredIterate, Solver
from ..solvers.sdca_solver import TINY, sdca_intercept_step, sdca_must_be_exact
from .shard import pack

PASSES = 0.5  # passes of each shard over its rows per round, by default


def sum_dicts(dicts):
    """Add dicts of numbers, key by key."""
    total = {}
    for each in dicts:
        for key, number in each.items():
            total[key] = total.get(key, 0) + number
    return total


class SDCARounds(Solver):
    """The driver of one binary problem for CoCoA+; it has w, the sum of the shards' w(b), but no rows.

    In a round, each shard starts from w, makes passes over its rows (`SDCAPart`, with the number of shards as
    damping) and sends the change of its w(b); the driver adds the changes. The certificate is also a sum over
    the shards. It accounts for the rounding of w to float32 when it is sent, and for the dual variables of
    the heavier class, which are scaled down if there is an intercept.

    A lost shard has lost its dual variables: its share is subtracted from w, and it starts from 0. Then w is
    still w(b) of all shards.

    Parameters
    ----------
    shards : Cluster, or an object with its `ask` and length
        A new shard of the same rows, without dual variables, replaces each lost one.
    summaries : list of ShardSummary
    params : SDCAParams
    positive : the label of sign +1
    class_weight : dict of label to weight, or None
    seed : int
    passes : float, default=`PASSES`
        Passes of a shard over its rows per round, at most 1. An epoch has enough rounds for a pass.
    start : float, default=None
        An intercept: start from it, and from the shards' last dual variables for this label.

    Attributes
    ----------
    w : ndarray
    published : ndarray, the shards' copy of w
    intercept : float
    n_rounds, sent, received : int, rounds and bytes so far; bytes sent to all shards count for each
    lost : int, how many times a shard was lost

    References
    ----------
    Ma, Smith, Jaggi, Jordan, Richtarik & Takac, Adding vs. averaging in distributed primal-dual
    optimization, ICML 2015.
    """

    solver = "cocoa"

    def __init__(
        self, shards, summaries, params, *, positive, class_weight=None, seed=0, passes=PASSES, start=None
    ):
        super().__init__(None, params)
        self.shards, self.passes = shards, passes
        self.n = sum(part.shape[0] for part in summaries)
        self.rounds_an_epoch = math.ceil(1 / passes)
        self.n_rounds = self.sent = self.received = self.lost = 0
        self.w, self.published = np.zeros((2, summaries[0].shape[1]))
        self.fresh = set()  # shards that have no copy of w yet
        self.intercept_step = 0.0
        weights, factors = sum_dicts(part.weights for part in summaries), class_weight or {}
        mean_weight = sum(w * factors.get(label, 1.0) for label, w in weights.items()) / self.n
        if mean_weight != 1:
            class_weight = {label: factors.get(label, 1.0) / mean_weight for label in weights}
        if self.has_intercept:
            mean_square = sum(part.squares for part in summaries) / self.n
            self.intercept_step = sdca_intercept_step(self.alpha, self.n, mean_square, 1.0)
        part = params, self.n, float(len(shards)), self.intercept_step
        self.task, self.seed = (positive, class_weight, part), seed
        self.intercept = start if start and self.has_intercept else 0.0
        self.summed, self.looseness = 0.0, None
        self.shares = np.zeros((len(shards), len(self.w)))
        self.sums = np.zeros((len(shards), 2))  # of b_i, of either sign
        self.progress = {}
        self._begin_on_shards(range(len(shards)), start is not None)

    def _begin_on_shards(self, numbers, warm=False):
        """Send the problem to shards, and again to shards that are lost meanwhile."""
        self.fresh |= set(numbers)
        todo = list(numbers)
        while todo:
            tasks = {k: (*self.task, self.seed + k, warm) for k in todo}
            replies = self.shards.ask("begin", tasks)
            for k, (share, sums) in replies.items():
                self.shares[k], self.sums[k] = share.unpack(), sums
                self.progress.pop(k, None)
                self.received += share.n_bytes
            todo, warm = [k for k in todo if k not in replies], False
            self.lost += len(todo)
        self.w = self.shares.sum(axis=0)

    def _ask_shards(self, method, *args):
        """Send all shards the new w and call a method; begin again with lost shards. Return the replies."""
        change = pack(self.w - self.published)
        self.published += change.unpack()
        news = dict.fromkeys(range(len(self.shards)), change) | dict.fromkeys(self.fresh, self.published)
        self.sent += sum(w.nbytes if k in self.fresh else w.n_bytes for k, w in news.items())
        self.fresh = set()
        replies = self.shards.ask(method, {k: (w, *args) for k, w in news.items()})
        lost = [k for k in news if k not in replies]
        if lost:
            self.lost += len(lost)
            self._begin_on_shards(lost)
        return replies

    def run_epoch(self):
        """Make the rounds of an epoch, and a proximal step of the intercept."""
        for _ in range(self.rounds_an_epoch):
            if self.cancelled:
                raise KeyboardInterrupt
            self._run_round()
        self.intercept += self.intercept_step * self._imbalance()

    def _run_round(self):
        replies = self._ask_shards("advance", self.intercept, self.passes)
        before = self._imbalance()
        for k, (change, sums, progress) in replies.items():
            self.received += change.n_bytes
            self.shares[k] += change.unpack()
            self.sums[k], self.progress[k] = sums, progress
        self.n_rounds += 1
        self.intercept += self.intercept_step * (self._imbalance() - before)
        self.w = self.shares.sum(axis=0)

    def _imbalance(self):
        positive, negative = self.sums.sum(axis=0)
        return positive - negative

    def should_certify(self):
        """Whether `tol` is reached by the gaps that shards have summed in their last passes.

        A row was visited half an epoch ago, on average: the sum lags behind by half an epoch's progress.
        """
        if self.tol is None or len(self.progress) < len(self.shards):
            return False
        gap, loss, dual_margins = map(sum, zip(*self.progress.values(), strict=True))
        gap = max(gap, 0.0)
        if not math.isfinite(gap):
            return False
        if self.intercept_step:  # as for all rows in one place
            gap += abs(self._imbalance()) * loss / max(self.sums.sum(), TINY)
        progress, self.summed = gap / self.summed if gap < self.summed else 1.0, gap
        primal = loss + dual_margins / 2
        return gap * (math.sqrt(progress) if self.looseness is None else self.looseness) <= self.tol * primal

    def on_gap_above_tol(self):
        """Remember the ratio of the gap to the shards' sums."""
        self.looseness = self.point.gap * self.n / max(self.summed, TINY)

    def measure(self):
        """Certify the shards' copy of w."""
        replies = {}
        while len(replies) < len(self.shards):
            factors = balance_factors(*self.sums.sum(axis=0)) if self.intercept_step else (1.0, 1.0)
            exact = sdca_must_be_exact(self.tol, self.done)
            replies = self._ask_shards("measure", self.intercept, factors, exact)
        loss, terms, inner, distance = map(float, np.array(list(replies.values())).sum(axis=0))
        w, unsent = self.published.copy(), float(np.linalg.norm(self.w - self.published))
        # w(b) is w plus a vector whose product with w is `inner` and whose length is at most `distance`, plus
        # a vector of length `unsent`.
        square = float(w @ w)
        longest = math.sqrt(max(square + 2 * inner + distance**2, 0.0)) + unsent
        primal = self.alpha / 2 * square + loss / self.n
        return MeasuredIterate(w, self.intercept, None, primal, terms / self.n - self.alpha / 2 * longest**2)
