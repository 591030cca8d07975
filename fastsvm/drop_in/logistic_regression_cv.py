"""scikit-learn's LogisticRegressionCV, by paths of certified fits."""

import inspect
import warnings
from copy import copy
from numbers import Number

import numpy as np
import sklearn.linear_model
from joblib import Parallel, delayed
from sklearn import get_config
from sklearn.model_selection import check_cv

from .._utils.threads import number_of_threads
from ..estimators import base
from ..fitting.convergence_advice import ConvergenceWarning, fit_ends, warn_if_short
from ..solvers import as_rows
from .fallback import fall_back
from .linear_fits import FITTED, Scores, relative_gap, row_weights
from .logistic_regression import LogisticRegression, checked_for


class LogisticRegressionCV(Scores, sklearn.linear_model.LogisticRegressionCV):
    """scikit-learn's LogisticRegressionCV, with a certificate for every fit.

    For each fold and l1_ratio, the fits for all C form a path: each fit starts from the fits with smaller C.
    The objective is the one of `fastsvm.drop_in.LogisticRegression`.

    The parameters and attributes are scikit-learn's. With refit=True, there are also `objective_` and
    `dual_gap_` of the final fit, divided by C times the sum of the weights c_i. `n_iter_` is 0 where
    interpolating between two other solutions is within the tolerance. scikit-learn's own code handles an l1
    penalty with more than two classes, no penalty, folds that train on no row of a class, and metadata
    routing.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from fastsvm.drop_in import LogisticRegressionCV
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = LogisticRegressionCV(l1_ratios=[1], solver="saga", scoring="accuracy").fit(scale(X), y)
    >>> bool(model.scores_[1].mean(axis=0).max() > 0.97)
    True
    """

    def fit(self, X, y, sample_weight=None, **params):  # noqa: D102 (inherited)
        self._validate_params()
        given, ratios = (X, y, sample_weight), self.l1_ratios
        ratios = [None] if ratios is None or isinstance(ratios, str) else list(ratios)
        if params or not all(r is None or (isinstance(r, Number) and 0 <= r <= 1) for r in ratios):
            return super().fit(*given, **params)  # which mostly raises an error
        self.Cs_ = np.logspace(-4, 4, self.Cs) if isinstance(self.Cs, Number) else np.asarray(self.Cs, float)
        if (checked := checked_for(self, X, y, ratios, [np.float64])) is None:
            return super().fit(*given)
        X, y = checked
        folds = list(check_cv(self.cv, y, classifier=True).split(X, y))
        if any(len(np.unique(y[train])) < len(self.classes_) for train, _ in folds):
            fall_back(self, "folds that train on no row of a class")
            return super().fit(*given)
        weights = row_weights(self, X, y, sample_weight)
        as_rows(X, norms=True)  # which names a bad row by its number here, and not in a fold
        scorer = self._fold_scorer()

        def fold_path(train, test, ratio):
            own = None if weights is None else weights[train]
            model = self._model(l1_ratio=ratio)
            vars(model).update(classes_=self.classes_, n_features_in_=self.n_features_in_)
            options = {} if sample_weight is None else {"sample_weight": np.asarray(sample_weight)[test]}
            found, scores = model._found(X[train], y[train], own, self.Cs_), []
            for model.coef_, model.intercept_ in zip(found["coef_"], found["intercept_"], strict=True):
                scores.append(scorer(model, X[test], y[test], **options))
            return *map(found.get, FITTED), scores

        tasks = (delayed(fold_path)(*fold, ratio) for fold in folds for ratio in ratios)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # one for all fits follows
            found = Parallel(n_jobs=number_of_threads(self.n_jobs), prefer="threads")(tasks)
            coefs, intercepts, objectives, gaps, n_iters, scores = (
                np.reshape(part, (len(folds), len(ratios), *np.shape(part)[1:]))
                for part in zip(*found, strict=True)
            )
            self._choose(*given, coefs, intercepts, scores, ratios)
        ends = fit_ends(objectives.ravel(), gaps.ravel(), n_iters.ravel())
        if self.refit:
            last = np.ravel(self.objective_), np.ravel(self.dual_gap_), np.max(self.n_iter_)
            ends += fit_ends(*np.broadcast_arrays(*last))
        warn_if_short(ends, relative_gap(self.tol), X, self.max_iter, category=base.ConvergenceWarning)
        if self.fit_intercept:
            coefs = np.concatenate([coefs, intercepts[..., None]], axis=-1)
        self._set_paths(coefs, n_iters.astype(np.int32), scores, ratios)
        return self

    def _missing(self):
        """Return what fastsvm does not support of these parameters; "" if nothing."""
        if get_config()["enable_metadata_routing"]:
            return "metadata routing"
        return self._model(C=self.Cs_.max())._missing()

    def _model(self, **parameters):
        """Return a LogisticRegression with the same parameters, except those given."""
        own = self.get_params()
        shared = {name: own[name] for name in LogisticRegression().get_params().keys() & own.keys()}
        return LogisticRegression(**shared | parameters)

    def _fold_scorer(self):
        """Return the scorer, which knows the labels that are missing from the test rows of a fold."""
        scorer = self._get_scorer()
        names = inspect.signature(getattr(scorer, "_score_func", lambda: None)).parameters
        if "labels" not in names:
            return scorer
        known = {"labels": self.classes_}
        if "pos_label" in names and len(self.classes_) == 2:
            known["pos_label"] = self.classes_[1]
        scorer = copy(scorer)
        scorer._kwargs = known | scorer._kwargs
        return scorer

    def _choose(self, X, y, sample_weight, coefs, intercepts, scores, ratios):
        """Set `C_` and `l1_ratio_` to those with the best scores, and the coefficients to match."""
        scores = np.swapaxes(scores, 1, 2)
        scores = scores.sum(axis=0, keepdims=True) if self.refit else scores
        best = scores.reshape(len(scores), -1).argmax(axis=1)
        ks, of_ratios = np.unravel_index(best, scores.shape[1:])
        self.C_ = self.Cs_[ks].mean()
        if self.refit:
            self.l1_ratio_ = ratios[of_ratios[0]]
            model = self._model(C=self.C_, l1_ratio=self.l1_ratio_).fit(X, y, sample_weight)
            vars(self).update({name: getattr(model, name) for name in FITTED})
            return
        is_mixed = self.penalty == "elasticnet" or any(ratio not in (None, 0, 1) for ratio in ratios)
        self.l1_ratio_ = np.mean(np.asarray(ratios)[of_ratios]) if is_mixed or len(ratios) > 1 else 0.0
        best = np.arange(len(ks)), of_ratios, ks
        self.coef_, self.intercept_ = coefs[best].mean(axis=0), intercepts[best].mean(axis=0)

    def _set_paths(self, coefs, n_iters, scores, ratios):
        """Set the attributes of all fits, in the form of scikit-learn 1.10, or of earlier versions."""
        self.l1_ratios_ = np.asarray(ratios)
        if getattr(self, "use_legacy_attributes", True) is False:
            self.coefs_paths_, self.scores_, self.n_iter_ = coefs, scores, n_iters
            given = self.l1_ratio_ if ratios != [None] else self.penalty == "l1"
            self.C_, self.l1_ratio_ = float(self.C_), float(given)
            return
        labels = self.classes_[-coefs.shape[3] :]
        coefs, scores, n_iters = (np.swapaxes(part, 1, 2) for part in (coefs, scores, n_iters))
        if ratios == [None]:
            coefs, scores, n_iters = coefs[:, :, 0], scores[:, :, 0], n_iters[:, :, 0]
        self.n_iter_ = n_iters[None]
        self.scores_ = dict.fromkeys(labels, scores)
        self.coefs_paths_ = {label: coefs[..., k, :] for k, label in enumerate(labels)}
        self.C_, self.l1_ratio_ = (np.full(len(labels), each) for each in (self.C_, self.l1_ratio_))
