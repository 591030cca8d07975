"""The linear classifiers, with scikit-learn's contract."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..fitting.fit import all_or_nothing, linear_warm_start
from ..solvers._input import as_random
from ..solvers.params import (
    ASDCAFields,
    ASDCAParams,
    PegasosFields,
    PegasosParams,
    PerceptronFields,
    PerceptronParams,
    SDCAFields,
    SDCAParams,
)
from .base import LinearClassifier, OnlineClassifier
from .callbacks import with_callbacks
from .certify import certify

if TYPE_CHECKING:
    from os import PathLike
    from typing import Self

    from ..solvers.annotations import ArrayLike, ArrayOrSparse


@dataclass(init=False, eq=False, repr=False)  # for editors, which show the parameters of such classes
class SDCAClassifier(LinearClassifier, SDCAFields):
    """Linear classifier fitted by stochastic dual coordinate ascent, with a certificate.

    Minimises, for each class against the rest::

        P(w, b0) = alpha/2 ||w||^2 + 1/n sum_i c_i phi(y_i (w.x_i + b0))

    and stops when the duality gap proves that P is within `tol` (relative) of its optimum. This is
    LinearSVC's and LogisticRegression's objective with C = 1/(alpha n), SGDClassifier's with the same
    alpha. The intercept b0 is not regularised.

    Parameters
    ----------
    loss : {"hinge", "squared_hinge", "smooth_hinge", "log"}, default="hinge"
        phi(m) = max(0, 1-m) (SVM); its square; the hinge with its kink rounded; log(1 + exp(-m)) (logistic
        regression).
    hinge_width : float > 0, default=1.0
        The g of "smooth_hinge": (1-m)^2 / (2 g) for 1-g <= m <= 1, 1 - g/2 - m below. The narrower, the
        nearer to the hinge, and the slower. Other losses have none.
    alpha : float > 0, default=1e-4
        Regularisation strength.
    max_iter : int, default=1000
        Most epochs, passes over X.
    tol : float > 0 or None, default=1e-3
        Relative duality gap, gap / P, at which to stop. None: do `max_iter` epochs.
    fit_intercept : bool, default=True
        False: b0 = 0.
    order : {"permutation", "random", "cyclic"}, default="permutation"
        Rows of an epoch: a new permutation, draws with replacement, or one permutation for all epochs.
    averaging : {"last", "tail", "random"}, default="last"
        Return the last iterate, the average over the second half of the steps, or one iterate drawn
        from it; the certificate is about the returned solution.
    average_from : int >= 0, default=None
        T_0: "tail" and "random" take the iterates after so many steps, one a row, or the last where there
        are no more; half of max_iter * n by default.
    sgd_init : bool, default=False
        Make the first epoch modified SGD.
    solver : {"auto", "coordinate", "newton"}, default="auto"
        "coordinate": dual coordinate ascent. "newton": Newton's method, for few columns; its epochs are
        passes over all rows. "auto" chooses one, which `solver_` names.
    multi_class : {"ovr", "multinomial"}, default="ovr"
        "ovr": a problem for each class against the rest. "multinomial", for loss="log" and more than two
        classes: one problem, whose loss is log sum_k exp(s_ik) - s_iy for scores s_i; as in
        LogisticRegression, `predict_proba` is their softmax. It takes Newton's method, with one step an
        epoch, and 40 bytes or so a row and class. `objective_` and `dual_gap_` are numbers then, and
        `dual_coef_` is c_i (e_yi - p_i) / (alpha n), from which `coef_` differs by at most
        sqrt(2 dual_gap_ / alpha).
    class_weight : dict, "balanced" or None, default=None
        Weights by label, multiplied into c_i; "balanced": n / (n_classes * count of the label).
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
        Print a line an epoch; implies `trace`.
    random_state : int, RandomState or None, default=None
        Seed of all random choices: the same seed gives the same result.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features), of X's dtype
    intercept_ : ndarray of shape (1,) or (n_classes,), of X's dtype
    dual_coef_ : ndarray of shape (1, n_samples) or (n_classes, n_samples), float64
        y_i b_i / (alpha n), SVC's scale: coef_ = dual_coef_ @ X, and \\|dual_coef_\\| <= c_i C for all
        losses but squared_hinge.
    objective_ : float, or ndarray of shape (n_classes,)
        P at the solution.
    dual_gap_ : float, or ndarray of shape (n_classes,)
        P minus a lower bound on its optimum, in units of P.
    n_iter_ : int
        Epochs of the class that needed most.
    history_ : structured ndarray, or a list of one a class
        The fields epoch, seconds, primal, dual and gap of the epochs measured.
    solver_ : str, or list of one a class where they differ
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
        y : array of shape (n_samples,)
            Labels of any kind, two classes or more.
        sample_weight : array of shape (n_samples,), default=None
            Non-negative weights c_i, multiplied by those of `class_weight` and then divided by their mean:
            2 is as a row twice, and 0 as none.
        checkpoint : str or path-like, default=None
            A file for the dual variables, 8 bytes a row and class, written every 10 seconds at most. If it is
            there, the fit goes on from it: it must be of the same rows, labels, weights, loss, alpha and
            intercept. A fit that is done leaves it, and has nothing to do the next time; remove it once the
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
        start_of = linear_warm_start(self) if self.warm_start else None
        return self._fit(X, y, sample_weight, start_of=start_of, checkpoint=checkpoint)


