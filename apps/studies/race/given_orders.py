"""Runs on rows in an order of one's own: each line of it is a part of the run, however short."""

from fastsvm.solvers import asdca, pegasos, sdca

METHODS = {"SDCA": (sdca, {"tol": None}), "ASDCA": (asdca, {"tol": None}), "Pegasos": (pegasos, {})}


def run_given_order(method: str, X, y, alpha: float, order, **options):
    """Return the result of a method of `METHODS`, without an intercept.

    Parameters
    ----------
    method : str
    X, y : ndarray
    alpha : float
    order : int array of shape (parts, visits)
    **options
        Of the solver; with `score`, its history has a line for each part.
    """
    solver, own = METHODS[method]
    return solver(X, y, alpha=alpha, order=order, max_iter=len(order), fit_intercept=False, **own, **options)
