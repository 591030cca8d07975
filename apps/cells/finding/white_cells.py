"""Find the white cells of a stained smear: box, contour, nucleus and centre of each.

Nuclei are purple: blue stays where green is absorbed. Blue minus green, cut by Otsu's threshold, shows
them and little else; lobes that lie close together are one nucleus. From its nucleus a cell grows into the
cytoplasm, as far as colours are rare elsewhere in the image and the outline stays smooth. Cells that touch
are parted where the outline has a waist, and what grew between two nuclei goes to the nearer one.

Lengths are in pixels at the working scale, at which a white cell is 50 to 110 pixels wide.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import cv2
import numpy as np

from . import _pixels
from .masks import black_frame, depth, distance_to, filled, halved, hull, shrunk, touching, widened

MIN_PURPLE = 40  # blue minus green of a nucleus, at least
MIN_NUCLEUS = 600  # pixels; platelets have up to 150
MIN_NUCLEUS_AT_BORDER = 1000  # less, cut by the border, is a fragment that nobody counts ...
MIN_FRAGMENT = 300  # ... unless there is nothing else
# Of a finished cell, the pixels of its nucleus and the radius of the largest disc in it, at least;
# platelets, their clumps, stain and what red cells hold have less.
WHOLE_CELL = 800, 14
CUT_CELL = 400, 9  # by the border
CLOSE_UP = 0.15  # share of the image: a nucleus that fills so much of it needs neither
MIN_LOBE = 60
LOBE_GAP = 15  # between lobes of one nucleus, at most
REACH = 40  # of a cell beyond the hull of its nucleus
NEAR, FAR = 22, 45  # pixels nearer to a nucleus are mostly cell, farther ones never
SMOOTH = 8  # radius of the disc that fits everywhere into a cell
WAIST = 0.8  # of the smaller radius: two cells are narrower than that where they touch, ...
LARGE_BODY, LARGE_WAIST = 8000, 0.9  # ... or than that if together they are larger than most cells, ...
WAIST_STEP = 1.06  # between the depths that waists are looked for at
MAX_SOLIDITY = 0.98  # ... and do not fill their common hull ...
MAX_ROUND = 1.8  # ... and each is round: not larger than this many of the discs that fit into it
MIN_CONVEX = 0.93  # ... and fills so much of its hull
MARGIN = 2.5  # from a cell to its box

# What tells cytoplasm from red cells and plasma, of the densities of blue, green and red: the direction
# that a linear classifier found between pixels inside and outside annotated boxes, rounded. Its sum is 0,
# so a shadow changes nothing.
CYTOPLASM = (-3.2, 1.0, 2.2)
RARITY = 0.1  # weight of the log of how much rarer a colour is elsewhere
SMOOTHING = 1.4  # standard deviation, pixels
MIN_LIKENESS = 0.1
DISTANCE = 0.006  # likeness that a pixel must have more for each pixel it is farther out

# Colours are compared as densities: green over red is pink, green over blue purple, their mean dark.
CHANNELS = np.eye(3, dtype=np.float32)
COLOUR_PLANES = np.array([[0, 1, -1], [-1, 1, 0], [1 / 3, 1 / 3, 1 / 3]], np.float32)
LIKENESS_PLANES = np.vstack([COLOUR_PLANES, np.float32(CYTOPLASM)])
COLOUR_AXES = ((-0.4, 1.0, 14), (-0.4, 0.8, 14), (-0.1, 1.1, 8))


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


class Field:
    """An image, and what finding cells in it and describing them have in common.

    Parameters
    ----------
    image : ndarray of shape (height, width, 3) and dtype uint8
        Blue, green, red, at the working scale.
    frame : ndarray of shape (height, width) and dtype uint8, optional
        As below, where it is known.

    Attributes
    ----------
    frame : ndarray of shape (height, width) and dtype uint8
        1 for the black pixels that a rotation left.
    background : ndarray of shape (3,) and dtype float32
        The colour where no light is absorbed.
    """

    def __init__(self, image: np.ndarray, frame: np.ndarray | None = None) -> None:
        self.image = image
        self.frame = black_frame(image) if frame is None else frame
        self.background = _background(image[::8, ::8], self.frame[::8, ::8])
        levels = np.log(np.arange(1, 257, dtype=np.float32))
        self._table = np.log(self.background + 1)[:, None] - levels

    def densities(self, pixels: np.ndarray, mixes: np.ndarray = CHANNELS) -> np.ndarray:
        """Return how much light pixels absorb in each channel, or in mixes of channels.

        Parameters
        ----------
        pixels : ndarray of shape (height, width, 3) and dtype uint8
        mixes : ndarray of shape (k, 3) and dtype float32
            Weights of blue, green and red in each plane; by default the three themselves.

        Returns
        -------
        ndarray of shape (height, width, k) and dtype float32
            Natural logarithms, 0 for the background.
        """
        return _pixels.densities(pixels, self._table, mixes)


def find_white_cells(field: Field, show: Callable[[str, np.ndarray], None] | None = None) -> list[WhiteCell]:
    """Find every white cell, the largest first.

    Parameters
    ----------
    field : Field
    show : callable, optional
        Called with a title and a picture of each step.

    Returns
    -------
    list of WhiteCell
        Empty when there is no white cell.
    """
    show = show or (lambda title, picture: None)
    purple = _purple(field)
    show("blue minus green", _stretched(purple))
    stained = _stained(purple)
    show("Otsu's threshold, opened", stained * 255)
    # Where all is stained there is nothing that a nucleus stands out from.
    nuclei = _nuclei(stained) if not (stained | field.frame).all() else []
    if not nuclei:
        return []
    around = _Surroundings(field, nuclei)
    likeness = around.likeness()
    # Below 0 all is equally unlike, as it is where nothing was computed.
    show("likeness to a cell", around.in_image(_stretched(np.maximum(likeness, 0))))
    grown = around.grown(likeness)
    show("grown and smoothed", around.in_image(grown * 255))
    cells = [
        _cell(field, corner, nucleus, body)
        for corner, *masks in around.shared_out(grown)
        for nucleus, body in _parted(*masks)
    ]
    return sorted((cell for cell in cells if _is_white(cell, field)), key=lambda cell: -cell.area)


# Light and stain


def _background(sample: np.ndarray, frame: np.ndarray) -> np.ndarray:
    """Return the colour of the brighter pixels: plasma, through which light passes."""
    pixels = sample[frame == 0]
    if not len(pixels):
        return np.full(3, 255, np.float32)
    green = pixels[:, 1]
    rank = int(0.7 * (len(green) - 1))
    return np.median(pixels[green >= np.partition(green, rank)[rank]], axis=0).astype(np.float32)


def _purple(field: Field) -> np.ndarray:
    purple = cv2.subtract(cv2.extractChannel(field.image, 0), cv2.extractChannel(field.image, 1))
    purple = cv2.GaussianBlur(purple, (5, 5), 0)
    purple[field.frame > 0] = 0
    return purple


def _stained(purple: np.ndarray) -> np.ndarray:
    # At half the size the threshold is the same, and a quarter of the work.
    threshold, _ = cv2.threshold(halved(purple), 0, 1, cv2.THRESH_OTSU)
    stained = cv2.threshold(purple, max(threshold, MIN_PURPLE), 1, cv2.THRESH_BINARY)[1]
    return cv2.morphologyEx(stained, cv2.MORPH_OPEN, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (7, 7)))


# Nuclei


def _nuclei(stained: np.ndarray) -> list[tuple[tuple[int, int], np.ndarray]]:
    """Join lobes into nuclei; return corner and mask of each that is large enough."""
    height, width = stained.shape
    # Half the size will do to see what lies close together. The margin keeps nuclei off the border.
    margin = LOBE_GAP // 2
    half = cv2.copyMakeBorder(halved(stained), *[margin] * 4, cv2.BORDER_CONSTANT)
    joined = shrunk(widened(half, LOBE_GAP / 4), LOBE_GAP / 4)[margin:-margin, margin:-margin]
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
        cut = x <= 1 or y <= 1 or x + w >= width - 1 or y + h >= height - 1
        area = cv2.countNonZero(mask)
        found = nuclei if area >= (MIN_NUCLEUS_AT_BORDER if cut else MIN_NUCLEUS) else fragments
        if area >= MIN_FRAGMENT:
            found.append(((x, y), mask))
    return nuclei or fragments


# Cells


class _Surroundings:
    """The part of an image that the nuclei and all that may belong to them lie in."""

    def __init__(self, field: Field, nuclei: list[tuple[tuple[int, int], np.ndarray]]) -> None:
        self.field = field
        height, width = field.frame.shape
        pad = REACH + SMOOTH
        left = max(0, min(x for (x, _), _ in nuclei) - pad)
        top = max(0, min(y for (_, y), _ in nuclei) - pad)
        right = min(width, max(x + mask.shape[1] for (x, _), mask in nuclei) + pad)
        bottom = min(height, max(y + mask.shape[0] for (_, y), mask in nuclei) + pad)
        self.corner = left, top
        self.part = np.s_[top:bottom, left:right]
        self.nuclei = np.zeros((bottom - top, right - left), np.int32)  # numbered from 1
        self.corners = []  # of the part that each nucleus and what may belong to it lie in
        self.parts = []
        for k, ((x, y), mask) in enumerate(nuclei, start=1):
            x, y, (h, w) = x - left, y - top, mask.shape
            self.nuclei[y : y + h, x : x + w] += mask * np.int32(k)
            self.corners.append((max(0, x - pad), max(0, y - pad)))
            self.parts.append(np.s_[max(0, y - pad) : y + h + pad, max(0, x - pad) : x + w + pad])
        self.stained = (self.nuclei > 0).view(np.uint8)
        self.hulls = np.zeros_like(self.stained)
        for (x, y), mask in nuclei:
            cv2.fillConvexPoly(self.hulls, hull(mask) + np.int32([x - left, y - top]), 1)

    def likeness(self) -> np.ndarray:
        """Return how much each pixel looks like part of a white cell, above 0 where it counts as one."""
        # Colours change slowly: half the size has a quarter of the pixels and less noise.
        image = halved(self.field.image[self.part])
        free = 1 - halved(self.field.frame[self.part])
        stained = halved(self.stained)
        outside = 2 * distance_to(halved(self.hulls))
        planes = self.field.densities(image, LIKENESS_PLANES)
        colours, cytoplasm = planes[..., :3], planes[..., 3]
        beside = (outside <= NEAR).view(np.uint8) * (1 - stained) * free
        rarity = RARITY * np.log(self._share(colours, beside) / self._share(*self._elsewhere()))
        likeness = _pixels.add_looked_up(cytoplasm, colours, rarity.astype(np.float32), COLOUR_AXES)
        likeness = cv2.scaleAdd(outside, -DISTANCE, cv2.GaussianBlur(likeness, (0, 0), SMOOTHING / 2))
        likeness[(outside > REACH) | (free == 0)] = 0
        return cv2.resize(likeness, self.stained.shape[::-1], interpolation=cv2.INTER_LINEAR) - MIN_LIKENESS

    def _elsewhere(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the colours of a ninth of the image's pixels, and the mask of those far from nuclei."""
        some = np.s_[::3, ::3]
        stained = np.zeros_like(self.field.frame)
        stained[self.part] = self.stained
        far = distance_to(np.ascontiguousarray(stained[some])) > FAR / 3
        colours = self.field.densities(self.field.image[some], COLOUR_PLANES)
        return colours, far.view(np.uint8) * (1 - self.field.frame[some])

    @staticmethod
    def _share(colours: np.ndarray, mask: np.ndarray) -> np.ndarray:
        """Return the share that each colour has of the pixels, and a little more for those never seen."""
        counts = _pixels.joint_histograms(colours, mask, 1, COLOUR_AXES)[0]
        return counts / max(np.count_nonzero(mask), 1) + 2e-4

    def grown(self, likeness: np.ndarray) -> np.ndarray:
        """Return the mask of the cells, smoothed and without what does not hang on a nucleus."""
        mask = (likeness > 0).view(np.uint8) * (1 - self.field.frame[self.part])
        mask |= self.stained
        # A cell that the border cuts goes on beyond it.
        padded = cv2.copyMakeBorder(mask, *[2 * SMOOTH] * 4, cv2.BORDER_REPLICATE)
        inner = np.s_[2 * SMOOTH : -2 * SMOOTH, 2 * SMOOTH : -2 * SMOOTH]
        mask = np.ascontiguousarray(widened(shrunk(padded, SMOOTH), SMOOTH)[inner]) | self.stained
        return filled(touching(mask, self.stained))

    def shared_out(self, grown: np.ndarray) -> Iterator[tuple[tuple[int, int], np.ndarray, np.ndarray]]:
        """Yield a corner and the masks of each nucleus and of what has grown nearer to it than to others."""
        if len(self.parts) == 1:
            yield self.corner, self.stained, grown
            return
        _, lobes = cv2.distanceTransformWithLabels(
            1 - self.stained, cv2.DIST_L2, cv2.DIST_MASK_5, labelType=cv2.DIST_LABEL_CCOMP
        )
        nearest = np.zeros(lobes.max() + 1, np.int32)
        nearest[lobes[self.stained > 0]] = self.nuclei[self.stained > 0]
        nearest = nearest[lobes] * grown
        for k, ((x, y), part) in enumerate(zip(self.corners, self.parts, strict=True), start=1):
            nucleus, own = ((numbers[part] == k).view(np.uint8) for numbers in (self.nuclei, nearest))
            yield (x + self.corner[0], y + self.corner[1]), nucleus, touching(own, nucleus)

    def in_image(self, part: np.ndarray) -> np.ndarray:
        """Return a picture of this part in its place in the image."""
        whole = np.zeros(self.field.frame.shape, np.uint8)
        whole[self.part] = part
        return whole


