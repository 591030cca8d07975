"""Pegasos for kernel machines: sub-gradient steps of all classes on one stream of rows, with a certificate.

Minimises, for each class, over functions f in the kernel's Hilbert space::

    P(f) = alpha/2 ||f||^2 + 1/n sum_i c_i max(0, 1 - y_i f(x_i))

For t = 1, ..., T with a row s, a_s <- a_s + c_s if y_s/(alpha t) sum_j a_j y_j K(x_j, x_s) < 1, and then
f = 1/(alpha T) sum_j a_j y_j K(x_j, .). The dual variables b_i = a_i n / T, clipped to c_i and scaled for the
largest dual value, give the lower bound D(b) = 1/n sum_i b_i - alpha/2 ||f_b||^2, f_b as in `sdca_solver`.

Source: Shalev-Shwartz, Singer, Srebro & Cotter, Math. Program. 127 (2011), fig. 3.
"""

from __future__ import annotations

import time
from bisect import bisect
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._utils.threads import number_of_threads
from .._input import as_matrix, as_order, as_state, as_weights, positive
from .._random import draw_rows
from .._solver import require_finite
from ..losses import value
from ..run import run
from . import _kernel
from ._gram import kernel_scores, make_gram
from ._problem import KernelProblem, KernelResult, KernelSolver, as_all_signs, with_rounding
from .params import KernelPegasosParams

if TYPE_CHECKING:
    from ..annotations import ArrayLike, ArrayOrSparse, Callable, Seed

SOON_DRAWS = 256  # draws, or a quarter of the steps so far if that is more, searched for rows needed soon
FETCH_VALUES = 1 << 20  # values computed at a time if rows are short
CALL_ADDITIONS = 1 << 27  # additions in one call of the kernel: some tenths of a second, for Ctrl-C to act


