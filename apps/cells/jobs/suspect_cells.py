"""The labels of training images that models which had not seen them contradict most."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from fastsvm.fitting import Pipeline

from ...common.suspicious_labels import suspicious_labels
from ..learning.cell_model import scores_of
from ..learning.training_samples import TrainingSamples
from .cell_evaluation import Mistake

# Strength of the regularisation. A weaker model learns wrong labels by heart: of 42 wrong labels among 274,
# 35 are among the first 50 with 3, 26 with 1, 22 with 0.1. Of random ones all find nearly all.
ALPHA = 3.0


def suspect_cells(
    samples: TrainingSamples,
    parts: Sequence[np.ndarray],
    fit: Callable[[TrainingSamples, float], Pipeline],
) -> tuple[list[Mistake], tuple[float, float]] | tuple[None, None]:
    """Look for wrong labels.

    Parameters
    ----------
    samples : TrainingSamples
    parts : sequence of ndarray
        The rows of each fold; without folds nothing is known.
    fit : callable
        Fits a model with probabilities to samples, with a strength of the regularisation.

    Returns
    -------
    cells : list of Mistake
        Those that a held-out model contradicts, the strongest contradiction first; the cell has the label and
        the score that this model gives it.
    share : tuple of float
        Bounds of the share of labels that are wrong. The lower is that of `suspicious_labels`, which sees few
        of the mistakes that follow a rule; the upper counts all contradicted labels, also of hard cells.
    """
    if not parts:
        return None, None
    classes, labels = np.unique(samples.y, return_inverse=True)
    scores = samples.held_out_scores(parts, lambda k, others, X: scores_of(fit(others, ALPHA), X))
    images = np.flatnonzero(~samples.is_version)
    found = suspicious_labels(scores[images], labels[images])
    cells = []
    for k in found.order:
        file, cell = samples.cells[images[k]]
        suggested = found.suggested[k]
        cell = replace(cell, label=str(classes[suggested]), score=float(scores[images[k], suggested]))
        cells.append((replace(file, label=str(samples.y[images[k]])), cell))
    most = len(cells) / len(images)
    return cells, (min(found.estimated_share, most), most)
