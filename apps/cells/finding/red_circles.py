"""Find the red cells that are completely visible, as circles, in an image of unknown scale.

Red cells are nearly round. Each edge pixel of one votes for the centre that the cell would have at each of
many radii, one radius towards the dark side. A round cell collects the votes of its whole circumference in
one place, at one radius only. Overlaps and pale centres, whose edges vote outwards, take away few votes.

This is the Hough transform for circles by gradient directions (Kimme, Ballard & Sklansky, "Finding circles by
an array of accumulators", Communications of the ACM 18, 1975).
"""

from collections.abc import Iterator, Sequence

import cv2
import numpy as np

from ..data.image_reader import ImageReader, reduced
from .masks import black_frame

# Circles.
SIDE = 200  # pixels, the longer side of the image that is searched
RADII = 8 * 2 ** (np.arange(18) / 6)  # pixels, there; smaller rings are noise
LARGEST = 0.45  # radius over the shorter side
GRID = 8  # grid steps in a radius, along which votes are counted
FREE_BYTES = 1 << 20  # OpenCV's blur crashes if it finds less memory than it needs
BLUR = 0.15  # standard deviation of the blur of votes over the radius
MIN_RING = 0.35  # share of a circumference that must vote
CLOSEST = 0.6  # smallest distance between two centres over the larger radius

# Edges.
PURPLE_BLUR = 5  # pixels, width of the Gaussian kernel
STAINED = 25  # levels; nuclei and platelets are this much bluer than green, compared with the median
STAIN_MARGIN = 5  # pixels, width of the square that stained parts are enlarged by
MIN_LEVELS = 200  # pixels beside the stain; fewer show no edges
EDGE_BLUR = 1  # pixels, standard deviation
DARK_EDGE, EDGE = 2.0, 0.8  # gradients at the start and along an edge over the contrast of cells and plasma

# Tiles of a large field.
ZOOMS = 1, 2, 4, 8, 16, 32  # of the tiles that are tried
TILES = 9  # of each zoom
MIN_TILE = 150  # pixels, the shorter side of a tile
COVER = 0.15  # share of the area; if red cells of one size cover it, no other zoom is tried

# Agreement.
MIN_CELLS = 5  # red cells of one size, at least
AGREED = 1.25  # factor; diameters closer to the median count as one size
AGREEMENT = 0.5  # share of the area of all red cells that must have one size


