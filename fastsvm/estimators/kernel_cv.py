"""Kernel machines over folds and grids, with one kernel matrix of all rows for each kernel."""

from itertools import count
from threading import Lock
from typing import NamedTuple

import numpy as np
from joblib import effective_n_jobs
from sklearn.model_selection import check_cv
from sklearn.utils import check_random_state

from ..fitting.advice import warn_if_short
from ..fitting.one_vs_rest import all_or_nothing
from ..fitting.path import best_multiple, decreasing
from ..fitting.scores import winners
from ..fitting.threads import in_threads, one_blas_thread
from ..solvers import KernelPegasosSolver, KernelProblem
from ..solvers._input import as_state, positive
from ..solvers._random import draw_rows
from ..solvers.kernel.parameters import gamma_of
from .base import ConvergenceWarning
from .cross_validation import CrossValidated, mean_over_folds, rows_of
from .kernel import KernelClassifier, KernelPegasosClassifier, KernelSDCAClassifier, ended

__all__ = ["KernelSDCAClassifierCV", "kernel_pegasos_grid"]

ADDITIONS = 1 << 27  # between looks at whether to stop: some tenths of a second


class KernelSDCAClassifierCV(CrossValidated, KernelClassifier):
    """`KernelSDCAClassifier` with gamma and alpha chosen by cross-validation, every fit of it certified.

    Minimises, for each gamma, each alpha, each fold's training rows and each class against the rest::

        P(f) = alpha/2 ||f||^2 + 1/n sum_i c_i phi(y_i f(x_i))

    and then, at the gamma and alpha of the best mean score, the same over all rows. The folds share the
    kernel matrix of all rows, which is computed once for each gamma and has the scores of the test rows
    too; each fit starts from the one at the next larger alpha.

    Parameters
    ----------
    kernel : {"linear", "poly", "rbf", "sigmoid", "laplacian", "precomputed"} or callable, default="rbf"
        As in :class:`KernelSDCAClassifier`.
    loss : {"hinge", "squared_hinge", "smooth_hinge", "log"}, default="hinge"
        As in :class:`KernelSDCAClassifier`.
    gammas : list of float > 0, "scale" or "auto", default=None
        Gammas to choose from; of all rows' "scale" a quarter, half, it, its double and its fourfold by
        default. "linear", "precomputed" and callables have none.
    alphas : array of shape (n_alphas,), default=None
        Regularisation strengths to choose from; 1/(C n_samples) with C = 0.1, 1, 10 and 100 by default.
    degree : int > 0, default=3
        Of "poly".
    coef0 : float, default=0.0
        Of "poly" and "sigmoid".
    cv : int, splitter or iterable, default=None
        Stratified folds, 5 by default; or as in scikit-learn. GroupKFold and the like get the `groups`
        of `fit`.
    scoring : str, callable or None, default=None
        What to choose by, as in scikit-learn; None for accuracy.
    max_iter : int, default=1000
        Most epochs of each fit, passes over a working set.
    tol : float > 0 or None, default=1e-3
        Relative duality gap of each fit, gap / P.
    class_weight : dict, "balanced" or None, default=None
        Weights by label, multiplied into c_i; "balanced": n / (n_classes * count of the label) in the
        training rows.
    cache_size : float > 0, default=1024
        MiB of kernel values to keep. Does not change the result; where the rows' kernel matrix does not
        fit, folds take turns and compute values again.
    n_jobs : int or None, default=None
        Threads, over folds first; -1 for all processors. Does not change the result.
    verbose : bool, default=False
        Print a line for each gamma and alpha.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    gamma_, alpha_ : float
        Those of the best mean score; of equals the least gamma, and then the largest alpha.
    gammas_ : ndarray of shape (n_gammas,), increasing
    alphas_ : ndarray of shape (n_alphas,), decreasing
    scores_ : ndarray of shape (n_gammas, n_alphas, n_folds)
        On each fold's test rows.
    mean_scores_ : ndarray of shape (n_gammas, n_alphas)
    cv_objectives_, cv_dual_gaps_ : ndarrays of shape (n_gammas, n_alphas, n_folds, n_problems)
        P of each fit, over its training rows, and its gap; there is one problem, or one a class.
    classes_, support_, support_vectors_, dual_coef_, objective_, dual_gap_, n_iter_, history_,
    n_features_in_, feature_names_in_ : as in `KernelSDCAClassifier`, of the fit at `gamma_` and `alpha_` on
        all rows

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from fastsvm import KernelSDCAClassifierCV
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = KernelSDCAClassifierCV(random_state=0).fit(scale(X), y)
    >>> bool(model.mean_scores_.max() > 0.97)
    True
    """

    def __init__(
        self,
        kernel="rbf",
        *,
        loss="hinge",
        gammas=None,
        alphas=None,
        degree=3,
        coef0=0.0,
        cv=None,
        scoring=None,
        max_iter=1000,
        tol=1e-3,
        class_weight=None,
        cache_size=1024,
        n_jobs=None,
        verbose=False,
        random_state=None,
    ):
        self.kernel = kernel
        self.loss = loss
        self.gammas = gammas
        self.alphas = alphas
        self.degree = degree
        self.coef0 = coef0
        self.cv = cv
        self.scoring = scoring
        self.max_iter = max_iter
        self.tol = tol
        self.class_weight = class_weight
        self.cache_size = cache_size
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def _check_params(self):
        gammas = ["scale"] if self.gammas is None else self.gammas
        if isinstance(gammas, str) or not np.iterable(gammas) or not len(gammas):
            raise ValueError(f"gammas must be a list of positive numbers, 'scale' or 'auto'; got {gammas!r}.")
        for gamma in gammas:
            self._model(gamma, 1.0)._check_params()
        self._alphas(1)
        self._scorer()

    def _alphas(self, n):
        return 1 / (n * np.array([0.1, 1, 10, 100])) if self.alphas is None else decreasing(self.alphas)

    def _gammas(self, X):
        if callable(self.kernel) or self.kernel in ("linear", "precomputed"):
            return np.ones(1)
        if self.gammas is None:
            return gamma_of("scale", X) * np.array([0.25, 0.5, 1, 2, 4])
        return np.unique([gamma_of(gamma, X) for gamma in self.gammas])

    def _model(self, gamma, alpha, kind=KernelSDCAClassifier):
        """What is fitted at one gamma and alpha."""
        shared = ("kernel", "loss", "degree", "coef0", "max_iter", "tol", "class_weight", "cache_size")
        parameters = {name: getattr(self, name) for name in (*shared, "n_jobs", "verbose")}
        return kind(gamma=gamma, alpha=alpha, **parameters)

    @all_or_nothing
    def fit(self, X, y, sample_weight=None, **params):
        """Choose gamma and alpha and fit at them.

        A fit that fails or is interrupted leaves the estimator as it was.

        Parameters
        ----------
        X, y, sample_weight : as in `KernelSDCAClassifier.fit`
            sample_weight, if given, is passed on to the scorer too.
        **params : dict
            `groups` of shape (n_samples,) for the splitter; with metadata routing enabled, whatever
            splitter and scorer ask for.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            As `KernelSDCAClassifier.fit` does; if a fold trains on no row of some class, or no score is
            a number.
        MemoryError
            As `KernelSDCAClassifier.fit` does.

        Warns
        -----
        ConvergenceWarning
            Once, if any fit's gap is above `tol`, for the worst.
        """
        self._check_params()
        X, y = self._validated(X, y)
        self._set_classes(np.unique(y))
        routed = self._routed(sample_weight, params)
        folds = self._folds(X, y, routed)
        weights = [self._fold_weights(y, sample_weight, k, train) for k, (train, _) in enumerate(folds)]
        signs = self._signs(y)
        *seeds, seed = check_random_state(self.random_state).randint(2**31 - 1, size=len(folds) + 1)
        self.gammas_, self.alphas_ = self._gammas(X), self._alphas(len(y))
        self.scores_ = np.empty((len(self.gammas_), len(self.alphas_), len(folds)))
        self.cv_objectives_ = np.empty((*self.scores_.shape, len(signs)))
        self.cv_dual_gaps_ = np.empty_like(self.cv_objectives_)
        best, fits_ended = -np.inf, []
        for i, gamma in enumerate(self.gammas_.tolist()):
            self.gamma_, gram = gamma, None  # one kernel matrix goes before the next comes
            gram = self._gram(X)
            for j, fits in enumerate(self._path(gram, signs, folds, weights, seeds)):
                alpha = float(self.alphas_[j])
                scores = self.scores_[i, j] = self._score_folds(alpha, folds, fits, X, y, routed.scorer.score)
                self.cv_objectives_[i, j] = [fit.primal for fit in fits]
                self.cv_dual_gaps_[i, j] = [fit.gap for fit in fits]
                fits_ended += [each for fit in fits for each in ended(fit, alpha)]
                mean = np.mean(scores)
                if self.verbose:
                    print(f"gamma {gamma:.3g}  alpha {alpha:.3e}  score {mean:.4f} +- {np.std(scores):.4f}")
                if mean > best:
                    best, chosen = mean, (gamma, alpha)
                    start = mean_over_folds(folds, [fit.dual for fit in fits], len(y))
        if best == -np.inf:
            raise ValueError("scoring gave no finite mean score for any gamma and alpha.")
        self.gamma_, self.alpha_ = chosen
        if self.gamma_ != gamma:
            gram = None
            gram = self._gram(X)
        gram.threads = effective_n_jobs(self.n_jobs)
        self.mean_scores_ = self.scores_.mean(axis=2)

        run = self._fit_all(X, KernelProblem(gram, signs, self._weights(y, sample_weight)), seed, start)
        fits_ended += ended(run, self.alpha_)
        columns = None if self._precomputed else X
        warn_if_short(fits_ended, self.tol, columns, category=ConvergenceWarning, stacklevel=4)
        return self

    def _fit_all(self, X, problem, seed, start):
        """Fit all rows at `gamma_` and `alpha_`, starting from dual variables that their box may not hold."""
        if self.loss != "squared_hinge":  # the dual variables of which have no upper end
            start = np.minimum(start, problem.weights if problem.weights.size else 1.0)
        final = self._model(self.gamma_, self.alpha_)
        with one_blas_thread:
            run = final._make_solver(problem, seed, start)
            for _ in run.rounds(self.tol):
                pass
        final._set_result(X, run.result())
        vars(self).update({name: value for name, value in vars(final).items() if name.endswith("_")})
        return run

    def _path(self, gram, signs, folds, weights, seeds):
        """For each alpha the fits of all folds."""
        paths = [
            _Path(KernelProblem(gram, signs, of_fold, train), seed)
            for of_fold, (train, _), seed in zip(weights, folds, seeds, strict=True)
        ]
        needed = np.unique(np.concatenate([train for train, _ in folds])).astype(np.int32)
        with one_blas_thread:
            n_workers = _share(gram, needed, len(folds), self.n_jobs)
        for alpha in self.alphas_:
            stopping = []
            model = self._model(self.gamma_, alpha)

            def solve(path, model=model, stopping=stopping):
                return path.solve(model, stopping)

            with one_blas_thread:
                fits = in_threads(solve, paths, n_workers, stopping.append)
            yield fits

    def _score_folds(self, alpha, folds, fits, X, y, params):
        scorer = self._scorer()
        scores = []
        for (_, test), fit in zip(folds, fits, strict=True):
            model = self._model(self.gamma_, alpha, _OfFold)
            model.classes_, model.n_features_in_, model.gamma_ = self.classes_, X.shape[1], self.gamma_
            model._set_support(X, fit.coef)
            rows = X[test]
            model.known = rows, _decision(fit.scores, test)
            scores.append(scorer(model, rows, y[test], **rows_of(params, test)))
        return scores


