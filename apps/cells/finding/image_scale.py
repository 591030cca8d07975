"""Read from the red cells how many pixels wide a white cell is.

Red cells are nearly round and of nearly one size, whatever the stain, and a smear is full of them. Each edge
pixel of one votes for the middle that it would have at each of many radii, one step towards the dark side; a
round cell gathers the votes of its whole circumference in one place at one radius only. Cells that overlap,
and the pale middle of a cell, whose edge votes outwards, take little from that. (Hough transform for
circles by gradient directions: Kimme, Ballard & Sklansky, "Finding circles by an array of accumulators",
Communications of the ACM 18 (1975).)

One image may hold few red cells, so they are pooled over the images that came together.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from ...common.printing import note
from ..data.bad_image import BadImage
from ..data.image_files import ImageFile
from ..data.image_reader import ImageReader, usual_cell_width
from ..data.slide_tiles import spread_tiles
from .masks import black_frame

WHITE_OF_RED = 1.8  # diameter of a white cell, of that of a red one
SIDE = 200  # pixels, the longer side of what red cells are looked for in
RADII = 8 * 2 ** (np.arange(18) / 6)  # pixels, there; smaller rings are noise
BLUR = 0.15  # of the radius: how exactly votes have to meet
MIN_RING = 0.35  # share of a circumference that has to vote
CLOSEST = 0.6  # of the larger radius: how near to one another the middles of two cells may lie
STAINED = 25  # blue minus green, above what is usual in the image: of nuclei and platelets
DARK_EDGE, EDGE = 2.0, 0.8  # gradients of an edge, of the contrast between cells and plasma

ZOOMS = 1, 2, 4, 8, 16, 32  # of the tiles that a field is looked at in ...
TILES = 9  # ... so many of each zoom ...
MIN_TILE = 150  # ... with sides of so many pixels at least
COVER = 0.15  # share of the area that red cells cover at the right zoom, mostly; then no other is tried
# Red cells of one size: of a slide at least; of images, whose size tells of a scale too; at which no more
# are looked for. Of 41 single images with 13 to 22, two were off by more than a third.
MIN_CELLS, SURE_CELLS, ENOUGH_CELLS = 5, 25, 75
MOST_IMAGES, MOST_PIXELS = 64, 200_000_000  # that are looked at
AGREED, AGREEMENT = 1.25, 0.5  # so much of the red cells' area has to be within this factor of the median
SAME = 4 / 3  # a width that is nearer than this factor to the usual one is taken for the usual one


@dataclass(frozen=True)
class Scale:
    """The width of a white cell, in pixels, in the images of a run.

    Attributes
    ----------
    widths : dict
        Pixels by the size (width, height) of images; where the key is None, of all images.
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
    def note(self) -> str | None:
        """A note on an unusual width, for the user."""
        for (across, down), width in self.unusual.items():
            return (
                f"note: a white cell is about {width:,.0f} pixels wide, by the red cells, in images of "
                f"{across:,} x {down:,}; --cell-width overrides"
            )
        return None

    @property
    def record(self) -> float | dict[str, float] | None:
        """For JSON: the width, by size where it differs; None where it is the usual one throughout."""
        widths = {f"{across}x{down}": width for (across, down), width in self.unusual.items()}
        return next(iter(widths.values())) if len(set(widths.values())) == 1 else widths or None


def scale_of(files: Sequence[ImageFile], cell_width: float | None) -> float | Scale:
    """Return the width of a white cell that is given, or else read it; where it is unusual, say so."""
    if cell_width is not None:
        return cell_width
    scale = read_scale(files)
    if scale.note:
        note(scale.note)
    return scale


def cell_width_of_slide(file: ImageFile, given: float | None) -> float | None:
    """Return the width of a white cell in a slide that is given, or else read it, and say it."""
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
    """For JSON: how many pixels wide a white cell is; None where it is the usual width."""
    return scale.record if isinstance(scale, Scale) else scale


