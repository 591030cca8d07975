"""The bases of the linear classifiers: scikit-learn's contract over `fit_linear`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn.utils.validation import check_is_fitted

from ..fitting.fit import fit_linear, warn_if_fit_is_short
from ..fitting.online import fit_batch, online_start, require_batches
from ..fitting.plain_model import all_or_nothing
from ..fitting.prediction import LinearPrediction
from .base import BaseClassifier
from .callbacks import CallbackSupportMixin, TaskCallbacks, with_callbacks

if TYPE_CHECKING:
    from typing import Self

    from ..solvers.annotations import ArrayLike, Callable, Matrix


class LinearClassifier(CallbackSupportMixin, BaseClassifier, LinearPrediction):
    """A linear classifier: `fit_linear` with scikit-learn's checks and callbacks."""

    if TYPE_CHECKING:  # of `Params`
        checked: Callable

    def _fit(self, X: Any, y: Any, sample_weight: Any, **options: Any) -> Self:
        """Fit, called by `fit`, with these options of `fit_linear`."""
        params = self.checked()
        X, y = self._validated(X, y)
        tasks = TaskCallbacks.of(self, X, y, sample_weight, params.max_iter)
        fit = fit_linear(params, X, y, sample_weight, threads=self._threads(), tasks=tasks, **options)
        self._take(fit)
        if tasks is not None:
            tasks.finish()
        warn_if_fit_is_short(fit, params, X, self._warning)
        return self

    def _require_fitted(self) -> None:
        check_is_fitted(self)


class OnlineClassifier(LinearClassifier):
    """A linear classifier that can also learn batch by batch, and from a given start."""

    @all_or_nothing
    @with_callbacks
    def fit(
        self,
        X: Matrix,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        coef_init: ArrayLike | None = None,
        intercept_init: ArrayLike | None = None,
    ) -> Self:
        """Fit from zero, from a given start, or with `warm_start` from the last fit's solution.

        A fit that fails or is interrupted leaves the estimator as it was.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            float32 and float64, CSR or C-ordered, with int32 or int64 indices, are used without a copy;
            anything else is converted. The attributes take the dtype of X.
        y : array of shape (n_samples,)
            Labels of any kind, two classes or more.
        sample_weight : array of shape (n_samples,), default=None
            Non-negative weights c_i, multiplied by those of `class_weight` and then divided by their mean:
            2 is as a row twice, and 0 as none.
        coef_init : array of the shape of `coef_`, default=None
            Weights to start from. Steps are as short as after an epoch, so that the start is not lost.
        intercept_init : array of the shape of `intercept_`, default=None
            Intercepts to start from.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            On bad parameters, NaN or infinite values (with row and column), different lengths, or a
            single class.
        """
        return self._fit(X, y, sample_weight, start_of=online_start(self, coef_init, intercept_init))

    def partial_fit(
        self,
        X: Matrix,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Make one pass over X, continuing from where the last call, or `fit`, stopped.

        After `fit` it starts from `coef_` and `intercept_` (and Pegasos from step `t_`). With averaging,
        the average goes over the steps made in `partial_fit`. There is no objective or gap, which would
        be those of this batch alone.

        Parameters
        ----------
        X, y, sample_weight : as in `fit`
        classes : array of shape (n_classes,), default=None
            All labels that will ever come; needed in the first call. `class_weight="balanced"` needs
            `fit`.

        Returns
        -------
        self
        """
        params = self.checked(max_iter=1)
        require_batches(params)
        X, y = self._validated(X, y, reset=not hasattr(self, "classes_"))
        return self._take(fit_batch(params, self, X, y, classes, sample_weight, self._threads()))
