"""Find the nuclei of white cells: the densest stain that red cells and yellow light do not produce.

Haemoglobin absorbs blue and green light and hardly any red; yellow light lacks blue. Nuclei absorb red and
green. So the density of red, plus half the density of green, minus half the density of blue, leaves the
nuclei.

Lengths are in pixels at the working scale, where a white cell is 50 to 110 pixels wide. Areas are in pixels.
"""

from typing import NamedTuple

import cv2
import numpy as np

from .bluish import are_red_cells, beside_red_cells
from .field import CHANNELS, Field
from .masks import halved, is_cut, opened, shrunk, widened

NUCLEAR = np.float32([[-0.5, 0.5, 1]])  # weights of the densities of blue, green and red
LEVELS = 80  # of a density of 1; the highest level is a density of 3.2
BLUR = 5  # width of the Gaussian kernel
OPENING = 7  # width of the disc that removes smaller spots
MIN_DENSITY = 0.12  # of nuclear stain; less is noise
# A spot is of red cells if its mean density is below the first, and below the second times its green density.
PALE, REDDISH = 0.45, 0.88
MOST_STAINED = 6000, 0.1  # area, or share of the image if that is more, that nuclei cover at most
MIN_LEFT = 0.25  # share of a spot that a higher threshold leaves, at least
SQUARE = np.ones((3, 3), np.uint8)
BORDER = 1  # a nucleus this close to the border counts as cut


class CellSizes(NamedTuple):
    """The sizes that tell nuclei and white cells from platelets, drops of stain and other small things.

    Attributes
    ----------
    lobe_gap : int
        Largest distance between the lobes of a nucleus.
    nucleus, cut_nucleus : int
        Smallest area of a nucleus, and of a nucleus that the border cuts.
    fragment : int
        Smallest area if the image has no such nucleus.
    whole_cell, cut_cell : tuple of int
        A finished cell has at least this area of nucleus, and contains a disc of this radius.
    between_lobes : bool
        Whether pixels between the lobes belong to the cell even if they look like plasma.
    """

    lobe_gap: int = 15
    nucleus: int = 600
    cut_nucleus: int = 1000
    fragment: int = 300
    whole_cell: tuple[int, float] = (800, 14)
    cut_cell: tuple[int, float] = (400, 9)
    between_lobes: bool = False


USUAL_SIZES = CellSizes()
# If nothing is found with these: lobes that are small and far apart.
SMALL_SIZES = CellSizes(lobe_gap=30, fragment=120, whole_cell=(800, 12.5))
# If still nothing is found: lobes around pale cytoplasm, with more area than platelets in a clump.
SPREAD_SIZES = SMALL_SIZES._replace(whole_cell=(1300, 16), cut_cell=(1300, 16), between_lobes=True)
TRIES = USUAL_SIZES, SMALL_SIZES, SPREAD_SIZES


def nuclear_stain(field: Field) -> np.ndarray:
    """Return the mask of pixels with the stain of nuclei."""
    if field.red is None:
        density = field.densities(field.image, NUCLEAR)[..., 0]
    else:
        density = beside_red_cells(field.densities(field.image), field.red)
    density = np.maximum(density, 0)
    density = cv2.GaussianBlur(cv2.convertScaleAbs(density, alpha=LEVELS), (BLUR, BLUR), 0)
    density[field.frame > 0] = 0
    # Half the size gives the same thresholds for a quarter of the work.
    thresholds = _clearest_thresholds(halved(density))
    thresholds = cv2.resize(thresholds, density.shape[::-1], interpolation=cv2.INTER_NEAREST)
    stained = opened(cv2.compare(density, thresholds, cv2.CMP_GT) & 1, OPENING)
    return _without_red_cells(field, stained, density)


def nuclear_share(density: np.ndarray) -> float:
    """Return the nuclear stain of a density of blue, green and red, over its green."""
    return float(NUCLEAR[0] @ density / density[1])


