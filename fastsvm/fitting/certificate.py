"""A proven bound on the distance of a linear classifier from the optimum of its objective."""

from typing import NamedTuple

import numpy as np

from ..solvers.losses import slope

TINY = np.finfo(float).tiny  # below it there are no digits left


class Certificate(NamedTuple):
    """The proven bounds of a linear classifier; one-vs-rest of more than two classes, arrays (n_classes,).

    Attributes
    ----------
    loss : str
    alpha : float
    classes : ndarray of shape (n_classes,)
    objective : float or ndarray
        P(w, b0) of the classifier as it is.
    bound : float or ndarray
        No (w, b0) has a lower P than this.
    attained : float or ndarray
        The lowest P that has been seen. The optimum lies between `bound` and `attained`.
    n_iter : int
        Epochs that the proof took, by the class that needed most.
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
        """`gap` as a share of the objective; 0 where that is 0."""
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
            lines.append((label, f"{objective:.7g}", f"{bound:.7g}", _percent(most), _percent(least)))
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        table = ["  ".join(map(str.rjust, line, widths)) for line in lines]
        return "\n".join([f"{self.loss}, alpha={self.alpha:.6g}", *table])

    def __str__(self):
        return repr(self)


def _percent(share):
    return f"{100 * share:.0f} %" if share >= 0.995 else f"{100 * share:.2g} %"


def _relative_gap(part, whole):
    share = np.divide(part, whole, out=np.zeros(np.shape(whole)), where=np.greater(whole, 0))
    return share if share.ndim else float(share)


def dual_of_scores(problem, scores, loss):
    """b_i = -c_i phi'(m_i): the dual variables of an optimum that has these margins."""
    dual = -slope(loss, problem.signs * scores)
    return problem.weights * dual if problem.weights.size else dual


def certificate_bracket(problem, w, intercept, dual, run_from, loss, alpha, free, accuracy, tol):
    """(P, a lower bound on the optimum, the lowest P seen, epochs), for one binary problem."""
    objective = problem.primal(w, intercept, loss, alpha)
    lengths = np.sqrt(problem.rows.squared_norms())

    def rounding(w, intercept, dual, primal):
        """The rounding error of P(w, intercept) and D(dual), whose sums have about n terms."""
        norm = np.sqrt(w @ w)
        sizes = alpha * norm**2 + primal + (dual @ lengths * norm + dual.sum() * abs(intercept)) / problem.n
        return 4 * np.finfo(float).eps * np.sqrt(problem.n) * sizes

    own = rounding(w, intercept, dual, objective)

    problem.clip_dual(dual, loss)
    factors = problem.balance(dual) if free else (1.0, 1.0)
    start = problem.primal_from_dual(dual, alpha, factors)
    value = problem.dual_value(dual, start, loss, alpha, factors)
    attained = problem.primal(start, intercept, loss, alpha)
    error = rounding(start, intercept, dual, attained)
    bound, attained = max(0.0, value - error - own), min(objective, attained + error + own)  # P >= 0

    def tight():
        return objective - bound <= max(accuracy * (objective - attained), tol * objective, TINY)

    if tight():
        return objective, bound, attained, 0
    if value <= 0:  # worse than b = 0, as near the kink of the hinge
        dual = np.zeros(problem.n)
    run = run_from(start=(dual, intercept), tol=tol)
    for _ in run.epochs():  # no tol: every epoch visits all rows, so that the bound grows steadily
        p = run.point
        error = own + rounding(p.w, p.intercept, p.dual, p.primal)
        bound, attained = max(bound, p.bound - error), min(attained, p.primal + error)
        if tight():
            break
    return objective, min(bound, objective), attained, run.done


def multinomial_bracket(run, coef, intercepts, accuracy, tol):
    """(P, a lower bound on the optimum, the lowest P seen, epochs), by a MultinomialSolver not yet begun."""
    run.coef[:-1] = coef.T
    if intercepts is not None:
        run.coef[-1] = intercepts
    problem, longest = run.problem, np.sqrt(run.problem.rows.longest)

    def rounding():
        norm = np.linalg.norm(run.coef[:-1])
        sizes = run.alpha * norm**2 + problem.mean_weight * (1 + longest * norm + np.abs(run.coef[-1]).max())
        return 8 * np.finfo(float).eps * np.sqrt(problem.n) * sizes

    own = rounding()
    objective = run.begin()
    bound, attained = 0.0, objective
    while True:
        error = own + rounding()
        bound = max(bound, min(run.objective - run.gap - error, objective))
        attained = min(attained, run.objective + error)
        loose = objective - bound > max(accuracy * (objective - attained), tol * objective, TINY)
        if not loose or run.done == run.max_iter or run.finished():
            return objective, bound, attained, run.done
        run.run_epoch()
        run.done += 1
