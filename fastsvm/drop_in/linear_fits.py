"""How the linear classes call SDCA, and set their attributes to its result."""

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from .._utils.threads import number_of_threads
from ..estimators import base
from ..estimators.certify import scikit_learn_class_weights, with_column
from ..fitting.fit import fit_linear, forget_fit, warn_if_linear_fit_is_short
from ..fitting.labels import known_labels, require_class_weight
from ..fitting.online import fit_batch
from ..fitting.path import sdca_path
from ..fitting.prediction import decision_scores
from ..solvers import as_rows
from ..solvers._input import as_random
from ..solvers.params import SDCAParams
from .fallback import fall_back

FITTED = ["coef_", "intercept_", "objective_", "dual_gap_", "n_iter_"]
LEAST_GAP = 1e-15  # below it, rounding decides


class Scores:
    """A base class placed before scikit-learn's linear classifier: scores that are finite."""

    def decision_function(self, X):
        """Return the signed distances from the hyperplanes, as scikit-learn does."""
        if not (base.is_ready(X, self) and base.is_finite(X)):
            check_is_fitted(self)
            X = validate_data(self, X, accept_sparse="csr", reset=False)
        # In folds of scikit-learn's LogisticRegressionCV, coef_ has one dimension.
        return decision_scores(X, self.coef_ if self.coef_.ndim == 2 else self.coef_[None], self.intercept_)

    def score(self, X, y, sample_weight=None, **params):  # noqa: D102 (inherited)
        return super().score(X, known_labels(y), sample_weight=sample_weight, **params)


class StartedFits(Scores):
    """A base class placed before scikit-learn's SGDClassifier or Perceptron: fits that take a start.

    A subclass has `_missing(is_batch)`, which returns what fastsvm does not support of its parameters, or "";
    `_fit_of(X)`, which returns a `fit` for `fit_each_class`; and `_batch_params(X, **options)`, which returns
    the parameters and the first state for `fit_batch`.
    """

    def fit(self, X, y, coef_init=None, intercept_init=None, sample_weight=None):  # noqa: D102 (inherited)
        self._validate_params()
        self._more_validate_params()
        forget_fit(self)
        if self.warm_start and hasattr(self, "coef_"):
            coef_init = self.coef_ if coef_init is None else coef_init
            intercept_init = self.intercept_ if intercept_init is None else intercept_init
        if missing := self._missing(False):
            fall_back(self, missing)
            return super().fit(X, y, coef_init, intercept_init, sample_weight)
        X, y = checked_rows(self, X, y, [np.float64, np.float32])
        self._allocate_parameter_mem(  # for the start, which it checks
            len(self.classes_), X.shape[1], X.dtype, coef_init=coef_init, intercept_init=intercept_init
        )
        fit_each_class(self, X, y, sample_weight, self._fit_of(X))
        self.t_ = 1.0 + self.n_iter_ * len(y)
        return self

    def partial_fit(self, X, y, classes=None, sample_weight=None):  # noqa: D102 (inherited)
        self._validate_params()
        is_first = not hasattr(self, "classes_")
        self._more_validate_params(for_partial_fit=is_first)
        if missing := self._missing(True) or ("class weights in partial_fit" if self.class_weight else ""):
            fall_back(self, missing)
            return super().partial_fit(X, y, classes, sample_weight)
        X, y = base.validated(self, X, y, reset=is_first)
        seed = as_random(self.random_state).randint(2**31 - 1)
        params, first = self._batch_params(X, max_iter=1, shuffle=self.shuffle, random_state=seed)
        threads, t = number_of_threads(self.n_jobs), getattr(self, "t_", 1.0)
        fit_batch(params, self, X, y, classes, sample_weight, threads, first).set_attributes(self)
        self.n_iter_, self.t_ = 1, t + len(y)
        return self


def relative_gap(tol):
    """Return the relative duality gap that corresponds to scikit-learn's tol: the square of tol.

    tol bounds slopes, and the distance from the optimum grows like their square. On four data sets, with
    three losses and C of 0.1, 1 and 10, LinearSVC and LogisticRegression end within 1e-11 to 1e-2 of the
    optimum at their tol of 1e-4. A gap of 1e-8 takes 1 to 1.8 times as long as one of 1e-6.
    """
    return max(tol**2, LEAST_GAP)


