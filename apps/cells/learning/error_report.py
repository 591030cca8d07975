"""Errors of predictions, by image and by original."""

from dataclasses import dataclass

import numpy as np

from ...common.statistics import confusion, wilson_interval


@dataclass(frozen=True)
class ErrorReport:
    """The errors of a model on labelled images.

    Attributes
    ----------
    n : int
        Images.
    error : float
        The share of them that is wrong.
    interval : tuple of float
        Its 95 % interval, in which copies of one original count as one image.
    labels : list of str
        The labels of the model, then others.
    confusion : list of list of int
        Rows are true labels, columns are predictions.
    without_cell : list of int
        For each true label, in how many images no white cell was found; they are wrong, too.
    unknown_labels : list of str
        Those that the model does not know.
    originals : tuple of int, or None
        How many originals there are, those of which more than half of the images are wrong, and those of
        which any is; None where the originals are not known.
    """

    n: int
    error: float
    interval: tuple[float, float]
    labels: list[str]
    confusion: list[list[int]]
    without_cell: list[int]
    unknown_labels: list[str]
    originals: tuple[int, int, int] | None


def error_report(
    truth: np.ndarray, predicted: np.ndarray, known: list[str], groups: np.ndarray | None
) -> ErrorReport:
    """Compare predictions with the truth.

    Parameters
    ----------
    truth, predicted : ndarray of str
        A label for each image; None was predicted where no white cell was found.
    known : list of str
        The labels of the model.
    groups : ndarray or None
        The original of each image.

    Returns
    -------
    ErrorReport
    """
    wrong = truth != predicted
    n, error = len(wrong), float(wrong.mean())
    unknown = sorted(set(truth) - set(known))
    labels = known + unknown
    seen = predicted != None  # noqa: E711 (an array)
    originals = None if groups is None else _originals(groups, wrong)
    independent = n if originals is None else originals[0]
    interval = wilson_interval(error * independent, independent)
    table = confusion(truth[seen], predicted[seen], labels).tolist()
    without_cell = [int(np.count_nonzero(truth[~seen] == label)) for label in labels]
    return ErrorReport(n, error, interval, labels, table, without_cell, unknown, originals)


def _originals(groups: np.ndarray, wrong: np.ndarray) -> tuple[int, int, int]:
    _, number = np.unique(groups, return_inverse=True)
    shares = np.bincount(number, wrong) / np.bincount(number)
    return len(shares), int(np.count_nonzero(shares > 0.5)), int(np.count_nonzero(shares))
