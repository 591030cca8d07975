"""The features of a white cell, which a classifier learns from: pairs of a name and a value.

They are measured at the working scale and in optical density, in an image with the usual stain.
A turned or mirrored cell has the same features.

===================  ====================================================================================
group                what
===================  ====================================================================================
``nucleus_*``        size and shape of the nucleus: area, solidity, convexity, thickness, lobes, Hu moments
``cell_*``           size and shape of the cell, and the share of the nucleus in it
``ratio_*``          colours of nucleus and cytoplasm, their spread, and granularity (what openings and
                     closings by discs of three sizes take away), over the density of the nucleus
``whole_*``          colours of the whole cell over the density of its darkest part, without a border between
                     nucleus and cytoplasm: in five rings, as a joint histogram, and how fine they change
``colour_*``         colours as they are: joint histograms in four regions, core and rim of the nucleus, near
                     and far cytoplasm
===================  ====================================================================================

The colours of all groups but the last are ratios: they hardly change with the strength of the stain and the
light, and so travel from one laboratory to another. The last group says more about the cells of one
laboratory. Histograms are shares of pixels, under a square root: the dot product of two is then the
Bhattacharyya coefficient, which suits a linear classifier.

To add a feature, yield one more pair; a feature that does not travel comes last. Then train the models again:
a model file names its features.
"""

from collections.abc import Iterator
from functools import cache

import cv2
import numpy as np

from ...common.errors import is_shortage
from ..finding import _pixels
from ..finding.field import COLOUR_PLANES, Field
from ..finding.masks import count_parts, outline
from ..finding.white_cells import WhiteCell

GROUPS = ("nucleus_", "cell_", "ratio_", "whole_", "colour_")  # in their order; all but the last travel
REGIONS = ("core", "rim", "near", "far")
PARTS = ("nucleus", "cytoplasm")
RIM, NEAR, BLEND = 3, 6, 1.5  # pixels within BLEND of the border of the nucleus are neither
PLANES = ("pink", "purple", "dark")  # those of COLOUR_PLANES
DARK = 2
GRAINS = (3, 5, 9)  # widths of discs
THICKNESSES = (3, 5, 8, 11)
LOBE_DEPTHS = (0.35, 0.5, 0.65, 0.8)  # of the largest depth
N_DEFECTS, N_HU = 3, 4
GRAIN_PLANES = ("pink", "dark")
RATIO_SHARES = (0.1, 0.9)  # quantiles of the darkness of a part
MIN_DENSITY = 0.05  # by which others are divided, so that ratios are bounded
N_RINGS = 5  # from the border of the cell to its middle
DARKEST = 0.8  # quantile of the darkness in a cell, by which all of it is divided
STAINED = 0.7  # quantile; darker pixels have the colour of the nucleus, in most cells
FINE_WIDTHS = (3, 7, 13)  # of the squares whose mean is subtracted, which leaves fine contrast
RING_WIDTH = 7  # of the squares for the rings
MIN_SPREAD = 1e-3  # so that nothing flat is skewed
BESIDE_SHARES = (0.1, 0.5, 0.9)  # quantiles of what is left beside the colour of the nucleus
HUES = (-1.0, 2.0, 10)  # low, high (radians from the nucleus' hue, towards red) and bins
JOINT_AXES = ((-0.3, 1.1, 7), (-0.4, 1.2, 8))  # low, high and bins of pink and purple
# Low, high and bins of colours as they are. Bins are joined in pairs, so that only their edges are soft.
COLOURS = {"pink": (-0.6, 0.8, 10), "purple": (-0.1, 0.8, 8), "dark": (0.0, 1.2, 8), "blue": (-0.4, 0.7, 8)}
COLOUR_PAIRS = ("pink", "purple"), ("dark", "blue")
_BESIDE_NAMES = {plane: [f"whole_beside_{plane}_{share}" for share in BESIDE_SHARES] for plane in PLANES[:2]}
_HUE_NAMES = [f"whole_hue{k}" for k in range(HUES[2])]
_JOINT_NAMES = [f"whole_pink{i}_purple{j}" for i, j in np.ndindex(JOINT_AXES[0][2], JOINT_AXES[1][2])]
MARGIN = 12  # pixels around the cell, for filters


Feature = tuple[str, float]


def features_of(field: Field, cell: WhiteCell) -> Iterator[Feature]:
    """Yield the name and the value of each feature of a cell.

    Parameters
    ----------
    field : Field
        The image.
    cell : WhiteCell
        A cell found in the image.
    """
    of = _Measured(field, cell)
    for group in (of.nucleus_shape, of.cell_shape, of.ratios, of.whole, of.colours):
        yield from group()


