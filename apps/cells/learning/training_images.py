"""The images to train on, and the labels of the cells in them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ...common.errors import AppError, Skipped
from ...common.printing import many, note
from ..data.boxes import Box, LabelledBox, boxes_of_files, has_boxes, match_boxes, read_boxes, show_one_cell
from ..data.image_files import find_images, source_name, with_labels
from ..data.image_reader import ImageFile
from ..finding.findings import FoundCell
from .corrections import read_corrections

Boxes = Mapping[ImageFile, Sequence[LabelledBox]]


def find_training_images(
    sources: Sequence[str],
    corrections: Sequence[str] = (),
    *,
    labels: str | None = None,
    groups: str | None = None,
    classes: Sequence[str] | None = None,
) -> tuple[list[ImageFile], Skipped, Boxes, list[ImageFile]]:
    """Find the images with a label, or with labelled boxes of cells.

    Parameters
    ----------
    sources : sequence of str
        Folders and images.
    corrections : sequence of str
        Files of corrections; the last correction of a cell counts. The name of a folder is a label
        only if it is a class in one of these files.
    labels : str, optional
        As for `find_images`; or boxes with labels, as for `read_boxes`.
    groups, classes
        As for `find_images`.

    Returns
    -------
    files : list of ImageFile
    skipped : Skipped
        The images without a label, if there are no boxes.
    boxes : dict
        Labelled boxes by file.
    everything : list of ImageFile
        All images, with a label or without.
    """
    fields = labels is not None and has_boxes(labels)
    if not (corrections or fields):
        files = find_images(sources, labels=labels, groups=groups, classes=classes)
        return *with_labels(files, source_name(sources)), {}, files
    read = list(map(read_corrections, corrections))
    files = find_images(sources, labels=None if fields else labels, groups=groups)
    known = {label for _, classes_said in read for label in classes_said} if labels is None else set()
    for allowed in (known if labels is None or fields else None, classes):
        if allowed is not None:
            files = [file if file.label in allowed else replace(file, label=None) for file in files]
    said = read_boxes(labels, files) if fields else []
    for corrected, _ in read:
        said += boxes_of_files(files, corrected) if corrected else []
    of_files: dict[ImageFile, dict[Box, LabelledBox]] = {}
    for file, boxed in said:
        of_files.setdefault(file, {}).update((each.box, _of_classes(each, classes)) for each in boxed)
    kept = [file for file in files if file.label is not None or file in of_files]
    if not kept:
        raise AppError(f"{', '.join(corrections)}: the file has no corrections, and no image has a label")
    if rest := len(files) - len(kept):
        note(f"note: left out {many(rest, 'image')} without a label or correction")
    boxes = {file: list(each.values()) for file, each in of_files.items()}
    return kept, Skipped(source_name(sources)), boxes, files


def _of_classes(boxed: LabelledBox, classes: Sequence[str] | None) -> LabelledBox:
    return boxed if classes is None or boxed.label in classes else boxed._replace(label=None)


def labels_of_cells(
    file: ImageFile, cells: Sequence[FoundCell], boxes: Boxes, skipped: Skipped
) -> Iterator[tuple[int, str]]:
    """Yield the number and label of each cell of an image to learn from.

    These are the cells in labelled boxes. The first cell gets the label of the image, unless a box has it.

    Parameters
    ----------
    file : ImageFile
    cells : sequence of FoundCell
        The cells found in it, in the order of `find_white_cells`.
    boxes : dict
        As `find_training_images` returns them.
    skipped : Skipped
        Collects the labelled boxes in which no cell was found.
    """
    said, found = boxes.get(file, ()), [cell.box for cell in cells]
    pairs = dict(match_boxes([each.box for each in said], found))
    labels = {pairs[k]: each.label for k, each in enumerate(said) if k in pairs}
    for each in said:
        if each.label is not None and not any(show_one_cell(each.box, box) for box in found):
            skipped.add(file.name, f"no cell was found in a box ({each.where})")
    if cells and file.label is not None:
        labels.setdefault(0, file.label)
    yield from ((k, label) for k, label in sorted(labels.items()) if label is not None)
