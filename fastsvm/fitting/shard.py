"""Some of the rows of X, wherever they lie, and what a driver elsewhere asks of them."""

from typing import NamedTuple

import numpy as np
from scipy import sparse

from .._utils.blas import one_blas_thread
from ..solvers._input import as_matrix, as_weights
from ..solvers._part_solver import Move, PegasosPart, SDCAPart, Step
from ..solvers._problem import Problem
from ..solvers.losses import as_loss
from .labels import as_labels, signs_of
from .packing import Packed, pack

__all__ = ["Described", "Moved", "Shard", "Task"]

PARTS = {"sdca": SDCAPart, "pegasos": PegasosPart}


class Described(NamedTuple):
    """What a driver must know of a shard's rows.

    Attributes
    ----------
    shape : (int, int)
    dtype : of X
    counts : dict of label to number of rows
    weights : dict of label to the sum of the sample weights of its rows
    squares : float, sum_i ||x_i||^2
    longest : float, the greatest ||x_i||^2 times the greatest weight
    n_bytes : int, of X
    """

    shape: tuple
    dtype: np.dtype
    counts: dict
    weights: dict
    squares: float
    longest: float
    n_bytes: int


class Task(NamedTuple):
    """A binary problem of all shards, as each of them is told.

    Attributes
    ----------
    positive : the label of sign +1
    class_weight : dict of label to weight, or None
    method : str, of `PARTS`
    loss : str
    width : float, of the smooth hinge
    seed : int
    options : dict of further arguments of the part's solver
    """

    positive: object
    class_weight: dict | None
    method: str
    loss: str
    width: float
    seed: int
    options: dict


class Moved(NamedTuple):
    """What is sent after a round: the change that the shard makes of w, and what else its solver says."""

    w: Packed
    move: Move | Step


class Shard:
    """Rows, labels and weights, and the dual variables of the problem at hand.

    Parameters
    ----------
    X : list of arrays or sparse matrices, one below the other
    y : list of arrays
    sample_weight : list of arrays, or None
    """

    def __init__(self, X, y, sample_weight=None):
        self.X, self.rows = as_matrix(_stacked(X))
        self.y = as_labels(np.concatenate(y), self.rows.n_rows)
        weights = None if sample_weight is None else np.concatenate(sample_weight)
        if weights is not None and weights.any():  # those of this shard may all be 0
            weights = as_weights(weights, self.rows.n_rows)
        self.sample_weight = weights
        self.rows.squared_norms()
        self.positive = self.solver = None
        self.duals = {}

    def describe(self):
        """Return the Described."""
        labels, places, counts = np.unique(self.y, return_inverse=True, return_counts=True)
        weights = np.bincount(places, self.sample_weight)
        largest = 1.0 if self.sample_weight is None else float(self.sample_weight.max())
        return Described(
            self.X.shape,
            self.X.dtype,
            dict(zip(labels.tolist(), counts.tolist(), strict=True)),
            dict(zip(labels.tolist(), weights.tolist(), strict=True)),
            float(self.rows.squared_norms().sum()),
            float(self.rows.longest) * largest,
            self.rows.n_bytes,
        )

    def begin(self, task, keep=False):
        """Begin a problem; `keep`: from the dual variables of the last one with this label, if there is any.

        Returns
        -------
        Packed, the shard's share of w; (float, float), its sums of b_i over the rows of either sign
        """
        weights = self.sample_weight
        if task.class_weight is not None:
            weights = np.ones(len(self.y)) if weights is None else weights.copy()
            for label, weight in task.class_weight.items():
                weights[self.y == label] *= weight
        problem = Problem(self.rows, signs_of(self.y, task.positive))
        if weights is not None:
            problem.weights = weights
        start = {"dual": self.duals.get(task.positive)} if keep else {}
        self.solver = PARTS[task.method](
            problem,
            loss=as_loss(task.loss, task.width),
            random=np.array([task.seed], np.uint64),
            **task.options,
            **start,
        )
        self.duals[task.positive] = self.solver.dual
        self.w = np.zeros(self.X.shape[1])
        return self._news(), self.solver.sums()

    def _news(self):
        """What the driver does not know of the shard's share, Packed; what rounding leaves comes later."""
        packed = pack(self.solver.share - self.solver.sent)
        self.solver.sent += packed.unpack()
        return packed

    def _hear(self, w):
        """Take the new w (of float64: all of it; Packed: its change)."""
        if isinstance(w, Packed):
            self.w += w.unpack()
        else:
            self.w[:] = w

    def advance(self, w, bias, passes):
        """Hear the new w, and make passes; return a Moved."""
        self._hear(w)
        with one_blas_thread:
            move = self.solver.advance(self.w, bias, passes)
        return Moved(self._news(), move)

    def sums(self, w):
        """Hear the new w; return the sums of b_i over the rows of sign +1 and of sign -1."""
        self._hear(w)
        return self.solver.sums()

    def measure(self, w, bias, *how):
        """Hear the new w; return the shard's summands of the certificate."""
        self._hear(w)
        with one_blas_thread:
            return self.solver.measure_share(self.w, bias, *how)


def _stacked(blocks):
    if len(blocks) == 1:
        return blocks[0]
    if any(map(sparse.issparse, blocks)):
        return sparse.vstack(blocks, format="csr")
    return np.concatenate(blocks)
