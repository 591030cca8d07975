"""One image: its file, and its pixels, checked, at the working scale or as they are."""

import os
import stat
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np

from .bad_image import GRAY, KIND_BYTES, BadImage, foreign_kind, unreadable
from .image_decoding import KNOWN, TIFF, decode_image, deep_levels, is_deep, open_image
from .slides import BIG_TIFF, is_slide

MAX_PIXELS = 100_000_000
MIN_SIDE = 32  # pixels
BLANK_LEVELS = 16  # levels between the darkest and the brightest part of a frame with nothing on it, at most
MAX_BYTES = 1 << 30
# OpenCV crashes if it finds no memory for something small, so an image needs this much free memory.
FREE_BYTES, MOST_FREE_BYTES = 24, 1 << 24  # bytes per pixel at the working scale, and at most
USUAL_SIDE, CELL_WIDTH = 320, 80  # pixels at the working scale, of an image and of a white cell in it

# Width of a white cell in pixels: a number, or a function of the size (width, height) of the image.
CellWidth = float | Callable[[tuple[int, int]], float | None] | None


Content = tuple[bytes, int | None]  # of a file, and the chosen page


def usual_cell_width(size: tuple[int, int]) -> float:
    """Return the width of a white cell in pixels, in an image of this size with one or two cells."""
    return CELL_WIDTH * max(1, max(size) / USUAL_SIDE)


class ImageReader:
    """An image file, which is read once, and decoded in full at most once.

    Parameters
    ----------
    path : str
        A JPEG, PNG, TIFF, BMP, WebP or JPEG 2000 file, whatever its ending; ``scan.tif#2`` is a second page.
    content : tuple of (bytes, int or None), optional
        What `image_content` returned for the path, if the file itself may be out of reach.
    bits : int, default=16
        As for `decode_image`.

    Attributes
    ----------
    size : tuple of int
        Width and height as stored; an orientation may swap them.
    pixels : int
        Number of pixels in the file.

    Raises
    ------
    BadImage
        If the file cannot be read or decoded, is too large or too small, or holds several images or no
        colours. Some of this is found only when the image is decoded.
    """

    def __init__(self, path: str, content: Content | None = None, bits: int = 16) -> None:
        data, page = content or image_content(path)
        self._data, self._opened = data, open_image(data, page)
        self._bits = bits
        self._whole = None
        self.size = self._opened.size
        self.pixels = self.size[0] * self.size[1]
        words = f"{self.size[0]:,} x {self.size[1]:,} pixels"
        if min(self.size) < MIN_SIDE:
            raise BadImage(f"{words}, too small")
        if self.pixels > MAX_PIXELS:
            raise BadImage(f"{words}, more than the limit of {MAX_PIXELS:,}")

    def whole(self):
        """Return the image in colour: blue, green, red, of shape (height, width, 3) and dtype uint8.

        An orientation in its EXIF data is applied, 16 bits per channel become 8, CMYK becomes BGR, and
        transparent pixels lie on white.
        """
        if self._whole is None:
            self._whole = decode_image(self._data, self._opened, self._bits)
            if _is_gray(self._whole) and not is_blank(self._whole):
                raise BadImage(GRAY)
        return self._whole

    def most_bits(self) -> int:
        """Return the bits of the largest value if there are 16 bits per channel, otherwise 0."""
        is_known = is_deep(self._opened)
        return int(deep_levels(self._data, self._opened)[..., :3].max()).bit_length() if is_known else 0

    def scaled(self, *, cell_width: CellWidth = None, fraction: float = 1):
        """Return the image at the working scale, and the scale: its pixels per pixel of the file.

        Sides are rounded down, so that a place divided by the scale lies in the image of the file.

        Parameters
        ----------
        cell_width : float or callable, optional
            Width of a white cell in pixels of the image, or a function that returns it for the image's size;
            it becomes `CELL_WIDTH`. None, the default, is `usual_cell_width`.
        fraction : float, default=1
            Of the working scale: 0.5 halves both sides once more.
        """
        width = cell_width(self.size) if callable(cell_width) else cell_width
        scale = fraction * CELL_WIDTH / (width or usual_cell_width(self.size))
        sides = [int(side * scale + 1e-6) for side in self.size]
        size = f"{sides[0]:,} x {sides[1]:,} pixels if a white cell is {fraction * CELL_WIDTH:g} wide"
        if min(sides) < MIN_SIDE * min(1, fraction):
            raise BadImage(f"{size}: too small (see --cell-width)")
        if sides[0] * sides[1] > MAX_PIXELS:
            raise BadImage(f"{size}: more than the limit of {MAX_PIXELS:,}")
        # Not by the decoder's own scaling: its pixels differ, and some labels would.
        return resized(self.whole(), sides), scale


