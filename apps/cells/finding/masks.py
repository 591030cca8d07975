"""Masks of pixels: 1 inside and 0 outside, as uint8."""

from math import ceil

import cv2
import numpy as np

BLACK = 24  # level; the frame that a rotation leaves has no channel above
FRAME_OPENING = 5  # pixels; narrower black spots are no frame
# Lines that a frame grabber or a scanner left: their largest distance from the border, as a share of the
# side but at least in pixels; the highest light of 3 in 4 of their pixels over that further in; a margin.
EDGE_SHARE, MIN_EDGE, EDGE_LIGHT, EDGE_MARGIN = 0.02, 3, 0.9, 1
EDGE_PIXELS = 64  # of a line, which show its light


def black_frame(image: np.ndarray) -> np.ndarray:
    """Mark pixels outside the field: black ones that a rotation left, and dark lines at the border.

    The pixels beside these are blends, and marked too.
    """
    black = cv2.inRange(image, (0, 0, 0), (BLACK, BLACK, BLACK))
    if cv2.countNonZero(black):
        square = np.ones((FRAME_OPENING, FRAME_OPENING), np.uint8)
        black = cv2.dilate(cv2.morphologyEx(black, cv2.MORPH_OPEN, square), square)
    frame = black & 1
    for turns in range(4):
        turned = np.rot90(frame, turns)
        turned[: _dark_lines(np.rot90(image, turns), turned)] = 1
    return frame


def _dark_lines(image: np.ndarray, frame: np.ndarray) -> int:
    """Return how many lines at the top of an image are darker than those below, all along."""
    n = max(MIN_EDGE, ceil(EDGE_SHARE * len(image)))
    part = np.s_[: 3 * n, :: max(1, image.shape[1] // EDGE_PIXELS)]
    green = image[*part, 1] + np.float32(1)
    light = green[:n] / green[n:].mean(axis=0)
    light[frame[part][:n] > 0] = 1
    # Cells at a border are darker than the pixels beyond them in some places, a line in most.
    rank = 3 * light.shape[1] // 4
    dark = np.flatnonzero(np.partition(light, rank, axis=1)[:, rank] < EDGE_LIGHT)
    return int(dark[-1]) + 1 + EDGE_MARGIN if len(dark) else 0


def opened(mask: np.ndarray, width: int) -> np.ndarray:
    """Remove the parts into which a disc of this width does not fit."""
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (width, width))
    return cv2.morphologyEx(mask, cv2.MORPH_OPEN, disc)


def is_cut(box: tuple[int, int, int, int], shape: tuple[int, ...], border: int = 0) -> bool:
    """Return whether a box reaches the border of an image, or pixels as close to it as `border`."""
    (x, y, w, h), (height, width) = box, shape
    return x <= border or y <= border or x + w >= width - border or y + h >= height - border


def halved(plane: np.ndarray) -> np.ndarray:
    """Return every 2 x 2 pixels as one; for a mask, 1 if it covers half of them or more."""
    return cv2.resize(plane, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)


def distance_to(mask: np.ndarray) -> np.ndarray:
    """Return how far each pixel is from the mask."""
    return cv2.distanceTransform(1 - mask, cv2.DIST_L2, cv2.DIST_MASK_5)


def nearest_part(mask: np.ndarray) -> np.ndarray:
    """Return for each pixel the number of the connected part of the mask that is nearest, from 1."""
    kind = cv2.DIST_LABEL_CCOMP
    return cv2.distanceTransformWithLabels(1 - mask, cv2.DIST_L2, cv2.DIST_MASK_5, labelType=kind)[1]


def depth(mask: np.ndarray) -> np.ndarray:
    """Return how far each pixel is from the outside, which includes everything beyond the array."""
    padded = cv2.copyMakeBorder(mask, 1, 1, 1, 1, cv2.BORDER_CONSTANT)
    return cv2.distanceTransform(padded, cv2.DIST_L2, cv2.DIST_MASK_5)[1:-1, 1:-1]


def widened(mask: np.ndarray, radius: float) -> np.ndarray:
    """Add the pixels within this radius of the mask."""
    # Two distance transforms cost less than a large round structuring element.
    return (distance_to(mask) <= radius).view(np.uint8)


def shrunk(mask: np.ndarray, radius: float) -> np.ndarray:
    """Remove the pixels within this radius of the outside."""
    return 1 - widened(1 - mask, radius)


def touching(mask: np.ndarray, seeds: np.ndarray) -> np.ndarray:
    """Keep the connected parts of a mask that contain a seed."""
    n, labels = cv2.connectedComponents(mask)
    kept = np.zeros(n, np.uint8)
    kept[labels[seeds > 0]] = 1
    kept[0] = 0
    return kept[labels]


def count_parts(mask: np.ndarray, least: int) -> int:
    """Return how many connected parts of a mask have more than `least` pixels."""
    _, _, stats, _ = cv2.connectedComponentsWithStats(mask)
    return np.count_nonzero(stats[1:, cv2.CC_STAT_AREA] > least)


def hull(mask: np.ndarray) -> np.ndarray:
    """Return the corners of the convex hull of a mask."""
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    return cv2.convexHull(np.concatenate(contours))


def outline(mask: np.ndarray, corner: tuple[int, int]) -> np.ndarray:
    """Return the longest border of a mask, (n, 2), in the image where `corner` is the place of the mask."""
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE, offset=corner)
    return max(contours, key=len).reshape(-1, 2)


def filled(mask: np.ndarray) -> np.ndarray:
    """Fill holes."""
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    return cv2.drawContours(np.zeros_like(mask), contours, -1, 1, cv2.FILLED)
