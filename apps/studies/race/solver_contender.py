"""One of the solvers compared: its runs, an epoch at a time, and what they are measured by."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fastsvm._utils.threads import in_threads
from fastsvm.fitting.fit import solver_makers
from fastsvm.fitting.labels import Targets
from fastsvm.solvers.losses import Loss

from .matrix_products import Products
from .watched_solver import Look, WatchedSolver

FORCED = {"tol": None, "solver": "coordinate", "warm_start": False, "n_jobs": None}
COLUMNS = (
    *[("run", int), ("epoch", float), ("visits", int), ("steps", int)],
    *[("seconds", float), ("primal", float), ("gap", float), ("error", float)],
)


class Objective(NamedTuple):
    """What a contender is measured by; alpha=None: the mean loss."""

    loss: Loss
    alpha: float | None
    fit_intercept: bool
    class_weight: object


@dataclass
class Task:
    """What all contenders are given.

    Attributes
    ----------
    products : Products, with X
    y, classes : ndarray
    test : Products or None, with X_test
    winners : ndarray or None, the true class of each test row, by number
    seed, threads : int
    shares : ndarray, how much of the first epoch is done where runs are measured inside it
    """

    products: Products
    y: np.ndarray
    classes: np.ndarray
    test: Products | None
    winners: np.ndarray | None
    seed: int
    threads: int
    shares: np.ndarray


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
        self.points = len(task.shares) + model.max_iter
        self.table = np.zeros((runs, self.points), [("solver", f"U{len(label)}"), *COLUMNS])
        self.table["solver"] = label
        self.table["run"] = np.arange(runs)[:, None]
        self.coef = np.empty((runs, self.problems, task.products.rows.n_columns))
        self.intercept = np.empty((runs, self.problems))

    @property
    def run_bytes(self):
        """Memory of a run, about: its state, what was seen of it, and its columns beside those of others."""
        return (32 + 8 * len(self.task.shares)) * sum(self.task.products.X.shape) * self.problems

    def start(self, runs):
        """Make the solvers of a range of runs; one for each of their binary problems."""
        self.runs, self.measured = runs, 0
        self.solvers = [self._solvers_of(run) for run in runs]

    def end(self):
        """Let go of the solvers, whose states are large."""
        self.runs, self.solvers = range(0), []

    def _solvers_of(self, run):
        """The very ones that a fit with this seed would have."""
        params = self.model._params.of(self.model, random_state=self.task.seed + run)
        targets = Targets(self.task.y, self.task.classes)
        weights = targets.weights(params.class_weight, None)
        self.weights = None if weights is None else weights / weights.mean()
        makers = solver_makers(params, self.task.products.rows, targets, lambda k: weights)
        return [WatchedSolver(make(1), self.task.shares) for _, make in makers]

    def advance(self):
        """One more epoch of every run, timed by its thread's own clock, and its lines of the table."""
        watched = [each for of_run in self.solvers for each in of_run]
        n_workers = min(self.task.threads, len(watched))
        shares = [watched[k :: 4 * n_workers] for k in range(4 * n_workers)]

        def stop(error):
            for each in watched:
                each.solver.cancelled = True

        in_threads(_run_epoch, shares, n_workers, stop)
        for looks in zip(*(each.looks for each in watched), strict=True):
            self._measure(looks)
        for each in watched:
            each.looks = []

    def _measure(self, looks: tuple[Look, ...]):
        """Fill in the next line of each run, from what was seen of its solvers."""
        lines = self.table[self.runs.start : self.runs.stop, self.measured]
        self.measured += 1
        shape = len(self.solvers), self.problems
        lines["epoch"] = np.reshape([look.epoch for look in looks], shape)[:, 0]
        for name in "visits", "steps", "seconds":
            lines[name] = np.reshape([getattr(look, name) for look in looks], shape).sum(axis=1)
        with np.errstate(over="ignore", invalid="ignore"):  # of steps that diverge
            W, intercept, bound = self._iterates(looks)
            primal = self._primal_values(W, intercept)
            lines["primal"], lines["gap"] = primal.mean(axis=1), np.maximum(primal - bound, 0).mean(axis=1)
            lines["error"] = self._test_error(W, intercept)
        if self.measured == self.points:
            self.coef[self.runs.start : self.runs.stop] = W.T.reshape(len(self.runs), *self.coef.shape[1:])
            self.intercept[self.runs.start : self.runs.stop] = intercept

    def _iterates(self, looks):
        """What was seen, side by side, and the lower bounds that go with it; NaN: none."""
        solvers = [each.solver for of_run in self.solvers for each in of_run]
        found = [
            self._feasible_candidate(solver, look.iterate)
            for solver, look in zip(solvers, looks, strict=True)
        ]
        missing = [k for k, c in enumerate(found) if c.dual is not None and c.w_of_dual is None]
        if missing:
            signed = [_signed_dual(solvers[k].problem.signs, found[k]) for k in missing]
            rate = 1 / (solvers[0].alpha * len(self.task.y))
            columns = self.task.products.primal_from_dual(np.column_stack(signed), rate)
            for k, w in zip(missing, np.ascontiguousarray(columns.T), strict=True):
                found[k] = found[k]._replace(w_of_dual=w)
        bound = np.array([self._lower_bound(solver, c) for solver, c in zip(solvers, found, strict=True)])
        W = np.column_stack([c.w_of_dual if c.w is None else c.w for c in found])
        shape = len(self.solvers), self.problems
        return W, np.array([c.intercept for c in found]).reshape(shape), bound.reshape(shape)

    def _feasible_candidate(self, solver, candidate):
        """The candidate, its dual variables within what the loss to measure by allows."""
        loss = self.objective.loss
        if candidate.dual is None or loss is solver.loss:
            return candidate
        dual = candidate.dual.copy()
        if not solver.problem.clip_dual(dual, loss):
            return candidate
        w = candidate.w_of_dual if candidate.w is None else candidate.w
        if w is None:
            w = solver.problem.primal_from_dual(candidate.dual, solver.alpha, candidate.factors)
        factors = solver.problem.balance_factors(dual) if solver.has_intercept else (1.0, 1.0)
        return candidate._replace(w=w, dual=dual, factors=factors, w_of_dual=None)

    def _lower_bound(self, solver, candidate):
        if candidate.dual is None:
            return np.nan
        loss, alpha = self.objective.loss, self.objective.alpha
        return solver.problem.dual_value(candidate.dual, candidate.w_of_dual, loss, alpha, candidate.factors)

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
        """The share of test rows that each run has wrong; NaN without any."""
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


def _signed_dual(signs, candidate):
    """b_i y_i of the feasible dual variables."""
    above, below = candidate.factors
    return candidate.dual * np.where(signs > 0, above, -below)
