"""scikit-learn's Perceptron, by the compiled one."""

import numpy as np
import sklearn.linear_model

from .. import fitting
from ..solvers._input import as_random
from .fallback import fall_back
from .linear_fits import Scores, checked_rows, fit_each_class


class Perceptron(Scores, sklearn.linear_model.Perceptron):
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
        self._validate_params()
        self._more_validate_params()
        if self.penalty is not None:
            fall_back(self, "penalty here")
            return super().fit(X, y, coef_init, intercept_init, sample_weight)
        X, y = checked_rows(self, X, y, [np.float64, np.float32])
        if self.warm_start and hasattr(self, "coef_"):
            coef_init = self.coef_ if coef_init is None else coef_init
            intercept_init = self.intercept_ if intercept_init is None else intercept_init
        given = coef_init is not None or intercept_init is not None
        shape = {"n_classes": len(self.classes_), "n_features": X.shape[1], "input_dtype": X.dtype}
        self._allocate_parameter_mem(**shape, coef_init=coef_init, intercept_init=intercept_init)
        starts = np.atleast_2d(self.coef_) / self.eta0, self.intercept_ / self.eta0
        left = [*range(len(starts[0]))]

        def fit(y, weights):
            now = left[:] if self.class_weight is None else left[:1]
            del left[: len(now)]
            names = ("coef_init", "intercept_init") if given else ()
            model = fitting.Perceptron(
                max_iter=self.max_iter,
                n_iter_no_change=self.n_iter_no_change,
                tol=self.tol or None,
                early_stopping=self.early_stopping,
                validation_fraction=self.validation_fraction,
                shuffle=self.shuffle,
                fit_intercept=self.fit_intercept,
                n_jobs=self.n_jobs,
                verbose=bool(self.verbose),
                random_state=as_random(self.random_state).randint(2**31 - 1),
            ).fit(X, y, weights, **{name: start[now] for name, start in zip(names, starts, strict=False)})
            self.coef_, self.intercept_ = self.eta0 * model.coef_, self.eta0 * model.intercept_
            self.objective_ = self.eta0 * model.objective_
            return model.n_iter_

        fit_each_class(self, X, y, sample_weight, fit)
        self.t_ = 1.0 + self.n_iter_ * len(y)
        return self

    def partial_fit(self, X, y, classes=None, sample_weight=None):  # noqa: D102 (inherited)
        fall_back(self, "partial_fit")
        return super().partial_fit(X, y, classes, sample_weight)
