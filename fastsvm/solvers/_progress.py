"""When to stop where there is no gap: scikit-learn's rules for stochastic steps."""

import math

import numpy as np

from ._scores import scores_of


class Progress:
    """Whether epochs still bring a run on.

    Parameters
    ----------
    tol : float or None
        How far an epoch's value must be below the lowest before, to count; None: any epoch counts.
    n_iter_no_change : int or None
        After so many epochs in a row that do not count the run is over; None: never.

    Attributes
    ----------
    validation : Problem or None
        The rows whose share that is told wrong is the value; None: the mean loss of an epoch's rows, as met.
    """

    validation = None

    def __init__(self, tol, n_iter_no_change):
        self.tol, self.most = -math.inf if tol is None else tol, n_iter_no_change
        self.least, self.stalled = math.inf, 0

    @property
    def over(self):
        """Whether it is time to stop."""
        return self.most is not None and self.stalled >= self.most

    def add(self, loss, output):
        """Count an epoch, by its mean loss or by what `output` returns, (w, intercept)."""
        value = loss if self.validation is None else _error(self.validation, *output())
        self.stalled = self.stalled + 1 if self.least - value < self.tol else 0
        self.least = min(self.least, value)


def _error(problem, w, intercept):
    wrong = (scores_of(problem.rows, w, problem.threads) + intercept > 0) != (problem.signs > 0)
    return float(np.average(wrong, weights=problem.weights if problem.weights.size else None))
