"""SDCA for kernel machines: dual coordinate ascent on working sets, in rounds, with a certificate.

Minimises, for each class, over the intercept b0 and functions f in the kernel's Hilbert space::

    P(f, b0) = alpha/2 ||f||^2 + 1/n sum_i c_i phi(y_i (f(x_i) + b0))

by its dual, over b_i in the domain of the loss (0 <= b_i <= c_i for the hinge)::

    D(b) = 1/n sum_i c_i psi(b_i / c_i) - alpha/2 ||f_b||^2,    f_b = 1/(alpha n) sum_i b_i y_i K(x_i, .),

and sum_i b_i y_i = 0 with an intercept. If psi is quadratic, psi'(u) = 1 - s u with s = 0 for the hinge, a
step maximises D over the b_i that gains most::

    b_i <- clip(b_i + (1 - y_i f(x_i) - s b_i / c_i) / (K(x_i, x_i) / (alpha n) + s / c_i))

With an intercept, a step moves two: b_i y_i and b_j y_j change by opposite amounts. Working sets contain the
rows that add most to n (P - D): row i adds c_i phi(m_i) - c_i psi(b_i / c_i) + b_i m_i, m_i = y_i f(x_i).

Sources: Shalev-Shwartz & Zhang, JMLR 14 (2013); Johnson & Guestrin, Blitz, ICML 2015 (working sets);
Steinwart, Hush & Scovel, JMLR 12 (2011), and Fan, Chen & Lin, JMLR 6 (2005) (the choice of one and of two).
"""

from __future__ import annotations

import threading
import time
from itertools import repeat
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._utils.threads import in_threads, number_of_threads
from .._input import as_state
from .._problem import scale_to_balance
from .._random import shuffle
from ..run import run
from ..sdca_solver import sdca_intercept_step
from . import _kernel
from ._free_set import balance, newton_steps
from ._gram import make_gram
from ._problem import KernelProblem, KernelResult, KernelSolver, with_rounding
from .params import KernelSDCAParams

if TYPE_CHECKING:
    from ..annotations import ArrayLike, ArrayOrSparse, Callable, Seed

# The effect of each constant is measured by `python -m benchmarks.tuning kernel`; see benchmarks/README.md.
FIRST_SHARE = 0.25  # share of the rows in the first working set per class, but in all at least
LEAST_ROWS = 512  # rows, and at most
FIRST_ROWS = 2048  # rows
MOST_ROWS = 4096  # rows of any working set: 64 MiB of kernel values
SMALL_TERM = 0.03  # rows that add less than this share of the mean to the gap are postponed
MOST_EPOCHS = 20  # epochs over a working set after which Newton steps may be tried
ROUND_GAP = 0.03  # the share of the working set's gap, and slack, that a round leaves
WHOLE_ROWS = 2  # whole rows are computed if they cost less than this many times the blocks alone
PAIR_COST = 3  # cost of a step on two, in steps on one: two rows are added, and one is searched
STALL = 1e-9  # share of the gap, or of the dual if that is less, by which a round must raise the dual
WINDOW, SLOW = 100, 1e-3  # this many rounds must raise it by this share, or the fit would take days


