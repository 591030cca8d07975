"""The choice of parameters by cross-validation: folds, scores, and metadata for splitter and scorer."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn import get_config
from sklearn.metrics import get_scorer
from sklearn.model_selection import check_cv
from sklearn.utils import Bunch
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing

from ..fitting.convergence_advice import fit_ends, warn_if_short
from ..fitting.fit import all_or_nothing
from ..fitting.labels import known_labels, targets_of
from ..solvers._input import as_weights
from ..solvers._mapped_rows import rows_at
from .callbacks import StepCallbacks, with_callbacks

if TYPE_CHECKING:
    from typing import Self

    from ..solvers.annotations import ArrayLike, ArrayOrSparse


class FoldFit(NamedTuple):
    """A fit to a fold's training rows.

    Attributes
    ----------
    model : fitted classifier
    rows : callable, which reads the fold's test rows
    dual : array of shape (n_problems, n)
        Dual variables of all rows.
    intercept : array of shape (n_problems,)
    objective, gap, n_iter : arrays of shape (n_problems,)
    """

    model: Any
    rows: Any
    dual: Any
    intercept: Any
    objective: Any
    gap: Any
    n_iter: Any


class Search(NamedTuple):
    """The fits of a choice of parameters.

    Attributes
    ----------
    candidates : list of (name, alpha), in the order of a table of this `shape`
    shape : tuple of int
    fits : generator of the fits of each candidate, a FoldFit for each fold
    final : callable
        From the place of the best candidate, dual variables and intercepts to start from, and the number of
        candidates tried, it returns the fit of this candidate to all rows, and a FitEnd for each problem.
    """

    candidates: list
    shape: tuple
    fits: Any
    final: Any


class CrossValidated:
    """A classifier that chooses parameters by cross-validation.

    It is the first base of a classifier that has the parameters `cv`, `scoring`, `tol` and `verbose`, checks
    its own in `_check_params`, and makes a `Search` in `_search`.
    """

    tol: Any
    max_iter: Any
    _check_params: Any
    _validated: Any
    _search: Any
    _warning: Any

    @all_or_nothing
    @with_callbacks
    def fit(self, X: ArrayOrSparse, y: ArrayLike, sample_weight: ArrayLike | None = None, **params) -> Self:
        """Choose the parameters by cross-validation, and fit with them to all rows.

        A fit that fails or is interrupted leaves the estimator as it was.

        Parameters
        ----------
        X, y, sample_weight : as in `SDCAClassifier.fit` or `KernelSDCAClassifier.fit`
            The scorer also receives sample_weight, if given.
        **params : dict
            `groups` of shape (n_samples,) for the splitter; with metadata routing enabled, everything that
            splitter and scorer request.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        ValueError
            As in that `fit`; also if the training rows of a fold lack a class, or no mean score is finite.
        MemoryError
            As in that `fit`.

        Warns
        -----
        ConvergenceWarning
            Once, if the largest gap is above `tol`.
        """
        self._check_params()
        X, y = self._validated(X, y)
        targets = targets_of(y)
        self.classes_ = targets.classes
        routed = self._routed_params(sample_weight, params)
        folds = self._cv_folds(X, y, sample_weight, routed)
        search = self._search(X, targets, sample_weight, folds)
        steps = StepCallbacks(self, X, y, sample_weight)
        steps.start(len(search.candidates) + 1)
        with closing(search.fits):
            best, n_tried, ends = self._choose_by_folds(search, folds, y, routed.scorer.score, steps)
        name, _ = search.candidates[np.ravel_multi_index(best[0], search.shape)]
        steps.begin_step(f"final fit at {name}")
        fit, final_ends = search.final(*best, n_tried)
        fit.set_attributes(self)
        steps.end_step()
        steps.finish()
        of_columns = None if getattr(self, "_precomputed", False) else X
        warn_if_short([*ends, *final_ends], self.tol, of_columns, self.max_iter, category=self._warning)
        return self

    def _choose_by_folds(self, search, folds, y, scorer_params, steps):
        """Fit and score all candidates on the folds; set `scores_` and the like.

        Returns
        -------
        best : (place, dual, intercept), the place of the best candidate, and means over the folds
        n_tried : int, candidates before a callback stopped the search
        ends : list of FitEnd, of all fits
        """
        targets, tests = targets_of(y), [test for _, test in folds]
        trained = np.concatenate([np.unique(train) for train, _ in folds])
        trained = np.bincount(trained, minlength=targets.n_rows)
        self.scores_ = np.full((*search.shape, len(tests)), np.nan)
        self.cv_objectives_, self.cv_dual_gaps_ = np.full(
            (2, *self.scores_.shape, len(targets.labels)), np.nan
        )
        plain = self.scoring in (None, "accuracy") and not targets.is_several
        scorer = _accuracy if plain else self._scorer()
        best_mean, best, ends, n_tried = -np.inf, None, [], 0
        for place, (name, alpha) in zip(np.ndindex(*search.shape), search.candidates, strict=True):
            steps.begin_step(name)
            fits, n_tried = next(search.fits), n_tried + 1
            scores = self.scores_[place] = [
                scorer(each.model, each.rows(), y[test], **_params_of_fold(scorer_params, test))
                for each, test in zip(fits, tests, strict=True)
            ]
            self.cv_objectives_[place] = [each.objective for each in fits]
            self.cv_dual_gaps_[place] = [each.gap for each in fits]
            ends += [end for each in fits for end in fit_ends(each.objective, each.gap, each.n_iter, alpha)]
            mean = np.mean(scores)
            if self.verbose:
                print(f"{name}  score {mean:.4f} +- {np.std(scores):.4f}")
            if mean > best_mean:
                dual = sum(np.asarray(each.dual) for each in fits)
                dual /= np.maximum(trained, 1)
                best_mean, best = mean, (place, dual, np.mean([each.intercept for each in fits], axis=0))
            del fits  # their dual variables, before the next are computed
            if steps.end_step():
                break
        if best is None:
            raise ValueError("scoring gave no finite mean score for any of the candidates.")
        self.mean_scores_ = self.scores_.mean(axis=-1)
        return best, n_tried, ends

    def _cv_folds(self, X, y, sample_weight, routed):
        """Return the folds, each (train, test), of the rows that have a weight; given folds as they are."""
        n = y.shape[0]
        params, rows = routed.splitter.split, np.flatnonzero(as_weights(sample_weight, n))
        given = np.iterable(self.cv) and not hasattr(self.cv, "split")
        if given or len(rows) in (0, n):  # 0: no weights
            rows, X_of_folds, y_of_folds = np.arange(n), X, y
        else:
            X_of_folds, y_of_folds, params = rows_at(X, rows), y[rows], _params_of_fold(params, rows)
        rows = rows.astype(np.int32)
        folds = check_cv(self.cv, y_of_folds, classifier=True).split(X_of_folds, y_of_folds, **params)
        return [(rows[train], rows[test]) for train, test in folds]

    def _fold_weights(self, targets, sample_weight, k, train):
        """Return the weights of all rows in the k-th fold, 0 outside `train`: a function of the problem."""
        fold = targets.taken(train)
        for label in [] if fold.is_several else np.setdiff1d(fold.classes, fold.y).tolist():
            raise ValueError(
                f"The training rows of fold {k} lack class {label!r}: use fewer or stratified folds, "
                "or give rows of this class a positive weight."
            )
        given = None if sample_weight is None else np.asarray(sample_weight)[train]
        own = fold.weights_of(self.class_weight, given)

        def spread(weights):
            everywhere = np.zeros(targets.n_rows)
            np.add.at(everywhere, train, 1.0 if weights is None else weights)
            return everywhere

        first, shared = own(0), spread(own(0))  # mostly the same array for all
        return lambda problem: shared if (weights := own(problem)) is first else spread(weights)

    def _scorer(self):
        return get_scorer("accuracy" if self.scoring is None else self.scoring)

    def score(self, X, y, sample_weight=None):
        """Return the score that `scoring` defines, accuracy by default.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,)
        sample_weight : array of shape (n_samples,), default=None

        Returns
        -------
        float
        """
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        return self._scorer()(self, X, known_labels(y), **weights)

    def _routed_params(self, sample_weight, params):
        """Return the parameters of `fit` for the splitter and the scorer."""
        if get_config()["enable_metadata_routing"]:
            return process_routing(self, "fit", sample_weight=sample_weight, **params)
        unknown = params.keys() - {"groups"}
        if unknown:
            raise TypeError(f"fit has no parameter {min(unknown)!r}, unless metadata routing is enabled.")
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        return Bunch(splitter=Bunch(split=params), scorer=Bunch(score=weights))

    def get_metadata_routing(self):
        """Return the routing of metadata to `fit` itself, the splitter and the scorer.

        Returns
        -------
        MetadataRouter
        """
        return (
            MetadataRouter(owner=type(self).__name__)
            .add_self_request(self)
            .add(splitter=check_cv(self.cv), method_mapping=MethodMapping().add(caller="fit", callee="split"))
            .add(scorer=self._scorer(), method_mapping=MethodMapping().add(caller="fit", callee="score"))
        )


def _params_of_fold(params, test):
    """Return the scorer's parameters for these rows."""
    return {name: np.asarray(value)[test] for name, value in params.items() if value is not None}


def _accuracy(model, X, y, sample_weight=None):
    """Return what scikit-learn's scorer does, in a quarter of the time; threads of fits may wait for it."""
    if sample_weight is not None and not sample_weight.any():
        raise ValueError("The test rows of a fold of cv all have weight 0: leave this fold out.")
    return float(np.average(model.predict(X) == y, weights=sample_weight))


def fold_decision(scores, test):
    """Return the scores of the test rows as `decision_function` does, from scores of all rows."""
    scores = np.ascontiguousarray(scores[:, test].T)
    return scores.ravel() if scores.shape[1] == 1 else scores
