"""What is found in an image of a blood smear: the records that the rooms of this app hand to each other."""

from __future__ import annotations

from dataclasses import dataclass


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

    box: tuple[int, int, int, int]
    center: tuple[int, int]
    area: int
    label: str | None = None
    score: float | None = None
    thumbnail: bytes | None = None


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
