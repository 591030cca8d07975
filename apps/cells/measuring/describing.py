"""Find the cells of an image and measure them."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import NamedTuple

import cv2
import numpy as np

from ...common.training_items import image_hash
from ..data.image_reader import ImageFile, ImageReader, is_blank, turned
from ..finding.field import Field
from ..finding.findings import FoundCell, crop_box
from ..finding.first_look import NO_LOOK, FirstLook, look_of
from ..finding.image_quality import ImageQuality, flags_without_cell, measure_quality
from ..finding.stain import USUAL, Stain, normalised, raw_field, stain_of
from ..finding.white_cells import WhiteCell, find_white_cells
from .cell_features import describe
from .cell_measures import measure

KEPT_PIXELS = 1 << 20  # of an image that is kept until it is drawn; larger images are decoded again
THUMBNAIL_PIXELS = 96  # pixels, its longer side


class DescribedImage(NamedTuple):
    """The cells of an image, their features as rows, the reader to draw the image from, and more about it."""

    cells: list[FoundCell]
    X: list[np.ndarray]
    reader: ImageReader | None = None
    size: tuple[int, int] | None = None
    quality: ImageQuality | None = None
    others: tuple[FoundCell, ...] = ()
    flags: tuple[str, ...] = ()
    hash: bytes | None = None  # a tile has none
    stain: Stain | None = None


def describe_image(
    file: ImageFile,
    look: FirstLook = NO_LOOK,
    *,
    usual: Stain = USUAL,
    wanted: Collection[str] = (),
    keep: bool = False,
    most: int | None = None,
    also: Sequence[str] = (),
) -> DescribedImage:
    """Find the cells of an image and measure them.

    Parameters
    ----------
    file : ImageFile
    look : FirstLook, optional
        What is known of all images of the run; by default nothing. A tile has the look of its slide.
    usual : Stain
        The stain to which the image is normalised.
    wanted : collection of {"thumbnails", "details", "quality"}
        Small pictures of the cells; their outlines and measurements; and the quality of the image.
    keep : bool, default=False
        Whether the image, unless it is large, is kept to be drawn.
    most : int, optional
        How many cells are measured, from the first.
    also : sequence of {"red cell", "platelet"}
        Other kinds to find.
    """
    look = look_of(file, look)
    reader = file.open()
    image, scale = reader.scaled(cell_width=look.scale)
    seen = None if hasattr(file, "window") else image_hash(reader.whole())
    kept = reader if keep and reader.pixels <= KEPT_PIXELS else None
    size = turned(reader.size, image)
    if is_blank(image):
        return DescribedImage([], [], kept, size, flags=flags_without_cell(image), hash=seen)
    raw = raw_field(image, look.bluish)
    stain = look.stain or stain_of(raw)
    field = Field(normalised(raw.image, stain, usual), raw.frame, raw.stained, raw.red)
    white = find_white_cells(field)
    others = []
    if also:
        from ..finding.other_cells import find_other_cells

        others = [other.in_file(scale) for other in find_other_cells(field, white, also)]
    taken = measure_quality(image, raw.frame, stain, white) if "quality" in wanted else None
    cells = white[:most]
    found = [FoundCell(cell.box, cell.center, cell.area) for cell in cells]
    if "details" in wanted:
        found = [_detailed(one, field, cell, scale) for one, cell in zip(found, cells, strict=True)]
    if "thumbnails" in wanted:
        found = [replace(cell, thumbnail=_thumbnail(crop_box(image, cell.box))) for cell in found]
    X = [describe(field, cell) for cell in cells]
    found = [cell.in_file(scale) for cell in found]
    flags = () if white else flags_without_cell(image)
    return DescribedImage(found, X, kept, size, taken, tuple(others), flags, seen, stain)


def _detailed(found: FoundCell, field: Field, cell: WhiteCell, scale: float) -> FoundCell:
    contours, _ = cv2.findContours(cell.nucleus, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE, offset=cell.corner)
    nucleus = tuple(contour.reshape(-1, 2) for contour in contours)
    return replace(found, outline=cell.contour, nucleus=nucleus, measures=measure(field, cell, scale))


def _thumbnail(image: np.ndarray) -> bytes:
    factor = min(1, THUMBNAIL_PIXELS / max(image.shape[:2]))
    small = cv2.resize(image, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
    return cv2.imencode(".jpg", small, (cv2.IMWRITE_JPEG_QUALITY, 85))[1].tobytes()
