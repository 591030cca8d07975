"""The stain of an image, and the image as it would be with the usual one.

Red cells are in every field, and all of one colour, so they tell how strong the stain, the light and the
contrast of the camera are. By the law of Lambert and Beer a stronger stain multiplies all optical densities,
and so does a camera's gamma: densities are scaled until the red cells have the usual one, and the plasma
between the cells gets the usual colour. That is one lookup table for each channel.

Where there are no red cells, only the plasma is made the usual one.
"""

from collections.abc import Iterable
from typing import NamedTuple

import cv2
import numpy as np

from ..data.image_files import ImageFile
from ..data.image_reader import is_blank
from .field import Field
from .masks import black_frame

SHRINK = 4  # factor of both sides; fewer pixels tell as much, with less noise
LEAST_BLUE = 0.35  # of the density of green: haemoglobin absorbs blue, and what is purple hardly does
MIN_DENSITY = 0.06  # of green; less is noise or dirt
LEVELS = 200  # of a density of 1, for Otsu's threshold
MIN_SHARE = 0.02  # of the image that red cells cover, at least
MOST_SCALING = 3.0  # of densities, either way


class Stain(NamedTuple):
    """The stain of an image.

    Attributes
    ----------
    plasma : tuple of float
        Blue, green and red between the cells.
    density : float or None
        Median optical density (natural logarithm) of its red cells in green; None where there are none.
    hue : float or None
        The same in blue, as a share of that in green.
    """

    plasma: tuple[float, float, float]
    density: float | None = None
    hue: float | None = None


class UsualStain(NamedTuple):
    """The stain that images are given.

    Attributes
    ----------
    plasma : tuple of float
        Blue, green and red between the cells.
    density : float
        Of red cells in green.
    """

    plasma: tuple[float, float, float]
    density: float


# The medians of the photographs that the shipped model is made from.
USUAL = UsualStain((200.0, 204.0, 200.0), 0.25)


def usual_field(image: np.ndarray) -> Field:
    """Return an image with the usual stain, to find and measure cells in."""
    frame = black_frame(image)
    return Field(normalised(image, stain_of(image, frame), USUAL), frame)


def stain_of(image: np.ndarray, frame: np.ndarray) -> Stain:
    """Measure how an image is stained.

    Parameters
    ----------
    image : ndarray of shape (height, width, 3) and dtype uint8
        Blue, green, red, at the working scale.
    frame : ndarray of shape (height, width) and dtype uint8
        1 for the black pixels that a rotation left.

    Returns
    -------
    Stain
    """
    height, width = image.shape[:2]
    size = (max(1, width // SHRINK), max(1, height // SHRINK))
    free = cv2.resize(1 - frame, size, interpolation=cv2.INTER_AREA) > 0
    field = Field(cv2.resize(image, size, interpolation=cv2.INTER_AREA), 1 - free.view(np.uint8))
    plasma = tuple(float(value) for value in field.background)
    blue, green, _ = np.moveaxis(field.densities(field.image), 2, 0)
    some = free & (blue > LEAST_BLUE * green)
    if not some.any():
        return Stain(plasma)
    levels = np.clip(green[some] * LEVELS, 0, 255).astype(np.uint8)
    threshold, _ = cv2.threshold(levels, 0, 1, cv2.THRESH_OTSU)
    red_cells = levels > max(threshold, MIN_DENSITY * LEVELS)
    if np.count_nonzero(red_cells) < MIN_SHARE * np.count_nonzero(free):
        return Stain(plasma)
    density = float(np.median(green[some][red_cells]))
    return Stain(plasma, density, float(np.median(blue[some][red_cells])) / density)


def stain_of_tiles(tiles: Iterable[ImageFile]) -> Stain | None:
    """Return the stain of a slide, the median over a few tiles; None without red cells."""
    stains = []
    for tile in tiles:
        image, _ = tile.open().scaled()
        if not is_blank(image):
            stains.append(stain_of(image, black_frame(image)))
    stains = [stain for stain in stains if stain.density is not None]
    if not stains:
        return None
    plasma = np.median([stain.plasma for stain in stains], axis=0)
    density, hue = np.median([stain[1:] for stain in stains], axis=0)
    return Stain(tuple(plasma.tolist()), float(density), float(hue))


def normalised(image: np.ndarray, stain: Stain, usual: UsualStain) -> np.ndarray:
    """Return an image with the usual stain.

    Parameters
    ----------
    image : ndarray of shape (height, width, 3) and dtype uint8
        Blue, green, red.
    stain : Stain
        Its own.
    usual : UsualStain

    Returns
    -------
    ndarray of the same shape and dtype
    """
    scaling = 1.0 if stain.density is None else usual.density / stain.density
    scaling = min(max(scaling, 1 / MOST_SCALING), MOST_SCALING)
    values = np.arange(256)[:, None] + 1.0
    # What is brighter than plasma stays so, up to white.
    densities = np.log((np.array(stain.plasma) + 1) / values)
    table = np.rint((np.array(usual.plasma) + 1) * np.exp(-scaling * densities)) - 1
    return cv2.LUT(image, np.clip(table, 0, 255).astype(np.uint8)[None])
