"""scikit-learn's LogisticRegressionCV, by paths of certified fits."""

import inspect
import warnings
from contextlib import nullcontext
from numbers import Number

import numpy as np
import sklearn.linear_model
from joblib import Parallel, delayed
from sklearn import get_config
from sklearn.metrics import make_scorer
from sklearn.model_selection import check_cv

from .._utils.threads import number_of_threads
from ..estimators.certify import with_column
from ..fitting.convergence_advice import ConvergenceWarning
from ..fitting.fit import fit_linear
from ..fitting.path import sdca_path
from ..solvers import as_rows
from ..solvers._input import as_random
from ..solvers.params import SDCAParams
from .fallback import fall_back
from .linear_fits import (
    Scores,
    alpha_of,
    checked_rows,
    fit_sdca,
    l1_share_of,
    penalty_of,
    relative_gap,
    row_weights,
)
from .logistic_regression import L1_OF_SEVERAL, LogisticRegression, is_refused


class LogisticRegressionCV(Scores, sklearn.linear_model.LogisticRegressionCV):
    """scikit-learn's LogisticRegressionCV, every fit of it certified.

    For each fold and l1_ratio, the fits of all C are a path: each starts from those of smaller C. The
    objective is that of `fastsvm.drop_in.LogisticRegression`.

    The parameters and attributes are scikit-learn's, and with refit=True `objective_` and `dual_gap_` of the
    last fit, divided by C sum_i c_i. `n_iter_` is 0 where a solution is one between two others. scikit-learn
    does what fastsvm has not: an l1 share with more than two classes, no penalty, folds that train on no row
    of a class, and metadata routing.

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
        ratios = None if isinstance(self.l1_ratios, str) else self.l1_ratios
        ratios = [None] if ratios is None else list(ratios)
        if params or not all(r is None or (isinstance(r, Number) and 0 <= r <= 1) for r in ratios):
            return super().fit(X, y, sample_weight, **params)  # which is mostly an error
        if is_refused(self, ratios):
            return super().fit(X, y, sample_weight)
        shares = [l1_share_of(self.penalty, ratio) for ratio in ratios]
        missing = self._missing()
        if not missing:
            given, (X, y) = (X, y), checked_rows(self, X, y, [np.float64])
            if self.solver == "liblinear" and len(self.classes_) > 2:
                return super().fit(*given, sample_weight)  # likewise
            folds = list(check_cv(self.cv, y, classifier=True).split(X, y))
            missing = self._missing_of_classes(y, folds, shares)
            if missing:
                X, y = given
        if missing:
            fall_back(self, missing)
            return super().fit(X, y, sample_weight)
        weights = row_weights(self, X, y, sample_weight)
        as_rows(X, norms=True)  # which names a bad row by its number here, and not in a fold
        scorer = self._fold_scorer()

        def fold_path(train, test, share):
            own = None if weights is None else weights[train]
            coefs, n_iters = self._path(X[train], y[train], own, share)
            given = {} if sample_weight is None else {"sample_weight": np.asarray(sample_weight)[test]}
            return coefs, n_iters, [scorer(self._model(w), X[test], y[test], **given) for w in coefs]

        tasks = (delayed(fold_path)(*fold, share) for fold in folds for share in shares)
        self.Cs_ = np.logspace(-4, 4, self.Cs) if isinstance(self.Cs, Number) else np.asarray(self.Cs, float)
        # The last fit says it if it stops short, too.
        quiet = warnings.catch_warnings(action="ignore", category=ConvergenceWarning)
        with quiet if self.refit else nullcontext():
            n_jobs = number_of_threads(self.n_jobs)
            found = zip(*Parallel(n_jobs=n_jobs, prefer="threads")(tasks), strict=True)
        shape = len(folds), len(ratios), len(self.Cs_)
        coefs, n_iters, scores = (np.reshape(part, (*shape, *np.shape(part)[2:])) for part in found)
        self._choose(X, y, weights, coefs, scores, ratios)
        self._set_paths(coefs, n_iters, scores, ratios)
        return self

    def _missing(self):
        """Return what these parameters need that fastsvm has not; "" if nothing."""
        if get_config()["enable_metadata_routing"]:
            return "metadata routing here"
        if not isinstance(self.Cs, Number) and np.isinf(self.Cs).any():
            return "fit without a penalty"
        return "" if self.max_iter else "fit of no iterations"

    def _missing_of_classes(self, y, folds, shares):
        """Return what these labels and folds need that fastsvm has not; "" if nothing."""
        n_classes = len(self.classes_)
        if any(shares) and n_classes > 2:
            return L1_OF_SEVERAL
        lack = any(len(np.unique(y[train])) < n_classes for train, _ in folds)
        return "fit to a fold that lacks a class" if lack else ""

    def _fold_scorer(self):
        """Return the scorer, which knows labels that the test rows of a fold may lack."""
        scorer = self._get_scorer()
        known = {"labels": self.classes_, "pos_label": self.classes_[-1]}
        if len(self.classes_) > 2:
            del known["pos_label"]
        score = getattr(scorer, "_score_func", None)
        names = () if score is None else inspect.signature(score).parameters
        if "labels" not in names:
            return scorer
        own = {name: value for name, value in known.items() if name in names} | scorer._kwargs
        asks = scorer._response_method
        return make_scorer(score, greater_is_better=scorer._sign == 1, response_method=asks, **own)

    def _model(self, w):
        """Return a fitted model of these coefficients, the intercept's last."""
        model = LogisticRegression()
        model.classes_, model.n_features_in_ = self.classes_, self.n_features_in_
        model.coef_, model.intercept_ = self._parts_of(w)
        return model

    def _parts_of(self, w):
        if self.fit_intercept:
            return np.ascontiguousarray(w[:, :-1]), w[:, -1].copy()
        return w.copy(), np.zeros(len(w))

    def _path(self, X, y, weights, l1_share):
        """Return the coefficients, (n_Cs, n_scores, n_features + 1 or 0), and the passes of each C."""
        order, column = np.argsort(self.Cs_, kind="stable"), None
        if self.solver == "liblinear" and self.fit_intercept:
            column = self.intercept_scaling
            X = with_column(X, column)
        options = {"loss": "log", "max_iter": self.max_iter, "tol": relative_gap(self.tol)}
        options |= {"fit_intercept": self.fit_intercept and column is None}
        options["random_state"] = as_random(self.random_state).randint(2**31 - 1)
        alphas = alpha_of(self.Cs_[order], X, weights)
        if len(self.classes_) == 2:
            path = sdca_path(
                *(X, y == self.classes_[1], alphas), sample_weight=weights, **options, **penalty_of(l1_share)
            )
            w, intercepts, n_iters = path.coefs[:, None], path.intercepts[:, None], path.n_iters
        else:
            w, intercepts, n_iters = self._joint_path(X, y, weights, alphas, options)
        if column is not None:
            w[..., -1] *= column
        elif self.fit_intercept:
            w = np.concatenate([w, intercepts[..., None]], axis=-1)
        back = np.argsort(order)
        return w[back], n_iters[back]

    def _joint_path(self, X, y, weights, alphas, options):
        """Return coefficients, intercepts and passes of the softmax's loss, each fit from the one before."""
        rows, fits = as_rows(X, norms=True), []
        params = SDCAParams(multi_class="multinomial", **options)
        for alpha in alphas:
            start_of = _start_at(fits[-1], alpha) if fits else None
            fits.append(fit_linear(params.checked(alpha=alpha), rows, y, weights, start_of=start_of))
        return (np.array([getattr(fit, name) for fit in fits]) for name in ("coef", "intercept", "n_iter"))

    def _choose(self, X, y, weights, coefs, scores, ratios):
        """Set C and l1_ratio of the best scores, and the coefficients there."""
        scores = np.swapaxes(scores, 1, 2)
        if self.refit:
            total = scores.sum(axis=0)
            k, ratio = np.unravel_index(np.argmax(total), total.shape)
            self.C_, self.l1_ratio_ = self.Cs_[k], ratios[ratio]
            found = fit_sdca(
                *(self, X, y, weights),
                loss="log",
                multi_class="ovr" if len(self.classes_) == 2 else "multinomial",
                alpha=alpha_of(self.C_, X, weights),
                tol=relative_gap(self.tol),
                constant=self.intercept_scaling if self.solver == "liblinear" else None,
                **penalty_of(l1_share_of(self.penalty, self.l1_ratio_)),
            )
            del found["n_iter_"]
            vars(self).update(found)
            return
        best = np.argmax(scores.reshape(len(scores), -1), axis=1)
        ks, of_ratios = np.unravel_index(best, scores.shape[1:])
        self.C_ = self.Cs_[ks].mean()
        is_mixed = self.penalty == "elasticnet" or any(ratio not in (None, 0, 1) for ratio in ratios)
        self.l1_ratio_ = np.mean(np.asarray(ratios)[of_ratios]) if is_mixed or len(ratios) > 1 else 0.0
        self.coef_, self.intercept_ = self._parts_of(
            np.mean([coefs[fold, of_ratios[fold], k] for fold, k in enumerate(ks)], axis=0)
        )

    def _set_paths(self, coefs, n_iters, scores, ratios):
        """Set the attributes of all fits, as scikit-learn has them since 1.10, or before."""
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


def _start_at(fit, alpha):
    """Return what the fit at another alpha starts from, as `fit_linear` asks for it: the same weights."""
    start = fit.dual_coef * (alpha * fit.n_rows), fit.intercept
    return lambda targets: lambda k: start
