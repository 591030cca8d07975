"""The contenders: each fits one problem at one of its own settings, from loose to tight."""

import importlib
import warnings
from ctypes import byref
from importlib.util import find_spec
from typing import NamedTuple

import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.svm import LinearSVC

from fastsvm import SDCAClassifier

TARGETS, L1_TARGETS = (1e-2, 1e-3, 1e-4), (1e-3, 1e-6)
TOLERANCES = (10, 3, 1, 0.5, 0.3, 0.1, 0.05, 0.03, 0.01, 3e-3, 1e-3, 3e-4, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8)
L1_TOLERANCES = tuple(10.0 ** -np.arange(1, 8.5, 0.5))
PASSES = (1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 1000, 2000, 5000, 10000)


class Problem(NamedTuple):
    """alpha/2 ||w||^2, or with `l1` alpha ||w||_1, + 1/n sum phi(y (w.x + b0))."""

    X: object
    y: np.ndarray
    loss: str
    alpha: float
    intercept: bool = True
    l1: bool = False

    @property
    def targets(self):
        """Relative suboptimalities to reach."""
        return L1_TARGETS if self.l1 else TARGETS

    @property
    def options(self):
        """As parameters of fastsvm."""
        penalty = "l1" if self.l1 else "l2"
        return {"loss": self.loss, "alpha": self.alpha, "fit_intercept": self.intercept, "penalty": penalty}

    @property
    def n(self):
        """Number of rows."""
        return len(self.y)

    @property
    def C(self):
        """LIBLINEAR's name for the strength of the losses."""
        return 1 / (self.alpha * self.n)

    def with_ones(self):
        """The problem whose b0 is the weight of a column of ones: LIBLINEAR's."""
        ones = np.ones((self.n, 1))
        if sparse.issparse(self.X):
            return self._replace(X=sparse.hstack([self.X, ones], "csr"), intercept=False)
        return self._replace(X=np.hstack([self.X, ones]), intercept=False)

    def objective(self, w, b0, penalised=False):
        """The objective in float64, some rows at a time; with b0^2 beside ||w||^2 if that is penalised."""
        total, step = 0.0, max(1, (1 << 24) // self.X.shape[1])
        for i in range(0, self.n, self.n if sparse.issparse(self.X) else step):
            part = slice(i, None if sparse.issparse(self.X) else i + step)
            rows = self.X if sparse.issparse(self.X) else self.X[part].astype(np.float64, copy=False)
            m = self.y[part] * (rows @ w + b0)
            if self.loss == "log":
                total += np.logaddexp(0, -m).sum()
            else:
                total += (np.maximum(0, 1 - m) ** (2 if self.loss == "squared_hinge" else 1)).sum()
        penalty = np.abs(w).sum() if self.l1 else (float(w @ w) + penalised * b0**2) / 2
        return self.alpha * penalty + total / self.n


class Contender:
    """One way to solve a problem. Only `fit` is timed."""

    name = None
    losses = ("hinge", "squared_hinge", "log")
    l1 = False
    settings = TOLERANCES
    certified = False  # whether it stops by itself at a setting that is a target
    most_columns = np.inf
    penalises = (False,)  # whether it penalises the intercept; both: held against the easier objective

    def __init__(self, problem):
        self.problem = problem

    def prepare(self):
        """Whatever is not timed."""

    def fit(self, setting, seed):
        """Solve; return what `coefficients` reads."""
        raise NotImplementedError

    def coefficients(self, model):
        """W and b0 of what `fit` returned."""
        return np.ravel(model.coef_).astype(np.float64), float(np.ravel(model.intercept_)[0])


class Estimator(Contender):
    """The `model` of a setting, an estimator; warnings that it did not converge are expected."""

    def fit(self, setting, seed):
        """Fit it."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return self.model(setting, seed).fit(self.problem.X, self.problem.y)


class FastSVM(Estimator):
    """SDCAClassifier, which stops itself on its certificate."""

    name, certified = "fastsvm", True
    more = {}  # noqa: RUF012

    @property
    def settings(self):
        """The gaps to prove."""
        return self.problem.targets

    def model(self, setting, seed):
        """To a certified relative gap."""
        options = {"tol": setting, "max_iter": 10**5, "n_jobs": 1, "random_state": seed}
        return SDCAClassifier(**options, **self.problem.options, **self.more)


class Liblinear(Contender):
    """The C function of the package liblinear-official, without the conversion of X."""

    requires, solver, penalises, free = "liblinear.liblinear", None, (True,), ""

    def prepare(self):
        """Convert X, as the package does."""
        self.lib = importlib.import_module(self.requires)
        X = sparse.csr_matrix(self.problem.X, copy=True, dtype=np.float64)  # the package sorts it in place
        self.prob = self.lib.problem(self.problem.y, X)
        self.prob.set_bias(1)

    def fit(self, setting, seed):
        """Call train; LIBLINEAR draws from C's rand()."""
        options = f"-s {self.solver} -c {self.problem.C:.17g} -e {setting} -B 1 {self.free} -q"
        param = self.lib.parameter(options)
        wrong = self.lib.liblinear.check_parameter(self.prob, param)
        if wrong:
            raise ValueError(wrong.decode())
        return self.lib.liblinear.train(self.prob, param)

    def coefficients(self, model):
        """W and b0, of the label that came first."""
        found = model.contents
        w = np.ctypeslib.as_array(found.w, (self.prob.n,)) * float(found.label[0])
        self.lib.liblinear.free_and_destroy_model(byref(model))
        return w[:-1].copy(), float(w[-1])


class LiblinearS3(Liblinear):
    """Dual coordinate descent."""

    name, losses, solver = "LIBLINEAR", ("hinge",), 3


class LiblinearS1(Liblinear):
    """Dual coordinate descent."""

    name, losses, solver = "LIBLINEAR -s 1", ("squared_hinge",), 1


class LiblinearS2(Liblinear):
    """Newton steps on the primal."""

    name, losses, solver = "LIBLINEAR -s 2", ("squared_hinge",), 2


class LiblinearS7(Liblinear):
    """Dual coordinate descent."""

    name, losses, solver = "LIBLINEAR -s 7", ("log",), 7


class LiblinearS0(Liblinear):
    """Newton steps on the primal."""

    name, losses, solver = "LIBLINEAR -s 0", ("log",), 0


class SklearnSVC(Estimator):
    """scikit-learn's LIBLINEAR, by number of passes."""

    name, losses, settings, penalises = "LinearSVC", ("hinge", "squared_hinge"), PASSES, (True,)

    def model(self, setting, seed):
        """The dual solver."""
        p = self.problem
        return LinearSVC(loss=p.loss, C=p.C, dual=True, max_iter=setting, tol=1e-12, random_state=seed)


class SklearnLogistic(Estimator):
    """scikit-learn's L-BFGS, by its tolerance."""

    name, losses, solver = "lbfgs", ("log",), "lbfgs"
    settings = TOLERANCES[5:]

    def model(self, setting, seed):
        """C is that of the sum of the losses."""
        options = {"solver": self.solver, "tol": setting, "max_iter": 10**4, "random_state": seed}
        return LogisticRegression(C=self.problem.C, **options)


class SklearnCholesky(SklearnLogistic):
    """Its Newton steps, by tolerance."""

    name = solver = "newton-cholesky"
    most_columns = 2000  # the matrix of second derivatives must fit


class SklearnLiblinear(SklearnLogistic):
    """Its LIBLINEAR, by tolerance."""

    name, solver, settings, penalises = "sklearn liblinear", "liblinear", TOLERANCES, (True,)


class SklearnSGD(Estimator):
    """scikit-learn's stochastic gradient, by number of passes, averaged or not."""

    name, settings = "SGDClassifier", [(n, mean) for n in (1, 2, 5, 10, 20, 50) for mean in (False, True)]

    def model(self, setting, seed):
        """Its step lengths are the default ones."""
        p, (passes, mean) = self.problem, setting
        loss = "log_loss" if p.loss == "log" else p.loss
        options = {"max_iter": passes, "average": mean, "tol": None, "random_state": seed}
        return SGDClassifier(loss=loss, alpha=p.alpha, **options)


class Snap(Estimator):
    """IBM's Snap ML, by number of passes."""

    name, settings, requires, penalises = "Snap ML", PASSES, "snapml", (False, True)

    def model(self, setting, seed):
        """On processors."""
        p, snapml = self.problem, importlib.import_module(self.requires)
        kind, options = snapml.LogisticRegression, {}
        if p.loss != "log":
            kind, options = snapml.SupportVectorMachine, {"loss": p.loss}
        options |= {"max_iter": setting, "tol": 1e-12, "n_jobs": 1, "random_state": seed}
        return kind(regularizer=p.alpha * p.n, fit_intercept=p.intercept, **options)


class FastSVML1(FastSVM):
    """With an l1 penalty."""

    losses, l1 = ("squared_hinge", "log"), True


class LiblinearS5(Liblinear):
    """Coordinate descent, without a penalty on the intercept."""

    name, losses, solver, l1, penalises, free = "LIBLINEAR -s 5", ("squared_hinge",), 5, True, (False,), "-R"
    settings = L1_TOLERANCES


class LiblinearS6(LiblinearS5):
    """Newton steps by coordinate descent."""

    name, losses, solver = "LIBLINEAR -s 6", ("log",), 6


class OfColumns(Estimator):
    """A model of the log loss with an l1 penalty that takes X by columns, and positive labels as 1."""

    losses, l1, negative, settings = ("log",), True, -1, L1_TOLERANCES

    def prepare(self):
        """Convert X and y."""
        X, y = self.problem.X, self.problem.y
        X = sparse.csc_matrix(X) if sparse.issparse(X) else np.asfortranarray(X)
        self.problem = self.problem._replace(X=X, y=np.where(y > 0, 1.0, self.negative))


class Skglm(OfColumns):
    """Proximal Newton steps on working sets."""

    name = requires = "skglm"

    def prepare(self):
        """Convert, and compile."""
        super().prepare()
        self.fit(1e-6, 0)

    def model(self, setting, seed):
        """By its tolerance."""
        from skglm import GeneralizedLinearEstimator, datafits, penalties, solvers

        steps = solvers.ProxNewton(tol=setting, fit_intercept=True, max_iter=200)
        return GeneralizedLinearEstimator(datafits.Logistic(), penalties.L1(self.problem.alpha), steps)


class Glum(OfColumns):
    """Coordinate descent on a Gram matrix."""

    name = requires = "glum"
    most_columns, negative = 200, 0

    def model(self, setting, seed):
        """By its tolerance."""
        kind = importlib.import_module(self.requires).GeneralizedLinearRegressor
        options = {"l1_ratio": 1, "gradient_tol": setting, "max_iter": 1000}
        return kind(family="binomial", alpha=self.problem.alpha, **options)


class Saga(Estimator):
    """scikit-learn's saga, by its tolerance."""

    name, losses, l1, most_columns, settings = "saga", ("log",), True, 200, L1_TOLERANCES

    def model(self, setting, seed):
        """C is that of the sum of the losses."""
        options = {"l1_ratio": 1, "solver": "saga", "max_iter": 300, "random_state": seed}
        return LogisticRegression(C=self.problem.C, tol=setting, **options)


KINDS = (FastSVM, LiblinearS3, LiblinearS1, LiblinearS2, LiblinearS7, LiblinearS0, SklearnSVC)
KINDS += (SklearnLogistic, SklearnCholesky, SklearnLiblinear, SklearnSGD, Snap)
KINDS += (FastSVML1, LiblinearS5, LiblinearS6, Skglm, Glum, Saga)


def chosen(problem):
    """The kinds of contenders for a problem, and the packages that are missing."""
    kinds, missing = [], set()
    for kind in KINDS:
        requires = getattr(kind, "requires", "sklearn").split(".")[0]
        suits = problem.loss in kind.losses and problem.l1 == kind.l1
        if suits and find_spec(requires) is None:
            missing.add(requires)
        elif suits and problem.X.shape[1] <= kind.most_columns:
            kinds.append(kind)
    return kinds, missing
