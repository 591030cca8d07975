"""The stain of an image, and the image as it would be with the usual stain.

Red cells are in every field and all have one colour, so they show the strength of the stain, the light and
the contrast of the camera. By the law of Lambert and Beer a stronger stain multiplies all optical densities,
and so does a camera's gamma: densities are scaled until the red cells have the usual one, and the plasma
between the cells gets the usual colour. That is one lookup table for each channel.

Some stains hardly colour red cells. So red cells are searched away from nuclei, and if they do not fit the
nuclei, the nuclei get the usual density. Without nuclei and red cells, only the plasma gets the usual colour.

Then all nuclei become equally dark, although lymphocytes have darker nuclei than monocytes. So a model that
learns from such images scales all of them alike, by the median of their nuclei, and keeps this for later
images.
"""

from typing import NamedTuple

import cv2
import numpy as np

from .bluish import red_cell_density
from .field import CHANNELS, Field, evenly_lit, median
from .masks import black_frame, distance_to
from .nuclei import NUCLEAR, nuclear_share, nuclear_stain

SHRINK_FACTOR = 4  # factor of both sides; fewer pixels show as much, with less noise
LEAST_BLUE = 0.35  # of the density of green: haemoglobin absorbs blue, and what is purple hardly does
MIN_DISTANCE = 30  # pixels; red cells are searched farther from nuclei than this
NUCLEAR_OF_RED = 2.8  # nuclear stain of nuclei over the density of red cells in green
ALIKE_FACTOR = 2.0  # factor by which these may differ
LEAST_BLUISH = 0.7  # nuclear stain of red cells over their density of green, below which they are red
MIN_DENSITY = 0.06  # of green; less is noise or dirt
LEVELS = 200  # of a density of 1, for Otsu's threshold
MIN_SHARE = 0.02  # of the image that red cells cover, at least
MOST_SCALING = 3.0  # of densities, either way


class Stain(NamedTuple):
    """The stain of an image, or the usual stain, to which images are normalised.

    Attributes
    ----------
    plasma : tuple of float
        Blue, green and red between the cells.
    density : float or None
        Median optical density (natural logarithm) of its red cells in green; None without red cells.
    hue : float or None
        The same in blue, as a share of the density in green; None in the usual stain.
    nuclear : float or None
        Median density of nuclear stain in its nuclei; None without nuclei. In the usual stain, the median of
        the training images, by which all images are scaled alike; None scales each image by its own red cells
        or nuclei.
    red : float or None
        Median density of its red cells in red, as a share of the density in green.
    nuclear_blue, nuclear_red : float or None
        The same for its nuclei, in blue and in red.
    """

    plasma: tuple[float, float, float]
    density: float | None = None
    hue: float | None = None
    nuclear: float | None = None
    red: float | None = None
    nuclear_blue: float | None = None
    nuclear_red: float | None = None


# The medians of the photographs from which the shipped model was made.
USUAL = Stain((200.0, 204.0, 200.0), 0.25)


def usual_field(image: np.ndarray, usual: Stain = USUAL, bluish: bool = False) -> Field:
    """Return an image with the usual stain, to find and measure cells in."""
    raw = raw_field(image, bluish)
    return Field(normalised(raw.image, stain_of(raw), usual), raw.frame, raw.stained, raw.red)


def raw_field(image: np.ndarray, bluish: bool = False) -> Field:
    """Return an image as it is, but evenly lit, with its nuclear stain.

    If `bluish`, its red cells absorb red light, and it also has their density.
    """
    frame = black_frame(image)
    raw = Field(evenly_lit(image, frame), frame)
    own = red_cell_density(raw) if bluish else None
    if own is not None and nuclear_share(own) >= LEAST_BLUISH:  # images of a run may differ
        raw.red = own
    raw.stained = nuclear_stain(raw)
    return raw


def stain_of(raw: Field) -> Stain:
    """Measure the stain of an image.

    Parameters
    ----------
    raw : Field
        The image as it is, at the working scale, with its nuclear stain.
    """
    height, width = raw.frame.shape
    size = (max(1, width // SHRINK_FACTOR), max(1, height // SHRINK_FACTOR))
    free, stained = (
        cv2.resize(mask, size, interpolation=cv2.INTER_AREA) for mask in (1 - raw.frame, raw.stained)
    )
    field = Field(cv2.resize(raw.image, size, interpolation=cv2.INTER_AREA), 1 - free)
    plasma = tuple(float(value) for value in field.background)
    planes = field.densities(field.image, np.vstack([CHANNELS, NUCLEAR]))
    blue, green = planes[..., 0], planes[..., 1]
    stain = Stain(plasma)
    if stained.any():
        in_blue, in_green, in_red, nuclear = map(float, median(planes[stained > 0]))
        in_green = max(in_green, MIN_DENSITY)
        stain = Stain(plasma, nuclear=nuclear, nuclear_blue=in_blue / in_green, nuclear_red=in_red / in_green)
    away = distance_to(stained) > MIN_DISTANCE / SHRINK_FACTOR if stained.any() else True
    some = (free > 0) & away & (blue > LEAST_BLUE * green)
    if not some.any():
        return stain
    levels = np.clip(green[some] * LEVELS, 0, 255).astype(np.uint8)
    threshold, _ = cv2.threshold(levels, 0, 1, cv2.THRESH_OTSU)
    red_cells = levels > max(threshold, MIN_DENSITY * LEVELS)
    if np.count_nonzero(red_cells) < MIN_SHARE * np.count_nonzero(free):
        return stain
    in_blue, density, in_red, _ = map(float, median(planes[some][red_cells]))
    return stain._replace(density=density, hue=in_blue / density, red=in_red / density)


def normalised(image: np.ndarray, stain: Stain, usual: Stain) -> np.ndarray:
    """Return an image with the usual stain.

    Parameters
    ----------
    image : ndarray of shape (height, width, 3) and dtype uint8
        Blue, green, red.
    stain : Stain
        The stain of the image.
    usual : Stain

    Returns
    -------
    ndarray of the same shape and dtype
    """
    nuclear = usual.nuclear or stain.nuclear
    red = nuclear and nuclear / NUCLEAR_OF_RED
    if has_red_cells(stain) and not usual.nuclear:
        red = stain.density
    scaling = usual.density / red if red else 1.0
    scaling = min(max(scaling, 1 / MOST_SCALING), MOST_SCALING)
    values = np.arange(256)[:, None] + 1.0
    # Pixels brighter than plasma stay brighter, up to white.
    densities = np.log((np.array(stain.plasma) + 1) / values)
    table = np.rint((np.array(usual.plasma) + 1) * np.exp(-scaling * densities)) - 1
    return cv2.LUT(image, np.clip(table, 0, 255).astype(np.uint8)[None])


def has_red_cells(stain: Stain) -> bool:
    """Return whether apparent red cells fit the nuclei; else they are hardly stained, or something else."""
    red, nuclear = stain.density, stain.nuclear and stain.nuclear / NUCLEAR_OF_RED
    return red is not None and (not nuclear or nuclear / ALIKE_FACTOR < red < nuclear * ALIKE_FACTOR)
