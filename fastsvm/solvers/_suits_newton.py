"""Whether Newton's method or coordinate steps are the faster ones."""

from .losses import as_loss
from .newton_solver import SHORT_ROW

# Where Newton's method is the faster one, by `python -m benchmarks.tuning auto`; see benchmarks/README.md.
FEW_COLUMNS = 300  # up to which it may be
VERY_FEW_COLUMNS = 20  # up to which it is
STEEP = 10  # ||x||^2 / (alpha n), above which coordinate steps take many epochs
STEEP_IF_MANY = 1  # the same where rows are many; none is needed for the log loss, nor a smooth one if short
MANY_SHORT_ROWS = 100  # a column, from which rows are many, of which samples tell most
MANY_LONG_ROWS = 1000  # the same of rows with SHORT_ROW values and more
TIGHT_TOL = 1e-4  # below which they take many epochs, too


def suits_newton(problem, loss, alpha, tol, fit_intercept):
    """Tell whether Newton's method is faster than coordinate steps.

    Its cost hardly depends on alpha and tol, but grows with the square of the columns. Coordinate steps
    need few epochs where alpha n is not small against ||x||^2 (measured on tables of 3 to 256 columns).
    Where rows are many, samples tell most, and few passes over all rows are left. Coordinate steps need more
    epochs with an intercept.
    """
    n, rows, loss = problem.n, problem.rows, as_loss(loss)
    d = rows.n_columns
    if tol is None or not loss.newton or d > min(n, FEW_COLUMNS):
        return False
    short, steep = rows.n_values < SHORT_ROW * n, STEEP
    if n >= (MANY_SHORT_ROWS if short else MANY_LONG_ROWS) * d:
        if not loss.quadratic or (loss.smooth and short and fit_intercept):
            steep = 0
        elif loss.smooth or fit_intercept:
            steep = STEEP_IF_MANY
    steepness = rows.squared_norms().mean() / (alpha * n)
    return bool(d <= VERY_FEW_COLUMNS or steepness > steep or tol < TIGHT_TOL)
