"""Stopping rules for methods without a gap: scikit-learn's rules for stochastic steps."""

import math

import numpy as np

from ._scores import scores_of


class Progress:
    """The progress of a run, by a value per epoch.

    Parameters
    ----------
    tol : float or None
        An epoch makes progress if its value is lower than the lowest so far by `tol`; None: it always does.
    n_iter_no_change : int or None
        Number of successive epochs without progress that ends the run; None: the run is never ended.

    Attributes
    ----------
    validation : Problem or None
        The value is the error rate on these rows; None: the mean loss of an epoch's rows as visited.
    """

    validation = None

    def __init__(self, tol, n_iter_no_change):
        self.tol, self.most = -math.inf if tol is None else tol, n_iter_no_change
        self.least, self.stalled = math.inf, 0

    @property
    def over(self):
        """Whether to stop."""
        return self.most is not None and self.stalled >= self.most

    def add(self, loss, output):
        """Add an epoch, by its mean loss or by the (w, intercept) that `output` returns."""
        value = loss if self.validation is None else _error(self.validation, *output())
        self.stalled = self.stalled + 1 if self.least - value < self.tol else 0
        self.least = min(self.least, value)


def _error(problem, w, intercept):
    wrong = (scores_of(problem.rows, w, problem.threads) + intercept > 0) != (problem.signs > 0)
    return float(np.average(wrong, weights=problem.weights if problem.weights.size else None))
