"""The records of findings in images of blood smears: cells, images and counts."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from ...common.errors import Skipped
from ...common.printing import fields, many
from ...common.statistics import wilson_interval
from ...common.training_items import too_good

NO_CELL = "no white cell"
UNCLASSIFIED = "unclassified"  # the label of a cell whose best score is too low for a class
DARK, FLAT = "dark", "no contrast"  # flags of an image in which nothing can be measured
# Flags of an image unlike the training images, and of the reason.
UNFAMILIAR, OTHER_STAIN, OTHER_CAMERA = "unfamiliar", "another stain", "another camera (finer structure)"

RED_CELL, PLATELET = "red cell", "platelet"  # counted on request
OTHER_KINDS = {"rbc": RED_CELL, "platelets": PLATELET}  # by the names that options have for them

Box = tuple[int, int, int, int]


def why_no_cell(flags: Iterable[str]) -> str:
    """Return why there is no cell in an image that has flags."""
    return next((f"nothing to measure: {flag}" for flag in flags if flag in (DARK, FLAT)), NO_CELL)


def crop_box(image: np.ndarray, box: Box) -> np.ndarray:
    """Return the part of an image that is in a box: x, y, width and height."""
    x, y, w, h = box
    return image[y : y + h, x : x + w]


def square_box(image: np.ndarray, center: tuple[int, int], size: int) -> Box:
    """Return the box of a square around a point, moved into the image as far as possible."""
    height, width = image.shape[:2]
    left = max(0, min(center[0] - size // 2, width - size))
    top = max(0, min(center[1] - size // 2, height - size))
    return left, top, min(size, width), min(size, height)


def crop_square(image: np.ndarray, center: tuple[int, int], size: int) -> np.ndarray:
    """Cut out a square around a point, moved so that it lies inside the image.

    Parameters
    ----------
    image : ndarray of shape (height, width) or (height, width, 3)
    center : tuple of int
        x and y.
    size : int
        Side of the square; if the image is smaller, its border is repeated.

    Returns
    -------
    ndarray of shape (size, size) or (size, size, 3)
    """
    part = crop_box(image, square_box(image, center, size))
    down, right = size - part.shape[0], size - part.shape[1]
    return np.pad(part, ((0, down), (0, right), *[(0, 0)] * (part.ndim - 2)), "edge")


@dataclass(frozen=True)
class FoundCell:
    """A white cell.

    Attributes
    ----------
    box : tuple of int
        x, y, width and height in pixels of the image.
    center : tuple of int
        x and y.
    area : int
        Pixels of the cell.
    label : str or None
        Its class; None if it was only located.
    score : float or None
        The score of the label; higher is surer.
    thumbnail : bytes or None
        A small JPEG of the crop.
    probabilities : tuple of float or None
        Of each class, in the order of the classifier; None if it gives none.
    outline : ndarray of shape (n, 2) and dtype int32, or None
        x and y along the border of the cell, in pixels of the image.
    nucleus : tuple of ndarray
        The same for each part of its nucleus.
    measures : tuple of float or None
        As `cell_measures.measure` returns them.
    """

    box: Box
    center: tuple[int, int]
    area: int
    label: str | None = None
    score: float | None = None
    thumbnail: bytes | None = None
    probabilities: tuple[float, ...] | None = None
    outline: np.ndarray | None = field(default=None, compare=False)
    nucleus: tuple[np.ndarray, ...] = field(default=(), compare=False)
    measures: tuple[float, ...] | None = field(default=None, compare=False)

    def labelled(self, classes: Sequence[str], scores: np.ndarray, least: float | None) -> Self:
        """Return the cell with its label; `least` is None if scores are not probabilities."""
        winner = int(scores.argmax())
        score = float(scores[winner])
        label = classes[winner] if least is None or score >= least else UNCLASSIFIED
        shares = None if least is None else tuple(scores.tolist())
        return replace(self, label=label, score=score, probabilities=shares)

    def in_file(self, scale: float, corner: tuple[int, int] = (0, 0)) -> Self:
        """Convert a cell found at a scale, in a part of a file with this corner, to the file's pixels."""
        if scale == 1 and not any(corner):
            return self
        (x, y, w, h), (dx, dy) = self.box, corner
        left, top, right, bottom = (round(side / scale) for side in (x, y, x + w, y + h))
        across, down = (int((side + 0.5) / scale) for side in self.center)
        return replace(
            self,
            box=(left + dx, top + dy, right - left, bottom - top),
            center=(across + dx, down + dy),
            area=round(self.area / scale**2),
            outline=None if self.outline is None else _scaled(self.outline, scale) + np.int32(corner),
            nucleus=tuple(_scaled(part, scale) + np.int32(corner) for part in self.nucleus),
        )