class _OfFold(KernelSDCAClassifier):
    """A fold's classifier, which knows the scores of the fold's test rows."""

    def decision_function(self, X):
        rows, scores = self.known
        return scores if X is rows else super().decision_function(X)


class _Fit(NamedTuple):
    """What is kept of a KernelSDCASolver; its attributes."""

    alpha: float
    dual: np.ndarray
    scores: np.ndarray
    coef: np.ndarray
    primal: np.ndarray
    gap: np.ndarray
    epochs: np.ndarray


class _Path:
    """The fits of one fold for ever smaller alpha.

    Parameters
    ----------
    problem : KernelProblem
    seed : int
    """

    def __init__(self, problem, seed):
        self.problem, self.seed = problem, seed
        self.last = None

    def solve(self, model, stopping):
        """The fit at the alpha of a KernelSDCAClassifier; given up once `stopping` has an item."""
        _age(self.problem.gram)
        run = model._make_solver(self.problem, self.seed, None if self.last is None else self._start(model))
        for _ in run.rounds(model.tol):
            if stopping:
                raise KeyboardInterrupt
        self.last = _Fit(*(getattr(run, name) for name in _Fit._fields))
        return self.last

    def _start(self, model):
        """For each class the multiple of the last dual variables that has the best bound; see `Path`."""
        dual, shrinks = self.last.dual, model.alpha / self.last.alpha
        terms, scores = np.empty(dual.shape[1]), self.last.scores / shrinks

        def multiple(k):
            def bound(t):
                gap, losses, pulls = self.problem.gap_terms(k, t * dual[k], t * scores[k], model.loss, terms)
                return losses + pulls / 2 - gap

            return best_multiple(bound, shrinks)[0] * dual[k]

        return np.array([multiple(k) for k in range(len(dual))])


