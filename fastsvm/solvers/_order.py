"""The order in which a solver visits rows, and the parts into which an epoch is cut."""

from itertools import pairwise

import numpy as np

from ._input import as_order
from ._random import block_numbers, draw_batches, draw_rows, shuffle, shuffle_blocks
from ._sdca import keep_rows  # type: ignore[attr-defined]  # compiled
from ._windows import Windows

CACHE_BYTES = 1 << 25  # bytes of X that a processor's last cache is likely to hold


class Order:
    """The rows to visit, epoch by epoch.

    Parameters
    ----------
    problem : Problem
    sampling : {"permutation", "random", "cyclic", "batches"} or int array of shape (>= max_iter, n_visits)
    max_iter : int
    random : uint64 array of length 1
    grouped : bool
        Whether rows of a large X may be visited in blocks of adjacent rows.

    Attributes
    ----------
    rows : int32 array, the rows of this epoch
    blocks : int32 array or None, the sorted rows that form the blocks; None: all rows
    windows : Windows or None, for a large X on disk
    n_visits : int, the number of visits in a full epoch
    """

    def __init__(self, problem, sampling, max_iter, random, grouped=True):
        self.problem, self.sampling, self.random = problem, sampling, random
        self.windows = self.blocks = None
        if isinstance(sampling, str):
            large = problem.rows.n_bytes > CACHE_BYTES
            self.rows = np.arange(problem.n, dtype=np.int32)
            # Blocks pay if rows come from memory. Otherwise, they cost SDCA up to 50 % more epochs on a9a
            # (none on text), and the first, long steps of Pegasos fail on rows sorted by class.
            self.grouped = grouped and large
            if large and problem.rows.mapped and sampling in ("permutation", "cyclic"):
                self.windows, self.grouped = Windows(problem.rows, problem.signs), True
            if sampling == "cyclic":
                self.permute()
            elif sampling == "batches":
                self.pool = self.rows.copy()
        else:
            self.given = _given_order(sampling, max_iter, problem.n)
            self.rows = self.given[0]
        self.n_visits = len(self.rows)

    def epoch(self, number, batch_size=1, each_once=False):
        """The rows of an epoch, in the order of their visits; `number` counts from 0."""
        if not isinstance(self.sampling, str):
            self.rows = self.given[number]
        elif self.sampling == "permutation" or each_once:
            self.permute()
        elif self.sampling == "random":
            draw_rows(self.rows, self.problem.n, self.random)
        elif self.sampling == "batches":
            draw_batches(self.pool, self.rows, batch_size, self.random)
        return self.rows

    def permute(self):
        """Shuffle the rows, in blocks where they are grouped."""
        if not self.grouped:
            shuffle(self.rows, self.random)
            return
        n = self.problem.n if self.blocks is None else len(self.blocks)
        self.rows = self.rows[:n]
        if self.windows is not None:
            self.windows.shuffle(self.blocks, self.rows, self.random)
        else:
            shuffle_blocks(self.blocks, self.rows, block_numbers(n), self.random)

    def reset(self):
        """Visit all rows of positive weight."""
        weights = self.problem.weights
        self.rows = np.arange(self.problem.n, dtype=np.int32)
        if weights.size:
            self.rows = self.rows[weights > 0]
        self.blocks = self.rows.copy() if self.grouped else None

    def leave_out(self, dropped):
        """Visit only the rows that are not marked in `dropped`."""
        if self.grouped:
            self.blocks = self.blocks[: keep_rows(self.blocks, dropped)]
        else:
            self.rows = self.rows[: keep_rows(self.rows, dropped)]

    def slices(self, order, multiple, cuts):
        """Yield parts of an epoch, cut at `cuts`, each short enough for Ctrl-C to act."""
        rows = self.problem.rows
        windows = self.windows if order is self.rows else None
        if windows is None:
            rows.require_checked()
        if len(order) <= rows.chunk_rows() and not (cuts or rows.mapped):
            yield order
            return
        step = -(-rows.chunk_rows() // multiple) * multiple
        if windows is None:
            edges = range(0, len(order), step)
        else:  # a window may be cut, but is released only at its end
            edges = (-(-windows.ends // multiple) * multiple).tolist()
        edges = sorted({0, len(order), *(edge for edge in (*cuts, *edges) if 0 < edge < len(order))})
        for start, stop in pairwise(edges):
            for first in range(start, stop, step):
                last = min(first + step, stop)
                if windows is not None:
                    windows.prefetch(first)
                    windows.check(last)
                yield order[first:last]
            rows.release()


def _given_order(order, max_iter, n):
    order = as_order(order, n)
    if order.ndim != 2 or len(order) < max_iter:
        raise ValueError(
            f"order must have shape ({max_iter} or more, rows per epoch); got shape {order.shape}."
        )
    return order
