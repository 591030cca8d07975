"""One image, read with every check, as it is or at the working scale."""

import os
import re
import stat
from collections.abc import Callable, Sequence

import cv2
import numpy as np

from ...common.errors import is_shortage
from .decoder_messages import hear
from .header import DAMAGED, TIFF, BadImage, Header, decodable, read_header, single_page
from .slides import BIG_TIFF, is_slide

MAX_PIXELS = 100_000_000
MIN_SIDE = 32  # pixels
BLANK = 16  # levels between the darkest and the brightest part of a frame with nothing on it, at most
MAX_BYTES = 1 << 30
LONGER_SIDE, CELL_WIDTH = 320, 80  # pixels at the working scale, of an image and of a white cell in it


# What is wrong with an image is in BadImage; OpenCV is to be silent.
(cv2.setLogLevel if hasattr(cv2, "setLogLevel") else cv2.utils.logging.setLogLevel)(0)

# How many pixels of an image a white cell is wide: the number, or what tells it from width and height.
CellWidth = float | Callable[[tuple[int, int]], float | None] | None


def usual_cell_width(size: tuple[int, int]) -> float:
    """Return how many pixels wide a white cell is in an image of one or two, of a width and height."""
    return CELL_WIDTH * max(1, max(size) / LONGER_SIDE)


class ImageReader:
    """An image file, read once; what is decoded in full is decoded once.

    Parameters
    ----------
    path : str
        A JPEG, PNG, TIFF, BMP, WebP or JPEG 2000 file, whatever its ending; ``scan.tif#2`` is a second page.
    max_pixels : int, default=MAX_PIXELS
        Refuse larger images before they are decoded, and to enlarge others beyond that.
    data : bytes, optional
        What `image_bytes` returned for the path, where the file itself may be out of reach.

    Attributes
    ----------
    size : tuple of int
        Width and height as stored; an orientation may swap them.
    pixels : int
        How many there are in the file.

    Raises
    ------
    BadImage
        When the file cannot be read or decoded, is too large or too small, holds several images, or no
        colours; some of that only when the image is asked for.
    """

    def __init__(self, path: str, max_pixels: int = MAX_PIXELS, data: bytes | None = None) -> None:
        self._data = image_bytes(path) if data is None else data
        self._header = _checked_header(self._data, max_pixels)
        self._max_pixels = max_pixels
        self._whole = None
        self.size = self._header.width, self._header.height
        self.pixels = self.size[0] * self.size[1]

    def whole(self):
        """Return the image as it is in the file, as `read_image` does."""
        if self._whole is None:
            self._whole = _decoded(self._data, self._header)
        return self._whole

    def reduced(self, reduce: int):
        """Return the image with both sides `reduce` times smaller, whatever its format."""
        return at_working_scale(self.whole(), self.size, 1 / reduce)[0]

    def scaled(self, *, cell_width: CellWidth = None, fraction: float = 1):
        """Return the image at the working scale, and the scale, as `read_scaled` does."""
        width = cell_width(self.size) if callable(cell_width) else cell_width
        scale = fraction * CELL_WIDTH / (width or usual_cell_width(self.size))
        sides = [int(side * scale + 1e-6) for side in self.size]
        size = f"{sides[0]:,} x {sides[1]:,} pixels at the working scale"
        if min(sides) < MIN_SIDE * min(1, fraction):
            raise BadImage(f"{size}, too small (see --cell-width)")
        if sides[0] * sides[1] > self._max_pixels:
            raise BadImage(f"{size}, more than the limit of {self._max_pixels:,}")
        # Never by the decoder's own scaling: its pixels are others, and so would some labels be.
        return _resized(self.whole(), sides), scale


def read_image(path: str, *, max_pixels: int = MAX_PIXELS):
    """Read an image in colour.

    An orientation in its EXIF data is followed (not where pixels may be transparent), 16 bits a channel
    become 8, CMYK becomes BGR, and transparent pixels lie on white.

    Parameters
    ----------
    path : str
        A JPEG, PNG, TIFF, BMP, WebP or JPEG 2000 file, whatever its ending; ``scan.tif#2`` is a second page.
    max_pixels : int, default=MAX_PIXELS
        Refuse larger images before they are decoded.

    Returns
    -------
    ndarray of shape (height, width, 3) and dtype uint8
        Channels blue, green, red.

    Raises
    ------
    BadImage
        When the file cannot be read or decoded, is too large or too small, holds several images, or no
        colours.
    """
    return ImageReader(path, max_pixels).whole()


def read_scaled(
    path: str, *, cell_width: CellWidth = None, fraction: float = 1, max_pixels: int = MAX_PIXELS
):
    """Read an image at the working scale, with all the checks of `read_image`.

    Parameters
    ----------
    path : str
        A file as for `read_image`.
    cell_width : float or callable, optional
        How many of the image's pixels a white cell is wide, or what tells it from the image's size; it will
        be `CELL_WIDTH`. Where it is None, as by default, it is `usual_cell_width`.
    fraction : float, default=1
        Of the working scale: 0.5 makes both sides half as long again.
    max_pixels : int, default=MAX_PIXELS
        Refuse larger images, and to enlarge others beyond that.

    Returns
    -------
    image : ndarray of shape (height, width, 3) and dtype uint8
        Channels blue, green, red.
    scale : float
        Its pixels for each pixel of the file. Sides are rounded down: what lies in the one image, lies, once
        divided by the scale, in the other.
    """
    return ImageReader(path, max_pixels).scaled(cell_width=cell_width, fraction=fraction)


