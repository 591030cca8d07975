"""The common parts of the kernel machines: one-vs-rest problems over one kernel matrix, and the result."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .._input import as_signs, as_weights
from .._problem import require_range
from .._solver import Epoch, require_finite

# Share of the objective that rounding may change before the bound is void: in 81 converged fits below it (11
# data sets, 3 kernels), the true error was at most 0.0021; in 12 fits above it, up to 63.
MOST_ROUNDING = 0.01


class KernelResult(NamedTuple):
    """The result of a kernel machine.

    Attributes
    ----------
    dual_coef : ndarray of shape (n_classes, n_samples), float64
        f_k(x) = sum_i dual_coef[k, i] K(x_i, x) for rows x_i. The entries are y_i b_i / (alpha n), with
        labels y_i and dual variables b_i, on the same scale as SVC's.
    objective : ndarray of shape (n_classes,), P of each class
    gap : ndarray of shape (n_classes,)
        P minus the dual value: P is at most this far above its minimum, if the kernel is positive
        semi-definite. If rounding may change P by more than 1 %, the gap is P or more.
    n_iter : int, number of steps (Pegasos) or largest number of epochs of a class (SDCA)
    history : list of lists of Epoch, one per class
    intercept : ndarray of shape (n_classes,), which is added to f; 0 without `fit_intercept`
    """

    dual_coef: np.ndarray
    objective: np.ndarray
    gap: np.ndarray
    n_iter: int
    history: list
    intercept: np.ndarray


class KernelProblem:
    """Signs and weights of one-vs-rest problems over the rows of one kernel matrix.

    Parameters
    ----------
    gram : Gram
    Y : array of shape (n,) or (n_classes, n), of -1 and +1
    sample_weight : array of shape (n,), default=None
    rows : int array, default=None
        The rows to learn from; the others only get scores. All rows by default.
    relative : bool, default=True
        Divide the weights by their mean over the rows to learn from.

    Attributes
    ----------
    n : int, the number of rows to learn from
    """

    def __init__(
        self, gram: Any, Y: Any, sample_weight: Any = None, rows: Any = None, relative: bool = True
    ) -> None:
        self.gram = gram
        self.signs = as_all_signs(Y, gram.n)
        self.weights = as_weights(sample_weight, gram.n)
        self.n = gram.n
        if rows is not None:
            chosen = np.zeros(gram.n)
            chosen[rows] = 1
            self.weights = chosen * self.weights if self.weights.size else chosen
            self.n = len(rows)
        if relative and self.weights.size:
            self.weights = self.weights * (self.n / self.weights.sum())

    @classmethod
    def of_sample(cls, gram: Any, Y: Any, weights: Any, n: int) -> "KernelProblem":
        """A problem of n rows of which only the rows of `gram` are visited.

        Their weights, an array or one of length 0, are checked already, and may all be 0.
        """
        problem = cls(gram, Y)
        problem.weights, problem.n = weights, n
        return problem


def with_rounding(gap: Any, primal: Any, gram: Any, coef: np.ndarray, weights: Any, dual: np.ndarray) -> Any:
    """Return n times the gap plus what rounding of kernel values changes; n P, a bound of 0, if that is much.

    Each value has an error of the size of eps sqrt(K(x_i, x_i) K(x_j, x_j)), independent of the others. They
    change sum_i (c_i + b_i) f(x_i), with f = sum_j coef_j K(x_j, .). Of float32 values, this is 10 times too
    much, and only added if it is much. With several classes, each has a row.
    """
    lengths = np.sqrt(np.maximum(gram.diagonal, 0))
    with np.errstate(over="ignore"):  # the result is checked
        sizes = [np.linalg.norm(each * lengths, axis=-1) for each in (coef, weights + dual)]
        error = np.finfo(gram.rows.dtype).eps * np.prod(sizes, axis=0)
    is_double = gram.rows.dtype == np.float64
    return np.where(error > MOST_ROUNDING * primal, np.maximum(gap, primal), gap + error * is_double)


class KernelSolver:
    """The base class of solvers of kernel machines, which `run` drives in rounds, for all classes.

    A subclass has `coef`, of shape (n_classes, n), `done`, the number of epochs or steps of each class, and
    `run_round`, which measures the classes that take part.

    Attributes
    ----------
    most_rounds : int or None, the maximum number of rounds; None: no limit
    tol : float or None, the relative gap at which a class ends
    traced : bool, whether a round is an epoch
    """

    most_rounds: int | None = None
    tol: float | None = None
    traced = False
    restored = False

    def __init__(self, problem: KernelProblem, alpha: float) -> None:
        weight = float(problem.weights.max()) if problem.weights.size else 1.0
        require_range(float(problem.gram.diagonal.max()) * weight, alpha)
        self.problem, self.alpha, self.seconds = problem, alpha, 0.0
        n_classes = len(problem.signs)
        self.primal, self.gap, self.intercept = np.empty(n_classes), np.empty(n_classes), np.zeros(n_classes)
        self.history: list[list[Epoch]] = [[] for _ in range(n_classes)]
        self.taking_part: Sequence[int] = ()

    def advance(self):
        """Do a round of the classes that have not ended."""
        self.taking_part = self.left
        if self.taking_part:
            self.run_round(self.taking_part)
        return False

    @property
    def is_over(self):
        """Whether no round follows."""
        return not self.left

    def finish(self):
        """Check the result."""
        require_finite(self.primal, self.gap)

    def record(self, score=None):
        """Add a line to the history of each class that took part; return (class number, line) pairs."""
        lines, value = [], None
        if score is not None and self.taking_part:
            value = score(self.coef, self.intercept.copy())
        for k in self.taking_part:
            primal, gap = float(self.primal[k]), float(self.gap[k])
            line = Epoch(int(self.done[k]), self.seconds, primal, primal - gap, gap, value)
            self.history[k].append(line)
            lines.append((k, line))
        return lines

    def is_indefinite(self) -> bool:
        """Whether the fit is known to have ended because the kernel is not positive semi-definite."""
        return False

    def result(self):
        """The KernelResult at this point."""
        return KernelResult(
            self.coef, self.primal, self.gap, int(self.done.max()), self.history, self.intercept
        )


def as_all_signs(Y: Any, n: int) -> np.ndarray:
    """Y as int8 of shape (n_classes, n), checked to contain -1 and +1 only."""
    return np.ascontiguousarray([as_signs(y, n) for y in np.atleast_2d(Y)])
