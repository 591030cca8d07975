"""SDCAClassifier with alpha chosen by cross-validation."""

from __future__ import annotations

from functools import partial

import numpy as np
from sklearn.utils import check_random_state

from ..fitting.engine import solve_in_order, workers_for
from ..fitting.fit import fit_linear
from ..fitting.path import as_alphas, largest_alpha
from ..fitting.path_runs import path_of
from ..solvers import as_rows
from ..solvers._mapped_rows import rows_at
from ..solvers._problem import Problem
from ..solvers.params import SDCACVFields, SDCAParams
from .base import LinearClassifier
from .cross_validation import CrossValidated, FoldFit, Search
from .linear import SDCAClassifier


class SDCAClassifierCV(CrossValidated, LinearClassifier, SDCACVFields, init=False):
    """`SDCAClassifier` that chooses alpha by cross-validation, with a certificate for every fit.

    It minimises, for each alpha, each fold's training rows and each class against the rest::

        P(w, b0) = alpha/2 ||w||^2 + 1/n sum_i c_i phi(y_i (w.x_i + b0))

    and then, at the alpha with the best mean score, the same over all rows. Here x_i is row i of X, y_i its
    label (1 for the class, -1 for the rest), c_i its weight (1 by default), n the number of rows and phi the
    `loss`; w becomes `coef_` and b0 `intercept_`.

    The alphas form a path: each fit starts from the fits at larger alphas. The folds share one X: rows
    outside the n_train training rows of a fold have weight 0, and alpha is multiplied by n_train/n. The
    solution is the same as for the training rows alone.

    Parameters
    ----------
    loss : {"hinge", "squared_hinge", "smooth_hinge", "log"}, default="hinge"
        As in `SDCAClassifier`.
    alphas : array of shape (n_alphas,), default=None
        Regularisation strengths to choose from. By default `n_alphas` in geometric progression from
        the largest that matters for any class (see `sdca_path`) down to `eps` times that.
    n_alphas : int, default=10
        Number of alphas if `alphas` is None: half as many as in `sdca_path`, as every fold fits them all.
    eps : float in (0, 1), default=1e-4
        The smallest alpha, as a share of the largest.
    penalty : {"l2", "l1", "elasticnet"}, default="l2"
        As in `SDCAClassifier`.
    l1_ratio : float from 0 to 1, default=0.5
        The share of the l1 norm in penalty="elasticnet".
    cv : int, splitter or iterable, default=None
        Number of folds, 5 by default, stratified with one label per row; or a splitter as in scikit-learn.
        Group splitters, such as GroupKFold, get the `groups` of `fit`.
    scoring : str, callable or None, default=None
        The score that chooses alpha, as in scikit-learn. None: accuracy. With several labels per row,
        accuracy counts only rows with all labels right, so "f1_micro" is usually the better choice. If X is
        memory-mapped, a callable may pass its X_test to the model's methods only.
    max_iter : int, default=1000
        Maximum number of epochs of each fit.
    tol : float > 0 or None, default=1e-3
        Relative duality gap of each fit, gap / P.
    fit_intercept : bool, default=True
        Fit an intercept b0, which is not regularised. False: b0 = 0.
    class_weight : dict, "balanced" or None, default=None
        Weights by label, multiplied into c_i; "balanced": n / (n_classes * count of the label) in the
        training rows.
    n_jobs : int or None, default=None
        Number of threads, first over folds and classes; -1: all processors. Any number gives the same result.
    verbose : bool, default=False
        Print one line per alpha.
    random_state : int, RandomState or None, default=None
        Seed of all random choices.

    Attributes
    ----------
    alpha_ : float
        The alpha with the best mean score; if several have it, the largest of them.
    alphas_ : ndarray of shape (n_alphas,), decreasing
    scores_ : ndarray of shape (n_alphas, n_folds)
        The scores on each fold's test rows.
    mean_scores_ : ndarray of shape (n_alphas,)
    cv_objectives_, cv_dual_gaps_ : ndarrays of shape (n_alphas, n_folds, n_problems)
        P of each fit over its training rows, times n_train/n, and its gap; for one problem, or one per class.
    classes_, coef_, intercept_, dual_coef_, objective_, dual_gap_, n_iter_, history_, solver_,
    n_features_in_, feature_names_in_ : as in `SDCAClassifier`, for the fit at `alpha_` on all rows

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from fastsvm import SDCAClassifierCV
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = SDCAClassifierCV(random_state=0).fit(scale(X), y)
    >>> bool(model.mean_scores_.max() > 0.97)
    True
    """

    _params = SDCAParams

    def _check_params(self):
        SDCAParams.of(self)
        as_alphas(self.alphas, self.n_alphas, self.eps, lambda: 1.0)
        self._scorer()

    def _search(self, X, targets, sample_weight, folds):
        params, random = SDCAParams.of(self), check_random_state(self.random_state)
        rows = as_rows(X, self._threads(), norms=True)
        weights = targets.weights_of(self.class_weight, sample_weight)

        def largest():
            problems = (Problem(rows, targets.signs(k), weights(k)) for k in range(len(targets.labels)))
            return max(largest_alpha(problem, params) for problem in problems) or 1.0

        self.alphas_ = as_alphas(self.alphas, self.n_alphas, self.eps, largest)
        paths = self._fold_paths(rows, targets, sample_weight, folds, random, params)

        def final(place, dual, intercept, n_tried):
            self.alpha_ = float(self.alphas_[place])
            for name in ("alphas_", "scores_", "mean_scores_", "cv_objectives_", "cv_dual_gaps_"):
                setattr(self, name, getattr(self, name)[:n_tried])
            starts = list(zip(dual, intercept, strict=True))
            fit = fit_linear(
                params.checked(alpha=self.alpha_, verbose=False, random_state=random.randint(2**31 - 1)),
                rows,
                targets,
                sample_weight,
                threads=self._threads(),
                start_of=None if params.l1_share else lambda targets: starts.__getitem__,
            )
            return fit, [end._replace(alpha=self.alpha_) for end in fit.short]

        candidates = [(f"alpha {alpha:.3g}", alpha) for alpha in self.alphas_]
        return Search(candidates, self.alphas_.shape, self._fit_folds(X, targets, folds, paths), final)

    def _fold_paths(self, rows, targets, sample_weight, folds, random, params):
        """Return the paths of all folds, one per class; rows outside the training rows have weight 0."""
        paths, n = [], targets.n_rows
        for k, (train, _) in enumerate(folds):
            weights_of, unscaled = self._fold_weights(targets, sample_weight, k, train), None
            alphas = self.alphas_ * (len(train) / n)
            for problem, seed in enumerate(random.randint(2**31 - 1, size=len(targets.labels))):
                if (found := weights_of(problem)) is not unscaled:
                    unscaled = found
                    weights = unscaled * (len(train) / unscaled.sum())
                own = Problem(rows, targets.signs(problem), weights, relative=False)
                paths.append(path_of(own, alphas, np.array([seed], np.uint64), params))
        return paths

    def _fit_folds(self, X, targets, folds, paths):
        """Yield a FoldFit for each fold, alpha by alpha."""
        batches = ([partial(path.result, k) for path in paths] for k in range(len(self.alphas_)))
        n_threads = workers_for(paths[0].problem.rows, self._threads())
        solved = solve_in_order(batches, len(paths), tol=self.tol, n_threads=n_threads)
        size = len(paths) // len(folds)
        for alpha, results in zip(self.alphas_, solved, strict=True):
            yield [
                self._fold_fit(alpha, X, targets, test, results[k * size : (k + 1) * size])
                for k, (_, test) in enumerate(folds)
            ]

    def _fold_fit(self, alpha, X, targets, test, results):
        model = SDCAClassifier(**vars(SDCAParams.of(self, alpha=alpha, verbose=False)))
        vars(model).update(targets.attributes(), n_features_in_=X.shape[1])
        w, dual, intercept, objective, gap, n_iter = zip(
            *((r.w, r.dual, r.intercept, r.objective, r.gap, r.n_iter) for r in results), strict=True
        )
        model.coef_, model.intercept_ = np.array(w, X.dtype), np.array(intercept, X.dtype)
        return FoldFit(model, partial(rows_at, X, test), dual, intercept, objective, gap, n_iter)