def read_scale(files: Sequence[ImageFile]) -> Scale:
    """Read the scale of images that came together from the red cells in some of them.

    Parameters
    ----------
    files : sequence of ImageFile
        At most 64 are looked at, fewer large ones, spread evenly; those that cannot be read are passed over.

    Returns
    -------
    Scale
        Without a width where there are too few red cells, or they do not agree.
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
    if pooled is None or (
        known and all(_near(width, usual_cell_width(size)) for size, width in known.items())
    ):
        return Scale(known, tuple(groups))
    return Scale(
        {size: width for size, width in known.items() if not _near(width, pooled)} | {None: pooled},
        tuple(groups),
    )


def _near(width: float, other: float) -> bool:
    """Return whether two widths count as equal."""
    return other / SAME <= width <= other * SAME


def white_cell_width(cells: np.ndarray, least: int = MIN_CELLS) -> float | None:
    """Return the pixels that a white cell is wide, by red cells as `red_cells` finds them, to two digits.

    None is returned for less than `least` red cells, or where they do not agree.
    """
    diameters = _agreeing(cells, least)
    if not len(diameters):
        return None
    return float(f"{WHITE_OF_RED * np.exp(np.average(np.log(diameters), weights=diameters**2)):.2g}")


def _agreeing(cells: np.ndarray, least: int = MIN_CELLS) -> np.ndarray:
    """Return the diameters of the red cells that are of one size, if these are most of them, or none."""
    diameters = np.sort(cells[:, 2])
    area = np.cumsum(diameters**2)
    middle = diameters[np.searchsorted(area, area[-1] / 2)] if len(cells) else 0.0
    near = diameters[(diameters > middle / AGREED) & (diameters < middle * AGREED)]
    enough = len(near) >= least and (near**2).sum() >= AGREEMENT * area[-1]
    return near if enough else near[:0]


def red_circles_of(reader: ImageReader) -> np.ndarray:
    """Find red cells in an image, or in tiles of it, at the zoom where those of one size cover the most.

    Returns
    -------
    ndarray of shape (n, 3)
        x, y and diameter, in pixels of the image or of a tile.
    """
    longer, shorter = max(reader.size), min(reader.size)
    zooms = [zoom for zoom in ZOOMS if zoom == 1 or shorter >= zoom * MIN_TILE]
    reduce, image = _reduced(reader, longer // SIDE)
    best = reduce * red_cells(image)
    most = _cover(best, [image]) / reduce**2
    if most < COVER and len(zooms) > 1:
        reduce, image = _reduced(reader, longer // (SIDE * zooms[-1]))
        for zoom in zooms[1:]:
            tiles = list(_tiles(image, zoom))
            cells = np.concatenate([red_cells(tile) for tile in tiles])
            if (cover := _cover(cells, tiles)) > most:
                best, most = reduce * cells, cover
    return best


def _reduced(reader: ImageReader, most: int) -> tuple[int, np.ndarray]:
    reduce = max(1, most)
    return reduce, reader.reduced(reduce)


def _cover(cells: np.ndarray, tiles: Sequence[np.ndarray]) -> float:
    """Return the share of tiles that red cells of one size cover."""
    return np.pi / 4 * (_agreeing(cells) ** 2).sum() / sum(tile[..., 0].size for tile in tiles)


def red_cells(image: np.ndarray) -> np.ndarray:
    """Find the red cells that are seen as a whole.

    Parameters
    ----------
    image : ndarray of shape (height, width, 3) and dtype uint8
        Red cells from a twelfth to two fifths of the longer side are found.

    Returns
    -------
    ndarray of shape (n, 3)
        x, y and diameter in pixels.
    """
    scale = min(1, SIDE / max(image.shape[:2]))
    if scale < 1:
        image = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    edges = _edges(image)
    radii = RADII[0.45 * min(image.shape[:2]) > RADII]
    if not len(edges) or not len(radii):
        return np.empty((0, 3))
    shares = [_Votes(edges, radius, image.shape[:2]) for radius in radii]
    candidates = sorted((peak for votes in shares for peak in votes.peaks()), reverse=True)
    kept = np.empty((0, 3))
    for _, x, y, radius in candidates:
        apart = np.hypot(*(kept[:, :2] - (x, y)).T)
        if (apart > CLOSEST * np.maximum(kept[:, 2], radius)).all():
            kept = np.vstack([kept, (x, y, radius)])
    return kept * (1, 1, 2) / scale


class _Votes:
    """The votes for middles at one radius, on a grid that is as coarse as the radius allows."""

    def __init__(self, edges: np.ndarray, radius: float, shape: tuple[int, int]) -> None:
        self.radius, self.pitch = radius, max(1.0, radius / 8)
        x, y, toward_x, toward_y = edges
        height, width = (int(side / self.pitch) + 1 for side in shape)
        columns = np.rint((x + radius * toward_x) / self.pitch).astype(int)
        rows = np.rint((y + radius * toward_y) / self.pitch).astype(int)
        inside = (columns >= 0) & (rows >= 0) & (columns < width) & (rows < height)
        votes = np.bincount(rows[inside] * width + columns[inside], minlength=height * width)
        spread = BLUR * radius / self.pitch
        # 1 where all of a circumference votes for one place.
        self.shares = (
            spread**2
            / radius
            * cv2.GaussianBlur(votes.reshape(height, width).astype(np.float32), (0, 0), spread)
        )

    def peaks(self) -> Iterator[tuple[float, float, float, float]]:
        """Yield share, x, y and radius of the places where enough votes meet."""
        width = 2 * max(1, int(self.radius / self.pitch / 2)) + 1
        highest = cv2.dilate(self.shares, np.ones((width, width), np.uint8))
        for row, column in zip(*np.nonzero((self.shares >= highest) & (self.shares > MIN_RING)), strict=True):
            yield float(self.shares[row, column]), column * self.pitch, row * self.pitch, self.radius


def _edges(image: np.ndarray) -> np.ndarray:
    """Return x, y and the direction towards the dark of the edges that red cells may have, as four rows."""
    green = cv2.extractChannel(image, 1)
    purple = cv2.GaussianBlur(cv2.subtract(cv2.extractChannel(image, 0), green), (5, 5), 0)
    stained = purple.astype(np.int16) > np.median(purple) + STAINED
    usable = cv2.dilate(stained | black_frame(image), np.ones((5, 5), np.uint8)) == 0
    levels = green[usable]
    if len(levels) < SIDE:
        return np.empty((4, 0))
    threshold, _ = cv2.threshold(levels, 0, 1, cv2.THRESH_OTSU)
    dark = levels <= threshold
    if dark.all() or not dark.any():
        return np.empty((4, 0))
    contrast = levels[~dark].mean() - levels[dark].mean()
    green = cv2.GaussianBlur(green, (0, 0), 1)
    across, down = (cv2.Sobel(green, cv2.CV_16S, *order) for order in ((1, 0), (0, 1)))
    edges = cv2.Canny(across, down, EDGE * contrast, DARK_EDGE * contrast, L2gradient=True) > 0
    y, x = np.nonzero(edges & usable)
    across, down = (-slope[y, x].astype(float) for slope in (across, down))
    length = np.hypot(across, down)
    return np.stack([x, y, across / length, down / length])


def _tiles(image: np.ndarray, zoom: int) -> Iterator[np.ndarray]:
    """Yield some tiles of an image, evenly spread, each with sides as many times smaller."""
    height, width = (side // zoom for side in image.shape[:2])
    places = min(zoom, int(TILES**0.5))
    for top in np.linspace(0, image.shape[0] - height, places).astype(int):
        for left in np.linspace(0, image.shape[1] - width, places).astype(int):
            yield image[top : top + height, left : left + width]


def _spread(files: Sequence[ImageFile]) -> Iterator[ImageFile]:
    """Yield some of the files, evenly spread, so that any first few of them are spread as well."""
    n = min(len(files), MOST_IMAGES)
    order = sorted(range(n), key=lambda k: f"{k:0{(MOST_IMAGES - 1).bit_length()}b}"[::-1])
    for k in order:
        yield files[k * len(files) // n]
