"""scikit-learn's Perceptron, by the compiled one."""

import numpy as np
import sklearn.linear_model

from .. import fitting
from ..solvers._input import as_random
from .linear_fits import StartedFits

# Parameters that mean the same in ours.
SHARED = ("max_iter", "n_iter_no_change", "early_stopping", "validation_fraction", "shuffle")
SHARED += ("fit_intercept", "n_jobs")


class Perceptron(StartedFits, sklearn.linear_model.Perceptron):
    """scikit-learn's Perceptron, by the compiled one.

    The parameters, attributes and the rule by which it stops are scikit-learn's. The intercept of sparse rows
    moves by whole steps, as that of dense ones. scikit-learn does what fastsvm has not: a penalty, and
    `partial_fit`, which goes on from the solution.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from fastsvm.drop_in import Perceptron
    >>> X, y = load_digits(return_X_y=True)
    >>> Perceptron().fit(X, y).score(X, y) > 0.9
    True
    """

    def fit(self, X, y, coef_init=None, intercept_init=None, sample_weight=None):  # noqa: D102 (inherited)
        if self.warm_start and hasattr(self, "coef_"):
            coef_init = self.coef_ if coef_init is None else coef_init
            intercept_init = self.intercept_ if intercept_init is None else intercept_init
        return super().fit(X, y, coef_init, intercept_init, sample_weight)

    def _missing(self):
        return "" if self.penalty is None else "penalty here"

    def _fit_of(self, X, started):
        starts = np.atleast_2d(self.coef_) / self.eta0, self.intercept_ / self.eta0
        given = ("coef_init", "intercept_init") if started else ()
        left = [*range(len(starts[0]))]

        def fit(y, weights):
            now = left[:] if self.class_weight is None else left[:1]
            del left[: len(now)]
            model = fitting.Perceptron(
                **{name: getattr(self, name) for name in SHARED},
                tol=self.tol or None,
                verbose=bool(self.verbose),
                random_state=as_random(self.random_state).randint(2**31 - 1),
            ).fit(X, y, weights, **{name: start[now] for name, start in zip(given, starts, strict=False)})
            names = "coef_", "intercept_", "objective_"
            found = {name: self.eta0 * getattr(model, name) for name in names}
            return found | {"n_iter_": model.n_iter_}

        return fit