def image_bytes(path: str) -> bytes:
    """Return the content of an image file; where a page of it is meant, a file of that page alone.

    Raises
    ------
    BadImage
        When it cannot be read, is too large, or a slide.
    """
    path, page = split_page(path)
    try:
        data = _contents(path)
    except OSError as error:
        raise BadImage(unreadable(error)) from error
    return data if page is None else single_page(data, page)


def _checked_header(data: bytes, max_pixels: int) -> Header:
    header = read_header(data)
    _check_size(header, max_pixels)
    if header.gray:
        raise BadImage(_GRAY)
    return header


def _decoded(data: bytes, header: Header):
    image = _decode(decodable(data, header), header)
    if _is_gray(image) and not is_blank(image):
        raise BadImage(_GRAY)
    return image


def at_working_scale(image, size: Sequence[int], scale: float):
    """Return a part of an image at the working scale, and the scale."""
    return _resized(image, [max(1, int(side * scale + 1e-6)) for side in size]), scale


def _resized(image, sides: Sequence[int]):
    """Bring an image to the size it has in its file, times a factor; an orientation may have turned it."""
    height, width = image.shape[:2]
    across, down = sides if (width > height) == (sides[0] > sides[1]) else sides[::-1]
    if (width, height) == (across, down):
        return image
    interpolation = cv2.INTER_AREA if across < width else cv2.INTER_LINEAR
    return cv2.resize(image, (across, down), interpolation=interpolation)


NO_MEMORY = "too large for the memory there is"
_GRAY = "grayscale; stains are told by their colours"


def split_page(path: str) -> tuple[str, int | None]:
    """Return the path of a file, and the number of the page that is meant: ``scan.tif#2`` is the second."""
    file, mark, number = path.rpartition("#")
    if mark and number.isascii() and number.isdigit() and len(number) < 6 and not os.path.lexists(path):
        return file, int(number)
    return path, None


def _contents(path: str) -> bytes:
    status = os.stat(path)
    if not stat.S_ISREG(status.st_mode):  # to open a pipe would be to wait
        raise BadImage("not a file")
    if status.st_size > MAX_BYTES:
        raise BadImage(f"{status.st_size:,} bytes, more than the limit of {MAX_BYTES:,}")
    with open(path, "rb") as file:
        start = file.read(4)
        if start in BIG_TIFF or (start in TIFF and is_slide(path)):
            raise BadImage("a slide; classify reads slides, and nothing else does")
        file.seek(0)
        return file.read()


def unreadable(error: OSError) -> str:
    """Say in a few words why a file cannot be read."""
    return NO_MEMORY if is_shortage(error) else f"cannot be read: {error.strerror or error}"


def _check_size(header: Header, max_pixels: int) -> None:
    size = f"{header.width:,} x {header.height:,} pixels"
    if min(header.width, header.height) < MIN_SIDE:
        raise BadImage(f"{size}, too small")
    if header.width * header.height > max_pixels:
        raise BadImage(f"{size}, more than the limit of {max_pixels:,}")


# Of such a JPEG the decoder makes up a part. Bytes too many do no harm.
_CORRUPT = re.compile(rb"Corrupt JPEG data: (?!\d+ extraneous)|Premature end")


def _decode(data: bytes, header: Header):
    mode = cv2.IMREAD_UNCHANGED if header.alpha else cv2.IMREAD_COLOR
    try:
        image, complaints = hear(lambda: cv2.imdecode(np.frombuffer(data, np.uint8), mode))
    except cv2.error as error:
        if is_shortage(error):
            raise BadImage(NO_MEMORY) from None
        image = None
    if image is None:
        _check_memory(header)
        raise BadImage(DAMAGED)
    if _CORRUPT.search(complaints) or image.ndim != 3 or image.dtype not in (np.uint8, np.uint16):
        raise BadImage(DAMAGED)
    if sorted(image.shape[:2]) != sorted((header.height, header.width)):
        raise BadImage(DAMAGED)
    if header.alpha and image.shape[2] == 4:
        image = _on_white(image, header.alpha)
    return image


def _check_memory(header: Header) -> None:
    """Find out what OpenCV does not tell: whether an image was too large for the memory, not damaged."""
    try:
        np.empty((2, header.height, header.width, 4), np.uint8)  # as much as it may have asked for
    except MemoryError:
        raise BadImage(NO_MEMORY) from None


def _on_white(image, alpha_kind: str):
    """Lay an image with transparent pixels on white, and make 8 bits of 16."""
    white = np.iinfo(image.dtype).max
    colours, alpha = image[:, :, :3], image[:, :, 3:4]
    if (alpha < white).any():
        colours, alpha = colours.astype(np.uint32), alpha.astype(np.uint32)
        if alpha_kind == "straight":
            colours = colours * alpha // white
        colours = np.minimum(colours + (white - alpha), white)
    if white > 255:
        colours = colours >> 8
    return np.ascontiguousarray(colours, np.uint8)


def is_blank(image) -> bool:
    """Tell whether there is nothing on an image, such as a black or a white frame.

    A nucleus is wider than the squares whose means are compared, and darker by much more than `BLANK`.
    """
    # Most images are told to show something by a few of their pixels.
    if np.ptp(image[::32, ::32, 1]) > 4 * BLANK:
        return False
    across, down = (max(1, side // 8) for side in image.shape[1::-1])
    small = cv2.resize(image, (across, down), interpolation=cv2.INTER_AREA)
    return all(np.ptp(small[..., channel]) <= BLANK for channel in range(3))


def _is_gray(image) -> bool:
    # Most images are told to have colours by a few of their pixels.
    return all(
        (part[..., 0] == part[..., 1]).all() and (part[..., 1] == part[..., 2]).all()
        for part in (image[::16, ::16], image)
    )
