"""One of the compared solvers: its runs, one epoch at a time, and its objective."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fastsvm._utils.threads import in_threads
from fastsvm.fitting.fit import solver_makers
from fastsvm.fitting.labels import Targets
from fastsvm.solvers.losses import Loss

from .watched_solver import Look, WatchedSolver

PART = 1 << 21  # float64 numbers that a thread holds: 16 MB of X, or as much of the scores
FORCED = {"tol": None, "solver": "coordinate", "warm_start": False, "n_jobs": None}
COLUMNS = (
    *[("run", int), ("epoch", float), ("visits", int), ("steps", int)],
    *[("seconds", float), ("primal", float), ("gap", float), ("error", float)],
)


class Products:
    """X times the iterates of many runs at once, which costs a fraction of one pass per run.

    The matrix is cut into parts that do not depend on the number of threads, and sums are added in order, so
    that no bit of a result depends on the number of threads.

    Parameters
    ----------
    X : CSR matrix or array, or C-ordered ndarray, of shape (n_samples, n_features)
    rows : Rows, of the same matrix
    threads : int
    """

    def __init__(self, X, rows, threads):
        self.X, self.rows, self.threads = X, rows, threads

    def sum_scores(self, function, W, intercept):
        """Sum the results of a function of the scores of some rows, over all rows.

        Parameters
        ----------
        function : callable
            ``function(part, scores)``: a slice of rows, and their w.x + b0 of shape (rows, *intercept.shape).
        W : ndarray of shape (n_features, n_vectors), float64
        intercept : ndarray of n_vectors numbers, float64

        Returns
        -------
        The sum of the results of the function.
        """
        n = self.rows.n_rows
        step = max(1, min(self.rows.chunk_rows(PART), PART // W.shape[1]))

        def of_part(first):
            part = slice(first, min(first + step, n))
            with np.errstate(over="ignore", invalid="ignore"):  # of steps that diverge
                return function(part, (self.X[part] @ W).reshape(-1, *intercept.shape) + intercept)

        return sum(in_threads(of_part, range(0, n, step), self.threads))


class Objective(NamedTuple):
    """The objective of a contender; alpha=None: the mean loss."""

    loss: Loss
    alpha: float | None
    fit_intercept: bool
    class_weight: object


@dataclass
class Task:
    """The data and settings of all contenders.

    Attributes
    ----------
    products : Products, with X
    y, classes : ndarray
    test : Products or None, with X_test
    winners : ndarray or None, the true class of each test row, by number
    seed, threads : int
    shares, every : ndarray, and int or None; as in `WatchedSolver`
    """

    products: Products
    y: np.ndarray
    classes: np.ndarray
    test: Products | None
    winners: np.ndarray | None
    seed: int
    threads: int
    shares: np.ndarray
    every: int | None


class Contender:
    """Seeded runs of one model.

    Parameters
    ----------
    label : str
    model : an estimator or plain model, unfitted; not changed
    objective : Objective
    task : Task
    runs : int
    """

    def __init__(self, label: str, model, objective: Objective, task: Task, runs: int):
        self.model, self.objective, self.task = model, objective, task
        self.problems = 1 if len(task.classes) == 2 else len(task.classes)
        self.label, self.blocks = label, []
        self.coef = np.empty((runs, self.problems, task.products.rows.n_columns))
        self.intercept = np.empty((runs, self.problems))

    @property
    def run_bytes(self):
        """The approximate memory of a run: its state, its measurements, and its columns beside others."""
        looks = len(self.task.shares) + (len(self.task.y) // self.task.every if self.task.every else 0)
        return (32 + 16 * looks) * sum(self.task.products.X.shape) * self.problems

    @property
    def table(self):
        """All lines, of shape (runs, points)."""
        return np.concatenate(self.blocks)

    def start(self, runs):
        """Make the solvers of a range of runs, one per binary problem."""
        self.runs, self.lines = runs, []
        self.solvers = [self._solvers_of(run) for run in runs]

    def end(self):
        """Keep the lines, and free the solvers, whose states are large."""
        self.blocks.append(np.stack(self.lines, axis=1))
        self.runs, self.solvers = range(0), []

    def _solvers_of(self, run):
        """Return the same solvers that a fit with this seed would have."""
        params = self.model._params.of(self.model, random_state=self.task.seed + run)
        targets = Targets(self.task.y, self.task.classes)
        weights = targets.weights(params.class_weight, None)
        self.weights = None if weights is None else weights / weights.mean()
        makers = solver_makers(params, self.task.products.rows, targets, lambda k: weights)
        return [WatchedSolver(make(1), self.task.shares, self.task.every) for _, make in makers]

    def advance(self):
        """Run one more epoch of every run, timed by the clock of its thread, and add its lines."""
        watched = [each for of_run in self.solvers for each in of_run]
        n_workers = min(self.task.threads, len(watched))
        shares = [watched[k :: 4 * n_workers] for k in range(4 * n_workers)]

        def stop(error):
            for each in watched:
                each.solver.cancelled = True

        in_threads(_run_epoch, shares, n_workers, stop)
        for looks in zip(*(each.looks for each in watched), strict=True):
            self._measure(looks)

    def _measure(self, looks: tuple[Look, ...]):
        """Add a line to each run, from the measurements of its solvers."""
        lines = np.zeros(len(self.runs), [("solver", f"U{len(self.label)}"), *COLUMNS])
        lines["solver"], lines["run"] = self.label, self.runs
        shape = len(self.solvers), self.problems
        lines["epoch"] = np.reshape([look.epoch for look in looks], shape)[:, 0]
        for name in "visits", "steps", "seconds":
            lines[name] = np.reshape([getattr(look, name) for look in looks], shape).sum(axis=1)
        with np.errstate(over="ignore", invalid="ignore"):  # of steps that diverge
            W, intercept, bound = self._iterates(looks)
            primal = self._primal_values(W, intercept)
            lines["primal"], lines["gap"] = primal.mean(axis=1), np.maximum(primal - bound, 0).mean(axis=1)
            lines["error"] = self._test_error(W, intercept)
        self.lines.append(lines)
        self.coef[self.runs.start : self.runs.stop] = W.T.reshape(len(self.runs), *self.coef.shape[1:])
        self.intercept[self.runs.start : self.runs.stop] = intercept

    def _iterates(self, looks):
        """Return the iterates side by side, and their lower bounds; NaN: none."""
        solvers = [each.solver for of_run in self.solvers for each in of_run]
        pairs = [*zip(solvers, looks, strict=True)]
        found = in_threads(lambda pair: self._bounded_candidate(*pair), pairs, self.task.threads)
        W, intercept, bound = zip(*found, strict=True)
        shape = len(self.solvers), self.problems
        return np.column_stack(W), np.reshape(intercept, shape), np.reshape(bound, shape)

    def _bounded_candidate(self, solver, look):
        """Return w, the intercept, and the lower bound of dual variables that the measured loss allows."""
        problem, loss, alpha = solver.problem, self.objective.loss, self.objective.alpha
        w, intercept, dual, factors, w_of_dual = look.iterate
        if dual is None:
            return w, intercept, np.nan
        if w_of_dual is None:
            w_of_dual = problem.primal_from_dual(dual, solver.alpha, factors)
        w = w_of_dual if w is None else w
        if loss is not solver.loss:
            dual = dual.copy()
            if problem.clip_dual(dual, loss):
                factors = problem.balance_factors(dual) if solver.has_intercept else (1.0, 1.0)
                w_of_dual = problem.primal_from_dual(dual, solver.alpha, factors)
        return w, intercept, problem.dual_value(dual, w_of_dual, loss, alpha, factors)

    def _primal_values(self, W, intercept):
        loss, alpha = self.objective.loss, self.objective.alpha
        signs = np.column_stack([each.solver.problem.signs for each in self.solvers[0]])

        def losses(part, scores):
            values = loss.value(signs[part, np.newaxis] * scores)
            return values.sum(axis=0) if self.weights is None else np.tensordot(self.weights[part], values, 1)

        primal = self.task.products.sum_scores(losses, W, intercept) / len(self.task.y)
        if alpha is not None:
            primal += alpha / 2 * np.einsum("ij,ij->j", W, W).reshape(primal.shape)
        return primal

    def _test_error(self, W, intercept):
        """Return the share of test rows that each run gets wrong; NaN without test rows."""
        if self.task.test is None:
            return np.nan
        winners = self.task.winners

        def wrong(part, scores):
            found = scores[..., 0] > 0 if self.problems == 1 else scores.argmax(axis=-1)
            return (found != winners[part, np.newaxis]).sum(axis=0)

        return self.task.test.sum_scores(wrong, W, intercept) / len(winners)


def _run_epoch(watched):
    for each in watched:
        each.run_epoch()