@dataclass(init=False, eq=False, repr=False)  # for editors, which show the parameters of such classes
class PegasosClassifier(OnlineClassifier, PegasosFields):
    """Linear classifier fitted by Pegasos, stochastic sub-gradient steps of length 1/(alpha t).

    Minimises, for each class against the rest::

        P(w, b0) = alpha/2 ||w||^2 + 1/n sum_i c_i phi(y_i (w.x_i + b0))

    This is SGDClassifier's objective with the same alpha. The steps build up dual variables, which give a
    certificate, looser than SDCA's.

    Parameters
    ----------
    loss : {"hinge", "squared_hinge", "smooth_hinge", "log", "modified_huber"}, default="hinge"
        phi(m) = max(0, 1-m) (SVM); its square; the hinge with its kink rounded; log(1 + exp(-m)) (logistic
        regression); the squared hinge that is -4 m below -1.
    alpha : float > 0, default=1e-4
        Regularisation strength.
    max_iter : int, default=20
        Epochs: passes over X, or n draws each.
    fit_intercept : bool, "same_step" or "search", default=True
        Step on b0 too, by min(1/(alpha t), 1/sqrt(t)), unregularised. "same_step": by 1/(alpha t), as w.
        "search": after the last step find the b0 with the least loss; not with `partial_fit`. False: b0 = 0.
    batch_size : int, default=1
        Rows a step.
    order : {"permutation", "random", "batches"}, default="permutation"
        Rows of an epoch: a fresh permutation, cut into batches; draws with replacement; or for each step a
        batch of different rows, drawn from all.
    project : bool, default=False
        Keep w in a ball that contains the optimum.
    averaging : {"last", "tail", "random"}, default="last"
        Return the last iterate, the average over the second half of the steps, or one iterate drawn from that
        half. `partial_fit` averages all its steps, of which the t-th weighs t, and draws from the second half
        of each call's.
    average_from : int >= 0, default=None
        T_0: "tail" and "random" take the iterates after so many steps, or the last where there are no more;
        by default half of the steps.
    early_stopping : bool, default=False
        Hold `validation_fraction` of the rows of each label out, and see by their error whether epochs still
        bring a class on. Not with `partial_fit`.
    validation_fraction : float in (0, 1), default=0.1
        The share of rows that `early_stopping` holds out.
    n_iter_no_change : int, default=5
        Stop after so many epochs in a row whose value is not below the least of an epoch so far by `tol`: the
        error of the rows held out or, without early stopping, the mean loss of rows as they are met. Then
        the tail average takes all steps, of which the t-th weighs t.
    tol : float > 0 or None, default=None
        None: 1e-3 with early stopping; else do `max_iter` epochs.
    shuffle : bool, default=True
        False: visit the rows in their order.
    class_weight : dict, "balanced" or None, default=None
        Weights by label, multiplied into c_i; "balanced": n / (n_classes * count of the label).
    warm_start : bool, default=False
        Go on from the last fit's `coef_` and `intercept_` (and Pegasos from step `t_`), if classes and
        columns are the same.
    n_jobs : int or None, default=None
        Threads over the one-vs-rest classes; -1 for all processors. Does not change the result.
    trace : bool, default=False
        Measure objective and gap after every epoch (`history_`), not only after the last, at one to two
        extra passes over X each.
    certify : bool, default=False
        True: find `dual_gap_` by `fastsvm.certify`, at most twice the true distance from the optimum (or
        1e-8 of the objective), at the cost of some epochs of SDCA. `history_` keeps the steps' own bound.
    verbose : bool, default=False
        Print a line an epoch; implies `trace`.
    random_state : int, RandomState or None, default=None
        Seed of all random choices: the same seed gives the same result.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features), of X's dtype
    intercept_ : ndarray of shape (1,) or (n_classes,), of X's dtype
    objective_ : float, or ndarray of shape (n_classes,)
        P at the solution.
    dual_gap_ : float, or ndarray of shape (n_classes,)
        P minus a lower bound on its optimum, in units of P.
    n_iter_ : int
        Epochs done.
    t_ : int
        Steps taken; `partial_fit` goes on from there.
    history_ : structured ndarray, or a list of one a class
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

    @all_or_nothing
    def fit(  # noqa: D102 (inherited)
        self,
        X: ArrayOrSparse,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        coef_init: ArrayLike | None = None,
        intercept_init: ArrayLike | None = None,
    ) -> Self:
        super().fit(X, y, sample_weight, coef_init=coef_init, intercept_init=intercept_init)
        if self.certify:
            [seed] = as_random(self.random_state).randint(2**31 - 1, size=1)
            proof = certify(self, X, y, sample_weight=sample_weight, random_state=int(seed))
            self.objective_, self.dual_gap_ = proof.objective, proof.gap
        return self

    fit.__doc__ = OnlineClassifier.fit.__doc__


@dataclass(init=False, eq=False, repr=False)  # for editors, which show the parameters of such classes
class PerceptronClassifier(OnlineClassifier, PerceptronFields):
    """Rosenblatt's perceptron, plain or averaged.

    Looks, for each class against the rest, for (w, b0) with y_i (w.x_i + b0) > 0 for all rows, by
    w += c_i y_i x_i and b0 += c_i y_i on each row where that fails. It has no regularisation; what is
    reported as objective is the mean perceptron loss 1/n sum_i c_i max(0, -y_i (w.x_i + b0)).

    Parameters
    ----------
    max_iter : int, default=10
        Most passes over X, each in a fresh permutation. A pass without a mistake is the last.
    tol : float > 0 or None, default=1e-3
        How far the mean loss must fall, for `n_iter_no_change`. None: the fit never stops for it.
    n_iter_no_change : int or None, default=None
        Stop, too, after so many passes in a row whose value is not below the least of a pass so far by `tol`:
        the mean loss of the rows as they are met or, with early stopping, the error of the rows held out.
        None: 5 with early stopping; else only a pass without a mistake ends the fit early.
    averaging : {"last", "all"}, default="last"
        Return the last iterate, or the average of all.
    fit_intercept : bool, default=True
        False: b0 = 0.
    early_stopping : bool, default=False
        Hold `validation_fraction` of the rows of each label out, and see by their error whether epochs still
        bring a class on. Not with `partial_fit`.
    validation_fraction : float in (0, 1), default=0.1
        The share of rows that `early_stopping` holds out.
    shuffle : bool, default=True
        False: visit the rows in their order.
    class_weight : dict, "balanced" or None, default=None
        Weights by label, multiplied into c_i; "balanced": n / (n_classes * count of the label).
    warm_start : bool, default=False
        Go on from the last fit's `coef_` and `intercept_` (and Pegasos from step `t_`), if classes and
        columns are the same.
    n_jobs : int or None, default=None
        Threads over the one-vs-rest classes; -1 for all processors. Does not change the result.
    trace : bool, default=False
        Measure the objective after every epoch (`history_`), not only after the last.
    verbose : bool, default=False
        Print a line an epoch; implies `trace`.
    random_state : int, RandomState or None, default=None
        Seed of all random choices: the same seed gives the same result.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features), of X's dtype
    intercept_ : ndarray of shape (1,) or (n_classes,), of X's dtype
    objective_ : float, or ndarray of shape (n_classes,)
        Mean perceptron loss; 0 if no row is on the wrong side.
    n_iter_ : int
        Passes done, by the class that needed most.
    history_ : structured ndarray, or a list of one a class
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


