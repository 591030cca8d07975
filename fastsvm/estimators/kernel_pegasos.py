"""The kernel classifier fitted by Pegasos."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from sklearn.utils.metaestimators import available_if

from .._utils.threads import one_blas_thread
from ..fitting.fit import all_or_nothing, forget_fit
from ..fitting.kernel import gamma_to_use, support_of
from ..fitting.labels import Targets, batch_classes
from ..solvers._input import as_random
from ..solvers.kernel._gram import make_gram
from ..solvers.kernel._problem import KernelProblem
from ..solvers.kernel.params import KernelPegasosFields, KernelPegasosParams
from ..solvers.kernel.pegasos_solver import KernelPegasosSolver
from .kernel_base import KernelClassifier

if TYPE_CHECKING:
    from typing import Self

    from ..solvers.annotations import ArrayLike, ArrayOrSparse


def _compares_rows(estimator):
    if estimator._precomputed:
        raise AttributeError("partial_fit compares rows of different calls: kernel='precomputed' needs fit.")
    return True


class KernelPegasosClassifier(KernelClassifier, KernelPegasosFields, init=False):
    """Kernel SVM that learns step by step, also from batches (Pegasos).

    Sub-gradient steps, the t-th of length 1/(alpha t), minimise for each class against the rest, over
    functions f in the kernel's Hilbert space::

        P(f) = alpha/2 ||f||^2 + 1/n sum_i c_i max(0, 1 - y_i f(x_i))

    where x_i is row i of X, y_i its label (1 for the class, -1 for the rest), c_i its weight (1 by default)
    and n the number of rows. This is SVC's objective with C = 1/(alpha n), but one-vs-rest and without an
    intercept. All classes use the same rows. The steps build up dual variables, which give a certificate,
    looser than SDCA's.

    Parameters
    ----------
    kernel : {"linear", "poly", "rbf", "sigmoid", "laplacian", "precomputed"} or callable, default="rbf"
        As in :class:`KernelSDCAClassifier`.
    alpha : float > 0, default=1e-4
        Regularisation strength, lambda in the paper.
    n_iter : int or None, default=None
        Number of steps (T in the paper), on rows drawn with replacement. None: ten times the number of rows.
    gamma : "scale", "auto" or float > 0, default="scale"
        "scale": 1 / (n_features * X.var()); "auto": 1 / n_features. A gaussian written
        exp(-||x - z||^2 / (2 g)) has gamma = 1 / (2 g).
    degree : int > 0, default=3
        The exponent of "poly". (1 + x.z)^n is gamma=1, coef0=1, degree=n.
    coef0 : float, default=0.0
        The constant in "poly" and "sigmoid".
    class_weight : dict, "balanced" or None, default=None
        Weights by label, multiplied into c_i; "balanced": n / (n_classes * count of the label).
    cache_size : float > 0, default=1024
        MiB of kernel values to keep, in fitting and predicting. Another size changes at most the last
        digits of single precision.
    n_jobs : int or None, default=None
        Number of threads; -1: all processors. Any number gives the same result.
    trace : bool, default=False
        Measure the objective and the gap after every epoch, not only after the last, and keep them in
        `history_`. An epoch is as many steps as X has rows. Implied by callbacks.
    verbose : bool, default=False
        Print a line for each class and epoch; implies `trace`.
    random_state : int, RandomState or None, default=None
        Seed of all random choices.

    Attributes
    ----------
    classes_, support_, support_vectors_, dual_coef_, gamma_ : as in :class:`KernelSDCAClassifier`
        dual_coef_ is a_i y_i / (alpha t_), where a_i is the number of steps that added row i.
    objective_ : float, or ndarray of shape (n_classes,)
        P at the solution; not after `partial_fit`.
    dual_gap_ : float, or ndarray of shape (n_classes,)
        Upper bound on `objective_` minus the minimum of P; not after `partial_fit`.
    history_ : structured ndarray, or a list with one array per class
        The fields epoch (the steps so far), seconds, primal, dual and gap of the epochs measured; not after
        `partial_fit`.
    t_ : int
        Steps taken; `partial_fit` continues from there.
    n_features_in_, feature_names_in_ : as in scikit-learn

    Notes
    -----
    There is no `warm_start`, since step t has length 1/(alpha t), and a new fit starts at t = 1.
    `partial_fit` continues from `fit`.

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

    _params = KernelPegasosParams

    @available_if(_compares_rows)
    @all_or_nothing
    def partial_fit(
        self,
        X: ArrayOrSparse,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Take a step on each row of X, in random order, continuing where the last call, or `fit`, stopped.

        There is no `objective_` or `dual_gap_`, which would be about this batch alone. `support_` numbers the
        rows from the first row of the first batch.

        Parameters
        ----------
        X, y, sample_weight : as in `fit`; the kernel cannot be "precomputed"
        classes : array of shape (n_classes,), default=None
            All labels of all batches; needed in the first call. `class_weight="balanced"` needs `fit`.

        Returns
        -------
        self
        """
        params = self._params.of(self)
        first = not hasattr(self, "classes_")
        X, y = self._validated(X, y, reset=first)
        targets = Targets(y, batch_classes(self, y, classes, params.class_weight))
        self.classes_ = targets.classes
        if first:
            self.gamma_ = gamma_to_use(params, X)
        done, seen = (0, 0) if first else (self.t_, self._n_rows_seen())
        with one_blas_thread:
            scores = None if first else np.ascontiguousarray(self._scores(X).T) * (params.alpha * done)
            problem = KernelProblem(
                make_gram(X, params, self.gamma_, self._threads()),
                targets.all_signs(),
                targets.weights(params.class_weight, sample_weight),
                relative=False,
            )
            solver = KernelPegasosSolver(problem, params.alpha, done, scores)
            order = as_random(params.random_state).permutation(len(y))
            solver.run_epoch(order.astype(np.int32))
        support, vectors, coef = support_of(params, X, solver.coef)
        if not first:
            support = np.concatenate([self.support_, support + np.int32(seen)])
            coef = np.hstack([self.dual_coef_ * (done / solver.t), coef])
            stack = np.vstack
            if sparse.issparse(self.support_vectors_) or sparse.issparse(X):
                stack = partial(sparse.vstack, format="csr")
            vectors = stack([self.support_vectors_, vectors])
        forget_fit(self)
        self.support_, self.dual_coef_, self.support_vectors_ = support, coef, vectors
        self.intercept_ = np.zeros(len(coef))
        self.t_, self._n_rows = solver.t, seen + len(y)
        return self

    def _n_rows_seen(self):
        """Return the number of rows so far; for a model from a file, up to the last row of its support."""
        return getattr(self, "_n_rows", int(self.support_.max(initial=-1)) + 1)
