"""A proven bound on the distance of a linear classifier from the optimum of its objective."""

from typing import NamedTuple

import numpy as np

from .._utils.rounding import percent_of_bound, rounded_bound
from ..solvers.losses import slope
from ..solvers.make_solver import make_solver
from ..solvers.run import Watcher, run

TINY = np.finfo(float).tiny  # smaller numbers lose digits


class Certificate(NamedTuple):
    """What `certify` proves about a linear classifier; with more than two classes, one number per class.

    Attributes
    ----------
    loss : str
    alpha : float
    classes : ndarray of shape (n_classes,)
    objective : float or ndarray
        The objective P(w, b0) of `certify`, at the classifier's weights.
    bound : float or ndarray
        No (w, b0) has a lower P than this.
    attained : float or ndarray
        The lowest objective value found. The optimum lies between `bound` and `attained`.
    n_iter : int
        Number of epochs of the proof; with several classes, the largest.
    """

    loss: str
    alpha: float
    classes: np.ndarray
    objective: float | np.ndarray
    bound: float | np.ndarray
    attained: float | np.ndarray
    n_iter: int

    @property
    def gap(self):
        """The objective is at most this far above the optimum."""
        return self.objective - self.bound

    @property
    def gap_at_least(self):
        """The objective is at least this far above the optimum."""
        return self.objective - self.attained

    @property
    def relative_gap(self):
        """`gap` as a share of the objective; 0 where the objective is 0."""
        return _relative_gap(self.gap, self.objective)

    def __repr__(self):
        lines = [("class", "objective", "optimum >=", "better by at most", "at least")]
        labels = self.classes[1:] if np.ndim(self.objective) == 0 else self.classes
        if len(labels) > 1 and np.ndim(self.objective) == 0:
            labels = ["all"]
        at_most, at_least = self.relative_gap, _relative_gap(self.gap_at_least, self.objective)
        numbers = zip(*map(np.atleast_1d, (self.objective, self.bound, at_most, at_least)), strict=True)
        for label, (objective, bound, most, least) in zip(labels, numbers, strict=True):
            label = "".join(c if c.isprintable() else repr(c)[1:-1] for c in str(label))
            lines.append(
                (
                    label,
                    f"{objective:.7g}",
                    f"{rounded_bound(bound, 7, upper=False):.7g}",
                    percent_of_bound(most),
                    percent_of_bound(least, upper=False),
                )
            )
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        table = ["  ".join(map(str.rjust, line, widths)) for line in lines]
        return "\n".join([f"{self.loss}, alpha={self.alpha:.6g}", *table])

    def __str__(self):
        return repr(self)


def _relative_gap(part, whole):
    share = np.divide(part, whole, out=np.zeros(np.shape(whole)), where=np.greater(whole, 0))
    return share if share.ndim else float(share)


def dual_of_scores(problem, scores, loss):
    """b_i = -c_i phi'(m_i): the dual variables of an optimum that has these margins."""
    dual = -slope(loss, problem.signs * scores)
    return problem.weights * dual if problem.weights.size else dual


class Bracket(Watcher):
    """Bounds on the optimum, which the epochs of a run narrow until they are tight.

    Parameters
    ----------
    objective : float, of the certified model
    accuracy, tol : as in `certify`
    bounds_of : callable
        From a solver, after an epoch: a lower and an upper bound on the optimum.
    """

    def __init__(self, objective, accuracy, tol, bounds_of):
        self.objective, self.accuracy, self.tol, self.bounds_of = objective, accuracy, tol, bounds_of
        self.bound, self.attained = 0.0, objective  # P >= 0

    def narrow(self, bound, attained):
        """Take new bounds if they are better; return whether the bounds are tight."""
        self.bound, self.attained = max(self.bound, bound), min(self.attained, attained)
        gap, least = self.objective - self.bound, self.objective - self.attained
        return gap <= max(self.accuracy * least, self.tol * self.objective, TINY)

    def after(self, solver):
        """Narrow the bounds by the solver's point; True once they are tight."""
        return self.narrow(*self.bounds_of(solver))


