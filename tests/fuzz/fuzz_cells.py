"""Fuzz finding and describing cells: they lie in the picture, whatever it is, with finite features."""

import cv2
import numpy as np

from fastsvm_apps.cells.finding.field import Field
from fastsvm_apps.cells.finding.findings import crop_square
from fastsvm_apps.cells.finding.white_cells import find_white_cells
from fastsvm_apps.cells.measuring.cell_features import describe, feature_names
from fastsvm_apps.cells.measuring.cell_measures import MEASURES, measure
from fuzzing import Choices, main

COLOURS = [(228, 220, 232), (215, 170, 190), (150, 60, 110), (0, 0, 0), (255, 255, 255)]
COLOURS += [(25, 0, 0), (24, 24, 24)]
SEEDS = [bytes([90, 90, 0, 0, n, *(53 * k * (n + 1) % 256 for k in range(60))]) for n in range(1, 9)]
SEEDS += [bytes([128, 100, 0, 0, 2, 60, 50, 30, 0, 1, 60, 50, 20, 0, 2])]
SEEDS += [bytes([128, 128, 0, 0, 3, 40, 60, 22, 0, 2, 85, 60, 22, 0, 2, 60, 60, 40, 0, 1])]


def target(data):
    choices = Choices(data)
    image = picture(choices)
    before = image.copy()
    field = Field(image)
    cells = find_white_cells(field)
    height, width = image.shape[:2]
    for cell in cells:
        check_cell(cell, height, width)
    if cells:  # in so small a picture the one nearest the middle is first
        away = [np.hypot(*np.subtract(cell.center, (width / 2, height / 2))) for cell in cells]
        assert away[0] == min(away)
        assert cells[1:] == sorted(cells[1:], key=lambda cell: -cell.area)
        numbers = describe(field, cells[0])
        assert numbers.shape == (len(feature_names()),) and np.isfinite(numbers).all()
        values = dict(zip(MEASURES, measure(field, cells[0]), strict=True))
        unknown = [name for name, value in values.items() if not np.isfinite(value)]
        assert all(name.startswith("cytoplasm") for name in unknown), values
        size = 1 + choices.below(200)
        assert crop_square(image, cells[0].center, size).shape == (size, size, 3)
    assert np.array_equal(image, before)


def picture(choices):
    """Discs, boxes and noise."""
    width, height = 32 + choices.below(140), 32 + choices.below(140)
    image = np.full((height, width, 3), COLOURS[choices.below(len(COLOURS))], np.uint8)
    noisy = choices.below(256)
    for _ in range(choices.below(16)):
        x, y, size, shape = choices.below(width), choices.below(height), choices.below(64), choices.below(8)
        colour = tuple(choices.take(3).ljust(3, b"\0")) if shape == 6 else choices.pick(COLOURS)
        if shape == 7:
            tile = np.frombuffer(choices.take(48).ljust(48, b"\x50"), np.uint8).reshape(4, 4, 3)
            part = image[y : y + size, x : x + size]
            part[:] = np.tile(tile, (16, 16, 1))[: part.shape[0], : part.shape[1]]
        elif shape == 5:
            cv2.rectangle(image, (x, y), (x + size, y + size // 2), colour, cv2.FILLED)
        else:
            cv2.ellipse(
                image, (x, y), (size, size * (8 - shape) // 8), 40 * shape, 0, 360, colour, cv2.FILLED
            )
    if noisy > 200:
        noise = np.random.default_rng(noisy).integers(0, noisy - 200, image.shape)
        image = np.clip(image - noise, 0, 255).astype(np.uint8)
    return image


def check_cell(cell, height, width):
    x, y, w, h = cell.box
    assert x >= 0 and y >= 0 and w > 0 and h > 0 and x + w <= width and y + h <= height, cell.box
    assert 0 <= cell.center[0] < width and 0 <= cell.center[1] < height, cell.center
    left, top = cell.corner
    rows, columns = cell.body.shape
    assert left >= 0 and top >= 0 and left + columns <= width and top + rows <= height
    assert cell.nucleus.shape == cell.body.shape and set(np.unique(cell.body)) <= {0, 1}
    assert cell.nucleus.any() and (cell.nucleus <= cell.body).all()
    assert cell.area == np.count_nonzero(cell.body) > 0
    assert (cell.contour >= 0).all() and (cell.contour < (width, height)).all()


if __name__ == "__main__":
    main(target, SEEDS)
