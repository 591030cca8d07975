"""One problem whose rows lie in several shards, solved in rounds: CoCoA+, certified."""

import math
from itertools import pairwise

import numpy as np

from ..solvers._sdca_solver import TINY, bias_rate
from ..solvers._solver import Point, Solver
from .packing import pack
from .shard import Shard, Task

__all__ = ["Rounds", "Serial", "summed"]

PASSES = 0.25  # over its rows that each shard makes in a round, unless told otherwise


class Serial:
    """Shards that take turns in this process.

    A driver knows no more of shards than this: `ask` for some replies, and get those of the shards that are
    still there. The others have lost their dual variables; a new shard of the same rows stands in for each.

    Parameters
    ----------
    shards : list of Shard
    """

    def __init__(self, shards):
        self.shards = shards

    def __len__(self):
        return len(self.shards)

    def ask(self, method, calls):
        """Call a method of some shards.

        Parameters
        ----------
        method : str
        calls : dict of the number of a shard to its arguments

        Returns
        -------
        dict of the number of a shard to its reply
        """
        return {k: getattr(self.shards[k], method)(*args) for k, args in calls.items()}

    @classmethod
    def split(cls, X, y, n_shards, sample_weight=None):
        """Make shards of about as many rows each, in the order of the rows."""
        bounds = np.linspace(0, len(y), n_shards + 1).astype(int)
        parts = [slice(first, last) for first, last in pairwise(bounds)]
        weights = [None if sample_weight is None else [sample_weight[part]] for part in parts]
        return cls([Shard([X[part]], [y[part]], c) for part, c in zip(parts, weights, strict=True)])


def summed(counts):
    """Add dicts of numbers."""
    total = {}
    for each in counts:
        for key, number in each.items():
            total[key] = total.get(key, 0) + number
    return total


