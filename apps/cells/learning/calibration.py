"""From scores to probabilities that can be trusted, and from counted labels to shares of the classes.

Also the score below which a cell gets no label. All is learned from predictions by models that have not seen
the original of a cell. Every original counts the same, however many images of it there are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..finding.findings import UNCLASSIFIED

# Of the cells that get a label, the share that may be wrong. A chosen bound looks a little better than it is,
# and .05 is wanted.
WANTED_ERROR = 0.045
TRIED_POWERS = np.geomspace(0.25, 4, 49)  # that are tried; under 1 probabilities come nearer to each other
SCORE_BINS = 10  # of scores, to compare them with how often they are right
EM_STEPS, EM_CHANGE = 10_000, 1e-9  # of `corrected_shares`, at most; change of a share at which it ends


@dataclass(frozen=True)
class CellCalibration:
    """The calibration of scores, and its measured quality.

    Attributes
    ----------
    power : float
        Probabilities are taken to it and divided by their sum.
    min_score : float
        A cell whose best probability is lower gets no label.
    coverage, error : float
        Of cells whose originals had no part in it: the share that gets a label, and of these that is wrong.
    miscalibration : float
        Expected calibration error there: the mean difference between score and share that is right, over ten
        bins of scores (Guo et al. 2017, "On calibration of modern neural networks").
    """

    power: float = 1.0
    min_score: float = 0.0
    coverage: float = 1.0
    error: float | None = None
    miscalibration: float | None = None

    def calibrated(self, probabilities: np.ndarray) -> np.ndarray:
        """Return probabilities that can be trusted."""
        return _sharpened(probabilities, self.power)


def calibrate_scores(
    probabilities: np.ndarray,
    truth: np.ndarray,
    weights: np.ndarray,
    parts: Sequence[np.ndarray],
) -> CellCalibration:
    """Learn how scores are to be read.

    Parameters
    ----------
    probabilities : ndarray of shape (n, n_classes)
        By models that have not seen the original of the row.
    truth : ndarray of shape (n,)
        The column of the right class.
    weights : ndarray of shape (n,)
        How much each row counts.
    parts : sequence of ndarray
        The rows of each fold. The calibration of a fold is learned on the others.

    Returns
    -------
    CellCalibration
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
    losses = [
        -weights @ np.log(np.maximum(_sharpened(probabilities, power)[rows, truth], 1e-12))
        for power in TRIED_POWERS
    ]
    power = float(TRIED_POWERS[np.argmin(losses)])
    sharpened = _sharpened(probabilities, power)
    return power, least_score(sharpened.max(axis=1), sharpened.argmax(axis=1) != truth, weights)


def least_score(score: np.ndarray, wrong: np.ndarray, weights: np.ndarray) -> float:
    """Return the lowest score with few enough mistakes above it: 0 if every label may stay, 1 if none may.

    Parameters
    ----------
    score, wrong, weights : ndarray of shape (n,)
        Of each row the best score, whether its label is wrong, and how much it counts.
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
    # Of the largest, so that no power is too small for a number.
    shares = (probabilities / np.maximum(probabilities.max(axis=1, keepdims=True), 1e-300)) ** power
    return shares / shares.sum(axis=1, keepdims=True)


def _miscalibration(score: np.ndarray, right: np.ndarray, weights: np.ndarray) -> float:
    bins = np.minimum((score * SCORE_BINS).astype(int), SCORE_BINS - 1)
    return float(np.abs(np.bincount(bins, weights * (score - right))).sum() / weights.sum())


def corrected_shares(
    counts: Mapping[str | None, int], classes: Sequence[str], confusion: Sequence[Sequence[float]]
) -> dict[str, float] | None:
    """Estimate the true shares of the classes from counts of labels.

    The likeliest shares, if cells of each class get labels as often as in the cross-validation, by
    expectation maximisation (Dempster, Laird & Rubin 1977).

    Parameters
    ----------
    counts : dict
        How many cells have each label, or none (`UNCLASSIFIED`).
    classes : sequence of str
    confusion : sequence of sequence of float
        As of `ModelNotes`.

    Returns
    -------
    dict or None
        The share of each class, or None where nothing was counted or nothing is known about confusions.
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
