"""scikit-learn's contract: its checks of input, tags, and messages about missing methods."""

from __future__ import annotations

from inspect import getattr_static
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np
import sklearn.exceptions
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from .._utils.sparse import issparse
from .._utils.threads import number_of_threads
from ..fitting import convergence_advice
from ..fitting.fit import fit_linear, warn_if_linear_fit_is_short
from ..fitting.labels import is_indicator, known_labels
from ..fitting.prediction import LinearPrediction, Prediction, require_predict_proba
from ..solvers import as_rows
from ..solvers._input import as_csr, with_floats
from .callbacks import CallbackSupportMixin, TaskCallbacks

if TYPE_CHECKING:
    from typing import Any, Self


class ConvergenceWarning(convergence_advice.ConvergenceWarning, sklearn.exceptions.ConvergenceWarning):
    """A fit stopped short of its tolerance; both scikit-learn's and this package's warning."""


ACCEPTED = {
    "accept_sparse": "csr",
    "dtype": [np.float64, np.float32],
    "order": "C",
    "ensure_all_finite": False,
}


def threads_of(n_jobs):
    """Return the number of threads for `n_jobs`, in joblib's context."""
    number_of_threads(n_jobs)  # refuses what is no number; joblib compares it with 0
    return number_of_threads(effective_n_jobs(n_jobs))


def validated(estimator, X, y="no_validation", *, columns=False, **options):
    """Return X, and y if it is given, checked by scikit-learn for an estimator.

    Sparse matrices become CSR with checked arrays; `as_rows` checks values and columns later.

    Parameters
    ----------
    estimator, X, y, **options : as in scikit-learn's `validate_data`
        By default, float32 and float64 are kept.
    columns : bool, default=False
        Check the columns of sparse matrices here.
    """
    y = known_labels(y)
    try:
        return validate_data(estimator, with_floats(as_csr(X, columns)), y, **{**ACCEPTED, **options})
    except ValueError as error:
        if "could not convert string to float" not in str(error) or np.ndim(X) > 1:
            raise
        name = type(estimator).__name__
        raise ValueError(
            f"{name} takes numbers, but X holds texts: count their words first, as "
            f"make_pipeline(BagOfWords(), {name}()) does."
        ) from error


def is_plain_table(X):
    """Whether X is an array of rows of float32 or float64, in C order and not of a subclass."""
    return (
        type(X) is np.ndarray
        and X.dtype.char in "df"
        and X.dtype.isnative
        and X.ndim == 2
        and X.flags.c_contiguous
        and X.size > 0
    )


def is_plain_labels(y, n_rows):
    """Whether y is an array of `n_rows` whole numbers, possibly floats: all may be classes."""
    if type(y) is not np.ndarray or y.shape != (n_rows,):
        return False
    return y.dtype.kind in "biu" or (y.dtype.kind == "f" and is_finite(y) and bool((y == np.rint(y)).all()))


def set_columns(estimator, X):
    """Set the attributes that scikit-learn's checks set for rows without names of columns."""
    estimator.n_features_in_ = X.shape[1]
    vars(estimator).pop("feature_names_in_", None)


def is_finite(X):
    """Whether all values are finite, and so is their sum."""
    with np.errstate(over="ignore", invalid="ignore"):
        return isfinite(X.sum())


def is_ready(X, model):
    """Whether `validated` would return X itself for a fitted model; its values are checked later.

    This test is quick; scikit-learn's checks take longer than the scores of some rows.
    """
    return (
        is_plain_table(X)
        and vars(model).get("n_features_in_") == X.shape[1]
        and "feature_names_in_" not in vars(model)  # about which scikit-learn warns
    )


def validated_counts(estimator, X, y="no_validation", **options):
    """Return X, and y if it is given, as `validated` does, but with numbers of any type, all finite."""
    options = {"accept_sparse": "csr", "ensure_all_finite": False, **options}
    found = validate_data(estimator, as_csr(X), known_labels(y), **options)
    counts = found if isinstance(y, str) else found[0]
    if counts.dtype.kind == "f":
        as_rows(counts)
    return found


class BaseClassifier(ClassifierMixin, BaseEstimator, Prediction):
    """A classifier with scikit-learn's checks, tags and random states."""

    _warning = ConvergenceWarning
    _takes_several = False  # labels per row

    def __getattr__(self, name):
        """Say why there is no such method."""
        own = type(self).__name__
        if name.startswith("_") or name.endswith("_"):  # scikit-learn asks for many in each call
            raise AttributeError(f"{own!r} object has no attribute {name!r}", name=name, obj=self)
        method = getattr_static(type(self), name, None)
        if hasattr(method, "check"):  # of available_if, which hides the reason
            method.check(self)
        if name == "partial_fit":
            raise AttributeError(f"{own} learns from all rows at once; PegasosClassifier has partial_fit.")
        raise AttributeError(f"{own!r} object has no attribute {name!r}", name=name, obj=self)

    def _validated(self, X, y, reset=True):
        X = as_csr(X, columns=False)
        plain = is_plain_table(X) or (issparse(X) and X.dtype.char in "df" and 0 not in X.shape)
        if reset and plain and is_plain_labels(y, X.shape[0]):
            set_columns(self, X)
            return X, y
        several = is_indicator(y)
        if several and not self._takes_several:
            name = type(self).__name__
            raise ValueError(
                f"{name} takes one label per row; for several labels use OneVsRestClassifier({name}())."
            )
        X, y = validated(self, X, y, reset=reset, multi_output=several)
        if y.dtype.kind not in "biu" and not several:  # whole numbers are classes
            check_classification_targets(y)
        return X, y

    def _checked(self, X, reset=False):
        if not reset and is_ready(X, self):
            return X
        check_is_fitted(self)
        return validated(self, X, reset=reset, columns=True)

    def _threads(self):
        return threads_of(self.n_jobs)

    def score(self, X, y, sample_weight=None):
        """Return the accuracy on X and y.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
        y : array-like of shape (n,), or indicator matrix of shape (n, n_labels)
            The true labels. A row with several labels counts as right if all of them are predicted.
        sample_weight : array-like of shape (n,), default=None
            How much each row counts.

        Returns
        -------
        float
        """
        return super().score(X, known_labels(y), sample_weight)

    @available_if(require_predict_proba)
    def predict_proba(self, X):
        """Return the probabilities of the classes.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Columns in the order of `classes_`; rows add up to 1, but not with several labels per row.
        """
        return super().predict_proba(X)

    @available_if(require_predict_proba)
    def predict_log_proba(self, X):
        """Return the logarithms of what `predict_proba` returns.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class LinearClassifier(CallbackSupportMixin, BaseClassifier, LinearPrediction):
    """A linear classifier: `fit_linear` with scikit-learn's checks and callbacks."""

    _takes_several = True

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        together = getattr(self, "multi_class", "ovr") == "multinomial"
        tags.classifier_tags.multi_label = self._takes_several and not together
        return tags

    def _fit(self, X: Any, y: Any, sample_weight: Any, **options: Any) -> Self:
        """Fit, called by `fit`, with these options of `fit_linear`."""
        params = self._params.of(self)
        X, y = self._validated(X, y)
        tasks = TaskCallbacks.of(self, X, y, sample_weight, params.max_iter)
        fit = fit_linear(
            params, X, y, sample_weight, threads=threads_of(params.n_jobs), tasks=tasks, **options
        )
        fit.set_attributes(self)
        if tasks is not None:
            tasks.finish()
        warn_if_linear_fit_is_short(fit, params, X, self._warning)
        return self

    def _require_fitted(self) -> None:
        check_is_fitted(self)
