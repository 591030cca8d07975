"""Read from the nuclei how many pixels wide a white cell is.

Images of a folder are looked at from afar, where a cell is as wide as the image, and then nearer, until most
of them show a nucleus. A white cell is 1.4 times as wide as the hull of its nucleus; images are looked at in
that scale, and so on, until the width no longer changes.
"""

from collections.abc import Sequence

import cv2
import numpy as np

from ..data.image_reader import CELL_WIDTH
from .field import Field
from .masks import hull
from .nuclei import USUAL_SIZES, find_nuclei, nuclear_stain

CELL_OF_NUCLEUS = 1.4  # diameter of a cell over that of the hull of its nucleus
NEARER = 1.5  # factor between two looks
MIN_SEEN = 0.5  # share of the images that show a nucleus, at least
LARGE = 0.35  # area over that of the largest nucleus in the image; smaller ones are left out
STEPS, SAME = 6, 1.03  # looks at the scale found, at most; factor of a change that ends them
MIN_SIDE, MOST_PIXELS = 24, 1 << 23  # of an image that is looked at; the latter of all together


def nuclei_width(images: Sequence[np.ndarray]) -> tuple[float | None, int]:
    """Return how many pixels wide a white cell is, and the number of nuclei that say so.

    Parameters
    ----------
    images : sequence of ndarray of shape (height, width, 3) and dtype uint8
        Blue, green, red, all at one scale.
    """
    width = float(max((max(image.shape[:2]) for image in images), default=0))
    pixels = sum(image[..., 0].size for image in images)
    while width >= CELL_WIDTH / 4 and pixels * (CELL_WIDTH / width) ** 2 <= MOST_PIXELS:
        diameters = [_diameters(image, width) for image in images]
        if sum(map(bool, diameters)) >= MIN_SEEN * len(images):
            return _settled(images, width, diameters)
        width /= NEARER
    return None, 0


def _settled(images: Sequence[np.ndarray], width: float, diameters: list[list[float]]) -> tuple[float, int]:
    """Look again at the scale that the nuclei tell, until it no longer changes."""
    for _ in range(STEPS):
        nucleus = float(np.median([np.median(each) for each in diameters if each]))
        before, width = width, CELL_OF_NUCLEUS * nucleus
        if max(width, before) <= SAME * min(width, before):
            break
        again = [_diameters(image, width) for image in images]
        if not any(again):
            break
        diameters = again
    return width, sum(map(len, diameters))


def _diameters(image: np.ndarray, width: float) -> list[float]:
    """Return the diameters of the hulls of large nuclei, where a white cell has some width."""
    scale = CELL_WIDTH / width
    sides = [round(side * scale) for side in image.shape[1::-1]]
    if min(sides) < MIN_SIDE:
        return []
    interpolation = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    stained = nuclear_stain(Field(cv2.resize(image, sides, interpolation=interpolation)))
    areas = [cv2.contourArea(hull(mask)) for _, mask in find_nuclei(stained, USUAL_SIZES)]
    least = LARGE * max(areas, default=0)
    return [2 * np.sqrt(area / np.pi) / scale for area in areas if area >= least]
