"""The document's way from an image to a crop: six steps to the middle of the cell, and a grey negative.

D. Bouche and C. Verluise, "SDCA vs. Pegasos for linear SVM fitting: applications to blood cells
classification" (2018), section 3.1 and appendix A. `white_cells` is better and
faster.
"""

from collections.abc import Callable

import cv2
import numpy as np

from ..data.image_reader import ImageFile
from .findings import crop_square

SPATIAL_RADIUS, COLOUR_RADIUS = 30, 60  # of the mean shift
FRAME = 80  # grey levels below are the black frame
DARK_PERCENT = 2
SIZE = 120


def locate_report(
    image: np.ndarray, show: Callable[[str, np.ndarray], None] | None = None
) -> tuple[int, int] | None:
    """Find the middle of the cell by the document's steps.

    Parameters
    ----------
    image : ndarray of shape (height, width, 3) and dtype uint8
        Blue, green, red, at the working scale.
    show : callable, optional
        Called with a title and a picture of each step.

    Returns
    -------
    tuple of int, or None
        x and y; None when no dark spot is left.
    """
    show = show or (lambda title, picture: None)
    blurred = cv2.pyrMeanShiftFiltering(image, SPATIAL_RADIUS, COLOUR_RADIUS)
    show("blurred (mean shift)", blurred)
    gray = cv2.cvtColor(blurred, cv2.COLOR_BGR2GRAY)
    show("gray", gray)
    gray = without_frame(gray)
    show("frame neutralised", gray)
    # The brightest are never dark: where all pixels are alike nothing is.
    dark = ((gray <= np.percentile(gray, DARK_PERCENT)) & (gray < gray.max())).view(np.uint8)
    show("darkest 2 %", 255 - 255 * dark)
    dark = cv2.morphologyEx(dark, cv2.MORPH_OPEN, np.ones((5, 5), np.uint8))
    show("opened", 255 - 255 * dark)
    found = cv2.findNonZero(dark)
    if found is None:
        return None
    x, y = found.reshape(-1, 2).mean(axis=0)
    center = int(x), int(y)
    show("cropped", crop_square(image, center, SIZE))
    return center


def without_frame(gray: np.ndarray) -> np.ndarray:
    """Replace the pixels of the black frame by the mean of all others."""
    frame = gray < FRAME
    if frame.all():
        return gray
    return np.where(frame, np.uint8(gray[~frame].mean()), gray)


def gray_negative(image: np.ndarray) -> np.ndarray:
    """Return the grey negative of a crop, its frame neutralised: what is stained is bright.

    Parameters
    ----------
    image : ndarray of shape (height, width, 3) and dtype uint8

    Returns
    -------
    ndarray of shape (height, width) and dtype uint8
    """
    return 255 - without_frame(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY))


def document_crop(file: ImageFile) -> np.ndarray | None:
    """Return the grey negative crop of an image, around what the document's steps find.

    Parameters
    ----------
    file : ImageFile

    Returns
    -------
    ndarray of shape (SIZE, SIZE) and dtype uint8, or None
        None when no cell is found.
    """
    image, _ = file.open().scaled()
    center = locate_report(image)
    return None if center is None else gray_negative(crop_square(image, center, SIZE))
