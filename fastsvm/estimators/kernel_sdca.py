"""The kernel classifier fitted by SDCA, with a certificate."""

from ..solvers.kernel.params import KernelSDCAFields, KernelSDCAParams
from .kernel_base import KernelClassifier


class KernelSDCAClassifier(KernelClassifier, KernelSDCAFields, init=False):
    """Kernel SVM or logistic regression whose fit proves how close it is to the best possible objective.

    For each class against the rest, SDCA minimises, over b0 and functions f in the kernel's Hilbert space::

        P(f, b0) = alpha/2 ||f||^2 + 1/n sum_i c_i phi(y_i (f(x_i) + b0))

    where x_i is row i of X, y_i its label (1 for the class, -1 for the rest), c_i its weight (1 by default),
    n the number of rows and phi the `loss`. The fit stops when the duality gap proves that P is within `tol`
    (relative) of its minimum. This is SVC's objective with C = 1/(alpha n), but one-vs-rest and by default
    without an intercept.

    Parameters
    ----------
    kernel : {"linear", "poly", "rbf", "sigmoid", "laplacian", "precomputed"} or callable, default="rbf"
        x.z; (gamma x.z + coef0)^degree; exp(-gamma ||x - z||^2); tanh(gamma x.z + coef0);
        exp(-gamma ||x - z||_1). "precomputed": X is the matrix of kernel values. A callable takes two
        matrices and returns the values, of shape (len(X), len(Z)). For kernels that are not positive
        semi-definite, such as the sigmoid, the gap is not a bound.
    loss : {"hinge", "squared_hinge", "smooth_hinge", "log"}, default="hinge"
        phi(m) = max(0, 1-m) (SVM); its square; the hinge with (1-m)^2/2 for 0 <= m <= 1 and 1/2-m below;
        log(1 + exp(-m)) (kernel logistic regression, with probabilities).
    alpha : float > 0, default=1e-4
        Regularisation strength, 1 / (C n) for SVC's C: the larger, the smoother the boundary.
    fit_intercept : bool, default=False
        Fit an intercept, which is not regularised, as SVC does. Few kernels need an intercept, and many fits
        take longer with one.
    gamma : "scale", "auto" or float > 0, default="scale"
        "scale": 1 / (n_features * X.var()); "auto": 1 / n_features. A gaussian written
        exp(-||x - z||^2 / (2 g)) has gamma = 1 / (2 g).
    degree : int > 0, default=3
        The exponent of "poly". (1 + x.z)^n is gamma=1, coef0=1, degree=n.
    coef0 : float, default=0.0
        The constant in "poly" and "sigmoid".
    max_iter : int, default=-1
        Maximum number of epochs; an epoch has as many steps as its working set has rows. -1: no limit.
    tol : float > 0 or None, default=1e-3
        Relative duality gap, gap / P, at which to stop. None: do `max_iter` epochs, or stop when no epoch
        raises the dual objective.
    class_weight : dict, "balanced" or None, default=None
        Weights by label, multiplied into c_i; "balanced": n / (n_classes * count of the label).
    cache_size : float > 0, default=1024
        MiB of kernel values to keep, in fitting and predicting. Another size may change the solution within
        `tol`.
    warm_start : bool, default=False
        Start from the previous fit's dual variables. Each variable belongs to a row, so X must have the same
        rows in the same order; kernel, alpha, loss and weights may have changed. A fit with another number of
        rows or other classes starts from zero.
    n_jobs : int or None, default=None
        Number of threads; -1: all processors. Any number gives the same result.
    trace : bool, default=False
        Measure objective and gap after every epoch (`history_`), not only after each round of epochs on a
        working set. Each measurement needs kernel values of all rows.
    verbose : bool, default=False
        Print a line for each class and round.
    random_state : int, RandomState or None, default=None
        Seed of all random choices.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    support_ : ndarray of shape (n_support,), int32
        The numbers of the rows with a nonzero coefficient in any class.
    support_vectors_ : ndarray or CSR matrix of shape (n_support, n_features), of X's dtype
        X[support_]; not for "precomputed". Read-only once the model has predicted: assign another array.
    dual_coef_ : ndarray of shape (1, n_support) or (n_classes, n_support), float64
        y_i b_i / (alpha n) for the dual variables b_i, as in SVC: f(x) = sum_i dual_coef_i K(x_i, x), with
        the kernel K.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        b0 of each class; 0 without `fit_intercept`.
    gamma_ : float
        The gamma used.
    objective_ : float, or ndarray of shape (n_classes,)
        P at the solution.
    dual_gap_ : float, or ndarray of shape (n_classes,)
        P minus a lower bound on its minimum, in units of P. Above 1,024 rows, kernel values are usually in
        single precision, so gaps below 1e-5 P mean little.
    n_iter_ : int
        Number of epochs; with several classes, the largest.
    history_ : structured ndarray, or a list with one array per class
        The fields epoch, seconds, primal, dual and gap after each round; the seconds include all classes.
    n_features_in_, feature_names_in_ : as in scikit-learn

    See Also
    --------
    KernelFeatures : for more rows than a kernel matrix allows.

    References
    ----------
    Shalev-Shwartz & Zhang, JMLR 14 (2013). Johnson & Guestrin, Blitz, ICML 2015, for working sets.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from fastsvm import KernelSDCAClassifier
    >>> X, y = load_digits(return_X_y=True)
    >>> model = KernelSDCAClassifier(alpha=1e-5, random_state=0).fit(X[:1000], y[:1000])
    >>> model.score(X[1000:], y[1000:]) > 0.95
    True
    >>> bool((model.dual_gap_ <= 1e-3 * model.objective_).all())
    True
    """

    _params = KernelSDCAParams
