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

    With penalty="l1" or "elasticnet", which give few columns a weight, Newton steps on columns minimise::

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
        1 - g/2 - m below and 0 above. With a smaller g, the loss is closer to the hinge, and the fit slower.
    alpha : float > 0, default=1e-4
        Regularisation strength: the larger, the smaller the weights.
    penalty : {"l2", "l1", "elasticnet"}, default="l2"
        "l1" and "elasticnet" need loss="squared_hinge" or "log".
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
        Return the last iterate, the average over the second half of the steps, or one iterate drawn from that
        half. The certificate is for the returned solution.
    average_from : int >= 0, default=None
        Number of steps, one per row, after which "tail" and "random" collect iterates; by default half of
        max_iter * n. After fewer steps, they return the last iterate.
    sgd_init : bool, default=False
        True: the first epoch is modified SGD. False: if alpha is large, a milder form.
    solver : {"auto", "coordinate", "newton"}, default="auto"
        "coordinate": dual coordinate ascent. "newton": Newton's method, for few columns; its epochs are
        passes over all rows. "auto" chooses one of these; `solver_` names it.
    multi_class : {"ovr", "multinomial"}, default="ovr"
        "ovr": one problem for each class against the rest. "multinomial", for loss="log" and more than two
        classes: one problem with the loss log sum_k exp(s_ik) - s_iy, where s_ik is the score of row i for
        class k, and y the class of the row. `predict_proba` is the softmax of the scores, as in
        LogisticRegression. The fit uses Newton's method, with one step per epoch and about 40 bytes per row
        and class. `objective_` and `dual_gap_` are then numbers, and `dual_coef_` is c_i (e_yi - p_i) /
        (alpha n), where p_i are the probabilities of row i, and e_yi is 1 at its class, 0 elsewhere. `coef_`
        differs from dual_coef_ @ X by at most sqrt(2 dual_gap_ / alpha).
    class_weight : dict, "balanced" or None, default=None
        Weights by label, multiplied into c_i; "balanced": n / (n_classes * count of the label). With several
        labels per row, each label's problem has its own two classes: rows with the label and rows without.
    warm_start : bool, default=False
        Start from the previous fit's dual variables and intercepts. Each variable belongs to a row, so X must
        have the same rows in the same order; alpha, loss, weights and columns may have changed. A fit with
        another number of rows or other classes starts from zero.
    n_jobs : int or None, default=None
        Number of threads, first over one-vs-rest classes; -1: all processors. Any number gives equal results.
    trace : bool, default=False
        Measure objective and gap after every epoch, and keep them in `history_`. Implied by callbacks.
    verbose : bool, default=False
        Print one line per epoch; implies `trace`.
    random_state : int, RandomState or None, default=None
        Seed of all random choices.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features), of X's dtype
    intercept_ : ndarray of shape (1,) or (n_classes,), of X's dtype
    dual_coef_ : ndarray of shape (1, n_samples) or (n_classes, n_samples), float64
        y_i b_i / (alpha n) for the dual variables b_i, in SVC's scale: coef_ = dual_coef_ @ X, and
        \\|dual_coef_\\| <= c_i C for all losses but squared_hinge. With an l1 penalty, dual_coef_ is a dual
        feasible point that gives the bound.
    objective_ : float, or ndarray of shape (n_classes,)
        P at the solution.
    dual_gap_ : float, or ndarray of shape (n_classes,)
        Upper bound on `objective_` minus the minimum of P: no weights have an objective below
        `objective_ - dual_gap_`.
    n_iter_ : int
        Number of epochs; with several classes, the largest.
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
            Labels of any kind, two classes or more. For several labels per row: a matrix of 0 and 1, dense or
            sparse; each column is a label, and a separate problem.
        sample_weight : array of shape (n_samples,), default=None
            Non-negative weights c_i, multiplied by `class_weight` and then divided by their mean: a row of
            weight 2 counts twice, a row of weight 0 not at all.
        checkpoint : str or path-like, default=None
            A file for the dual variables, 8 bytes per row and class, written at intervals of at least 10
            seconds. If the file exists, the fit resumes from it: rows, labels, weights, loss, alpha and
            `fit_intercept` must be the same. A finished fit keeps the file, and repeating the fit then takes
            no epochs; delete the file once the model is saved.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        ValueError
            On invalid parameters, NaN or infinite values (the message names row and column), different
            lengths, a single class, or the checkpoint of another fit.
        BlockingIOError
            If another fit is writing the checkpoint.
        """
        return self._fit(X, y, sample_weight, start_of=linear_warm_start(self), checkpoint=checkpoint)


class ASDCAClassifier(LinearClassifier, ASDCAFields, init=False):
    """Linear classifier fitted by accelerated mini-batch SDCA, with a certificate; for studies of SDCA.

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
        theta is the momentum. The paper's rule, whose convergence is proven, computes theta from `batch_size`
        and gamma alpha n / max_i c_i ||x_i||^2, where 1/gamma is the Lipschitz constant of phi'; see
        `fastsvm.solvers.asdca`.
    order : {"permutation", "batches"}, default="permutation"
        "permutation": cut a new permutation of the rows into the batches of an epoch. "batches": draw the
        distinct rows of each batch from all rows.
    averaging : {"last", "tail", "random"}, default="last"
        Return the last iterate, the average over the second half of the steps, or one iterate drawn from that
        half.
    average_from : int >= 0, default=None
        Number of steps, one per batch, after which "tail" and "random" collect iterates; by default half of
        all steps. After fewer steps, they return the last iterate.
    class_weight : dict, "balanced" or None, default=None
        Weights by label, multiplied into c_i; "balanced": n / (n_classes * count of the label). With several
        labels per row, each label's problem has its own two classes: rows with the label and rows without.
    n_jobs : int or None, default=None
        Number of threads over the one-vs-rest classes; -1: all processors. Any number gives the same result.
    trace : bool, default=False
        Measure objective and gap after every epoch, and keep them in `history_`. Implied by callbacks.
    verbose : bool, default=False
        Print one line per epoch; implies `trace`.
    random_state : int, RandomState or None, default=None
        Seed of all random choices.

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
        Number of epochs; with several classes, the largest.
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
            On invalid parameters, NaN or infinite values (the message names row and column), different
            lengths, or a single class.
        """
        return self._fit(X, y, sample_weight)
