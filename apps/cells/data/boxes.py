"""Boxes of cells and their labels: Pascal VOC annotations, CSV tables and COCO files."""

import math
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import NamedTuple

from ...common.errors import AppError
from ...common.printing import and_more, note, shortened
from .bad_image import BadImage
from .image_reader import ImageFile, ImageReader
from .label_tables import files_of_rows, read_json, read_label_table, read_voc_files

SIDES = ("x", "y", "w", "h")
MIN_OVERLAP = 0.5  # of two boxes of one cell: their intersection over their union
SLACK_PIXELS = 2  # pixels that a box may go beyond the image: some tools count from 1, others round

Box = tuple[int, int, int, int]


class LabelledBox(NamedTuple):
    """A box in an image, and `where` it was read.

    The box is x, y, width and height in pixels; `size` is the size of the image in the annotation. Nothing is
    learned from a box whose label is None.
    """

    where: str
    file: str
    box: Box
    label: str | None
    size: tuple[int, int] | None = None


def has_boxes(source: str) -> bool:
    """Return whether labels have boxes: annotations, a JSON file, or columns of a CSV file."""
    if os.path.isdir(source):
        return any(root.find("object/bndbox") is not None for _, _, root in read_voc_files(source))
    if source.lower().endswith(".json"):
        return True
    with open(source, "rb") as file:
        header = file.readline(1 << 16).decode("utf-8", "replace")
    return {*SIDES} <= {name.strip() for name in header.split(",")}


def read_boxes(source: str, files: Sequence[ImageFile]) -> list[tuple[ImageFile, list[LabelledBox]]]:
    """Read the boxes and labels of cells.

    Parameters
    ----------
    source : str
        A folder of Pascal VOC annotations, a COCO file (``.json``), or a CSV file with the columns ``file``,
        ``x``, ``y``, ``w``, ``h`` and ``label``. Rows of a CSV file without a box or label are left out.
    files : sequence of ImageFile
        The images, each named in full, or by the last part of its name if no other image shares this part.

    Returns
    -------
    list of (ImageFile, list of LabelledBox)
        The images that have a box, in the order of `files`.

    Raises
    ------
    AppError
        If the source cannot be read or names none of the images, or if a box does not lie in its image.
    """
    is_json = source.lower().endswith(".json")
    said = list((_from_voc if os.path.isdir(source) else _from_coco if is_json else _from_csv)(source))
    empty = [each.where for each in said if min(each.box[2:]) <= 0]
    if len(empty) == len(said):
        raise AppError(f"{source}: contains no box with a label")
    if empty:  # a click without a drag
        note(f"note: {empty[0]}: left out an empty box{and_more(len(empty))}")
    return boxes_of_files(files, (each for each in said if min(each.box[2:]) > 0))


def boxes_of_files(
    files: Sequence[ImageFile], said: Iterable[LabelledBox]
) -> list[tuple[ImageFile, list[LabelledBox]]]:
    """Find the image of each box, and check that the box lies inside."""
    found: dict[ImageFile, list[LabelledBox]] = defaultdict(list)
    for boxed, file in files_of_rows(files, said):
        found[file].append(boxed)
    for file, boxes in found.items():
        _check_inside(file, boxes)
    return [(file, found[file]) for file in files if file in found]


def _check_inside(file: ImageFile, boxes: Iterable[LabelledBox]) -> None:
    try:
        sides = ImageReader(file.path).size
    except (BadImage, OSError):  # reported when the image is used
        return
    has = f"{sides[0]:,} x {sides[1]:,}"
    for where, _, (x, y, w, h), _, size in boxes:
        if size and sorted(size) != sorted(sides):
            told = f"the annotation is for {size[0]:,} x {size[1]:,} pixels, but {file.name} has {has}"
            raise AppError(f"{where}: {told}; give the image that was annotated")
        # An orientation may have turned the image since.
        if min(x, y) < -SLACK_PIXELS or not any(
            x + w <= width + SLACK_PIXELS and y + h <= height + SLACK_PIXELS
            for width, height in (sides, sides[::-1])
        ):
            told = f"the box {x}, {y}, {w} x {h} is not inside {file.name}"
            raise AppError(f"{where}: {told}, which has {has} pixels")


