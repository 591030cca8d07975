"""The linear classifiers."""

import numpy as np
from sklearn.utils import check_random_state

from ..fitting.labels import signs_of
from ..solvers import LOSSES
from ..solvers._asdca_solver import ASDCASolver, as_theta
from ..solvers._choose import SOLVERS, make_solver
from ..solvers._input import as_alpha, as_width, flag, one_of, positive
from ..solvers._pegasos_solver import PEGASOS_OUTPUTS, SAMPLINGS, PegasosSolver
from ..solvers._perceptron_solver import PerceptronSolver
from ..solvers._sdca_solver import ORDERS, OUTPUTS
from ..solvers.losses import PEGASOS_LOSSES, SMOOTH_LOSSES, as_loss
from .base import LinearClassifier, OnlineClassifier, all_or_nothing
from .certify import certify

__all__ = ["ASDCAClassifier", "PegasosClassifier", "PerceptronClassifier", "SDCAClassifier"]


class SDCAClassifier(LinearClassifier):
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
        Rows of an epoch: a fresh permutation, draws with replacement, one permutation for all epochs.
    averaging : {"last", "average", "random"}, default="last"
        Return the last iterate, the average over the second half of the steps, or one iterate drawn
        from it; the certificate is that of what is returned.
    sgd_init : bool, default=False
        Make the first epoch modified SGD.
    class_weight : dict, "balanced" or None, default=None
        Weights by label, multiplied into c_i; "balanced": n / (n_classes * count of the label).
    solver : {"auto", "coordinate", "newton"}, default="auto"
        "coordinate": dual coordinate ascent. "newton": Newton's method, for few columns; its epochs are
        passes over all rows. "auto" chooses, and `solver_` says what was chosen.
    warm_start : bool, default=False
        Start from the previous fit's dual variables and intercepts. They belong to its rows, so X must
        have the same ones in the same order; alpha, loss, weights and columns may have changed. A fit
        with another number of rows or other classes starts from zero.
    n_jobs : int or None, default=None
        Threads, over the one-vs-rest classes first; -1 for all processors. Does not change the result.
    trace : bool, default=False
        Measure objective and gap after every epoch (`history_`), not only when the certificate is
        needed. Implied by callbacks.
    verbose : bool, default=False
        Print a line an epoch; implies `trace`.
    random_state : int, RandomState or None, default=None

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
        Epochs done, by the class that needed most.
    history_ : list of Epoch, or one list a class
        (epoch, seconds, primal, dual, gap, score) of the epochs measured.
    solver_ : str, or list of one a class where they differ
        The method that was used.
    n_features_in_, feature_names_in_ : as in scikit-learn

    Notes
    -----
    n counts all rows, those of weight 0 too: a fit without them has the same solution at the same
    alpha n, not at the same alpha.

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

    def __init__(
        self,
        loss="hinge",
        *,
        hinge_width=1.0,
        alpha=1e-4,
        max_iter=1000,
        tol=1e-3,
        fit_intercept=True,
        order="permutation",
        averaging="last",
        sgd_init=False,
        solver="auto",
        class_weight=None,
        warm_start=False,
        n_jobs=None,
        trace=False,
        verbose=False,
        random_state=None,
    ):
        self.loss = loss
        self.hinge_width = hinge_width
        self.alpha = alpha
        self.max_iter = max_iter
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.order = order
        self.averaging = averaging
        self.sgd_init = sgd_init
        self.solver = solver
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.trace = trace
        self.verbose = verbose
        self.random_state = random_state

    @property
    def _tol(self):
        return self.tol

    def _check_params(self):
        one_of("loss", self.loss, LOSSES)
        as_width(self.hinge_width)
        as_alpha(self.alpha)
        positive("max_iter", self.max_iter, kind=int)
        if self.tol is not None:
            positive("tol", self.tol)
        one_of("order", self.order, ORDERS)
        one_of("averaging", self.averaging, OUTPUTS)
        flag("fit_intercept", self.fit_intercept)
        flag("sgd_init", self.sgd_init)
        one_of("solver", self.solver, SOLVERS)
        flag("warm_start", self.warm_start)
        flag("trace", self.trace)

    def _make_solver(self, problem, random, max_iter, *, start=None):
        return make_solver(
            problem,
            solver=self.solver,
            tol=self.tol,
            loss=as_loss(self.loss, self.hinge_width),
            alpha=self.alpha,
            fit_intercept=self.fit_intercept,
            max_iter=max_iter,
            order=self.order,
            averaging=self.averaging,
            sgd_init=self.sgd_init,
            random=random,
            start=start,
        )

    def _starts(self, classes, n):
        known = getattr(self, "_dual_scale", None)  # not kept in model files
        if (
            not self.warm_start
            or known is None
            or not np.array_equal(classes, self.classes_)
            or self.dual_coef_.shape[1] != n
        ):
            return super()._starts(classes, n)
        duals, intercepts = self.dual_coef_, self.intercept_
        return lambda k: (np.abs(duals[k]) * known, float(intercepts[k]))

    def _set_results(self, results, X, y):
        super()._set_results(results, X, y)
        methods = [r.solver for r in results]
        self.solver_ = methods[0] if len(set(methods)) == 1 else methods
        self._dual_scale = self.alpha * len(y)
        duals = [r.dual for r in results]
        self.dual_coef_ = duals[0][np.newaxis] if len(duals) == 1 else np.array(duals)
        for row, label in zip(self.dual_coef_, self._positives(), strict=True):
            row *= signs_of(y, label)
            row /= self._dual_scale


