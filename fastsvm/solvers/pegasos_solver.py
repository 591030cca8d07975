"""The Python part of Pegasos: options, averaging, certificate. The formulas are in `_pegasos.pyx`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from . import _pegasos  # type: ignore[attr-defined]  # compiled
from ._input import as_state
from ._intercept import best_intercept
from ._problem import Problem
from ._progress import Progress
from ._scores import scores_of
from ._solver import Iterate, Result, Solver
from .params import AS_GIVEN, CHECKS, USUAL_PROGRESS, PegasosParams
from .run import run

if TYPE_CHECKING:
    from typing import Any

    from .annotations import ArrayLike, ArrayOrSparse, Callable, Seed

SEARCHED = 1e-9  # how far above the minimum the mean loss may be with fit_intercept="search"
_KEPT = {"t", "earlier", "scale", "intercept", "averaging", "averaged", "mass", "intercept_sum"}


class PegasosSolver(Solver):
    """Pegasos on one problem, an epoch at a time; `start` as in `make_solver`."""

    solver = "pegasos"

    def __init__(self, problem: Problem, params: PegasosParams, random: Any, start: Any = None) -> None:
        order = params.order if params.shuffle else AS_GIVEN
        super().__init__(problem, params, order=order, random=random)
        alpha, patience = params.alpha, params.patience
        self.batch_size = min(params.batch_size, problem.n)
        self.v, self.scaled_dual = np.zeros(problem.rows.n_columns), np.zeros(problem.n)
        self.tail = np.zeros(problem.rows.n_columns) if params.averaging == "tail" else None
        radius = pegasos_radius(self.loss, alpha, problem.mean_weight) if params.project else 0.0
        self.state = _pegasos.PegasosState(
            self.loss.struct,
            alpha,
            radius,
            params.fit_intercept is True,
            params.fit_intercept == "same_step",
            self.v,
            np.empty(self.batch_size),
            self.scaled_dual,
            self.tail,
        )
        self.state.earlier = self._steps_to_skip()
        self.progress = Progress(USUAL_PROGRESS if params.tol is None else params.tol, patience)
        self.state.watched = patience is not None
        self.started = start is not None
        if start is not None:
            self.v[:], intercept, t = start
            if self.steps_on_intercept:
                self.state.intercept = intercept
            self.state.squared_norm = self.v @ self.v
            self.state.earlier += t or -(-problem.n // self.batch_size)
        self.choose_averaged(self.max_iter * -(-self.order.n_visits // self.batch_size))
        if patience is not None:
            self._average_all()

    @property
    def steps_on_intercept(self):
        """Whether the steps change the intercept, too."""
        return self.params.fit_intercept in (True, "same_step")

    def _steps_to_skip(self):
        """How many steps to skip, so that no step overshoots a row's lowest loss; 0 for bounded slopes.

        A step of 1/(alpha t) moves the margin of row i by c_i (||x_i||^2 + 1)/(alpha t) times the slope,
        which changes by at most `lipschitz` per unit of margin.
        """
        p = self.problem
        if self.loss.upper < math.inf:
            return 0
        squares, weights = p.rows.squared_norms(), p.weights
        longest = ((squares + self.steps_on_intercept) * (weights if weights.size else 1)).max()
        return math.ceil(self.loss.lipschitz * longest / self.alpha)

    def _average_all(self):
        """Give the t-th iterate the weight t, since the number of iterates is not known in advance."""
        given = self.params.average_from
        self.averaging_start, self.state.growing = given or 0, given is None

    def run_epoch(self):
        """Visit every row once, or draw n rows."""
        self.state.met = 0.0
        cuts = ()
        if self.tail is not None and not self.state.averaging:
            cuts = ((self.averaging_start - self.state.t) * self.batch_size,)
        elif self.drawn_at is not None:
            cuts = ((self.drawn_at - self.state.t) * self.batch_size,)
        for part in self.slices(self.next_order(), multiple=self.batch_size, cuts=cuts):
            if self.tail is not None and self.state.t >= self.averaging_start:
                self.state.averaging = True
            _pegasos.run_epoch(*self.problem.data, part, self.state)
            if self.state.t == self.drawn_at:
                self.drawn_iterate = self.state.scale * self.v, self.state.intercept
        if self.state.watched:
            self.progress.add(self.state.met / self.order.n_visits, self.output)

    def finished(self):
        """Whether the epochs have stopped making progress."""
        return self.progress.over

    def output(self):
        """(w, intercept) of the last iterate, of the average, or of the iterate that was drawn."""
        state = self.state
        if self.drawn_iterate is not None:
            return self.drawn_iterate
        if state.averaged:
            return (state.mass * self.v + self.tail) / state.averaged, state.intercept_sum / state.averaged
        return state.scale * self.v, state.intercept

    def iterate(self):
        """The output, and the dual variables that the steps built up.

        The last iterate is a combination 1/(alpha n) sum_i b_i y_i x_i of the rows that moved it. With epochs
        and without projection, b_i is the mean of -c_i phi' at row i, which is feasible; otherwise b_i is
        clipped, and w(b) computed anew. If t starts later, the last iterate is t / (earlier + t) times w(b);
        with a start, it is no such multiple. If every multiple of b is feasible, the best one is taken.
        """
        p = self.problem
        w, intercept = self.output()
        if self.params.fit_intercept == "search":
            intercept, _ = best_intercept(p, scores_of(p.rows, w, p.threads), 0.0, self.loss, SEARCHED)
        scale = self.state.scale * ((self.state.earlier + self.state.t) / self.state.t)
        dual = self.scaled_dual * (self.alpha * p.n * scale)
        changed = p.clip_dual(dual, self.loss) or self.started
        if self.has_intercept:
            p.scale_to_balance(dual)
            changed = True
        w_of_dual = None if changed else scale * self.v
        if self.loss.upper == math.inf:
            w_of_dual = p.primal_from_dual(dual, self.alpha) if changed else w_of_dual
            best = self._best_multiple(dual, w_of_dual)
            dual *= best
            w_of_dual *= best
        return Iterate(w, intercept, dual, w_of_dual=w_of_dual)

    def _best_multiple(self, dual, w_of_dual):
        """The s with the largest D(s b), for b without an upper bound and psi(b) = b - curvature/2 b^2."""
        p = self.problem
        weights = np.where(dual > 0, p.weights if p.weights.size else 1.0, 1.0)
        squares = dual**2 / weights
        bend = self.loss.curvature * squares.sum() + p.n * self.alpha * (w_of_dual @ w_of_dual)
        return dual.sum() / bend if bend > 0 else 1.0

    def snapshot(self):
        """The state for `resume`: plain arrays and numbers."""
        kept = {name: getattr(self.state, name) for name in _KEPT}
        return {**kept, "w": self.v, "tail": self.tail}

    def resume(self, snapshot):
        """Continue another run's steps on this problem; None starts at zero.

        The earlier steps were made on other rows, so there is no certificate any more. The number of steps is
        not known in advance, so without `average_from` the average gives the t-th iterate the weight t.
        """
        self._average_all()
        if snapshot is not None:
            earlier = self.state.earlier
            self.v[:] = snapshot["w"]
            self.state.squared_norm = self.v @ self.v
            for name in _KEPT & snapshot.keys():
                setattr(self.state, name, snapshot[name])
            self.state.earlier = max(earlier, self.state.earlier)
            if self.drawn_at is not None:
                self.drawn_at += self.state.t
            if self.tail is not None and snapshot.get("tail") is not None:
                self.tail[:] = snapshot["tail"]


def pegasos_radius(loss, alpha, mean_weight=1.0):
    """The radius of a ball that contains the optimum."""
    squared = 2 * float(loss.value(0.0)) if loss.squared_radius is None else loss.squared_radius
    return math.sqrt(squared * mean_weight / alpha)


def pegasos(
    X: ArrayOrSparse,
    y: ArrayLike,
    *,
    loss: str = "hinge",
    alpha: float = 1e-4,
    sample_weight: ArrayLike | None = None,
    fit_intercept: bool | str = True,
    max_iter: int = 20,
    tol: float | None = None,
    batch_size: int = 1,
    order: str | ArrayLike = "permutation",
    project: bool = False,
    averaging: str = "last",
    average_from: int | None = None,
    trace: bool = False,
    score: Callable[..., object] | None = None,
    random_state: Seed = None,
) -> Result:
    """Pegasos: stochastic sub-gradient descent with steps eta_t = 1/(alpha t), certified.

    Minimises, over w (and b0 if `fit_intercept`)::

        P(w, b0) = alpha/2 ||w||^2 + 1/n sum_i c_i phi(y_i (w.x_i + b0))

    Here x_i is row i of X, y_i its label (1 or -1), c_i its weight and phi the `loss`.
    For t = 1, 2, ... with a batch A of k rows, and g_i = c_i (-phi'(y_i (w.x_i + b0)))::

        w  <- (1 - eta_t alpha) w + eta_t/k sum_{i in A} g_i y_i x_i
        b0 <- b0 + min(eta_t, 1/sqrt(t))/k sum_{i in A} g_i y_i     (if `fit_intercept`)
        w  <- min(1, r / ||w||) w                                   (if `project`)

    A step costs O(number of values in the batch).

    Parameters
    ----------
    X : CSR matrix or array, or ndarray, of shape (n_samples, n_features), float32 or float64
        X is neither copied nor changed.
    y : array of shape (n_samples,), of -1 and +1
        The label of each row.
    loss : {"hinge", "squared_hinge", "smooth_hinge", "log", "modified_huber"}, default="hinge"
        phi. The slope of "squared_hinge" is unbounded, so t starts after 2 max_i c_i (||x_i||^2 + 1) / alpha.
    alpha : float > 0, default=1e-4
        Regularisation strength (lambda in the paper).
    sample_weight : array of shape (n_samples,), default=None
        Weights c_i >= 0, divided by their mean: a row of weight 2 counts twice, a row of weight 0 not at all.
    fit_intercept : bool, "same_step" or "search", default=True
        Also step on the intercept b0, which is not regularised. Since nothing shrinks b0, the first steps of
        eta_t = 1/(alpha t) would have a lasting effect with a small alpha. The steps on b0 are therefore
        min(eta_t, 1/sqrt(t)), which is eta_t for alpha >= 1. "same_step" takes steps of eta_t at any alpha.
        "search" takes no steps on b0; at the end it sets b0 to the value with the lowest loss for the
        returned w.
    max_iter : int, default=20
        Number of epochs (passes over X, or n draws each); with `tol`, the maximum number.
    tol : float or None, default=None
        Stop once gap <= tol * objective; both are measured after every epoch, as with `trace`. None: do
        `max_iter` epochs, since the bound is loose. In `PegasosClassifier`, as in SGDClassifier, `tol` is
        compared with the progress of an epoch instead.
    batch_size : int, default=1
        Mini-batch size k. The last batch of an epoch may be shorter; k is then its true size.
    order : {"permutation", "random", "batches"} or int array, default="permutation"
        Rows of an epoch. "permutation": a fresh permutation, cut into batches. "random": draws with
        replacement. "batches": for each step, a batch of different rows drawn from all rows. An array of
        shape (>= max_iter, n_visits) gives the rows of each epoch; with n_visits = batch_size, each step is
        an epoch.
    project : bool, default=False
        Keep w in the ball of radius r = sqrt(1/alpha) (hinge) or sqrt(2 phi(0)/alpha) (other losses), which
        contains the optimum.
    averaging : {"last", "tail", "random"}, default="last"
        Return the last iterate, the average over the second half of the steps of max_iter epochs, or one
        iterate drawn from that half. The bound comes from the dual variables of all steps. A run that reaches
        `tol` before its second half returns its last iterate.
    average_from : int >= 0, default=None
        Number of steps, one per batch, after which "tail" and "random" begin to use the iterates; half of the
        steps by default. If there are fewer steps, only the last iterate is used.
    trace : bool, default=False
        Measure the objective and the gap for the history after every epoch, not only after the last one. Each
        measurement takes one or two extra passes over X. Implied by `score`.
    score : callable, default=None
        ``score(w, intercept)`` is called after each epoch; its value is stored in the history.
    random_state : int, numpy Generator or None, default=None
        Seed of all random choices: the same seed gives the same result.

    Returns
    -------
    Result
        Named tuple (w, intercept, dual, objective, gap, n_iter, history, solver). The bound comes from the
        dual variables that the steps themselves build up.

    Raises
    ------
    ValueError
        If the input is invalid; the message names the argument, row and column.

    References
    ----------
    Shalev-Shwartz, Singer, Srebro & Cotter, Pegasos: primal estimated sub-gradient solver for SVM,
    Math. Program. 127 (2011), fig. 1 and 2, sec. 4 (losses) and 6 (intercept).

    Examples
    --------
    >>> import numpy as np
    >>> from fastsvm.solvers import pegasos
    >>> X, y = np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([1, -1])
    >>> pegasos(X, y, alpha=1.0, max_iter=500, random_state=0).w.round(2).tolist()
    [-0.5, 0.5]
    """
    params = PegasosParams.of(None, **{**locals(), "tol": None})  # there, `tol` refers to progress
    tol = CHECKS["tol"](tol)
    solver = PegasosSolver(Problem(X, y, sample_weight), params, as_state(random_state))
    return run(solver, tol, params.trace or score is not None or tol is not None, score=score)
