"""Advice on a fit that stopped short of its tolerance, often because of the columns of X."""

from typing import Any, NamedTuple

import numpy as np

from .._utils import sparse
from .._utils.warnings import warn_user
from ..solvers._input import canonical
from ..solvers._mapped_rows import row_blocks

SPREAD = 10  # tf-idf columns differ by up to 9, columns of raw word counts by 18 and more
LARGE_MEAN_SQUARE = 10  # mean square; standardised columns have 1, tf-idf .01, pixels of 0 to 255 thousands
CHUNK_VALUES = 1 << 18
LOW_BITS = (1 << 29) - 1  # of a float64, absent in float32


class ConvergenceWarning(UserWarning):
    """A fit stopped short of its tolerance."""


class FitEnd(NamedTuple):
    """The end of a fit: relative duality gap, epochs, alpha if there are several, whether w is float32."""

    relative_gap: float
    n_iter: int
    alpha: float | None = None
    single: bool = False

    @classmethod
    def of(cls, result: Any, alpha: float | None = None) -> "FitEnd":
        """The end of a solver's Result."""
        single = not (np.asarray(result.w, float).view(np.int64) & LOW_BITS).any()
        share = result.gap / result.objective if result.objective > 0 else 0.0
        return cls(share, result.n_iter, alpha, single)


def fit_ends(objectives: Any, gaps: Any, n_iters: Any, alpha: float | None = None) -> list[FitEnd]:
    """Return the FitEnd of each problem."""
    return [
        FitEnd(gap / objective if objective > 0 else 0.0, n_iter, alpha)
        for objective, gap, n_iter in zip(objectives, gaps, n_iters, strict=True)
    ]


def warn_if_short(
    fits: list[FitEnd],
    tol: float | None,
    X: Any,
    max_iter: float,
    *,
    category: type[Warning] = ConvergenceWarning,
    advice: str | None = None,
) -> None:
    """Warn once of the largest relative gap, if it is above `tol`, and say what to do.

    Parameters
    ----------
    fits : list of FitEnd
    tol : float or None
    X : the rows, if their columns may be the cause; or None
    max_iter : int
        Limit of epochs; a fit with fewer stopped because its steps gained nothing.
    category : class of the warning
    advice : str, default=None
        A cause other than X, and what to do.

    Warns
    -----
    ConvergenceWarning
    """
    worst = max(fits, key=lambda fit: fit.relative_gap, default=None)
    if tol is None or worst is None or worst.relative_gap <= tol:
        return
    where = "" if worst.alpha is None else f" at alpha={worst.alpha:.3g}"
    advice = advice or convergence_advice(X, stalled=worst.n_iter < max_iter)
    if worst.single and worst.n_iter < max_iter:
        advice += "; or pass X as float64, because float32 weights may allow no less"
    warn_user(
        f"Stopped{where} after {worst.n_iter} epochs at a relative duality gap of "
        f"{worst.relative_gap:.1e}, above tol={tol:g}: {advice}.",
        category,
    )


def convergence_advice(X, stalled=False):
    """Advise a scaler if the scale of X is the cause, else a parameter to raise.

    A column's size is the root mean square of its nonzero values. Columns much larger than the median make a
    problem hard; small columns do no harm.

    Parameters
    ----------
    X : CSR matrix or ndarray of shape (n_samples, n_features), or None
        None: columns are not the cause.
    stalled : bool, default=False
        The fit ended before `max_iter`, because its steps gained nothing.

    Returns
    -------
    str
        The end of a sentence.
    """
    plain = "more steps gain nothing, so raise tol or alpha" if stalled else "raise max_iter, alpha or tol"
    if X is None:
        return plain
    squares, counts = _column_sums(X)
    used = counts > 0
    if not used.any():
        return "all values of X are 0"
    sizes = np.sqrt(squares[used] / counts[used])
    largest, median = sizes.max(), np.median(sizes)
    mean_square = squares.sum() / counts.sum()
    if largest > SPREAD * median and mean_square > 1:
        column = np.flatnonzero(used)[sizes.argmax()]
        wrong = (
            f"the columns of X differ much in size (column {column} has values of about {largest:.2g}, "
            f"half of the columns of {median:.2g} or less)"
        )
    elif mean_square > LARGE_MEAN_SQUARE:
        wrong = f"the values of X are large (about {mean_square**0.5:.2g})"
    else:
        return f"{plain}; the columns of X are scaled well"
    return f"{wrong}; scale X with {_advised_scaler(X)}, or raise {'tol' if stalled else 'max_iter'} or alpha"


def _column_sums(X):
    """Return the sums of squares and the counts of each column's nonzero values, by chunks of rows."""
    d = X.shape[1]
    squares, counts = np.zeros(d), np.zeros(d, np.int64)
    for rows in row_blocks(X):
        if sparse.issparse(rows):
            rows = canonical(rows)
            for first in range(0, len(rows.data), CHUNK_VALUES):
                part = slice(first, first + CHUNK_VALUES)
                columns, values = rows.indices[part], rows.data[part].astype(float)
                squares += np.bincount(columns, values**2, minlength=d)
                counts += np.bincount(columns[values != 0], minlength=d)
            continue
        step = max(1, CHUNK_VALUES // d)
        for first in range(0, len(rows), step):
            part = rows[first : first + step]
            squares += np.einsum("ij,ij->j", part, part, dtype=float)
            counts += np.count_nonzero(part, axis=0)
    return squares, counts


def _advised_scaler(X):
    if not sparse.issparse(X):
        return "StandardScaler"
    some = canonical(next(row_blocks(X))).data[:CHUNK_VALUES]
    counts = some.min() >= 0 and (some == np.floor(some)).all()
    return "TfidfTransformer" if counts else "MaxAbsScaler"
