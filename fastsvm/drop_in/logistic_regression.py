"""scikit-learn's LogisticRegression, fitted by SDCA or Newton's method."""

import numpy as np
import sklearn.linear_model

from ..estimators.callbacks import TaskCallbacks, with_callbacks
from .fallback import fall_back
from .linear_fits import Scores, alpha_of, checked_rows, fit_sdca, l1_share_of, relative_gap, row_weights


def is_refused(estimator, l1_ratios):
    """Tell whether scikit-learn's `fit` refuses the parameters, with its own message."""
    solver, is_net = estimator.solver, estimator.penalty == "elasticnet"
    shares = {l1_share_of(estimator.penalty, ratio) for ratio in l1_ratios}
    if not shares or (is_net and None in l1_ratios):
        return True
    is_net |= len(shares) > 1 or not shares <= {0, 1}
    if solver == "liblinear":
        return is_net or estimator.intercept_scaling <= 0
    return estimator.dual or (solver != "saga" and (is_net or shares != {0}))


def checked_for(estimator, X, y, l1_ratios, dtypes):
    """Return X and y as `checked_rows` does, or None if scikit-learn is to do the work, or to refuse it."""
    if is_refused(estimator, l1_ratios):
        return None
    if missing := estimator._missing():
        return fall_back(estimator, missing)
    X, y = checked_rows(estimator, X, y, dtypes[:1] if estimator.solver == "liblinear" else dtypes)
    if len(estimator.classes_) > 2:
        if any(l1_share_of(estimator.penalty, ratio) for ratio in l1_ratios):
            return fall_back(estimator, "an l1 penalty with more than two classes")
        if estimator.solver == "liblinear":
            return None
    return X, y


class LogisticRegression(Scores, sklearn.linear_model.LogisticRegression):
    """scikit-learn's LogisticRegression, with a proof of how close its objective is to the minimum.

    Minimises 1/2 ||w||^2 + C sum_i c_i phi_i, over rows x_i with labels y_i (1 or -1) and weights c_i.
    phi_i is log(1 + exp(-y_i (w.x_i + b0))) for two classes, and the multinomial log loss for more. With
    l1_ratio above 0, the penalty is l1_ratio ||w||_1 + (1 - l1_ratio)/2 ||w||^2. The intercept is regularised
    with solver="liblinear" only; the other solvers all give the same solution.

    The parameters and attributes are scikit-learn's. Two attributes are added, both divided by C sum_i c_i:
    `objective_`, and an upper bound on its distance from the minimum, `dual_gap_`. scikit-learn's own code
    handles an l1 penalty with more than two classes, no penalty, and `warm_start` after the first fit.
    Callbacks see each epoch as a task with scikit-learn's name "lbfgs-iter".

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from fastsvm.drop_in import LogisticRegression
    >>> X, y = load_digits(return_X_y=True)
    >>> model = LogisticRegression(C=0.01).fit(X, y)
    >>> bool(model.dual_gap_ <= 1e-8 * model.objective_)
    True
    >>> model.predict_proba(X[:1]).round(2).argmax()
    np.int64(0)
    """

    @with_callbacks
    def fit(self, X, y, sample_weight=None):  # noqa: D102 (inherited)
        self._validate_params()
        if (checked := checked_for(self, X, y, [self.l1_ratio], [np.float64, np.float32])) is None:
            return super().fit(X, y, sample_weight)
        weights = row_weights(self, *checked, sample_weight)
        tasks = TaskCallbacks.of(self, *checked, sample_weight, self.max_iter, "lbfgs-iter")
        found = self._found(*checked, weights, self.C, tasks=tasks)
        vars(self).update(found | {"n_iter_": np.array([found["n_iter_"]], np.int32)})
        if tasks is not None:
            tasks.finish()
        return self

    def _found(self, X, y, weights, C, tasks=None):
        """Return what `fit_sdca` does, for one C or several."""
        return fit_sdca(
            *(self, X, y, weights),
            loss="log",
            alpha=alpha_of(C, X, weights),
            tol=relative_gap(self.tol),
            constant=self.intercept_scaling if self.solver == "liblinear" else None,
            l1_share=l1_share_of(self.penalty, self.l1_ratio),
            tasks=tasks,
            **({"multi_class": "multinomial"} if len(self.classes_) > 2 else {}),
        )

    def _missing(self):
        """Return what fastsvm does not support of these parameters; "" if nothing."""
        if self.penalty is None or np.isinf(self.C):
            return "a fit without a penalty"
        if not self.max_iter:
            return "max_iter=0"
        if self.warm_start and hasattr(self, "coef_") and self.solver != "liblinear":  # which takes no start
            return "warm_start after the first fit"
        other = self.solver != "lbfgs" and getattr(self, "_skl_callbacks", None)
        return "callbacks with solvers other than 'lbfgs'" if other else ""
