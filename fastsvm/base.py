"""What the classifiers share: validation, labels, one-vs-rest, prediction."""

from functools import partial, wraps

import numpy as np
from joblib import effective_n_jobs
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_array, check_random_state, compute_class_weight
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from . import scores
from .callbacks import CallbackSupportMixin, Tasks, with_callbacks
from .engine import solve_all, warn_if_short
from .solvers import Problem, as_csr, as_rows, as_weights


def _has_log_loss(estimator):
    if getattr(estimator, "loss", None) != "log":
        raise AttributeError(
            "predict_proba needs loss='log'; for other losses wrap the estimator in "
            "CalibratedClassifierCV(ensemble=False)."
        )
    return True


def all_or_nothing(fit):
    """Make a failed or interrupted `fit` leave the estimator as it was."""

    @wraps(fit)
    def safe_fit(self, *args, **kwargs):
        before = vars(self).copy()
        try:
            return fit(self, *args, **kwargs)
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise

    return safe_fit


ACCEPTED = {
    "accept_sparse": "csr",
    "dtype": [np.float64, np.float32],
    "order": "C",
    "ensure_all_finite": False,
}


def validated(estimator, X, y="no_validation", *, columns=False, **options):
    """X, and y where there is one, as scikit-learn checks them for an estimator.

    Sparse matrices become CSR, their arrays checked. Values, and columns, are left to `as_rows`.

    Parameters
    ----------
    estimator, X, y, **options : as in scikit-learn's `validate_data`
        float32 and float64 stay as they are, by default.
    columns : bool, default=False
        Look at those of sparse matrices here.
    """
    return validate_data(estimator, as_csr(X, columns), y, **{**ACCEPTED, **options})


def checked(X):
    """X as `validated` gives it, where there is no estimator; the columns of sparse matrices checked too."""
    return check_array(as_csr(X), **ACCEPTED)


def require_finite(X, values):
    """Raise a ValueError that says where X has NaN or infinity, if `values` have any."""
    with np.errstate(over="ignore", invalid="ignore"):
        total = values.sum()
    if not np.isfinite(total):
        as_rows(X)


def as_coefficients(values, dtype):
    """Float64 coefficients in the dtype of X, or a ValueError if they do not fit."""
    with np.errstate(over="ignore"):
        array = np.array(values, dtype=dtype)
    if not np.isfinite(array).all():
        raise ValueError(f"The coefficients are beyond {np.dtype(dtype)}: scale X, or pass it as float64.")
    return array


