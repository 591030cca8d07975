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