def _rounding(problem, alpha=0.0):
    """Return a function of w, intercept, dual and P: the rounding error of P and D, sums of n terms."""
    lengths = np.sqrt(problem.rows.squared_norms())

    def rounding(w, intercept, dual, primal):
        norm = np.sqrt(w @ w)
        sizes = alpha * norm**2 + primal + (dual @ lengths * norm + dual.sum() * abs(intercept)) / problem.n
        return problem.rounding * sizes

    return rounding


def certificate_bracket(problem, w, intercept, dual, params, random, accuracy):
    """(P, a lower bound on the optimum, the lowest P seen, epochs), for one binary problem."""
    loss, alpha = params.loss_entry, params.alpha
    objective, rounding = problem.primal(w, intercept, loss, alpha), _rounding(problem, alpha)
    own = rounding(w, intercept, dual, objective)

    def bounds_of(solver):
        p = solver.point
        error = own + rounding(p.w, p.intercept, p.dual, p.primal)
        return p.bound - error, p.primal + error

    problem.clip_dual(dual, loss)
    factors = problem.balance_factors(dual) if params.fit_intercept else (1.0, 1.0)
    start = problem.primal_from_dual(dual, alpha, factors)
    value = problem.dual_value(dual, start, loss, alpha, factors)
    attained = problem.primal(start, intercept, loss, alpha)
    error = rounding(start, intercept, dual, attained)
    bracket = Bracket(objective, accuracy, params.tol, bounds_of)
    if bracket.narrow(value - error - own, attained + error + own):
        return objective, bracket.bound, bracket.attained, 0
    if value <= 0:  # worse than b = 0, for example near the kink of the hinge
        dual = np.zeros(problem.n)
    solver = make_solver(params, problem, random, (dual, intercept))
    run(solver, watchers=[bracket])  # no tol: every epoch visits all rows, and the bound grows steadily
    return objective, min(bracket.bound, objective), bracket.attained, solver.done


def l1_bracket(problem, w, intercept, params, accuracy):
    """The same with an l1 penalty."""
    objective = params.penalty_of(w) + problem.mean_loss(w, intercept, params.loss_entry)
    solver = make_solver(params, problem, None, (w, intercept))
    rounding = _rounding(problem)

    def bounds_of(solver):
        p = solver.point
        error = rounding(w, intercept, p.dual, objective) + rounding(p.w, p.intercept, p.dual, p.primal)
        return p.bound - error, p.primal + error

    bracket = Bracket(objective, accuracy, params.tol, bounds_of)
    run(solver, watchers=[bracket])  # no tol: every bound is of all columns
    return objective, min(bracket.bound, objective), bracket.attained, solver.done


def multinomial_bracket(solver, coef, intercepts, tol, accuracy):
    """The same from a MultinomialSolver that has not begun, for one problem of all classes."""
    solver.coef[:-1] = coef.T
    if intercepts is not None:
        solver.coef[-1] = intercepts
    problem, longest = solver.problem, np.sqrt(solver.problem.rows.longest)

    def rounding():
        norm = np.linalg.norm(solver.coef[:-1])
        largest = np.abs(solver.coef[-1]).max()
        sizes = solver.alpha * norm**2 + problem.mean_weight * (1 + longest * norm + largest)
        return 8 * np.finfo(float).eps * np.sqrt(problem.n) * sizes

    own = rounding()
    objective = solver.begin()

    def bounds_of(solver):
        error = own + rounding()
        return min(solver.objective - solver.gap - error, objective), solver.objective + error

    bracket = Bracket(objective, accuracy, tol, bounds_of)
    if not bracket.after(solver):
        run(solver, watchers=[bracket])
    return objective, bracket.bound, bracket.attained, solver.done
