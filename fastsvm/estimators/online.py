"""The linear classifiers that learn step by step, and batch by batch: Pegasos and the perceptron."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..fitting.fit import all_or_nothing
from ..fitting.online import fit_batch, online_start, require_batches
from ..solvers._input import as_random
from ..solvers.params import PegasosFields, PegasosParams, PerceptronFields, PerceptronParams
from .base import LinearClassifier
from .callbacks import with_callbacks
from .certify import certify

if TYPE_CHECKING:
    from typing import Self

    from ..solvers.annotations import ArrayLike, ArrayOrSparse


class OnlineClassifier(LinearClassifier):
    """A linear classifier that can also learn batch by batch, and from a given start."""

    @all_or_nothing
    @with_callbacks
    def fit(
        self,
        X: ArrayOrSparse,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        coef_init: ArrayLike | None = None,
        intercept_init: ArrayLike | None = None,
    ) -> Self:
        """Fit from zero, from a given start, or with `warm_start` from the last fit's solution.

        A fit that fails or is interrupted leaves the estimator as it was.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            float32 and float64, CSR or C-ordered, with int32 or int64 indices, are used without a copy;
            anything else is converted. The attributes take the dtype of X.
        y : array of shape (n_samples,), or indicator matrix of shape (n_samples, n_labels)
            Labels of any kind, two classes or more. For several labels per row: a matrix of 0 and 1, dense or
            sparse; each column is a label, and a separate problem.
        sample_weight : array of shape (n_samples,), default=None
            Non-negative weights c_i, multiplied by `class_weight` and then divided by their mean: a row of
            weight 2 counts twice, a row of weight 0 not at all.
        coef_init : array of the shape of `coef_`, default=None
            Weights to start from. Steps are as short as after an epoch, so that the start is not lost.
        intercept_init : array of the shape of `intercept_`, default=None
            Intercepts to start from.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            On invalid parameters, NaN or infinite values (the message names row and column), different
            lengths, or a single class.
        """
        self._fit(X, y, sample_weight, start_of=online_start(self, coef_init, intercept_init))
        if getattr(self, "certify", False):
            [seed] = as_random(self.random_state).randint(2**31 - 1, size=1)
            proof = certify(self, X, y, sample_weight=sample_weight, random_state=int(seed))
            self.objective_, self.dual_gap_ = proof.objective, proof.gap
        return self

    @all_or_nothing
    def partial_fit(
        self,
        X: ArrayOrSparse,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Make one pass over X, continuing from where the last call, or `fit`, stopped.

        After `fit`, the pass starts from `coef_` and `intercept_`, and Pegasos from step `t_`. With
        averaging, the average is over the steps made in `partial_fit`. There is no `objective_` or
        `dual_gap_`.

        Parameters
        ----------
        X, y, sample_weight : as in `fit`
        classes : array of shape (n_classes,), default=None
            All labels of all batches; needed in the first call, except with several labels per row.
            `class_weight="balanced"` needs `fit`.

        Returns
        -------
        self
        """
        params = self._params.of(self, max_iter=1)
        require_batches(params)
        X, y = self._validated(X, y, reset=not hasattr(self, "classes_"))
        fit_batch(params, self, X, y, classes, sample_weight, self._threads()).set_attributes(self)
        return self


