"""`sdca`, which takes coordinate steps or Newton's method."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._utils.threads import number_of_threads
from ._input import as_start, as_state
from ._problem import Problem
from .make_solver import make_solver
from .params import SDCAParams
from .run import run

if TYPE_CHECKING:
    from ._solver import Result
    from .annotations import ArrayLike, ArrayOrSparse, Callable, Seed


def sdca(
    X: ArrayOrSparse,
    y: ArrayLike,
    *,
    loss: str = "hinge",
    hinge_width: float = 1.0,
    alpha: float = 1e-4,
    penalty: str = "l2",
    l1_ratio: float = 0.5,
    sample_weight: ArrayLike | None = None,
    fit_intercept: bool = True,
    max_iter: int = 1000,
    tol: float | None = 1e-3,
    order: str | ArrayLike = "permutation",
    averaging: str = "last",
    average_from: int | None = None,
    sgd_init: bool = False,
    solver: str = "auto",
    start: tuple | None = None,
    n_jobs: int | None = None,
    trace: bool = False,
    score: Callable[..., object] | None = None,
    random_state: Seed = None,
) -> Result:
    """Stochastic dual coordinate ascent with a certificate; with an l1 penalty, Newton steps on columns.

    Minimises, over w (and b0 if `fit_intercept`)::

        P(w, b0) = alpha/2 ||w||^2 + 1/n sum_i c_i phi(y_i (w.x_i + b0))

    through its dual, whose value at any feasible b is a lower bound on every P::

        D(b) = 1/n sum_i c_i psi(b_i / c_i) - alpha/2 ||w(b)||^2,
        w(b) = 1/(alpha n) sum_i b_i y_i x_i,    and sum_i b_i y_i = 0 if `fit_intercept`.

    Here x_i is row i of X, y_i its label (1 or -1), c_i its weight and phi the `loss`.
    The b_i are the dual variables, and psi(u) is the minimum over m of phi(m) + u m. One step maximises D
    over one b_i exactly, in O(number of values in the row). The penalties "l1" and "elasticnet" replace
    alpha/2 ||w||^2 by ``alpha (l1_ratio ||w||_1 + (1 - l1_ratio)/2 ||w||^2)``.

    Parameters
    ----------
    X : CSR matrix or array, or ndarray, of shape (n_samples, n_features), float32 or float64
        X is neither copied nor changed.
    y : array of shape (n_samples,), of -1 and +1
        The label of each row.
    loss : {"hinge", "squared_hinge", "smooth_hinge", "log"}, default="hinge"
        phi(m): max(0, 1-m), its square, the hinge with a rounded kink, or log(1 + exp(-m)).
    hinge_width : float > 0, default=1.0
        Width g (gamma in the papers) of the quadratic part of "smooth_hinge", which is (1-m)^2 / (2 g) for
        1-g <= m <= 1, 1 - g/2 - m below and 0 above. A smaller width is nearer to the hinge, and slower.
        Other losses ignore it.
    alpha : float > 0, default=1e-4
        Regularisation strength; LIBLINEAR's C is 1/(alpha n).
    penalty : {"l2", "l1", "elasticnet"}, default="l2"
        "l1" and "elasticnet" need loss="squared_hinge" or "log". "l1" ignores `l1_ratio`.
    l1_ratio : float from 0 to 1, default=0.5
        The share of the l1 norm in penalty="elasticnet".
    sample_weight : array of shape (n_samples,), default=None
        Weights c_i >= 0, divided by their mean: a row of weight 2 counts twice, a row of weight 0 not at all.
    fit_intercept : bool, default=True
        Also minimise over b0, which is not regularised. A proximal step on b0 (the method of multipliers for
        sum_i b_i y_i = 0) follows every epoch.
    max_iter : int, default=1000
        Maximum number of epochs (n steps each).
    tol : float or None, default=1e-3
        Stop once gap <= tol * objective. None: do `max_iter` epochs.
    order : {"permutation", "random", "cyclic"} or int array, default="permutation"
        Rows of an epoch: a fresh permutation, draws with replacement, or the same permutation every time. If
        X is larger than 32 MiB, blocks of 8 rows are permuted, and the rows within each block. An array of
        shape (>= max_iter, n_visits) gives the rows of each epoch.
    averaging : {"last", "tail", "random"}, default="last"
        Return the last iterate, the average over the second half of the max_iter * n steps, or one
        iterate drawn from that half. The certificate belongs to the returned iterate. A run that
        reaches `tol` before its second half returns its last iterate.
    average_from : int >= 0, default=None
        Number of steps, one per row, after which "tail" and "random" begin to use the iterates; half of
        max_iter * n by default. If there are fewer steps, only the last iterate is used.
    sgd_init : bool, default=False
        Make the first epoch modified SGD, which treats the t-th row as the last row of a problem with t rows.
        By default this happens only if alpha n is large relative to ||x||^2, and then t starts at 0.3 n.
    solver : {"auto", "coordinate", "newton"}, default="auto"
        "coordinate": coordinate steps. "newton": Newton's method on the primal, for X with few columns; for
        the hinge, it solves proximal problems. Its n_iter counts passes over all rows. "auto": Newton's
        method if X has at most 300 columns, no more columns than rows, and coordinate steps would take many
        epochs. The result's `solver` names the method used.
    start : (dual, intercept), default=None
        Starting point: dual variables b of shape (n_samples,), which are clipped to their domain, and an
        intercept, which is ignored without `fit_intercept`. A Result's values for another alpha can be used,
        since b does not scale with alpha. With an l1 penalty: (w, intercept). By default, b = 0 and the best
        b0 for w = 0.
    n_jobs : int or None, default=None
        Number of threads for checking X and for the certificate; it does not change the result.
    trace : bool, default=False
        Measure the objective and the gap for the history after every epoch, not only when the gap is expected
        to be within `tol`. Implied by `score`.
    score : callable, default=None
        ``score(w, intercept)`` is called after each epoch; its value is stored in the history.
    random_state : int, numpy Generator or None, default=None
        Seed of all random choices: the same seed gives the same result.

    Returns
    -------
    Result
        Named tuple (w, intercept, dual, objective, gap, n_iter, history, solver).

    Raises
    ------
    ValueError
        If the input is invalid; the message names the argument, row and column.

    References
    ----------
    Shalev-Shwartz & Zhang, Stochastic dual coordinate ascent methods for regularized loss
    minimization, JMLR 14 (2013), fig. 1 and sec. 5 (averaging, modified SGD). Hsieh et al., A dual
    coordinate descent method for large-scale linear SVM, ICML 2008. Yu, Huang & Lin, Dual coordinate
    descent methods for logistic regression and maximum entropy models, Mach. Learn. 85 (2011).
    Rockafellar, Augmented Lagrangians and applications of the proximal point algorithm, Math. Oper.
    Res. 1 (1976), for the intercept.

    Examples
    --------
    >>> import numpy as np
    >>> from fastsvm.solvers import sdca
    >>> X, y = np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([1, -1])
    >>> result = sdca(X, y, alpha=1.0, tol=1e-9, random_state=0)
    >>> result.w.round(6).tolist(), round(result.objective, 6)
    ([-0.5, 0.5], 0.75)
    """
    params = SDCAParams.of(None, **locals())
    problem = Problem(X, y, sample_weight, number_of_threads(n_jobs), norms=True)
    start = (
        None if start is None else as_start(start, problem.rows.n_columns if params.l1_share else problem.n)
    )
    run_of = make_solver(params, problem, as_state(random_state), start)
    return run(run_of, params.tol, params.trace or score is not None, score=score)
