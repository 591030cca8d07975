"""The choice of the solver for a binary problem."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .newton_solver import MOST_COLUMNS, SHORT_ROW, NewtonSolver
from .params import ASDCAParams, PegasosParams, PerceptronParams, SDCAParams
from .tall_newton_solver import TallNewtonSolver

if TYPE_CHECKING:
    from ._problem import Problem
    from ._solver import Solver
    from .losses import Loss

# When Newton's method is faster, by `python -m benchmarks.tuning auto`; see benchmarks/README.md.
FEW_COLUMNS = 300  # columns up to which it may be faster
VERY_FEW_COLUMNS = 20  # columns up to which it is always faster
STEEP = 10  # ||x||^2 / (alpha n) above which coordinate steps take many epochs
STEEP_IF_MANY = 1  # the same for many rows; no limit for the log loss, nor for a smooth loss with short rows
MANY_SHORT_ROWS = 100  # short rows per column that count as many; samples then do most of the work
MANY_LONG_ROWS = 1000  # the same for rows with SHORT_ROW values and more
TALL = 1000  # dense rows per column from which Newton's steps use the Hessian of a sample
TALL_LOG = 200  # the same for the log loss, for which all rows are active
TALL_VALUES = 1 << 18  # the smallest number of values in all rows: below it, calls take longer than passes
TIGHT_TOL = 1e-4  # `tol` below which coordinate steps take many epochs, too
STEEP_IF_TIGHT = 4  # STEEP at TIGHT_TOL for a quadratic dual; for many columns, STEEP times d / FEW_COLUMNS

LinearParams = SDCAParams | PegasosParams | PerceptronParams | ASDCAParams


def make_solver(params: LinearParams, problem: Problem, random: Any, start: Any = None) -> Solver:
    """Return a new solver; for SDCA, the requested one, or the one that suits the problem.

    Parameters
    ----------
    params : SDCAParams, PegasosParams, PerceptronParams or ASDCAParams
    problem : Problem
    random : random generator's state, or a function that creates it
    start : default=None
        For SDCA, a tuple as in `sdca`, to which w(b) may be appended; for Newton's method, a better w and the
        error of its margins. For Pegasos and the perceptron, (w, intercept, t) after t steps; t is 0 if
        unknown.

    Raises
    ------
    ValueError
        If `solver` is "newton" and the problem or another parameter rules it out.
    """
    if isinstance(params, PegasosParams):
        from .pegasos_solver import PegasosSolver

        return PegasosSolver(problem, params, random, start)
    if isinstance(params, PerceptronParams):
        from .perceptron_solver import PerceptronSolver

        return PerceptronSolver(problem, params, random, start)
    if isinstance(params, ASDCAParams):
        from .asdca_solver import ASDCASolver

        return ASDCASolver(problem, params, random)
    if params.l1_share:
        from .l1_solver import L1Solver

        if start is not None and len(start[0]) != problem.rows.n_columns:
            start = None  # the last fit had other columns
        kind = TallNewtonSolver if is_tall(problem, params.loss_entry) else L1Solver
        return kind(problem, params, useful_start(start, problem, params))
    solver, other = params.solver, params.not_for_newton()
    if solver == "newton" and other:
        raise ValueError(f"solver='newton' does not support {other}; use solver='coordinate'.")
    if solver == "newton" and problem.rows.n_columns > MOST_COLUMNS:
        raise ValueError(
            f"solver='newton' supports at most {MOST_COLUMNS} columns; X has {problem.rows.n_columns}. "
            "Use solver='coordinate'."
        )
    if solver == "newton" or (solver == "auto" and not other and suits_newton(problem, params)):
        kind = TallNewtonSolver if is_tall(problem, params.loss_entry) else NewtonSolver
        return kind(problem, params, useful_start(start, problem, params))
    from .sdca_solver import SDCASolver

    return SDCASolver(problem, params, random, start)


def useful_start(start: Any, problem: Any, params: SDCAParams) -> Any:
    """Return the start of Newton's method, or None if its objective is above that of zero weights.

    The log loss is nearly straight there: its curvature is no guide, and most steps would fail.
    """
    if start is None or len(start) > 2:  # with more, it comes from a path
        return start
    (w, intercept), loss = start, params.loss_entry
    if not params.l1_share:
        dual = w.copy()
        problem.clip_dual(dual, loss)
        w = problem.primal_from_dual(dual, params.alpha)
    objective = params.penalty_of(w) + problem.mean_loss(w, intercept if params.fit_intercept else 0.0, loss)
    return start if objective <= loss.value(0.0) * problem.mean_weight else None


def is_tall(problem: Problem, loss: Loss) -> bool:
    """Tell whether rows are dense and so many that Newton's method uses the Hessian of a sample.

    Measured on normal, correlated, unevenly scaled and heavy-tailed columns, skin, a9a, usps and digits,
    with 30 to 80,000 rows per column and 100,000 to 20 million values.
    """
    least = TALL_LOG if loss.curvature is None else TALL
    rows = problem.rows
    many = rows.n_rows >= least * rows.n_columns and rows.n_values >= TALL_VALUES
    return bool(loss.smooth and rows.dense and many)


def suits_newton(problem: Problem, params: SDCAParams) -> bool:
    """Tell whether Newton's method is faster than coordinate steps.

    The cost of Newton's method hardly depends on alpha and tol, but grows with the square of the number of
    columns. Coordinate steps need few epochs if alpha n is not small relative to ||x||^2 (measured on tables
    of 3 to 256 columns), and more with an intercept. With many rows, samples do most of the work, and few
    passes over all rows remain.
    """
    n, rows, loss, tol = problem.n, problem.rows, params.loss_entry, params.tol
    d = rows.n_columns
    if tol is None or not loss.newton or d > min(n, FEW_COLUMNS):
        return False
    if d <= VERY_FEW_COLUMNS or tol < TIGHT_TOL:
        return True
    short = rows.n_values < SHORT_ROW * n
    steep = max(STEEP_IF_TIGHT, STEEP * d / FEW_COLUMNS) if tol <= TIGHT_TOL and loss.quadratic else STEEP
    if n >= (MANY_SHORT_ROWS if short else MANY_LONG_ROWS) * d:
        if not loss.quadratic or (loss.smooth and short and params.fit_intercept):
            steep = 0
        elif loss.smooth or params.fit_intercept:
            steep = STEEP_IF_MANY
    return bool(rows.squared_norms().mean() / (params.alpha * n) > steep)
