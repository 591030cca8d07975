"""Measurements of the quality of an image, and flags for values outside the training images."""

from collections.abc import Mapping, Sequence

import cv2
import numpy as np

from ..data.image_reader import contrast
from .findings import DARK, FLAT
from .stain import USUAL, Stain
from .white_cells import WhiteCell

QUANTILES = 0.01, 0.99  # of the training images: values beyond are unlike them
RANGE_SLACK = 0.1  # of the range, by which it is widened on either side
WHITE, BLACK = 254, 1  # levels of light that was cut off
# Lowest levels of the brightest part of an image, and of its contrast; a smear has 199 and 90 or more. In
# copies with less, cells are rarely found: `benchmarks.cells.fields --light`.
MIN_BRIGHTNESS, MIN_CONTRAST = 64, 32
EDGE_SHARE = 0.98  # quantile of the gradients: those at the edges of cells
SECOND = np.float32([[1, -2, 1], [-2, 4, -2], [1, -2, 1]])
SECOND_GAIN = 6  # standard deviation of its result for noise of deviation 1
DEVIATION_OF_MEDIAN = 1.4826  # standard deviation over the median of absolute values, of Gaussian noise


# Measurements of the quality of an image, by name; None is unknown.
# density: optical density of red cells in green, as in `Stain`; hue: the density in blue over it.
# noise: standard deviation between pixels at the working scale, of 255 levels (Immerkaer 1996, "Fast noise
#     variance estimation", with the median in place of the mean, so that edges do not count).
# sharpness: steepness of the edges of cells: change per pixel, across and down, over the red cells' contrast.
# clipped: share of the pixels that are white or black in a channel, without the frame that a rotation left.
# cell_size: root of the median area of the white cells, in pixels at the working scale.
ImageQuality = Mapping[str, float | None]
# What a person reads if a number is below, or above, its range; None if that is harmless.
WORDS: dict[str, tuple[str | None, str | None]] = {
    "density": ("weak stain or contrast", "strong stain or contrast"),
    "hue": ("colour of the stain", "colour of the stain"),
    "noise": (None, "noise"),
    "sharpness": ("blurred", "sharpened"),
    "clipped": (None, "light cut off"),
    "cell_size": ("scale: small cells", "scale: large cells"),
}

QualityRanges = Mapping[str, tuple[float, float]]


def measure_quality(
    image: np.ndarray, frame: np.ndarray, stain: Stain, cells: Sequence[WhiteCell]
) -> ImageQuality:
    """Measure the quality of an image.

    Parameters
    ----------
    image : ndarray of shape (height, width, 3) and dtype uint8
        Blue, green, red, at the working scale, as it was taken.
    frame : ndarray of shape (height, width) and dtype uint8
        1 for the black pixels that a rotation left.
    stain : Stain
        The stain of the image.
    cells : sequence of WhiteCell
        The white cells in it.
    """
    green = cv2.extractChannel(image, 1)
    free = 1 - frame
    differences = cv2.convertScaleAbs(cv2.filter2D(green, cv2.CV_16S, SECOND))
    # Twice the slopes, which is 255 at most.
    slopes = (cv2.convertScaleAbs(cv2.Sobel(green, cv2.CV_16S, dx, 1 - dx), alpha=0.25) for dx in (1, 0))
    contrast = stain.plasma[1] * (1 - np.exp(-(stain.density or USUAL.density)))
    whole = cv2.inRange(image, (BLACK + 1,) * 3, (WHITE - 1,) * 3)
    n = max(cv2.countNonZero(free), 1)
    areas = [cell.area for cell in cells]
    return {
        "density": stain.density,
        "hue": stain.hue,
        "noise": _quantile(differences, free, 0.5) * DEVIATION_OF_MEDIAN / SECOND_GAIN,
        "sharpness": _quantile(cv2.add(*slopes), free, EDGE_SHARE) / 2 / max(contrast, 1.0),
        "clipped": 1 - cv2.countNonZero(whole & free) / n,
        "cell_size": float(np.sqrt(np.median(areas))) if areas else None,
    }


def flags_without_cell(image: np.ndarray) -> tuple[str, ...]:
    """Return why nothing can be measured in an image without a cell, as flags."""
    if brightest_part(image) < MIN_BRIGHTNESS:
        return (DARK,)
    return (FLAT,) if contrast(image) < MIN_CONTRAST else ()


def brightest_part(image: np.ndarray) -> int:
    """Return the highest mean level of a channel in one of 8 x 8 parts of an image."""
    return int(cv2.resize(image, (8, 8), interpolation=cv2.INTER_AREA).max())


def _quantile(levels: np.ndarray, mask: np.ndarray, share: float) -> float:
    """Return a quantile of some pixels, as if levels were spread evenly over a unit."""
    counts = np.cumsum(cv2.calcHist([levels], [0], mask, [256], [0, 256]).ravel())
    wanted = share * counts[-1]
    level = int(np.searchsorted(counts, wanted))
    below = counts[level - 1] if level else 0.0
    return float(level - 0.5 + (wanted - below) / max(counts[level] - below, 1))


def quality_ranges(*groups: Sequence[ImageQuality]) -> dict[str, tuple[float, float]]:
    """Return the range of each number over groups of images, a little wider and without outliers.

    Originals are one group, their copies another, because copies may be many and alike.
    """
    ranges = {}
    for name in WORDS:
        known = [[value for each in group if (value := each[name]) is not None] for group in groups]
        bounds = [np.quantile(values, QUANTILES) for values in known if values]
        if bounds:
            low, high = float(np.min(bounds)), float(np.max(bounds))
            slack = RANGE_SLACK * (high - low)
            ranges[name] = (low - slack, high + slack)
    return ranges


def quality_flags(quality: ImageQuality, ranges: QualityRanges) -> tuple[str, ...]:
    """Return in a few words each how an image is out of the ranges."""
    flags = []
    for name, (low, high) in ranges.items():
        value = quality[name]
        if value is None:
            flags += ["no red cells"] if name == "density" else []
        else:
            below, above = WORDS[name]
            flags.append(below if value < low else above if value > high else None)
    return tuple(dict.fromkeys(filter(None, flags)))
