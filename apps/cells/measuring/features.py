"""What a white cell looks like, in numbers with names.

All is measured at the working scale and in optical density, in an image that was given the usual stain.
Directions do not count: a turned or mirrored cell has the same features.

===================  ====================================================================================
group                what
===================  ====================================================================================
``nucleus_*``        size and shape of the nucleus: area, solidity, convexity, thickness, lobes, Hu moments
``cell_*``           size and shape of the cell, and the share of the nucleus in it
``colour_*``         joint histograms of two colour planes in four regions: core and rim of the nucleus,
                     cytoplasm near it and far from it
``edge_*``           histograms of the gradient in the four regions
``grain_*``          granularity: what openings and closings by discs of three sizes take away
===================  ====================================================================================

The set ``shells`` is another, smaller view: mean and spread of each channel and the number of pixels in
shells at equal distance to the border of the nucleus, inwards and outwards (``shell_*``).

Histograms are shares of the region's pixels, under a square root: the dot product of two is then the
Bhattacharyya coefficient, which suits a linear classifier.
"""

from functools import cache
from itertools import product

import cv2
import numpy as np

from ...common.errors import is_shortage
from ..finding import _pixels
from ..finding.document import SIZE, crop, gray_negative, locate_report
from ..finding.locate import COLOUR_PLANES, Cell, Field

CHANNELS = ("blue", "green", "red")
REGIONS = ("core", "rim", "near", "far")
PARTS = ("nucleus", "cytoplasm")
INWARD, OUTWARD = (0, 2, 4, 7, 11, 16, 255), (0, 2, 5, 9, 14, 20, 28)  # edges of the shells
RIM, NEAR, BLEND = 3, 6, 1.5  # up to the last from the border of the nucleus, pixels are neither
PINK, PURPLE, DARK, BLUE = (-0.6, 0.8, 10), (-0.1, 0.8, 8), (0.0, 1.2, 8), (-0.4, 0.7, 8)
PLANES = np.vstack([COLOUR_PLANES, np.float32([1, 0, -1])])  # pink, purple, dark; blue over red
EDGE_AXES = {"pink": (0.0, 0.25, 8), "dark": (0.0, 0.3, 8)}
GRAINS = (3, 5, 9)  # widths of discs
THICKNESSES = (3, 5, 8, 11)
LOBE_DEPTHS = (0.35, 0.5, 0.65, 0.8)  # of the greatest
N_DEFECTS, N_HU = 3, 4
MARGINS = {"cells": 12, "shells": OUTWARD[-1] + 2}  # around the cell, that filters see


def describe(field: Field, cell: Cell, features: str = "cells") -> np.ndarray:
    """Measure a cell.

    Parameters
    ----------
    field : Field
        The image.
    cell : Cell
        One that was found in it.
    features : {"cells", "shells", "pixels"}
        All features that can be explained, only the shells, or the source document's crop, in which the
        cell is found by the document's own steps (`document`), as gray levels in [0, 1].

    Returns
    -------
    ndarray of shape (n_features,) and dtype float32
        In the order of `feature_names`.
    """
    if features == "pixels":
        center = locate_report(field.image) or cell.center
        return gray_negative(crop(field.image, center)).ravel().astype(np.float32) / 255
    measured = _Measured(field, cell, MARGINS[features])
    groups = (measured.shells(),) if features == "shells" else measured.all()
    return np.concatenate([np.ravel(values) for values in groups]).astype(np.float32)


