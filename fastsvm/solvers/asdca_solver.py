"""The Python part of ASDCA: options, theta, certificate, intercept. The formulas are in `_asdca.pyx`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from . import _asdca  # type: ignore[attr-defined]  # compiled
from ._input import as_state
from ._intercept import lossless_intercept
from ._problem import Problem
from ._solver import Iterate, Result, Solver
from .losses import as_loss
from .params import ASDCAParams
from .run import run

if TYPE_CHECKING:
    from typing import Any

    from .annotations import ArrayLike, ArrayOrSparse, Callable, Seed


class ASDCASolver(Solver):
    """ASDCA on one problem, an epoch at a time."""

    solver = "asdca"

    def __init__(self, problem: Problem, params: ASDCAParams, random: Any) -> None:
        super().__init__(problem, params, order=params.order, random=random, grouped=False)
        alpha, theta = params.alpha, params.theta
        self.batch_size = min(params.batch_size, self.order.n_visits)
        options = {"loss": self.loss, "alpha": alpha, "batch_size": self.batch_size}
        column = asdca_intercept_column(problem, **options) if self.has_intercept else 0.0
        self.theta = asdca_theta(problem, column, **options) if theta == "paper" else theta
        rate = 1 / (alpha * problem.n)
        self.intercept_step = rate * column
        pairs, changes = np.zeros((problem.rows.n_columns, 2)), np.empty(self.batch_size)
        self.v, self.z = pairs.T
        self.dual = np.zeros(problem.n)
        self.tail = np.zeros(problem.rows.n_columns) if params.averaging == "tail" else None
        self.state = _asdca.ASDCAState(
            self.loss.struct,
            self.theta,
            rate,
            self.intercept_step,
            pairs.reshape(-1),
            self.dual,
            changes,
            self.tail,
        )
        if self.has_intercept:
            self.state.intercept = lossless_intercept(problem, self.loss)
        self.steps = 0
        self.choose_averaged(self.max_iter * -(-self.order.n_visits // self.batch_size))
        self.before_average = None  # the iterate before the first that is averaged
        self.next_certified_epoch = 0  # the first measurement estimates how many epochs are left

    def run_epoch(self):
        """Visit every row once."""
        size, waits = self.batch_size, self.tail is not None and not self.state.averaging
        cut_at = self.averaging_start if waits else self.drawn_at
        cuts = () if cut_at is None else ((cut_at - self.steps) * size,)
        for part in self.slices(self.next_order(), multiple=size, cuts=cuts):
            if waits and not self.state.averaging and self.steps >= self.averaging_start:
                self.state.averaging, self.before_average = True, self._last_iterate()
            _asdca.run_epoch(*self.problem.data, part, self.state)
            self.steps += -(-len(part) // size)
            if self.steps == self.drawn_at:
                self.drawn_iterate = self._last_iterate(), self._last_intercept()
        if self.has_intercept:
            # Proximal step: the centre moves towards the intercept. An epoch brings b and w nearer to the
            # solution for this centre by a factor of only exp(-theta), so the centre must not move faster.
            share = min(1, 4 * self.theta)
            self.state.intercept += share * self.intercept_step * self.problem.imbalance(self.dual)

    def _last_iterate(self):
        return self.v + self.state.scale * self.z

    def _last_intercept(self):
        return self.state.intercept + self.state.scale * self.state.intercept_z

    def _output(self):
        """(w, intercept) of the last iterate, of the average, or of the iterate that was drawn.

        Each step makes w = (1 - theta) w' + theta v, with w' the previous iterate. The sum of w over k steps
        is therefore the sum of v, less (1 - theta) / theta times the total change of w. If theta k is far
        below 1, this loses as many digits as theta k has zeros after the point.
        """
        if self.drawn_iterate is not None:
            return self.drawn_iterate
        w, state = self._last_iterate(), self.state
        if not state.averaged:
            return w, self._last_intercept()
        late = (1 - self.theta) / self.theta * (w - self.before_average)
        return self.v + (self.tail - late) / state.averaged, state.intercept_sum / state.averaged

    def should_certify(self):
        """Whether the gap, which shrinks by about exp(-2 theta) per epoch, may be small enough by now."""
        return self.tol is not None and self.done >= self.next_certified_epoch

    def on_gap_above_tol(self):
        """Postpone the next measurement until the gap may be small enough."""
        goal = max(self.tol * self.point.primal, np.finfo(float).tiny)
        epochs = 1.0
        if 0 < self.theta < 1 and self.point.gap > goal:
            epochs = math.log(self.point.gap / goal) / (-2 * math.log1p(-self.theta))
        self.next_certified_epoch = self.done + max(1, int(min(epochs, self.max_iter)))

    def iterate(self):
        """The output, and the current dual variables."""
        p = self.problem
        p.clip_dual(self.dual, self.loss)  # rounding
        w, intercept = self._output()
        if not self.has_intercept:
            return Iterate(w, intercept, self.dual, w_of_dual=self.v)
        return Iterate(w, intercept, self.dual, p.balance_factors(self.dual))

    def _objective(self, w, intercept):
        with np.errstate(over="ignore"):
            primal = super()._objective(w, intercept)
        if not np.isfinite(primal):
            raise ValueError(f"theta={self.theta:g} is too large: the steps diverge. Try theta='paper'.")
        return primal

    def finalize(self):
        """Certify the returned point again, with a feasible dual and w(b) recomputed."""
        if self.has_intercept:
            self.problem.scale_to_balance(self.dual)
        self.v[:] = self.problem.primal_from_dual(self.dual, self.alpha)
        bound = self.problem.dual_value(self.dual, self.v, self.loss, self.alpha)
        return self.point._replace(bound=bound)


def asdca_theta(problem, column=0.0, *, loss, alpha, batch_size):
    """The largest theta with a proof: 1/4 min(1, sqrt(s/m), s, (s^2/m)^(1/3)), s = gamma alpha n / R^2.

    The paper has ||x_i|| <= 1. Its proof uses that the i-th loss, as a function of w, has a gradient with
    Lipschitz constant 1/gamma. Here, the constant is c_i ||x_i||^2 / gamma, so gamma / R^2 replaces gamma,
    with R^2 the largest c_i (||x_i||^2 + column).
    """
    squares = problem.rows.squared_norms() + column
    if problem.weights.size:
        squares *= problem.weights
    largest = float(squares.max())
    s = alpha / as_loss(loss).lipschitz * problem.n / largest if largest > 0 else math.inf
    return min(1.0, math.sqrt(s / batch_size), s, math.cbrt(s / batch_size) * math.cbrt(s)) / 4


def asdca_intercept_column(problem, *, loss, alpha, batch_size):
    """The squared value of the constant column that represents the intercept.

    It is a tenth of the mean ||x_i||^2, as in SDCA, or larger if theta stays at 1/4: a larger value makes
    longer proximal steps.
    """
    norms = problem.rows.squared_norms()
    heaviest = problem.weights.max() if problem.weights.size else 1.0
    room = alpha / as_loss(loss).lipschitz * problem.n / (batch_size * heaviest) - norms.max()
    return max(0.1 * float(norms.mean()), float(room), np.finfo(float).tiny)


def asdca(
    X: ArrayOrSparse,
    y: ArrayLike,
    *,
    loss: str = "smooth_hinge",
    hinge_width: float = 1.0,
    alpha: float = 1e-4,
    sample_weight: ArrayLike | None = None,
    fit_intercept: bool = True,
    max_iter: int = 1000,
    tol: float | None = 1e-3,
    batch_size: int = 8,
    theta: str | float = "paper",
    order: str | ArrayLike = "permutation",
    averaging: str = "last",
    average_from: int | None = None,
    trace: bool = False,
    score: Callable[..., object] | None = None,
    random_state: Seed = None,
) -> Result:
    """Accelerated mini-batch stochastic dual coordinate ascent, certified.

    Minimises, over w (and b0 if `fit_intercept`)::

        P(w, b0) = alpha/2 ||w||^2 + 1/n sum_i c_i phi(y_i (w.x_i + b0))

    Here x_i is row i of X, y_i its label (1 or -1), c_i its weight and phi the `loss`.
    For batches A of m rows, dual variables b_i, momentum theta, and w(b) = 1/(alpha n) sum_i b_i y_i x_i::

        u   <- (1 - theta) w + theta w(b)
        b_i <- (1 - theta) b_i + theta c_i (-phi'(y_i u.x_i))    for i in A
        w   <- (1 - theta) w + theta w(b)

    A step costs O(number of values in the batch). w, not w(b), is returned; both converge to the optimum.

    Parameters
    ----------
    X : CSR matrix or array, or ndarray, of shape (n_samples, n_features), float32 or float64
        X is neither copied nor changed. Rows need not have norm 1, but the largest norm determines
        theta: a row that is much longer than the others makes the fit slow.
    y : array of shape (n_samples,), of -1 and +1
        The label of each row.
    loss : {"smooth_hinge", "squared_hinge", "log"}, default="smooth_hinge"
        phi; its derivative has the Lipschitz constant 1/gamma, which is 1/hinge_width, 2 or 1/4.
    hinge_width : float > 0, default=1.0
        The gamma of "smooth_hinge", as in `sdca`.
    alpha : float > 0, default=1e-4
        Regularisation strength (lambda in the paper).
    sample_weight : array of shape (n_samples,), default=None
        Weights c_i >= 0, divided by their mean: a row of weight 2 counts twice, a row of weight 0 not at all.
    fit_intercept : bool, default=True
        Also minimise over b0, which is not regularised. A proximal step on b0 follows every epoch.
    max_iter : int, default=1000
        Maximum number of epochs (passes over X).
    tol : float or None, default=1e-3
        Stop once gap <= tol * objective. None: do `max_iter` epochs.
    batch_size : int, default=8
        Mini-batch size m. The last batch of an epoch may be shorter.
    theta : "paper" or float in (0, 1], default="paper"
        Momentum. "paper" is 1/4 min(1, sqrt(s/m), s, (s^2/m)^(1/3)) with s = gamma alpha n / R^2,
        R^2 = max_i c_i ||x_i||^2; with it, about log(1/tol) / theta epochs provably
        suffice. A larger theta is faster unless the steps diverge; see Notes.
    order : {"permutation", "batches"} or int array of shape (>= max_iter, n_visits), default="permutation"
        Rows of an epoch. "permutation": a fresh permutation, cut into batches. "batches": for each step, as
        in the paper, a batch of different rows drawn from all rows. An array gives the rows of each epoch;
        with n_visits = batch_size, each step is an epoch.
    averaging : {"last", "tail", "random"}, default="last"
        Return the last w, the average over the second half of the steps of max_iter epochs, or one w drawn
        from that half; the objective belongs to the returned w. A run that reaches `tol` before its second
        half returns its last w.
    average_from : int >= 0, default=None
        Number of steps, one per batch, after which "tail" and "random" begin to use the iterates; half of the
        steps by default. If there are fewer steps, only the last iterate is used.
    trace : bool, default=False
        Measure the objective and the gap for the history after every epoch, not only when the gap may be
        within `tol`. Each measurement is an extra pass over X. Implied by `score`.
    score : callable, default=None
        ``score(w, intercept)`` is called after each epoch; its value is stored in the history.
    random_state : int, numpy Generator or None, default=None
        Seed of all random choices: the same seed gives the same result.

    Returns
    -------
    Result
        Named tuple (w, intercept, dual, objective, gap, n_iter, history, solver). The lower bound comes from
        `dual`; both w and w(dual) are within sqrt(2 gap / alpha) of the optimal w.

    Raises
    ------
    ValueError
        If the input is invalid (the message names the argument, row and column), or if the steps diverge with
        the given `theta`.

    Notes
    -----
    With a small alpha n and large batches, an epoch gains little; SDCA needs fewer epochs. On the problems
    tried, 4 times the paper's theta converged in a quarter of the epochs (with an intercept, in 105 of 108
    runs); 16 times the paper's theta did not always converge.

    References
    ----------
    Shalev-Shwartz & Zhang, Accelerated mini-batch stochastic dual coordinate ascent, NIPS 2013.

    Examples
    --------
    >>> import numpy as np
    >>> from fastsvm.solvers import asdca
    >>> X, y = np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([1, -1])
    >>> result = asdca(X, y, alpha=1.0, tol=1e-9, random_state=0)
    >>> result.w.round(4).tolist(), round(result.objective, 6)
    ([-0.3333, 0.3333], 0.333333)
    """
    params = ASDCAParams.of(None, **locals())
    solver = ASDCASolver(Problem(X, y, sample_weight), params, as_state(random_state))
    return run(solver, params.tol, params.trace or score is not None, score=score)
