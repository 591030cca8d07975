"""SDCAClassifier with alpha chosen by cross-validation."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from sklearn.utils import check_random_state

from ..fitting.advice import Ended, warn_if_short
from ..fitting.engine import solve_all
from ..fitting.labels import signs_of
from ..fitting.one_vs_rest import all_or_nothing
from ..fitting.path import Path, as_alphas, largest_alpha
from ..solvers import LOSSES, as_rows
from ..solvers._input import one_of
from ..solvers._problem import Problem
from .base import ConvergenceWarning, LinearClassifier
from .callbacks import Steps, with_callbacks
from .cross_validation import CrossValidated, mean_over_folds, rows_of
from .linear import SDCAClassifier

if TYPE_CHECKING:
    from ..solvers.annotations import ArrayLike, Callable, ClassWeight, EstimatorSeed

__all__ = ["SDCAClassifierCV"]


@dataclass(eq=False, repr=False)
class SDCAClassifierCV(CrossValidated, LinearClassifier):
    """`SDCAClassifier` with alpha chosen by cross-validation, every fit of it certified.

    Minimises, for each alpha, each fold's training rows and each class against the rest::

        P(w, b0) = alpha/2 ||w||^2 + 1/n sum_i c_i phi(y_i (w.x_i + b0))

    and then, at the alpha of the best mean score, the same over all rows. The alphas are a path: each fit
    starts from those at larger alpha. The folds share one X: in each, the other rows have weight 0 and
    alpha is multiplied by n_train/n, which is the problem of the training rows alone.

    Parameters
    ----------
    loss : {"hinge", "squared_hinge", "smooth_hinge", "log"}, default="hinge"
        As in `SDCAClassifier`.
    alphas : array of shape (n_alphas,), default=None
        Regularisation strengths to choose from. By default `n_alphas` in geometric progression from
        the largest that matters (see `sdca_path`; of all classes) down to `eps` times that.
    n_alphas : int, default=10
        Half as many as `sdca_path` has, as each is fitted for every fold.
    eps : float in (0, 1), default=1e-4
    cv : int, splitter or iterable, default=None
        Stratified folds, 5 by default; or as in scikit-learn. GroupKFold and the like get the `groups`
        of `fit`.
    scoring : str, callable or None, default=None
        What to choose by, as in scikit-learn; None for accuracy.
    max_iter : int, default=1000
        Most epochs of each fit.
    tol : float > 0 or None, default=1e-3
        Relative duality gap of each fit, gap / P.
    fit_intercept : bool, default=True
        False: b0 = 0.
    class_weight : dict, "balanced" or None, default=None
        Weights by label, multiplied into c_i; "balanced": n / (n_classes * count of the label) in the
        training rows.
    n_jobs : int or None, default=None
        Threads, over folds and classes first; -1 for all processors. Does not change the result.
    verbose : bool, default=False
        Print a line an alpha.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    alpha_ : float
        The alpha of the best mean score; the largest of equals.
    alphas_ : ndarray of shape (n_alphas,), decreasing
    scores_ : ndarray of shape (n_alphas, n_folds)
        On each fold's test rows.
    mean_scores_ : ndarray of shape (n_alphas,)
    cv_objectives_, cv_dual_gaps_ : ndarrays of shape (n_alphas, n_folds, n_problems)
        P of each fit, in the folds' own terms, and its gap; there is one problem, or one a class.
    classes_, coef_, intercept_, dual_coef_, objective_, dual_gap_, n_iter_, history_, solver_,
    n_features_in_, feature_names_in_ : as in `SDCAClassifier`, of the fit at `alpha_` on all rows

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

    loss: str = "hinge"
    _: KW_ONLY
    alphas: ArrayLike | None = None
    n_alphas: int = 10
    eps: float = 1e-4
    cv: object = None
    scoring: str | Callable | None = None
    max_iter: int = 1000
    tol: float | None = 1e-3
    fit_intercept: bool = True
    class_weight: ClassWeight = None
    n_jobs: int | None = None
    verbose: bool = False
    random_state: EstimatorSeed = None

    def _check_params(self):
        super()._check_params()
        one_of("loss", self.loss, LOSSES)
        as_alphas(self.alphas, self.n_alphas, self.eps, lambda: 1.0)
        self._scorer()

    def _model(self, alpha):
        """What is fitted at one alpha."""
        shared = ("loss", "max_iter", "tol", "fit_intercept", "class_weight", "n_jobs")
        return SDCAClassifier(alpha=alpha, **{name: getattr(self, name) for name in shared})

    @all_or_nothing
    @with_callbacks
    def fit(self, X, y, sample_weight=None, **params):
        """Choose alpha and fit at it.

        A fit that fails or is interrupted leaves the estimator as it was.

        Parameters
        ----------
        X, y, sample_weight : as in `SDCAClassifier.fit`
            sample_weight, if given, is passed on to the scorer too.
        **params : dict
            `groups` of shape (n_samples,) for the splitter; with metadata routing enabled, whatever
            splitter and scorer ask for.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            As `SDCAClassifier.fit` does; if a fold trains on no row of some class, or no score is
            a number.

        Warns
        -----
        ConvergenceWarning
            Once, if any fit's gap is above `tol`, for the worst.
        """
        self._check_params()
        X, y = self._validated(X, y)
        self._set_classes(np.unique(y))
        routed = self._routed(sample_weight, params)
        folds = self._folds(X, y, routed)
        rows, random = as_rows(X), check_random_state(self.random_state)
        paths = [self._paths(rows, y, sample_weight, k, train, random) for k, (train, _) in enumerate(folds)]
        self.alphas_ = as_alphas(
            self.alphas, self.n_alphas, self.eps, lambda: self._largest_alpha(X, rows, y, sample_weight)
        )
        steps = Steps(self, X, y, sample_weight, len(self.alphas_) + 1)
        best, fits, scores = -np.inf, [], []
        for alpha in self.alphas_:
            steps.begin(f"alpha {alpha:.3g}")
            results = self._fit_folds(alpha, folds, paths, len(y))
            scores.append(self._score_folds(alpha, folds, results, X, y, routed.scorer.score))
            fits.append([[r._replace(w=None, dual=None, history=None) for r in fold] for fold in results])
            mean = np.mean(scores[-1])
            if self.verbose:
                print(f"alpha {alpha:.3e}  score {mean:.4f} +- {np.std(scores[-1]):.4f}")
            if mean > best:
                best, self.alpha_ = mean, float(alpha)
                duals = mean_over_folds(folds, [[r.dual for r in fold] for fold in results], len(y))
                intercepts = np.mean([[r.intercept for r in fold] for fold in results], axis=0)
            if steps.end():
                break
        if best == -np.inf:
            raise ValueError("scoring gave no finite mean score for any of the alphas.")
        self.alphas_ = self.alphas_[: len(scores)]
        self.scores_ = np.array(scores)
        self.mean_scores_ = self.scores_.mean(axis=1)
        self.cv_objectives_ = np.array([[[r.objective for r in fold] for fold in fit] for fit in fits])
        self.cv_dual_gaps_ = np.array([[[r.gap for r in fold] for fold in fit] for fit in fits])

        steps.begin(f"final fit at alpha {self.alpha_:.3g}")
        final = self._model(self.alpha_).set_params(random_state=random.randint(2**31 - 1))
        final._set_classes(self.classes_)
        solvers = final._solvers(X, y, sample_weight, self.max_iter, lambda k: (duals[k], intercepts[k]))
        results = solve_all(solvers, tol=self.tol, trace=False, n_threads=self._threads())
        final._set_results(results, X, y)
        vars(self).update({name: value for name, value in vars(final).items() if name.endswith("_")})
        steps.end()
        steps.finish()
        ended = [
            Ended.of(result, alpha)
            for alpha, fit in zip(self.alphas_, fits, strict=True)
            for fold in fit
            for result in fold
        ]
        ended += [Ended.of(result, self.alpha_) for result in results]
        warn_if_short(ended, self.tol, X, self.max_iter, category=ConvergenceWarning, stacklevel=5)
        return self

    def _paths(self, rows, y, sample_weight, k, train, random):
        """The k-th fold's problems, one a class, with weight 0 for what is not in `train`."""
        weights = self._fold_weights(y, sample_weight, k, train)
        options = {name: getattr(self, name) for name in ("loss", "fit_intercept", "max_iter", "tol")}
        return [
            Path(Problem(rows, signs_of(y, label), weights), np.array([seed], np.uint64), **options)
            for label, seed in zip(
                self._positives(), random.randint(2**31 - 1, size=len(self._positives())), strict=True
            )
        ]

    def _largest_alpha(self, X, rows, y, sample_weight):
        weights = self._weights(y, sample_weight)
        problems = (Problem(rows, signs_of(y, label), weights) for label in self._positives())
        return max(largest_alpha(X, problem, self.loss, self.fit_intercept) for problem in problems)

    def _fit_folds(self, alpha, folds, paths, n):
        """For each fold a list of Results, one a class."""
        jobs = [
            (path, alpha * len(train) / n)
            for (train, _), of_fold in zip(folds, paths, strict=True)
            for path in of_fold
        ]
        solvers = [(None, partial(path.make_solver, own_alpha)) for path, own_alpha in jobs]
        results = solve_all(solvers, tol=self.tol, trace=False, n_threads=self._threads())
        for (path, own_alpha), result in zip(jobs, results, strict=True):
            path.add(own_alpha, result)
        size = len(self._positives())
        return [results[k : k + size] for k in range(0, len(results), size)]

    def _score_folds(self, alpha, folds, results, X, y, params):
        scorer = self._scorer()
        scores = []
        for (_, test), of_fold in zip(folds, results, strict=True):
            model = self._model(alpha)
            model.classes_, model.n_features_in_ = self.classes_, X.shape[1]
            model.coef_ = np.array([r.w for r in of_fold], X.dtype)
            model.intercept_ = np.array([r.intercept for r in of_fold], X.dtype)
            scores.append(scorer(model, X[test], y[test], **rows_of(params, test)))
        return scores
