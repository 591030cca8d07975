"""Kernel machines with parameters chosen by cross-validation, over one kernel matrix for each gamma."""

from __future__ import annotations

import numpy as np
from sklearn.utils import check_random_state

from .._utils.threads import in_threads, one_blas_thread
from ..fitting.convergence_advice import fit_ends
from ..fitting.kernel import as_fit, support_of
from ..fitting.path import decreasing_alphas
from ..fitting.path_runs import best_dual_multiple
from ..solvers._mapped_rows import rows_at
from ..solvers.kernel._gram import make_gram
from ..solvers.kernel._kernel import gap_terms
from ..solvers.kernel._problem import KernelProblem
from ..solvers.kernel._values import gamma_of
from ..solvers.kernel.params import KernelSDCACVFields, KernelSDCAParams
from ..solvers.kernel.sdca_solver import KernelSDCASolver
from ..solvers.run import Watcher, run
from .cross_validation import CrossValidated, FoldFit, Search, fold_decision
from .kernel_base import KernelClassifier
from .kernel_sdca import KernelSDCAClassifier


class KernelSDCAClassifierCV(CrossValidated, KernelClassifier, KernelSDCACVFields, init=False):
    """`KernelSDCAClassifier` that chooses gamma and alpha by cross-validation, every fit with a certificate.

    It minimises, for each gamma, each alpha, each fold's training rows and each class against the rest::

        P(f) = alpha/2 ||f||^2 + 1/n sum_i c_i phi(y_i f(x_i))

    over functions f in the kernel's Hilbert space, and then, at the gamma and alpha with the best mean score,
    the same over all rows. Here x_i is row i of X, y_i its label (1 for the class, -1 for the rest), c_i its
    weight (1 by default), n the number of rows and phi the `loss`.

    The folds share the kernel matrix of all rows, which is computed once for each gamma and also gives the
    scores of the test rows. Each fit starts from the fit at the next larger alpha.

    Parameters
    ----------
    kernel : {"linear", "poly", "rbf", "sigmoid", "laplacian", "precomputed"} or callable, default="rbf"
        As in :class:`KernelSDCAClassifier`.
    loss : {"hinge", "squared_hinge", "smooth_hinge", "log"}, default="hinge"
        As in :class:`KernelSDCAClassifier`.
    gammas : list of float > 0, "scale" or "auto", default=None
        Gammas to choose from; by default 1/4, 1/2, 1, 2 and 4 times the "scale" of all rows. The
        kernels "linear", "precomputed" and callables do not use gamma.
    alphas : array of shape (n_alphas,), default=None
        Regularisation strengths to choose from; 1/(C n_samples) with C = 0.1, 1, 10 and 100 by default.
    degree : int > 0, default=3
        The exponent of "poly".
    coef0 : float, default=0.0
        The constant in "poly" and "sigmoid".
    cv : int, splitter or iterable, default=None
        Number of stratified folds, 5 by default; or a splitter as in scikit-learn. Group splitters, such
        as GroupKFold, get the `groups` of `fit`.
    scoring : str, callable or None, default=None
        The score that chooses gamma and alpha, as in scikit-learn; None for accuracy.
    max_iter : int, default=-1
        Maximum epochs per fit; an epoch has as many steps as its working set has rows. -1: no limit.
    tol : float > 0 or None, default=1e-3
        Relative duality gap of each fit, gap / P.
    class_weight : dict, "balanced" or None, default=None
        Weights by label, multiplied into c_i; "balanced": n / (n_classes * count of the label) in the
        training rows.
    cache_size : float > 0, default=1024
        MiB of kernel values to keep. Any size gives the same result; if the kernel matrix does not fit, folds
        take turns and compute values again.
    n_jobs : int or None, default=None
        Number of threads, first over the folds; -1: all processors. Any number gives the same result.
    verbose : bool, default=False
        Print a line for each gamma and alpha.
    random_state : int, RandomState or None, default=None
        Seed of all random choices.

    Attributes
    ----------
    gamma_, alpha_ : float
        The values with the best mean score; of equal scores, the smallest gamma, then the largest alpha.
    gammas_ : ndarray of shape (n_gammas,), increasing
    alphas_ : ndarray of shape (n_alphas,), decreasing
    scores_ : ndarray of shape (n_gammas, n_alphas, n_folds)
        Scores on each fold's test rows; NaN for candidates after a callback ended the search.
    mean_scores_ : ndarray of shape (n_gammas, n_alphas)
    cv_objectives_, cv_dual_gaps_ : ndarrays of shape (n_gammas, n_alphas, n_folds, n_problems)
        P of each fit over its training rows, and its gap; for one problem, or one per class.
    classes_, support_, support_vectors_, dual_coef_, objective_, dual_gap_, n_iter_, history_,
    n_features_in_, feature_names_in_ : as in `KernelSDCAClassifier`, for the fit at `gamma_` and `alpha_` on
        all rows

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from fastsvm import KernelSDCAClassifierCV
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = KernelSDCAClassifierCV(random_state=0).fit(scale(X), y)
    >>> bool(model.mean_scores_.max() > 0.97)
    True
    """

    _params = KernelSDCAParams

    def _check_params(self):
        gammas = ["scale"] if self.gammas is None else self.gammas
        if isinstance(gammas, str) or not np.iterable(gammas) or not len(gammas):
            raise ValueError(f"gammas must be a list of positive numbers, 'scale' or 'auto'; got {gammas!r}.")
        for gamma in gammas:
            self._params_at(gamma, 1.0)
        self._alpha_grid(1)
        self._scorer()

    def _alpha_grid(self, n):
        return (
            1 / (n * np.array([0.1, 1, 10, 100])) if self.alphas is None else decreasing_alphas(self.alphas)
        )

    def _gamma_grid(self, X):
        if callable(self.kernel) or self.kernel in ("linear", "precomputed"):
            return np.ones(1)
        if self.gammas is None:
            return gamma_of("scale", X) * np.array([0.25, 0.5, 1, 2, 4])
        return np.unique([gamma_of(gamma, X) for gamma in self.gammas])

    def _params_at(self, gamma, alpha):
        return KernelSDCAParams.of(self, gamma=gamma, alpha=alpha)

    def _search(self, X, targets, sample_weight, folds):
        y, signs, grams = targets.y, targets.all_signs(), {}
        weights = [
            self._fold_weights(targets, sample_weight, k, train)(0) for k, (train, _) in enumerate(folds)
        ]
        *seeds, seed = check_random_state(self.random_state).randint(2**31 - 1, size=len(folds) + 1)
        self.gammas_, self.alphas_ = self._gamma_grid(X), self._alpha_grid(len(y))

        def final(place, dual, intercept, n_tried):
            self.gamma_, self.alpha_ = float(self.gammas_[place[0]]), float(self.alphas_[place[1]])
            gram, params = self._gram_of(X, self.gamma_, grams), self._params_at(self.gamma_, self.alpha_)
            gram.use_threads(self._threads())
            problem = KernelProblem(gram, signs, targets.weights(self.class_weight, sample_weight))
            with one_blas_thread:
                solver = KernelSDCASolver(problem, params, np.array([seed], np.uint64), dual)
                run(solver, params.tol, trace=False)
            fit = as_fit(params, X, self.classes_, self.gamma_, solver)
            return fit, fit_ends(fit.result.objective, fit.result.gap, fit.done, self.alpha_)

        candidates = [
            (f"gamma {gamma:.3g}, alpha {alpha:.3g}", alpha)
            for gamma in self.gammas_
            for alpha in self.alphas_.tolist()
        ]
        shape = len(self.gammas_), len(self.alphas_)
        return Search(candidates, shape, self._fold_fits(X, signs, folds, weights, seeds, grams), final)

    def _fold_fits(self, X, signs, folds, weights, seeds, grams):
        """Yield for each gamma and alpha a FoldFit of each fold."""
        for gamma in self.gammas_.tolist():
            path = None  # free one kernel matrix before making the next
            path = self._fold_fits_of_gamma(
                X, gamma, self._gram_of(X, gamma, grams), signs, folds, weights, seeds
            )
            yield from path

    def _gram_of(self, X, gamma, grams):
        """Return the kernel matrix at `gamma`, the only one in `grams`."""
        if gamma not in grams:
            grams.clear()
            grams[gamma] = make_gram(X, self, gamma, self._threads())
        return grams[gamma]

    def _fold_fits_of_gamma(self, X, gamma, gram, signs, folds, weights, seeds):
        """Yield for each alpha a FoldFit of each fold."""
        problems = [
            KernelProblem(gram, signs, of_fold, train)
            for of_fold, (train, _) in zip(weights, folds, strict=True)
        ]
        needed = np.unique(np.concatenate([train for train, _ in folds])).astype(np.int32)
        with one_blas_thread:
            n_workers = gram.share_threads(needed, len(folds), self._threads())
        fits = len(folds) * [None]
        for alpha in self.alphas_:
            params, stopping = self._params_at(gamma, alpha), []

            def solve(k, params=params, before=fits, stopping=stopping):
                gram.forget_uses()
                start = None if before[k] is None else _best_start(before[k], params)
                solver = KernelSDCASolver(problems[k], params, np.array([seeds[k]], np.uint64), start)
                run(solver, params.tol, trace=False, watchers=[_Stopped(stopping)])
                return solver

            with one_blas_thread:
                fits = in_threads(solve, range(len(folds)), n_workers, stopping.append)
            yield [self._fold_fit(params, X, test, fit) for (_, test), fit in zip(folds, fits, strict=True)]

    def _fold_fit(self, params, X, test, fit):
        model = _KernelFoldModel(**vars(params))
        model.classes_, model.n_features_in_, model.gamma_ = self.classes_, X.shape[1], params.gamma
        model.support_, model.support_vectors_, model.dual_coef_ = support_of(params, X, fit.coef)
        model.intercept_ = np.zeros(len(fit.coef))
        model.test_rows, model.test_scores = rows_at(X, test), fold_decision(fit.scores, test)
        intercept = np.zeros(len(fit.dual))
        return FoldFit(model, lambda: model.test_rows, fit.dual, intercept, fit.primal, fit.gap, fit.done)


class _KernelFoldModel(KernelSDCAClassifier):
    """A fold's classifier, with the scores of the fold's test rows."""

    def decision_function(self, X):
        return self.test_scores if X is self.test_rows else super().decision_function(X)


class _Stopped(Watcher):
    """Ends a run before its next round, once a list has an item."""

    def __init__(self, stopping):
        self.stopping = stopping

    def before(self, solver):
        if self.stopping:
            raise KeyboardInterrupt


def _best_start(solver, params):
    """Return for each class the multiple of a solution's dual variables with the best bound; see `Path`."""
    dual, shrinks = solver.dual, params.alpha / solver.alpha
    row_gaps, scores = np.empty(dual.shape[1]), solver.scores / shrinks

    def multiple(k):
        def bound(t):
            at = t * dual[k], t * scores[k], params.loss_entry.struct, row_gaps
            gap, losses, dual_margins = gap_terms(solver.problem.signs[k], solver.problem.weights, *at)
            return losses + dual_margins / 2 - gap

        return best_dual_multiple(bound, shrinks)[0] * dual[k]

    return np.array([multiple(k) for k in range(len(dual))])
