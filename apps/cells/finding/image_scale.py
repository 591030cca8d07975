"""Read from the red cells how many pixels wide a white cell is.

Red cells have nearly one size in every smear, whatever the stain. One image may hold few of them, so the red
cells of all images of a run are pooled.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ...common.printing import note
from ..data.bad_image import BadImage
from ..data.image_files import ImageFile
from ..data.image_reader import usual_cell_width
from ..data.slide_tiles import spread_tiles
from .red_circles import MIN_CELLS, diameters_of_one_size, red_circles_of

WHITE_OF_RED = 1.8  # diameter of a white cell over that of a red one
# Red cells of one size: with fewer, images tell no scale; with more, no further image is read. Of 41 single
# images with 13 to 22 red cells, two were off by more than a third.
SURE_CELLS, ENOUGH_CELLS = 25, 75
MOST_IMAGES, MOST_PIXELS = 64, 200_000_000  # that are read
SAME = 4 / 3  # factor; a width that is closer to the usual one counts as the usual one


@dataclass(frozen=True)
class Scale:
    """The width of a white cell, in pixels, in the images of a run.

    Attributes
    ----------
    widths : dict
        Pixels by the size (width, height) of images; the key None stands for all other sizes.
    sizes : tuple
        The sizes that were seen.
    """

    widths: dict[tuple[int, int] | None, float]
    sizes: tuple[tuple[int, int], ...] = ()

    def __call__(self, size: tuple[int, int]) -> float | None:
        """Return the width of a white cell in an image of a size, or None if it is the usual one."""
        width = self.widths.get(size, self.widths.get(None))
        usual = usual_cell_width(size)
        return None if width is None or _near(width, usual) else width

    @property
    def unusual(self) -> dict[tuple[int, int], float]:
        """The image sizes in which a white cell has an unusual width, and this width."""
        return {size: width for size in self.sizes if (width := self(size)) is not None}

    @property
    def record(self) -> float | dict[str, float] | None:
        """For JSON: the width, or widths by size if they differ; None if all are usual."""
        widths = {f"{across}x{down}": width for (across, down), width in self.unusual.items()}
        return next(iter(widths.values())) if len(set(widths.values())) == 1 else widths or None


def scale_of(files: Sequence[ImageFile], cell_width: float | None) -> float | Scale:
    """Return the given width of a white cell, or read it from the images and print an unusual one."""
    if cell_width is not None:
        return cell_width
    scale = read_scale(files)
    for (across, down), width in list(scale.unusual.items())[:1]:
        note(
            f"note: a white cell is about {width:,.0f} pixels wide, by the red cells, in images of "
            f"{across:,} x {down:,}; --cell-width overrides"
        )
    return scale


def cell_width_of_slide(file: ImageFile, given: float | None) -> float | None:
    """Return the given width of a white cell, or read it from the slide and print it."""
    if given is not None:
        return given
    width = white_cell_width(np.concatenate([red_circles_of(tile.open()) for tile in spread_tiles(file)]))
    if width is not None:
        note(
            f"note: {file.name}: a white cell is about {width:,.0f} pixels wide, by its red cells; "
            "--cell-width overrides"
        )
    return width


def scale_record(scale: float | Scale) -> float | dict[str, float] | None:
    """For JSON: how many pixels wide a white cell is; None for the usual width."""
    return scale.record if isinstance(scale, Scale) else scale


def read_scale(files: Sequence[ImageFile]) -> Scale:
    """Read the scale of images that came together from the red cells in some of them.

    Parameters
    ----------
    files : sequence of ImageFile
        At most 64 are read, fewer if they are large, spread evenly. Unreadable files are skipped.

    Returns
    -------
    Scale
        Without a width if there are too few red cells, or they differ in size.
    """
    found: dict[tuple[int, int], list[np.ndarray]] = defaultdict(list)
    n_cells = n_pixels = 0
    for file in _spread(files):
        try:
            reader = file.open()
            cells = red_circles_of(reader)
        except (BadImage, OSError):
            continue
        found[reader.size].append(cells)
        n_cells, n_pixels = n_cells + len(cells), n_pixels + reader.pixels
        if n_cells >= ENOUGH_CELLS or n_pixels >= MOST_PIXELS:
            break
    groups = {size: np.concatenate(group) for size, group in found.items()}
    pooled = white_cell_width(np.concatenate(list(groups.values())), SURE_CELLS) if groups else None
    # Images of one size were probably taken in one way.
    of_sizes = {size: white_cell_width(cells, SURE_CELLS) for size, cells in groups.items()}
    known = {size: width for size, width in of_sizes.items() if width is not None}
    all_usual = known and all(_near(width, usual_cell_width(size)) for size, width in known.items())
    if pooled is not None and not all_usual:
        known = {size: width for size, width in known.items() if not _near(width, pooled)} | {None: pooled}
    return Scale(known, tuple(groups))


def _near(width: float, other: float) -> bool:
    """Return whether two widths count as equal."""
    return other / SAME <= width <= other * SAME


def white_cell_width(cells: np.ndarray, least: int = MIN_CELLS) -> float | None:
    """Return how many pixels wide a white cell is, to two digits, from circles as of `find_red_circles`.

    None is returned for less than `least` red cells of one size.
    """
    diameters = diameters_of_one_size(cells, least)
    if not len(diameters):
        return None
    return float(f"{WHITE_OF_RED * np.exp(np.average(np.log(diameters), weights=diameters**2)):.2g}")


def _spread(files: Sequence[ImageFile]) -> Iterator[ImageFile]:
    """Yield some files, evenly spread over all; so are the first few of them."""
    n = min(len(files), MOST_IMAGES)
    order = sorted(range(n), key=lambda k: f"{k:0{(MOST_IMAGES - 1).bit_length()}b}"[::-1])
    for k in order:
        yield files[k * len(files) // n]