class KernelPegasosSolver(KernelSolver):
    """Pegasos for all classes on the same stream of rows.

    Parameters
    ----------
    problem : KernelProblem
    alpha : float
    t : int, default=0
        Number of steps in earlier runs.
    scores : ndarray of shape (n_classes, n), default=None
        The scores of this problem's rows after those steps, as the attribute; changed in place.
    order : int32 array, default=None
        The rows of the steps.

    Attributes
    ----------
    t : int, number of steps
    ends : increasing ints
        The numbers of steps after which a round ends, if the run is traced.
    counts : ndarray of shape (n_classes, n)
        a_i: the number of times that row i changed f, times its weight.
    scores : ndarray of shape (n_classes, n)
        sum_j a_j y_j K(x_j, x_i), which is alpha t f(x_i).
    """

    def __init__(
        self, problem: KernelProblem, alpha: float, t: int = 0, scores: Any = None, order: Any = None
    ) -> None:
        super().__init__(problem, alpha)
        self.t, self.order = t, order
        self.ends: Sequence[int] = ()
        if order is not None:
            self.most_rounds = -(-len(order) // problem.n)
            self.ends = range(problem.n, len(order), problem.n)
        self.counts = np.zeros(problem.signs.shape)
        self.scores = np.zeros(problem.signs.shape) if scores is None else scores
        self.drawn: Any = None  # used if the problem does not have all rows
        self.others: Any = None

    @classmethod
    def of_rows(
        cls,
        X: Any,
        Y: Any,
        sample_weight: Any,
        params: KernelPegasosParams,
        order: Any,
        gram_of: Callable[[Any], Any],
    ) -> KernelPegasosSolver:
        """Return a solver for steps on the rows in `order`.

        If at most half of the rows are drawn, kernel values are computed among these rows only, unless the
        kernel is "precomputed": the scores of the other rows matter only for the objective.

        Parameters
        ----------
        X : ndarray or CSR matrix of shape (n, n_features)
        Y, sample_weight : as in `KernelProblem`
        params : KernelPegasosParams, checked
        order : int32 array
        gram_of : callable, the Gram of rows
        """
        n = X.shape[0]
        signs, weights = as_all_signs(Y, n), as_weights(sample_weight, n, relative=True)
        drawn = np.unique(order)
        if params.kernel == "precomputed" or 2 * len(drawn) > n:
            return cls(KernelProblem(gram_of(X), signs, sample_weight), params.alpha, order=order)
        some = weights[drawn] if weights.size else weights
        problem = KernelProblem.of_sample(gram_of(X[drawn]), signs[:, drawn], some, n)
        solver = cls(problem, params.alpha, order=np.searchsorted(drawn, order).astype(np.int32))
        others = np.setdiff1d(np.arange(n), drawn)
        some = weights[others] if weights.size else 1.0
        solver.drawn, solver.others = drawn, (X, others, signs[:, others], some, params.cache_size)
        return solver

    def run_round(self, classes):
        """Take the steps in `order` up to the next of `ends`, or all steps if not traced; then measure."""
        ends = self.ends[bisect(self.ends, self.t) :] if self.traced else ()
        self.run_epoch(self.order[self.t : ends[0] if ends else None])
        self.primal, self.gap = self.measure()

    @property
    def left(self):
        """All classes, if steps are left."""
        return range(len(self.gap)) if self.t < len(self.order) else ()

    @property
    def done(self):
        """The number of steps of each class."""
        return np.full(len(self.gap), self.t)

    def run_epoch(self, order):
        """Take a step on each row of an int32 array of row numbers."""
        start = time.thread_time()
        p, gram = self.problem, self.problem.gram
        step = max(1, CALL_ADDITIONS // self.scores.size)
        used = gram.used[:0] if gram.shared else gram.used  # several threads must not write to it
        done = 0
        while done < len(order):
            part = order[done : done + step]
            moved = _kernel.pegasos(
                *(gram.rows, gram.slots, used, part, p.signs, p.weights, self.alpha, self.t),
                *(self.counts, self.scores),
            )
            done += moved
            self.t += moved
            if moved < len(part):
                rows, steps = self._rows_needed_next(order[done:])
                gram.fetch(rows, self.t + steps)  # rows already used are evicted first
        self.seconds += time.thread_time() - start

    def _rows_needed_next(self, order):
        """The next rows without values that would change f now, and in how many steps each is visited.

        The later the step, the less f changes, so more rows can be predicted; but rows that are fetched too
        early may be evicted before they are used.
        """
        p, gram = self.problem, self.problem.gram
        most = min(max(SOON_DRAWS, FETCH_VALUES // gram.n), -(-gram.capacity // 2))
        order = order[: max(SOON_DRAWS, most, self.t // 4) if gram.capacity == gram.n else most]
        steps = np.sort(np.unique(order, return_index=True)[1])
        steps = steps[gram.slots[order[steps]] < 0]
        rows = order[steps]
        short = p.signs[:, rows] * self.scores[:, rows] < self.alpha * (self.t + 1)
        which = np.flatnonzero(short.any(axis=0))[:most]
        return rows[which], steps[which]

    def losses(self):
        """For each class, the sum of the losses of rows that are not in the problem."""
        if self.others is None:
            return 0.0
        X, others, signs, weights, cache_size = self.others
        gram, coef = self.problem.gram, self._own_coef
        support = np.flatnonzero(coef.any(axis=0))
        if not len(support):  # f is 0: only rows of weight 0 were drawn
            return (weights * np.ones(signs.shape)).sum(axis=1)
        scores = kernel_scores(
            *(gram.kernel, gram.points[support], coef[:, support], X[others]),
            cache_size=cache_size,
            threads=gram.threads,
        )
        return (weights * value("hinge", signs * scores.T)).sum(axis=1)

    @property
    def coef(self):
        """dual_coef, of shape (n_classes, n)."""
        if self.drawn is None:
            return self._own_coef
        coef = np.zeros((len(self.counts), self.problem.n))
        coef[:, self.drawn] = self._own_coef
        return coef

    @property
    def _own_coef(self):
        return self.counts * self.problem.signs / (self.alpha * self.t)

    def measure(self):
        """Objective and gap of each class.

        b_i = a_i n / t, clipped to c_i, are feasible dual variables, also when multiplied by theta <= 1.

        Returns
        -------
        primal, gap : ndarrays of shape (n_classes,)
        """
        p = self.problem
        n, signs = p.n, p.signs
        scale = 1 / (self.alpha * self.t)
        c = p.weights if p.weights.size else 1.0
        values = c * value("hinge", signs * self.scores * scale)
        norms = np.maximum(0, (self.counts * signs * self.scores).sum(axis=1)) * scale**2
        primal = self.alpha / 2 * norms + (values.sum(axis=1) + self.losses()) / n

        dual = np.minimum(self.counts * (n / self.t), c)
        excess = self.counts - dual * (self.t / n)
        over = np.flatnonzero((excess > 1e-9 * self.counts).any(axis=0)).astype(np.int32)
        scores = self.scores.copy()
        p.gram.add(over, -(excess * signs)[:, over], scores, self.t)
        dual_norms = np.maximum(0, (dual * signs * scores).sum(axis=1) / (self.alpha * self.t))
        total = dual.sum(axis=1)
        theta = np.minimum(1, total / np.maximum(dual_norms, 1e-300))
        gap = np.maximum(0, primal - (theta * total - theta**2 / 2 * dual_norms) / n)
        require_finite(primal.sum(), gap.sum())
        return primal, with_rounding(gap * n, primal * n, p.gram, self.counts * scale, c, dual) / n


def kernel_pegasos(
    X: ArrayOrSparse,
    Y: ArrayLike,
    *,
    kernel: str | Callable[..., ArrayLike] = "rbf",
    gamma: float = 1.0,
    degree: int = 3,
    coef0: float = 0.0,
    alpha: float = 1e-4,
    sample_weight: ArrayLike | None = None,
    n_iter: int | None = None,
    order: ArrayLike | None = None,
    cache_size: float = 1024,
    n_jobs: int | None = None,
    trace: bool | Sequence[int] = False,
    score: Callable[..., object] | None = None,
    random_state: Seed = None,
) -> KernelResult:
    """Pegasos for kernel machines, one-vs-rest, certified.

    Minimises, for each row y of Y, over functions f in the kernel's Hilbert space::

        P(f) = alpha/2 ||f||^2 + 1/n sum_i c_i max(0, 1 - y_i f(x_i))

    Here x_i is row i of X, y_i its label (1 or -1) and c_i its weight.
    For t = 1, ..., n_iter with a row s drawn uniformly, the same for all classes::

        a_s <- a_s + c_s    if y_s/(alpha t) sum_j a_j y_j K(x_j, x_s) < 1

    and then f = 1/(alpha n_iter) sum_j a_j y_j K(x_j, .). There is no intercept. The scores of all rows are
    kept up to date: a step costs O(n_samples) if its row changes f, and nothing otherwise. Kernel values are
    computed only for rows that change f.

    Parameters
    ----------
    X, Y, kernel, gamma, degree, coef0, alpha, sample_weight : as in `kernel_sdca`
        The problem and the kernel.
    n_iter : int, default=None
        Number of steps (T in Shalev-Shwartz et al. 2011); 10 * n_samples by default.
    order : int array, default=None
        The numbers of the rows to visit, in place of `n_iter` drawn rows.
    cache_size, n_jobs : as in `kernel_sdca`
        Memory for kernel values, and number of threads.
    trace : bool or list of int, default=False
        Measure the objective and the gap for the history after every n_samples steps, or after each of the
        given numbers of steps, not only after the last step. Implied by `score`.
    score : callable, default=None
        ``score(dual_coef, intercept)`` is called at each measurement, with the arrays of all classes, as in
        the result. Its value is stored in the history of each class.
    random_state : as in `kernel_sdca`
        Seed for drawing the rows.

    Returns
    -------
    KernelResult
        Named tuple (dual_coef, objective, gap, n_iter, history, intercept). All but n_iter have one item per
        class.

    Raises
    ------
    ValueError, MemoryError : as `kernel_sdca`

    References
    ----------
    Shalev-Shwartz, Singer, Srebro & Cotter, Pegasos, Math. Program. 127 (2011), fig. 3. Cerizza, Multiclass
    classification with Pegasos, algorithm 1 (here rows are drawn from 0, ..., n - 1, not 0, ..., n).

    Examples
    --------
    >>> import numpy as np
    >>> from fastsvm.solvers import kernel_pegasos
    >>> X, y = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), np.array([1, 1, -1, -1])
    >>> result = kernel_pegasos(X, y, alpha=0.1, n_iter=1000, random_state=0)
    >>> np.sign(result.dual_coef).tolist()
    [[1.0, 1.0, -1.0, -1.0]]

    The number of rows with a coefficient other than 0, after 1, 10, 100 and 1,000 steps:

    >>> result = kernel_pegasos(
    ...     X, y, alpha=0.1, n_iter=1000, trace=[1, 10, 100],
    ...     score=lambda coef, intercept: int((coef != 0).sum()), random_state=0,
    ... )
    >>> [(line.epoch, line.score) for line in result.history[0]]
    [(1, 1), (10, 4), (100, 4), (1000, 4)]
    """
    steps = trace if isinstance(trace, (list, tuple, np.ndarray)) else None
    params = KernelPegasosParams.of(None, **{**locals(), "trace": trace if steps is None else True})
    threads = number_of_threads(n_jobs)
    X, rows = as_matrix(X, threads)
    n = rows.n_rows
    if order is None:
        order = drawn_pegasos_rows(n, params.n_iter, random_state)
    else:
        order = _given_pegasos_order(order, n)
    gram_of = partial(make_gram, params=params, gamma=gamma, threads=threads)
    solver = KernelPegasosSolver.of_rows(X, Y, sample_weight, params, order, gram_of)
    if steps is not None:
        solver.ends = sorted({positive("trace", step, kind=int) for step in steps})
    return run(solver, None, params.trace or score is not None, score=score)


def drawn_pegasos_rows(n: int, n_iter: int | None, random_state: Any) -> np.ndarray:
    """`n_iter` of n rows, drawn with replacement; 10 n by default."""
    order = np.empty(10 * n if n_iter is None else n_iter, np.int32)
    draw_rows(order, n, as_state(random_state))
    return order


def _given_pegasos_order(order, n):
    order = as_order(order, n)
    if order.ndim != 1 or not order.size:
        raise ValueError(
            f"order must be a list of row numbers from 0 to {n - 1}; its shape is {order.shape}."
        )
    return order
