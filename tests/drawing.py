"""What the tests draw cells with, and how they turn them."""

import numpy as np

PLASMA, CYTOPLASM, NUCLEUS = (228, 220, 232), (215, 170, 190), (150, 60, 110)
TURNS = {
    "90": np.rot90,
    "180": lambda image: np.rot90(image, 2),
    "270": lambda image: np.rot90(image, 3),
    "left to right": np.fliplr,
    "upside down": np.flipud,
}


def overlap(a, b):
    """Return intersection over union of two boxes."""
    w = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    h = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    both = max(w, 0) * max(h, 0)
    return both / (a[2] * a[3] + b[2] * b[3] - both)
