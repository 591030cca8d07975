"""Errors of predictions, by image and by original."""

import numpy as np

from ...common.statistics import confusion, wilson_interval


class ErrorReport:
    """The errors of a model on labelled images.

    Parameters
    ----------
    truth, predicted : ndarray of str
        A label for each image; None was predicted if no white cell was found.
    known : list of str
        The labels of the model.
    groups : ndarray or None
        The original of each image.

    Attributes
    ----------
    n : int
        Number of images.
    error : float
        The share of images with a wrong label.
    error_interval : tuple of float
        Its 95 % interval, in which copies of one original count as one image.
    labels : list of str
        The labels of the model, then others.
    confusion : list of list of int
        Rows are true labels, columns are predictions.
    without_cell : list of int
        For each true label, in how many images no white cell was found; these count as wrong.
    unknown_labels : list of str
        True labels that the model does not know.
    originals : dict or None
        Numbers of originals: all (`n`), those with more than half of their images `wrong`, and those
        `with_mistakes`; None if the originals are not known.
    """

    def __init__(
        self, truth: np.ndarray, predicted: np.ndarray, known: list[str], groups: np.ndarray | None
    ) -> None:
        wrong = truth != predicted
        self.n, self.error = len(wrong), float(wrong.mean())
        self.unknown_labels = sorted(set(truth) - set(known))
        self.labels = known + self.unknown_labels
        self.originals: dict[str, int] | None = None
        if groups is not None:
            _, number = np.unique(groups, return_inverse=True)
            shares = np.bincount(number, wrong) / np.bincount(number)
            self.originals = {"n": len(shares), "wrong": int(np.count_nonzero(shares > 0.5))}
            self.originals["with_mistakes"] = int(np.count_nonzero(shares))
        independent = self.originals["n"] if self.originals else self.n
        self.error_interval = wilson_interval(self.error * independent, independent)
        seen = predicted != None  # noqa: E711 (an array)
        self.confusion = confusion(truth[seen], predicted[seen], self.labels).tolist()
        self.without_cell = [int(np.count_nonzero(truth[~seen] == label)) for label in self.labels]
