"""Corrections of labels by people, and the found cells that they belong to.

A file of corrections is JSON: ``version`` (1), ``model``, ``classes`` and ``corrections``, a list of objects
with ``file``, ``box`` (x, y, width, height in pixels of the image), ``old`` (the label before) and either
``new`` (the label it should have, the old one if it was right) or ``reject`` (true: this is no white cell).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from ...common.errors import AppError, Skipped
from ...common.printing import many, note
from ..data.boxes import (
    AnnotatedBox,
    Box,
    LabelledBox,
    boxes_of_files,
    checked_box,
    has_boxes,
    read_boxes,
)
from ..data.image_files import ImageFile, find_images, labelled_images, source_name
from ..data.label_tables import read_json
from ..finding.findings import UNCLASSIFIED, FoundCell

VERSION = 1
MIN_OVERLAP = 0.5  # of two boxes of one cell: their intersection over their union

Boxes = Mapping[ImageFile, Sequence[LabelledBox]]


class Corrections(NamedTuple):
    """The corrections in a file, and the classes that could be chosen."""

    said: list[AnnotatedBox]
    classes: set[str]


def read_corrections(path: str) -> Corrections:
    """Read a file of corrections.

    Raises
    ------
    AppError
        When it cannot be read or is none, with the number of the correction that is wrong.
    """
    return checked_corrections(read_json(path, "corrections"), path)


def checked_corrections(content: Mapping, where: str) -> Corrections:
    """Check what a file of corrections contains."""
    if content.get("version") != VERSION or not isinstance(content.get("corrections"), list):
        raise AppError(f"{where}: no corrections of version {VERSION}; give a file that `review` wrote")
    classes = content.get("classes")
    known = set(map(str, classes)) if isinstance(classes, list) else set()
    said = [
        _checked(entry, f"{where}, correction {number:,}")
        for number, entry in enumerate(content["corrections"], start=1)
    ]
    return Corrections(said, known | {boxed.label for _, boxed, _ in said if boxed.label})


def _checked(entry: object, where: str) -> AnnotatedBox:
    if not isinstance(entry, dict) or not isinstance(entry.get("file"), str):
        raise AppError(f"{where}: names no file")
    new, reject = entry.get("new"), entry.get("reject", False)
    if reject is not True and not (isinstance(new, str) and new.strip()):
        raise AppError(f'{where}: has neither a new label nor "reject": true')
    box = checked_box(where, entry.get("box"))
    if min(box[2:]) <= 0:
        raise AppError(f"{where}: a box with nothing in it")
    label = None if reject or new == UNCLASSIFIED else new
    return AnnotatedBox(entry["file"], LabelledBox(where, box, label))


# Samples


def find_training_images(
    sources: Sequence[str],
    corrections: Sequence[str] = (),
    *,
    labels: str | None = None,
    groups: str | None = None,
    classes: Sequence[str] | None = None,
) -> tuple[list[ImageFile], Skipped, Boxes]:
    """Find the images that have a label, or boxes of cells that have one.

    Parameters
    ----------
    sources : sequence of str
        Folders and images.
    corrections : sequence of str
        Files of corrections; of two about one cell the last counts. With them, the name of a folder is a
        label only if they know it as a class.
    labels : str, optional
        As for `find_images`; or boxes with labels, as for `read_boxes`.
    groups, classes
        As for `find_images`.

    Returns
    -------
    files : list of ImageFile
    skipped : Skipped
        Where there are no boxes, the images without a label.
    boxes : dict
        Labelled boxes by file.
    """
    fields = labels is not None and has_boxes(labels)
    if not (corrections or fields):
        files, skipped = labelled_images(sources, labels=labels, groups=groups, classes=classes)
        return files, skipped, {}
    read = list(map(read_corrections, corrections))
    files = find_images(sources, labels=None if fields else labels, groups=groups)
    known = {label for one in read for label in one.classes} if labels is None else set()
    if labels is None or fields:
        files = [file if file.label in known else replace(file, label=None) for file in files]
    if classes is not None:
        files = [file if file.label in classes else replace(file, label=None) for file in files]
    said = read_boxes(labels, files) if fields else []
    for one in read:
        said += boxes_of_files(files, one.said) if one.said else []
    boxes: dict[ImageFile, dict[Box, LabelledBox]] = {}
    for file, boxed in said:
        boxes.setdefault(file, {}).update((each.box, _of_classes(each, classes)) for each in boxed)
    kept = [file for file in files if file.label is not None or file in boxes]
    if not kept:
        raise AppError(f"{', '.join(corrections)}: the file has no corrections, and no image has a label")
    if rest := len(files) - len(kept):
        note(f"note: {many(rest, 'image')} without a label or correction left out")
    return kept, Skipped(source_name(sources)), {file: list(each.values()) for file, each in boxes.items()}


def _of_classes(boxed: LabelledBox, classes: Sequence[str] | None) -> LabelledBox:
    return boxed if classes is None or boxed.label in classes else boxed._replace(label=None)


def labels_of_cells(
    file: ImageFile, cells: Sequence[FoundCell], boxes: Boxes, skipped: Skipped
) -> Iterator[tuple[int, str]]:
    """Yield the number and label of each cell of an image that a classifier can learn from.

    These are the cells in labelled boxes; and the largest cell, if the image has a label and no box
    contradicts it.

    Parameters
    ----------
    file : ImageFile
    cells : sequence of FoundCell
        What was found in it, the largest first.
    boxes : dict
        As `find_training_images` returns them.
    skipped : Skipped
        Collects the labelled boxes in which no cell was found.
    """
    said, found = boxes.get(file, ()), [cell.box for cell in cells]
    pairs = dict(match_boxes([each.box for each in said], found))
    labels = {pairs[k]: each.label for k, each in enumerate(said) if k in pairs}
    for each in said:
        if each.label is not None and not any(box_overlap(each.box, box) >= MIN_OVERLAP for box in found):
            skipped.add(file.name, f"no cell is found in a box ({each.where})")
    if cells and file.label is not None:
        labels.setdefault(0, file.label)
    yield from ((k, label) for k, label in sorted(labels.items()) if label is not None)


def match_boxes(boxes: Sequence[Box], others: Sequence[Box]) -> Iterator[tuple[int, int]]:
    """Yield pairs of boxes that show the same cell, by their numbers, those with the most in common first.

    Each box has at most one partner; the intersection is at least `MIN_OVERLAP` of the union.
    """
    overlaps = _overlapping(boxes, others)
    taken, given = set(), set()
    for _, k, other in sorted(overlaps, key=lambda each: (-each[0], *each[1:])):
        if k not in taken and other not in given:
            taken.add(k)
            given.add(other)
            yield k, other


def _overlapping(boxes: Iterable[Box], others: Sequence[Box]) -> Iterator[tuple[float, int, int]]:
    for k, box in enumerate(boxes):
        for number, other in enumerate(others):
            if (share := box_overlap(box, other)) >= MIN_OVERLAP:
                yield share, k, number


def box_overlap(box: Box, other: Box) -> float:
    """Return the intersection of two boxes over their union."""
    width = min(box[0] + box[2], other[0] + other[2]) - max(box[0], other[0])
    height = min(box[1] + box[3], other[1] + other[3]) - max(box[1], other[1])
    common = max(0, width) * max(0, height)
    return common / (box[2] * box[3] + other[2] * other[3] - common)
