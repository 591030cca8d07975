"""The contenders: each fits one problem at one of its own settings, from loose to tight."""

import importlib
import inspect
import warnings
from ctypes import byref
from typing import NamedTuple

import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.svm import LinearSVC

from fastsvm import SDCAClassifier
from fastsvm.solvers import sdca

TARGETS = (1e-2, 1e-3, 1e-4, 1e-6)
TOLERANCES = (10, 3, 1, 0.5, 0.3, 0.1, 0.05, 0.03, 0.01, 3e-3, 1e-3, 3e-4, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8)
PASSES = (1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 1000, 2000, 5000, 10000)


class Problem(NamedTuple):
    """alpha/2 ||w||^2 + 1/n sum phi(y (w.x + b0)), and how many threads may work on it."""

    X: object
    y: np.ndarray
    loss: str
    alpha: float
    intercept: bool
    threads: int

    @property
    def n(self):
        """Number of rows."""
        return len(self.y)

    @property
    def C(self):
        """LIBLINEAR's name for the strength of the losses."""
        return 1 / (self.alpha * self.n)

    def patience(self, limit):
        """A limit in seconds, less for small data and more for large."""
        return limit * float(np.clip(getattr(self.X, "nnz", self.X.size) / 1e7, 0.3, 2))

    def objective(self, w, b0):
        """The objective in float64, some rows at a time."""
        total, step = 0.0, max(1, (1 << 24) // self.X.shape[1])
        for i in range(0, self.n, self.n if sparse.issparse(self.X) else step):
            part = slice(i, None if sparse.issparse(self.X) else i + step)
            rows = self.X if sparse.issparse(self.X) else self.X[part].astype(np.float64, copy=False)
            m = self.y[part] * (rows @ w + b0)
            if self.loss == "log":
                total += np.logaddexp(0, -m).sum()
            else:
                total += (np.maximum(0, 1 - m) ** (2 if self.loss == "squared_hinge" else 1)).sum()
        return self.alpha / 2 * float(w @ w) + total / self.n


class Contender:
    """One way to solve a problem. Only `fit` is timed."""

    name = None
    losses = ("hinge", "squared_hinge", "log")
    settings = TOLERANCES
    certified = False  # whether it stops by itself at a setting that is a target
    can_intercept = True  # without regularising it

    def __init__(self, problem, limit):
        self.problem, self.limit = problem, limit

    def prepare(self):
        """Whatever is not timed."""

    def fit(self, setting, seed):
        """Solve; return what `coefficients` reads."""
        raise NotImplementedError

    def coefficients(self, model):
        """W and b0 of what `fit` returned."""
        return np.ravel(model.coef_).astype(np.float64), float(np.ravel(model.intercept_)[0])

    def heard(self, model, seconds):
        """What a fit took, for those who limit the next one by it."""


class FastSVM(Contender):
    """fastsvm.solvers.sdca, which stops itself on its certificate."""

    name = "fastsvm"
    settings = TARGETS
    certified = True
    max_iter = 1000

    def fit(self, setting, seed):
        """Solve to a certified relative gap."""
        p = self.problem
        options = {"n_jobs": p.threads} if p.threads > 1 and _takes(sdca, "n_jobs") else {}
        return sdca(
            p.X,
            p.y,
            loss=p.loss,
            alpha=p.alpha,
            fit_intercept=p.intercept,
            tol=setting,
            max_iter=self.max_iter,
            random_state=seed,
            **options,
        )

    def coefficients(self, model):
        """W and b0."""
        return model.w, model.intercept

    def heard(self, model, seconds):
        """No later fit may take much more than the limit."""
        n_iter = getattr(model, "n_iter", None) or model.n_iter_
        self.max_iter = int(np.clip(2 * self.limit * n_iter / seconds, 10, 10**6))


class Estimator(FastSVM):
    """SDCAClassifier: the same with labels, checks and attributes."""

    name = "SDCAClassifier"

    def fit(self, setting, seed):
        """Fit to a certified relative gap."""
        p = self.problem
        model = SDCAClassifier(
            p.loss,
            alpha=p.alpha,
            fit_intercept=p.intercept,
            tol=setting,
            max_iter=self.max_iter,
            random_state=seed,
            n_jobs=p.threads,
        )
        return _quietly(model.fit, p.X, p.y)

    coefficients = Contender.coefficients


class Liblinear(Contender):
    """The C function of the package liblinear-official, without the conversion of X."""

    requires = "liblinear.liblinear"
    solver = None

    def prepare(self):
        """Convert X, as the package does."""
        self.lib = importlib.import_module(self.requires)
        self.prob = self._converted()
        if self.problem.intercept:
            self.prob.set_bias(1)

    def _converted(self):
        X = self.problem.X
        X = sparse.csr_matrix(X, copy=True, dtype=np.float64)  # the package sorts it in place
        return self.lib.problem(self.problem.y, X)

    def fit(self, setting, seed):
        """Call train; LIBLINEAR draws from C's rand()."""
        options = f"-s {self.solver} -c {self.problem.C:.17g} -e {setting} -q"
        param = self.lib.parameter(options + (" -B 1 -R" if self.problem.intercept else ""))
        wrong = self.lib.liblinear.check_parameter(self.prob, param)
        if wrong:
            raise ValueError(wrong.decode())
        return self.lib.liblinear.train(self.prob, param)

    def coefficients(self, model):
        """W and b0, of the label that came first."""
        found = model.contents
        w = np.ctypeslib.as_array(found.w, (self.prob.n,)) * float(found.label[0])
        self.lib.liblinear.free_and_destroy_model(byref(model))
        return (w[:-1].copy(), w[-1]) if self.problem.intercept else (w, 0.0)


class LiblinearS3(Liblinear):
    """Dual coordinate descent."""

    name, losses, solver, can_intercept = "LIBLINEAR", ("hinge",), 3, False


class LiblinearS1(Liblinear):
    """Dual coordinate descent."""

    name, losses, solver, can_intercept = "LIBLINEAR -s 1", ("squared_hinge",), 1, False


class LiblinearS2(Liblinear):
    """Newton steps on the primal."""

    name, losses, solver = "LIBLINEAR -s 2", ("squared_hinge",), 2


class LiblinearS7(Liblinear):
    """Dual coordinate descent."""

    name, losses, solver, can_intercept = "LIBLINEAR -s 7", ("log",), 7, False


class LiblinearS0(Liblinear):
    """Newton steps on the primal."""

    name, losses, solver = "LIBLINEAR -s 0", ("log",), 0


class LiblinearWhole(Liblinear):
    """LIBLINEAR by its Python package: the conversion of X and the solver."""

    name = "LIBLINEAR + conversion"
    certain = {"hinge": 3, "squared_hinge": 1, "log": 7}  # noqa: RUF012
    can_intercept = False

    def prepare(self):
        """Nothing is ready beforehand."""
        self.lib = importlib.import_module(self.requires)
        self.solver = self.certain[self.problem.loss]

    def fit(self, setting, seed):
        """Convert and solve."""
        self.prob = self._converted()
        return super().fit(setting, seed)


class Sklearn(Contender):
    """An estimator of scikit-learn; its convergence warnings are expected."""

    def fit(self, setting, seed):
        """Fit the model of a setting."""
        return _quietly(self.model(setting, seed).fit, self.problem.X, self.problem.y)


class SklearnSVC(Sklearn):
    """scikit-learn's LIBLINEAR, by number of passes."""

    name, losses, settings, can_intercept = "LinearSVC", ("hinge", "squared_hinge"), PASSES, False

    def model(self, setting, seed):
        """The dual solver."""
        p = self.problem
        options = {"max_iter": setting, "tol": 1e-12, "random_state": seed, "fit_intercept": False}
        return LinearSVC(loss=p.loss, C=p.C, dual=True, **options)


class SklearnLogistic(Sklearn):
    """scikit-learn's L-BFGS, by its tolerance."""

    name, losses = "LogisticRegression", ("log",)
    settings = TOLERANCES[5:]

    def model(self, setting, seed):
        """L-BFGS, the default solver."""
        p = self.problem
        return LogisticRegression(C=p.C, tol=setting, max_iter=10**5, fit_intercept=p.intercept)


class SklearnSGD(Sklearn):
    """scikit-learn's stochastic gradient, by number of passes."""

    name, settings = "SGDClassifier", PASSES

    def model(self, setting, seed):
        """Its step lengths are the default ones."""
        p = self.problem
        loss = "log_loss" if p.loss == "log" else p.loss
        options = {"max_iter": setting, "tol": None, "random_state": seed, "fit_intercept": p.intercept}
        return SGDClassifier(loss=loss, alpha=p.alpha, **options)


class Snap(Contender):
    """IBM's Snap ML, by number of passes."""

    name, settings, requires, can_intercept = "Snap ML", PASSES, "snapml", False

    def fit(self, setting, seed):
        """Fit on processors."""
        p, snapml = self.problem, importlib.import_module(self.requires)
        kind, options = snapml.LogisticRegression, {}
        if p.loss != "log":
            kind, options = snapml.SupportVectorMachine, {"loss": p.loss}
        options |= {"max_iter": setting, "tol": 1e-12, "n_jobs": p.threads, "random_state": seed}
        model = kind(regularizer=p.alpha * p.n, **options)
        model.fit(p.X, p.y)
        return model

    def coefficients(self, model):
        """W; there is no intercept."""
        return np.ravel(model.coef_).astype(np.float64), 0.0


KINDS = (
    FastSVM,
    Estimator,
    LiblinearS3,
    LiblinearS1,
    LiblinearS2,
    LiblinearS7,
    LiblinearS0,
    LiblinearWhole,
    SklearnSVC,
    SklearnLogistic,
    SklearnSGD,
    Snap,
)


def chosen(loss, intercept, names=None):
    """The kinds of contenders for a loss, and the packages that are missing."""
    kinds, missing = [], set()
    for kind in KINDS:
        if loss not in kind.losses or (intercept and not kind.can_intercept):
            continue
        if names and not any(kind.name.startswith(name) for name in names):
            continue
        try:
            importlib.import_module(getattr(kind, "requires", "sklearn"))
        except ImportError:
            missing.add(kind.requires.split(".")[0])
        else:
            kinds.append(kind)
    return kinds, sorted(missing)


def _takes(function, name):
    return name in inspect.signature(function).parameters


def _quietly(function, *args):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*args)
