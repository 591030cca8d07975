"""Test a saved model on labelled images."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...common.progress import UNWATCHED, Stages
from ..data.boxes import LabelledBox, match_boxes
from ..data.image_files import no_usable_images_error
from ..data.image_reader import ImageFile
from ..finding.findings import UNCLASSIFIED, UNFAMILIAR, FoundCell, ImageFindings
from ..finding.first_look import first_look
from ..learning.calibration import CellCalibration
from ..learning.cell_model import load_cell_model
from ..learning.error_report import ErrorReport
from ..learning.training_images import find_training_images
from ..settings import ClassifySettings
from .cell_classification import CellClassification, classify_cells

Mistake = tuple[ImageFile, FoundCell | None]  # the image with a wrong label, and the cell that was classified


class CellEvaluation(CellClassification):
    """Labelled images, or boxes in images, that a model has classified, and its mistakes."""

    def __init__(self, *about) -> None:
        super().__init__(*about)
        self._tried: list[Mistake] = []
        self._right: list[bool] = []  # of each label that was given

    def take(self, file: ImageFile, found: ImageFindings, boxes: Sequence[LabelledBox] | None) -> None:
        """Count the first cell of an image, or the cells in labelled boxes.

        A cell that gets no label counts with its likeliest class.
        """
        self.add(found)
        if found.problem is not None:
            return
        said = [(file.label, 0 if found.cells else None)]
        if boxes is not None:
            pairs = dict(match_boxes([each.box for each in boxes], [cell.box for cell in found.cells]))
            said = [(each.label, pairs.get(k)) for k, each in enumerate(boxes) if each.label is not None]
        for label, k in said:
            cell = None if k is None else found.cells[k]
            if cell and cell.label != UNCLASSIFIED:
                self._right.append(cell.label == label)
            elif cell:
                cell = replace(cell, label=self.model.classes[int(np.argmax(cell.probabilities))])
            self._tried.append((replace(file, label=label), cell))

    @property
    def mistakes(self) -> list[Mistake]:
        """The images with a wrong label, highest score first."""
        wrong = [(file, cell) for file, cell in self._tried if cell is None or cell.label != file.label]
        # Images without a cell have no score; they come last.
        return sorted(wrong, key=lambda pair: np.inf if pair[1] is None else -pair[1].score)

    def errors(self) -> ErrorReport:
        """Return the errors on all images."""
        if not self._tried:
            raise no_usable_images_error(self.skipped)
        truth = np.array([file.label for file, _ in self._tried], object)
        predicted = np.array([cell and cell.label for _, cell in self._tried], object)
        originals = np.array([file.original for file, _ in self._tried])
        return ErrorReport(truth, predicted, self.model.classes, originals)

    @property
    def coverage(self) -> CellCalibration | None:
        """The lowest score of a label, the share of cells with a label, and the share of wrong labels.

        None if every cell gets a label.
        """
        if self.min_score is None or len(self._right) == len(self._tried):
            return None
        is_familiar = 2 * self.flags[UNFAMILIAR] <= self.with_cell
        error = 1 - sum(self._right) / len(self._right) if self._right else None
        least = self.min_score if is_familiar else self.min_unfamiliar
        return CellCalibration(min_score=least, coverage=len(self._right) / len(self._tried), error=error)


def evaluate_cell_model(
    model_path: str,
    sources: Sequence[str],
    *,
    cell_width: float | None = None,
    stage: Stages = UNWATCHED,
    **known,
) -> tuple[CellEvaluation, ErrorReport]:
    """Test a saved model on the first cell of each labelled image, or on the cells in labelled boxes.

    The labels, groups and classes in `known` are as for `find_training_images`.
    """
    with stage("load"):
        model = load_cell_model(model_path)
    with stage("find"):
        files, skipped, boxes, _ = find_training_images(sources, **known)
        of_path = {file.path: of_file for file, of_file in boxes.items()}
        files = [replace(file, label="") if file in boxes else file for file in files]  # of its boxes, known
        look = first_look(files, cell_width, model.about)
    found = CellEvaluation(model, sources, ClassifySettings(cell_width), look)
    found.skipped = skipped
    with stage("evaluate", total=len(files)) as advance:
        for file, seen in classify_cells(files, found, most=None if boxes else 1):
            advance()
            found.take(file, seen, of_path.get(file.path))
    return found, found.errors()
