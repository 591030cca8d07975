"""What the tests draw cells with, how they turn them, and boxes that people drew."""

from collections import defaultdict

import cv2
import numpy as np
import pytest

from csv_rows import rows_of

PLASMA, CYTOPLASM, NUCLEUS = (228, 220, 232), (215, 170, 190), (150, 60, 110)
RED, PALE = (150, 150, 205), (195, 195, 220)  # red cells and their middles
GREY = (205, 160, 165), (220, 195, 205)  # the same where they absorb red light
TURNS = {
    "90": np.rot90,
    "180": lambda image: np.rot90(image, 2),
    "270": lambda image: np.rot90(image, 3),
    "left to right": np.fliplr,
    "upside down": np.flipud,
}
# What mirrors and what swaps the axes; the others are made of these.
SOME_TURNS = [
    turn if turn in ("90", "upside down") else pytest.param(turn, marks=pytest.mark.slow) for turn in TURNS
]


def plain(colour=PLASMA, shape=(240, 320)):
    return np.full((*shape, 3), colour, np.uint8)


def drawn(*cells, shape=(240, 320)):
    """Draw cells, each as x, y and the radii of nucleus and cell."""
    image = plain(shape=shape)
    for x, y, _, radius in cells:
        cv2.circle(image, (x, y), radius, CYTOPLASM, cv2.FILLED)
    for x, y, radius, _ in cells:
        cv2.circle(image, (x, y), radius, NUCLEUS, cv2.FILLED)
    return cv2.GaussianBlur(image, (3, 3), 0)


def blood(diameter, size=(640, 480), seed=0, white=(), colours=(RED, PALE)):
    """Draw red cells with pale middles, some on one another, and white cells at the places given."""
    rng = np.random.default_rng(seed)
    width, height = size
    image = plain(shape=(height, width))
    for _ in range(int(0.45 * width * height / diameter**2)):
        place = int(rng.integers(width)), int(rng.integers(height))
        radius = int(diameter / 2 * rng.uniform(0.93, 1.07))
        cv2.circle(image, place, radius, colours[0], cv2.FILLED)
        cv2.circle(image, place, radius // 3, colours[1], cv2.FILLED)
    for place in white:
        cv2.circle(image, place, int(0.9 * diameter), CYTOPLASM, cv2.FILLED)
        cv2.circle(image, place, int(0.6 * diameter), NUCLEUS, cv2.FILLED)
    return cv2.GaussianBlur(image, (3, 3), 0)


def marked_boxes(folder, kind="WBC"):
    """Read the boxes of a kind of cells: by file, of all files that have one."""
    if not (folder / "boxes.csv").is_file():
        pytest.skip(f"needs the smears in {folder}, which are not here")
    boxes = defaultdict(list)
    for row in rows_of(folder / "boxes.csv"):
        if row["kind"] == kind:
            boxes[row["file"]].append(tuple(int(row[side]) for side in "xywh"))
    return boxes


def overlap(a, b):
    """Return intersection over union of two boxes."""
    w = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    h = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    both = max(w, 0) * max(h, 0)
    return both / (a[2] * a[3] + b[2] * b[3] - both)
