"""scikit-learn's SVC, fitted by SDCA for each pair of classes."""

import numpy as np
import sklearn.svm
from scipy import sparse

from .._utils.sparse import as_dense
from .._utils.threads import one_blas_thread
from .._utils.warnings import warn_user
from ..estimators.base import ConvergenceWarning, is_finite, is_plain_labels, is_ready
from ..fitting.calibration import sigmoid
from ..fitting.convergence_advice import convergence_advice, fit_ends, warn_if_short
from ..fitting.labels import known_labels, require_class_weight
from ..solvers._solver import require_finite
from ..solvers.kernel._gram import kernel_scores
from ..solvers.kernel._pairs import PairsOfClasses, cross_scores, fit_pair
from ..solvers.kernel._values import Kernel
from ..solvers.kernel.sdca_solver import MOST_ROWS
from .fallback import fall_back

SIGNS = np.array([1, -1], np.int8)
SLACK_SHARE = 0.3  # of scikit-learn's tol; with it, the dual objective is not below LIBSVM's
MOST_DENSE = 1 << 22  # values (32 MiB) up to which sparse rows are made dense
BLAS_ROWS = 32  # rows from which computing kernel values with BLAS pays


class SVC(sklearn.svm.SVC):
    """scikit-learn's SVC, with a proof of how close its objective is to the minimum.

    Minimises, for each pair of classes, over b0 and functions f in the kernel's Hilbert space::

        1/2 ||f||^2 + C sum_i c_i max(0, 1 - y_i (f(x_i) + b0))

    Here x_i is row i of X, y_i its label (1 or -1) and c_i its weight.

    The parameters and attributes are scikit-learn's. Two attributes are added: `objective_`, and an upper
    bound on its distance from the minimum, `dual_gap_`. Both are divided by C times the pair's number of
    rows; with several pairs, they are arrays in the order of `intercept_`. `shrinking` has no effect;
    `random_state` affects only the folds of probability=True. scikit-learn's own code handles C=inf,
    kernel="poly" with degree=0, and probabilities for two classes with more than 4,096 rows.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from fastsvm.drop_in import SVC
    >>> model = SVC(C=10).fit(*load_digits(return_X_y=True))
    >>> bool((model.dual_gap_ <= 1e-3 * model.objective_).all())
    True
    """

    def fit(self, X, y, sample_weight=None):  # noqa: D102 (inherited)
        require_class_weight(self.class_weight)
        return super().fit(X, known_labels(y), sample_weight)

    def score(self, X, y, sample_weight=None):  # noqa: D102 (inherited)
        return super().score(X, known_labels(y), sample_weight)

    def _validate_targets(self, y):
        if self.class_weight is None and is_plain_labels(y, len(y)):  # scikit-learn checks them five times
            classes, places = np.unique(y, return_inverse=True)
            if len(classes) > 1:
                self.classes_, self.class_weight_ = classes, np.ones(len(classes))
                return places.astype(float)
        return super()._validate_targets(y)

    def _dense_fit(self, X, y, sample_weight, solver_type, kernel, random_seed):
        if not self._fit_pairs(X, y, sample_weight, random_seed):
            super()._dense_fit(X, y, sample_weight, solver_type, kernel, random_seed)

    def _sparse_fit(self, X, y, sample_weight, solver_type, kernel, random_seed):
        if not self._fit_pairs(X, y, sample_weight, random_seed):
            super()._sparse_fit(X, y, sample_weight, solver_type, kernel, random_seed)

    def _missing(self, counts):
        """Return what fastsvm does not support of these parameters; "" if nothing."""
        if self._calibrates and np.sort(counts)[-2:].sum() > MOST_ROWS:
            return f"probabilities for two classes with more than {MOST_ROWS:,} rows"
        if np.isinf(self.C):
            return "infinite C"
        return "a polynomial kernel of degree 0" if self.kernel == "poly" and not self.degree else ""

    def _warn_from_fit_status(self):
        if self.fit_status_:
            told = "Consider pre-processing your data with StandardScaler or MinMaxScaler."
            warn_user(f"Solver terminated early (max_iter={self.max_iter}).  {told}", ConvergenceWarning)

    @property
    def _calibrates(self):
        return bool(getattr(self, "_effective_probability", self.probability))

    def _fit_pairs(self, X, y, sample_weight, seed):
        """Set the attributes of LIBSVM's fit; return False if LIBSVM is to make the fit."""
        weights = self.C * self.class_weight_[y.astype(int)]
        if len(sample_weight):
            weights *= sample_weight
        counts = np.bincount(y[weights > 0].astype(int), minlength=len(self.classes_))
        if not counts.all():
            return False  # scikit-learn raises the error
        if missing := self._missing(counts):
            fall_back(self, missing)
            return False
        order = np.argsort(y, kind="stable")
        order = order[weights[order] > 0]
        values = self._kernel_of(X, order)
        if values is None:
            return False  # likewise
        pairs = PairsOfClasses(values, counts, self.cache_size, self._calibrates)
        coef, weights, fits = np.zeros((len(counts) - 1, len(order))), weights[order], []
        sigmoids = []
        random = np.random.RandomState(seed) if self._calibrates else None  # takes as long as ten small pairs
        options = {"tol": self.tol, "slack": SLACK_SHARE * self.tol, "most_steps": self.max_iter}
        with one_blas_thread:
            for i, j, gram in pairs:
                a, b, n = pairs.rows[i], pairs.rows[j], counts[i]
                signs = np.repeat(SIGNS, (n, counts[j]))
                of_pair = np.concatenate([weights[a], weights[b]])
                fit = fit_pair(gram, signs, of_pair, **options)
                if self._calibrates:
                    sigmoids.append(sigmoid(cross_scores(gram, signs, of_pair, random, options), signs > 0))
                coef[j - 1, a] = fit.dual[:n]
                coef[i, b] -= fit.dual[n:]
                fits.append(fit)
        self.intercept_, objective, gap, steps = map(np.array, zip(*(fit[1:] for fit in fits), strict=True))
        require_finite(objective, gap)
        self.objective_, self.dual_gap_ = (
            float(of_all[0]) if len(fits) == 1 else of_all for of_all in (objective / self.C, gap / self.C)
        )
        self._num_iter = steps.astype(np.int32)
        self.fit_status_ = int(self.max_iter in steps)
        which = coef.any(axis=0)
        self._n_support = np.array([which[rows].sum() for rows in pairs.rows], np.int32)
        self.support_ = order[which].astype(np.int32)
        self.dual_coef_ = np.ascontiguousarray(coef[:, which])
        self.support_vectors_ = np.empty((0, 0)) if self._given else X[self.support_]
        if self._sparse:
            k, n = self.dual_coef_.shape
            columns, starts = np.tile(np.arange(n, dtype=np.int32), k), n * np.arange(k + 1, dtype=np.int32)
            self.dual_coef_ = type(X)((self.dual_coef_.ravel(), columns, starts), (k, n))  # zeros too
        self._probA, self._probB = -np.array(sigmoids).reshape(-1, 2).T.copy()
        self._warn_from_fit_status()
        if not self.fit_status_ and (gap > self.tol * objective).any():
            advice = convergence_advice(None if self._given else X, stalled=True).replace("alpha", "lower C")
            ends = fit_ends(objective, gap, -(-steps // len(order)))
            warn_if_short(ends, self.tol, None, np.inf, category=ConvergenceWarning, advice=advice)
        return True

    @property
    def _given(self):
        return callable(self.kernel) or self.kernel == "precomputed"

    def _kernel_of(self, X, order):
        """Return the Kernel of these rows, or their matrix; None if neither is valid."""
        if not self._given:
            kernel = self._make_kernel(X[order])
            return kernel if np.isfinite(kernel.trained.sizes).all() else None
        if callable(self.kernel):
            self._BaseLibSVM__Xfit = X  # for predict
            X = self._compute_kernel(X)
        return X[np.ix_(order, order)] if X.ndim == 2 and X.shape[0] == X.shape[1] else None

    def _make_kernel(self, X):
        if sparse.issparse(X) and X.shape[0] * X.shape[1] <= MOST_DENSE:
            X = X.toarray()  # faster, and with the values that dense rows have
        return Kernel(self.kernel, X, gamma=self._gamma, degree=int(self.degree), coef0=self.coef0)

    def _validate_for_predict(self, X):
        plain = is_ready(X, self) and X.dtype == np.float64 and is_finite(X)
        ready = plain and hasattr(self, "support_vectors_") and not (self._given or self._sparse)
        if ready and len(self.support_vectors_) == self._n_support.sum():
            return X
        return super()._validate_for_predict(X)  # takes five times as long as the scores of a row

    def _pays(self, X):
        return hasattr(self, "objective_") and not self._given and X.shape[0] >= BLAS_ROWS

    def _dense_predict(self, X):
        return self._votes(X) if self._pays(X) else super()._dense_predict(X)

    def _sparse_predict(self, X):
        return self._votes(X) if self._pays(X) else super()._sparse_predict(X)

    def _dense_decision_function(self, X):
        return self._scores(X) if self._pays(X) else super()._dense_decision_function(X)

    def _sparse_decision_function(self, X):
        return self._scores(X) if self._pays(X) else super()._sparse_decision_function(X)

    def _scores(self, X):
        """Return LIBSVM's decision values, which are above 0 for the first class of a pair."""
        scores = np.tile(self._intercept_, (X.shape[0], 1))
        if not len(self.support_):
            return scores
        kernel = self._make_kernel(self.support_vectors_)
        coef = as_dense(self._dual_coef_)
        first, second = np.triu_indices(len(self.classes_), 1)
        ends = np.cumsum(self._n_support)
        for k in range(len(ends)) if len(ends) > 2 else ():
            rows = slice(ends[k] - self._n_support[k], ends[k])
            part = kernel_scores(kernel, kernel.trained[rows], coef[:, rows], X, cache_size=self.cache_size)
            scores[:, (first == k) | (second == k)] += part
        if len(ends) == 2:
            scores += kernel_scores(kernel, kernel.trained, coef, X, cache_size=self.cache_size)
        return scores

    def _votes(self, X):
        """Return the number of the class that most pairs vote for; in a tie, the first one."""
        first, second = np.triu_indices(len(self.classes_), 1)
        winners = np.where(self._scores(X) > 0, first, second)
        votes = np.zeros((len(winners), len(self.classes_)), int)
        for of_pair in winners.T:
            votes[np.arange(len(winners)), of_pair] += 1
        return votes.argmax(axis=1)