@cache
def feature_names(features: str = "cells") -> list[str]:
    """Return the name of each feature, in order.

    Parameters
    ----------
    features : {"cells", "shells", "pixels"}

    Returns
    -------
    list of str
    """
    if features == "pixels":
        return [f"gray_{y}_{x}" for y, x in product(range(SIZE), repeat=2)]
    if features == "shells":
        return _shell_names()
    bins = [range(axis[2] // 2) for axis in (PINK, PURPLE, DARK, BLUE)]
    return [
        *("nucleus_area", "nucleus_solidity", "nucleus_perimeter", "nucleus_convexity"),
        *("nucleus_thickness_max", "nucleus_thickness_mean", "nucleus_parts", "nucleus_elongation"),
        *(f"nucleus_hu_{i + 1}" for i in range(N_HU)),
        *(f"nucleus_dent_{i + 1}" for i in range(N_DEFECTS)),
        *(f"nucleus_lobes_{depth}" for depth in LOBE_DEPTHS),
        *(f"nucleus_thicker_{thickness}" for thickness in THICKNESSES),
        *("cell_area", "cell_nucleus_share", "cell_solidity", "cell_roundness", "cell_eccentricity"),
        *(f"colour_{r}_pink{i}_purple{j}" for r, i, j in product(REGIONS, *bins[:2])),
        *(f"colour_{r}_dark{i}_blue{j}" for r, i, j in product(REGIONS, *bins[2:])),
        *(f"edge_{plane}_{region}_{i}" for plane, region, i in product(EDGE_AXES, REGIONS, range(8))),
        *(
            f"grain_{kind}_{width}_{part}_{plane}"
            for width, kind, part, plane in product(GRAINS, ("bright", "dark"), PARTS, EDGE_AXES)
        ),
    ]


def _shell_names() -> list[str]:
    shells = [f"shell_in_{b}" for b in INWARD[1:]] + [f"shell_out_{b}" for b in OUTWARD[1:]]
    statistics = [f"{c}_{s}" for s in ("mean", "spread") for c in CHANNELS] + ["pixels"]
    return [f"{shell}_{statistic}" for shell, statistic in product(shells, statistics)]


class _Measured:
    """A cell with its surroundings, and what several groups of features are made from."""

    def __init__(self, field: Field, cell: Cell, margin: int) -> None:
        height, width = field.frame.shape
        (x, y), (h, w) = cell.corner, cell.body.shape
        left, top = max(0, x - margin), max(0, y - margin)
        right, bottom = min(width, x + w + margin), min(height, y + h + margin)
        part = np.s_[top:bottom, left:right]
        around = (y - top, bottom - y - h, x - left, right - x - w)
        self.nucleus, body = (
            cv2.copyMakeBorder(mask, *around, cv2.BORDER_CONSTANT) for mask in (cell.nucleus, cell.body)
        )
        self.cell = cell
        self.free = 1 - field.frame[part]
        self.area = cv2.countNonZero(self.nucleus)
        self.nucleus_box = cv2.boundingRect(self.nucleus)
        self.depth, self.height = _to_border(self.nucleus), _to_border(1 - self.nucleus)
        self.pixels = cv2.GaussianBlur(field.image[part], (3, 3), 0)
        self.field = field
        self.planes = field.densities(self.pixels, PLANES)
        self.pink_dark = np.ascontiguousarray(self.planes[..., :3:2])
        inside = self.nucleus > 0
        cytoplasm = (body * self.free > 0) & (self.height > BLEND)
        self.regions = np.select(
            [self.depth > RIM, inside, cytoplasm & (self.height <= NEAR), cytoplasm], [1, 2, 3, 4]
        ).astype(np.uint8)
        self.parts = (self.regions + 1) // 2

    def all(self):
        """Return every group in the order of its names."""
        return (
            self.nucleus_shape(),
            self.cell_shape(),
            *self.colours(),
            self.edges(),
            self.grains(),
        )

    def nucleus_shape(self) -> list[float]:
        size = np.sqrt(self.area)
        contours, _ = cv2.findContours(self.nucleus, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
        hull = cv2.convexHull(np.concatenate(contours))
        perimeter = sum(cv2.arcLength(contour, True) for contour in contours)
        sides = sorted(cv2.minAreaRect(hull)[1])
        hu = cv2.HuMoments(cv2.moments(self.nucleus, True)).ravel()[:N_HU]
        deepest = self.depth.max()
        return [
            size,
            self.area / max(cv2.contourArea(hull), 1),
            perimeter / size,
            cv2.arcLength(hull, True) / max(perimeter, 1),
            deepest / size,
            self.depth.sum() / self.area / size,
            len(contours),
            sides[0] / max(sides[1], 1),
            *np.log(np.abs(hu) + 1e-9),
            *(_dents(max(contours, key=len)) / size),
            *(self._lobes(depth * deepest) for depth in LOBE_DEPTHS),
            *(np.count_nonzero(self.depth > thickness) / self.area for thickness in THICKNESSES),
        ]

    def _lobes(self, depth: float) -> int:
        """Count the parts left of the nucleus when a border of that width is taken off."""
        x, y, w, h = self.nucleus_box
        core = (self.depth[y : y + h, x : x + w] > depth).view(np.uint8)
        _, _, stats, _ = cv2.connectedComponentsWithStats(core)
        return np.count_nonzero(stats[1:, cv2.CC_STAT_AREA] > 6)

    def cell_shape(self) -> list[float]:
        hull = cv2.convexHull(self.cell.contour)
        hull_area = cv2.contourArea(hull)
        size = np.sqrt(self.cell.area)
        body, nucleus = (cv2.moments(mask, True) for mask in (self.cell.body, self.cell.nucleus))
        offset = [body[m] / body["m00"] - nucleus[m] / nucleus["m00"] for m in ("m10", "m01")]
        return [
            size,
            self.area / self.cell.area,
            self.cell.area / max(hull_area, 1),
            4 * np.pi * hull_area / max(cv2.arcLength(hull, True), 1) ** 2,
            np.hypot(*offset) / size,
        ]

    def shells(self) -> np.ndarray:
        inward = _shell_table(INWARD)[np.ceil(self.depth).astype(np.uint8)]
        outward = _shell_table(OUTWARD)[np.ceil(self.height).astype(np.uint8)]
        shells = (inward + outward + (len(INWARD) - 1) * (outward > 0)).astype(np.uint8) * self.free
        counts, means, spreads = _pixels.moments(
            self.field.densities(self.pixels), shells, len(INWARD) + len(OUTWARD) - 2
        )
        return np.column_stack([means, spreads, counts / self.area])

    def colours(self) -> list[np.ndarray]:
        return [
            _rooted(self._colour_counts(planes, axes).reshape(len(REGIONS), -1))
            for planes, axes in ((self.planes[..., :2], (PINK, PURPLE)), (self.planes[..., 2:], (DARK, BLUE)))
        ]

    def _colour_counts(self, planes: np.ndarray, axes) -> np.ndarray:
        """Count in bins twice as wide as those of the axes, so that only their edges are soft."""
        counts = _pixels.joint_histograms(planes, self.regions, len(REGIONS), axes)
        rows = counts[:, ::2] + counts[:, 1::2]
        return rows[..., ::2] + rows[..., 1::2]

    def edges(self) -> list[np.ndarray]:
        across, down = (cv2.Sobel(self.pink_dark, cv2.CV_32F, dx, 1 - dx, scale=0.25) for dx in (1, 0))
        steps = cv2.magnitude(across, down)
        return np.concatenate(
            [
                _shares(steps[..., i : i + 1], self.regions, len(REGIONS), (axis,))
                for i, axis in enumerate(EDGE_AXES.values())
            ]
        )

    def grains(self) -> list[float]:
        # Densities in steps of 1/200, because whole numbers are quick to sort out.
        planes = cv2.convertScaleAbs(np.maximum(self.pink_dark + 0.2, 0), alpha=200)
        last = {cv2.MORPH_OPEN: planes, cv2.MORPH_CLOSE: planes}
        masks = [cv2.inRange(self.parts, k, k) for k in (1, 2)]
        values = []
        for width in GRAINS:
            disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (width, width))
            for kind in last:
                now = cv2.morphologyEx(planes, kind, disc)
                taken = cv2.absdiff(now, last[kind])
                values += [cv2.mean(taken, mask)[:2] for mask in masks]
                last[kind] = now
        return np.concatenate(values) / 200


def _to_border(mask: np.ndarray) -> np.ndarray:
    """Return how far each pixel of a mask is from its border, at most 255: it may fill the array."""
    return np.minimum(cv2.distanceTransform(mask, cv2.DIST_L2, cv2.DIST_MASK_5), 255)


@cache
def _shell_table(edges: tuple[int, ...]) -> np.ndarray:
    """Number the shells by the distance, rounded up."""
    return np.array([0, *np.searchsorted(edges, range(1, 256))], np.uint8) % len(edges)


def _dents(contour: np.ndarray) -> np.ndarray:
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


def _shares(planes: np.ndarray, regions: np.ndarray, n_regions: int, axes) -> np.ndarray:
    return _rooted(_pixels.joint_histograms(planes, regions, n_regions, axes).reshape(n_regions, -1))


def _rooted(counts: np.ndarray) -> np.ndarray:
    return np.sqrt(counts / np.maximum(counts.sum(axis=1, keepdims=True), 1))