class PegasosClassifier(OnlineClassifier, PegasosFields, init=False):
    """Linear SVM or logistic regression that learns step by step, also from a stream of batches.

    Pegasos takes sub-gradient steps, the t-th of length 1/(alpha t). It minimises, for each class against the
    rest::

        P(w, b0) = alpha/2 ||w||^2 + 1/n sum_i c_i phi(y_i (w.x_i + b0))

    where x_i is row i of X, y_i its label (1 for the class, -1 for the rest), c_i its weight (1 by default),
    n the number of rows and phi the `loss`; w becomes `coef_` and b0 `intercept_`. SGDClassifier has this
    objective with the same alpha. The steps build up dual variables, which give a certificate, looser than
    SDCA's.

    Parameters
    ----------
    loss : {"hinge", "squared_hinge", "smooth_hinge", "log", "modified_huber"}, default="hinge"
        phi(m) = max(0, 1-m) (SVM); its square; the hinge with its kink rounded; log(1 + exp(-m)) (logistic
        regression); the squared hinge, but -4 m for m < -1.
    alpha : float > 0, default=1e-4
        Regularisation strength: the larger, the smaller the weights.
    max_iter : int, default=20
        Number of epochs, each a pass over X or n draws.
    fit_intercept : bool, "same_step" or "search", default=True
        Whether to fit an intercept b0, which is not regularised. True: its steps have length min(1/(alpha t),
        1/sqrt(t)). "same_step": 1/(alpha t), as for w. "search": find the b0 with the lowest loss after the
        last step; not with `partial_fit`. False: b0 = 0.
    batch_size : int, default=1
        Mini-batch size: rows per step.
    order : {"permutation", "random", "batches"}, default="permutation"
        "permutation": cut a new permutation of the rows into the batches of an epoch. "random": draw rows
        with replacement. "batches": draw the distinct rows of each batch from all rows.
    project : bool, default=False
        Keep w in a ball that contains the optimum.
    averaging : {"last", "tail", "random"}, default="last"
        Return the last iterate, the average over the second half of the steps, or one iterate drawn from that
        half. `partial_fit` averages all its steps, step t with weight t, or draws from the second half of
        each call's steps.
    average_from : int >= 0, default=None
        Number of steps after which "tail" and "random" collect iterates; by default half of all steps. After
        fewer steps, they return the last iterate.
    early_stopping : bool, default=False
        Hold out `validation_fraction` of the rows of each label, and stop a class when the error on the
        held-out rows no longer falls. Not with `partial_fit`.
    validation_fraction : float in (0, 1), default=0.1
        The share of rows that `early_stopping` holds out.
    n_iter_no_change : int, default=5
        Stop after `n_iter_no_change` epochs without an improvement of `tol`: in the error on the held-out
        rows or, without early stopping, in the mean loss of the rows, each measured before its step. With
        this rule, the tail average includes all steps, step t with weight t.
    tol : float > 0 or None, default=None
        Minimum improvement that counts for `n_iter_no_change`. None: 1e-3 with early stopping; else do
        `max_iter` epochs.
    shuffle : bool, default=True
        False: visit the rows in their given order.
    class_weight : dict, "balanced" or None, default=None
        Weights by label, multiplied into c_i; "balanced": n / (n_classes * count of the label). With several
        labels per row, each label's problem has its own two classes: rows with the label and rows without.
    warm_start : bool, default=False
        Continue from the last fit's `coef_`, `intercept_` and step `t_`, if classes and columns are the same.
    n_jobs : int or None, default=None
        Number of threads over the one-vs-rest classes; -1: all processors. Any number gives the same result.
    trace : bool, default=False
        Measure objective and gap after every epoch (`history_`), not only after the last. Each measurement
        takes one to two passes over X.
    certify : bool, default=False
        True: compute `dual_gap_` with `fastsvm.certify`, by epochs of SDCA. The gap is then at most twice the
        true distance from the optimum, or below 1e-8 of the objective. `history_` keeps Pegasos' bound.
    verbose : bool, default=False
        Print one line per epoch; implies `trace`.
    random_state : int, RandomState or None, default=None
        Seed of all random choices.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features), of X's dtype
    intercept_ : ndarray of shape (1,) or (n_classes,), of X's dtype
    objective_ : float, or ndarray of shape (n_classes,)
        P at the solution.
    dual_gap_ : float, or ndarray of shape (n_classes,)
        Upper bound on `objective_` minus the minimum of P: no weights have an objective below
        `objective_ - dual_gap_`.
    n_iter_ : int
        Epochs done.
    t_ : int
        Steps taken; `partial_fit` continues from there.
    thresholds_ : ndarray of shape (n_labels,)
        Only after a fit to several labels per row: labels with scores above these are predicted. A fit sets
        all thresholds to 0.
    history_ : structured ndarray, or a list with one array per class
        The fields epoch, seconds, primal, dual and gap of the epochs measured.
    n_features_in_, feature_names_in_ : as in scikit-learn

    References
    ----------
    Shalev-Shwartz, Singer, Srebro & Cotter, Math. Program. 127 (2011), fig. 1 and 2.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from fastsvm import PegasosClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> PegasosClassifier("log", alpha=1e-2, random_state=0).fit(scale(X), y).score(scale(X), y) > 0.97
    True
    """

    _params = PegasosParams