def _scaled(outline: np.ndarray, scale: float) -> np.ndarray:
    """Convert the middles of pixels at the working scale to pixels of the file."""
    return np.rint((outline + 0.5) / scale - 0.5).astype(np.int32)


@dataclass(frozen=True)
class ImageFindings:
    """An image and the white cells in it.

    Attributes
    ----------
    file : str
        The name as shown.
    cells : tuple of FoundCell
        In the order of `find_white_cells`; empty if there is no white cell.
    truth : str or None
        The known label of the image, which belongs to its first cell.
    problem : str or None
        The reason that the image could not be used.
    size : tuple of int or None
        Its width and height in pixels.
    flags : tuple of str
        How the image differs from those that the classifier was trained on, in a word or two each.
    others : tuple of FoundCell
        The red cells and platelets in it, if requested; their labels tell the kind.
    learned : int or None
        1 if the classifier has learned from it, 0 if not; None if this or its label is unknown.
    """

    file: str
    cells: tuple[FoundCell, ...]
    truth: str | None = None
    problem: str | None = None
    size: tuple[int, int] | None = None
    flags: tuple[str, ...] = ()
    others: tuple[FoundCell, ...] = ()
    learned: int | None = None

    def record(self, classes: Sequence[str] = (), also: Sequence[str] = ()) -> dict[str, object]:
        """Return a dict for JSON: the file, its cells with the probabilities of classes, and other kinds."""
        cells = []
        for cell in self.cells:
            record: dict = {"box": list(cell.box), "center": list(cell.center)}
            record |= fields(cell, "area", "label", "score")
            if cell.probabilities:
                record["probabilities"] = dict(zip(classes, cell.probabilities, strict=True))
            cells.append(record)
        problem = {} if self.problem is None else {"problem": self.problem}
        boxes = {kind: [list(other.box) for other in self.others if other.label == kind] for kind in also}
        others = {kind: {"count": len(places), "boxes": places} for kind, places in boxes.items()}
        others = {"others": others} if also and not problem else {}
        flags = {"flags": list(self.flags)} if self.flags else {}
        return {"file": self.file, "cells": cells, **others, **flags, **problem}

    @property
    def unmeasured(self) -> bool:
        """Whether nothing can be measured in it."""
        return why_no_cell(self.flags) != NO_CELL


