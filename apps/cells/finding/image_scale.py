"""Read the width of a white cell, in pixels, from nuclei and red cells.

Nuclei are visible in every stain, red cells are not; but red cells have nearly one size. So red cells count
if the nuclei agree. An image contains few nuclei and red cells, so those of all images of a run are pooled.

Nuclei are searched at a scale where a cell is as wide as the image, and then at larger scales, until most
images show one. A white cell is 1.4 times as wide as the hull of its nucleus; images are searched again at
that scale, and so on, until the width no longer changes.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import NamedTuple

import cv2
import numpy as np

from ..data.bad_image import BadImage
from ..data.image_reader import CELL_WIDTH, ImageFile, at_working_scale, reduced, resized, usual_cell_width
from .masks import hull
from .nuclei import USUAL_SIZES, find_nuclei
from .red_circles import MIN_CELLS, diameters_of_one_size, red_circles_of
from .stain import raw_field

WHITE_OF_RED = 1.8  # diameter of a white cell over that of a red one
# Red cells of one size: with fewer, images show no scale; with more, no further image is read. Of 41 single
# images with 13 to 22 red cells, two were off by more than a third.
SURE_CELLS, ENOUGH_CELLS = 25, 75
COUNTED_IMAGES = 16  # in which red cells are searched, even if fewer are enough
MOST_IMAGES, MOST_PIXELS = 64, 200_000_000  # read at most
KEPT_PIXELS = 1 << 24  # of all images together, reduced, in which nuclei are searched
# Factor; a width that is closer to another counts as equal. A few nuclei are less reliable: with 12 draws of
# five photographs the width was off by up to 1.4, with 40 single photographs by up to 1.7.
SAME_FACTOR, ABOUT_FACTOR = 4 / 3, 1.7
SURE_NUCLEI = 12

# The widths of nuclei.
CELL_OF_NUCLEUS = 1.4  # diameter of a cell over that of the hull of its nucleus
NEARER_FACTOR = 1.5  # factor between two looks
MIN_SEEN = 0.5  # share of the images that show a nucleus, at least
MOST_SPREAD = 0.35  # standard deviation of the logarithm of the widths in the images
WIDE_FACTOR = 2  # factor, by which the widths from nuclei and from red cells differ if one of them is wrong
LARGE_SHARE = 0.35  # area over that of the largest nucleus in the image; smaller ones are left out
MAX_LOOKS, SETTLED_FACTOR = 6, 1.03  # looks at the scale found, at most; factor of a change that ends them
MIN_LOOK_SIDE, MOST_LOOK_PIXELS = 24, 1 << 23  # of an image that is searched; the latter of all together


class Seen(NamedTuple):
    """An image that was searched.

    Attributes
    ----------
    size : tuple of int
        Its width and height.
    cells : ndarray of shape (n, 3), or None
        Its red cells, as `red_circles_of` returns them; None if they were not searched.
    image : ndarray of shape (height, width, 3) and dtype uint8
        A smaller copy.
    reduce : int
        The factor between the image and its copy.
    """

    size: tuple[int, int]
    cells: np.ndarray | None
    image: np.ndarray
    reduce: int


@dataclass(frozen=True)
class Scale:
    """The width of a white cell, in pixels, in the images of a run.

    Attributes
    ----------
    widths : dict
        Pixels by the size (width, height) of images; the key None stands for all other sizes.
    sizes : tuple
        The sizes that were seen.
    by : str
        The source of the widths.
    same : float
        A width that differs by a smaller factor from the usual one counts as the usual one.
    pooled : float or None
        The width from all images together.
    usual : float
        The usual width over `usual_cell_width`; a model trained on other widths has its own.
    """

    widths: dict[tuple[int, int] | None, float]
    sizes: tuple[tuple[int, int], ...] = ()
    by: str = "red cells"
    same: float = SAME_FACTOR
    pooled: float | None = None
    usual: float = 1.0

    def __call__(self, size: tuple[int, int]) -> float | None:
        """Return the width of a white cell in an image of a size, or None for the usual width."""
        width = self._unusual(size)
        return self.usual * usual_cell_width(size) if width is None and self.usual != 1 else width

    def _unusual(self, size: tuple[int, int]) -> float | None:
        """Return the width that was read, or None if none was or it counts as the usual one."""
        width = self.widths.get(size, self.widths.get(None))
        usual = self.usual * usual_cell_width(size)
        return None if width is None or _near(width, usual, self.same) else width

    @property
    def as_read(self) -> "Scale":
        """The widths as they were read, none of which counts as the usual one."""
        widths = self.widths if self.pooled is None else {None: self.pooled} | self.widths
        return replace(self, widths=widths, same=1)

    @property
    def unusual(self) -> dict[tuple[int, int], float]:
        """The image sizes in which a white cell has an unusual width, and this width."""
        return {size: width for size in self.sizes if (width := self._unusual(size)) is not None}

    @property
    def record(self) -> float | dict[str, float] | None:
        """For JSON: the width, or widths by size if they differ; None if all are usual."""
        widths = {f"{across}x{down}": width for (across, down), width in self.unusual.items()}
        return next(iter(widths.values())) if len(set(widths.values())) == 1 else widths or None


UNREAD = Scale({})


def scale_record(scale: float | Scale) -> float | dict[str, float] | None:
    """For JSON: how many pixels wide a white cell is; None for the usual width."""
    return scale.record if isinstance(scale, Scale) else scale


def scale_words(scale: float | Scale) -> str:
    """For people: the width that a white cell is taken to have, and why."""
    if not isinstance(scale, Scale):
        return f"{scale:g} pixels wide, as given by --cell-width"
    widths = [round(scale(size) or usual_cell_width(size)) for size in scale.sizes]
    if not widths:
        return "as wide as the red cells of each slide show"
    wide = " to ".join(f"{width:,}" for width in sorted({min(widths), max(widths)})) + " pixels wide"
    if scale.unusual:
        return f"{wide}, as read from the {scale.by}"
    return f"{wide}, the usual width" + (f", and the {scale.by} agree" if scale.widths else "; none was read")


def seen_in(files: Sequence[ImageFile], most: int = MOST_IMAGES) -> list[Seen]:
    """Search some images that came together, fewer if they are large; unreadable ones are skipped."""
    n = min(len(files), most)
    seen: list[Seen] = []
    n_cells = n_pixels = 0
    for file in evenly_spread(files, most):
        try:
            reader = file.open()
            wanted = n_cells < ENOUGH_CELLS or len(seen) < COUNTED_IMAGES
            cells = red_circles_of(reader) if wanted else None
            reduce = ceil((reader.pixels * n / KEPT_PIXELS) ** 0.5)
            seen.append(Seen(reader.size, cells, reduced(reader, reduce), reduce))
        except (BadImage, OSError):
            continue
        n_cells, n_pixels = n_cells + (0 if cells is None else len(cells)), n_pixels + reader.pixels
        if n_pixels >= MOST_PIXELS:
            break
    return seen


def read_scale(seen: Sequence[Seen], bluish: bool = False, usual: float = 1.0) -> Scale:
    """Read the scale of images that came together from the nuclei and red cells in some of them.

    Parameters
    ----------
    seen : sequence of Seen
    bluish : bool, default=False
        Whether their red cells absorb red light.
    usual : float, default=1
        As in `Scale`.

    Returns
    -------
    Scale
        Without a width if there are no nuclei, and too few red cells, or they differ in size.
    """
    if not seen:
        return Scale({}, usual=usual)
    found: dict[tuple[int, int], list[Seen]] = defaultdict(list)
    for each in seen:
        found[each.size].append(each)
    pooled, by, same = everything = _agreed(seen, bluish)
    # Images of one size were probably taken in one way.
    by_size = {
        size: everything if len(found) == 1 else _agreed(group, bluish) for size, group in found.items()
    }
    known = {
        size: width for size, (width, _, near) in by_size.items() if width is not None and near == SAME_FACTOR
    }
    all_usual = known and all(_near(width, usual * usual_cell_width(size)) for size, width in known.items())
    if pooled is not None and not all_usual:
        known = {size: width for size, width in known.items() if not _near(width, pooled)} | {None: pooled}
    return Scale(known, tuple(found), by, same, pooled, usual)


def red_cells_of(seen: Sequence[Seen]) -> np.ndarray:
    """Return the red cells of all images in which they were searched, as rows."""
    return np.concatenate([np.empty((0, 3)), *(each.cells for each in seen if each.cells is not None)])


def _agreed(seen: Sequence[Seen], bluish: bool) -> tuple[float | None, str, float]:
    """Return the width of a white cell, its source, and the factor by which it may be off."""
    cells = red_cells_of(seen)
    red = white_cell_width(cells, SURE_CELLS)
    reduce = max(each.reduce for each in seen)
    images = [at_working_scale(each.image, each.image.shape[1::-1], each.reduce / reduce)[0] for each in seen]
    width, n = nuclei_width(images, bluish=bluish)
    many = white_cell_width(cells, ENOUGH_CELLS) is not None
    if width and red and many and not _near(width, red / reduce, WIDE_FACTOR):
        # This many red cells of one size are not chance, and a few nuclei may be heaps of red cells.
        width, n = nuclei_width(images, red / reduce * NEARER_FACTOR, bluish=bluish)
    if width is None or (n < SURE_NUCLEI and red is not None):
        return red, "red cells", SAME_FACTOR
    if red is not None and _near(red, reduce * width):
        return _rounded((red * reduce * width) ** 0.5), "nuclei and red cells", SAME_FACTOR
    return _rounded(reduce * width), "nuclei", SAME_FACTOR if n >= SURE_NUCLEI else ABOUT_FACTOR


def _near(width: float, other: float, factor: float = SAME_FACTOR) -> bool:
    """Return whether two widths count as equal."""
    return other / factor <= width <= other * factor


def _rounded(width: float) -> float:
    """Round to two digits."""
    return float(f"{width:.2g}")


def white_cell_width(cells: np.ndarray, least: int = MIN_CELLS) -> float | None:
    """Return the width of a white cell in pixels, to two digits, from circles of `find_red_circles`.

    None is returned for fewer than `least` red cells of one size.
    """
    diameters = diameters_of_one_size(cells, least)
    if not len(diameters):
        return None
    return _rounded(WHITE_OF_RED * np.exp(np.average(np.log(diameters), weights=diameters**2)))


def evenly_spread(files: Sequence[ImageFile], most: int) -> Iterator[ImageFile]:
    """Yield some files, spread evenly over all; the first few are also spread evenly."""
    n = min(len(files), most)
    order = sorted(range(n), key=lambda k: f"{k:0{(most - 1).bit_length()}b}"[::-1])
    for k in order:
        yield files[k * len(files) // n]


def nuclei_width(
    images: Sequence[np.ndarray], start: float | None = None, *, bluish: bool = False
) -> tuple[float | None, int]:
    """Return the width of a white cell in pixels, and the number of nuclei that support it.

    Parameters
    ----------
    images : sequence of ndarray of shape (height, width, 3) and dtype uint8
        Blue, green, red, all at one scale; if there are too many, the first ones are used.
    start : float, optional
        The width that is tried first; by default a cell is as wide as the image.
    bluish : bool, default=False
        Whether red cells absorb red light.
    """
    width = start or float(max((max(image.shape[:2]) for image in images), default=0))
    pixels = sum(image[..., 0].size for image in images) / max(len(images), 1)
    while width >= CELL_WIDTH / 4 and pixels * (CELL_WIDTH / width) ** 2 <= MOST_LOOK_PIXELS:
        # The first few are spread evenly, like all.
        some = images[: int(MOST_LOOK_PIXELS / (pixels * (CELL_WIDTH / width) ** 2))]
        diameters = [_diameters(image, width, bluish) for image in some]
        if sum(map(bool, diameters)) >= MIN_SEEN * len(some) and _agree(diameters, width):
            return _settled(some, width, diameters, bluish)
        width /= NEARER_FACTOR
    return None, 0


def _agree(diameters: list[list[float]], width: float) -> bool:
    """Return whether nuclei have about the width that was searched, and much the same in all images.

    At a small scale, heaps of red cells may look like nuclei.
    """
    logarithms = np.log([CELL_OF_NUCLEUS * np.median(each) for each in diameters if each])
    return logarithms.std() < MOST_SPREAD and _near(np.exp(np.median(logarithms)), width, NEARER_FACTOR)


def _settled(
    images: Sequence[np.ndarray], width: float, diameters: list[list[float]], bluish: bool
) -> tuple[float, int]:
    """Search again at the scale that the nuclei show, until it no longer changes."""
    for _ in range(MAX_LOOKS):
        nucleus = float(np.median([np.median(each) for each in diameters if each]))
        before, width = width, CELL_OF_NUCLEUS * nucleus
        if max(width, before) <= SETTLED_FACTOR * min(width, before):
            break
        again = [_diameters(image, width, bluish) for image in images]
        if not any(again):
            break
        diameters = again
    return width, sum(map(len, diameters))


def _diameters(image: np.ndarray, width: float, bluish: bool) -> list[float]:
    """Return the diameters of the hulls of large nuclei, if a white cell has this width."""
    scale = CELL_WIDTH / width
    sides = [round(side * scale) for side in image.shape[1::-1]]
    if min(sides) < MIN_LOOK_SIDE:
        return []
    stained = raw_field(resized(image, sides), bluish).stained
    areas = [cv2.contourArea(hull(mask)) for _, mask in find_nuclei(stained, USUAL_SIZES)]
    least = LARGE_SHARE * max(areas, default=0)
    return [2 * np.sqrt(area / np.pi) / scale for area in areas if area >= least]