def red_circles_of(reader: ImageReader) -> np.ndarray:
    """Find red cells in an image or its tiles, at the zoom where red cells of one size cover the most.

    Returns
    -------
    ndarray of shape (n, 3)
        x, y and diameter, in pixels of the image or of a tile.
    """
    longer, shorter = max(reader.size), min(reader.size)
    zooms = [zoom for zoom in ZOOMS if zoom == 1 or shorter >= zoom * MIN_TILE]
    reduce = max(1, longer // SIDE)
    image = reduced(reader, reduce)
    best = reduce * find_red_circles(image)
    most = _cover(best, [image]) / reduce**2
    if most < COVER and len(zooms) > 1:
        reduce = max(1, longer // (SIDE * zooms[-1]))
        image = reduced(reader, reduce)
        for zoom in zooms[1:]:
            tiles = list(_tiles(image, zoom))
            cells = np.concatenate([find_red_circles(tile) for tile in tiles])
            if (cover := _cover(cells, tiles)) > most:
                best, most = reduce * cells, cover
    return best


def _cover(cells: np.ndarray, tiles: Sequence[np.ndarray]) -> float:
    """Return the share of the area of tiles that red cells of one size cover."""
    return np.pi / 4 * (diameters_of_one_size(cells) ** 2).sum() / sum(tile[..., 0].size for tile in tiles)


def find_red_circles(image: np.ndarray) -> np.ndarray:
    """Find the red cells that are completely visible.

    Parameters
    ----------
    image : ndarray of shape (height, width, 3) and dtype uint8
        Red cells are found if their diameter is from 1/12 to 2/5 of the longer side.

    Returns
    -------
    ndarray of shape (n, 3)
        x, y and diameter in pixels.
    """
    scale = min(1, SIDE / max(image.shape[:2]))
    if scale < 1:
        image = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    edges = _edges(image)
    radii = RADII[LARGEST * min(image.shape[:2]) > RADII]
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
    """The votes for centres at one radius, on a grid as coarse as the radius allows."""

    def __init__(self, edges: np.ndarray, radius: float, shape: tuple[int, int]) -> None:
        self.radius, self.pitch = radius, max(1.0, radius / GRID)
        x, y, toward_x, toward_y = edges
        height, width = (int(side / self.pitch) + 1 for side in shape)
        columns = np.rint((x + radius * toward_x) / self.pitch).astype(int)
        rows = np.rint((y + radius * toward_y) / self.pitch).astype(int)
        inside = (columns >= 0) & (rows >= 0) & (columns < width) & (rows < height)
        votes = np.bincount(rows[inside] * width + columns[inside], minlength=height * width)
        spread = BLUR * radius / self.pitch
        votes = votes.reshape(height, width).astype(np.float32)
        np.empty(FREE_BYTES, np.uint8)  # MemoryError if there is too little
        # 1 where a whole circumference votes for one place.
        self.shares = spread**2 / radius * cv2.GaussianBlur(votes, (0, 0), spread)

    def peaks(self) -> Iterator[tuple[float, float, float, float]]:
        """Yield share, x, y and radius of the places where enough votes meet."""
        width = 2 * max(1, int(self.radius / self.pitch / 2)) + 1
        highest = cv2.dilate(self.shares, np.ones((width, width), np.uint8))
        for row, column in zip(*np.nonzero((self.shares >= highest) & (self.shares > MIN_RING)), strict=True):
            yield float(self.shares[row, column]), column * self.pitch, row * self.pitch, self.radius


def _edges(image: np.ndarray) -> np.ndarray:
    """Return the pixels at edges: x, y, and the two parts of the direction towards the dark, as rows."""
    green = cv2.extractChannel(image, 1)
    purple = cv2.GaussianBlur(
        cv2.subtract(cv2.extractChannel(image, 0), green), (PURPLE_BLUR, PURPLE_BLUR), 0
    )
    stained = purple.astype(np.int16) > np.median(purple) + STAINED
    usable = cv2.dilate(stained | black_frame(image), np.ones((STAIN_MARGIN, STAIN_MARGIN), np.uint8)) == 0
    levels = green[usable]
    if len(levels) < MIN_LEVELS:
        return np.empty((4, 0))
    threshold, _ = cv2.threshold(levels, 0, 1, cv2.THRESH_OTSU)
    dark = levels <= threshold
    if dark.all() or not dark.any():
        return np.empty((4, 0))
    contrast = levels[~dark].mean() - levels[dark].mean()
    green = cv2.GaussianBlur(green, (0, 0), EDGE_BLUR)
    across, down = (cv2.Sobel(green, cv2.CV_16S, *order) for order in ((1, 0), (0, 1)))
    edges = cv2.Canny(across, down, EDGE * contrast, DARK_EDGE * contrast, L2gradient=True) > 0
    y, x = np.nonzero(edges & usable)
    across, down = (-slope[y, x].astype(float) for slope in (across, down))
    length = np.hypot(across, down)
    return np.stack([x, y, across / length, down / length])


def _tiles(image: np.ndarray, zoom: int) -> Iterator[np.ndarray]:
    """Yield some tiles of an image, evenly spread, with sides that are `zoom` times smaller."""
    height, width = (side // zoom for side in image.shape[:2])
    places = min(zoom, int(TILES**0.5))
    for top in np.linspace(0, image.shape[0] - height, places).astype(int):
        for left in np.linspace(0, image.shape[1] - width, places).astype(int):
            yield image[top : top + height, left : left + width]


def diameters_of_one_size(cells: np.ndarray, least: int = MIN_CELLS) -> np.ndarray:
    """Return the diameters of the red cells of one size; none if they are not the majority by area."""
    diameters = np.sort(cells[:, 2])
    area = np.cumsum(diameters**2)
    middle = diameters[np.searchsorted(area, area[-1] / 2)] if len(cells) else 0.0
    near = diameters[(diameters > middle / AGREED) & (diameters < middle * AGREED)]
    enough = len(near) >= least and (near**2).sum() >= AGREEMENT * area[-1]
    return near if enough else near[:0]
