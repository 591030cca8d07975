"""scikit-learn's LinearSVC, fitted by SDCA."""

import numpy as np
import sklearn.svm

from .fallback import fall_back
from .linear_fits import Scores, alpha_of, checked_rows, fit_each_class, fit_sdca, relative_gap


class LinearSVC(Scores, sklearn.svm.LinearSVC):
    """scikit-learn's LinearSVC, faster, and with a proof of how close its objective is to the minimum.

    Minimises, for each class against the rest, LIBLINEAR's objective, whose intercept is regularised::

        1/2 (||w||^2 + (b0 / intercept_scaling)^2) + C sum_i c_i phi(y_i (w.x_i + b0))

    or, with penalty="l1", which needs the squared hinge::

        ||w||_1 + |b0 / intercept_scaling| + C sum_i c_i phi(y_i (w.x_i + b0))

    Here x_i is row i of X, y_i its label (1 or -1), c_i its weight and phi the `loss`.

    The parameters and attributes are scikit-learn's. Two attributes are added, both divided by C sum_i c_i:
    `objective_`, and an upper bound on its distance from the minimum, `dual_gap_`. `dual` does not change the
    solution. scikit-learn's own code handles multi_class="crammer_singer".

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from fastsvm.drop_in import LinearSVC
    >>> model = LinearSVC(C=0.01).fit(*load_digits(return_X_y=True))
    >>> bool((model.dual_gap_ <= 1e-8 * model.objective_).all())
    True
    """

    def fit(self, X, y, sample_weight=None):  # noqa: D102 (inherited)
        self._validate_params()
        if self.multi_class == "crammer_singer":
            fall_back(self, "Crammer and Singer's loss")
            return super().fit(X, y, sample_weight)
        is_l1, is_hinge = self.penalty == "l1", self.loss == "hinge"
        is_refused = (is_l1 and (is_hinge or self.dual is True)) or (is_hinge and self.dual is False)
        if is_refused or self.intercept_scaling <= 0:
            return super().fit(X, y, sample_weight)
        X, y = checked_rows(self, X, y, [np.float64])

        def fit(y, weights, _):
            return fit_sdca(
                *(self, X, y, weights),
                loss=self.loss,
                alpha=alpha_of(self.C, X, weights),
                tol=relative_gap(self.tol),
                constant=self.intercept_scaling,
                l1_share=float(is_l1),
            )

        fit_each_class(self, X, y, sample_weight, fit)
        if not self.fit_intercept:
            self.intercept_ = 0.0
        return self