def kernel_pegasos_grid(
    X,
    y,
    *,
    kernels,
    alphas,
    n_iters,
    cv=None,
    cache_size=1024,
    n_jobs=None,
    random_state=None,
    progress=None,
):
    """Errors of :class:`KernelPegasosClassifier` on the folds of a cross-validation, over a grid.

    Each kernel matrix is computed once, for all rows, and its rows are shared by all folds, alphas and
    threads. A run of the most steps is measured at each lesser number on its way, and has the scores of
    the test rows at hand.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
    y : array of shape (n_samples,)
        Labels of any kind, two classes or more.
    kernels : list of dict
        Parameters of :class:`KernelPegasosClassifier`: kernel, gamma, degree, coef0, its defaults for what is
        left out. The gammas "scale" and "auto" are those of all rows.
    alphas : list of float > 0
    n_iters : list of int > 0
        Numbers of steps, T in the sources.
    cv : int, splitter or iterable, default=None
        Stratified folds, 5 by default; or as in scikit-learn.
    cache_size : float > 0, default=1024
        MiB of kernel values to keep. Where the rows that are drawn do not fit, runs take turns and
        compute values again; the errors are the same.
    n_jobs : int or None, default=None
        Threads, over folds and alphas first; -1 for all processors. Does not change the errors.
    random_state : int, RandomState or None, default=None
        All runs draw the same numbers: the error is that of a KernelPegasosClassifier of this `random_state`
        that is fitted to the fold's training rows, but for rounding of kernel values.
    progress : callable, default=None
        Called as progress(done, total) after each run, by one thread at a time.

    Returns
    -------
    ndarray of shape (n_kernels, n_alphas, n_iters, n_folds)
        Kernels as given, alphas and steps increasing. A structured array, the `ravel()` of which is a
        table; its fields are kernel (a callable's name), gamma, degree, coef0, alpha, n_iter, fold, error,
        and seconds, the CPU time of the steps so far for all classes, without the kernel matrix.

    Raises
    ------
    ValueError
        As `KernelPegasosClassifier.fit` does.
    MemoryError
        As `KernelPegasosClassifier.fit` does.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from fastsvm import kernel_pegasos_grid
    >>> X, y = load_digits(return_X_y=True)
    >>> kernels = [{"gamma": 0.001}, {"kernel": "poly", "degree": 2}]
    >>> grid = kernel_pegasos_grid(
    ...     X, y, kernels=kernels, alphas=[1e-5, 1e-3], n_iters=[500, 5000], random_state=0
    ... )
    >>> grid.shape
    (2, 2, 2, 5)
    >>> bool(grid["error"].mean(axis=-1).min() < 0.05)
    True
    """
    alphas, n_iters = decreasing(alphas)[::-1], _increasing(n_iters)
    models = [_pegasos(parameters, cache_size, n_jobs) for parameters in kernels]
    if not models:
        raise ValueError("kernels must be a list of dicts; it is empty.")
    for model in models:
        X, y = model._validated(X, y)
        model._set_classes(np.unique(y))
        model._set_gamma(X)
    folds = list(check_cv(cv, y, classifier=True).split(X, y))
    seed = check_random_state(random_state).randint(2**31 - 1)
    orders = [_drawn(train, n_iters[-1], seed) for train, _ in folds]

    grid = _table(models, alphas, n_iters, len(folds))
    done, lock = count(1), Lock()

    def report():
        if progress is not None:
            with lock:
                progress(next(done), grid[:, :, 0].size)

    with one_blas_thread:
        for model, part in zip(models, grid, strict=True):
            _measure(model, X, y, folds, orders, part, report)
    return grid


