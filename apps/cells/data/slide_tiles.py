"""Slides as overlapping tiles, each an image with its place in the slide."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

import numpy as np

from .bad_image import BadImage
from .image_reader import CELL_WIDTH, ImageFile, at_working_scale
from .slides import Slide, is_slide, open_slide

# Pixels at the working scale: the core of a tile, whose cells belong to it, and the margin read around it, so
# that no cell with its middle in the core is cut (a cell is at most 110 wide, 40 of it beyond its nucleus).
CORE, OVERLAP = 1024, 128
MAX_CORE = 4096  # pixels of the slide, which bounds the memory where cells are very wide
# Tiles in a row, and rows, that show scale and stain; their side in pixels of the slide.
SAMPLES_A_SIDE, SAMPLE_SIDE = 4, 2048

Box = tuple[int, int, int, int]


@dataclass(frozen=True)
class Tile(ImageFile):
    """A tile of a slide, which is opened as an image file is.

    Attributes
    ----------
    slide : Slide or None
        The slide to read from; None if `content` has the pixels.
    window, core : tuple of int
        x, y, width and height of what is read, and of the part whose cells belong to this tile.
    zoom : float
        Pixels of the slide per pixel at the working scale.
    look : object
        What holds for all tiles of the slide, as `look_at_slide` returns it; None if unknown.
    """

    slide: Slide | None = None
    window: Box = (0, 0, 0, 0)
    core: Box = (0, 0, 0, 0)
    zoom: float = 1
    look: object = None

    def open(self) -> "TileReader":
        """Return the reader of its pixels."""
        return TileReader(self.slide, self.window, self.zoom, self.content)


class TileReader:
    """A region of a slide, with the methods of `ImageReader`; each call reads it again."""

    def __init__(self, slide: Slide | None, window: Box, zoom: float, pixels: np.ndarray | None) -> None:
        self._slide, self._window, self._zoom, self._pixels = slide, window, zoom, pixels
        self.size = window[2:]
        self.pixels = window[2] * window[3]

    def whole(self) -> np.ndarray:
        """Return the region as it is in the slide."""
        return self._slide.region(*self._window) if self._pixels is None else self._pixels

    def scaled(self, **_) -> tuple[np.ndarray, float]:
        """Return the region at the working scale, and the scale, which is one for all tiles of a slide."""
        return at_working_scale(self.whole(), self.size, 1 / self._zoom)


def with_tiles(files: Iterable[ImageFile], look_at: Callable[[ImageFile], Any]) -> Iterator[ImageFile]:
    """Yield images as they are, and the tiles of each slide, row by row.

    Parameters
    ----------
    files : iterable of ImageFile
    look_at : callable
        Called with a slide; returns what holds for all its tiles, with the width of a white cell in pixels as
        `scale`; None if the width is unknown. A cell on the border of two tiles is the same in both only if
        all else is.
    """
    for file in files:
        if not is_slide(file.path):
            yield file
            continue
        try:
            look = look_at(file)
            if look is None:
                raise BadImage("a slide whose red cells do not show its scale; give --cell-width")
            yield from _tiles(file, look)
        except BadImage as error:
            yield replace(file, problem=str(error))


def spread_tiles(file: ImageFile, zoom: float = 1) -> list[Tile]:
    """Return a few tiles of a slide, spread evenly over it, which show its scale and stain.

    Raises
    ------
    BadImage
        If the slide cannot be opened.
    """
    slide = open_slide(file.path)
    (width, height), last = slide.size, SAMPLES_A_SIDE - 1
    w, h = min(width, SAMPLE_SIDE), min(height, SAMPLE_SIDE)
    places = np.ndindex(SAMPLES_A_SIDE, SAMPLES_A_SIDE)
    windows = [((width - w) * i // last, (height - h) * j // last, w, h) for j, i in places]
    return [Tile(**vars(file), slide=slide, window=window, core=window, zoom=zoom) for window in windows]


def _tiles(file: ImageFile, look: Any) -> Iterator[Tile]:
    slide, zoom = open_slide(file.path), look.scale / CELL_WIDTH
    overlap = ceil(OVERLAP * zoom)
    core = max(overlap, min(round(CORE * zoom), MAX_CORE - 2 * overlap))
    width, height = slide.size
    for y in range(0, height, core):
        for x in range(0, width, core):
            left, top = max(0, x - overlap), max(0, y - overlap)
            right, bottom = min(width, x + core + overlap), min(height, y + core + overlap)
            yield Tile(
                **vars(file),
                slide=slide,
                window=(left, top, right - left, bottom - top),
                core=(x, y, min(core, width - x), min(core, height - y)),
                zoom=zoom,
                look=look,
            )