class CellCounts:
    """Counts of images and of the cells in them.

    Parameters
    ----------
    source : str
        A name for the images, which is also an attribute.
    classes, others : iterable of str
        Labels of white cells and kinds of other cells that may stay at 0; more are added as found.

    Attributes
    ----------
    images, cells, without_cell, unmeasured : int
        The images that could be used, the white cells in them, the images without one, and those in which
        nothing can be measured.
    labels : dict
        How many cells have each label; None for those without.
    others : dict
        How many red cells and platelets there are, of the kinds that are counted.
    flags : Counter
        How many images have each flag.
    n_flagged : int
        How many images have a flag at all.
    labelled, learned : int
        How many labelled images a classifier could have learned from, and from how many it has.
    skipped : Skipped
        The images that could not be used.
    left_out : int
        How many images are in a folder for results, and were not used.
    """

    def __init__(self, source: str, classes: Iterable[str] = (), others: Iterable[str] = ()) -> None:
        self.images = self.cells = self.without_cell = self.unmeasured = 0
        self.labels: dict[str | None, int] = dict.fromkeys(classes, 0)
        self.others = dict.fromkeys(others, 0)
        self.flags: Counter[str] = Counter()
        self.n_flagged = self.labelled = self.learned = self.left_out = 0
        self.source, self.skipped = source, Skipped(source)

    def add(self, found: ImageFindings) -> None:
        """Count an image and its cells."""
        if found.problem is not None:
            self.skipped.add(found.file, found.problem)
            return
        self.images += 1
        self.cells += len(found.cells)
        self.unmeasured += found.unmeasured
        self.without_cell += not found.cells and not found.unmeasured
        self.flags.update(found.flags)
        self.n_flagged += bool(found.flags)
        self.labelled += found.learned is not None
        self.learned += found.learned or 0
        for cell in found.cells:
            self.labels[cell.label] = self.labels.get(cell.label, 0) + 1
        for other in found.others:
            self.others[other.label] = self.others.get(other.label, 0) + 1

    def __str__(self) -> str:
        """How many cells there are, and how many of each label."""
        labels = ", ".join(f"{n:,} {label or 'without a label'}" for label, n in self.labels.items())
        return f"{many(self.cells, 'white cell')} in {many(self.images, 'image')}: {labels}"

    @property
    def with_cell(self) -> int:
        """How many images have a white cell."""
        return self.images - self.without_cell - self.unmeasured

    @property
    def too_good(self) -> str:
        """The warning about figures on these images, if the classifier has learned from some."""
        return too_good(self.learned, self.labelled, "labelled image")

    @property
    def undecided(self) -> int:
        """How many cells are unclassified."""
        return self.labels.get(UNCLASSIFIED, 0)

    @property
    def many_undecided(self) -> bool:
        """Whether more than a third of the cells have no label."""
        return 3 * self.undecided > self.cells

    @property
    def why_no_shares(self) -> str:
        """The reason that percentages would mislead; else nothing."""
        if 3 * self.flags[UNFAMILIAR] > self.with_cell:
            return "among cells unlike its training cells the model misses some classes more than others"
        if self.many_undecided:
            return "more than a third of the cells have no label, and some classes lack more than others"
        return ""

    def advice(self, review: str = "with fastsvm-cells review") -> str:
        """Return why labels are missing or less reliable, and what to do about it; otherwise nothing.

        `review` says in words how cells are labelled by hand.
        """
        unfamiliar = self.flags[UNFAMILIAR]
        if self.many_undecided:
            why = "no class reaches the score that a label needs (--min-score)"
            if unfamiliar:
                why = "they are unlike the training cells (another laboratory, stain or camera)"
            said = f"{self.undecided:,} of {many(self.cells, 'cell')} have no label: {why}"
        elif unfamiliar:
            where = f"in {unfamiliar:,} of {many(self.images, 'image')}"
            said = f"{where} the cells are unlike the training cells, and labels are less reliable"
        else:
            return ""
        return f"{said}. Label about ten cells of each class {review}, then run fastsvm-cells adapt."

    def percent(self, label: str | None) -> float | None:
        """Return the percentage of cells with a label; None without cells, or if it would mislead."""
        if not self.cells or self.why_no_shares:
            return None
        return 100 * self.labels.get(label, 0) / self.cells

    def interval(self, label: str | None) -> tuple[float, float] | None:
        """Return the 95 % interval of the percentage of a label, as if cells were independent.

        Its upper end counts the undecided cells, which may all be of that class. It is None if the
        percentage is None.
        """
        if self.percent(label) is None:
            return None
        n = self.labels.get(label, 0)
        most = n if label == UNCLASSIFIED else n + self.undecided
        return 100 * wilson_interval(n, self.cells)[0], 100 * wilson_interval(most, self.cells)[1]