def _pegasos(parameters, cache_size, n_jobs):
    for name in parameters.keys() - {"kernel", "gamma", "degree", "coef0"}:
        raise ValueError(f"kernels have kernel, gamma, degree and coef0, not {name!r}.")
    model = KernelPegasosClassifier(**parameters, cache_size=cache_size, n_jobs=n_jobs)
    model._check_params()
    return model


def _increasing(n_iters):
    n_iters = [positive("n_iters", n_iter, kind=int) for n_iter in n_iters]
    if not n_iters:
        raise ValueError("n_iters must be a list of positive integers; it is empty.")
    return np.sort(n_iters)


def _drawn(train, n_iter, seed):
    """The rows that a KernelPegasosClassifier would draw of `train`."""
    order = np.empty(n_iter, np.int32)
    draw_rows(order, len(train), as_state(seed))
    return train[order].astype(np.int32)


def _table(models, alphas, n_iters, n_folds):
    """The grid, without what is to be measured."""
    kernels = [getattr(model.kernel, "__name__", model.kernel) for model in models]
    columns = {
        "kernel": np.reshape(kernels, (-1, 1, 1, 1)),
        "gamma": np.reshape([model.gamma_ for model in models], (-1, 1, 1, 1)),
        "degree": np.reshape([model.degree for model in models], (-1, 1, 1, 1)),
        "coef0": np.reshape([float(model.coef0) for model in models], (-1, 1, 1, 1)),
        "alpha": np.reshape(alphas, (-1, 1, 1)),
        "n_iter": np.reshape(n_iters, (-1, 1)),
        "fold": np.arange(n_folds),
        "error": np.array(np.nan),
        "seconds": np.array(np.nan),
    }
    shape = np.broadcast_shapes(*(values.shape for values in columns.values()))
    grid = np.empty(shape, [(name, values.dtype) for name, values in columns.items()])
    for name, values in columns.items():
        grid[name] = values
    return grid