@dataclass(init=False, eq=False, repr=False)  # for editors, which show the parameters of such classes
class ASDCAClassifier(LinearClassifier, ASDCAFields):
    """Linear classifier fitted by accelerated mini-batch SDCA, with a certificate.

    Minimises, for each class against the rest::

        P(w, b0) = alpha/2 ||w||^2 + 1/n sum_i c_i phi(y_i (w.x_i + b0))

    SDCAClassifier's objective; it stops, too, when the duality gap proves that P is within `tol` (relative)
    of its optimum. SDCAClassifier is the faster one: this is for studies of the method.

    Parameters
    ----------
    loss : {"smooth_hinge", "squared_hinge", "log"}, default="smooth_hinge"
        phi(m) = max(0, 1-m) with its kink rounded; max(0, 1-m)^2; log(1 + exp(-m)) (logistic regression).
    hinge_width : float > 0, default=1.0
        The g of "smooth_hinge": (1-m)^2 / (2 g) for 1-g <= m <= 1, 1 - g/2 - m below.
    alpha : float > 0, default=1e-4
        Regularisation strength.
    max_iter : int, default=1000
        Most epochs, passes over X.
    tol : float > 0 or None, default=1e-3
        Relative duality gap, gap / P, at which to stop. None: do `max_iter` epochs.
    fit_intercept : bool, default=True
        False: b0 = 0.
    batch_size : int, default=8
        Rows a step.
    theta : "paper" or float in (0, 1], default="paper"
        Momentum. The paper's rule has a proof, and depends on gamma alpha n / max_i c_i ||x_i||^2 and on
        `batch_size`; see `fastsvm.solvers.asdca`.
    order : {"permutation", "batches"}, default="permutation"
        Rows of an epoch: a fresh permutation, cut into batches; or for each step a batch of different rows,
        drawn from all.
    averaging : {"last", "tail"}, default="last"
        Return the last iterate, or the average over the second half of the steps.
    class_weight : dict, "balanced" or None, default=None
        Weights by label, multiplied into c_i; "balanced": n / (n_classes * count of the label).
    n_jobs : int or None, default=None
        Threads over the one-vs-rest classes; -1 for all processors. Does not change the result.
    trace : bool, default=False
        Measure objective and gap after every epoch (`history_`), not only when the gap may be small
        enough. Implied by callbacks.
    verbose : bool, default=False
        Print a line an epoch; implies `trace`.
    random_state : int, RandomState or None, default=None
        Seed of all random choices: the same seed gives the same result.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features), of X's dtype
    intercept_ : ndarray of shape (1,) or (n_classes,), of X's dtype
    dual_coef_ : ndarray of shape (1, n_samples) or (n_classes, n_samples), float64
        y_i b_i / (alpha n) of the dual variables that give the bound. dual_coef_ @ X equals coef_ in the
        limit only: both are within sqrt(2 dual_gap_ / alpha) of the optimum.
    objective_ : float, or ndarray of shape (n_classes,)
        P at the solution.
    dual_gap_ : float, or ndarray of shape (n_classes,)
        P minus a lower bound on its optimum, in units of P.
    n_iter_ : int
        Epochs of the class that needed most.
    history_ : structured ndarray, or a list of one a class
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
