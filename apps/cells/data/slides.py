"""Whole slides, of which regions are read: tiled TIFF files through tifffile, others through OpenSlide."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from importlib.util import find_spec
from typing import Protocol

import numpy as np

from .bad_image import BadImage
from .image_decoding import TIFF, TiffPage, on_white, tiff_pages

SLIDE_PIXELS = 100_000_000  # a tiled TIFF file with more of them is read by regions
MAX_SEGMENT = 1 << 26  # pixels of a tile or strip in a file, which is decoded as a whole
BIG_TIFF = (b"II+\0", b"MM\0+")
HEADER, DEEP_PNG = 25, b"\x89PNG\r\n\x1a\n\x10"  # bytes of a PNG file that tell its bits per channel
SLIDES = 'pip install "fastsvm[slides]"'
OPENSLIDE = "pip install openslide-python openslide-bin"
NEEDED = {
    **dict.fromkeys((".svs", ".ndpi", ".scn", ".bif", ".btf"), ("tifffile", SLIDES)),
    **dict.fromkeys((".mrxs", ".vms", ".vmu"), ("openslide", OPENSLIDE)),
}  # ending: module, and how to get it
TIFF_LIBRARY = ("tifffile", SLIDES)
_RGB, _YCBCR, _JPEG = 2, 6, 7  # codes of TIFF; a JPEG's decoder makes RGB
_DTYPES = (np.uint8, np.uint16)


class Slide(Protocol):
    """An image of which regions are read, in any thread.

    Attributes
    ----------
    size : tuple of int
        Width and height in pixels.
    """

    size: tuple[int, int]

    def region(self, x: int, y: int, width: int, height: int) -> np.ndarray:
        """Return the pixels in a box inside the slide (blue, green, red); BadImage if they are damaged."""


def missing_slide_library(ending: str) -> str | None:
    """Return the command that installs the reader of slides with an ending, if it is missing."""
    module, command = NEEDED.get(ending, (None, None))
    return command if module and not find_spec(module) else None


def is_readable_slide(path: str, ending: str) -> bool:
    """Return whether a file is a slide by its ending, and can be read."""
    return ending in NEEDED and missing_slide_library(ending) is None and os.path.isfile(path)


def is_slide(path: str) -> bool:
    """Return whether a file must be read by regions."""
    if os.path.splitext(path)[1].lower() in NEEDED:
        return True
    start, pages = _first_look(path)
    are_large = (page.is_tiled and page.size[0] * page.size[1] > SLIDE_PIXELS for page in pages)
    return start.startswith(BIG_TIFF) or any(are_large)


def count_pages(path: str) -> int:
    """Return how many images are in a TIFF file; 1 for a slide and for other files."""
    return 1 if is_slide(path) else max(1, len(_first_look(path)[1]))


def is_deep_file(path: str) -> bool:
    """Return whether a file that is not a slide has 16 bits per channel, by its header."""
    if path.lower().endswith((".jpg", ".jpeg")) or is_slide(path):
        return False
    start, pages = _first_look(path)
    return start[:8] + start[24:25] == DEEP_PNG or any(page.bits > 8 for page in pages)


def _first_look(path: str) -> tuple[bytes, list[TiffPage]]:
    """Return the first bytes of a file, and the pages of a TIFF file; errors are found later."""
    if not os.path.isfile(path):  # opening a pipe would wait
        return b"", []
    status = os.stat(path)
    return _look(path, status.st_size, status.st_mtime_ns)


@lru_cache(16)
def _look(path: str, *version: int) -> tuple[bytes, list[TiffPage]]:
    """Look once for all pages of a file."""
    try:
        with open(path, "rb") as file:
            start = file.read(HEADER)
            file.seek(0)
            return start, tiff_pages(file) if start.startswith(TIFF) else []
    except (OSError, BadImage):
        return b"", []


def open_slide(path: str) -> Slide:
    """Open a slide.

    Raises
    ------
    BadImage
        If it cannot be opened, or its library is missing.
    """
    ending = os.path.splitext(path)[1].lower()
    module, command = NEEDED.get(ending, TIFF_LIBRARY)
    if not find_spec(module):
        raise BadImage(f"a slide; {command}")
    return TiffSlide(path) if module == "tifffile" else OpenSlideSlide(path)


@contextmanager
def _as_bad_image() -> Iterator[None]:
    """Raise BadImage for any error of a library."""
    try:
        yield
    except Exception as error:
        problem = f"{type(error).__name__}: {str(error)[:200]}"
        raise BadImage(f"a slide that cannot be read: {problem}") from error


class TiffSlide:
    """The largest page of a TIFF file, read by its tiles or strips."""

    def __init__(self, path: str) -> None:
        import tifffile

        self._path = path
        with _as_bad_image(), tifffile.TiffFile(path) as file:
            page = max(file.pages, key=lambda page: page.imagewidth * page.imagelength).aspage()
            self._decode = page.decode
            self._starts, self._lengths = page.dataoffsets, page.databytecounts
            self._tables = {"jpegtables": page.jpegtables, "jpegheader": page.jpegheader}
        self.size = page.imagewidth, page.imagelength
        if page.tile:
            self._segment = page.tilewidth, page.tilelength
        else:
            self._segment = page.imagewidth, min(page.rowsperstrip or page.imagelength, page.imagelength)
        is_rgb = page.photometric == _RGB or (page.photometric == _YCBCR and page.compression == _JPEG)
        if not is_rgb or page.samplesperpixel < 3 or page.planarconfig != 1 or page.dtype not in _DTYPES:
            raise BadImage("a slide whose pixels are not red, green and blue of 8 or 16 bits; convert it")
        if self._segment[0] * self._segment[1] > MAX_SEGMENT:
            raise BadImage("a slide in one piece; save it again in tiles (such as tiffsave --tile of vips)")

    def region(self, x: int, y: int, width: int, height: int) -> np.ndarray:
        """Return the pixels in a box; see `Slide`."""
        result = np.full((height, width, 3), 255, np.uint8)
        across, down = self._segment
        columns = -(-self.size[0] // across)
        with _as_bad_image(), open(self._path, "rb") as file:
            for row in range(y // down, -(-(y + height) // down)):
                for column in range(x // across, -(-(x + width) // across)):
                    segment = self._decoded(file, row * columns + column)
                    if segment is not None:
                        _paste(result, segment, column * across - x, row * down - y)
        return result

    def _decoded(self, file, index: int) -> np.ndarray | None:
        """Return a tile or strip; None is blank."""
        if not self._lengths[index]:
            return None
        file.seek(self._starts[index])
        data = file.read(self._lengths[index])
        if len(data) < self._lengths[index]:
            raise EOFError("cut short; copy or download it again")
        segment = self._decode(data, index, **self._tables)[0]
        if segment is None:
            return None
        colours = segment[0, :, :, 2::-1]
        return colours >> 8 if colours.dtype == np.uint16 else colours


def _paste(image: np.ndarray, part: np.ndarray, x: int, y: int) -> None:
    """Copy what there is of a part, whose corner is at x and y, into an image."""
    left, top = max(0, x), max(0, y)
    inside = part[top - y : image.shape[0] - y, left - x : image.shape[1] - x]
    image[top : top + inside.shape[0], left : left + inside.shape[1]] = inside


class OpenSlideSlide:
    """A slide that OpenSlide reads."""

    def __init__(self, path: str) -> None:
        import openslide

        with _as_bad_image():
            self._slide = openslide.OpenSlide(path)
            self.size = self._slide.dimensions

    def region(self, x: int, y: int, width: int, height: int) -> np.ndarray:
        """Return the pixels in a box, white where nothing was scanned; see `Slide`."""
        with _as_bad_image():
            pixels = np.asarray(self._slide.read_region((x, y), 0, (width, height)))
        return on_white(pixels)
