"""One problem whose rows lie in several shards, solved in rounds: what the methods share."""

import math
from itertools import pairwise

import numpy as np

from ..solvers._solver import Solver
from .packing import pack
from .shard import Shard, Task

__all__ = ["PASSES", "Rounds", "Serial", "summed"]

PASSES = 0.5  # over its rows that each shard makes in a round, unless told otherwise


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
    """The driver of one binary problem; it knows w, no row.

    A round: each shard starts from w, makes passes over its rows, and sends what that makes of w. The
    certificate is a sum over the shards too. A subclass puts the changes together (`_gather`), and begins
    a shard's part again where that was lost.

    Parameters
    ----------
    shards : Serial, or what has its `ask`
    described : list of Described
    method : str, of `shard.PARTS`
    positive : the label of sign +1
    loss, hinge_width, alpha, fit_intercept, max_iter : as in `sdca`
    class_weight : dict of label to weight, or None
    seed : int
    passes : float, default=`PASSES`
        Over its rows that a shard makes in a round, at most 1. An epoch is as many rounds as make a pass.

    Attributes
    ----------
    w : ndarray
    published : ndarray, what the shards have of it
    bias : float
    n_rounds, sent, received : int, rounds and bytes so far; what is sent to all is counted for each
    passes_made : float, over all rows
    lost : int, how many times a shard was
    """

    def __init__(
        self, shards, described, method, *, positive, loss, hinge_width, alpha, fit_intercept, max_iter,
        class_weight, seed, passes,
    ):  # fmt: skip
        self.shards, self.alpha, self.max_iter, self.passes = shards, alpha, max_iter, passes
        self.fit_intercept = fit_intercept
        self.n = sum(part.shape[0] for part in described)
        weights, factor = summed(part.weights for part in described), class_weight or {}
        self.mean_weight = sum(w * factor.get(label, 1.0) for label, w in weights.items()) / self.n
        self.task = Task(positive, class_weight, method, loss, hinge_width, seed, {})
        self.rounds_an_epoch = math.ceil(1 / passes)
        self.point, self.tol, self.cancelled, self.done, self.seconds = None, None, False, 0, 0.0
        self.n_rounds = self.sent = self.received = self.lost = 0
        self.passes_made, self.bias = 0.0, 0.0
        self.w, self.published = np.zeros((2, described[0].shape[1]))
        self.fresh = set()

    def _begin(self, numbers, keep=False):
        """Give shards the problem; again those that are lost while it is done."""
        self.fresh |= set(numbers)
        todo = list(numbers)
        while todo:
            tasks = {k: (self.task._replace(seed=self.task.seed + k), keep) for k in todo}
            replies = self.shards.ask("begin", tasks)
            for k, (share, sums) in replies.items():
                self._has_begun(k, share.unpack(), sums)
                self.received += share.n_bytes
            todo, keep = [k for k in todo if k not in replies], False
            self.lost += len(todo)

    def _has_begun(self, k, share, sums):
        """A shard has begun with this share of w, and these sums of its dual variables."""

    def _ask(self, method, *args):
        """Ask all shards, told w first; begin again with those that are lost. The replies."""
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
        return replies

    def run_epoch(self):
        """Make the rounds of an epoch."""
        for _ in range(self.rounds_an_epoch):
            if self.cancelled:
                raise KeyboardInterrupt
            self._round()

    def _round(self):
        replies = self._ask("advance", self.bias, self.passes)
        for change, move in replies.values():
            self.passes_made += move.passes / len(self.shards)
            self.received += change.n_bytes
        self.n_rounds += 1
        self._gather(replies)

    def _gather(self, replies):
        """Put together what the shards have made of w."""
        raise NotImplementedError
