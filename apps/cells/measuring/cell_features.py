"""The features of a white cell, which a classifier learns from: pairs of a name and a value.

They are measured at the working scale and in optical density, in an image that was given the usual stain.
A turned or mirrored cell has the same features.

===================  ====================================================================================
group                what
===================  ====================================================================================
``nucleus_*``        size and shape of the nucleus: area, solidity, convexity, thickness, lobes, Hu moments
``cell_*``           size and shape of the cell, and the share of the nucleus in it
``colour_*``         joint histograms of two colour planes in four regions: core and rim of the nucleus,
                     cytoplasm near it and far from it
``edge_*``           histograms of the gradient in the four regions
``grain_*``          granularity: what openings and closings by discs of three sizes take away
``ratio_*``          colours, their spread and granularity over the density of the cell's own nucleus: these
                     hardly change with the stain
===================  ====================================================================================

Histograms are shares of the region's pixels, under a square root: the dot product of two is then the
Bhattacharyya coefficient, which suits a linear classifier.

To add a feature, yield one more pair. Then train the models again: a model file names its features.
"""

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import product

import cv2
import numpy as np

from ...common.errors import is_shortage
from ..finding import _pixels
from ..finding.field import COLOUR_PLANES, Field
from ..finding.masks import count_parts
from ..finding.white_cells import WhiteCell

REGIONS = ("core", "rim", "near", "far")
PARTS = ("nucleus", "cytoplasm")
RIM, NEAR, BLEND = 3, 6, 1.5  # up to the last from the border of the nucleus, pixels are neither
PINK, PURPLE, DARK, BLUE = (-0.6, 0.8, 10), (-0.1, 0.8, 8), (0.0, 1.2, 8), (-0.4, 0.7, 8)
PLANES = np.vstack([COLOUR_PLANES, np.float32([1, 0, -1])])  # pink, purple, dark; blue over red
EDGE_AXES = {"pink": (0.0, 0.25, 8), "dark": (0.0, 0.3, 8)}
GRAINS = (3, 5, 9)  # widths of discs
THICKNESSES = (3, 5, 8, 11)
LOBE_DEPTHS = (0.35, 0.5, 0.65, 0.8)  # of the greatest
N_DEFECTS, N_HU = 3, 4
RATIO_PLANES = ("pink", "purple", "dark")
RATIO_SHARES = (0.1, 0.9)  # quantiles of the darkness of a part
MIN_DENSITY = 0.05  # mean density of a nucleus, so that no ratio is without bound
MARGIN = 12  # pixels around the cell, which filters see


Feature = tuple[str, float]


def features_of(field: Field, cell: WhiteCell) -> Iterator[Feature]:
    """Yield the name and the value of each feature of a cell.

    Parameters
    ----------
    field : Field
        The image.
    cell : WhiteCell
        One that was found in it.
    """
    measured = _Measured(field, cell)
    yield from measured.nucleus_shape()
    yield from measured.cell_shape()
    yield from measured.colours()
    yield from measured.edges()
    grains = list(measured.grains())
    yield from grains
    yield from measured.ratios(grains)


def describe(field: Field, cell: WhiteCell) -> np.ndarray:
    """Return the values of the features of a cell, in the order of `feature_names`, as float32."""
    return np.array([value for _, value in features_of(field, cell)], np.float32)


