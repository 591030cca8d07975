"""The base of kernel classifiers: scikit-learn's contract over `fit_kernel`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from ..fitting.fit import all_or_nothing
from ..fitting.kernel import fit_kernel, kernel_warm_start, warn_if_kernel_fit_is_short
from ..fitting.kernel_prediction import KernelPrediction
from ..fitting.labels import as_labels
from .base import BaseClassifier, is_ready, validated
from .callbacks import CallbackSupportMixin, StepCallbacks, with_callbacks

if TYPE_CHECKING:
    from typing import Self

    from ..solvers.annotations import ArrayLike, ArrayOrSparse


class KernelClassifier(CallbackSupportMixin, KernelPrediction, BaseClassifier):
    """A kernel classifier: `fit_kernel` with scikit-learn's checks and callbacks."""

    @all_or_nothing
    @with_callbacks
    def fit(self, X: ArrayOrSparse, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit from scratch, or with `warm_start` from the last fit's solution.

        A fit that fails or is interrupted leaves the estimator as it was.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            The rows. For kernel="precomputed", the matrix of the kernel values K(x_i, x_j) of all rows x_i
            and x_j, of shape (n_samples, n_samples). For a callable, also a sequence of strings, which the
            callable gets as an array.
        y : array of shape (n_samples,)
            Labels of any kind, two classes or more.
        sample_weight : array of shape (n_samples,), default=None
            Non-negative weights c_i, multiplied by `class_weight` and then divided by their mean: a row of
            weight 2 counts twice, a row of weight 0 not at all.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            On invalid parameters, NaN or infinite values (the message names row and column), different
            lengths, a single class, and kernel values that overflow.
        MemoryError
            If one row of the kernel matrix is larger than `cache_size`, or the cache than the free memory.
        """
        params, start_of = self._params.of(self), kernel_warm_start(self)
        X, y = self._validated(X, y)
        steps = StepCallbacks.of(self, X, y, sample_weight)
        fit = fit_kernel(params, X, y, sample_weight, threads=self._threads(), start_of=start_of, steps=steps)
        fit.set_attributes(self)
        if steps is not None:
            steps.finish()
        warn_if_kernel_fit_is_short(fit, params, X, self._warning)
        return self

    def _texts(self, X):
        """Return X as an array of strings, if X is a sequence of strings and the kernel is a callable."""
        if not callable(self.kernel) or sparse.issparse(X) or not all(isinstance(x, str) for x in X):
            return None
        return np.array([*X, None], object)[:-1]  # of str alone, NumPy would make an array of no objects

    def _validated(self, X, y, reset=True):
        texts = self._texts(X)
        if texts is None:
            return super()._validated(X, y, reset)
        return texts, as_labels(y, len(texts))

    def _checked(self, X, reset=False):
        if not reset and not self._precomputed and is_ready(X, self):
            return X
        check_is_fitted(self, "dual_coef_")
        if (texts := self._texts(X)) is not None:
            return texts
        return validated(self, X, columns=True, reset=reset, ensure_all_finite=self._precomputed)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._precomputed
        return tags