@dataclass(frozen=True)
class ImageFile:
    """An image to read.

    Attributes
    ----------
    path : str
        Path to open; ``scan.tif#2`` is the second page of a file.
    name : str
        Name to show: relative to the folder it was found in, with ``/``; or as the user gave it.
    label : str or None
        Its class.
    group : str or None
        The original that near-copies were made from.
    content : tuple of (bytes, int or None), or ndarray, optional
        The content of the file, as `image_content` returns it, or the pixels of a tile, if the file itself
        may be out of reach.
    bits : int
        How many of 16 bits per channel are used, in all images of its folder.
    problem : str
        The reason that it cannot be opened, if known.
    """

    path: str
    name: str
    label: str | None = None
    group: str | None = None
    content: Content | np.ndarray | None = field(default=None, repr=False, compare=False)
    bits: int = 16
    problem: str = ""

    @property
    def original(self) -> str:
        """The original that the image is a copy of, or the image itself."""
        return split_page(self.path)[0] if self.group is None else self.group

    def open(self) -> ImageReader:
        """Return the reader of its pixels; BadImage if it cannot be opened."""
        if self.problem:
            raise BadImage(self.problem)
        return ImageReader(self.path, content=self.content, bits=self.bits)


def image_content(path: str) -> Content:
    """Return the content of an image file, and the number of the chosen page, if any.

    Raises
    ------
    BadImage
        If it cannot be read, is too large, or is a slide.
    """
    path, page = split_page(path)
    try:
        return _image_bytes(path), page
    except (MemoryError, OSError) as error:
        raise BadImage(unreadable(error)) from error


def reduced(reader, reduce: int):
    """Return the image of a reader with both sides `reduce` times smaller."""
    return at_working_scale(reader.whole(), reader.size, 1 / reduce)[0]


def at_working_scale(image, size: Sequence[int], scale: float):
    """Return a part of an image at the working scale, and the scale."""
    return resized(image, [max(1, int(side * scale + 1e-6)) for side in size]), scale


def resized(image, sides: Sequence[int]):
    """Resize an image to these sides, which are swapped if an orientation has turned it."""
    height, width = image.shape[:2]
    across, down = turned(sides, image)
    np.empty(min(FREE_BYTES * across * down, MOST_FREE_BYTES), np.uint8)  # MemoryError if there is too little
    if (width, height) == (across, down):
        return image
    interpolation = cv2.INTER_AREA if across < width else cv2.INTER_LINEAR
    return cv2.resize(image, (across, down), interpolation=interpolation)


def turned(sides: Sequence[int], image) -> Sequence[int]:
    """Return the sides of a file's image as it is seen: an orientation may have turned what is stored."""
    height, width = image.shape[:2]
    return sides if (width > height) == (sides[0] > sides[1]) else sides[::-1]


def split_page(path: str) -> tuple[str, int | None]:
    """Return the path of a file, and the number of the chosen page: ``scan.tif#2`` is the second."""
    file, mark, number = path.rpartition("#")
    if mark and number.isascii() and number.isdigit() and len(number) < 6 and not os.path.lexists(path):
        return file, int(number)
    return path, None


def _image_bytes(path: str) -> bytes:
    status = os.stat(path)
    if not stat.S_ISREG(status.st_mode):  # opening a pipe would wait
        raise BadImage("not a file")
    with open(path, "rb") as file:
        start = file.read(KIND_BYTES)
        known = start.startswith(KNOWN) or not start
        if kind := foreign_kind(start, "" if known else os.path.splitext(path)[1].lower()):
            raise BadImage(kind)
        if start.startswith(BIG_TIFF) or (start.startswith(TIFF) and is_slide(path)):
            raise BadImage("a slide; only fastsvm-cells classify reads slides")
        if status.st_size > MAX_BYTES:
            raise BadImage(f"{status.st_size:,} bytes, more than the limit of {MAX_BYTES:,}")
        return start + file.read()


def is_blank(image) -> bool:
    """Return whether an image shows nothing, such as a black or a white frame.

    A nucleus is wider than the squares whose means are compared, and darker by much more than `BLANK_LEVELS`.
    """
    # A few pixels suffice for most images.
    if np.ptp(image[::32, ::32, 1]) > 4 * BLANK_LEVELS:
        return False
    return contrast(image) <= BLANK_LEVELS


def contrast(image) -> int:
    """Return the levels between the darkest and the brightest square of 8 pixels, of the widest channel."""
    across, down = (max(1, side // 8) for side in image.shape[1::-1])
    small = cv2.resize(image, (across, down), interpolation=cv2.INTER_AREA)
    return max(int(np.ptp(small[..., channel])) for channel in range(3))


def _is_gray(image) -> bool:
    # A few pixels suffice for most images.
    return all(
        (part[..., 0] == part[..., 1]).all() and (part[..., 1] == part[..., 2]).all()
        for part in (image[::16, ::16], image)
    )