@cache
def feature_names() -> list[str]:
    """Return the names of the features, in order, as they are for any cell."""
    field = Field(np.full((64, 64, 3), 255, np.uint8))
    disc = cv2.circle(np.zeros((40, 40), np.uint8), (20, 20), 15, 1, cv2.FILLED)
    nucleus = cv2.circle(np.zeros_like(disc), (20, 20), 9, 1, cv2.FILLED)
    (contour,), _ = cv2.findContours(disc, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    area = int(np.count_nonzero(disc))
    cell = WhiteCell((12, 12, 40, 40), (32, 32), area, contour.reshape(-1, 2) + 12, (12, 12), nucleus, disc)
    return [name for name, _ in features_of(field, cell)]


class _Measured:
    """A cell with its surroundings, and what several groups of features are made from."""

    def __init__(self, field: Field, cell: WhiteCell) -> None:
        height, width = field.frame.shape
        (x, y), (h, w) = cell.corner, cell.body.shape
        left, top = max(0, x - MARGIN), max(0, y - MARGIN)
        right, bottom = min(width, x + w + MARGIN), min(height, y + h + MARGIN)
        part = np.s_[top:bottom, left:right]
        around = (y - top, bottom - y - h, x - left, right - x - w)
        self.nucleus, body = (
            cv2.copyMakeBorder(mask, *around, cv2.BORDER_CONSTANT) for mask in (cell.nucleus, cell.body)
        )
        self.cell = cell
        free = 1 - field.frame[part]
        self.area = cv2.countNonZero(self.nucleus)
        self.nucleus_box = cv2.boundingRect(self.nucleus)
        self.depth, self.height = _to_border(self.nucleus), _to_border(1 - self.nucleus)
        self.planes = field.densities(cv2.GaussianBlur(field.image[part], (3, 3), 0), PLANES)
        self.pink_dark = np.ascontiguousarray(self.planes[..., :3:2])
        inside = self.nucleus > 0
        cytoplasm = (body * free > 0) & (self.height > BLEND)
        self.regions = np.select(
            [self.depth > RIM, inside, cytoplasm & (self.height <= NEAR), cytoplasm], [1, 2, 3, 4]
        ).astype(np.uint8)
        self.parts = (self.regions + 1) // 2

    def nucleus_shape(self) -> Iterator[Feature]:
        size = np.sqrt(self.area)
        contours, _ = cv2.findContours(self.nucleus, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
        hull = cv2.convexHull(np.concatenate(contours))
        perimeter = sum(cv2.arcLength(contour, True) for contour in contours)
        sides = sorted(cv2.minAreaRect(hull)[1])
        hu = cv2.HuMoments(cv2.moments(self.nucleus, True)).ravel()[:N_HU]
        deepest = self.depth.max()
        yield "nucleus_area", size
        yield "nucleus_solidity", self.area / max(cv2.contourArea(hull), 1)
        yield "nucleus_perimeter", perimeter / size
        yield "nucleus_convexity", cv2.arcLength(hull, True) / max(perimeter, 1)
        yield "nucleus_thickness_max", deepest / size
        yield "nucleus_thickness_mean", self.depth.sum() / self.area / size
        yield "nucleus_parts", len(contours)
        yield "nucleus_elongation", sides[0] / max(sides[1], 1)
        for number, value in enumerate(np.log(np.abs(hu) + 1e-9), start=1):
            yield f"nucleus_hu_{number}", value
        for number, dent in enumerate(_concavity_depths(max(contours, key=len)) / size, start=1):
            yield f"nucleus_dent_{number}", dent
        for depth in LOBE_DEPTHS:
            yield f"nucleus_lobes_{depth}", self._lobes(depth * deepest)
        for thickness in THICKNESSES:
            yield f"nucleus_thicker_{thickness}", np.count_nonzero(self.depth > thickness) / self.area

    def _lobes(self, depth: float) -> int:
        """Count the parts left of the nucleus when a border of that width is taken off."""
        x, y, w, h = self.nucleus_box
        return count_parts((self.depth[y : y + h, x : x + w] > depth).view(np.uint8), 6)

    def cell_shape(self) -> Iterator[Feature]:
        hull = cv2.convexHull(self.cell.contour)
        hull_area = cv2.contourArea(hull)
        size = np.sqrt(self.cell.area)
        body, nucleus = (cv2.moments(mask, True) for mask in (self.cell.body, self.cell.nucleus))
        offset = [body[m] / body["m00"] - nucleus[m] / nucleus["m00"] for m in ("m10", "m01")]
        yield "cell_area", size
        yield "cell_nucleus_share", self.area / self.cell.area
        yield "cell_solidity", self.cell.area / max(hull_area, 1)
        yield "cell_roundness", 4 * np.pi * hull_area / max(cv2.arcLength(hull, True), 1) ** 2
        yield "cell_eccentricity", np.hypot(*offset) / size

    def colours(self) -> Iterator[Feature]:
        pairs = (("pink", PINK, "purple", PURPLE), ("dark", DARK, "blue", BLUE))
        for k, (one, axis, other, other_axis) in enumerate(pairs):
            counts = self._colour_counts(self.planes[..., 2 * k : 2 * k + 2], (axis, other_axis))
            names = _colour_names(one, axis[2] // 2, other, other_axis[2] // 2)
            yield from zip(names, _rooted(counts.reshape(len(REGIONS), -1)).ravel().tolist(), strict=True)

    def _colour_counts(self, planes: np.ndarray, axes) -> np.ndarray:
        """Count in bins twice as wide as those of the axes, so that only their edges are soft."""
        counts = _pixels.joint_histograms(planes, self.regions, len(REGIONS), axes)
        rows = counts[:, ::2] + counts[:, 1::2]
        return rows[..., ::2] + rows[..., 1::2]

    def edges(self) -> Iterator[Feature]:
        across, down = (cv2.Sobel(self.pink_dark, cv2.CV_32F, dx, 1 - dx, scale=0.25) for dx in (1, 0))
        steps = np.sqrt(across * across + down * down)  # cv2.magnitude rounds now and then in another way
        for k, (plane, axis) in enumerate(EDGE_AXES.items()):
            counts = _pixels.joint_histograms(steps[..., k : k + 1], self.regions, len(REGIONS), (axis,))
            names = _edge_names(plane, axis[2])
            yield from zip(names, _rooted(counts.reshape(len(REGIONS), -1)).ravel().tolist(), strict=True)

    def grains(self) -> Iterator[Feature]:
        # Densities in steps of 1/200, because whole numbers are quick to sort out.
        planes = cv2.convertScaleAbs(np.maximum(self.pink_dark + 0.2, 0), alpha=200)
        last = {"bright": planes, "dark": planes}
        masks = {part: cv2.inRange(self.parts, k, k) for k, part in enumerate(PARTS, start=1)}
        for width in GRAINS:
            disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (width, width))
            for kind, operation in (("bright", cv2.MORPH_OPEN), ("dark", cv2.MORPH_CLOSE)):
                now = cv2.morphologyEx(planes, operation, disc)
                taken = cv2.absdiff(now, last[kind])
                last[kind] = now
                for part, mask in masks.items():
                    for plane, value in zip(EDGE_AXES, cv2.mean(taken, mask), strict=False):
                        yield f"grain_{kind}_{width}_{part}_{plane}", value / 200

    def ratios(self, grains: Iterable[Feature]) -> Iterator[Feature]:
        parts = [cv2.inRange(self.parts, k, k) for k in (1, 2)]
        (nucleus, spread), cytoplasm = (cv2.meanStdDev(self.planes, mask=mask) for mask in parts)
        unit = max(float(nucleus[2, 0]), MIN_DENSITY)
        for k, region in enumerate(REGIONS, start=1):
            means = cv2.mean(self.planes, cv2.inRange(self.regions, k, k))
            for plane, value in zip(RATIO_PLANES, means, strict=False):
                yield f"ratio_{plane}_{region}", value / unit
        for part, mask, spreads in zip(PARTS, parts, (spread, cytoplasm[1]), strict=True):
            for plane, value in zip(RATIO_PLANES, spreads[:, 0].tolist(), strict=False):
                yield f"ratio_spread_{plane}_{part}", value / unit
            dark = self.planes[mask > 0, 2] if mask.any() else np.zeros(1)
            ranks = [int(share * (len(dark) - 1)) for share in RATIO_SHARES]
            for share, value in zip(RATIO_SHARES, np.partition(dark, ranks)[ranks], strict=True):
                yield f"ratio_dark_{share}_{part}", value / unit
        for name, value in grains:
            yield f"ratio_{name}", value / unit


@cache
def _colour_names(one: str, n: int, other: str, m: int) -> list[str]:
    bins = product(REGIONS, range(n), range(m))
    return [f"colour_{region}_{one}{i}_{other}{j}" for region, i, j in bins]


@cache
def _edge_names(plane: str, n: int) -> list[str]:
    return [f"edge_{plane}_{region}_{i}" for region, i in product(REGIONS, range(n))]


def _to_border(mask: np.ndarray) -> np.ndarray:
    """Return how far each pixel of a mask is from its border, at most 255: it may fill the array."""
    return np.minimum(cv2.distanceTransform(mask, cv2.DIST_L2, cv2.DIST_MASK_5), 255)


def _concavity_depths(contour: np.ndarray) -> np.ndarray:
    """Return how deep the deepest dents in an outline are."""
    depths = np.zeros(N_DEFECTS)
    hull = cv2.convexHull(contour, returnPoints=False)
    try:
        defects = cv2.convexityDefects(contour, hull)
    except cv2.error as error:  # an outline that touches itself
        if is_shortage(error):
            raise
        defects = None
    if defects is not None:
        deepest = np.sort(defects.reshape(-1, 4)[:, 3])[::-1][:N_DEFECTS] / 256
        depths[: len(deepest)] = deepest
    return depths


def _rooted(counts: np.ndarray) -> np.ndarray:
    return np.sqrt(counts / np.maximum(counts.sum(axis=1, keepdims=True), 1))
