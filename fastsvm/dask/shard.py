"""One shard of the rows of X, on any machine, and the methods that a driver on another machine calls."""

from typing import NamedTuple

import numpy as np

from .._utils import sparse
from .._utils.threads import one_blas_thread
from ..fitting.labels import as_labels, signs_of
from ..solvers._input import as_matrix, as_weights
from ..solvers._problem import Problem
from ..solvers._sdca_part import SDCAPart


class Packed(NamedTuple):
    """An array of float32, or its nonzero values.

    Attributes
    ----------
    values : ndarray of float32
    columns : ndarray of int32, their places; None for all
    size : int, of the array
    """

    values: np.ndarray
    columns: np.ndarray | None
    size: int

    @property
    def n_bytes(self):
        """Bytes to send."""
        return self.values.nbytes + (0 if self.columns is None else self.columns.nbytes)

    def unpack(self):
        """Return the array, as float64."""
        if self.columns is None:
            return self.values.astype(np.float64)
        out = np.zeros(self.size)
        out[self.columns] = self.values
        return out


def pack(array):
    """Return an array Packed, each number rounded to float32; the caller handles the rounding errors."""
    values = array.astype(np.float32)
    columns = np.flatnonzero(values)
    if 2 * len(columns) < len(values):
        return Packed(values[columns], columns.astype(np.int32), len(values))
    return Packed(values, None, len(values))


class ShardSummary(NamedTuple):
    """The sums over a shard's rows that a driver needs.

    Attributes
    ----------
    shape : (int, int)
    dtype : of X
    counts : dict of label to number of rows
    weights : dict of label to the sum of the sample weights of its rows
    squares : float, sum_i ||x_i||^2
    """

    shape: tuple
    dtype: np.dtype
    counts: dict
    weights: dict
    squares: float


class Shard:
    """Rows, labels and weights, and the dual variables of the current problem.

    Parameters
    ----------
    X : list of arrays or sparse matrices, one below the other
    y : list of arrays
    sample_weight : list of arrays, or None
    """

    def __init__(self, X, y, sample_weight=None):
        self.X, self.rows = as_matrix(_stacked_blocks(X))
        self.y = as_labels(np.concatenate(y), self.rows.n_rows)
        weights = None if sample_weight is None else np.concatenate(sample_weight)
        if weights is not None and weights.any():  # in one shard, all may be 0
            weights = as_weights(weights, self.rows.n_rows)
        self.sample_weight = weights
        self.rows.squared_norms()
        self.solver = None
        self.duals = {}

    def describe(self):
        """Return the ShardSummary."""
        labels, places, counts = np.unique(self.y, return_inverse=True, return_counts=True)
        weights = np.bincount(places, self.sample_weight)
        return ShardSummary(
            self.X.shape,
            self.X.dtype,
            dict(zip(labels.tolist(), counts.tolist(), strict=True)),
            dict(zip(labels.tolist(), weights.tolist(), strict=True)),
            float(self.rows.squared_norms().sum()),
        )

    def begin(self, positive, class_weight, part, seed, warm=False):
        """Begin a problem; with `warm`, from the dual variables of the last problem with this label, if any.

        Parameters
        ----------
        positive : the label of sign +1
        class_weight : dict of label to weight, or None
        part : (params, n, damping, intercept_step), as in `SDCAPart`
        seed : int
        warm : bool, default=False

        Returns
        -------
        Packed, the shard's share of w; (float, float), its sums of b_i over the rows of each sign
        """
        weights = self.sample_weight
        if class_weight is not None:
            weights = np.ones(len(self.y)) if weights is None else weights.copy()
            for label, weight in class_weight.items():
                weights[self.y == label] *= weight
        problem = Problem(self.rows, signs_of(self.y, positive))
        if weights is not None:
            problem.weights = weights
        dual = self.duals.get(positive) if warm else None
        self.solver = SDCAPart(problem, *part, np.array([seed], np.uint64), dual)
        self.duals[positive] = self.solver.dual
        self.w = np.zeros(self.X.shape[1])
        return self._unsent_change(), self.solver.sums()

    def _unsent_change(self):
        """Return the change of the share since the last message, Packed; rounding errors follow later."""
        packed = pack(self.solver.share - self.solver.sent)
        self.solver.sent += packed.unpack()
        return packed

    def _update_w(self, message):
        """Take the new w, given as an array, or its change, given Packed."""
        if isinstance(message, Packed):
            self.w += message.unpack()
        else:
            self.w[:] = message

    def advance(self, w, intercept, passes):
        """Take the new w and make passes.

        Returns
        -------
        (Packed, (float, float), (float, float, float))
            The change of the shard's share of w, its sums as in `begin`, and what `SDCAPart.advance` returns.
        """
        self._update_w(w)
        with one_blas_thread:
            progress = self.solver.advance(self.w, intercept, passes)
        return self._unsent_change(), self.solver.sums(), progress

    def measure(self, w, intercept, factors, exact):
        """Take the new w; return the shard's `certificate_terms`."""
        self._update_w(w)
        with one_blas_thread:
            return self.solver.certificate_terms(self.w, intercept, factors, exact)


def _stacked_blocks(blocks):
    if len(blocks) == 1:
        return blocks[0]
    if any(map(sparse.issparse, blocks)):
        return sparse.vstack(blocks, format="csr")
    return np.concatenate(blocks)
