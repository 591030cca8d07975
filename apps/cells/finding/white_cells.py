"""Find the white cells of a stained smear: box, contour, nucleus and centre of each.

Nuclei are purple: they absorb green light and let blue pass. Otsu's threshold on blue minus green finds
them. Lobes that lie close together are one nucleus. A cell grows from its nucleus into the cytoplasm, where
colours are rare in the rest of the image and the outline stays smooth. Touching cells are split at a waist of
the outline. Cytoplasm between two nuclei belongs to the nearer one.

Lengths are in pixels at the working scale, where a white cell is 50 to 110 pixels wide. Areas are in pixels.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np

from . import _pixels, masks
from .bluish import cytoplasm_beside
from .field import COLOUR_PLANES, Field
from .nuclei import BORDER, TRIES, CellSizes, find_nuclei, nuclear_stain

CLOSE_UP = 0.15  # share of the image; a nucleus that covers more is always accepted

# The growing of cells.
REACH = 40  # largest distance from the hull of the nucleus
NEAR_PIXELS = 22  # pixels closer to a nucleus are mostly cell
FAR = 45  # pixels farther from all nuclei are never cell
SMOOTH = 8  # radius of the disc that fits everywhere into a cell
RARITY = 0.1  # weight of the logarithm of how much rarer a colour is elsewhere
UNSEEN = 2e-4  # share that is added for each colour, so that none has the share 0
SMOOTHING = 1.4  # standard deviation of the blur of likeness
MIN_LIKENESS = 0.1
DISTANCE = 0.006  # likeness that a pixel loses for each pixel of distance from the hull
PLASMA = 0.03  # mean density of the channels; less is plasma, also beside a nucleus
ELSEWHERE_STEP = 3  # every third pixel in each direction shows the colours elsewhere

# The splitting of cells. A waist is a width over that of the narrower cell; touching cells have a lower one.
# Both parts must be round and convex.
WAIST = 0.8
LARGE_BODY, LARGE_WAIST = 8000, 0.9  # bodies of this area, larger than most cells, may have a wider waist
WAIST_STEP = 1.06  # factor between the depths that are tried
MAX_SOLIDITY = 0.98  # area over that of the hull; a body above it is not split
MAX_ROUND = 1.8  # area over that of the largest disc inside
MIN_CONVEX = 0.93  # area over that of the hull

# The nucleus of a finished cell, cut out again.
MIN_LOBE = 60  # area
MIN_TIGHT_NUCLEUS = 200  # area; if less is left, the first nucleus is kept
NUCLEUS_PLANE = np.float32([[0, 0.5, 0.5]])  # weights of blue, green and red
NUCLEUS_BLUR = 3  # width of the Gaussian kernel
NUCLEUS_OPENING = 5  # width of the disc that removes smaller spots

MARGIN = 2.5  # between a cell and its box
# Longest side of an image that was cut out round one cell: a little over 3 cells. By the scale that is read,
# such images of two laboratories are 1.5 and 2.6 to 3.0 cells wide; whole fields are 4 or more.
MOST_CUT_OUT = 250

# Weights of the densities of blue, green and red that separate cytoplasm from red cells and plasma. A linear
# classifier found them on pixels inside and outside annotated boxes; they are rounded. Their sum is 0, so
# shadows have no effect.
CYTOPLASM = (-3.2, 1.0, 2.2)
LIKENESS_PLANES = np.vstack([COLOUR_PLANES, np.float32(CYTOPLASM)])
COLOUR_AXES = ((-0.4, 1.0, 14), (-0.4, 0.8, 14), (-0.1, 1.1, 8))  # low, high and bins of the histograms


@dataclass(frozen=True, eq=False)
class WhiteCell:
    """A white cell in an image.

    Attributes
    ----------
    box : tuple of int
        x, y, width and height, with a margin of 2 or 3 pixels.
    center : tuple of int
        x and y of the middle of the nucleus.
    area : int
        Pixels of the cell.
    contour : ndarray of shape (n, 2) and dtype int32
        x and y along its border.
    corner : tuple of int
        x and y of the upper left pixel of the masks.
    nucleus, body : ndarray of shape (height, width) and dtype uint8
        1 for the pixels of the nucleus, and of the whole cell.
    """

    box: tuple[int, int, int, int]
    center: tuple[int, int]
    area: int
    contour: np.ndarray
    corner: tuple[int, int]
    nucleus: np.ndarray
    body: np.ndarray


def find_white_cells(field: Field) -> list[WhiteCell]:
    """Find the white cells of an image.

    Parameters
    ----------
    field : Field

    Returns
    -------
    list of WhiteCell
        First the one that a label of the image belongs to: the one nearest the middle if the image was cut
        out round a cell, else the largest. Then the others, largest first. Empty if there is no white cell.
    """
    stained = nuclear_stain(field) if field.stained is None else field.stained
    if (stained | field.frame).all():  # no nucleus stands out
        return []
    found = next(filter(None, (_cells_of(field, stained, sizes) for sizes in TRIES)), [])
    height, width = field.frame.shape
    if max(height, width) > MOST_CUT_OUT:
        return found
    middle = (width / 2, height / 2)
    central = min(found, key=lambda cell: math.dist(cell.center, middle), default=None)
    return sorted(found, key=lambda cell: cell is not central)


def _cells_of(field: Field, stained: np.ndarray, sizes: CellSizes) -> list[WhiteCell]:
    """Grow a cell around each nucleus; return those that are large enough, the largest first."""
    nuclei = find_nuclei(stained, sizes)
    if not nuclei:
        return []
    around = _Surroundings(field, nuclei)
    grown = around.grown() | around.hulls if sizes.between_lobes else around.grown()
    cells = [
        _white_cell(field, corner, nucleus, body)
        for corner, *pair in around.shared_out(grown)
        for nucleus, body in _split_at_waist(*pair, sizes)
    ]
    return sorted((cell for cell in cells if _is_white(cell, field, sizes)), key=lambda cell: -cell.area)


class _Surroundings:
    """The part of an image with the nuclei and everything that may belong to their cells."""

    def __init__(self, field: Field, nuclei: list[tuple[tuple[int, int], np.ndarray]]) -> None:
        self.field = field
        height, width = field.frame.shape
        pad = REACH + SMOOTH
        # Even, so that half the size of the part is half the size of the image.
        left = max(0, min(x for (x, _), _ in nuclei) - pad) & ~1
        top = max(0, min(y for (_, y), _ in nuclei) - pad) & ~1
        right = min(width, max(x + mask.shape[1] for (x, _), mask in nuclei) + pad + 1 & ~1)
        bottom = min(height, max(y + mask.shape[0] for (_, y), mask in nuclei) + pad + 1 & ~1)
        self.corner = left, top
        self.part = np.s_[top:bottom, left:right]
        self.nuclei = np.zeros((bottom - top, right - left), np.int32)  # numbered from 1
        for k, ((x, y), mask) in enumerate(nuclei, start=1):
            x, y, (h, w) = x - left, y - top, mask.shape
            self.nuclei[y : y + h, x : x + w] += mask * np.int32(k)
        self.stained = (self.nuclei > 0).view(np.uint8)
        self.hulls = np.zeros_like(self.stained)
        for (x, y), mask in nuclei:
            cv2.fillConvexPoly(self.hulls, masks.hull(mask) + np.int32([x - left, y - top]), 1)

    def likeness(self) -> np.ndarray:
        """Return how much each pixel looks like part of a white cell; above 0 it counts as one."""
        # Colours change slowly, so half the size loses nothing and has less noise.
        image = masks.halved(self.field.image[self.part])
        free = 1 - masks.halved(self.field.frame[self.part])
        stained = masks.halved(self.stained)
        outside = 2 * masks.distance_to(masks.halved(self.hulls))
        mixes = LIKENESS_PLANES
        if self.field.red is not None:
            mixes = np.vstack([COLOUR_PLANES, cytoplasm_beside(self.field.red)]).astype(np.float32)
        planes = self.field.densities(image, mixes)
        colours, cytoplasm = planes[..., :3], planes[..., 3]
        beside = (outside <= NEAR_PIXELS).view(np.uint8) * (1 - stained) * free
        rarity = RARITY * np.log(self._share(colours, beside) / self._share(*self._elsewhere()))
        likeness = _pixels.add_looked_up(cytoplasm, colours, rarity.astype(np.float32), COLOUR_AXES)
        likeness = cv2.scaleAdd(outside, -DISTANCE, cv2.GaussianBlur(likeness, (0, 0), SMOOTHING / 2))
        likeness[(outside > REACH) | (free == 0)] = 0
        return cv2.resize(likeness, self.stained.shape[::-1], interpolation=cv2.INTER_LINEAR) - MIN_LIKENESS

    def _elsewhere(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the colours of every third pixel each way, and the mask of those in no white cell."""
        some = np.s_[::ELSEWHERE_STEP, ::ELSEWHERE_STEP]
        stained = np.zeros_like(self.field.frame)
        stained[self.part] = self.stained
        far = masks.distance_to(np.ascontiguousarray(stained[some])) > FAR / ELSEWHERE_STEP
        colours = self.field.densities(self.field.image[some], COLOUR_PLANES)
        other = far | (colours[..., 2] < PLASMA)
        return colours, other.view(np.uint8) * (1 - self.field.frame[some])

    @staticmethod
    def _share(colours: np.ndarray, mask: np.ndarray) -> np.ndarray:
        """Return the share of each colour in the pixels of a mask, never 0."""
        counts = _pixels.joint_histograms(colours, mask, 1, COLOUR_AXES)[0]
        return counts / max(np.count_nonzero(mask), 1) + UNSEEN

    def grown(self) -> np.ndarray:
        """Return the mask of the cells: smooth, and connected to a nucleus."""
        mask = (self.likeness() > 0).view(np.uint8) * (1 - self.field.frame[self.part])
        mask |= self.stained
        # A cell at the border continues beyond it.
        padded = cv2.copyMakeBorder(mask, *[2 * SMOOTH] * 4, cv2.BORDER_REPLICATE)
        inner = np.s_[2 * SMOOTH : -2 * SMOOTH, 2 * SMOOTH : -2 * SMOOTH]
        mask = np.ascontiguousarray(masks.widened(masks.shrunk(padded, SMOOTH), SMOOTH)[inner]) | self.stained
        return masks.filled(masks.touching(mask, self.stained))

    def shared_out(self, grown: np.ndarray) -> Iterator[tuple[tuple[int, int], np.ndarray, np.ndarray]]:
        """Yield for each cell a corner, the mask of its nucleus, and the mask of the cell.

        Nuclei in one round body are lobes of one nucleus. Otherwise each gets the grown pixels nearest to it.
        """
        # Lobes of one nucleus may lie in bodies that do not touch.
        n, bodies, stats, _ = cv2.connectedComponentsWithStats(grown | self.hulls)
        for k in range(1, n):
            x, y, w, h, _ = stats[k].tolist()
            part = np.s_[y : y + h, x : x + w]
            corner = x + self.corner[0], y + self.corner[1]
            body, nuclei = (np.where(bodies[part] == k, mask[part], 0) for mask in (grown, self.nuclei))
            numbers = np.unique(nuclei[nuclei > 0])
            nucleus = (nuclei > 0).view(np.uint8)
            if len(numbers) == 1 or _is_round(body, masks.depth(body)):
                yield corner, nucleus, body
                continue
            lobes = masks.nearest_part(nucleus)
            nearest = np.zeros(lobes.max() + 1, np.int32)
            nearest[lobes[nucleus > 0]] = nuclei[nucleus > 0]
            nearest = nearest[lobes] * body
            for number in numbers:
                own, mask = ((each == number).view(np.uint8) for each in (nuclei, nearest))
                yield corner, own, masks.touching(mask, own)


