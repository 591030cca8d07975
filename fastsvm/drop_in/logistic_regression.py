"""scikit-learn's LogisticRegression, fitted by SDCA or Newton's method."""

import numpy as np
import sklearn.linear_model

from .fallback import fall_back
from .linear_fits import Scores, alpha_of, checked_rows, fit_sdca, relative_gap, row_weights


class LogisticRegression(Scores, sklearn.linear_model.LogisticRegression):
    """scikit-learn's LogisticRegression, with a certificate.

    Minimises 1/2 ||w||^2 + C sum_i c_i phi_i, where phi_i is log(1 + exp(-y_i (w.x_i + b0))) of two classes,
    and the softmax's log loss of more. The intercept is regularised with solver="liblinear" only.

    The parameters and attributes are scikit-learn's, and `objective_` and `dual_gap_`, divided by
    C sum_i c_i, say how good the solution is. All solvers have the same one. scikit-learn does what fastsvm
    has not: an l1 or elastic-net penalty, no penalty, callbacks, and `warm_start` after the first fit.

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

    def fit(self, X, y, sample_weight=None):  # noqa: D102 (inherited)
        self._validate_params()
        if missing := self._missing():
            fall_back(self, missing)
            return super().fit(X, y, sample_weight)
        liblinear = self.solver == "liblinear"
        if (self.dual and not liblinear) or (liblinear and self.intercept_scaling <= 0):
            return super().fit(X, y, sample_weight)  # which is an error
        X, y = checked_rows(self, X, y, [np.float64] if liblinear else [np.float64, np.float32])
        if liblinear and len(self.classes_) > 2:
            return super().fit(X, y, sample_weight)  # likewise
        weights = row_weights(self, X, y, sample_weight)
        found = fit_sdca(
            *(self, X, y, weights),
            loss="log",
            multi_class="ovr" if getattr(self, "multi_class", "") == "ovr" else "multinomial",
            alpha=alpha_of(self.C, X, weights),
            tol=relative_gap(self.tol),
            constant=self.intercept_scaling if liblinear else None,
        )
        vars(self).update(found | {"n_iter_": np.array([found["n_iter_"]], np.int32)})
        return self

    def _missing(self):
        """Return what these parameters need that fastsvm has not; "" if nothing."""
        if self.penalty not in ("l2", "deprecated") or self.l1_ratio:
            return "other penalty than l2"
        if np.isinf(self.C):
            return "fit without a penalty"
        if not self.max_iter:
            return "fit of no iterations"
        if self.warm_start and hasattr(self, "coef_"):
            return "start from other weights"
        return "callbacks here" if getattr(self, "_skl_callbacks", None) else ""
