"""The document's way from an image to a crop: six steps to the middle of the cell, and a gray negative.

D. Bouche and C. Verluise, "SDCA vs. Pegasos for linear SVM fitting: applications to blood cells
classification" (2018), section 3.1 and appendix A. `fastsvm_apps.cells.finding.white_cells` is better and
faster.
"""

from collections.abc import Callable

import cv2
import numpy as np

from ...cells.data.image_files import ImageFile
from ...cells.finding.findings import crop_square

SPATIAL_RADIUS, COLOUR_RADIUS = 30, 60  # of the mean shift
FRAME = 80  # gray levels below are the black frame
DARK_PERCENT = 2
MIN_PURPLE = 40  # blue minus green, in levels; nuclei have more
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


def find_center(image: np.ndarray) -> tuple[int, int] | None:
    """Find the middle of the largest nucleus, and nothing else, fast.

    Parameters
    ----------
    image : ndarray of shape (height, width, 3) and dtype uint8
        At any scale; half of the working scale is enough.

    Returns
    -------
    tuple of int, or None
        x and y; None when nothing is stained, or everything.
    """
    purple = cv2.subtract(cv2.extractChannel(image, 0), cv2.extractChannel(image, 1))
    threshold, stained = cv2.threshold(purple, 0, 1, cv2.THRESH_OTSU)
    if threshold < MIN_PURPLE:
        stained = cv2.threshold(purple, MIN_PURPLE, 1, cv2.THRESH_BINARY)[1]
    stained = cv2.morphologyEx(stained, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    n, _, stats, centers = cv2.connectedComponentsWithStats(stained)
    if n == 1 or stained.all():
        return None
    x, y = centers[1 + stats[1:, cv2.CC_STAT_AREA].argmax()]
    return int(x), int(y)


def without_frame(gray: np.ndarray) -> np.ndarray:
    """Replace the pixels of the black frame by the mean of all others."""
    frame = gray < FRAME
    if frame.all():
        return gray
    return np.where(frame, np.uint8(gray[~frame].mean()), gray)


def gray_negative(image: np.ndarray) -> np.ndarray:
    """Return the gray negative of a crop, its frame neutralised: what is stained is bright.

    Parameters
    ----------
    image : ndarray of shape (height, width, 3) and dtype uint8

    Returns
    -------
    ndarray of shape (height, width) and dtype uint8
    """
    return 255 - without_frame(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY))


def document_crop(file: ImageFile, method: str) -> np.ndarray | None:
    """Return the gray negative crop of an image.

    Parameters
    ----------
    file : ImageFile
    method : {"center", "report"}
        Find the cell fast, by the centre of its nucleus; or by the document's steps.

    Returns
    -------
    ndarray of shape (SIZE, SIZE) and dtype uint8, or None
        None when no cell is found.
    """
    reader = file.open()
    # Half the size is enough for a centre, and takes half the time.
    image, scale = reader.scaled(fraction=0.5 if method == "center" else 1)
    center = find_center(image) if method == "center" else locate_report(image)
    if center is None:
        return None
    if scale != 1:
        center = tuple(int((side + 0.5) / scale) for side in center)
    image, scale = reader.scaled()
    middle = tuple(int((side + 0.5) * scale) for side in center)
    return gray_negative(crop_square(image, middle, SIZE))
