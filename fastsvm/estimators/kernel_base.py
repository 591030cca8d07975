"""The base of kernel classifiers: plain kernel machines with scikit-learn's checks and callbacks."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from ..fitting.kernel_model import KernelModel
from ..fitting.labels import as_labels
from ..fitting.one_vs_rest import all_or_nothing
from .base import BaseClassifier, is_ready, validated
from .callbacks import CallbackSupportMixin, StepCallbacks, with_callbacks

if TYPE_CHECKING:
    from typing import Self

    from ..solvers.annotations import ArrayLike, Matrix


class KernelClassifier(CallbackSupportMixin, BaseClassifier, KernelModel):
    """A kernel classifier: a plain kernel machine with scikit-learn's checks and callbacks."""

    @all_or_nothing
    @with_callbacks
    def fit(  # noqa: D102 (inherited)
        self, X: Matrix, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Self:
        self._check_params()
        X, y = self._validated(X, y)
        return self._fit(X, y, sample_weight, partial(StepCallbacks, self, X, y, sample_weight))

    fit.__doc__ = KernelModel.fit.__doc__

    def _texts(self, X):
        """Return X as an array of strings, if it is a sequence of them and the kernel takes any rows."""
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
