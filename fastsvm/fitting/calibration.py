"""Probabilities from the scores of classifiers that were not trained to give any."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .labels import LabelSets, as_targets
from .prediction import probabilities_of_scores, softmax

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..solvers.annotations import ArrayLike

MAX_STEPS = 100  # of Newton's method; ten are usual
MIN_STEP = 1e-10
TINY = 1e-12  # on the Hessian's diagonal
ROUNDING = 1e-14  # of a loss; steps that gain less are the last
PRIOR = 10.0  # standard deviation of both numbers of a common sigmoid; well below it, a softmax anyway
LEAST_SLOPE = 1e-9  # largest gradient component of the mean loss at the end
MOST_SCORES = 1 << 16  # of rows spread over all; for a common sigmoid, two numbers, these are plenty


class Calibration:
    """Platt's sigmoids of scores, fitted to scores of rows that were not trained on.

    With ``z = slope * score + intercept``, the second of two labels has the probability
    ``1 / (1 + exp(-z))``. More labels, each fitted against the rest, may share one sigmoid, whose values are
    divided by their sum; the label with the highest score is then the most probable. Or each label has its
    own sigmoid, and the probabilities are the softmax of all z times the factor with the highest likelihood;
    the most probable label may then be another. If a row may have several labels, each probability follows
    from the label's own z.

    Parameters
    ----------
    slopes, intercepts : ndarray of shape (1,) or (n_classes,), float64
        One value for two labels, or for a sigmoid that all labels share; otherwise one per label.
    independent : bool, default=False
        Whether a row may have several labels, whose probabilities do not add up to 1.

    References
    ----------
    Platt, Probabilistic outputs for support vector machines, in Advances in Large Margin Classifiers (2000).
    Lin, Lin & Weng, A note on Platt's probabilistic outputs for support vector machines, Machine Learning
    68 (2007). Guo, Pleiss, Sun & Weinberger, On calibration of modern neural networks, ICML 2017, for the
    factor, the inverse of their temperature.

    Examples
    --------
    >>> import numpy as np
    >>> from fastsvm.fitting import Calibration
    >>> calibration = Calibration.fit([-2, -1, -1, 1, 1, 2], ["a", "a", "b", "a", "b", "b"], ["a", "b"])
    >>> calibration.probabilities(np.array([-2.0, 0.0, 2.0])).round(2)
    array([[0.7, 0.3],
           [0.5, 0.5],
           [0.3, 0.7]])
    """

    def __init__(self, slopes: np.ndarray, intercepts: np.ndarray, independent: bool = False):
        self.slopes, self.intercepts, self.independent = slopes, intercepts, independent

    @classmethod
    def fit(cls, decision: ArrayLike, y: ArrayLike | LabelSets, classes: ArrayLike) -> Calibration:
        """Fit the sigmoids.

        Parameters
        ----------
        decision : array of shape (n,) or (n, n_classes)
            Scores of rows that the classifier, or one like it, was not trained on; -inf means no score.
        y : array of shape (n,), or indicator matrix or LabelSets of shape (n, n_classes)
            True labels, one per row or several.
        classes : array of shape (n_classes,), sorted

        Returns
        -------
        Calibration
            A label without scores gets the mean slope and intercept of the others.

        Raises
        ------
        ValueError
            If no label has scores.
        """
        decision = np.asarray(decision, float)
        targets = as_targets(y, len(decision), np.asarray(classes))
        fitted = np.full((len(targets.labels), 2), np.nan)
        columns = decision.reshape(targets.n_rows, len(fitted)).T
        for k, column in enumerate(columns):
            there = np.isfinite(column)
            if there.any():
                fitted[k] = sigmoid(column[there], targets.signs(k)[there] > 0)
        if np.isnan(fitted).all():
            raise ValueError("there are no finite scores to calibrate with.")
        slopes, intercepts = np.where(np.isnan(fitted), np.nanmean(fitted, axis=0), fitted).T
        if decision.ndim == 1 or targets.is_several:
            return cls(slopes, intercepts, targets.is_several)
        y, labels = targets.y, targets.labels
        complete = np.isfinite(decision).all(axis=1) & np.isin(y, labels)
        z = slopes * decision[complete] + intercepts
        factor = sharpness(z, np.searchsorted(labels, y[complete])) if len(z) else 1.0
        return cls(factor * slopes, factor * intercepts)

    @classmethod
    def fit_common(cls, decision: ArrayLike, y: ArrayLike, classes: ArrayLike) -> Calibration:
        """Fit one sigmoid for the scores of all labels; parameters and errors are as in `fit`.

        A score of -inf, for a label that the classifier did not know, becomes the lowest finite score.
        """
        decision = np.asarray(decision, float)
        finite = decision[np.isfinite(decision)]
        if decision.ndim == 1 or not len(finite):
            return cls.fit(decision, y, classes)
        step = -(-decision.size // MOST_SCORES)
        decision, y = np.maximum(decision[::step], finite.min()), np.asarray(y)[::step]
        found = common_sigmoid(decision, np.searchsorted(np.asarray(classes), y))
        return cls(*np.reshape(found, (2, 1)))

    def probabilities(self, decision: np.ndarray) -> np.ndarray:
        """Return the probabilities of the classes.

        Parameters
        ----------
        decision : ndarray of shape (n,) or (n, n_classes)
            As `decision_function` returns it.

        Returns
        -------
        ndarray of shape (n, n_classes), float64
            The probability of each class for each row. They add up to 1, except with several labels per row.
        """
        z = self.slopes * np.asarray(decision, float) + self.intercepts
        if self.independent or len(self.slopes) == 1:
            return probabilities_of_scores(z, self.independent)
        return softmax(z)


def sigmoid(decision: np.ndarray, is_it: np.ndarray) -> tuple[float, float]:
    """Return the slope and the intercept of the most likely sigmoid, by Newton's method.

    The targets are not 0 and 1 but the means of a uniform prior after this number of rows. So the slope is
    finite even if a threshold separates the two kinds. A negative slope becomes 0.
    """
    n_yes = np.count_nonzero(is_it)
    n_no = len(is_it) - n_yes
    target = np.where(is_it, (n_yes + 1) / (n_yes + 2), 1 / (n_no + 2))
    scale = np.abs(decision).max(initial=0.0) or 1.0
    x = np.column_stack([decision / scale, np.ones(len(decision))])

    def loss(w):
        z = x @ w
        return np.mean(np.maximum(z, 0) + np.log1p(np.exp(-np.abs(z))) - target * z)

    def derivatives(w):
        p = 1 / (1 + np.exp(-(x @ w)))
        return (p - target) @ x / len(x), (x.T * (p * (1 - p))) @ x / len(x)

    w = _minimum(loss, derivatives, np.array([0.0, np.log((n_yes + 1) / (n_no + 1))]))
    if w[0] < 0:
        return 0.0, float(np.log((n_yes + 1) / (n_no + 1)))
    return float(w[0] / scale), float(w[1])


def common_sigmoid(decision: np.ndarray, truth: np.ndarray) -> tuple[float, float]:
    """Return the slope, above 0, and the intercept of the most likely sigmoid for all labels together.

    The probabilities of a row are the sigmoids of its scores, divided by their sum. The Hessian is the Fisher
    information, which is positive semi-definite.

    Parameters
    ----------
    decision : ndarray of shape (n, n_classes)
        Scores.
    truth : ndarray of shape (n,), int
        The column of the true class of each row.
    """
    scale, rows = np.abs(decision).max(initial=0.0) or 1.0, np.arange(len(decision))
    x, prior = decision / scale, 1 / (PRIOR**2 * len(decision))

    def loss(w):
        logs = -np.logaddexp(0, -(np.exp(w[0]) * x + w[1]))
        return np.mean(np.logaddexp.reduce(logs, axis=1) - logs[rows, truth]) + prior / 2 * (w @ w)

    def derivatives(w):
        z = np.exp(w[0]) * x + w[1]
        p, rest = probabilities_of_scores(z), np.exp(-np.logaddexp(0, z))
        slopes = np.stack([rest * np.exp(w[0]) * x, rest])  # of the logarithm of each sigmoid
        means = (p * slopes).sum(axis=2)
        fisher = np.einsum("ink,jnk->ij", p * slopes, slopes) - means @ means.T
        gradient = (means - slopes[:, rows, truth]).mean(axis=1) + prior * w
        return gradient, fisher / len(x) + prior * np.eye(2)

    w = _minimum(loss, derivatives, np.zeros(2))
    return float(np.exp(w[0]) / scale), float(w[1])


def _minimum(
    loss: Callable[[np.ndarray], float],
    derivatives: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]],
    w: np.ndarray,
) -> np.ndarray:
    """Return the minimiser of a loss, by Newton's method from `w`; `derivatives` are gradient and Hessian."""
    now = loss(w)
    for _ in range(MAX_STEPS):
        gradient, hessian = derivatives(w)
        if np.abs(gradient).max() < LEAST_SLOPE:
            break
        direction = -np.linalg.solve(hessian + TINY * np.eye(len(w)), gradient)
        step, descent = 1.0, gradient @ direction
        if -descent < ROUNDING * now:
            return w + direction
        while step > MIN_STEP and not loss(w + step * direction) <= now + 1e-4 * step * descent:
            step /= 2
        if step <= MIN_STEP:
            break
        w = w + step * direction
        now = loss(w)
    return w


def sharpness(z: np.ndarray, truth: np.ndarray) -> float:
    """Return the factor of z that makes its softmax most likely, by Newton's method; `truth` are columns.

    Parameters
    ----------
    z : ndarray of shape (n, n_classes)
        Scores.
    truth : ndarray of shape (n,), int
        The column of the true class of each row.

    Returns
    -------
    float
        The factor, above 0.
    """
    true = z[np.arange(len(z)), truth]

    def loss(w):
        return np.mean(np.logaddexp.reduce(w * z, axis=1) - w * true)

    def derivatives(w):
        p = softmax(w * z)
        mean = (p * z).sum(axis=1)
        curvature = np.mean((p * z**2).sum(axis=1) - mean**2)
        return np.array([np.mean(mean - true)]), np.array([[curvature]])

    return max(float(_minimum(loss, derivatives, np.ones(1))[0]), TINY)
