"""From an image to its crop as in the paper of the study cells: six steps to the middle of the cell.

D. Bouche and C. Verluise, "SDCA vs. Pegasos for linear SVM fitting: applications to blood cells
classification" (2018), section 3.1 and appendix A. `white_cells` is better and faster.
"""

import cv2
import numpy as np

from .findings import crop_square

SPATIAL_RADIUS, COLOUR_RADIUS = 30, 60  # of the mean shift
FRAME = 80  # grey levels below are the black frame
DARK_PERCENT = 2
SIZE = 120  # of a crop

Step = tuple[str, np.ndarray]  # its title, and a picture of what it leads to


def locate_report(
    image: np.ndarray, steps: list[Step] | None = None, size: int = SIZE
) -> tuple[int, int] | None:
    """Find the middle of the cell by the steps of that paper.

    Parameters
    ----------
    image : ndarray of shape (height, width, 3) and dtype uint8
        Blue, green, red, at the working scale.
    steps : list of (str, ndarray), optional
        Gets the title and a picture of each step.
    size : int, default=SIZE
        Side of the square in the last picture.

    Returns
    -------
    tuple of int, or None
        x and y; None when no dark spot is left.
    """
    steps = [] if steps is None else steps
    blurred = cv2.pyrMeanShiftFiltering(image, SPATIAL_RADIUS, COLOUR_RADIUS)
    steps.append(("blurred (mean shift)", blurred))
    gray = cv2.cvtColor(blurred, cv2.COLOR_BGR2GRAY)
    steps.append(("gray", gray))
    gray = without_frame(gray)
    steps.append(("frame neutralised", gray))
    # The brightest are never dark: where all pixels are alike nothing is.
    dark = ((gray <= np.percentile(gray, DARK_PERCENT)) & (gray < gray.max())).view(np.uint8)
    steps.append(("darkest 2 %", 255 - 255 * dark))
    dark = cv2.morphologyEx(dark, cv2.MORPH_OPEN, np.ones((5, 5), np.uint8))
    steps.append(("opened", 255 - 255 * dark))
    found = cv2.findNonZero(dark)
    if found is None:
        return None
    x, y = found.reshape(-1, 2).mean(axis=0)
    center = int(x), int(y)
    steps.append(("cropped", crop_square(image, center, size)))
    return center


def without_frame(gray: np.ndarray) -> np.ndarray:
    """Replace the pixels of the black frame by the mean of all others."""
    frame = gray < FRAME
    if frame.all():
        return gray
    return np.where(frame, np.uint8(gray[~frame].mean()), gray)
