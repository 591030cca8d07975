"""A binary problem: rows, signs and weights, its objective and its dual."""

import copy
import math
from typing import Any

import numpy as np

from . import _rows
from ._input import EXTREME, as_rows, as_signs, as_weights
from ._newton import newton_loss_sum
from ._rows import dual_sum, sums_by_sign
from ._scores import loss_and_slope, scores_of
from .losses import as_loss


class Problem:
    """Rows of X, with a sign and a weight for each, for a solver of a binary problem.

    Weights are divided by their mean, unless `relative` is False.
    """

    def __init__(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        threads: int = 1,
        norms: bool = False,
        relative: bool = True,
    ) -> None:
        self.threads = threads  # for passes that can be shared; the number does not change the results
        self.rows = as_rows(X, threads, norms)
        self.n = self.rows.n_rows  # those of weight 0 included
        self.signs = as_signs(y, self.n)
        self.weights = as_weights(sample_weight, self.n, relative)

    def with_threads(self, threads):
        """The same problem, with passes shared by this number of threads."""
        other = copy.copy(self)
        other.threads = threads
        return other

    @property
    def data(self):
        """The first arguments of every kernel."""
        return *self.rows.matrix, self.signs, self.weights

    @property
    def data_of_windows(self):
        """The same for rows visited in windows, which are checked before their first visit."""
        rows = self.rows
        return rows, rows.unchecked_values, rows.unchecked_columns, self.signs, self.weights

    @property
    def mean_weight(self):
        """Mean of the sample weights."""
        return float(self.weights.mean()) if self.weights.size else 1.0

    def class_weight_sums(self):
        """The sums of the weights of the rows of sign +1 and of sign -1."""
        return sums_by_sign(self.signs, self.weights if self.weights.size else np.ones(self.n))

    def mean_loss(self, w, intercept, loss):
        """1/n sum_i c_i phi(y_i (w.x_i + intercept))."""
        scores = scores_of(self.rows, w, self.threads)
        return loss_and_slope(scores, self.signs, self.weights, intercept, as_loss(loss).struct)[0] / self.n

    def margins(self, w, intercept):
        """y_i (w.x_i + intercept), float64 of shape (n,)."""
        margins = scores_of(self.rows, w, self.threads)
        margins += intercept
        margins *= self.signs
        return margins

    def mean_loss_at(self, margins, loss):
        """1/n sum_i c_i phi(m_i)."""
        return newton_loss_sum(loss.struct, margins, self.weights) / self.n

    def require_range(self, alpha):
        """Raise a ValueError if w.x_i may overflow because alpha is too small to bound w."""
        largest = self.rows.longest * (self.weights.max() if self.weights.size else 1.0)
        require_range(largest, alpha)

    def primal_from_dual(self, dual, alpha, factors=(1.0, 1.0)):
        """w(b) = 1/(alpha n) sum_i b_i y_i x_i."""
        return _rows.primal_from_dual(self.rows, self.signs, dual, 1 / (alpha * self.n), *factors)

    @property
    def rounding(self):
        """The approximate relative rounding error of sums over the rows."""
        return 4 * np.finfo(float).eps * math.sqrt(self.n)

    def primal(self, w, intercept, loss, alpha):
        """P(w, intercept); the mean loss if alpha is None."""
        ridge = 0.0 if alpha is None else alpha / 2 * float(w @ w)
        return ridge + self.mean_loss(w, intercept, loss)

    def dual_value(self, dual, w_of_dual, loss, alpha, factors=(1.0, 1.0)):
        """D(b), given w(b)."""
        norm = float(w_of_dual @ w_of_dual)
        psi = dual_sum(self.signs, dual, self.weights, as_loss(loss).struct, *factors)
        return psi / self.n - alpha / 2 * norm

    def upper(self, loss):
        """The upper bounds of the dual variables: a number, or an array with one per row."""
        return as_loss(loss).uppers(self.weights if self.weights.size else 1.0)

    def is_free(self, dual, loss):
        """Return which dual variables are strictly between their bounds."""
        return (dual > 0) & (dual < self.upper(loss))

    def clip_dual(self, dual, loss):
        """Clip `dual` to its domain, in place; return whether that changed it."""
        upper = self.upper(loss)
        outside = bool(dual.min() < 0 or (dual > upper).any())
        if outside:
            np.clip(dual, 0, upper, out=dual)
        return outside

    def imbalance(self, dual):
        """sum_i b_i y_i."""
        positive, negative = sums_by_sign(self.signs, dual)
        return positive - negative

    def balance_factors(self, dual):
        """Factors for rows of sign +1 and -1 that make sum_i b_i y_i = 0, as an intercept requires."""
        return balance_factors(*sums_by_sign(self.signs, dual))

    def taken_from_few_rows(self, dual, factors, share=1.0):
        """The amounts to take from `dual`, in few rows, to reach the sums that `factors` would give.

        The amount is `share` of a row's dual variable, or more if all rows together would not suffice.
        """
        part, taken = 1 - min(factors), np.zeros(self.n)
        _rows.take_from_few_rows(self.signs, dual, factors[0] < factors[1], part, max(share, part), taken)
        return taken

    def scale_to_balance(self, dual):
        """Apply the `balance_factors`, in place."""
        scale_to_balance(self.signs, dual)


def balance_factors(positive, negative):
    """Factors that make the sums of b_i over the rows of sign +1 and of sign -1 equal.

    The larger sum is scaled down, so that all b_i stay within their bounds.
    """
    if positive > negative:
        return negative / positive, 1.0
    return 1.0, positive / negative if negative > positive else 1.0


def scale_to_balance(signs, dual):
    """Apply the `balance_factors`, in place."""
    dual *= np.where(signs > 0, *balance_factors(*sums_by_sign(signs, dual)))


def require_range(largest, alpha):
    """Raise a ValueError if alpha is too small for the rows' squared norms, times their weights."""
    if largest > EXTREME * float(alpha):
        raise ValueError(
            f"alpha={alpha:.3g} is too small for a row whose weight times ||x||^2 is {largest:.3g}: scale X, "
            "or raise alpha (lower C)."
        )