def _split_at_waist(
    nucleus: np.ndarray, body: np.ndarray, sizes: CellSizes
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Split touching cells where the body has a waist with a nucleus on either side."""
    min_nucleus, min_radius = sizes.whole_cell
    area = cv2.countNonZero(body)
    if area > MAX_SOLIDITY * cv2.contourArea(masks.hull(body)):
        return [(nucleus, body)]
    deep = cv2.distanceTransform(body, cv2.DIST_L2, cv2.DIST_MASK_5)
    cores = _waist_cores(deep, min_radius, LARGE_WAIST if area >= LARGE_BODY else WAIST)
    if cores is None:
        return [(nucleus, body)]
    nearest = masks.nearest_part(cores)
    bodies = [body * (nearest == k).view(np.uint8) for k in range(1, nearest.max() + 1)]
    parts = [(nucleus * mask, mask) for mask in bodies]
    if all(_is_round(mask, deep) and cv2.countNonZero(own) >= min_nucleus for own, mask in parts):
        return [cell for part in parts for cell in _split_at_waist(*part, sizes)]
    return [(nucleus, body)]


def _waist_cores(deep: np.ndarray, min_radius: float, waist: float) -> np.ndarray | None:
    """Mark the middles of the parts on both sides of a waist; `deep` is the distance to the outline."""
    level, most = waist * min_radius, waist * deep.max()
    while level < most:
        n, labels = cv2.connectedComponents((deep > level).view(np.uint8))
        if n > 2:
            wide = np.array([deep[labels == k].max() * waist >= level for k in range(n)])
            wide[0] = False
            if np.count_nonzero(wide) > 1:
                return wide[labels].view(np.uint8)
        level *= WAIST_STEP
    return None


def _is_round(part: np.ndarray, deep: np.ndarray) -> bool:
    """Return whether the largest disc inside a part covers most of it, and the part is convex."""
    area = cv2.countNonZero(part)
    disc = np.pi * deep[part > 0].max() ** 2
    return area < MAX_ROUND * disc and area >= MIN_CONVEX * cv2.contourArea(masks.hull(part))


def _white_cell(field: Field, corner: tuple[int, int], nucleus: np.ndarray, body: np.ndarray) -> WhiteCell:
    left, top = corner
    x, y, w, h = cv2.boundingRect(body)
    part = np.s_[y : y + h, x : x + w]
    body = np.ascontiguousarray(body[part])
    x, y = x + left, y + top
    nucleus = _tight_nucleus(field, np.s_[y : y + h, x : x + w], body, nucleus[part])
    height, width = field.frame.shape
    box_left, box_top = max(0, int(x - MARGIN)), max(0, int(y - MARGIN))
    box_right, box_bottom = min(width, round(x + w + MARGIN)), min(height, round(y + h + MARGIN))
    middle = cv2.moments(nucleus, binaryImage=True)
    return WhiteCell(
        box=(box_left, box_top, box_right - box_left, box_bottom - box_top),
        center=(x + int(middle["m10"] / middle["m00"]), y + int(middle["m01"] / middle["m00"])),
        area=cv2.countNonZero(body),
        contour=masks.outline(body, (x, y)),
        corner=(x, y),
        nucleus=nucleus,
        body=body,
    )


def _is_white(cell: WhiteCell, field: Field, sizes: CellSizes) -> bool:
    """Return whether a cell is large enough to be white."""
    box = (*cell.corner, *cell.body.shape[::-1])
    cut = masks.is_cut(box, field.frame.shape, BORDER)
    min_nucleus, min_radius = sizes.cut_cell if cut else sizes.whole_cell
    nucleus = cv2.countNonZero(cell.nucleus)
    if nucleus >= CLOSE_UP * field.frame.size:
        return True
    return nucleus >= min_nucleus and masks.depth(cell.body).max() >= min_radius


def _tight_nucleus(field: Field, part, body: np.ndarray, nucleus: np.ndarray) -> np.ndarray:
    """Cut the nucleus out of the cell again, by green and red: this separates lobes and drops cytoplasm.

    Blue cytoplasm absorbs red, pink cytoplasm absorbs green, but few absorb both.
    """
    pixels = cv2.transform(field.image[part], NUCLEUS_PLANE)
    pixels = cv2.GaussianBlur(pixels, (NUCLEUS_BLUR, NUCLEUS_BLUR), 0)
    inside = body * (1 - field.frame[part])
    threshold, _ = cv2.threshold(pixels[inside > 0], 0, 1, cv2.THRESH_OTSU)
    dark = masks.opened((pixels <= threshold).view(np.uint8) * inside, NUCLEUS_OPENING)
    _, labels, stats, _ = cv2.connectedComponentsWithStats(dark)
    lobes = (stats[:, cv2.CC_STAT_AREA] >= MIN_LOBE).astype(np.uint8)
    lobes[0] = 0
    tight = lobes[labels]
    return tight if cv2.countNonZero(tight) >= MIN_TIGHT_NUCLEUS else np.ascontiguousarray(nucleus)