class KernelSDCASolver(KernelSolver):
    """SDCA for all classes over one kernel matrix, in rounds.

    A round has a working set for each class: the rows that contribute to the gap, and those whose dual
    variables are strictly between their bounds. It makes epochs of exact steps on these rows, and then
    updates the scores of all rows, which gives the certificate. The classes share the kernel values.

    If the dual is quadratic, each step is on the variable that gains most. If a round does not reach its
    goal, Newton steps end it, once epochs have cost as much. A fit ends after two rounds that raise nothing:
    rounding allows no progress, or the kernel is not positive semi-definite.

    With an intercept, all steps keep sum_i b_i y_i = 0, as the bound requires: they change two variables, and
    Newton steps stay on this plane. For the log loss, whose steps change one variable, proximal steps find
    the intercept, and the dual variables are balanced again after an epoch.

    Parameters
    ----------
    problem : KernelProblem
    params : KernelSDCAParams, checked
    random : uint64 array of length 1
    start : ndarray of shape (n_classes, n), default=None
        Dual variables to start from, clipped to their domain.
    slack : float, default=inf
        With an intercept: the largest difference of slopes, LIBSVM's `tol`, to stop with, besides the gap.
    most_steps : int, default=-1
        The maximum number of steps on pairs, per class; -1: no limit.
    """

    def __init__(
        self,
        problem: KernelProblem,
        params: KernelSDCAParams,
        random: Any,
        start: Any = None,
        *,
        slack: float = np.inf,
        most_steps: int = -1,
    ) -> None:
        super().__init__(problem, params.alpha)
        self.loss, self.max_iter = params.loss_entry, np.inf
        if params.max_iter != -1:
            self.max_iter = self.most_rounds = params.max_iter  # each has an epoch or more
        self.has_intercept, self.slack = params.fit_intercept, slack
        self.most_steps = np.inf if most_steps == -1 else most_steps
        shape = problem.signs.shape
        self.dual_scale = 1 / (self.alpha * problem.n)
        self.steepness = np.maximum(problem.gram.diagonal, 0) * self.dual_scale  # of indefinite kernels too
        self.dual, self.scores = np.zeros(shape), np.zeros(shape)
        self.row_gaps = np.empty(shape)
        self.weights = weights = problem.weights if problem.weights.size else np.ones(shape[1])
        self.upper = self.loss.uppers(weights)
        # Twice P(0); with a positive semi-definite kernel, no dual value is above it.
        self.dual_limit = np.inf if self.loss.upper < np.inf else 2 * weights.sum() / problem.n
        self.random = random
        self.random_states = [np.array([random[0] + k + 1], np.uint64) for k in range(shape[0])]
        self.done, self.steps = np.zeros(shape[0], int), np.zeros(shape[0], int)
        self.violation = np.zeros(shape[0])
        self.intercept_step = 0.0
        if self.has_intercept and not self.loss.quadratic:
            if (problem.signs[:, weights > 0] == problem.signs[:, weights > 0][:, :1]).all(axis=1).any():
                raise ValueError("With an intercept, the log loss needs rows of both signs.")
            mean_square = self.steepness.mean() / self.dual_scale
            self.intercept_step = sdca_intercept_step(self.alpha, problem.n, mean_square, weights.mean())
        self.newton_budget, self.newton_from = np.zeros(shape[0]), np.zeros(shape[0])
        self.stalled, self.dual_before_window = np.zeros(shape[0], bool), np.zeros(shape[0])
        self.block_memory = threading.local()
        self.round = 0
        if start is not None:
            start = np.clip(start, 0, self.upper)
            if self.has_intercept:
                for signs, dual in zip(problem.signs, start, strict=True):
                    scale_to_balance(signs, dual)
            self._update_scores(range(shape[0]), repeat(np.arange(shape[1], dtype=np.int32)), start)
        for k in range(shape[0]):
            self.measure(k)

    @property
    def coef(self):
        """dual_coef, of shape (n_classes, n)."""
        return self.dual * self.problem.signs * self.dual_scale

    @property
    def left(self):
        """The classes for which a round follows."""
        return [k for k in range(len(self.gap)) if not self.is_at_end(k)]

    def finish(self):
        """Check the result, add what rounding changes to the gaps, and release the memory of the blocks."""
        n, coef = self.problem.n, self.dual * self.dual_scale
        totals = self.gap * n, self.primal * n
        self.gap = with_rounding(*totals, self.problem.gram, coef, self.weights, self.dual) / n
        self.stalled |= self.gap >= self.primal  # no bound: more rounds give none
        super().finish()
        self.block_memory = threading.local()

    def is_at_end(self, k):
        """Whether no round follows for class k."""
        within = self.done[k] and self.tol is not None and self.gap[k] <= self.tol * self.primal[k]
        over = self.done[k] >= self.max_iter or self.steps[k] >= self.most_steps
        return (within and self.violation[k] <= self.slack) or over or self.gap[k] == 0 or self.stalled[k]

    def run_round(self, classes):
        """Do epochs of these classes on a working set each, then update all scores, and the classes' gaps."""
        start = time.process_time()
        if self.dual.any():
            sets, shared = [self._working_set(k) for k in classes], None
            self._fetch_whole_rows(sets)
        else:
            first = self._first_working_set()
            self._fetch_whole_rows([first])
            sets, shared = len(classes) * [first], self._block(first)
        moved = [None] * len(classes)

        def solve(j):
            block = self._block(sets[j]) if shared is None else shared
            moved[j] = self._solve_working_set(classes[j], sets[j], block)

        in_threads(solve, range(len(classes)), self.problem.gram.threads)
        last = self.dual[classes], self.scores[classes]
        self._update_scores(classes, sets, moved)
        self.round += 1
        ends_window = self.round % (WINDOW * (MOST_EPOCHS if self.traced else 1)) == 0
        for j, k in enumerate(classes):
            gap, before = self.gap[k], self.primal[k] - self.gap[k]
            self.measure(k)
            value = self.primal[k] - self.gap[k]
            size = min(self.gap[k], abs(value))
            slow = ends_window and value - self.dual_before_window[k] <= SLOW * size
            if slow or value - before <= STALL * size:
                self.stalled[k], self.newton_budget[k] = self.newton_budget[k] == np.inf, np.inf
                if self.gap[k] > gap and self.loss.quadratic:  # only rounding moved
                    self.dual[k], self.scores[k] = last[0][j], last[1][j]
                    self.measure(k)
            if ends_window:
                self.dual_before_window[k] = value
        self.seconds += time.process_time() - start

    def _first_working_set(self):
        """Rows at random, the same for all classes, since nothing is known yet."""
        p = self.problem
        rows = np.flatnonzero(p.weights > 0) if p.weights.size else np.arange(p.gram.n)
        most = min(FIRST_ROWS, max(LEAST_ROWS, int(FIRST_SHARE * len(rows) * len(p.signs))))
        rows = rows.astype(np.int32)
        if len(rows) > most:
            shuffle(rows, self.random)
            chosen = rows[:most]
            for signs in p.signs:  # with an intercept, steps on two variables need both
                for sign in (1, -1):
                    if sign not in signs[chosen]:
                        chosen = np.append(chosen, rows[signs[rows] == sign][:1])
            rows = np.sort(chosen)
        return rows

    def _working_set(self, k):
        """The rows that add to the gap, and those strictly between their bounds; if too many, some at random.

        The worst rows alone would resemble each other, and solving for them would harm the others.
        """
        inside = (self.dual[k] > 0) & (self.dual[k] < self.upper)
        gaps, weights = self.row_gaps[k], self.problem.weights
        if self.has_intercept and weights.size:  # rows of small weight determine it, too
            gaps = np.divide(gaps, weights, out=np.zeros_like(gaps), where=weights > 0)
        rows = np.flatnonzero(inside | (gaps > SMALL_TERM * gaps.mean())).astype(np.int32)
        if len(rows) > MOST_ROWS:
            shuffle(rows, self.random_states[k])
            rows = np.sort(rows[:MOST_ROWS])
        return rows

    def _fetch_whole_rows(self, sets):
        """Compute whole rows of the kernel matrix if the blocks alone take at least half as many values.

        Most of these rows' dual variables will change, which requires the whole rows anyway.
        """
        gram = self.problem.gram
        wanted = np.unique(np.concatenate(sets))
        alone = sum(np.count_nonzero(gram.slots[rows] < 0) * len(rows) for rows in sets)
        whole = np.count_nonzero(gram.slots[wanted] < 0) * gram.n
        if whole < WHOLE_ROWS * alone and len(wanted) <= gram.capacity:
            gram.fetch(wanted, self.round)

    def _block(self, rows):
        """Kernel values among these rows, in memory that the thread reuses: allocating it is slower."""
        size, values = len(rows) ** 2, getattr(self.block_memory, "values", None)
        if values is None or len(values) < size:
            values = self.block_memory.values = np.empty(size, self.problem.gram.rows.dtype)
        return self.problem.gram.block(rows, values[:size])

    def _solve_working_set(self, k, rows, block):
        """Do epochs of class k on these rows; return the changes of their dual variables."""
        p, loss, n = self.problem, self.loss, len(rows)
        dual, scores = self.dual[k, rows], self.scores[k, rows]
        weights, steepness = p.weights[rows] if p.weights.size else p.weights, self.steepness[rows]
        signs, before = p.signs[k, rows], dual.copy()
        order, room = np.arange(n, dtype=np.int32), np.empty((4, n))
        limit = min(1 if self.traced else MOST_EPOCHS, self.max_iter - self.done[k])
        share = ROUND_GAP if self.tol is None else max(ROUND_GAP, self.tol * self.primal[k] / self.gap[k])
        goal = share * self.row_gaps[k, rows].sum()
        state = block, steepness, self.dual_scale, signs, weights, dual, scores, loss.struct
        if loss.quadratic:
            if self.has_intercept:
                most = int(min(limit * n, self.most_steps - self.steps[k]))
                slack = max(self.slack, ROUND_GAP * self.violation[k])
                steps, short = _kernel.climb_in_pairs(*state, room, most, goal, 0.0, slack)
            else:
                steps, gap = _kernel.climb(*state, room, int(limit) * n, goal)
                short = gap > goal
            self.steps[k] += steps
            done = max(1, -(-steps // n))
            self.newton_budget[k] += steps * n * (PAIR_COST if self.has_intercept else 1)
            budget = self.newton_budget[k]
            if short and budget > self.newton_from[k] and self.steps[k] < self.most_steps:
                problem = block, self.dual_scale, signs, weights, dual, scores, loss
                spent, self.newton_from[k] = newton_steps(*problem, budget, self.has_intercept)
                self.newton_budget[k] -= spent
        else:
            ends = int(limit), goal, self.intercept[k], self.intercept_step
            done, _, self.intercept[k] = _kernel.ascend(*state, order, self.random_states[k], *ends)
            if self.has_intercept:
                dual = balance(dual, signs, self.upper[rows], before @ signs)
        self.done[k] += done
        return dual - before

    def _update_scores(self, classes, sets, changes):
        """Change the dual variables, and update the scores of all rows."""
        p = self.problem
        factors = np.zeros(p.signs.shape)
        with np.errstate(over="ignore"):  # if the dual has no maximum; `measure` raises the error
            for k, rows, change in zip(classes, sets, changes, strict=False):
                self.dual[k, rows] += change
                factors[k, rows] = change * p.signs[k, rows] * self.dual_scale
        which = np.flatnonzero(factors.any(axis=0)).astype(np.int32)
        p.gram.add(which, factors[:, which], self.scores, self.round)

    def measure(self, k):
        """Update the objective and the gap of class k from its scores."""
        p = self.problem
        state = p.signs[k], p.weights, self.dual[k], self.scores[k], self.loss.struct
        if self.has_intercept and self.loss.quadratic:
            self.intercept[k], self.violation[k] = _kernel.intercept_of(*state)
        gap, losses, dual_margins = _kernel.gap_terms(*state, self.row_gaps[k], self.intercept[k])
        self.primal[k] = (losses + max(dual_margins, 0.0) / 2) / p.n
        self.gap[k] = gap / p.n
        if not self.primal[k] - self.gap[k] <= self.dual_limit:  # or NaN
            raise ValueError(
                "The dual objective has no maximum: the kernel is not positive semi-definite. "
                "Use kernel='rbf', loss='hinge' or a larger alpha."
            )

    def is_indefinite(self):
        """Whether a class stalled, and the values of up to 1,000 rows prove that the kernel is the cause."""
        if not self.stalled.any():
            return False
        rows = np.flatnonzero(self.dual.any(axis=0))[:1000].astype(np.int32)
        block = self._block(rows)
        lowest = np.linalg.eigvalsh(block).min(initial=0.0)
        return bool(lowest < -1e-3 * block.diagonal().max(initial=0.0))


def kernel_sdca(
    X: ArrayOrSparse,
    Y: ArrayLike,
    *,
    kernel: str | Callable[..., ArrayLike] = "rbf",
    gamma: float = 1.0,
    degree: int = 3,
    coef0: float = 0.0,
    loss: str = "hinge",
    alpha: float = 1e-4,
    sample_weight: ArrayLike | None = None,
    fit_intercept: bool = False,
    max_iter: int = -1,
    tol: float | None = 1e-3,
    cache_size: float = 1024,
    n_jobs: int | None = None,
    trace: bool = False,
    score: Callable[..., object] | None = None,
    random_state: Seed = None,
) -> KernelResult:
    """Stochastic dual coordinate ascent for kernel machines, one-vs-rest, certified.

    Minimises, for each row y of Y, over the intercept b0 and functions f in the kernel's Hilbert space::

        P(f, b0) = alpha/2 ||f||^2 + 1/n sum_i c_i phi(y_i (f(x_i) + b0))

    through its dual, whose value at any feasible b is a lower bound on every P::

        D(b) = 1/n sum_i c_i psi(b_i / c_i) - alpha/2 ||f_b||^2,
        f_b = 1/(alpha n) sum_i b_i y_i K(x_i, .)

    Here x_i is row i of X, y_i its label (1 or -1), c_i its weight and phi the `loss`.
    The b_i are the dual variables, and psi(u) is the minimum over m of phi(m) + u m.
    One step maximises D exactly over one b_i: the one that gains most or, with the log loss, each in turn. If
    progress is slow, Newton steps are made on all b_i strictly between their bounds. A round works on a
    working set of up to 4,096 rows: those that contribute to the gap, and those whose b_i is strictly between
    its bounds. Without an intercept, which is the default, b0 is 0. With an intercept, the bound needs sum_i
    b_i y_i = 0; steps on two b_i (with the log loss, proximal steps) ensure this.

    Parameters
    ----------
    X : CSR matrix or array, or ndarray, of shape (n_samples, n_features), float32 or float64
        With kernel="precomputed", the matrix of all K(x_i, x_j), of shape (n_samples, n_samples).
    Y : array of shape (n_samples,) or (n_classes, n_samples), of -1 and +1
        The label of each row, for each class.
    kernel : {"linear", "poly", "rbf", "sigmoid", "laplacian", "precomputed"} or callable, default="rbf"
        K(x, z) is x.z, (gamma x.z + coef0)^degree, exp(-gamma ||x - z||^2), tanh(gamma x.z + coef0) or
        exp(-gamma ||x - z||_1). Values are usually in single precision if X has more than 1,024 rows. A
        callable ``kernel(X, Z)`` returns the values, of shape (len(X), len(Z)). If the kernel is not positive
        semi-definite, which happens with "sigmoid", the gap shows how far the steps are from convergence,
        but is no bound.
    gamma : float > 0, default=1.0
        Kernel coefficient. Always a number here; the estimators' "scale" is computed from the rows.
    degree : int > 0, default=3
        Degree of the polynomial kernel.
    coef0 : float, default=0.0
        Constant term of the polynomial and sigmoid kernels.
    loss : {"hinge", "squared_hinge", "smooth_hinge", "log"}, default="hinge"
        phi, as in `sdca`.
    alpha : float > 0, default=1e-4
        Regularisation strength; SVC's C is 1/(alpha n).
    sample_weight : array of shape (n_samples,), default=None
        Weights c_i >= 0, divided by their mean: a row of weight 2 counts twice, a row of weight 0 not at all.
    fit_intercept : bool, default=False
        Whether to fit an intercept, which is not regularised, as in SVC.
    max_iter : int, default=-1
        Maximum number of epochs per class. An epoch has as many steps as the working set has rows. -1: no
        limit.
    tol : float or None, default=1e-3
        Stop once gap <= tol * objective. None: do `max_iter` epochs, or stop when the dual stops rising.
    cache_size : float, default=1024
        Memory for kernel values in MiB. It may change the result within `tol`. Working sets take up to 64 MiB
        more, and twice that for large C.
    n_jobs : int or None, default=None
        Number of threads; it does not change the result.
    trace : bool, default=False
        Measure the objective and the gap after every epoch, not only when a working set is finished. Each
        measurement computes the scores of all rows. Implied by `score`.
    score : callable, default=None
        ``score(dual_coef, intercept)`` is called after each epoch, with the arrays of all classes, as in the
        result. Its value is stored in the history of each class that took part in the epoch.
    random_state : int, numpy Generator or None, default=None
        Seed of all random choices: the same seed gives the same result.

    Returns
    -------
    KernelResult
        Named tuple (dual_coef, objective, gap, n_iter, history, intercept). All but n_iter have one item per
        class.

    Raises
    ------
    ValueError
        If the input is invalid (the message names the argument, row and column), or kernel values overflow.
    MemoryError
        If a single row of the kernel matrix exceeds `cache_size`, or the cache exceeds the free memory.

    References
    ----------
    Shalev-Shwartz & Zhang, Stochastic dual coordinate ascent methods for regularized loss minimization,
    JMLR 14 (2013). Johnson & Guestrin, Blitz: a principled meta-algorithm for scaling sparse optimization,
    ICML 2015, for working sets. Steinwart, Hush & Scovel, Training SVMs without offset, JMLR 12 (2011), for
    the choice of steps. Fan, Chen & Lin, Working set selection using second order information, JMLR 6
    (2005), for steps on two variables.

    Examples
    --------
    >>> import numpy as np
    >>> from fastsvm.solvers import kernel_sdca
    >>> X, y = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), np.array([1, 1, -1, -1])
    >>> result = kernel_sdca(X, y, alpha=0.1, tol=1e-9)
    >>> result.dual_coef.round(3).tolist()
    [[2.5, 2.5, -2.5, -2.5]]
    """
    params = KernelSDCAParams.of(None, **locals())
    problem = KernelProblem(make_gram(X, params, gamma, number_of_threads(n_jobs)), Y, sample_weight)
    solver = KernelSDCASolver(problem, params, as_state(random_state))
    return run(solver, params.tol, params.trace or score is not None, score=score)
