"""Errors of predictions, by image and by original."""

import numpy as np

from ...common.statistics import confusion, wilson_interval


class ErrorReport:
    """The errors of a model on labelled images.

    Parameters
    ----------
    truth, predicted : ndarray of str
        A label for each cell, or for an image in which no white cell was found; then None was predicted.
    known : list of str
        The labels of the model.
    groups : ndarray
        The original of each cell's image.

    Attributes
    ----------
    n : int
        Number of labels.
    error : float
        The share of wrong labels.
    error_interval : tuple of float
        Its 95 % interval, in which the cells of one original count as one.
    labels : list of str
        The labels of the model, then others.
    confusion : list of list of int
        Rows are true labels, columns are predictions.
    without_cell : list of int
        For each true label, how often no white cell was found; this counts as wrong.
    unknown_labels : list of str
        True labels that the model does not know.
    originals : dict or None
        Numbers of originals: all (`n`), those with more than half of their cells `wrong`, and those
        `with_mistakes`; None if each cell has its own.
    """

    def __init__(
        self, truth: np.ndarray, predicted: np.ndarray, known: list[str], groups: np.ndarray
    ) -> None:
        wrong = truth != predicted
        self.n, self.error = len(wrong), float(wrong.mean())
        self.unknown_labels = sorted(set(truth) - set(known))
        self.labels = known + self.unknown_labels
        self.originals: dict[str, int] | None = None
        _, number = np.unique(groups, return_inverse=True)
        shares = np.bincount(number, wrong) / np.bincount(number)
        if len(shares) < self.n:
            self.originals = {"n": len(shares), "wrong": int(np.count_nonzero(shares > 0.5))}
            self.originals["with_mistakes"] = int(np.count_nonzero(shares))
        self.error_interval = wilson_interval(self.error * len(shares), len(shares))
        seen = predicted != None  # noqa: E711 (an array)
        self.confusion = confusion(truth[seen], predicted[seen], self.labels).tolist()
        self.without_cell = [int(np.count_nonzero(truth[~seen] == label)) for label in self.labels]