def _without_red_cells(field: Field, stained: np.ndarray, density: np.ndarray) -> np.ndarray:
    """Take away the spots that are pale and have the colour of red cells."""
    n, spots = cv2.connectedComponents(stained)
    inside = np.flatnonzero(stained)
    of_spots, nuclear = spots.ravel()[inside], density.ravel()[inside]
    if field.red is not None:
        pixels = field.densities(field.image.reshape(-1, 1, 3)[inside])[:, 0]
        sums = np.column_stack([np.bincount(of_spots, plane, n) for plane in pixels.T])
        stained[are_red_cells(sums, np.bincount(of_spots, minlength=n), field.red)[spots]] = 0
        return stained
    area = np.bincount(of_spots, minlength=n)
    pale = np.bincount(of_spots, nuclear, n) < PALE * LEVELS * area
    if pale.any():
        pixels = field.image.reshape(-1, 1, 3)[inside]
        reddish = nuclear - REDDISH * LEVELS * field.densities(pixels, CHANNELS[1:2]).ravel()
        stained[(pale & (np.bincount(of_spots, reddish, n) < 0))[spots]] = 0
    return stained


def _clearest_thresholds(density: np.ndarray) -> np.ndarray:
    """Return for each pixel the threshold, of a few, that gives its spot the steepest outline."""
    across, down = (cv2.Sobel(density, cv2.CV_16S, dx, 1 - dx) for dx in (1, 0))
    slope = cv2.magnitude(across.astype(np.float32), down.astype(np.float32))
    low = _otsu(density)
    high = _otsu(density[density > low / 2])
    thresholds = {low, (low + high) / 2, high, _otsu(density[density > high])}
    thresholds = sorted({max(each, MIN_DENSITY * LEVELS) for each in thresholds})
    masks = [cv2.threshold(density, each, 1, cv2.THRESH_BINARY)[1] for each in thresholds]
    most = max(MOST_STAINED[0] / 4, MOST_STAINED[1] * density.size)
    some = [k for k, mask in enumerate(masks) if 0 < cv2.countNonZero(mask) <= most]
    if not some:
        return np.full_like(density, thresholds[-1])
    n, spots = cv2.connectedComponents(cv2.dilate(masks[some[0]], SQUARE))
    best, steepest = np.full(n, some[0]), np.full(n, -1.0)
    inside = np.flatnonzero(masks[some[0]])  # the other masks are parts of this one
    of_spots, slopes = spots.ravel()[inside], slope.ravel()[inside]
    whole = np.bincount(of_spots, minlength=n)
    for k in some:
        outline = (masks[k] - cv2.erode(masks[k], SQUARE)).ravel()[inside]
        area = np.bincount(of_spots, masks[k].ravel()[inside], n)
        length = np.bincount(of_spots, outline, n)
        steep = np.bincount(of_spots, slopes * outline, n) / np.maximum(length, 1)
        better = (steep > steepest) & (area >= MIN_LEFT * whole)
        best[better], steepest[better] = k, steep[better]
    return np.uint8(thresholds)[best][spots]


def _otsu(levels: np.ndarray) -> float:
    return cv2.threshold(levels, 0, 1, cv2.THRESH_OTSU)[0] if levels.size else 0.0


def find_nuclei(stained: np.ndarray, sizes: CellSizes) -> list[tuple[tuple[int, int], np.ndarray]]:
    """Join lobes into nuclei; return corner and mask of each that is large enough."""
    height, width = stained.shape
    # Half the size shows what lies close together. The margin keeps nuclei off the border.
    margin = sizes.lobe_gap // 2
    half = cv2.copyMakeBorder(halved(stained), *[margin] * 4, cv2.BORDER_CONSTANT)
    joined = shrunk(widened(half, sizes.lobe_gap / 4), sizes.lobe_gap / 4)[margin:-margin, margin:-margin]
    _, labels, stats, _ = cv2.connectedComponentsWithStats(np.ascontiguousarray(joined))
    factors = np.tile([width / joined.shape[1], height / joined.shape[0]], 2)
    labels = cv2.resize(labels, (width, height), interpolation=cv2.INTER_NEAREST)
    nuclei, fragments = [], []
    for k, (x, y, w, h, _) in enumerate(stats[1:], start=1):
        left, top, right, bottom = (factors * (x, y, x + w + 1, y + h + 1)).astype(int)
        part = np.s_[top:bottom, left:right]
        mask = (labels[part] == k).view(np.uint8) * stained[part]
        x, y, w, h = cv2.boundingRect(mask)
        mask = mask[y : y + h, x : x + w]
        x, y = int(x + left), int(y + top)
        cut = is_cut((x, y, w, h), stained.shape, BORDER)
        area = cv2.countNonZero(mask)
        found = nuclei if area >= (sizes.cut_nucleus if cut else sizes.nucleus) else fragments
        if area >= sizes.fragment:
            found.append(((x, y), mask))
    return nuclei or fragments
