"""Red cells and platelets beside the white cells of an image, as findings."""

from collections.abc import Collection

import cv2
import numpy as np

from . import platelets, red_cells
from .field import Field
from .findings import RED_CELL, FoundCell
from .white_cells import WhiteCell


def find_other_cells(field: Field, cells: list[WhiteCell], kinds: Collection[str]) -> list[FoundCell]:
    """Find what else is in an image.

    Parameters
    ----------
    field : Field
        An image at the working scale.
    cells : list of WhiteCell
        The white cells in it, which are left out.
    kinds : collection of {"red cell", "platelet"}

    Returns
    -------
    list of FoundCell
        With a kind for a label, no score, and an outline; at the working scale, one kind after the other.
    """
    dark, seen, contrast = red_cells.light_around(field, cells)
    found = []
    for kind in kinds:
        if kind == RED_CELL:
            outlines, margin = red_cells.find_red_cells(dark, seen, contrast), red_cells.MARGIN
        else:
            outlines, margin = platelets.find_platelets(field, seen, contrast), platelets.MARGIN
        found += [_finding(outline, kind, margin, field.frame.shape) for outline in outlines]
    return found


def _finding(outline: np.ndarray, kind: str, margin: float, shape: tuple[int, int]) -> FoundCell:
    """Return what an outline encloses, as far as it is in the image."""
    limits = np.array(shape[::-1])
    left, top = np.rint(np.maximum(outline.min(0) - margin, 0)).astype(int).tolist()
    right, bottom = np.rint(np.minimum(outline.max(0) + 1 + margin, limits)).astype(int).tolist()
    outline = np.clip(np.rint(outline), 0, limits - 1).astype(np.int32)
    return FoundCell(
        box=(left, top, right - left, bottom - top),
        center=((left + right) // 2, (top + bottom) // 2),
        # Between the middles of pixels at the border lies half of it less.
        area=round(cv2.contourArea(outline) + cv2.arcLength(outline, True) / 2 + 1),
        label=kind,
        outline=outline,
    )