def checked_box(where: str, values: object) -> Box:
    """Return x, y, width and height as whole pixels."""
    listed = values if isinstance(values, list | tuple) else [values]
    try:
        x, y, w, h = map(float, listed)
    except (TypeError, ValueError, OverflowError):
        x = y = w = h = math.nan
    if not all(abs(side) < 1e9 for side in (x, y, w, h)):
        shown = shortened(", ".join(map(str, listed)))
        raise AppError(f"{where}: {shown!r} is not a box; give x, y, width and height in pixels")
    left, top, right, bottom = round(x), round(y), round(x + w), round(y + h)
    return left, top, right - left, bottom - top


def _from_csv(path: str) -> Iterator[LabelledBox]:
    for where, (file, *sides, label) in read_label_table(path, ("file", *SIDES, "label")):
        if label.strip() and any(map(str.strip, sides)):  # an image without a cell has a row, too
            yield LabelledBox(where, file, checked_box(where, sides), label.strip())


def _from_voc(folder: str) -> Iterator[LabelledBox]:
    for path, file, root in read_voc_files(folder):
        stated = [root.findtext(f"size/{side}", "") for side in ("width", "height")]
        size = tuple(map(int, stated)) if all(text.strip().isdecimal() for text in stated) else None
        for element in root.iter("object"):
            corners = [element.findtext(f"bndbox/{name}") for name in ("xmin", "ymin", "xmax", "ymax")]
            try:
                left, top, right, bottom = map(float, corners)
            except (TypeError, ValueError):
                raise AppError(f"{path}: an object has no xmin, ymin, xmax and ymax") from None
            label = element.findtext("name", "").strip()
            if label:
                box = checked_box(path, (left, top, right - left, bottom - top))
                yield LabelledBox(path, file, box, label, size if size and all(size) else None)


def _from_coco(path: str) -> Iterator[LabelledBox]:
    content = read_json(path, "COCO annotations")
    try:
        labels = {category["id"]: str(category["name"]) for category in content["categories"]}
        images = {image["id"]: image for image in content["images"]}
        annotations = list(content["annotations"])
    except (KeyError, TypeError) as error:
        what = f"{error} is missing" if isinstance(error, KeyError) else "its lists are damaged"
        raise AppError(f"{path}: not a COCO file: {what}") from None
    for number, annotation in enumerate(annotations, start=1):
        where = f"{path}, annotation {number:,}"
        try:
            image, label = images[annotation["image_id"]], labels[annotation["category_id"]]
            file, box = image["file_name"], annotation["bbox"]
        except (KeyError, TypeError) as error:
            raise AppError(f"{where}: {error} is unknown or missing") from None
        size = image.get("width"), image.get("height")
        whole = all(isinstance(side, int) and side > 0 for side in size)
        yield LabelledBox(where, str(file), checked_box(where, box), label, size if whole else None)


def match_boxes(boxes: Sequence[Box], others: Sequence[Box]) -> Iterator[tuple[int, int]]:
    """Yield the numbers of each two boxes that show the same cell, the largest overlap first.

    Each box has at most one partner, with an overlap of at least `MIN_OVERLAP`.
    """
    pairs = product(enumerate(boxes), enumerate(others))
    overlaps = ((-box_overlap(box, other), k, n) for (k, box), (n, other) in pairs)
    taken, given = set(), set()
    for _, k, other in sorted(each for each in overlaps if -each[0] >= MIN_OVERLAP):
        if k not in taken and other not in given:
            taken.add(k)
            given.add(other)
            yield k, other


def show_one_cell(box: Box, other: Box) -> bool:
    """Return whether two boxes overlap enough to show the same cell."""
    return box_overlap(box, other) >= MIN_OVERLAP


def box_overlap(box: Box, other: Box) -> float:
    """Return the intersection of two boxes over their union."""
    width = min(box[0] + box[2], other[0] + other[2]) - max(box[0], other[0])
    height = min(box[1] + box[3], other[1] + other[3]) - max(box[1], other[1])
    common = max(0, width) * max(0, height)
    return common / (box[2] * box[3] + other[2] * other[3] - common)