class OneVsRestClassifier(ClassifierMixin, BaseEstimator):
    """What all classifiers share: labels, weights, and prediction from scores.

    A subclass has the parameter `class_weight` and a `decision_function`.
    """

    def _check_params(self):
        """Raise a ValueError that names the first bad parameter."""
        raise NotImplementedError

    def _validated(self, X, y, reset=True):
        X, y = validated(self, X, y, reset=reset)
        check_classification_targets(y)
        return X, y

    def _set_classes(self, classes):
        if len(classes) < 2:
            raise ValueError(
                f"y has one class only ({classes.tolist()[0]!r}); at least two classes are needed."
            )
        self.classes_ = classes

    def _validated_batch(self, X, y, classes):
        """X and y of a call of `partial_fit`, checked; the first sets `classes_`."""
        self._check_params()
        if self.class_weight == "balanced":
            raise ValueError("class_weight='balanced' needs all of y: use fit, or pass sample_weight.")
        first = not hasattr(self, "classes_")
        X, y = self._validated(X, y, reset=first)
        if first:
            if classes is None:
                raise ValueError("The first call of partial_fit needs classes, all labels that will come.")
            self._set_classes(np.unique(classes))
        elif classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise ValueError(f"classes is {list(classes)}, but earlier calls had {self.classes_.tolist()}.")
        new = np.setdiff1d(y, self.classes_)
        if len(new):
            raise ValueError(f"y has the label {new.tolist()[0]!r}, which is not among classes.")
        return X, y

    def _positives(self):
        """The label that is +1 in each binary problem."""
        return self.classes_[1:] if len(self.classes_) == 2 else self.classes_

    def _weights(self, y, sample_weight):
        """sample_weight times class weight; None when all are 1."""
        weights = None if sample_weight is None else as_weights(sample_weight, len(y))
        if self.class_weight is None:
            return weights
        by_class = compute_class_weight(self.class_weight, classes=self.classes_, y=y)
        total = np.ones(len(y)) if weights is None else weights.copy()
        for label, weight in zip(self.classes_, by_class, strict=True):
            total[y == label] *= weight
        return total

    def predict(self, X):
        """The class of the highest score.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,), of the labels' dtype
        """
        winners = scores.winners(self.decision_function(X))
        return self.classes_[winners]

    @available_if(_has_log_loss)
    def predict_proba(self, X):
        """Class probabilities; for loss='log' only.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            sigmoid(w.x + b0); with more than two classes normalised to sum to 1.
        """
        return scores.probabilities(self.decision_function(X))

    @available_if(_has_log_loss)
    def predict_log_proba(self, X):
        """Logarithm of `predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class LinearClassifier(CallbackSupportMixin, OneVsRestClassifier):
    """A linear classifier, binary or one-vs-rest, fitted by a solver's `Run`.

    A subclass has its parameters in `__init__` (with at least `class_weight`, `n_jobs`, `random_state`
    and `verbose`), checks them in `_check_params` and makes a run in `_make_run`.
    """

    _tol = None
    """The relative gap at which to stop; None where there is no such stop."""

    def _make_run(self, problem, random, max_iter, *, start=None):
        """A `Run` on one binary problem, with a start if it can use one."""
        raise NotImplementedError

    def _starts(self, classes, n):
        """For the k-th binary problem what to start from; None for zero."""
        return lambda k: None

    _norms = True
    """Whether the solver reads the rows' norms."""

    @property
    def _trace(self):
        return self.verbose or self.trace

    @all_or_nothing
    @with_callbacks
    def fit(self, X, y, sample_weight=None):
        """Fit from scratch, or with `warm_start` from the last fit's solution.

        A fit that fails or is interrupted leaves the estimator as it was.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            float32 and float64, CSR or C-ordered, with int32 or int64 indices, are used without a copy;
            anything else is converted. The attributes take the dtype of X.
        y : array of shape (n_samples,)
            Labels of any kind, two classes or more.
        sample_weight : array of shape (n_samples,), default=None
            Non-negative weights c_i, multiplied by those of `class_weight`.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            On bad parameters, NaN or infinite values (with row and column), different lengths, or a
            single class.
        """
        self._check_params()
        X, y = self._validated(X, y)
        classes = np.unique(y)
        starts = self._starts(classes, len(y))
        self._set_classes(classes)
        runs = self._runs(X, y, sample_weight, self.max_iter, starts)
        tasks = Tasks.of(self, X, y, sample_weight, self._positives(), self.max_iter)
        results = solve_all(
            runs,
            tol=self._tol,
            trace=self._trace or tasks is not None,
            n_jobs=self.n_jobs,
            verbose=self.verbose,
            tasks=tasks,
        )
        self._set_results(results, X, y)
        if tasks is not None:
            tasks.finish()
            results = [result for k, result in enumerate(results) if k not in tasks.stopped]
        warn_if_short(results, self._tol, X)
        return self

    def _runs(self, X, y, sample_weight, max_iter, starts):
        """For each binary problem its label and what makes its run; rows and weights are shared."""
        rows = as_rows(X, effective_n_jobs(self.n_jobs), self._norms)
        weights = self._weights(y, sample_weight)
        labels = self._positives()
        seeds = check_random_state(self.random_state).randint(2**31 - 1, size=len(labels))

        def make(k, threads):
            problem = Problem(rows, signs_of(y, labels[k]), weights, threads)
            random = np.array([seeds[k]], np.uint64)
            return self._make_run(problem, random, max_iter, start=starts(k))

        return [(label, partial(make, k)) for k, label in enumerate(labels)]

    def _set_results(self, results, X, y):
        self.coef_ = as_coefficients([r.w for r in results], X.dtype)
        self.intercept_ = as_coefficients([r.intercept for r in results], X.dtype)
        self.n_iter_ = max(r.n_iter for r in results)
        binary = len(results) == 1
        self.history_ = results[0].history if binary else [r.history for r in results]
        self.objective_ = results[0].objective if binary else np.array([r.objective for r in results])
        if results[0].gap is not None:
            self.dual_gap_ = results[0].gap if binary else np.array([r.gap for r in results])

    def decision_function(self, X):
        """Signed scores w.x + b0.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or, for more than two classes, (n_samples, n_classes)
            Of two classes, above 0 means `classes_[1]`.
        """
        check_is_fitted(self)
        X = validated(self, X, reset=False, columns=True)
        found = scores.decision(X, self.coef_, self.intercept_)
        # SciPy multiplies every value, so that NaN shows in the scores.
        require_finite(X, found if sparse.issparse(X) else X)
        return found


class OnlineClassifier(LinearClassifier):
    """A linear classifier that can also learn batch by batch."""

    _norms = False

    def partial_fit(self, X, y, classes=None, sample_weight=None):
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
        first = not hasattr(self, "classes_")
        X, y = self._validated_batch(X, y, classes)
        runs = self._runs(X, y, sample_weight, 1, self._starts(self.classes_, len(y)))
        states = getattr(self, "_states", None) or self._initial_states(len(runs))
        points = []
        for k, (_, make_run) in enumerate(runs):
            run = make_run(1)
            run.resume(states[k])
            run.epoch()
            states[k] = run.snapshot()
            points.append(run.output())
        dtype = X.dtype if first else self.coef_.dtype
        coef = as_coefficients([w for w, _ in points], dtype)
        self.intercept_ = as_coefficients([intercept for _, intercept in points], dtype)
        self.coef_, self._states = coef, states
        self.n_iter_ = getattr(self, "n_iter_", 0) + 1
        for stale in ("objective_", "dual_gap_", "history_"):
            self.__dict__.pop(stale, None)
        return self

    def _initial_states(self, n):
        if not hasattr(self, "coef_"):
            return [None] * n
        return [
            {"w": w, "bias": float(intercept), "t": getattr(self, "t_", 0)}
            for w, intercept in zip(self.coef_, self.intercept_, strict=True)
        ]

    def _set_results(self, results, X, y):
        super()._set_results(results, X, y)
        self._states = None


def signs_of(y, label):
    """+1 where y is the label, -1 elsewhere, as int8."""
    return 2 * (y == label).astype(np.int8) - 1