class Rounds(Solver):
    """The driver of one binary problem; it knows w and each shard's share of it, no row.

    A round: each shard starts from w, makes passes on its own local problem (`PartSolver`, its damping the
    number of shards), and sends the change of its w(b). The driver adds the changes. The certificate is a sum
    over the shards too; that w was rounded to float32 on its way, and that the dual variables of the heavier
    class are scaled down for the intercept's sake, is in it.

    A shard that was lost has lost its dual variables: its share is subtracted from w, and it starts from 0.
    What remains is w(b) of all shards as before.

    Parameters
    ----------
    shards : Serial, or what has its `ask`
    described : list of Described
    positive : the label of sign +1
    loss, hinge_width, alpha, fit_intercept, max_iter : as in `sdca`
    class_weight : dict of label to weight, or None
    seed : int
    passes : float, default=`PASSES`
        Over its rows that a shard makes in a round, at most 1. An epoch is as many rounds as make a pass.
    start : float, default=None
        An intercept: start from it, and from the shards' last dual variables for this label.

    Attributes
    ----------
    w : ndarray, the sum of the shares
    published : ndarray, what the shards have of it
    bias : float
    n_rounds, sent, received : int, rounds and bytes so far; what is sent to all is counted for each
    passes_made : float, over all rows
    lost : int, how many times a shard was
    """

    solver = "cocoa"

    def __init__(
        self, shards, described, *, positive, loss, hinge_width, alpha, fit_intercept, max_iter,
        class_weight=None, seed=0, passes=PASSES, start=None,
    ):  # fmt: skip
        self.shards, self.alpha, self.max_iter, self.passes = shards, alpha, max_iter, passes
        self.n = sum(part.shape[0] for part in described)
        weights = summed(part.weights for part in described)
        factor = class_weight or {}
        mean_weight = sum(w * factor.get(label, 1.0) for label, w in weights.items()) / self.n
        mean_square = sum(part.squares for part in described) / self.n
        self.column = bias_rate(alpha, self.n, mean_square, mean_weight) if fit_intercept else 0.0
        self.task = Task(
            positive, class_weight, loss, hinge_width, self.n, alpha,
            float(len(shards)), self.column, seed,
        )  # fmt: skip
        self.rounds_an_epoch = math.ceil(1 / passes)
        self.point, self.tol, self.cancelled, self.done, self.seconds = None, None, False, 0, 0.0
        self.n_rounds = self.sent = self.received = self.lost = 0
        self.passes_made, self.last_gap = 0.0, 0.0
        self.bias = start if start and fit_intercept else 0.0
        self.promised, self.optimism = 0.0, 1.0
        self.published = np.zeros(described[0].shape[1])
        self.shares = np.zeros((len(shards), len(self.published)))
        self.sums = np.zeros((len(shards), 2))  # of b_i, of either sign
        self.moves = {}
        self._begin(range(len(shards)), start is not None)

    def _begin(self, numbers, keep=False):
        """Give shards the problem; again those that are lost while it is done."""
        self.fresh = set(numbers) | getattr(self, "fresh", set())
        todo = list(numbers)
        while todo:
            tasks = {k: (self.task._replace(seed=self.task.seed + k), keep) for k in todo}
            replies = self.shards.ask("begin", tasks)
            for k, (share, sums) in replies.items():
                self.shares[k], self.sums[k] = share.unpack(), sums
                self.received += share.n_bytes
            todo, keep = [k for k in todo if k not in replies], False
            self.lost += len(todo)
        self.w = self.shares.sum(axis=0)

    def _ask(self, method, *args):
        """Ask all shards, told w first; forget those that are lost. The replies."""
        change = pack(self.w - self.published)
        self.published += change.unpack()
        hears = dict.fromkeys(range(len(self.shards)), change) | dict.fromkeys(self.fresh, self.published)
        self.sent += sum(w.nbytes if k in self.fresh else w.n_bytes for k, w in hears.items())
        self.fresh = set()
        replies = self.shards.ask(method, {k: (w, *args) for k, w in hears.items()})
        lost = [k for k in hears if k not in replies]
        if lost:
            self.lost += len(lost)
            self._begin(lost)
            for k in lost:
                self.moves.pop(k, None)
        return replies

    def run_epoch(self):
        """Make the rounds of an epoch, and a proximal step of the intercept."""
        for _ in range(self.rounds_an_epoch):
            if self.cancelled:
                raise KeyboardInterrupt
            self._round()
        self.bias += self.column * self._imbalance()

    def _imbalance(self):
        above, below = self.sums.sum(axis=0)
        return above - below

    def _round(self):
        replies = self._ask("advance", self.bias, self.passes)
        before = self._imbalance()
        for k, (change, move) in replies.items():
            self.shares[k] += change.unpack()
            self.sums[k], self.moves[k] = move.sums, move
            self.passes_made += move.passes / len(self.shards)
            self.received += change.n_bytes
        self.bias += self.column * (self._imbalance() - before)
        self.w = self.shares.sum(axis=0)
        self.n_rounds += 1

    def should_certify(self):
        """Whether the gaps that shards have summed in their last passes say that `tol` is reached."""
        if self.tol is None or len(self.moves) < len(self.shards):
            return False
        moves = self.moves.values()
        gap, loss = max(sum(m.gap for m in moves), 0.0), sum(m.loss for m in moves)
        if not math.isfinite(gap):
            return False
        if self.column:  # as for all rows in one place
            gap += abs(self._imbalance()) * loss / max(self.sums.sum(), TINY)
        progress, self.last_gap = gap / self.last_gap if gap < self.last_gap else 1.0, gap
        self.promised = gap * progress / self.n
        primal = loss + sum(m.dual_margins for m in moves) / 2
        return self.optimism * gap * progress <= self.tol * primal

    def on_loose_gap(self):
        """Learn how much larger the gap is than what the shards' sums promise."""
        self.optimism = max(1.0, self.point.gap / max(self.promised, TINY))

    def measure(self):
        """Certify w as the shards have it."""
        replies = {}
        while len(replies) < len(self.shards):
            above, below = self.sums.sum(axis=0)
            lighter = min(above, below)
            factors = 1.0, 1.0
            if self.column:
                factors = (
                    lighter / above if above > lighter else 1.0,
                    lighter / below if below > lighter else 1.0,
                )
            replies = self._ask("measure", self.bias, factors)
        loss, terms, inner, rest = map(float, np.array(list(replies.values())).sum(axis=0))
        w, off = self.published.copy(), float(np.linalg.norm(self.w - self.published))
        # w(b) is w, plus what is `inner` along it and at most `rest` long, plus what is `off` long.
        square = float(w @ w)
        longest = math.sqrt(max(square + 2 * inner + rest**2, 0.0)) + off
        primal = self.alpha / 2 * square + loss / self.n
        return Point(w, self.bias, None, primal, terms / self.n - self.alpha / 2 * longest**2)
