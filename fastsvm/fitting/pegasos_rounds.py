"""Pegasos on rows that lie in several shards: local steps, averaged, certified."""

import numpy as np

from ..solvers._problem import balancing
from ..solvers._solver import Point
from ..solvers.losses import as_loss
from ..solvers.pegasos_solver import radius
from .rounds import PASSES, Rounds

__all__ = ["PegasosRounds"]


class PegasosRounds(Rounds):
    """The driver of Pegasos in rounds of local steps.

    The shards make Pegasos' steps on their own rows (`PegasosPart`), and the driver takes the mean of where
    that leads, by numbers of rows. A shard that was lost has no say in that round, nor any dual variables
    in the bound until it has visited its rows anew.

    Parameters
    ----------
    shards, described, positive, loss, ... : as in `Rounds`
    batch_size : int, rows a step of each shard
    project : bool, keep w in the ball that holds the optimum, at the end of each round
    averaging : {"last", "tail"}
        Return the last w, or the mean of those after each round of the second half.

    References
    ----------
    Shalev-Shwartz, Singer, Srebro & Cotter, Math. Program. 127 (2011). Stich, Local SGD converges fast and
    communicates little, ICLR 2019.
    """

    solver = "pegasos"

    def __init__(
        self, shards, described, *, loss, alpha, fit_intercept, batch_size=1, project=False, averaging="last",
        class_weight=None, seed=0, passes=PASSES, **options,
    ):  # fmt: skip
        super().__init__(
            shards, described, "pegasos", loss=loss, hinge_width=1.0, alpha=alpha,
            fit_intercept=fit_intercept, class_weight=class_weight, seed=seed, passes=passes, **options,
        )  # fmt: skip
        self.task.options.update(alpha=alpha, fit_intercept=fit_intercept, batch_size=batch_size)
        self.sizes = [part.shape[0] for part in described]
        self.radius = radius(as_loss(loss), alpha, self.mean_weight) if project else np.inf
        self.half = self.max_iter * self.rounds_an_epoch // 2 if averaging == "tail" else np.inf
        self.tail, self.tail_bias, self.averaged = np.zeros_like(self.w), 0.0, 0
        self._begin(range(len(shards)))

    def _begin(self, numbers, keep=False):
        self.task.options["passes"] = self.n_rounds / self.rounds_an_epoch
        super()._begin(numbers, keep)

    def _gather(self, replies):
        rows = sum(self.sizes[k] for k in replies)
        for k, (change, move) in replies.items():
            self.w += change.unpack() * (self.sizes[k] / rows)
            self.bias += move.bias * (self.sizes[k] / rows)
        norm = float(np.linalg.norm(self.w))
        if norm > self.radius:
            self.w *= self.radius / norm
        if self.n_rounds > self.half:
            self.tail += self.w
            self.tail_bias += self.bias
            self.averaged += 1

    def output(self):
        """(w, intercept) of the last round, or the mean of the second half."""
        if self.averaged:
            return self.tail / self.averaged, self.tail_bias / self.averaged
        return self.w, self.bias

    def measure(self):
        """Certify the output as the shards have it, by the dual variables that their steps have built up."""
        kept = self.w, self.bias
        self.w, self.bias = self.output()
        replies = {}
        while len(replies) < len(self.shards):
            factors = 1.0, 1.0
            if self.fit_intercept:
                sums = self._ask("sums")
                if len(sums) < len(self.shards):
                    continue
                factors = balancing(*np.sum(list(sums.values()), axis=0))
            replies = self._ask("measure", self.bias, factors)
        loss, terms, rows = (sum(each) for each in zip(*replies.values(), strict=True))
        self.received += len(replies) * rows.nbytes
        w, intercept = self.published.copy(), self.bias
        self.w, self.bias = kept
        primal = self.alpha / 2 * float(w @ w) + loss / self.n
        bound = terms / self.n - float(rows @ rows) / (2 * self.alpha * self.n**2)
        return Point(w, intercept, None, primal, bound)
