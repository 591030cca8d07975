"""The Python part of the perceptron. The formulas are in `_perceptron.pyx`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from . import _perceptron  # type: ignore[attr-defined]  # compiled
from ._input import as_state, order_of
from ._problem import Problem
from ._progress import Progress
from ._solver import Iterate, Result, Solver
from .params import AS_GIVEN, PerceptronParams
from .run import run

if TYPE_CHECKING:
    from typing import Any

    from .annotations import ArrayLike, ArrayOrSparse, Callable, Seed


class PerceptronSolver(Solver):
    """The perceptron on one problem, an epoch at a time; `start` as in `make_solver`.

    `order`, if given, holds the rows of all epochs. With a patience, the run also ends after that many
    successive epochs whose mean loss, taken as rows are visited, is not lower by `tol` than in any before.
    """

    solver = "perceptron"

    def __init__(
        self,
        problem: Problem,
        params: PerceptronParams,
        random: Any,
        start: Any = None,
        order: Any = "permutation",
    ) -> None:
        super().__init__(problem, params, order=order if params.shuffle else AS_GIVEN, random=random)
        self.progress = Progress(params.tol, params.patience)
        self.w, self.separated = np.zeros(problem.rows.n_columns), False
        averages = params.averaging == "all"
        self.averaging_correction = np.zeros(problem.rows.n_columns) if averages else None
        self.state = _perceptron.PerceptronState(self.has_intercept, self.w, self.averaging_correction)
        if start is not None:
            self.w[:], self.state.intercept = start[0], start[1] if self.has_intercept else 0.0

    def run_epoch(self):
        """Visit every row once; an epoch without a mistake is the last."""
        before, self.state.loss = self.state.mistakes, 0.0
        order = self.next_order()
        for part in self.slices(order):
            _perceptron.run_epoch(*self.problem.data, part, self.state)
        self.separated = self.state.mistakes == before
        if self.progress.most is not None:
            self.progress.add(self.state.loss / len(order), self.output)

    def finished(self):
        """Whether an epoch made no mistake, or too little progress."""
        return self.separated or self.progress.over

    def output(self):
        """(w, intercept) of the last iterate, or of the average."""
        if self.averaging_correction is None:
            return self.w, self.state.intercept
        s = self.state
        return self.w - self.averaging_correction / s.t, s.intercept - s.intercept_correction / s.t

    def iterate(self):
        """The output, without dual variables."""
        return Iterate(*self.output())

    def snapshot(self):
        """The state for `resume`: plain arrays and numbers."""
        kept = {name: getattr(self.state, name) for name in ("t", "intercept", "intercept_correction")}
        return {**kept, "w": self.w, "averaging_correction": self.averaging_correction}

    def resume(self, snapshot):
        """Continue another run's steps on this problem; None starts at zero."""
        if snapshot is None:
            return
        self.w[:], self.state.intercept = snapshot["w"], snapshot["intercept"]
        if self.averaging_correction is not None and snapshot.get("averaging_correction") is not None:
            self.averaging_correction[:] = snapshot["averaging_correction"]
            self.state.t, self.state.intercept_correction = snapshot["t"], snapshot["intercept_correction"]


def perceptron(
    X: ArrayOrSparse,
    y: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    fit_intercept: bool = True,
    max_iter: int = 10,
    order: str | ArrayLike = "permutation",
    averaging: str = "last",
    trace: bool = False,
    score: Callable[..., object] | None = None,
    random_state: Seed = None,
) -> Result:
    """Rosenblatt's perceptron, plain or averaged.

    Looks for (w, b0) with y_i (w.x_i + b0) > 0 for all i. On each row where this does not hold::

        w <- w + c_i y_i x_i,    b0 <- b0 + c_i y_i                 (if `fit_intercept`)

    Here x_i is row i of X, y_i its label (1 or -1) and c_i its weight.
    A step costs O(number of values in the row). The objective reported is the mean perceptron loss
    1/n sum_i c_i max(0, -y_i (w.x_i + b0)); there is no regularisation, hence no gap.

    Parameters
    ----------
    X : CSR matrix or array, or ndarray, of shape (n_samples, n_features), float32 or float64
        X is neither copied nor changed.
    y : array of shape (n_samples,), of -1 and +1
        The label of each row.
    sample_weight : array of shape (n_samples,), default=None
        Weights c_i >= 0, which scale the corrections; all 1 by default.
    fit_intercept : bool, default=True
        Whether to learn the intercept b0.
    max_iter : int, default=10
        Maximum number of epochs (passes over X). An epoch without a mistake is the last one.
    order : "permutation" or int array of shape (>= max_iter, n_visits), default="permutation"
        Rows of an epoch: a fresh permutation, or those in the array, which has one line per epoch.
    averaging : {"last", "all"}, default="last"
        Return the last iterate, or the average of all iterates.
    trace : bool, default=False
        Measure the objective for the history after every epoch, not only after the last one. Each measurement
        is an extra pass over X. Implied by `score`.
    score : callable, default=None
        ``score(w, intercept)`` is called after each epoch; its value is stored in the history.
    random_state : int, numpy Generator or None, default=None
        Seed of all random choices: the same seed gives the same result.

    Returns
    -------
    Result
        Named tuple (w, intercept, dual, objective, gap, n_iter, history, solver); dual and gap are None.

    Raises
    ------
    ValueError
        If the input is invalid; the message names the argument, row and column.

    References
    ----------
    Rosenblatt, The perceptron, Psychol. Rev. 65 (1958). Freund & Schapire, Large margin classification
    using the perceptron algorithm, Mach. Learn. 37 (1999), for averaging.

    Examples
    --------
    >>> import numpy as np
    >>> from fastsvm.solvers import perceptron
    >>> X, y = np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([1, -1])
    >>> perceptron(X, y, random_state=0).objective
    0.0
    """
    params = PerceptronParams.of(None, **locals())
    order = order_of(order, ("permutation",))
    problem = Problem(X, y, sample_weight, relative=False)
    solver = PerceptronSolver(problem, params, as_state(random_state), order=order)
    return run(solver, trace=trace or score is not None, score=score)