class PegasosClassifier(OnlineClassifier):
    """Linear classifier fitted by Pegasos, stochastic sub-gradient steps of length 1/(alpha t).

    Minimises, for each class against the rest::

        P(w, b0) = alpha/2 ||w||^2 + 1/n sum_i c_i phi(y_i (w.x_i + b0))

    SGDClassifier's objective with the same alpha. The dual variables that the steps build up give a
    certificate, looser than SDCA's.

    Parameters
    ----------
    loss : {"hinge", "log"}, default="hinge"
        max(0, 1-m) (SVM) or log(1 + exp(-m)) (logistic regression).
    alpha : float > 0, default=1e-4
        Regularisation strength.
    max_iter : int, default=20
        Epochs: passes over X, or n draws each.
    fit_intercept : bool, default=True
        Step on b0 too, by min(1/(alpha t), 1/sqrt(t)), unregularised. False: b0 = 0.
    batch_size : int, default=1
        Rows a step.
    sampling : {"epochs", "replacement"}, default="epochs"
        Walk a fresh permutation in each epoch, or draw rows with replacement.
    project : bool, default=False
        Keep w in the ball that holds the optimum.
    averaging : {"last", "tail"}, default="last"
        Return the last iterate, or the average over the second half of the steps.
    class_weight : dict, "balanced" or None, default=None
        Weights by label, multiplied into c_i; "balanced": n / (n_classes * count of the label).
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
    history_ : list of Epoch, or one list a class
        (epoch, seconds, primal, dual, gap, score) of the epochs measured.
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

    def __init__(
        self,
        loss="hinge",
        *,
        alpha=1e-4,
        max_iter=20,
        fit_intercept=True,
        batch_size=1,
        sampling="epochs",
        project=False,
        averaging="last",
        class_weight=None,
        n_jobs=None,
        trace=False,
        certify=False,
        verbose=False,
        random_state=None,
    ):
        self.loss = loss
        self.alpha = alpha
        self.max_iter = max_iter
        self.fit_intercept = fit_intercept
        self.batch_size = batch_size
        self.sampling = sampling
        self.project = project
        self.averaging = averaging
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.trace = trace
        self.certify = certify
        self.verbose = verbose
        self.random_state = random_state

    def _check_params(self):
        one_of("loss", self.loss, PEGASOS_LOSSES)
        as_alpha(self.alpha)
        positive("max_iter", self.max_iter, kind=int)
        positive("batch_size", self.batch_size, kind=int)
        one_of("sampling", self.sampling, SAMPLINGS)
        one_of("averaging", self.averaging, PEGASOS_OUTPUTS)
        flag("fit_intercept", self.fit_intercept)
        flag("project", self.project)
        flag("certify", self.certify)

    def _make_solver(self, problem, random, max_iter, **_):
        return PegasosSolver(
            problem,
            loss=self.loss,
            alpha=self.alpha,
            fit_intercept=self.fit_intercept,
            max_iter=max_iter,
            batch_size=self.batch_size,
            order=SAMPLINGS[self.sampling],
            project=self.project,
            averaging=self.averaging,
            random=random,
        )

    @all_or_nothing
    def fit(self, X, y, sample_weight=None):  # noqa: D102 (inherited)
        super().fit(X, y, sample_weight)
        if self.certify:
            seed = check_random_state(self.random_state).randint(2**31 - 1)
            proof = certify(self, X, y, sample_weight=sample_weight, random_state=seed)
            self.objective_, self.dual_gap_ = proof.objective, proof.gap
        return self

    fit.__doc__ = OnlineClassifier.fit.__doc__

    def partial_fit(self, X, y, classes=None, sample_weight=None):  # noqa: D102 (inherited)
        super().partial_fit(X, y, classes, sample_weight)
        self.t_ = self._states[0]["t"]
        return self

    partial_fit.__doc__ = OnlineClassifier.partial_fit.__doc__

    def _set_results(self, results, X, y):
        super()._set_results(results, X, y)
        self.t_ = self.n_iter_ * -(-len(y) // min(self.batch_size, len(y)))


class PerceptronClassifier(OnlineClassifier):
    """Rosenblatt's perceptron, plain or averaged.

    Looks, for each class against the rest, for (w, b0) with y_i (w.x_i + b0) > 0 for all rows, by
    w += c_i y_i x_i and b0 += c_i y_i on each row where that fails. It has no regularisation; what is
    reported as objective is the mean perceptron loss 1/n sum_i c_i max(0, -y_i (w.x_i + b0)).

    Parameters
    ----------
    max_iter : int, default=10
        Passes over X, each in a fresh permutation. A pass without a mistake is the last.
    averaging : bool, default=False
        Return the average of all iterates instead of the last one.
    fit_intercept : bool, default=True
        False: b0 = 0.
    class_weight : dict, "balanced" or None, default=None
        Weights by label, multiplied into c_i; "balanced": n / (n_classes * count of the label).
    n_jobs : int or None, default=None
        Threads over the one-vs-rest classes; -1 for all processors. Does not change the result.
    trace : bool, default=False
        Measure the objective after every epoch (`history_`), not only after the last.
    certify : bool, default=False
        True: set `dual_gap_`. The mean perceptron loss is never below 0, and 0 at w = 0: it is its own gap,
        exactly. To compare with an SVM use ``fastsvm.certify(model, X, y, loss="hinge", alpha=...)``.
    verbose : bool, default=False
        Print a line an epoch; implies `trace`.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features), of X's dtype
    intercept_ : ndarray of shape (1,) or (n_classes,), of X's dtype
    objective_ : float, or ndarray of shape (n_classes,)
        Mean perceptron loss; 0 if no row is on the wrong side.
    dual_gap_ : float, or ndarray of shape (n_classes,)
        With `certify`: the distance of `objective_` from its optimum, 0, which is `objective_` itself.
    n_iter_ : int
        Passes done, by the class that needed most.
    history_ : list of Epoch, or one list a class
        (epoch, seconds, primal, None, None, None) of the epochs measured.
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
    >>> PerceptronClassifier(averaging=True, random_state=0).fit(scale(X), y).score(scale(X), y) > 0.97
    True
    """

    def __init__(
        self,
        *,
        max_iter=10,
        averaging=False,
        fit_intercept=True,
        class_weight=None,
        n_jobs=None,
        trace=False,
        certify=False,
        verbose=False,
        random_state=None,
    ):
        self.max_iter = max_iter
        self.averaging = averaging
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.trace = trace
        self.certify = certify
        self.verbose = verbose
        self.random_state = random_state

    def _check_params(self):
        positive("max_iter", self.max_iter, kind=int)
        flag("averaging", self.averaging)
        flag("fit_intercept", self.fit_intercept)
        flag("certify", self.certify)

    def _make_solver(self, problem, random, max_iter, **_):
        return PerceptronSolver(
            problem,
            fit_intercept=self.fit_intercept,
            max_iter=max_iter,
            averaging=self.averaging,
            order="permutation",
            random=random,
        )

    def _set_results(self, results, X, y):
        super()._set_results(results, X, y)
        self.__dict__.pop("dual_gap_", None)
        if self.certify:
            self.dual_gap_ = self.objective_


class ASDCAClassifier(LinearClassifier):
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
        Epochs done, by the class that needed most.
    history_ : list of Epoch, or one list a class
        (epoch, seconds, primal, dual, gap, score) of the epochs measured.
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

    def __init__(
        self,
        loss="smooth_hinge",
        *,
        hinge_width=1.0,
        alpha=1e-4,
        max_iter=1000,
        tol=1e-3,
        fit_intercept=True,
        batch_size=8,
        theta="paper",
        class_weight=None,
        n_jobs=None,
        trace=False,
        verbose=False,
        random_state=None,
    ):
        self.loss = loss
        self.hinge_width = hinge_width
        self.alpha = alpha
        self.max_iter = max_iter
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.batch_size = batch_size
        self.theta = theta
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.trace = trace
        self.verbose = verbose
        self.random_state = random_state

    @property
    def _tol(self):
        return self.tol

    def _check_params(self):
        one_of("loss", self.loss, SMOOTH_LOSSES)
        as_width(self.hinge_width)
        as_alpha(self.alpha)
        positive("max_iter", self.max_iter, kind=int)
        if self.tol is not None:
            positive("tol", self.tol)
        flag("fit_intercept", self.fit_intercept)
        positive("batch_size", self.batch_size, kind=int)
        as_theta(self.theta)
        flag("trace", self.trace)

    def _make_solver(self, problem, random, max_iter, **_):
        return ASDCASolver(
            problem,
            loss=as_loss(self.loss, self.hinge_width),
            alpha=self.alpha,
            fit_intercept=self.fit_intercept,
            max_iter=max_iter,
            batch_size=self.batch_size,
            theta=as_theta(self.theta),
            order="permutation",
            random=random,
        )

    def _set_results(self, results, X, y):
        super()._set_results(results, X, y)
        duals = [r.dual for r in results]
        self.dual_coef_ = duals[0][np.newaxis] if len(duals) == 1 else np.array(duals)
        for row, label in zip(self.dual_coef_, self._positives(), strict=True):
            row *= signs_of(y, label)
            row /= self.alpha * len(y)
