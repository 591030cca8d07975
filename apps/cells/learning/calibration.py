"""Calibration: from scores to probabilities, and from counted labels to shares of the classes.

It also finds the score below which a cell gets no label. Everything is learned from predictions of models
trained without the original of a cell. Every original has the same weight, however many images it has.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..finding.findings import UNCLASSIFIED

# The share of wrong labels that is allowed. A bound that was chosen looks a little better than it is, and .05
# is wanted.
WANTED_ERROR = 0.045
TRIED_POWERS = np.geomspace(0.25, 4, 49)  # below 1 probabilities move towards each other
SCORE_BINS = 10  # of scores, to compare them with how often they are right
EM_STEPS, EM_CHANGE = 10_000, 1e-9  # of `corrected_shares`, at most; change of a share at which it ends


@dataclass(frozen=True)
class CellCalibration:
    """The calibration of scores, and its measured quality.

    Attributes
    ----------
    power : float
        Probabilities are raised to this power and divided by their sum.
    min_score : float
        A cell whose best probability is lower gets no label.
    coverage, error : float
        On held-out originals: the share of cells with a label, and the share of these labels that is wrong.
    miscalibration : float
        Expected calibration error on these cells: the mean difference between score and accuracy, over ten
        bins of scores (Guo et al. 2017, "On calibration of modern neural networks").
    """

    power: float = 1.0
    min_score: float = 0.0
    coverage: float = 1.0
    error: float | None = None
    miscalibration: float | None = None

    def calibrated(self, probabilities: np.ndarray) -> np.ndarray:
        """Return calibrated probabilities."""
        return _sharpened(probabilities, self.power)


def calibrate_scores(
    probabilities: np.ndarray, truth: np.ndarray, weights: np.ndarray, parts: Sequence[np.ndarray]
) -> CellCalibration:
    """Learn the calibration of scores.

    Parameters
    ----------
    probabilities : ndarray of shape (n, n_classes)
        From models trained without the original of the row.
    truth : ndarray of shape (n,)
        The column of the right class.
    weights : ndarray of shape (n,)
        The weight of each row.
    parts : sequence of ndarray
        The rows of each fold. The calibration of a fold is learned on the others.
    """
    power, min_score = _learned(probabilities, truth, weights)
    score, right = np.empty(len(truth)), np.zeros(len(truth), bool)
    labelled = np.zeros(len(truth), bool)
    for part in parts:
        others = np.ones(len(truth), bool)
        others[part] = False
        of_others, least = _learned(probabilities[others], truth[others], weights[others])
        sharpened = _sharpened(probabilities[part], of_others)
        score[part], right[part] = sharpened.max(axis=1), sharpened.argmax(axis=1) == truth[part]
        labelled[part] = score[part] >= least
    shown = weights * labelled
    error = float(shown @ ~right / shown.sum()) if shown.any() else None
    coverage = float(shown.sum() / weights.sum())
    return CellCalibration(power, min_score, coverage, error, _miscalibration(score, right, weights))


def _learned(probabilities: np.ndarray, truth: np.ndarray, weights: np.ndarray) -> tuple[float, float]:
    """Return the power with the lowest log loss, and the lowest score with few enough mistakes above it."""
    rows = np.arange(len(truth))
    chances = (_sharpened(probabilities, power)[rows, truth] for power in TRIED_POWERS)
    losses = [-weights @ np.log(np.maximum(chance, 1e-12)) for chance in chances]
    power = float(TRIED_POWERS[np.argmin(losses)])
    sharpened = _sharpened(probabilities, power)
    return power, least_score(sharpened.max(axis=1), sharpened.argmax(axis=1) != truth, weights)


def least_score(score: np.ndarray, wrong: np.ndarray, weights: np.ndarray) -> float:
    """Return the lowest score with few enough mistakes above it: 0 if every label may stay, 1 if none may.

    Parameters
    ----------
    score, wrong, weights : ndarray of shape (n,)
        The best score of each row, whether its label is wrong, and its weight.
    """
    order = np.argsort(-score, kind="stable")
    errors = np.cumsum((weights * wrong)[order]) / np.cumsum(weights[order])
    # Rows of one score are all in or all out.
    last = np.append(np.diff(score[order]) != 0, True)
    few = np.flatnonzero((errors <= WANTED_ERROR) & last)
    if not len(few):
        return 1.0
    return 0.0 if few[-1] == len(score) - 1 else float(score[order][few[-1]])


def _sharpened(probabilities: np.ndarray, power: float) -> np.ndarray:
    # Relative to the largest, so that no power underflows.
    shares = (probabilities / np.maximum(probabilities.max(axis=1, keepdims=True), 1e-300)) ** power
    return shares / shares.sum(axis=1, keepdims=True)


def _miscalibration(score: np.ndarray, right: np.ndarray, weights: np.ndarray) -> float:
    bins = np.minimum((score * SCORE_BINS).astype(int), SCORE_BINS - 1)
    return float(np.abs(np.bincount(bins, weights * (score - right))).sum() / weights.sum())


def corrected_shares(
    counts: Mapping[str | None, int], classes: Sequence[str], confusion: Sequence[Sequence[float]]
) -> dict[str, float] | None:
    """Estimate the true shares of the classes from counts of labels.

    These are the likeliest shares if cells of each class get labels as often as in the cross-validation, by
    expectation maximisation (Dempster, Laird & Rubin 1977).

    Parameters
    ----------
    counts : dict
        How many cells have each label, or none (`UNCLASSIFIED`).
    classes : sequence of str
    confusion : sequence of sequence of float
        As in `ModelNotes`.

    Returns
    -------
    dict or None
        The share of each class; None if nothing was counted or the confusions are not known.
    """
    found = np.array([counts.get(label, 0) for label in (*classes, UNCLASSIFIED)], float)
    if not len(confusion) or not found.any():
        return None
    # No label is quite impossible.
    chances = np.array(confusion) + 1e-3
    chances /= chances.sum(axis=1, keepdims=True)
    shares = np.full(len(classes), 1 / len(classes))
    for _ in range(EM_STEPS):
        joint = shares[:, None] * chances
        updated = (joint / joint.sum(axis=0) * found).sum(axis=1) / found.sum()
        done = np.abs(updated - shares).max() < EM_CHANGE
        shares = updated
        if done:
            break
    return dict(zip(classes, shares.tolist(), strict=True))
