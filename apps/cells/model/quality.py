"""How an image is taken, in numbers, and which of these are unlike those of the images learnt from."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import cv2
import numpy as np

from .locate import Cell
from .masks import black_frame
from .stain import Stain

QUANTILES = 0.01, 0.99  # of the images trained on: what lies beyond is unlike them
SLACK = 0.1  # of the range, which it is widened by on either side
WHITE, DARK = 254, 1  # levels that tell of light cut off
EDGE_SHARE = 0.98  # quantile of the gradients: those at the edges of cells
_SECOND = np.float32([[1, -2, 1], [-2, 4, -2], [1, -2, 1]]) / 6  # of noise of deviation 1 it leaves 1


class Quality(NamedTuple):
    """How an image is taken; None is what cannot be told.

    Attributes
    ----------
    density : float or None
        Optical density of red cells in green, as of `Stain`.
    hue : float or None
        That in blue, as a share of it.
    noise : float
        Standard deviation between pixels at the working scale, of 255 levels (Immerkaer 1996, "Fast noise
        variance estimation", with the median in place of the mean, so that edges count for nothing).
    sharpness : float
        How steep the edges of cells are, of the contrast that red cells have with the plasma, a pixel.
    clipped : float
        Share of the pixels that are white or black in a channel, but for a frame that a rotation left.
    cell_size : float or None
        Root of the median area of the white cells, in pixels at the working scale.
    """

    density: float | None
    hue: float | None
    noise: float
    sharpness: float
    clipped: float
    cell_size: float | None


# What a person reads when a number is below, or above, its range; None where that is no harm.
WORDS: dict[str, tuple[str | None, str | None]] = {
    "density": ("weak stain or contrast", "strong stain or contrast"),
    "hue": ("colour of the stain", "colour of the stain"),
    "noise": (None, "noise"),
    "sharpness": ("blurred", "sharpened"),
    "clipped": (None, "light cut off"),
    "cell_size": ("scale: small cells", "scale: large cells"),
}

Ranges = Mapping[str, tuple[float, float]]


def quality_of(image: np.ndarray, stain: Stain, cells: Sequence[Cell]) -> Quality:
    """Measure how an image is taken.

    Parameters
    ----------
    image : ndarray of shape (height, width, 3) and dtype uint8
        Blue, green, red, at the working scale, as it was taken.
    stain : Stain
        Its own.
    cells : sequence of Cell
        The white cells in it.

    Returns
    -------
    Quality
    """
    green = cv2.extractChannel(image, 1)
    free = black_frame(image) == 0
    differences = np.abs(cv2.filter2D(green, cv2.CV_32F, _SECOND)[free])
    noise = float(np.median(differences)) * 1.4826 if differences.size else 0.0
    across, down = (cv2.Sobel(green, cv2.CV_32F, dx, 1 - dx, scale=1 / 8) for dx in (1, 0))
    slopes = cv2.magnitude(across, down)[free]
    contrast = stain.plasma[1] * (1 - np.exp(-(stain.density or 0.25)))
    steepest = float(np.quantile(slopes, EDGE_SHARE)) if slopes.size else 0.0
    cut = ((image >= WHITE).any(axis=2) | (image <= DARK).any(axis=2))[free]
    areas = [cell.area for cell in cells]
    return Quality(
        stain.density,
        stain.hue,
        noise,
        steepest / max(contrast, 1.0),
        float(cut.mean()) if cut.size else 0.0,
        float(np.sqrt(np.median(areas))) if areas else None,
    )


def ranges_of(qualities: Sequence[Quality]) -> dict[str, tuple[float, float]]:
    """Return the range of each number over images, without the odd ones, and a little wider."""
    ranges = {}
    for name in Quality._fields:
        values = [value for quality in qualities if (value := getattr(quality, name)) is not None]
        if values:
            low, high = (float(bound) for bound in np.quantile(values, QUANTILES))
            slack = SLACK * (high - low)
            ranges[name] = (low - slack, high + slack)
    return ranges


def flags_of(quality: Quality, ranges: Ranges) -> tuple[str, ...]:
    """Return in a few words each what about an image is out of the ranges."""
    flags = []
    for name, (low, high) in ranges.items():
        value = getattr(quality, name)
        if value is None:
            flags += ["no red cells"] if name == "density" else []
        else:
            below, above = WORDS[name]
            flags.append(below if value < low else above if value > high else None)
    return tuple(dict.fromkeys(filter(None, flags)))
