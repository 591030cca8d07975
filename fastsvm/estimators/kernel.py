"""The kernel classifiers."""

from functools import partial

import numpy as np
from joblib import effective_n_jobs
from scipy import sparse
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ..fitting.advice import Ended, warn_if_short
from ..fitting.labels import signs_of
from ..fitting.one_vs_rest import all_or_nothing, require_finite_rows
from ..fitting.threads import one_blas_thread
from ..solvers import (
    LOSSES,
    KernelPegasosSolver,
    KernelProblem,
    KernelSDCASolver,
    kernel_pegasos,
    make_gram,
    scores_of,
)
from ..solvers._input import as_alpha, flag, one_of, positive
from ..solvers.kernel._values import KERNELS, GivenKernel, Kernel
from ..solvers.kernel.parameters import check_kernel_parameters, gamma_of
from .base import ConvergenceWarning, OneVsRestClassifier, validated

__all__ = ["KernelPegasosClassifier", "KernelSDCAClassifier"]


def _compares_rows(estimator):
    if estimator._precomputed:
        raise AttributeError("partial_fit compares rows of different calls: kernel='precomputed' needs fit.")
    return True


class KernelClassifier(OneVsRestClassifier):
    """What the kernel classifiers share: the kernel, the support, prediction.

    A subclass has the parameters `kernel`, `gamma`, `degree`, `coef0`, `cache_size` and `n_jobs` too.
    """

    def _check_params(self):
        if not callable(self.kernel):
            one_of("kernel", self.kernel, (*KERNELS, "precomputed"))
        check_kernel_parameters(self.gamma, self.degree, self.coef0)
        as_alpha(self.alpha)
        positive("cache_size", self.cache_size)

    @property
    def _precomputed(self):
        return isinstance(self.kernel, str) and self.kernel == "precomputed"

    def _set_gamma(self, X):
        self.gamma_ = 1.0 if self._precomputed or callable(self.kernel) else gamma_of(self.gamma, X)

    def _gram(self, X):
        """The kernel matrix of X, row by row."""
        return make_gram(
            X,
            self.kernel,
            gamma=self.gamma_,
            degree=self.degree,
            coef0=self.coef0,
            cache_size=self.cache_size,
            threads=effective_n_jobs(self.n_jobs),
        )

    def _signs(self, y):
        return np.array([signs_of(y, label) for label in self._positives()])

    def _set_support(self, X, coef):
        """Keep the rows that have a coefficient, with `coef` of shape (n_classes, n)."""
        self.support_ = np.flatnonzero(coef.any(axis=0)).astype(np.int32)
        self.dual_coef_ = np.ascontiguousarray(coef[:, self.support_])
        if not self._precomputed:
            self.support_vectors_ = X[self.support_]

    def _set_certificate(self, result):
        binary = len(result.gap) == 1
        self.objective_ = float(result.objective[0]) if binary else result.objective
        self.dual_gap_ = float(result.gap[0]) if binary else result.gap
        self.history_ = result.history[0] if binary else result.history

    def decision_function(self, X):
        """Scores sum_i dual_coef_i K(x_i, x).

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            For kernel="precomputed" an array of K(x, x_i), of shape (n_samples, n_samples_fitted).

        Returns
        -------
        ndarray of shape (n_samples,) or, for more than two classes, (n_samples, n_classes), float64
            Of two classes, above 0 means `classes_[1]`.
        """
        check_is_fitted(self)
        given = self._precomputed
        formats = False if given else "csr"
        X = validated(self, X, columns=True, reset=False, accept_sparse=formats, ensure_all_finite=given)
        require_finite_rows(X, X.data if sparse.issparse(X) else X)
        scores = self._scores(X)
        return scores.ravel() if scores.shape[1] == 1 else scores

    def _scores(self, X):
        """Scores of shape (n_samples, n_classes)."""
        if self._precomputed:
            return X[:, self.support_].astype(float) @ self.dual_coef_.T
        if not len(self.support_):
            return np.zeros((X.shape[0], len(self.dual_coef_)))
        kernel = self._kernel_of(self.support_vectors_)
        with one_blas_thread:
            return scores_of(
                kernel,
                kernel.trained,
                self.dual_coef_,
                X,
                cache_size=self.cache_size,
                threads=1 if callable(self.kernel) else effective_n_jobs(self.n_jobs),
            )

    def _kernel_of(self, X):
        if callable(self.kernel):
            return GivenKernel(self.kernel, X)
        return Kernel(self.kernel, X, gamma=self.gamma_, degree=self.degree, coef0=self.coef0)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._precomputed
        tags.input_tags.sparse = not self._precomputed
        return tags


