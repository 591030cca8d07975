"""Red cells and platelets beside the white cells of an image, as findings.

Platelets, free or on red cells, are small spots with the stain of nuclei. This stain absorbs red light, which
red cells let pass, and hardly any blue light, which they absorb. Lengths are in pixels at the working scale,
at which a platelet is about 15 pixels wide.
"""

from collections.abc import Collection

import cv2
import numpy as np

from . import red_cells
from .field import Field
from .findings import RED_CELL, FoundCell
from .masks import is_cut, outline
from .white_cells import WhiteCell

# Of the densities of blue, green and red: the direction that a linear classifier found between pixels of
# annotated platelets and the rest, rounded. Its sum is 0, so a shadow changes nothing.
PLATELET_STAIN = np.float32([[-0.8, -0.2, 1]])
BLUR = 1.2  # standard deviation
MIN_STAIN = 0.195  # of a platelet, times the root of the red cells' density: a fixed part was worse, ...
USUAL_CONTRAST = 0.2  # ... and so was this density for all, which is used without red cells
MIN_AREA, MAX_AREA = 40, 560  # pixels
MIN_AREA_AT_BORDER, MAX_AREA_AT_BORDER = 100, 250  # less is not counted, more may be a nucleus
PLATELET_MARGIN = 3.5  # from the spot to the box


def find_other_cells(field: Field, cells: list[WhiteCell], kinds: Collection[str]) -> list[FoundCell]:
    """Find red cells and platelets in an image.

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
        Labelled with their kind, with an outline and no score; at the working scale, kind by kind.
    """
    dark, seen, contrast = red_cells.light_around(field, cells)
    found = []
    for kind in kinds:
        if kind == RED_CELL:
            outlines, margin = red_cells.find_red_cells(dark, seen, contrast), red_cells.MARGIN
        else:
            outlines, margin = find_platelets(field, seen, contrast), PLATELET_MARGIN
        found += [_finding(outline, kind, margin, field.frame.shape) for outline in outlines]
    return found


def _finding(outline: np.ndarray, kind: str, margin: float, shape: tuple[int, int]) -> FoundCell:
    """Return the cell in an outline, as far as it is in the image."""
    corners = np.rint(red_cells.corners_around(outline, margin, shape)).astype(int)
    (left, top), (right, bottom) = corners.tolist()
    outline = np.clip(np.rint(outline), 0, np.array(shape[::-1]) - 1).astype(np.int32)
    return FoundCell(
        box=(left, top, right - left, bottom - top),
        center=((left + right) // 2, (top + bottom) // 2),
        # The outline runs through the middles of border pixels, which leaves out half of them.
        area=round(cv2.contourArea(outline) + cv2.arcLength(outline, True) / 2 + 1),
        label=kind,
        outline=outline,
    )


def find_platelets(field: Field, seen: np.ndarray, contrast: float) -> list[np.ndarray]:
    """Find platelets.

    Parameters
    ----------
    field : Field
    seen, contrast
        As `light_around` returns them.

    Returns
    -------
    list of ndarray of shape (n, 2) and dtype int32
        x and y along the border of each.
    """
    stain = cv2.GaussianBlur(field.densities(field.image, PLATELET_STAIN)[..., 0], (0, 0), BLUR)
    least_stain = MIN_STAIN * (contrast or USUAL_CONTRAST) ** 0.5
    spots = (stain > least_stain).view(np.uint8) * seen
    found = []
    _, labels, stats, _ = cv2.connectedComponentsWithStats(spots)
    for k, (x, y, w, h, area) in enumerate(stats[1:], start=1):
        at_border = is_cut((x, y, w, h), spots.shape)
        least, most = (MIN_AREA_AT_BORDER, MAX_AREA_AT_BORDER) if at_border else (MIN_AREA, MAX_AREA)
        if least <= area <= most:
            spot = (labels[y : y + h, x : x + w] == k).view(np.uint8)
            found.append(outline(spot, (int(x), int(y))))
    return found
