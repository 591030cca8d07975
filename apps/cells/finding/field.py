"""An image with the colour of its background, and how much light its pixels absorb."""

from itertools import pairwise
from math import ceil

import cv2
import numpy as np

from . import _pixels
from .masks import black_frame

# Colours are compared as densities: green over red is pink, green over blue purple, their mean dark.
CHANNELS = np.eye(3, dtype=np.float32)
COLOUR_PLANES = np.array([[0, 1, -1], [-1, 1, 0], [1 / 3, 1 / 3, 1 / 3]], np.float32)

BACKGROUND_STEP = 8  # every eighth pixel in each direction shows the background
EVERY_EIGHTH = np.s_[::BACKGROUND_STEP]
BRIGHT = 0.7  # quantile of green; brighter pixels are background
# The longer side of an image beyond which its light is evened, more than a tile of a slide has; the distance
# between places where the light is measured, in windows of twice that; the factor that it changes at most.
LARGE, LIGHT_STEP, MOST_GAIN = 1536, 384, 3.0


class Field:
    """An image, with the data to find cells in it and to describe them.

    Parameters
    ----------
    image : ndarray of shape (height, width, 3) and dtype uint8
        Blue, green, red, at the working scale.
    frame, stained, red : ndarray, optional
        As below, if known.

    Attributes
    ----------
    frame : ndarray of shape (height, width) and dtype uint8
        1 for the black pixels that a rotation left.
    stained : ndarray of shape (height, width) and dtype uint8, or None
        1 for the pixels with the stain of nuclei; None if it was not searched.
    red : ndarray of shape (3,), or None
        Densities of its red cells if these absorb red light, as nuclei do; otherwise None.
    background : ndarray of shape (3,) and dtype float32
        The colour of pixels that absorb no light.
    """

    def __init__(
        self,
        image: np.ndarray,
        frame: np.ndarray | None = None,
        stained: np.ndarray | None = None,
        red: np.ndarray | None = None,
    ) -> None:
        self.image, self.stained, self.red = image, stained, red
        self.frame = black_frame(image) if frame is None else frame
        self.background = _background_in(image, self.frame)
        levels = np.log(np.arange(1, 257, dtype=np.float32))
        self._table = np.log(self.background + 1)[:, None] - levels

    def densities(self, pixels: np.ndarray, mixes: np.ndarray = CHANNELS) -> np.ndarray:
        """Return how much light pixels absorb in each channel, or in mixtures of channels.

        Parameters
        ----------
        pixels : ndarray of shape (height, width, 3) and dtype uint8
        mixes : ndarray of shape (k, 3) and dtype float32
            Weights of blue, green and red in each plane; by default the three themselves.

        Returns
        -------
        ndarray of shape (height, width, k) and dtype float32
            Natural logarithms, 0 for the background.
        """
        return _pixels.densities(pixels, self._table, mixes)


def evenly_lit(image: np.ndarray, frame: np.ndarray) -> np.ndarray:
    """Return an image as it is, but a large one, in which light and stain differ, with plasma of one colour.

    One background and one set of thresholds would lose the cells in a corner that is half as bright.
    """
    if max(frame.shape) <= LARGE:
        return image
    rows, columns = (np.linspace(0, side, ceil(side / LIGHT_STEP) + 1).astype(int) for side in frame.shape)
    light = [[_background_in(image, frame, _around(x), _around(y)) for x in columns] for y in rows]
    gains = np.clip((_background_in(image, frame) + 1) / (np.array(light) + 1), 1 / MOST_GAIN, MOST_GAIN)
    every = np.arange(frame.shape[1])
    along = [np.stack([np.interp(every, columns, plane) for plane in row.T], axis=1) for row in gains]
    bands = []
    for (top, bottom), (above, below) in zip(pairwise(rows), pairwise(np.float32(along)), strict=True):
        down = np.linspace(0, 1, bottom - top, endpoint=False, dtype=np.float32)[:, None, None]
        band = above * (1 - down) + below * down
        bands.append(cv2.multiply(image[top:bottom], band, dtype=cv2.CV_8U))
    return np.vstack(bands)


def _around(middle: int) -> slice:
    return slice(max(0, middle - LIGHT_STEP), middle + LIGHT_STEP, BACKGROUND_STEP)


def _background_in(
    image: np.ndarray, frame: np.ndarray, across: slice = EVERY_EIGHTH, down: slice = EVERY_EIGHTH
) -> np.ndarray:
    """Return the colour of the brighter pixels: plasma, through which light passes."""
    pixels = image[down, across][frame[down, across] == 0]
    if not len(pixels):
        return np.full(3, 255, np.float32)
    green = pixels[:, 1]
    rank = int(BRIGHT * (len(green) - 1))
    return median(pixels[green >= np.partition(green, rank)[rank]]).astype(np.float32)


def median(values: np.ndarray) -> np.ndarray:
    """Return the median of the rows, at least one; for a few rows much faster than NumPy's."""
    ranks = [(len(values) - 1) // 2, len(values) // 2]
    return np.partition(values, ranks, axis=0)[ranks].mean(axis=0)
