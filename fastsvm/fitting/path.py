"""Certified solutions for decreasing alphas, each interpolated between two others or started from them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .._utils.threads import number_of_threads
from ..solvers._input import as_matrix, as_state, positive
from ..solvers._problem import Problem
from ..solvers._rows import Rows
from ..solvers._scores import scores_of
from ..solvers.losses import slope
from ..solvers.params import SDCAParams
from .convergence_advice import FitEnd, warn_if_short
from .engine import solve_in_order
from .labels import as_coefficients, as_labels, signs_of
from .path_runs import path_of

if TYPE_CHECKING:
    from ..solvers.annotations import ArrayLike, ArrayOrSparse, Seed


class SDCAPath(NamedTuple):
    """The solutions of `sdca_path`, one per alpha.

    Attributes
    ----------
    alphas : ndarray of shape (n_alphas,), decreasing
    coefs : ndarray of shape (n_alphas, n_features), of X's dtype
    intercepts : ndarray of shape (n_alphas,), of X's dtype
    objectives : ndarray of shape (n_alphas,)
        The objective P(w, b0) of `sdca_path` at each solution.
    dual_gaps : ndarray of shape (n_alphas,)
        P minus a lower bound on its minimum, in units of P.
    n_iters : ndarray of shape (n_alphas,), int
        Epochs done; 0 for a solution interpolated between two others.
    """

    alphas: np.ndarray
    coefs: np.ndarray
    intercepts: np.ndarray
    objectives: np.ndarray
    dual_gaps: np.ndarray
    n_iters: np.ndarray


def sdca_path(
    X: ArrayOrSparse,
    y: ArrayLike,
    alphas: ArrayLike | None = None,
    *,
    n_alphas: int = 20,
    eps: float = 1e-4,
    penalty: str = "l2",
    l1_ratio: float = 0.5,
    loss: str = "hinge",
    sample_weight: ArrayLike | None = None,
    fit_intercept: bool = True,
    max_iter: int = 1000,
    tol: float | None = 1e-3,
    n_jobs: int | None = None,
    random_state: Seed = None,
) -> SDCAPath:
    """Certified solutions for a range of alphas, each started from the ones before.

    It minimises, for each alpha, over w (and b0 if `fit_intercept`)::

        P(w, b0) = alpha/2 ||w||^2 + 1/n sum_i c_i phi(y_i (w.x_i + b0))

    Here x_i is row i of X, y_i its label (1 or -1), c_i its weight, n the number of rows and phi the `loss`.
    A path of 20 alphas over three decades takes about as long as one to nine fits with the smallest alpha.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        As in `SDCAClassifier.fit`: CSR and C-ordered arrays of float32 or float64 are not copied. For several
        paths, pass the result of `as_rows`, which is not checked again.
    y : array of shape (n_samples,)
        Labels of any kind, of two classes; the second in sorted order is +1.
    alphas : array of shape (n_alphas,), default=None
        Regularisation strengths > 0, in any order. By default `n_alphas` in geometric progression from
        the largest that matters (see Notes) down to `eps` times that.
    n_alphas : int, default=20
        Number of alphas, evenly spaced on a log scale.
    eps : float in (0, 1), default=1e-4
        The smallest alpha, as a share of the largest.
    penalty : {"l2", "l1", "elasticnet"}, default="l2"
        As in `SDCAClassifier`.
    l1_ratio : float from 0 to 1, default=0.5
        The share of the l1 norm in penalty="elasticnet".
    loss : {"hinge", "squared_hinge", "smooth_hinge", "log"}, default="hinge"
    sample_weight : array of shape (n_samples,), default=None
        Weights c_i >= 0, divided by their mean: a row of weight 2 counts twice, a row of weight 0 not at all.
    fit_intercept : bool, default=True
        Also minimise over b0, which is not regularised.
    max_iter : int, default=1000
        Maximum number of epochs for each alpha.
    tol : float > 0 or None, default=1e-3
        Relative duality gap, gap / P, at which to go on to the next alpha.
    n_jobs : int or None, default=None
        Number of threads. Any number gives the same result.
    random_state : int, numpy Generator or None, default=None
        Seed of all random choices.

    Returns
    -------
    SDCAPath
        Named tuple (alphas, coefs, intercepts, objectives, dual_gaps, n_iters).

    Raises
    ------
    ValueError
        On invalid input; the message names the argument and the fault.

    Warns
    -----
    ConvergenceWarning
        Once, for the largest gap, if any gap is above `tol`.

    Notes
    -----
    As alpha grows, w approaches g / alpha, where g = 1/n sum_i b_i y_i x_i with dual variables b_i = c_i
    |phi'(0)|. With an intercept, the b_i of the heavier class are scaled down so that sum_i b_i y_i = 0. The
    largest alpha that matters is where no |g.x_i| / alpha is above 1; with an intercept, where all g.x_i /
    alpha lie within an interval of length 2. For the hinge without intercept, w = g / alpha is exact from
    this alpha on (Hastie et al. 2004); for other losses it is a good approximation. With an l1 penalty, w = 0
    from the largest alpha on.

    References
    ----------
    Hastie, Rosset, Tibshirani & Zhu, The entire regularization path for the support vector machine,
    JMLR 5 (2004). Chu, Ho, Tsai, Lin & Lin, Warm start for parameter selection of linear classifiers,
    KDD 2015.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from fastsvm import sdca_path
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> path = sdca_path(scale(X), y, [1e-1, 1e-2, 1e-3], random_state=0)
    >>> path.coefs.shape
    (3, 30)
    >>> bool((path.dual_gaps <= 1e-3 * path.objectives).all())
    True
    """
    X, rows = (None, X) if isinstance(X, Rows) else as_matrix(X, norms=True)
    y = as_labels(y, rows.n_rows)
    classes = np.unique(y)
    if len(classes) != 2:
        raise ValueError(f"y must have two classes; it has {len(classes)}.")
    problem = Problem(rows, signs_of(y, classes[1]), sample_weight)
    params = SDCAParams.of(None, **locals())
    alphas = as_alphas(alphas, n_alphas, eps, lambda: largest_alpha(problem, params) or 1.0)
    path = path_of(problem, alphas, as_state(random_state), params)
    results, batches = [], ([partial(path.result, k)] for k in range(len(alphas)))
    solved = solve_in_order(batches, 1, tol=params.tol, n_threads=number_of_threads(n_jobs))
    dtype = rows.values.dtype
    for alpha, [result] in zip(alphas, solved, strict=True):
        w, intercept = (as_coefficients(part, dtype) for part in (result.w, result.intercept))
        primal = result.objective
        if dtype != np.float64:
            primal = problem.mean_loss(w.astype(float), float(intercept), params.loss_entry)
            primal += params.penalty_of(w.astype(float), alpha)
        gap = max(result.gap + primal - result.objective, 0.0)
        results.append(result._replace(w=w, intercept=intercept, dual=None, objective=primal, gap=gap))
    ends = [FitEnd.of(*pair) for pair in zip(results, alphas, strict=True)]
    warn_if_short(ends, params.tol, X, params.max_iter)
    columns = zip(*((r.w, r.intercept, r.objective, r.gap, r.n_iter) for r in results), strict=True)
    return SDCAPath(alphas, *map(np.array, columns))


def as_alphas(alphas, n_alphas, eps, largest):
    """Return the checked alphas in decreasing order; a grid down from `largest()` if `alphas` is None."""
    if alphas is None:
        n_alphas = positive("n_alphas", n_alphas, kind=int)
        if positive("eps", eps) >= 1:
            raise ValueError(f"eps must be less than 1; got {eps!r}.")
        return largest() * np.geomspace(1, eps, n_alphas)
    return decreasing_alphas(alphas)


def decreasing_alphas(alphas):
    """Return the checked alphas in decreasing order."""
    alphas = np.array(alphas, dtype=float)
    if alphas.ndim != 1 or not alphas.size:
        raise ValueError(f"alphas must be a list of positive numbers; its shape is {alphas.shape}.")
    if not ((alphas > 0) & np.isfinite(alphas)).all():
        raise ValueError(f"alphas must be positive finite numbers; got {alphas.tolist()}.")
    return np.sort(alphas)[::-1]


def largest_alpha(problem, params):
    """Return the alpha above which w is nearly g / alpha; see `sdca_path`. It is 0 if g is 0."""
    if params.l1_share:
        from ..solvers.l1_solver import largest_l1_alpha

        return largest_l1_alpha(problem, params)
    dual = np.full(problem.n, -slope(params.loss, 0.0))
    if problem.weights.size:
        dual *= problem.weights
    factors = problem.balance_factors(dual) if params.fit_intercept else (1.0, 1.0)
    margins = scores_of(problem.rows, problem.primal_from_dual(dual, 1.0, factors), problem.threads)
    used = margins[problem.weights > 0] if problem.weights.size else margins
    largest = np.ptp(used) / 2 if params.fit_intercept else np.abs(used).max()
    return float(largest)