def describe(field: Field, cell: WhiteCell) -> np.ndarray:
    """Return the values of the features of a cell, in the order of `feature_names`, as float32."""
    return np.array([value for _, value in features_of(field, cell)], np.float32)


def n_travelling() -> int:
    """Return the number of features that mean the same in any laboratory; they come first."""
    return len(columns_of(*GROUPS[:-1]))


@cache
def feature_names() -> list[str]:
    """Return the names of the features, in order, as they are for any cell."""
    field = Field(np.full((64, 64, 3), 255, np.uint8))
    disc = cv2.circle(np.zeros((40, 40), np.uint8), (20, 20), 15, 1, cv2.FILLED)
    nucleus = cv2.circle(np.zeros_like(disc), (20, 20), 9, 1, cv2.FILLED)
    area = int(np.count_nonzero(disc))
    cell = WhiteCell((12, 12, 40, 40), (32, 32), area, outline(disc, (12, 12)), (12, 12), nucleus, disc)
    return [name for name, _ in features_of(field, cell)]


@cache
def columns_of(*beginnings: str) -> np.ndarray:
    """Return the columns of the features whose names begin like this."""
    return np.flatnonzero([name.startswith(beginnings) for name in feature_names()])


class _Measured:
    """A cell with its surroundings, and data that several groups of features share."""

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
        self.body = body * free if (body * free).any() else body
        self.area = cv2.countNonZero(self.nucleus)
        self.depth, self.height = _to_border(self.nucleus), _to_border(1 - self.nucleus)
        self.planes = field.densities(cv2.GaussianBlur(field.image[part], (3, 3), 0), COLOUR_PLANES)
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
        x, y, w, h = cv2.boundingRect(self.nucleus)
        inside = self.depth[y : y + h, x : x + w]
        for depth in LOBE_DEPTHS:  # the width of a border without which lobes are left
            yield f"nucleus_lobes_{depth}", count_parts((inside > depth * deepest).view(np.uint8), 6)
        for thickness in THICKNESSES:
            yield f"nucleus_thicker_{thickness}", np.count_nonzero(self.depth > thickness) / self.area

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

    def _grains(self, parts: list[np.ndarray], unit: float) -> Iterator[Feature]:
        # Densities in steps of 1/200, because whole numbers are sorted quickly.
        planes = cv2.convertScaleAbs(np.maximum(self.planes[..., ::2] + 0.2, 0), alpha=200)
        last = {"bright": planes, "dark": planes}
        for width in GRAINS:
            disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (width, width))
            for kind, operation in (("bright", cv2.MORPH_OPEN), ("dark", cv2.MORPH_CLOSE)):
                now = cv2.morphologyEx(planes, operation, disc)
                taken = cv2.absdiff(now, last[kind])
                last[kind] = now
                for part, mask in zip(PARTS, parts, strict=True):
                    for plane, value in zip(GRAIN_PLANES, cv2.mean(taken, mask), strict=False):
                        yield f"ratio_grain_{kind}_{width}_{part}_{plane}", value / 200 / unit

    def ratios(self) -> Iterator[Feature]:
        parts = [cv2.inRange(self.parts, k, k) for k in (1, 2)]
        (nucleus, spread), cytoplasm = (cv2.meanStdDev(self.planes, mask=mask) for mask in parts)
        unit = max(float(nucleus[2, 0]), MIN_DENSITY)
        for k, region in enumerate(REGIONS, start=1):
            means = cv2.mean(self.planes, cv2.inRange(self.regions, k, k))
            for plane, value in zip(PLANES, means, strict=False):
                yield f"ratio_{plane}_{region}", value / unit
        for part, mask, spreads in zip(PARTS, parts, (spread, cytoplasm[1]), strict=True):
            for plane, value in zip(PLANES, spreads[:, 0].tolist(), strict=False):
                yield f"ratio_spread_{plane}_{part}", value / unit
            dark = self.planes[mask > 0, 2] if mask.any() else np.zeros(1)
            ranks = [int(share * (len(dark) - 1)) for share in RATIO_SHARES]
            for share, value in zip(RATIO_SHARES, np.partition(dark, ranks)[ranks], strict=True):
                yield f"ratio_dark_{share}_{part}", value / unit
        yield from self._grains(parts, unit)

    def whole(self) -> Iterator[Feature]:
        inside = np.flatnonzero(self.body)
        colours = np.ascontiguousarray(self.planes.reshape(-1, len(PLANES))[inside].T)
        pink, purple, dark = colours
        ranks = [int(share * (len(dark) - 1)) for share in (STAINED, DARKEST)]
        stained, darkest = np.partition(dark, ranks)[ranks]
        unit = max(float(darkest), MIN_DENSITY)
        nucleus = colours[:, dark >= stained].mean(axis=1)
        yield from self._contrasts(unit)
        # Absorption beside the nucleus' mix of colours: eosin, haemoglobin, grains.
        ratios = nucleus[:2] / max(float(nucleus[2]), MIN_DENSITY)
        ranks = [int(share * (len(dark) - 1)) for share in BESIDE_SHARES]
        beside = np.partition(colours[:2] - np.outer(ratios, dark), ranks, axis=1)[:, ranks] / unit
        for plane, values in zip(PLANES, beside.tolist(), strict=False):
            yield from zip(_BESIDE_NAMES[plane], values, strict=True)
        turned = np.arctan2(nucleus[1], nucleus[0]) - np.arctan2(purple, pink)
        turned -= np.float32(2 * np.pi) * np.rint(turned / np.float32(2 * np.pi))
        low, high, n = HUES
        bins = np.clip((turned - low) * (n / (high - low)), 0, n - 1).astype(np.intp)
        counts = np.bincount(bins, np.hypot(pink, purple), n)
        yield from zip(_HUE_NAMES, np.sqrt(counts / max(counts.sum(), MIN_DENSITY)).tolist(), strict=True)
        relative = self.planes[..., :2] * np.float32(1 / unit)
        counts = _pixels.joint_histograms(relative, self.body, 1, JOINT_AXES)
        yield from zip(_JOINT_NAMES, np.sqrt(counts.ravel() / len(dark)).tolist(), strict=True)

    def _contrasts(self, unit: float) -> Iterator[Feature]:
        """Yield mean and spread of the colours in each ring, and the fine contrast that blurs remove."""
        depth = _to_border(self.body)
        rings = np.minimum(N_RINGS * depth / depth.max(), N_RINGS - 1).astype(np.uint8) + self.body
        n = np.maximum(np.bincount(rings.ravel(), minlength=N_RINGS + 1)[1:, None], 1)
        total, square, _ = _pixels.moments(self.planes, rings, N_RINGS) / n
        spreads = np.sqrt(np.maximum(square - total * total, 0)) / unit
        for k, plane in enumerate(PLANES):
            for ring in range(N_RINGS):
                yield f"whole_{plane}_ring{ring}", total[ring, k] / unit
                yield f"whole_spread_{plane}_ring{ring}", spreads[ring, k]
        for width in FINE_WIDTHS:
            fine = self.planes - cv2.blur(self.planes, (width, width))
            of_rings = _pixels.moments(fine, rings, N_RINGS)
            # The outermost ring has contrast with the surroundings of the cell.
            square, cube = of_rings[1:, 1:].sum(axis=1) / max(n[1:].sum(), 1)
            spread = np.sqrt(square) / unit + MIN_SPREAD
            skew = cube / unit**3 / spread**3
            for k, plane in enumerate(PLANES):
                yield f"whole_fine{width}_{plane}", spread[k]
                yield f"whole_skew{width}_{plane}", skew[k]
            if width == RING_WIDTH:
                for ring, value in enumerate(np.sqrt(of_rings[1, :, DARK] / n[:, 0]) / unit):
                    yield f"whole_fine_ring{ring}", value

    def colours(self) -> Iterator[Feature]:
        pink, purple, dark = np.moveaxis(self.planes, 2, 0)
        planes = {"pink": pink, "purple": purple, "dark": dark, "blue": pink - purple}  # blue over red
        for pair in COLOUR_PAIRS:
            both, axes = np.dstack([planes[name] for name in pair]), [COLOURS[name] for name in pair]
            counts = _pixels.joint_histograms(both, self.regions, len(REGIONS), axes)
            counts = (counts[:, ::2] + counts[:, 1::2]).reshape(len(REGIONS), -1, 2).sum(axis=2)
            shares = np.sqrt(counts / np.maximum(counts.sum(axis=1, keepdims=True), 1))
            yield from zip(_colour_names(*pair), shares.ravel().tolist(), strict=True)


@cache
def _colour_names(one: str, other: str) -> list[str]:
    bins = np.ndindex(len(REGIONS), COLOURS[one][2] // 2, COLOURS[other][2] // 2)
    return [f"colour_{REGIONS[k]}_{one}{i}_{other}{j}" for k, i, j in bins]


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