class PerceptronClassifier(OnlineClassifier, PerceptronFields, init=False):
    """Linear classifier without regularisation: Rosenblatt's perceptron, plain or averaged.

    For each class against the rest it looks for weights w (`coef_`) and an intercept b0 (`intercept_`) that
    separate the rows: y_i (w.x_i + b0) > 0 for all rows x_i with labels y_i (1 for the class, -1 for the
    rest). Each row for which this fails changes w and b0: w += c_i y_i x_i, b0 += c_i y_i, where c_i is the
    weight of the row (1 by default). `objective_` is the mean perceptron loss 1/n sum_i c_i max(0, -y_i
    (w.x_i + b0)). There is no certificate.

    Parameters
    ----------
    max_iter : int, default=10
        Maximum number of passes over X, each in a fresh permutation. A pass without a mistake is the last.
    tol : float > 0 or None, default=1e-3
        Minimum improvement that counts for `n_iter_no_change`. None: every pass counts as an improvement.
    n_iter_no_change : int or None, default=None
        Stop after `n_iter_no_change` passes without an improvement of `tol`: in the mean loss of the rows,
        each measured before its update, or, with early stopping, in the error on the held-out rows. None: 5
        with early stopping; else only a pass without a mistake ends the fit early.
    averaging : {"last", "all"}, default="last"
        Return the last iterate, or the average of all.
    fit_intercept : bool, default=True
        Fit an intercept b0, which is not regularised. False: b0 = 0.
    early_stopping : bool, default=False
        Hold out `validation_fraction` of the rows of each label, and stop a class when the error on the
        held-out rows no longer falls. Not with `partial_fit`.
    validation_fraction : float in (0, 1), default=0.1
        The share of rows that `early_stopping` holds out.
    shuffle : bool, default=True
        False: visit the rows in their given order.
    class_weight : dict, "balanced" or None, default=None
        Weights by label, multiplied into c_i; "balanced": n / (n_classes * count of the label). With several
        labels per row, each label's problem has its own two classes: rows with the label and rows without.
    warm_start : bool, default=False
        Continue from the last fit's `coef_` and `intercept_`, if classes and columns are the same.
    n_jobs : int or None, default=None
        Number of threads over the one-vs-rest classes; -1: all processors. Any number gives the same result.
    trace : bool, default=False
        Measure the objective after every epoch (`history_`), not only after the last.
    verbose : bool, default=False
        Print one line per epoch; implies `trace`.
    random_state : int, RandomState or None, default=None
        Seed of all random choices.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features), of X's dtype
    intercept_ : ndarray of shape (1,) or (n_classes,), of X's dtype
    objective_ : float, or ndarray of shape (n_classes,)
        Mean perceptron loss; 0 if no row is on the wrong side.
    n_iter_ : int
        Number of passes; with several classes, the largest.
    thresholds_ : ndarray of shape (n_labels,)
        Only after a fit to several labels per row: labels with scores above these are predicted. A fit sets
        all thresholds to 0.
    history_ : structured ndarray, or a list with one array per class
        The fields epoch, seconds and primal of the epochs measured; dual and gap are NaN.
    n_features_in_, feature_names_in_ : as in scikit-learn

    References
    ----------
    Rosenblatt, Psychol. Rev. 65 (1958). Freund & Schapire, Mach. Learn. 37 (1999).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from fastsvm import PerceptronClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> PerceptronClassifier(averaging="all", random_state=0).fit(scale(X), y).score(scale(X), y) > 0.97
    True
    """

    _params = PerceptronParams
