"""Findings of the tiles of a slide, merged: each cell once, in pixels of the slide."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import groupby

from ..data.image_reader import ImageFile
from ..data.slide_tiles import Tile
from .findings import DARK, FLAT, FoundCell, ImageFindings

# Two tiles show the middle of one cell at slightly different places. Pixels at the working scale.
CORE_SLACK = 12
MIN_APART = 24  # middles of two cells are farther apart

Found = tuple[ImageFile, ImageFindings]


def merge_tiles(results: Iterable[Found], advance: Callable[[], None]) -> Iterator[ImageFindings]:
    """Yield the findings of images as they are, and those of the tiles of a slide together.

    Parameters
    ----------
    results : iterable of (ImageFile, ImageFindings)
        The tiles of a slide one after the other.
    advance : callable
        Called after each image and each tile.

    Yields
    ------
    ImageFindings
        A slide with a tile that could not be read has the problem of this tile, and no cells.
    """

    def stepped() -> Iterator[Found]:
        for result in results:
            yield result
            advance()

    for slide, of_slide in groupby(stepped(), lambda item: getattr(item[0], "slide", None)):
        if slide is None:
            for _, found in of_slide:
                yield found
        else:
            yield _of_slide(of_slide, slide.size)


def _of_slide(tiles: Iterable[Found], size: tuple[int, int]) -> ImageFindings:
    first = problem = None
    cells, others = _Cells(), _Cells()
    flags: dict[str, None] = {}
    empty = True  # like many tiles of a slide
    for tile, found in tiles:
        first = first or tile
        if found.problem is not None:
            x, y, _, _ = tile.core
            problem = problem or f"{found.problem} (at {x:,}, {y:,})"
        cells.add(tile, found.cells)
        others.add(tile, found.others)
        flags.update(dict.fromkeys(found.flags))
        empty &= found.unmeasured
    for flag in () if empty else (DARK, FLAT):
        flags.pop(flag, None)
    # A label of a slide belongs to no cell.
    rest = {"size": size, "flags": tuple(flags), "others": tuple(others.all)}
    found = ImageFindings(first.name, tuple(cells.all), **rest)
    return found if problem is None else replace(found, cells=(), others=(), problem=problem)


class _Cells:
    """The cells of a slide, each once: from the tile with its centre in the core, or nearly so."""

    def __init__(self) -> None:
        self.all: list[FoundCell] = []
        self._near_borders: dict[tuple[int, int], list[tuple[int, int]]] = {}  # squares of a grid: middles

    def add(self, tile: Tile, cells: Iterable[FoundCell]) -> None:
        """Add the cells of a tile that no earlier tile had."""
        near = []
        for cell in cells:
            moved = cell.in_file(1, tile.window[:2])
            inside = _depth(moved.center, tile.core)
            if inside < -CORE_SLACK * tile.zoom:
                continue
            if inside <= MIN_APART * tile.zoom:
                if self._is_known(moved.center, MIN_APART * tile.zoom):
                    continue
                near.append(moved.center)
            self.all.append(moved)
        for x, y in near:
            square = int(x // (MIN_APART * tile.zoom)), int(y // (MIN_APART * tile.zoom))
            self._near_borders.setdefault(square, []).append((x, y))

    def _is_known(self, center: tuple[int, int], reach: float) -> bool:
        """Return whether an earlier tile has a cell whose centre is within reach."""
        column, row = (int(side // reach) for side in center)
        near = (self._near_borders.get((column + i, row + j), ()) for i in (-1, 0, 1) for j in (-1, 0, 1))
        squares = ((x - center[0]) ** 2 + (y - center[1]) ** 2 for middles in near for x, y in middles)
        return any(square < reach**2 for square in squares)


def _depth(center: tuple[int, int], core: tuple[int, int, int, int]) -> int:
    """Return how far inside a box a point is, in its nearest direction; outside it is below 0."""
    x, y = center
    left, top, width, height = core
    return min(x - left, y - top, left + width - 1 - x, top + height - 1 - y)
