"""Naive Bayes ratios of each class, for the problem of this class against the rest."""

import numpy as np

from ..fitting.labels import as_targets
from ._counts import rows_of, with_values
from ._term_scores import weigh_terms
from .weighting import Weighting


class OwnRatios:
    """The log-count ratios of each class to all others, and rows weighted by these ratios.

    Attributes
    ----------
    presence : Weighting
        The weighting of a saved model: 1 for each term of a row. The ratios and norms are in the classifier.
    ratios : ndarray of shape (n_problems, n_features), float32
        One problem for two classes; otherwise one per class or label.
    """

    def fit(self, X, y):
        """Learn the ratios from counts above 0, as `Weighting("nb")` does for two classes.

        Parameters
        ----------
        X : CSR matrix of shape (n_samples, n_features)
            Counts.
        y : array of shape (n_samples,), or indicator matrix or LabelSets of several labels per row
            The label of each row.

        Returns
        -------
        self
            The fitted ratios.
        """
        self.presence = Weighting("binary", norm=None).fit(X)
        targets = as_targets(y, X.shape[0])
        totals = np.bincount(X.indices, minlength=X.shape[1])
        self.ratios = np.empty((len(targets.labels), X.shape[1]), np.float32)
        for k, ratios in enumerate(self.ratios):
            inside = np.bincount(X[targets.signs(k) > 0].indices, minlength=X.shape[1])
            every = (len(inside) + inside.sum()) / (len(inside) + (totals - inside).sum())
            ratios[:] = np.log((1 + inside) / (1 + totals - inside) / every)
        return self

    def transform(self, X):
        """Return 1 for each count above 0.

        Parameters
        ----------
        X : CSR matrix of shape (n_samples, n_features)
            Counts.

        Returns
        -------
        CSR matrix of shape (n_samples, n_features)
            Ones where X is above 0.
        """
        return self.presence.transform(X)

    def fit_classifier(self, classifier, X, y, **options):
        """Fit an `SDCA` to the output of `transform`, each problem to rows weighted by its ratios.

        `coef_` becomes weights times ratios, and `squares_` the squares of the ratios. A row's score is its
        product with `coef_`, divided by the norm of the ratios of its terms.

        Parameters
        ----------
        classifier : SDCA
            The classifier to fit.
        X : CSR matrix of shape (n_samples, n_features)
            The output of `transform`.
        y : as in `fit`
            The label of each row.
        **options : any
            Passed to the classifier's `fit`.
        """
        classifier.fit(X, y, rows_of=lambda k: self.weighed(X, k), **options)
        classifier.coef_ *= self.ratios
        classifier.squares_ = np.square(self.ratios)

    def weighed(self, X, k):
        """Return the output of `transform`, weighted for the k-th problem; the indices are shared.

        Parameters
        ----------
        X : CSR matrix of shape (n_samples, n_features)
            The output of `transform`.
        k : int
            Number of the problem.

        Returns
        -------
        CSR matrix of shape (n_samples, n_features)
            The rows, weighted and scaled to norm 1.
        """
        values = X.data.copy()
        weigh_terms(values, *rows_of(X)[1:], self.ratios[k], True, True)
        return with_values(X, values)
