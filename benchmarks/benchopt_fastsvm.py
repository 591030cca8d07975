"""fastsvm as a solver of benchopt's benchmark "SVM Binary Classification (no intercept)".

    git clone https://github.com/benchopt/benchmark_linear_svm_binary_classif_no_intercept
    cp benchmarks/benchopt_fastsvm.py benchmark_linear_svm_binary_classif_no_intercept/solvers/fastsvm.py
    benchopt run benchmark_linear_svm_binary_classif_no_intercept -s fastsvm

The benchmark minimises C sum_i max(0, 1 - y_i w.x_i) + 1/2 ||w||^2. For benchopt 1.10.
"""

from benchopt import BaseSolver
from benchopt.stopping_criterion import SufficientProgressCriterion

from fastsvm.solvers import sdca


class Solver(BaseSolver):
    """SDCA, asked for smaller and smaller certified gaps."""

    name = "fastsvm"
    install_cmd = "conda"
    requirements = ["pip::fastsvm"]  # noqa: RUF012
    references = ["Shalev-Shwartz & Zhang, JMLR 14 (2013)"]  # noqa: RUF012
    sampling_strategy = "tolerance"
    stopping_criterion = SufficientProgressCriterion(eps=1e-12, patience=3, strategy="tolerance")

    def set_objective(self, X, y, C):
        """Take the problem; alpha = 1/(C n) divides the benchmark's objective by C n."""
        self.X, self.y, self.alpha = X, y, 1 / (C * len(y))

    def get_next(self, tolerance):
        """Ask for a third of the gap."""
        return max(min(1.0, tolerance / 3), 1e-12)

    def run(self, tolerance):
        """Solve to a relative gap of `tolerance`."""
        options = {"fit_intercept": False, "tol": tolerance, "max_iter": 100_000, "random_state": 0}
        self.w = sdca(self.X, self.y, loss="hinge", alpha=self.alpha, **options).w

    def get_result(self):
        """Return the coefficients, as `beta`."""
        return {"beta": self.w}
