"""fastsvm in benchopt's benchmark_linear_svm_binary_classif_no_intercept: a file for its folder solvers."""

from benchopt import BaseSolver
from benchopt.stopping_criterion import SufficientProgressCriterion

from fastsvm.fitting import SDCA


class Solver(BaseSolver):
    """SDCA, which stops by itself at a certified gap; its alpha is 1 / (C n)."""

    name = "fastsvm"
    sampling_strategy = "tolerance"
    stopping_criterion = SufficientProgressCriterion(eps=1e-10, patience=10, strategy="tolerance")

    def set_objective(self, X, y, C):  # noqa: D102 (benchopt's)
        self.X, self.y = X, y
        self.model = SDCA(alpha=1 / (C * len(y)), max_iter=10**6, fit_intercept=False, random_state=0)

    def run(self, tol):  # noqa: D102
        self.model.tol = min(tol, 1.0)
        self.model.fit(self.X, self.y)

    def get_result(self):  # noqa: D102
        return {"beta": self.model.coef_[0]}
