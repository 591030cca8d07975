"""scikit-learn's Perceptron, by the compiled one."""

import numpy as np
import sklearn.linear_model
from sklearn.utils import check_random_state

from .. import fitting
from .fallback import fall_back
from .linear_fits import checked_rows, fit_each_class

__all__ = ["Perceptron"]


class Perceptron(sklearn.linear_model.Perceptron):
    """scikit-learn's Perceptron, by the compiled one.

    The parameters, attributes and the rule by which it stops are scikit-learn's. The intercept of sparse rows
    moves by whole steps, as that of dense ones. scikit-learn does what fastsvm has not: a penalty, early
    stopping, `warm_start`, `coef_init`, `shuffle=False` and `partial_fit`, which goes on from the solution.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from fastsvm.drop_in import Perceptron
    >>> X, y = load_digits(return_X_y=True)
    >>> Perceptron().fit(X, y).score(X, y) > 0.9
    True
    """

    def fit(self, X, y, coef_init=None, intercept_init=None, sample_weight=None):  # noqa: D102 (inherited)
        self._validate_params()
        self._more_validate_params()
        if missing := self._missing(coef_init, intercept_init):
            fall_back(self, missing)
            return super().fit(X, y, coef_init, intercept_init, sample_weight)
        X, y = checked_rows(self, X, y, [np.float64, np.float32])

        def fit(y, weights):
            model = fitting.Perceptron(
                max_iter=self.max_iter,
                n_iter_no_change=self.n_iter_no_change,
                tol=self.tol or None,
                fit_intercept=self.fit_intercept,
                n_jobs=self.n_jobs,
                verbose=bool(self.verbose),
                random_state=check_random_state(self.random_state).randint(2**31 - 1),
            ).fit(X, y, weights)
            self.coef_, self.intercept_ = self.eta0 * model.coef_, self.eta0 * model.intercept_
            self.objective_ = self.eta0 * model.objective_
            return model.n_iter_

        fit_each_class(self, X, y, sample_weight, fit)
        self.t_ = 1.0 + self.n_iter_ * len(y)
        return self

    def partial_fit(self, X, y, classes=None, sample_weight=None):  # noqa: D102 (inherited)
        fall_back(self, "partial_fit")
        return super().partial_fit(X, y, classes, sample_weight)

    def _missing(self, *starts):
        """Return what these parameters need that fastsvm has not; "" if nothing."""
        if self.penalty is not None:
            return "penalty here"
        if self.early_stopping:
            return "early stopping here"
        if self.warm_start or any(start is not None for start in starts):
            return "start from other than zero"
        return "" if self.shuffle else "rows in the order given"
