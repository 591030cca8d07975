"""What is found in an image of a blood smear: the records that the rooms of this app hand to each other."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

NO_CELL = "no white cell"

Box = tuple[int, int, int, int]


def cut_out(image: np.ndarray, box: Box) -> np.ndarray:
    """Return the part of an image that is in a box: x, y, width and height."""
    x, y, w, h = box
    return image[y : y + h, x : x + w]


@dataclass(frozen=True)
class Finding:
    """A white cell.

    Attributes
    ----------
    box : tuple of int
        x, y, width and height in pixels of the image.
    center : tuple of int
        x and y.
    area : int
        Pixels of the cell.
    label : str or None
        Its class; None when it was only located.
    score : float or None
        How sure the classifier is of the label; higher is surer.
    thumbnail : bytes or None
        A small JPEG of the crop.
    """

    box: Box
    center: tuple[int, int]
    area: int
    label: str | None = None
    score: float | None = None
    thumbnail: bytes | None = None

    def at_scale_of_file(self, scale: float) -> Self:
        """Bring what was found at the working scale to the pixels of the file."""
        if scale == 1:
            return self
        x, y, w, h = self.box
        left, top, right, bottom = (round(side / scale) for side in (x, y, x + w, y + h))
        return replace(
            self,
            box=(left, top, right - left, bottom - top),
            center=tuple(int((side + 0.5) / scale) for side in self.center),
            area=round(self.area / scale**2),
        )


@dataclass(frozen=True)
class ImageFindings:
    """An image and the white cells in it.

    Attributes
    ----------
    file : str
        The name as shown.
    cells : tuple of Finding
        Empty when there is no white cell in it.
    truth : str or None
        The image's known label.
    problem : str or None
        Why the image could not be used.
    """

    file: str
    cells: tuple[Finding, ...]
    truth: str | None = None
    problem: str | None = None
