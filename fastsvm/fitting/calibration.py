"""Probabilities from the scores of classifiers that were not trained to give any."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .labels import LabelSets, as_targets
from .prediction import probabilities_of_scores, softmax

if TYPE_CHECKING:
    from ..solvers.annotations import ArrayLike

MAX_STEPS = 100  # of Newton's method; ten are usual
MIN_STEP = 1e-10
TINY = 1e-12  # on the Hessian's diagonal
LEAST_SLOPE = 1e-9  # largest slope of the mean loss at the end


class Calibration:
    """Platt's sigmoid of the score of each label, fitted to scores of rows that were not trained on.

    With ``z = slope * score + intercept``, the second of two labels has the probability
    ``1 / (1 + exp(-z))``. Of more labels, each fitted against the rest, the probabilities are the softmax of
    all z, multiplied by the number that makes it likeliest. The most probable label may be another than that
    of the highest score. Where a row may have several labels, each has the probability of its own z.

    Parameters
    ----------
    slopes, intercepts : ndarray of shape (n_problems,), float64
        One for two labels, which the probability of the second follows from; one a label for more.
    independent : bool, default=False
        Whether a row may have several labels, whose probabilities do not add up to 1.

    References
    ----------
    Platt, Probabilistic outputs for support vector machines, in Advances in Large Margin Classifiers (2000).
    Lin, Lin & Weng, A note on Platt's probabilistic outputs for support vector machines, Machine Learning
    68 (2007). Guo, Pleiss, Sun & Weinberger, On calibration of modern neural networks, ICML 2017, for the
    one number, which they call a temperature.

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
            Scores of rows that the classifier, or one like it, was not trained on; -inf counts as none.
        y : array of shape (n,), or indicator matrix or LabelSets of shape (n, n_classes)
            True labels, one a row or several.
        classes : array of shape (n_classes,), sorted

        Returns
        -------
        Calibration
            A label without scores gets the mean of the others' sigmoids.

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
            raise ValueError("there are no scores to calibrate with.")
        slopes, intercepts = np.where(np.isnan(fitted), np.nanmean(fitted, axis=0), fitted).T
        if decision.ndim == 1 or targets.is_several:
            return cls(slopes, intercepts, targets.is_several)
        y, labels = targets.y, targets.labels
        complete = np.isfinite(decision).all(axis=1) & np.isin(y, labels)
        z = slopes * decision[complete] + intercepts
        factor = sharpness(z, np.searchsorted(labels, y[complete])) if len(z) else 1.0
        return cls(factor * slopes, factor * intercepts)

    def probabilities(self, decision: np.ndarray) -> np.ndarray:
        """Return the probabilities of the classes.

        Parameters
        ----------
        decision : ndarray of shape (n,) or (n, n_classes)
            As `decision_function` returns it.

        Returns
        -------
        ndarray of shape (n, n_classes), float64
            Of each row and class; rows add up to 1, but for several labels a row.
        """
        decision = np.asarray(decision, float)
        if decision.ndim == 1:
            return probabilities_of_scores(self.slopes[0] * decision + self.intercepts[0])
        z = self.slopes * decision + self.intercepts
        return probabilities_of_scores(z, True) if self.independent else softmax(z)


def sigmoid(decision: np.ndarray, is_it: np.ndarray) -> tuple[float, float]:
    """Return the slope and the intercept of the likeliest sigmoid, by Newton's method.

    The targets are not 0 and 1 but what a uniform prior makes of so many rows, which keeps the slope finite
    where a threshold parts the two kinds. A slope below 0 is not given: 0 is.
    """
    n_yes = np.count_nonzero(is_it)
    n_no = len(is_it) - n_yes
    target = np.where(is_it, (n_yes + 1) / (n_yes + 2), 1 / (n_no + 2))
    scale = np.abs(decision).max(initial=0.0) or 1.0
    x = np.column_stack([decision / scale, np.ones(len(decision))])
    w = np.array([0.0, np.log((n_yes + 1) / (n_no + 1))])

    def loss(w):
        z = x @ w
        return np.mean(np.logaddexp(0, z) - target * z)

    now = loss(w)
    for _ in range(MAX_STEPS):
        p = 1 / (1 + np.exp(-(x @ w)))
        gradient = (p - target) @ x / len(x)
        if np.abs(gradient).max() < LEAST_SLOPE:
            break
        hessian = (x.T * (p * (1 - p))) @ x / len(x) + TINY * np.eye(2)
        direction = -np.linalg.solve(hessian, gradient)
        step, descent = 1.0, gradient @ direction
        while step > MIN_STEP and loss(w + step * direction) > now + 1e-4 * step * descent:
            step /= 2
        if step <= MIN_STEP:
            break
        w = w + step * direction
        now = loss(w)
    if w[0] < 0:
        return 0.0, float(np.log((n_yes + 1) / (n_no + 1)))
    return float(w[0] / scale), float(w[1])


def sharpness(z: np.ndarray, truth: np.ndarray) -> float:
    """Return the factor by which the softmax of z is likeliest, by Newton's method; `truth` are columns.

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
    factor, rows = 1.0, np.arange(len(z))
    for _ in range(MAX_STEPS):
        p = softmax(factor * z)
        mean = (p * z).sum(axis=1)
        gradient = float(np.mean(mean - z[rows, truth]))
        curvature = float(np.mean((p * z**2).sum(axis=1) - mean**2))
        if abs(gradient) < LEAST_SLOPE or curvature < TINY:
            break
        factor = min(max(factor - gradient / curvature, factor / 2), 2 * factor)  # stays above 0
    return factor
