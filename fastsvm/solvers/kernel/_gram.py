"""Rows of a kernel matrix, computed when they are needed, and kept as far as the cache allows."""

from typing import Any

import numpy as np

from ..._utils import sparse
from ..._utils.memory import refuse_beyond_memory
from ..._utils.threads import in_threads
from .._input import as_matrix, positive
from ._kernel import add_rows, gather, mirror, spread
from ._values import DOUBLE_ROWS, TILE_COLUMNS, TILE_ROWS, GivenKernel, Kernel, aligned_copy, aligned_empty

MIB = 1 << 20
A_SHARE = 1 << 19  # values that are worth starting a thread
COMPLETE_SHARE = 0.7  # the share of the rows from which all are computed


class Gram:
    """The matrix of K(x_i, x_j), by rows: float32, or float64 for up to 1,024 rows.

    Parameters
    ----------
    kernel : Kernel or GivenKernel, fitted to the rows x_i
    cache_size : float
        MiB of rows to keep; the least recently used rows are evicted.
    threads : int
        The number of threads that share the columns; it does not change the values.

    Raises
    ------
    MemoryError
        If a single row exceeds `cache_size`, or the cache exceeds the free memory.
    """

    shared = False
    """Whether runs in several threads use the matrix; no row is then evicted."""

    def __init__(self, kernel, cache_size=1024, threads=1):
        self.kernel, self.threads = kernel, threads
        self.points = kernel.trained
        self.n = n = len(self.points)
        dtype = np.dtype(np.float64 if n <= DOUBLE_ROWS else np.float32)
        width = dtype.itemsize * n
        self.capacity = int(min(n, cache_size * MIB / width))
        if not self.capacity:
            raise MemoryError(
                f"A row of the kernel matrix of {n} rows needs {width / MIB:.3g} MiB, but cache_size is "
                f"{cache_size:.3g}: raise cache_size."
            )
        refuse_beyond_memory(width * self.capacity, "kernel values", "lower cache_size")
        self.rows = np.empty((self.capacity, n), dtype)
        self.slots = np.full(n, -1, np.int32)
        self.owners = np.full(self.capacity, -1, np.int32)
        self.used = np.full(self.capacity, -1, np.int64)
        self.diagonal = kernel.diagonal()
        self.computed = 0
        """Rows computed so far."""

    def use_threads(self, threads, shared=False):
        """Use `threads` threads from now on; `shared` as the attribute."""
        self.threads, self.shared = threads, shared

    def forget_uses(self):
        """Begin a new run, whose clock starts anew: rows used by earlier runs are evicted first."""
        self.used[:] = -1

    def share_threads(self, needed, n_runs, n_threads):
        """Share the threads among runs over this matrix; return the number of simultaneous runs.

        It is 1 if the needed rows do not fit into the cache, since runs would evict each other's rows.
        """
        if len(needed) > self.capacity:
            return 1
        self.fetch(needed, 0)
        n_workers = min(n_threads, n_runs)
        self.use_threads(n_threads // n_workers, shared=n_workers > 1)
        return n_workers

    def fetch(self, which, now):
        """Compute these rows, unless they are kept; row i is rows[slots[i]].

        Parameters
        ----------
        which : int32 array of distinct row numbers, no more than `capacity`
        now : int, or an array of one for each row
            The time of their use; rows used earlier are evicted.
        """
        held, now = self.slots[which], np.broadcast_to(now, which.shape)
        missing, later = which[held < 0], now[held < 0]
        self.used[held[held >= 0]] = now[held >= 0]
        held = held[held >= 0]
        if not len(missing):
            return
        if self.capacity == self.n and self.computed + len(missing) > COMPLETE_SHARE * self.n:
            self._complete_matrix()  # the matrix is symmetric, and more rows will be needed
            self.used[self.slots[which]] = now
            return
        used = self.used.copy()
        used[held] = np.iinfo(used.dtype).max  # they stay, even if others were used as recently
        places = np.argpartition(used, len(missing) - 1)[: len(missing)].astype(np.int32)
        places.sort()  # free places are adjacent
        owners = self.owners[places]
        self.slots[owners[owners >= 0]] = -1
        self.owners[places] = self.used[places] = -1
        step = self.kernel.panel(self.points.values.shape[-1])
        for first in range(0, len(missing), step):
            part = slice(first, first + step)
            self._compute_rows(missing[part], places[part])
        # Only now, so that an interrupt leaves no row half-computed.
        self.slots[missing], self.owners[places], self.used[places] = places, missing, later
        self.computed += len(missing)

    def _compute_rows(self, which, places):
        few = self.points[which]
        places = slice(places[0], places[-1] + 1) if places[-1] - places[0] == len(places) - 1 else places

        def some(first, last):
            for start, stop, tile in self.kernel.tiles(few, self.points, first, last):
                self.rows[places, start:stop] = tile

        self._in_column_ranges(some, len(which))

    def _complete_matrix(self):
        """Compute the missing values, each once, and mirror them."""
        held = np.flatnonzero(self.slots >= 0).astype(np.int32)
        left = np.flatnonzero(self.slots < 0).astype(np.int32)
        free = np.flatnonzero(self.owners < 0).astype(np.int32)
        slots = self.slots.copy()
        slots[left] = free
        points = self.points[left] if len(held) else self.points
        self._fill_square(self.rows, slots, held, left, points, self.threads)
        self.owners[free] = left
        self.slots[:] = slots
        self.computed = self.n

    def _fill_square(self, out, slots, held, left, points, threads=1):
        """Fill the rows `left` of a symmetric matrix, computing each pair once; row i is out[slots[i]].

        The rows `held` are filled already; `points` are the points of `left`.
        """
        step = self.kernel.panel(self.points.values.shape[-1])

        def some(first):
            part, rest = left[first : first + step], left[first + step :]
            mirror(out, slots, held, part)
            few = points[first : first + step]
            for start, stop, tile in self.kernel.tiles(few, points, first, len(left)):
                spread(out, slots[part], left[start:stop], tile.astype(out.dtype, copy=False))
            mirror(out, slots, part, rest)

        in_threads(some, range(0, len(left), step), threads)

    def _in_column_ranges(self, work, n_rows):
        """Call work(first, last) for ranges of columns, in threads if there are enough values."""
        threads = min(self.threads, n_rows * self.n // A_SHARE + 1)
        step = -(-self.n // (TILE_ROWS * threads)) * TILE_ROWS
        in_threads(lambda first: work(first, min(first + step, self.n)), range(0, self.n, step), threads)

    def add(self, which, factors, scores, now):
        """scores += factors @ K[which], for factors of shape (n_classes, len(which))."""
        for first in range(0, len(which), self.capacity):
            part = slice(first, first + self.capacity)
            self.fetch(which[part], now)
            some, weights = which[part], np.ascontiguousarray(factors[:, part])
            self._in_column_ranges(
                lambda a, b, w=weights, s=some: add_rows(self.rows, self.slots, s, w, scores, a, b), len(some)
            )

    def block(self, which, room):
        """K[which][:, which] in `room`, copied from kept rows, or computed."""
        out = room.reshape(len(which), len(which))
        places = self.slots[which]
        gather(self.rows, places, which, out)
        held, missing = (np.flatnonzero(some).astype(np.int32) for some in (places >= 0, places < 0))
        if len(missing):
            slots = np.arange(len(which), dtype=np.int32)
            self._fill_square(out, slots, held, missing, self.points[which[missing]])
        return out


class FullGram(Gram):
    """A given kernel matrix, with the interface of `Gram`.

    Parameters
    ----------
    K : ndarray of shape (n, n), float32 or float64, C-ordered; not copied
    """

    def __init__(self, K, threads=1):
        self.threads, self.rows = threads, K
        self.n = self.capacity = len(K)
        self.slots = np.arange(self.n, dtype=np.int32)
        self.used = np.zeros(self.n, np.int64)
        self.diagonal = K.diagonal().astype(float)


def make_gram(X: Any, params: Any, gamma: float, threads: int = 1) -> Gram:
    """The kernel matrix of the rows of X.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, n_features); with kernel="precomputed", of shape (n, n)
        With a callable, also an array of n objects.
    params : object with checked `kernel`, `degree`, `coef0` and `cache_size`
    gamma : float
    threads : int, default=1
        As in `Gram`.

    Raises
    ------
    ValueError
        If the input is invalid, and as in `Kernel`.
    MemoryError
        As in `Gram`.
    """
    kernel, gamma = params.kernel, positive("gamma", gamma)
    if not (callable(kernel) and getattr(getattr(X, "dtype", None), "kind", "") == "O"):
        X, _ = as_matrix(X, threads)
    if callable(kernel):
        return Gram(GivenKernel(kernel, X), params.cache_size)  # called by one thread at a time
    if kernel != "precomputed":
        fitted = Kernel(kernel, X, gamma=gamma, degree=params.degree, coef0=params.coef0)
        return Gram(fitted, params.cache_size, threads)
    if X.shape[0] != X.shape[1]:
        raise ValueError(
            "kernel='precomputed' needs the matrix of all K(x_i, x_j), an array of shape (n, n); "
            f"X has shape {X.shape}."
        )
    if sparse.issparse(X):
        refuse_beyond_memory(X.dtype.itemsize * X.shape[0] ** 2, "kernel values", "use fewer rows")
        X = X.toarray()
    return FullGram(X, threads)


def kernel_scores(
    kernel: Any, support: Any, coef: Any, X: Any, *, cache_size: float = 1024, threads: int = 1
) -> np.ndarray:
    """coef @ K(support, X), transposed: the scores of new rows.

    Parameters
    ----------
    kernel : Kernel or GivenKernel
    support : Points
    coef : ndarray of shape (n_classes, len(support))
    X : ndarray or CSR matrix of shape (n, n_features)
    cache_size : float
        Maximum memory for kernel values at a time, in MiB.
    threads : int

    Returns
    -------
    ndarray of shape (n, n_classes), float64
    """
    n = X.shape[0]
    out = np.zeros((n, len(coef)))
    room = cache_size * MIB / (8 * TILE_ROWS)
    # The blocks do not depend on the number of threads: BLAS sums products of other sizes differently.
    step = max(1, int(min(kernel.panel(X.shape[-1]), room)))
    coef = aligned_copy(coef, kernel.dtype).T

    def some(first):
        few = kernel.points(X[first : first + step] if n > step else X)
        part = aligned_empty((len(few), coef.shape[1]), coef.dtype)
        # Few rows take fewer pieces.
        width = TILE_ROWS * min(TILE_COLUMNS // len(few), -(-len(support) // TILE_ROWS))
        for start, stop, tile in kernel.tiles(few, support, 0, len(support), width):
            out[first : first + step] += np.matmul(tile, coef[start:stop], out=part)

    in_threads(some, range(0, n, step), max(1, int(min(threads, room / step))))
    return out