class KernelSDCAClassifier(KernelClassifier):
    """Kernel machine fitted by stochastic dual coordinate ascent, with a certificate.

    Minimises, for each class against the rest, over functions f of the kernel's space::

        P(f) = alpha/2 ||f||^2 + 1/n sum_i c_i phi(y_i f(x_i))

    and stops when the duality gap proves that P is within `tol` (relative) of its optimum. This is SVC's
    objective with C = 1/(alpha n), without an intercept, one-vs-rest.

    Parameters
    ----------
    kernel : {"linear", "poly", "rbf", "sigmoid", "laplacian", "precomputed"} or callable, default="rbf"
        x.z; (gamma x.z + coef0)^degree; exp(-gamma ||x - z||^2); tanh(gamma x.z + coef0);
        exp(-gamma ||x - z||_1), all in single precision. "precomputed": X is the matrix of kernel values.
        A callable is given two matrices and returns the values, of shape (len(X), len(Z)). Where it is not
        positive semi-definite (the sigmoid), the gap is no bound.
    loss : {"hinge", "squared_hinge", "smooth_hinge", "log"}, default="hinge"
        phi(m) = max(0, 1-m) (SVM); its square; the hinge with (1-m)^2/2 for 0 <= m <= 1 and 1/2-m below;
        log(1 + exp(-m)) (kernel logistic regression, which has probabilities).
    alpha : float > 0, default=1e-4
        Regularisation strength.
    gamma : "scale", "auto" or float > 0, default="scale"
        "scale": 1 / (n_features * X.var()); "auto": 1 / n_features. A gaussian written
        exp(-||x - z||^2 / (2 g)) has gamma = 1 / (2 g).
    degree : int > 0, default=3
        Of "poly". (1 + x.z)^n is gamma=1, coef0=1, degree=n.
    coef0 : float, default=0.0
        Of "poly" and "sigmoid".
    max_iter : int, default=1000
        Most epochs, passes over a working set.
    tol : float > 0 or None, default=1e-3
        Relative duality gap, gap / P, at which to stop. None: do `max_iter` epochs.
    class_weight : dict, "balanced" or None, default=None
        Weights by label, multiplied into c_i; "balanced": n / (n_classes * count of the label).
    cache_size : float > 0, default=1024
        MiB of kernel values to keep, in fitting and predicting. Does not change the result, but for the
        last digits of single precision.
    n_jobs : int or None, default=None
        Threads; -1 for all processors. Does not change the result.
    verbose : bool, default=False
        Print a line a round.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    support_ : ndarray of shape (n_support,), int32
        The rows that have a coefficient in any class.
    support_vectors_ : ndarray or CSR matrix of shape (n_support, n_features), of X's dtype
        X[support_]; not for "precomputed".
    dual_coef_ : ndarray of shape (1, n_support) or (n_classes, n_support), float64
        y_i b_i / (alpha n), SVC's scale: f(x) = sum_i dual_coef_i K(x_i, x).
    gamma_ : float
        The gamma that was used.
    objective_ : float, or ndarray of shape (n_classes,)
        P at the solution.
    dual_gap_ : float, or ndarray of shape (n_classes,)
        P minus a lower bound on its optimum, in units of P, for the kernel values as computed: in single
        precision, gaps below 1e-5 P mean little.
    n_iter_ : int
        Epochs done, by the class that needed most.
    history_ : list of Epoch, or one list a class
        (epoch, seconds, primal, dual, gap, score) after each round; the seconds are those of all classes.
    n_features_in_, feature_names_in_ : as in scikit-learn

    See Also
    --------
    KernelFeatures : for more rows than kernel values can be had for.

    References
    ----------
    Shalev-Shwartz & Zhang, JMLR 14 (2013). Johnson & Guestrin, Blitz, ICML 2015, for working sets.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from fastsvm import KernelSDCAClassifier
    >>> X, y = load_digits(return_X_y=True)
    >>> model = KernelSDCAClassifier(alpha=1e-5, random_state=0).fit(X[:1000], y[:1000])
    >>> model.score(X[1000:], y[1000:]) > 0.95
    True
    >>> bool((model.dual_gap_ <= 1e-3 * model.objective_).all())
    True
    """

    def __init__(
        self,
        kernel="rbf",
        *,
        loss="hinge",
        alpha=1e-4,
        gamma="scale",
        degree=3,
        coef0=0.0,
        max_iter=1000,
        tol=1e-3,
        class_weight=None,
        cache_size=1024,
        n_jobs=None,
        verbose=False,
        random_state=None,
    ):
        self.kernel = kernel
        self.loss = loss
        self.alpha = alpha
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.max_iter = max_iter
        self.tol = tol
        self.class_weight = class_weight
        self.cache_size = cache_size
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def _check_params(self):
        super()._check_params()
        one_of("loss", self.loss, LOSSES)
        positive("max_iter", self.max_iter, kind=int)
        if self.tol is not None:
            positive("tol", self.tol)
        flag("verbose", self.verbose)

    @all_or_nothing
    def fit(self, X, y, sample_weight=None):
        """Fit from scratch. A fit that fails or is interrupted leaves the estimator as it was.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            For kernel="precomputed" the array of all K(x_i, x_j), of shape (n_samples, n_samples).
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
            On bad parameters, NaN or infinite values (with row and column), different lengths, a single
            class, and kernel values that overflow.
        MemoryError
            Where not even a row of the kernel matrix fits into `cache_size`, or the cache into the memory.
        """
        self._check_params()
        X, y = self._validated(X, y)
        self._set_classes(np.unique(y))
        self._set_gamma(X)
        with one_blas_thread:
            problem = KernelProblem(self._gram(X), self._signs(y), self._weights(y, sample_weight))
            run = self._make_solver(problem, check_random_state(self.random_state).randint(2**31 - 1))
            for classes in run.rounds(self.tol):
                if self.verbose:
                    self._report(run, classes)
        self._set_result(X, run.result())
        columns = None if self._precomputed else X
        warn_if_short(ended(run), self.tol, columns, category=ConvergenceWarning, stacklevel=4)
        return self

    def _make_solver(self, problem, seed, start=None):
        return KernelSDCASolver(
            problem,
            loss=self.loss,
            alpha=self.alpha,
            max_iter=self.max_iter,
            random=np.array([seed], np.uint64),
            start=start,
        )

    def _set_result(self, X, result):
        self._set_support(X, result.dual_coef)
        self._set_certificate(result)
        self.n_iter_ = result.n_iter

    def _report(self, run, classes):
        labels = self._positives()
        for k in classes:
            epoch = run.history[k][-1]
            share = epoch.gap / epoch.primal if epoch.primal > 0 else 0.0
            print(
                f"{labels[k]}: round {run.round:3d}  epoch {epoch.epoch:4d}  objective {epoch.primal:.6e}"
                f"  gap {epoch.gap:.3e} ({share:.2%})  {epoch.seconds:.3f} s"
            )


