"""Named measurements of a cell, with units, for people and other programs.

Lengths and areas are in pixels of the file or in micrometres; a density is the natural logarithm of the
background's light over the pixel's, 0 where nothing is absorbed.
"""

from collections.abc import Iterator, Sequence

import cv2
import numpy as np

from ..finding.field import Field
from ..finding.masks import count_parts, depth, hull
from ..finding.white_cells import WhiteCell

# The length of a chain of pixels, straight steps 1 and oblique ones the root of 2, is 5 % too long on average
# (Z. Kulpa, "Area and perimeter measurement of blobs in discrete binary pictures", 1977).
CHAIN = 0.948
LOBE_DEPTH = 0.5  # of the largest depth: a border of this width is taken off, and lobes are left
MIN_LOBE = 6  # pixels at the working scale

CHANNELS = ("blue", "green", "red")
REGIONS = ("nucleus", "cytoplasm")


# The name of each measurement, and its power of a length: 0 for a number, 2 for an area.
_OF_SHAPE = {"area": 2, "perimeter": 1, "diameter": 1, "length": 1, "width": 1}
_OF_SHAPE |= {"eccentricity": 0, "solidity": 0, "roundness": 0}
MEASURES = {f"{part}_{name}": power for part in ("cell", "nucleus") for name, power in _OF_SHAPE.items()}
MEASURES |= {"nucleus_cell_ratio": 0, "nucleus_lobes": 0}
MEASURES |= {f"{region}_density_{channel}": 0 for region in REGIONS for channel in CHANNELS}


def measure(field: Field, cell: WhiteCell, scale: float = 1) -> tuple[float, ...]:
    """Measure a cell.

    Parameters
    ----------
    field : Field
        The image at the working scale.
    cell : WhiteCell
        A cell found in the image.
    scale : float, default=1
        Pixels at the working scale per pixel of the file.

    Returns
    -------
    tuple of float
        A value for each of `MEASURES`, lengths and areas in pixels of the file:

        - ``area``; ``perimeter`` of all parts; ``diameter`` of the disc with this area; ``length`` and
          ``width``, the axes of the ellipse with the same second moments, and its ``eccentricity``;
        - ``solidity``, area / area of the convex hull; ``roundness``, 4 pi area / perimeter^2, 1 for a disc;
        - ``nucleus_cell_ratio`` of the areas; ``nucleus_lobes``, the number of parts of the nucleus that are
          left without a border of half its largest depth;
        - the mean density of nucleus and cytoplasm in each channel, nan without cytoplasm.
    """
    shapes = *_shape(cell.body), *_shape(cell.nucleus)
    ratio = np.count_nonzero(cell.nucleus) / max(np.count_nonzero(cell.body), 1)
    values = *shapes, ratio, _lobes(cell.nucleus), *_densities(field, cell)
    return tuple(float(value) / scale**power for value, power in zip(values, MEASURES.values(), strict=True))


def _shape(mask: np.ndarray) -> Iterator[float]:
    moments = cv2.moments(mask, binaryImage=True)
    area = moments["m00"]
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    # The chain runs through the middles of pixels, half a pixel inside.
    perimeter = sum(CHAIN * cv2.arcLength(contour, True) + np.pi for contour in contours)
    spread = np.array([[moments["mu20"], moments["mu11"]], [moments["mu11"], moments["mu02"]]]) / area
    short, long = 4 * np.sqrt(np.linalg.eigvalsh(spread + np.eye(2) / 12))  # a pixel is a square, not a point
    yield from (area, perimeter, 2 * np.sqrt(area / np.pi), long, short)
    yield np.sqrt(max(0.0, 1 - (short / long) ** 2))
    full = cv2.fillConvexPoly(np.zeros_like(mask), hull(mask), 1)
    yield area / np.count_nonzero(full)
    yield min(1.0, 4 * np.pi * area / perimeter**2)


def _lobes(nucleus: np.ndarray) -> int:
    to_border = depth(nucleus)
    return max(1, count_parts((to_border > LOBE_DEPTH * to_border.max()).view(np.uint8), MIN_LOBE))


def _densities(field: Field, cell: WhiteCell) -> Iterator[float]:
    (x, y), (h, w) = cell.corner, cell.body.shape
    part = np.s_[y : y + h, x : x + w]
    densities = field.densities(field.image[part])
    free = field.frame[part] == 0
    for mask in (cell.nucleus > 0, (cell.body > 0) & (cell.nucleus == 0)):
        pixels = densities[mask & free]
        yield from pixels.mean(axis=0) if len(pixels) else (np.nan,) * len(CHANNELS)


# With units


def column_names(pixel_size: float | None = None) -> list[str]:
    """Return the name of each value of `with_units`, with its unit."""
    return [f"{name}{unit}" for name, power in MEASURES.items() for unit, _ in _units(power, pixel_size)]


def with_units(values: Sequence[float], pixel_size: float | None = None) -> list[float]:
    """Return lengths and areas in pixels and, if the size of a pixel is known, in micrometres.

    Parameters
    ----------
    values : sequence of float
        As `measure` returns them.
    pixel_size : float, optional
        Micrometres.
    """
    pairs = zip(values, MEASURES.values(), strict=True)
    return [value * factor for value, power in pairs for _, factor in _units(power, pixel_size)]


def _units(power: int, pixel_size: float | None) -> list[tuple[str, float]]:
    if not power:
        return [("", 1.0)]
    square = "" if power == 1 else str(power)
    units = [(f"_px{square}", 1.0)]
    return units if pixel_size is None else [*units, (f"_um{square}", pixel_size**power)]
