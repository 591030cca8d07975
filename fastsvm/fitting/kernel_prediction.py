"""Scores of a fitted kernel machine, for plain models and estimators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._utils import sparse
from .._utils.threads import one_blas_thread
from ..solvers.kernel._gram import kernel_scores
from ..solvers.kernel._values import GivenKernel, Kernel
from .prediction import Prediction, require_finite_rows

if TYPE_CHECKING:
    from ..solvers.annotations import ArrayOrSparse


class KernelPrediction(Prediction):
    """The fitted attributes of a kernel machine, and the scores that follow from them.

    A subclass has the fields of `KernelSDCAParams` or `KernelPegasosParams`, and a method `_checked`, which
    returns X checked.
    """

    kernel: Any
    gamma: Any
    degree: int
    coef0: float
    cache_size: float

    support_: np.ndarray
    support_vectors_: Any
    gamma_: float

    @property
    def _precomputed(self) -> bool:
        return isinstance(self.kernel, str) and self.kernel == "precomputed"

    def __getstate__(self) -> dict[str, Any]:
        state: Any = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_scoring"}

    def decision_function(self, X: ArrayOrSparse) -> np.ndarray:
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
        X = self._checked(X, reset=False)  # type: ignore[attr-defined]
        if X.ndim > 1:  # not texts
            require_finite_rows(X, X.data if sparse.issparse(X) else X)
        scores: np.ndarray = self._scores(X) + self.intercept_
        return scores.ravel() if scores.shape[1] == 1 else scores

    def _scores(self, X: Any) -> Any:
        """Return scores of shape (n_samples, n_classes)."""
        if self._precomputed:
            return X[:, self.support_].astype(float) @ self.dual_coef_.T
        if not len(self.support_):
            return np.zeros((X.shape[0], len(self.dual_coef_)))
        kernel = self._fitted_kernel()
        threads = 1 if callable(self.kernel) else self._threads()  # type: ignore[attr-defined]
        with one_blas_thread:
            return kernel_scores(
                kernel, kernel.trained, self.dual_coef_, X, cache_size=self.cache_size, threads=threads
            )

    def _fitted_kernel(self) -> Any:
        """Return the kernel of the support vectors, which takes longer to make than to use for a row."""
        X, parameters = self.support_vectors_, (self.kernel, self.gamma_, self.degree, self.coef0)
        if callable(self.kernel):
            return GivenKernel(self.kernel, X)
        last = vars(self).setdefault("_scoring", {})  # X, parameters and kernel of the last prediction
        if last.get("X") is not X or last["parameters"] != parameters:
            name, gamma, degree, coef0 = parameters
            last["kernel"] = Kernel(name, X, gamma=gamma, degree=degree, coef0=coef0)
            for values in (X.data, X.indices, X.indptr) if sparse.issparse(X) else (X,):
                values.flags.writeable = False  # a change in place would go unnoticed
            last["X"], last["parameters"] = X, parameters
        return last["kernel"]