def ended(run, alpha=None):
    """Where each class of a KernelSDCASolver has ended."""
    return [
        Ended(gap / primal if primal > 0 else 0.0, n_iter, alpha)
        for primal, gap, n_iter in zip(run.primal, run.gap, run.epochs, strict=True)
    ]


class KernelPegasosClassifier(KernelClassifier):
    """Kernel machine fitted by Pegasos, stochastic sub-gradient steps of length 1/(alpha t).

    Minimises, for each class against the rest, over functions f of the kernel's space::

        P(f) = alpha/2 ||f||^2 + 1/n sum_i c_i max(0, 1 - y_i f(x_i))

    SVC's objective with C = 1/(alpha n), without an intercept, one-vs-rest. All classes see the same rows.
    The dual variables that the steps build up give a certificate, looser than SDCA's.

    Parameters
    ----------
    kernel : {"linear", "poly", "rbf", "sigmoid", "laplacian", "precomputed"} or callable, default="rbf"
        As in :class:`KernelSDCAClassifier`.
    alpha : float > 0, default=1e-4
        Regularisation strength, lambda in the paper.
    n_iter : int or None, default=None
        Steps, T in the paper: rows drawn with replacement. None: ten times the number of rows.
    gamma : "scale", "auto" or float > 0, default="scale"
        "scale": 1 / (n_features * X.var()); "auto": 1 / n_features. A gaussian written
        exp(-||x - z||^2 / (2 g)) has gamma = 1 / (2 g).
    degree : int > 0, default=3
        Of "poly". (1 + x.z)^n is gamma=1, coef0=1, degree=n.
    coef0 : float, default=0.0
        Of "poly" and "sigmoid".
    class_weight : dict, "balanced" or None, default=None
        Weights by label, multiplied into c_i; "balanced": n / (n_classes * count of the label).
    cache_size : float > 0, default=1024
        MiB of kernel values to keep, in fitting and predicting. Does not change the result, but for the
        last digits of single precision.
    n_jobs : int or None, default=None
        Threads; -1 for all processors. Does not change the result.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    classes_, support_, support_vectors_, dual_coef_, gamma_ : as in :class:`KernelSDCAClassifier`
        dual_coef_ is a_i y_i / (alpha t_), where a_i says how often row i pulled.
    objective_ : float, or ndarray of shape (n_classes,)
        P at the solution; not after `partial_fit`.
    dual_gap_ : float, or ndarray of shape (n_classes,)
        P minus a lower bound on its optimum, in units of P; not after `partial_fit`.
    history_ : list of Epoch, or one list a class
        One line, of the last step; not after `partial_fit`.
    t_ : int
        Steps taken; `partial_fit` goes on from there.
    n_features_in_, feature_names_in_ : as in scikit-learn

    References
    ----------
    Shalev-Shwartz, Singer, Srebro & Cotter, Pegasos, Math. Program. 127 (2011), fig. 3.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from fastsvm import KernelPegasosClassifier
    >>> X, y = load_digits(return_X_y=True)
    >>> model = KernelPegasosClassifier("poly", alpha=1e-3, n_iter=20_000, random_state=0)
    >>> model.fit(X[:1000], y[:1000]).score(X[1000:], y[1000:]) > 0.95
    True
    """

    def __init__(
        self,
        kernel="rbf",
        *,
        alpha=1e-4,
        n_iter=None,
        gamma="scale",
        degree=3,
        coef0=0.0,
        class_weight=None,
        cache_size=1024,
        n_jobs=None,
        random_state=None,
    ):
        self.kernel = kernel
        self.alpha = alpha
        self.n_iter = n_iter
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.class_weight = class_weight
        self.cache_size = cache_size
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _check_params(self):
        super()._check_params()
        if self.n_iter is not None:
            positive("n_iter", self.n_iter, kind=int)

    @all_or_nothing
    def fit(self, X, y, sample_weight=None):  # noqa: D102 (below)
        self._check_params()
        X, y = self._validated(X, y)
        self._set_classes(np.unique(y))
        self._set_gamma(X)
        with one_blas_thread:
            result = kernel_pegasos(
                X,
                self._signs(y),
                kernel=self.kernel,
                gamma=self.gamma_,
                degree=self.degree,
                coef0=self.coef0,
                alpha=self.alpha,
                sample_weight=self._weights(y, sample_weight),
                n_iter=self.n_iter,
                cache_size=self.cache_size,
                n_jobs=effective_n_jobs(self.n_jobs),
                random_state=check_random_state(self.random_state).randint(2**31 - 1),
            )
        self._set_support(X, result.dual_coef)
        self._set_certificate(result)
        self.t_, self._n_seen = result.n_iter, len(y)
        return self

    fit.__doc__ = KernelSDCAClassifier.fit.__doc__

    @available_if(_compares_rows)
    @all_or_nothing
    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Take a step on each row of X, in random order, continuing where the last call, or `fit`, stopped.

        There is no objective or gap, which would be those of this batch alone. `support_` numbers the rows
        of all batches from the first.

        Parameters
        ----------
        X, y, sample_weight : as in `fit`; the kernel cannot be "precomputed"
        classes : array of shape (n_classes,), default=None
            All labels that will ever come; needed in the first call. `class_weight="balanced"` needs
            `fit`.

        Returns
        -------
        self
        """
        self._check_params()
        first = not hasattr(self, "classes_")
        X, y = self._checked_batch(X, y, first)
        self._set_batch_classes(y, classes)
        if first:
            self._set_gamma(X)
        done = 0 if first else self.t_
        with one_blas_thread:
            scores = None if first else np.ascontiguousarray(self._scores(X).T) * (self.alpha * done)
            problem = KernelProblem(self._gram(X), self._signs(y), self._weights(y, sample_weight))
            run = KernelPegasosSolver(problem, self.alpha, done, scores)
            order = check_random_state(self.random_state).permutation(len(y))
            run.visit(order.astype(np.int32))
        earlier = None if first else (self.support_, self.dual_coef_, self.support_vectors_)
        seen = 0 if first else self._seen()
        self._set_support(X, run.coef)
        self.t_, self._n_seen = run.t, seen + len(y)
        if earlier is not None:
            support, coef, vectors = earlier
            self.support_ = np.concatenate([support, self.support_ + np.int32(seen)])
            self.dual_coef_ = np.hstack([coef * (done / run.t), self.dual_coef_])
            stack = np.vstack
            if sparse.issparse(vectors) or sparse.issparse(X):
                stack = partial(sparse.vstack, format="csr")
            self.support_vectors_ = stack([vectors, self.support_vectors_])
        for stale in ("objective_", "dual_gap_", "history_"):
            self.__dict__.pop(stale, None)
        return self

    def _seen(self):
        """How many rows came so far; a model from a file knows of those up to the last of its support."""
        return getattr(self, "_n_seen", int(self.support_.max(initial=-1)) + 1)
