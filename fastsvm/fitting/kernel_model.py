"""The base class of kernel machines: the kernel, the support, prediction."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from .._utils import sparse
from .._utils.blas import one_blas_thread
from ..solvers._input import one_of, positive
from ..solvers._solver import as_array
from ..solvers.kernel._gram import kernel_scores, make_gram
from ..solvers.kernel._values import KERNELS, GivenKernel, Kernel
from ..solvers.kernel.kernel_parameters import check_kernel_parameters, gamma_of
from .labels import as_labels, signs_of
from .one_vs_rest import OneVsRest, all_or_nothing, require_finite_rows

if TYPE_CHECKING:
    from typing import Self

    from ..solvers.annotations import ArrayLike, Matrix

FITTED: WeakKeyDictionary = WeakKeyDictionary()
"""For each model that has predicted: support vectors, kernel parameters, and the kernel made of these."""


class KernelModel(OneVsRest):
    """A kernel machine: the kernel, the support, prediction.

    A subclass has the parameters `kernel`, `gamma`, `degree`, `coef0`, `alpha`, `cache_size`, `n_jobs`,
    `trace` and `verbose` too, makes a solver for checked rows in `_make_run`, and returns its epochs, watched
    by callbacks or not, in `_rounds`.
    """

    support_: np.ndarray
    dual_coef_: np.ndarray
    dual_gap_: float | np.ndarray

    @all_or_nothing
    def fit(self, X: Matrix, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit from scratch, or with `warm_start` from the last fit's solution.

        A fit that fails or is interrupted leaves the estimator as it was.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            For kernel="precomputed", the matrix of all K(x_i, x_j), of shape (n_samples, n_samples). For a
            callable also a sequence of strings, which it gets as an array of them.
        y : array of shape (n_samples,)
            Labels of any kind, two classes or more.
        sample_weight : array of shape (n_samples,), default=None
            Non-negative weights c_i, multiplied by those of `class_weight` and then divided by their mean:
            2 is as a row twice, and 0 as none.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            On bad parameters, NaN or infinite values (with row and column), different lengths, a single
            class, and kernel values that overflow.
        MemoryError
            If one row of the kernel matrix is larger than `cache_size`, or the cache than the memory.
        """
        self._check_params()
        X = self._checked(X)
        return self._fit(X, as_labels(y, X.shape[0]), sample_weight)

    def _fit(self, X, y, sample_weight, steps_of=None):
        """Fit to what was checked; `steps_of` makes the `StepCallbacks` of so many rounds."""
        self._set_classes(np.unique(y))
        self._set_gamma(X)
        with one_blas_thread:
            run = self._make_run(X, y, sample_weight)
            steps = None if steps_of is None else steps_of(run.most_rounds)
            rounds = self._rounds(run, steps is not None and steps.root is not None)
            if steps is not None:
                fitted = lambda: vars(copy(self)._set_support(X, run.coef, run.intercept))  # noqa: E731
                rounds = steps.watch("epoch", run, rounds, fitted)
            for classes in rounds:
                for k in classes if self.verbose else ():
                    print(run.history[k][-1].line(self._positive_labels()[k]))
        self._set_result(X, run.result())
        if steps is not None:
            steps.finish()
        if steps is None or not steps.stopped:
            self._warn_if_short(run, X)
        return self

    def _warn_if_short(self, run, X):
        """Warn if the solver stopped short of its tolerance."""

    def _check_params(self):
        super()._check_params()
        if not callable(self.kernel):
            one_of("kernel", self.kernel, (*KERNELS, "precomputed"))
        check_kernel_parameters(self.gamma, self.degree, self.coef0)
        positive("cache_size", self.cache_size)

    @property
    def _precomputed(self):
        return isinstance(self.kernel, str) and self.kernel == "precomputed"

    def _set_gamma(self, X):
        self.gamma_ = 1.0 if self._precomputed or callable(self.kernel) else gamma_of(self.gamma, X)

    def _gram(self, X):
        """Return the kernel matrix of X, row by row."""
        options = {name: getattr(self, name) for name in ("degree", "coef0", "cache_size")}
        return make_gram(X, self.kernel, gamma=self.gamma_, threads=self._threads(), **options)

    def _signs(self, y):
        return np.array([signs_of(y, label) for label in self._positive_labels()])

    def _set_support(self, X, coef, intercept=0.0):
        """Keep the rows with a coefficient in `coef` of shape (n_classes, n), and the intercepts."""
        self.intercept_ = np.zeros(len(coef)) + intercept
        self.support_ = np.flatnonzero(coef.any(axis=0)).astype(np.int32)
        self.dual_coef_ = np.ascontiguousarray(coef[:, self.support_])
        if not self._precomputed:
            self.support_vectors_ = X[self.support_]
        return self

    def _set_result(self, X, result):
        vars(self).pop("calibration_", None)  # of other scores
        self._set_support(X, result.dual_coef, result.intercept)
        binary = len(result.gap) == 1
        self.objective_ = float(result.objective[0]) if binary else result.objective
        self.dual_gap_ = float(result.gap[0]) if binary else result.gap
        histories = [as_array(history) for history in result.history]
        self.history_ = histories[0] if binary else histories

    def decision_function(self, X: Matrix) -> np.ndarray:
        """Return the scores sum_i dual_coef_i K(x_i, x) + intercept.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            For kernel="precomputed", a matrix of K(x, x_i), of shape (n_samples, n_samples_fitted).

        Returns
        -------
        ndarray of shape (n_samples,) or, for more than two classes, (n_samples, n_classes), float64
            With two classes, scores above 0 mean `classes_[1]`.
        """
        X = self._checked(X, reset=False)
        if X.ndim > 1:  # not texts
            require_finite_rows(X, X.data if sparse.issparse(X) else X)
        scores = self._scores(X) + self.intercept_
        return scores.ravel() if scores.shape[1] == 1 else scores

    def _scores(self, X):
        """Return scores of shape (n_samples, n_classes)."""
        if self._precomputed:
            return X[:, self.support_].astype(float) @ self.dual_coef_.T
        if not len(self.support_):
            return np.zeros((X.shape[0], len(self.dual_coef_)))
        kernel = self._fitted_kernel()
        with one_blas_thread:
            return kernel_scores(
                kernel,
                kernel.trained,
                self.dual_coef_,
                X,
                cache_size=self.cache_size,
                threads=1 if callable(self.kernel) else self._threads(),
            )

    def _fitted_kernel(self):
        """Return the kernel of the support vectors; to make it takes longer than to score a row."""
        X, parameters = self.support_vectors_, (self.kernel, self.gamma_, self.degree, self.coef0)
        if callable(self.kernel):
            return GivenKernel(self.kernel, X)
        known, made_with, kernel = FITTED.get(self, (None, None, None))
        if known is not X or made_with != parameters:
            name, gamma, degree, coef0 = parameters
            kernel = Kernel(name, X, gamma=gamma, degree=degree, coef0=coef0)
            for values in (X.data, X.indices, X.indptr) if sparse.issparse(X) else (X,):
                values.flags.writeable = False  # a change in place would go unnoticed
            FITTED[self] = X, parameters, kernel
        return kernel