def _measure(model, X, y, folds, orders, grid, report):
    """Fill in one kernel's part of the grid."""
    gram, signs = model._gram(X), model._signs(y)
    problems = [KernelProblem(gram, signs, rows=train) for train, _ in folds]
    places = np.searchsorted(model.classes_, y)
    runs = list(np.ndindex(grid[:, 0].shape))[::-1]  # those at large alphas take longest
    n_workers = _share(gram, np.unique(np.concatenate(orders)), len(runs), model.n_jobs)
    step = max(1, ADDITIONS // signs.size)
    stopping = []

    def measure(which):
        alpha, fold = which
        cells, test, order = grid[alpha, :, fold], folds[fold][1], orders[fold]
        _age(gram)
        run = KernelPegasosSolver(problems[fold], cells["alpha"][0])
        for k, n_iter in enumerate(cells["n_iter"]):
            while run.t < n_iter:
                if stopping:
                    raise KeyboardInterrupt
                run.visit(order[run.t : min(n_iter, run.t + step)])
            cells["error"][k] = np.mean(winners(_decision(run.scores, test)) != places[test])
            cells["seconds"][k] = run.seconds
        report()

    in_threads(measure, runs, n_workers, stopping.append)


def _decision(scores, test):
    """Scores of shape (n_problems, n) as `decision_function` gives those of the test rows."""
    scores = np.ascontiguousarray(scores[:, test].T)
    return scores.ravel() if scores.shape[1] == 1 else scores


def _share(gram, needed, n_runs, n_jobs):
    """How many runs over one kernel matrix may go on at once; each has its share of the threads.

    One, where the rows that they need do not fit into the cache: they would take each other's.
    """
    n_threads = effective_n_jobs(n_jobs)
    if len(needed) > gram.capacity:
        return 1
    gram.fetch(needed, 0)
    n_workers = min(n_threads, n_runs)
    gram.threads = n_threads // n_workers
    gram.shared = n_workers > 1
    return n_workers


def _age(gram):
    """Let a run's clock start at 0: rows that are kept from other runs are older."""
    gram.used[:] = -1
