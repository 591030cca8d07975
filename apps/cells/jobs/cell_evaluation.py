"""Test a saved model on labelled images."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...common.progress import UNWATCHED, Stages
from ..data.image_files import find_images, no_usable_images_error, source_name, with_labels
from ..data.image_reader import ImageFile
from ..finding.findings import UNCLASSIFIED, UNFAMILIAR, FoundCell, ImageFindings
from ..finding.first_look import first_look
from ..learning.calibration import CellCalibration
from ..learning.cell_model import load_cell_model
from ..learning.error_report import ErrorReport
from ..settings import ClassifySettings
from .cell_classification import CellClassification, classify_cells

Mistake = tuple[ImageFile, FoundCell | None]  # the image with a wrong label, and the cell that was classified


class CellEvaluation(CellClassification):
    """Labelled images that a model has classified by their first cell, and its mistakes."""

    def __init__(self, *about) -> None:
        super().__init__(*about)
        self._tried: list[Mistake] = []
        self._right: list[bool] = []  # of each label that was given

    def take(self, file: ImageFile, found: ImageFindings) -> None:
        """Count an image; a cell that gets no label counts with its likeliest class."""
        self.add(found)
        if found.problem is not None:
            return
        cell = found.cells[0] if found.cells else None
        if cell and cell.label != UNCLASSIFIED:
            self._right.append(cell.label == file.label)
        elif cell:
            cell = replace(cell, label=self.model.classes[int(np.argmax(cell.probabilities))])
        self._tried.append((file, cell))

    @property
    def mistakes(self) -> list[Mistake]:
        """The images with a wrong label, highest score first."""
        wrong = [(file, cell) for file, cell in self._tried if cell is None or cell.label != file.label]
        # Images without a cell have no score; they come last.
        return sorted(wrong, key=lambda pair: np.inf if pair[1] is None else -pair[1].score)

    def errors(self, grouped: bool) -> ErrorReport:
        """Return the errors on all images; if they are `grouped`, also by original."""
        if not self._tried:
            raise no_usable_images_error(self.skipped)
        truth = np.array([file.label for file, _ in self._tried], object)
        predicted = np.array([cell and cell.label for _, cell in self._tried], object)
        originals = np.array([file.original for file, _ in self._tried]) if grouped else None
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
    """Test a saved model on the first cell of each labelled image; `known` is as for `find_images`."""
    with stage("load"):
        model = load_cell_model(model_path)
    with stage("find"):
        files, skipped = with_labels(find_images(sources, **known), source_name(sources))
        look = first_look(files, cell_width, model.about)
    found = CellEvaluation(model, sources, ClassifySettings(cell_width), look)
    found.skipped = skipped
    with stage("evaluate", total=len(files)) as advance:
        for each in classify_cells(files, found, most=1):
            advance()
            found.take(*each)
    return found, found.errors(bool(known.get("groups")))