def _parted(nucleus: np.ndarray, body: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Part cells that touch, where the body has a waist and there is a nucleus on either side."""
    min_nucleus, min_radius = WHOLE_CELL
    area = cv2.countNonZero(body)
    if area > MAX_SOLIDITY * cv2.contourArea(hull(body)):
        return [(nucleus, body)]
    deep = cv2.distanceTransform(body, cv2.DIST_L2, cv2.DIST_MASK_5)
    cores = _cores(deep, min_radius, LARGE_WAIST if area >= LARGE_BODY else WAIST)
    if cores is None:
        return [(nucleus, body)]
    _, nearest = cv2.distanceTransformWithLabels(
        1 - cores, cv2.DIST_L2, cv2.DIST_MASK_5, labelType=cv2.DIST_LABEL_CCOMP
    )
    masks = [body * (nearest == k).view(np.uint8) for k in range(1, nearest.max() + 1)]
    parts = [(nucleus * mask, mask) for mask in masks]
    if all(_round(mask, deep) and cv2.countNonZero(own) >= min_nucleus for own, mask in parts):
        return [cell for part in parts for cell in _parted(*part)]
    return [(nucleus, body)]


def _cores(deep: np.ndarray, min_radius: float, waist: float) -> np.ndarray | None:
    """Mark the middles of parts with a waist between them, from the distances to the outline, if any."""
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


def _round(part: np.ndarray, deep: np.ndarray) -> bool:
    """Return whether a disc that fits into a part covers most of it, and the part is convex."""
    area = cv2.countNonZero(part)
    disc = np.pi * deep[part > 0].max() ** 2
    return area < MAX_ROUND * disc and area >= MIN_CONVEX * cv2.contourArea(hull(part))


def _cell(field: Field, corner: tuple[int, int], nucleus: np.ndarray, body: np.ndarray) -> WhiteCell:
    left, top = corner
    x, y, w, h = cv2.boundingRect(body)
    part = np.s_[y : y + h, x : x + w]
    body = np.ascontiguousarray(body[part])
    x, y = x + left, y + top
    nucleus = _tight(field, np.s_[y : y + h, x : x + w], body, nucleus[part])
    height, width = field.frame.shape
    box_left, box_top = max(0, int(x - MARGIN)), max(0, int(y - MARGIN))
    box_right, box_bottom = min(width, round(x + w + MARGIN)), min(height, round(y + h + MARGIN))
    contours, _ = cv2.findContours(body, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE, offset=(x, y))
    middle = cv2.moments(nucleus, binaryImage=True)
    return WhiteCell(
        box=(box_left, box_top, box_right - box_left, box_bottom - box_top),
        center=(x + int(middle["m10"] / middle["m00"]), y + int(middle["m01"] / middle["m00"])),
        area=cv2.countNonZero(body),
        contour=max(contours, key=len).reshape(-1, 2),
        corner=(x, y),
        nucleus=nucleus,
        body=body,
    )


def _is_white(cell: WhiteCell, field: Field) -> bool:
    """Return whether a cell is large enough; platelets, their clumps and drops of stain are not."""
    height, width = field.frame.shape
    (x, y), (h, w) = cell.corner, cell.body.shape
    cut = x <= 1 or y <= 1 or x + w >= width - 1 or y + h >= height - 1
    min_nucleus, min_radius = CUT_CELL if cut else WHOLE_CELL
    nucleus = cv2.countNonZero(cell.nucleus)
    if nucleus >= CLOSE_UP * width * height:
        return True
    return nucleus >= min_nucleus and depth(cell.body).max() >= min_radius


def _tight(field: Field, part, body: np.ndarray, nucleus: np.ndarray) -> np.ndarray:
    """Cut the nucleus out of the cell anew, by green and red: lobes come apart, cytoplasm is left out.

    Cytoplasm may be blue, where red is absorbed, or pink, where green is, but seldom both.
    """
    pixels = cv2.GaussianBlur(cv2.transform(field.image[part], np.float32([[0, 0.5, 0.5]])), (3, 3), 0)
    inside = body * (1 - field.frame[part])
    threshold, _ = cv2.threshold(pixels[inside > 0], 0, 1, cv2.THRESH_OTSU)
    dark = (pixels <= threshold).view(np.uint8) * inside
    dark = cv2.morphologyEx(dark, cv2.MORPH_OPEN, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (5, 5)))
    _, labels, stats, _ = cv2.connectedComponentsWithStats(dark)
    lobes = (stats[:, cv2.CC_STAT_AREA] >= MIN_LOBE).astype(np.uint8)
    lobes[0] = 0
    tight = lobes[labels]
    return tight if cv2.countNonZero(tight) >= MIN_NUCLEUS / 3 else np.ascontiguousarray(nucleus)


def _stretched(plane: np.ndarray) -> np.ndarray:
    return cv2.normalize(plane, None, 0, 255, cv2.NORM_MINMAX, cv2.CV_8U)
