"""How the linear classes have SDCA fit them, and take over what it found."""

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from .._utils.threads import number_of_threads
from ..estimators import base
from ..estimators.certify import scikit_learn_class_weights, with_column
from ..fitting.fit import fit_linear, warn_if_linear_fit_is_short
from ..fitting.labels import known_labels, require_class_weight
from ..fitting.prediction import decision_scores
from ..solvers._input import as_random
from ..solvers.params import SDCAParams
from .fallback import fall_back

FITTED = ["coef_", "intercept_", "objective_", "dual_gap_", "n_iter_"]
LEAST_GAP = 1e-15  # below which rounding decides


class Scores:
    """For a linear classifier of scikit-learn, the next base class: scores that are finite."""

    def decision_function(self, X):
        """Return the signed distances from the hyperplanes, as scikit-learn does."""
        if not (base.is_ready(X, self) and base.is_finite(X)):
            check_is_fitted(self)
            X = validate_data(self, X, accept_sparse="csr", reset=False)
        coef = self.coef_ if self.coef_.ndim == 2 else self.coef_[None]  # as LogisticRegressionCV has it
        return decision_scores(X, coef, self.intercept_)


class StartedFits(Scores):
    """For SGDClassifier and Perceptron of scikit-learn, the next base class: fits that take a start.

    A subclass has `_missing()`, which returns what its parameters need that fastsvm has not, or "", and
    `_fit_of(X, started)`, which returns a `fit` for `fit_each_class`.
    """

    def fit(self, X, y, coef_init=None, intercept_init=None, sample_weight=None):  # noqa: D102 (inherited)
        self._validate_params()
        self._more_validate_params()
        if missing := self._missing():
            fall_back(self, missing)
            return super().fit(X, y, coef_init, intercept_init, sample_weight)
        X, y = checked_rows(self, X, y, [np.float64, np.float32])
        self._allocate_parameter_mem(  # checks the start
            len(self.classes_), X.shape[1], X.dtype, coef_init=coef_init, intercept_init=intercept_init
        )
        started = coef_init is not None or intercept_init is not None
        fit_each_class(self, X, y, sample_weight, self._fit_of(X, started))
        self.t_ = 1.0 + self.n_iter_ * len(y)
        return self

    def partial_fit(self, X, y, classes=None, sample_weight=None):  # noqa: D102 (inherited)
        fall_back(self, "partial_fit")
        return super().partial_fit(X, y, classes, sample_weight)


def relative_gap(tol):
    """Return the relative duality gap that stands for scikit-learn's tol: its square.

    tol bounds slopes, and the distance from the optimum is like their square. On four data sets, with three
    losses and C of 0.1, 1 and 10, LinearSVC and LogisticRegression end within 1e-11 to 1e-2 of the optimum at
    their tol of 1e-4, whose square takes 1 to 1.8 times as long as a gap of 1e-6.
    """
    return max(tol**2, LEAST_GAP)


def checked_rows(estimator, X, y, dtypes):
    """Return X, as CSR or C-ordered, and y, checked as scikit-learn does; set `classes_`.

    Raises
    ------
    ValueError
        On bad input, and of a single class.
    """
    require_class_weight(estimator.class_weight)
    if base.is_plain_table(X) and X.dtype in dtypes and base.is_plain_labels(y, len(X)) and base.is_finite(X):
        base.set_columns(estimator, X)  # scikit-learn's checks take as long as a small fit
    else:
        X, y = validate_data(estimator, X, known_labels(y), accept_sparse="csr", dtype=dtypes, order="C")
        check_classification_targets(y)
    estimator.classes_ = np.unique(y)
    if len(estimator.classes_) < 2:
        raise ValueError(
            "This solver needs samples of at least 2 classes in the data, but the data contains only one "
            f"class: {estimator.classes_[0]!r}"
        )
    return X, y


def row_weights(estimator, X, y, sample_weight):
    """Return the weights of rows times those of their classes; None if all are 1."""
    if sample_weight is not None:
        sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    if estimator.class_weight is None:
        return sample_weight
    by_class = scikit_learn_class_weights(estimator, estimator.classes_, y, sample_weight)
    weights = by_class[np.searchsorted(estimator.classes_, y)]
    return weights if sample_weight is None else weights * sample_weight


def fit_each_class(estimator, X, y, sample_weight, fit):
    """Fit each class against the rest, with class weights as LIBLINEAR and SGDClassifier have them.

    Of two classes each has its weight; of more, the class has its weight and the rest weighs 1.

    Parameters
    ----------
    estimator, X, y, sample_weight : as of `row_weights`
    fit : callable
        Of labels and weights of rows, the fitted attributes by name.
    """
    if estimator.class_weight is None or len(estimator.classes_) == 2:
        vars(estimator).update(fit(y, row_weights(estimator, X, y, sample_weight)))
        return
    sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    by_class = scikit_learn_class_weights(estimator, estimator.classes_, y, sample_weight)
    found = [
        fit(y == label, np.where(y == label, weight, 1) * sample_weight)
        for label, weight in zip(estimator.classes_, by_class, strict=True)
    ]
    for name in found[0]:
        join = np.vstack if name == "coef_" else np.hstack
        setattr(estimator, name, join([each[name] for each in found]))
    estimator.n_iter_ = int(estimator.n_iter_.max())


def alpha_of(C, X, weights):
    """Return fastsvm's alpha for scikit-learn's C."""
    return 1 / (C * (X.shape[0] if weights is None else weights.sum()))


def l1_share_of(penalty, l1_ratio):
    """Return the l1 norm's share in a penalty; since scikit-learn 1.8 `l1_ratio` alone may say it."""
    return {"l1": 1.0, "l2": 0.0, None: 0.0}.get(penalty, l1_ratio or 0.0)


def penalty_of(l1_share):
    """Return fastsvm's parameters of the penalty that has this share of the l1 norm."""
    return {"penalty": "elasticnet", "l1_ratio": l1_share} if l1_share else {}


def fit_sdca(estimator, X, y, weights, *, constant=None, **parameters):
    """Fit SDCA to checked rows.

    Parameters
    ----------
    estimator : object with `fit_intercept`, `max_iter`, `random_state` and `verbose`
    X, y, weights : as `checked_rows` and `row_weights` return them
    constant : float > 0, default=None
        The value of a column whose weight, times it, is the intercept: so it is regularised, as LIBLINEAR's.
    **parameters : of `SDCAParams`

    Returns
    -------
    dict
        The fitted attributes by name.
    """
    has_column = estimator.fit_intercept and constant is not None
    if has_column:
        X = with_column(X, constant)
    params = SDCAParams(
        fit_intercept=estimator.fit_intercept and not has_column,
        max_iter=estimator.max_iter,
        random_state=as_random(estimator.random_state).randint(2**31 - 1),
        verbose=bool(estimator.verbose),
        **parameters,
    ).checked()
    fit = fit_linear(params, X, y, weights, threads=number_of_threads(params.n_jobs))
    warn_if_linear_fit_is_short(fit, params, X, base.ConvergenceWarning)
    found = fit.attributes()
    if has_column:
        found["intercept_"] = constant * np.ascontiguousarray(fit.coef[:, -1])
        found["coef_"] = np.ascontiguousarray(fit.coef[:, :-1])
    return {name: found[name] for name in FITTED}
