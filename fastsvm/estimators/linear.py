"""The linear classifiers, with scikit-learn's contract."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..fitting.fit import all_or_nothing, linear_warm_start
from ..solvers.params import ASDCAFields, ASDCAParams, SDCAFields, SDCAParams
from .base import LinearClassifier
from .callbacks import with_callbacks

if TYPE_CHECKING:
    from os import PathLike
    from typing import Self

    from ..solvers.annotations import ArrayLike, ArrayOrSparse


class SDCAClassifier(LinearClassifier, SDCAFields, init=False):
    """Linear SVM or logistic regression whose fit proves how close it is to the best possible objective.

    Stochastic dual coordinate ascent (SDCA) minimises, for each class against the rest::

        P(w, b0) = alpha/2 ||w||^2 + 1/n sum_i c_i phi(y_i (w.x_i + b0))

    or with penalty="l1" or "elasticnet", which give few columns a weight (by Newton steps on columns)::

        P(w, b0) = alpha (l1_ratio ||w||_1 + (1 - l1_ratio)/2 ||w||^2) + 1/n sum_i c_i phi(y_i (w.x_i + b0))

    where x_i is row i of X, y_i its label (1 for the class, -1 for the rest), c_i its weight (1 by default),
    n the number of rows and phi the `loss`; w becomes `coef_` and b0 `intercept_`. The intercept is not
    regularised. The fit stops when the duality gap proves that P is within `tol` (relative) of its minimum.
    LinearSVC and LogisticRegression have this objective with C = 1/(alpha n), SGDClassifier with the same
    alpha.

    Parameters
    ----------
    loss : {"hinge", "squared_hinge", "smooth_hinge", "log"}, default="hinge"
        phi(m) = max(0, 1-m) (SVM); its square; the hinge with its kink rounded; log(1 + exp(-m)) (logistic
        regression).
    hinge_width : float > 0, default=1.0
        Width g of the quadratic part of "smooth_hinge", which is (1-m)^2 / (2 g) for 1-g <= m <= 1,
        1 - g/2 - m below and 0 above. The narrower, the nearer to the hinge, and the
        slower. Other losses do not use it.
    alpha : float > 0, default=1e-4
        Regularisation strength: the larger, the smaller the weights.
    penalty : {"l2", "l1", "elasticnet"}, default="l2"
        "l1" ignores `l1_ratio`. "l1" and "elasticnet" are for loss="squared_hinge" and "log".
    l1_ratio : float from 0 to 1, default=0.5
        The share of the l1 norm in penalty="elasticnet".
    max_iter : int, default=1000
        Maximum number of epochs (passes over X).
    tol : float > 0 or None, default=1e-3
        Relative duality gap, gap / P, at which to stop. None: do `max_iter` epochs.
    fit_intercept : bool, default=True
        Fit an intercept b0, which is not regularised. False: b0 = 0.
    order : {"permutation", "random", "cyclic"}, default="permutation"
        Rows of an epoch: a new permutation, draws with replacement, or one permutation for all epochs.
    averaging : {"last", "tail", "random"}, default="last"
        Return the last iterate, the average over the second half of the steps, or one iterate drawn
        from it; the certificate is about the returned solution.
    average_from : int >= 0, default=None
        The number of steps, one per row, after which "tail" and "random" take the iterates (the last one, if
        there are fewer steps); by default half of max_iter * n.
    sgd_init : bool, default=False
        Make the first epoch modified SGD, in a milder form if alpha is large.
    solver : {"auto", "coordinate", "newton"}, default="auto"
        "coordinate": dual coordinate ascent. "newton": Newton's method, for few columns; its epochs are
        passes over all rows. "auto" chooses one, which `solver_` names.
    multi_class : {"ovr", "multinomial"}, default="ovr"
        "ovr": a problem for each class against the rest. "multinomial", for loss="log" and more than two
        classes: one problem, whose loss is log sum_k exp(s_ik) - s_iy for scores s_i; as in
        LogisticRegression, `predict_proba` is their softmax. It uses Newton's method, with one step per epoch
        and about 40 bytes per row and class. `objective_` and `dual_gap_` are then numbers, and `dual_coef_`
        is c_i (e_yi - p_i) / (alpha n), with p_i the probabilities of row i and e_yi 1 at its class. `coef_`
        differs from dual_coef_ @ X by at most sqrt(2 dual_gap_ / alpha).
    class_weight : dict, "balanced" or None, default=None
        Weights by label, multiplied into c_i; "balanced": n / (n_classes * count of the label). With several
        labels per row, each label's problem has its own two classes: rows with the label and rows without.
    warm_start : bool, default=False
        Start from the previous fit's dual variables and intercepts. They belong to its rows, so X must
        have the same rows in the same order; alpha, loss, weights and columns may have changed. A fit
        with another number of rows or other classes starts from zero.
    n_jobs : int or None, default=None
        Threads, over the one-vs-rest classes first; -1 for all processors. Does not change the result.
    trace : bool, default=False
        Measure objective and gap after every epoch (`history_`), not only when the certificate is
        needed. Implied by callbacks.
    verbose : bool, default=False
        Print one line per epoch; implies `trace`.
    random_state : int, RandomState or None, default=None
        Seed of all random choices: the same seed gives the same result.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features), of X's dtype
    intercept_ : ndarray of shape (1,) or (n_classes,), of X's dtype
    dual_coef_ : ndarray of shape (1, n_samples) or (n_classes, n_samples), float64
        y_i b_i / (alpha n) for the dual variables b_i, in SVC's scale: coef_ = dual_coef_ @ X, and
        \\|dual_coef_\\| <= c_i C for all losses but squared_hinge. With an l1 penalty it is another feasible
        point, which gives the bound.
    objective_ : float, or ndarray of shape (n_classes,)
        P at the solution.
    dual_gap_ : float, or ndarray of shape (n_classes,)
        Upper bound on `objective_` minus the minimum of P: no weights have an objective below
        `objective_ - dual_gap_`.
    n_iter_ : int
        Epochs; the highest number of any class.
    thresholds_ : ndarray of shape (n_labels,)
        Only after a fit to several labels per row: labels with scores above these are predicted. A fit sets
        all thresholds to 0.
    history_ : structured ndarray, or a list with one array per class
        The fields epoch, seconds, primal, dual and gap of the epochs measured.
    solver_ : str, or list with one per class where they differ
        The method used.
    n_features_in_, feature_names_in_ : as in scikit-learn

    References
    ----------
    Shalev-Shwartz & Zhang, JMLR 14 (2013), fig. 1 and sec. 5. Hsieh et al., ICML 2008. Yu, Huang & Lin,
    Mach. Learn. 85 (2011), for loss="log".

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from fastsvm import SDCAClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = SDCAClassifier(alpha=1e-2, random_state=0).fit(scale(X), y)
    >>> bool(model.dual_gap_ <= 1e-3 * model.objective_)
    True
    """

    _params = SDCAParams

    @all_or_nothing
    @with_callbacks
    def fit(
        self,
        X: ArrayOrSparse,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        checkpoint: str | PathLike[str] | None = None,
    ) -> Self:
        """Fit from scratch, or with `warm_start` from the last fit's solution.

        A fit that fails or is interrupted leaves the estimator as it was.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            float32 and float64, CSR or C-ordered, with int32 or int64 indices, are used without a copy;
            anything else is converted. The attributes take the dtype of X.
        y : array of shape (n_samples,), or indicator matrix of shape (n_samples, n_labels)
            Labels of any kind, two classes or more. Or several labels per row: 0 and 1, dense or sparse, with
            one column per label, each of which is a separate problem.
        sample_weight : array of shape (n_samples,), default=None
            Non-negative weights c_i, multiplied by `class_weight` and then divided by their mean: a row of
            weight 2 counts twice, a row of weight 0 not at all.
        checkpoint : str or path-like, default=None
            A file for the dual variables, 8 bytes per row and class, written every 10 seconds at most. If the
            file exists, the fit resumes from it: rows, labels, weights, loss, alpha and intercept must be the
            same. A finished fit leaves the file, and a repeated one has nothing to do; delete it once the
            model is safe.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        ValueError
            On bad parameters, NaN or infinite values (with row and column), different lengths, a single
            class, or the checkpoint of another fit.
        BlockingIOError
            If another fit is writing the checkpoint.
        """
        return self._fit(X, y, sample_weight, start_of=linear_warm_start(self), checkpoint=checkpoint)


class ASDCAClassifier(LinearClassifier, ASDCAFields, init=False):
    """Linear classifier for studies of accelerated mini-batch SDCA; it has a certificate, too.

    It minimises, for each class against the rest::

        P(w, b0) = alpha/2 ||w||^2 + 1/n sum_i c_i phi(y_i (w.x_i + b0))

    where x_i is row i of X, y_i its label (1 for the class, -1 for the rest), c_i its weight (1 by default),
    n the number of rows and phi the `loss`; w becomes `coef_` and b0 `intercept_`. This is the objective of
    SDCAClassifier, which is faster. The fit stops when the duality gap proves that P is within `tol`
    (relative) of its minimum.

    Parameters
    ----------
    loss : {"smooth_hinge", "squared_hinge", "log"}, default="smooth_hinge"
        phi(m) = max(0, 1-m) with its kink rounded; max(0, 1-m)^2; log(1 + exp(-m)) (logistic regression).
    hinge_width : float > 0, default=1.0
        Width g of the quadratic part of "smooth_hinge", which is (1-m)^2 / (2 g) for 1-g <= m <= 1,
        1 - g/2 - m below and 0 above.
    alpha : float > 0, default=1e-4
        Regularisation strength: the larger, the smaller the weights.
    max_iter : int, default=1000
        Maximum number of epochs (passes over X).
    tol : float > 0 or None, default=1e-3
        Relative duality gap, gap / P, at which to stop. None: do `max_iter` epochs.
    fit_intercept : bool, default=True
        Fit an intercept b0, which is not regularised. False: b0 = 0.
    batch_size : int, default=8
        Mini-batch size: rows per step.
    theta : "paper" or float in (0, 1], default="paper"
        theta is the momentum. The paper's rule, which has a proof, takes it from `batch_size` and
        gamma alpha n / max_i c_i ||x_i||^2, where gamma is how smooth the loss is; see
        `fastsvm.solvers.asdca`.
    order : {"permutation", "batches"}, default="permutation"
        Rows of an epoch: a fresh permutation, cut into batches; or for each step a batch of different rows,
        drawn from all.
    averaging : {"last", "tail", "random"}, default="last"
        Return the last iterate, the average over the second half of the steps, or one iterate drawn from that
        half.
    average_from : int >= 0, default=None
        The number of steps, one per batch, after which "tail" and "random" take the iterates (the last one,
        if there are fewer steps); by default half of them.
    class_weight : dict, "balanced" or None, default=None
        Weights by label, multiplied into c_i; "balanced": n / (n_classes * count of the label). With several
        labels per row, each label's problem has its own two classes: rows with the label and rows without.
    n_jobs : int or None, default=None
        Threads over the one-vs-rest classes; -1 for all processors. Does not change the result.
    trace : bool, default=False
        Measure objective and gap after every epoch (`history_`), not only when the gap may be small
        enough. Implied by callbacks.
    verbose : bool, default=False
        Print one line per epoch; implies `trace`.
    random_state : int, RandomState or None, default=None
        Seed of all random choices: the same seed gives the same result.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features), of X's dtype
    intercept_ : ndarray of shape (1,) or (n_classes,), of X's dtype
    dual_coef_ : ndarray of shape (1, n_samples) or (n_classes, n_samples), float64
        y_i b_i / (alpha n) for the dual variables b_i that give the bound. dual_coef_ @ X equals coef_ in
        the limit only: both are within sqrt(2 dual_gap_ / alpha) of the optimum.
    objective_ : float, or ndarray of shape (n_classes,)
        P at the solution.
    dual_gap_ : float, or ndarray of shape (n_classes,)
        Upper bound on `objective_` minus the minimum of P: no weights have an objective below
        `objective_ - dual_gap_`.
    n_iter_ : int
        Epochs; the highest number of any class.
    thresholds_ : ndarray of shape (n_labels,)
        Only after a fit to several labels per row: labels with scores above these are predicted. A fit sets
        all thresholds to 0.
    history_ : structured ndarray, or a list with one array per class
        The fields epoch, seconds, primal, dual and gap of the epochs measured.
    n_features_in_, feature_names_in_ : as in scikit-learn

    References
    ----------
    Shalev-Shwartz & Zhang, Accelerated mini-batch stochastic dual coordinate ascent, NIPS 2013.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from fastsvm import ASDCAClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = ASDCAClassifier(alpha=0.1, random_state=0).fit(scale(X), y)
    >>> bool(model.dual_gap_ <= 1e-3 * model.objective_)
    True
    """

    _params = ASDCAParams

    @all_or_nothing
    @with_callbacks
    def fit(self, X: ArrayOrSparse, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit from scratch.

        A fit that fails or is interrupted leaves the estimator as it was.

        Parameters
        ----------
        X, y, sample_weight : as in `SDCAClassifier.fit`
            Rows, labels and weights.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        ValueError
            On bad parameters, NaN or infinite values (with row and column), different lengths, or a
            single class.
        """
        return self._fit(X, y, sample_weight)
