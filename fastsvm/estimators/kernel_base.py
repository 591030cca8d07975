"""The base of kernel classifiers: plain kernel machines with scikit-learn's checks and callbacks."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from sklearn.utils.validation import check_is_fitted

from ..fitting.kernel_model import KernelModel
from ..fitting.one_vs_rest import all_or_nothing
from .base import BaseClassifier, ConvergenceWarning, validated
from .callbacks import CallbackSupportMixin, StepCallbacks, with_callbacks

if TYPE_CHECKING:
    from typing import Self

    from ..solvers.annotations import ArrayLike, Matrix

__all__ = ["KernelClassifier"]


class KernelClassifier(CallbackSupportMixin, BaseClassifier, KernelModel):
    """A kernel classifier: a plain kernel machine with scikit-learn's checks and callbacks."""

    _warning = ConvergenceWarning, 7

    @all_or_nothing
    @with_callbacks
    def fit(  # noqa: D102 (inherited)
        self, X: Matrix, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Self:
        self._check_params()
        X, y = self._validated(X, y)
        return self._fit(X, y, sample_weight, partial(StepCallbacks, self, X, y, sample_weight))

    fit.__doc__ = KernelModel.fit.__doc__

    def _checked(self, X, reset=False):
        check_is_fitted(self, "dual_coef_")
        given = self._precomputed
        options = {"accept_sparse": False if given else "csr", "ensure_all_finite": given}
        return validated(self, X, columns=True, reset=reset, **options)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._precomputed
        tags.input_tags.sparse = not self._precomputed
        return tags