def checked_rows(estimator, X, y, dtypes):
    """Return X, as CSR or C-ordered, and y, checked as scikit-learn does; set `classes_`.

    Raises
    ------
    ValueError
        On bad input, and if y has a single class.
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
    """Fit each class against the rest, with class weights as in LIBLINEAR and SGDClassifier.

    With two classes, each has its weight. With more, a class has its weight, and the rest has the weight 1.

    Parameters
    ----------
    estimator, X, y, sample_weight : as in `row_weights`
    fit : callable
        Called with the rows' labels and weights, and the places of the binary problems; returns the fitted
        attributes by name.
    """
    weights = row_weights(estimator, X, y, sample_weight)
    if estimator.class_weight is None or len(estimator.classes_) == 2:
        vars(estimator).update(fit(y, weights, slice(None)))
        return
    given = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    found = [fit(y == c, np.where(y == c, weights, given), [k]) for k, c in enumerate(estimator.classes_)]
    for name in found[0]:
        join = np.vstack if name == "coef_" else np.hstack
        setattr(estimator, name, join([each[name] for each in found]))
    estimator.n_iter_ = int(estimator.n_iter_.max())


def alpha_of(C, X, weights):
    """Return fastsvm's alpha for scikit-learn's C."""
    return 1 / (C * (X.shape[0] if weights is None else weights.sum()))


def l1_share_of(penalty, l1_ratio):
    """Return the l1 norm's share in a penalty; from scikit-learn 1.8 on, `l1_ratio` alone may give it."""
    return {"l1": 1.0, "l2": 0.0, None: 0.0}.get(penalty, l1_ratio or 0.0)


def fit_sdca(estimator, X, y, weights, *, alpha, l1_share=0.0, constant=None, tasks=None, **parameters):
    """Fit SDCA to checked rows.

    Parameters
    ----------
    estimator : object with `fit_intercept`, `max_iter`, `random_state` and `verbose`
    X, y, weights : as `checked_rows` and `row_weights` return them
    alpha : float, or an array; then each attribute has one entry per alpha
    l1_share : float, default=0.0
        As `l1_share_of` returns it.
    constant : float > 0, default=None
        The value of a constant column. Its weight times this value is the intercept, which is therefore
        regularised, as in LIBLINEAR.
    tasks : TaskCallbacks, default=None
    **parameters : of `SDCAParams`

    Returns
    -------
    dict
        The fitted attributes by name.
    """
    has_column = estimator.fit_intercept and constant is not None
    if has_column:
        X = with_column(X, constant)
    parameters |= {
        "fit_intercept": estimator.fit_intercept and not has_column,
        "max_iter": estimator.max_iter,
        "random_state": as_random(estimator.random_state).randint(2**31 - 1),
        **({"penalty": "elasticnet", "l1_ratio": l1_share} if l1_share else {}),
    }
    if np.ndim(alpha):
        one, several = (sdca_path, y == estimator.classes_[1]), (joint_path, y)
        path_of, labels = several if "multi_class" in parameters else one
        path = path_of(X, labels, alpha, sample_weight=weights, **parameters)
        place = np.argsort(np.argsort(-alpha))
        coefs, intercepts, *rest = (of_all[place] for of_all in path[1:])
        found = coefs.reshape(len(alpha), -1, X.shape[1]), intercepts.reshape(len(alpha), -1), *rest
    else:
        params = SDCAParams(alpha=alpha, verbose=bool(estimator.verbose), **parameters).checked()
        fit = fit_linear(params, X, y, weights, threads=number_of_threads(params.n_jobs), tasks=tasks)
        warn_if_linear_fit_is_short(fit, params, X, base.ConvergenceWarning)
        found = map(fit.attributes().get, FITTED)
    found = dict(zip(FITTED, found, strict=True))
    if has_column:
        found["intercept_"] = constant * np.ascontiguousarray(found["coef_"][..., -1])
        found["coef_"] = np.ascontiguousarray(found["coef_"][..., :-1])
    return found


def joint_path(X, y, alphas, *, sample_weight, **parameters):
    """Return what `sdca_path` does, for multinomial log loss; each fit starts from the one before."""
    alphas, params, rows, fits = np.sort(alphas)[::-1], SDCAParams(**parameters), as_rows(X, norms=True), []
    for alpha in alphas:
        start = (fits[-1].dual_coef * (alpha * len(y)), fits[-1].intercept) if fits else None
        own = params.checked(alpha=alpha), rows, y, sample_weight
        fits.append(fit_linear(*own, start_of=lambda _, start=start: lambda _: start))
    names = "coef", "intercept", "objective", "gap", "n_iter"
    return alphas, *(np.array([getattr(fit, name) for fit in fits]) for name in names)
