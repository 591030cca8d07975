"""Try a saved model on labelled images."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ...common.progress import UNWATCHED, Stages
from ..data.image_files import labelled_images, no_usable_images_error
from ..data.image_reader import ImageFile
from ..finding.findings import UNCLASSIFIED, UNFAMILIAR, CellCounts, FoundCell
from ..finding.image_scale import Scale, scale_of
from ..learning.calibration import CellCalibration
from ..learning.cell_model import load_cell_model
from ..learning.error_report import ErrorReport, error_report
from ..settings import ClassifySettings
from .cell_classification import classify_cells


class Mistake(NamedTuple):
    """An image that a model is wrong about, and the cell it looked at."""

    file: ImageFile
    cell: FoundCell | None


@dataclass(frozen=True)
class CellEvaluation:
    """The errors of a saved model on labelled images.

    Attributes
    ----------
    scores : ErrorReport
        Of all images: cells that get no label count with their likeliest class.
    mistakes : list of Mistake
        The surest first.
    count : CellCounts
        Of the images; it knows how many of them were skipped, are unlike those of training, and how many the
        model has learned from.
    scale : float or Scale
    labelled : CellCalibration or None
        The score that a label wants, the share of cells that have it, and the share of these labels that is
        wrong; None where every cell gets a label.
    """

    scores: ErrorReport
    mistakes: list[Mistake]
    count: CellCounts
    scale: float | Scale
    labelled: CellCalibration | None


def evaluate_cell_model(
    model_path: str,
    sources: Sequence[str],
    *,
    cell_width: float | None = None,
    stage: Stages = UNWATCHED,
    **known,
) -> CellEvaluation:
    """Try a saved model on labelled images, by the largest cell of each; `known` is as for `find_images`."""
    with stage("load"):
        model = load_cell_model(model_path)
    with stage("find"):
        files, skipped = labelled_images(sources, **known)
        scale = scale_of(files, cell_width)
    tried: list[Mistake] = []
    labelled: list[bool] = []  # whether the label is right
    count = CellCounts(skipped.source)
    count.skipped = skipped
    with stage("evaluate", total=len(files)) as advance:
        for file, found in classify_cells(files, model, ClassifySettings(scale), most=1):
            advance()
            count.add(found)
            if found.problem is not None:
                continue
            cell = found.cells[0] if found.cells else None
            if cell and cell.label != UNCLASSIFIED:
                labelled.append(cell.label == file.label)
            elif cell:
                cell = replace(cell, label=model.classes[int(np.argmax(cell.probabilities))])
            tried.append(Mistake(file, cell))
    if not tried:
        raise no_usable_images_error(skipped)
    truth = np.array([file.label for file, _ in tried], object)
    predicted = np.array([cell and cell.label for _, cell in tried], object)
    originals = np.array([file.original for file, _ in tried]) if known.get("groups") else None
    mistakes = [pair for pair in tried if pair.cell is None or pair.cell.label != pair.file.label]
    # Where no cell was found nothing is sure; these come last.
    mistakes.sort(key=lambda pair: -np.inf if pair.cell is None else pair.cell.score, reverse=True)
    scores = error_report(truth, predicted, model.classes, originals)
    coverage = None
    if model.least() is not None and len(labelled) < len(tried):
        is_familiar = 2 * count.flags[UNFAMILIAR] <= count.with_cell
        least = model.least() if is_familiar else model.least_unfamiliar()
        error = 1 - sum(labelled) / len(labelled) if labelled else None
        coverage = CellCalibration(min_score=least, coverage=len(labelled) / len(tried), error=error)
    return CellEvaluation(scores, mistakes, count, scale, coverage)
