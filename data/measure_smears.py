"""Measure sizes, densities, granules and colours of the cells in pictures of smears, by class.

    python data/measure_smears.py IMAGES --labels TABLE.csv    photographs: a table of file and label
    python data/measure_smears.py data/cells/images            the samples, whose folders are their labels

The numbers with which the samples were drawn are those of photographs with labels checked by eye; the same
command on the samples says how near they come. No classifier takes part. Lengths are in pixels of a picture
that is 320 wide; a density is the natural logarithm of the light of the background over that of a pixel.
"""

import argparse
from collections import defaultdict

import cv2
import numpy as np

from fastsvm_apps.cells.data.image_files import find_images
from fastsvm_apps.cells.finding.field import Field
from fastsvm_apps.cells.finding.red_cells import find_red_cells, light_around
from fastsvm_apps.cells.finding.white_cells import find_white_cells
from fastsvm_apps.cells.measuring.cell_measures import MEASURES, measure

QUANTILES = 0.1, 0.5, 0.9
GRAIN = 0.7, 2.5  # pixels; granules are what a blur by the first leaves and one by the second does not
EDGE = 3  # pixels; beside the border of the cell and of its nucleus is no plain cytoplasm
SHOWN = ("cell_solidity", "cell_roundness", "nucleus_cell_ratio", "nucleus_lobes", "nucleus_solidity")
COLOURS = "blue", "green", "red"


def of_colours(what, values):
    """Name the values of the channels."""
    return [(f"{what} {name}", value) for name, value in zip(COLOURS, values, strict=True)]


def white_cell(field, cell):
    """Yield the name and the value of each measure of a white cell."""
    known = dict(zip(MEASURES, measure(field, cell), strict=True))
    yield "cell radius, pixels", known["cell_diameter"] / 2
    yield from ((name, known[name]) for name in SHOWN)
    yield from ((name, value) for name, value in known.items() if "density" in name)
    (x, y), (h, w) = cell.corner, cell.body.shape
    density = field.densities(field.image[y : y + h, x : x + w])
    kernel = np.ones((2 * EDGE + 1,) * 2, np.uint8)
    plain = cv2.erode(cell.body, kernel, borderValue=0) > cv2.dilate(cell.nucleus, kernel)
    for part, mask in ("cytoplasm", plain), ("nucleus", cv2.erode(cell.nucleus, kernel) > 0):
        if mask.sum() >= 30:
            grain = np.subtract(*(cv2.GaussianBlur(density, (0, 0), width) for width in GRAIN))[mask]
            yield from of_colours(f"{part} grain", grain.std(axis=0))
            slow = cv2.GaussianBlur(density, (0, 0), GRAIN[1])[mask]
            yield f"{part} patches green", slow[:, 1].std()


def surroundings(field, cells):
    """Yield the name and the value of each measure of the light and the red cells."""
    yield from of_colours("light", field.background)
    reds = find_red_cells(light_around(field, cells))
    yield "red cells", len(reds)
    height, width = field.frame.shape
    whole = [red for red in reds if (red > 0).all() and (red < (width, height)).all()]
    if whole:
        mask = cv2.fillPoly(np.zeros_like(field.frame), [np.int32(red) for red in whole], 1) > 0
        density = field.densities(field.image)[mask]
        yield from of_colours("red cell density", density.mean(axis=0))
        areas = [cv2.contourArea(red) for red in whole]
        yield "red cell radius, pixels", np.sqrt(np.median(areas) / np.pi)


def main():
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("images", help="folder")
    parser.add_argument("--labels", help="CSV file with the columns file and label")
    options = parser.parse_args()
    found = defaultdict(lambda: defaultdict(list))
    for file in find_images([options.images], labels=options.labels):
        field = Field(file.open().scaled()[0])
        cells = find_white_cells(field)
        for name, value in surroundings(field, cells):
            found["all pictures"][name].append(value)
        if file.label and len(cells) == 1:
            for name, value in white_cell(field, cells[0]):
                found[file.label][name].append(value)
    for label, measures in sorted(found.items()):
        print(f"\n{label}, {max(map(len, measures.values()))}: 10 %, median and 90 %")
        for name, values in measures.items():
            print(f"  {name:<28}" + "".join(f"{value:9.3f}" for value in np.nanquantile(values, QUANTILES)))


if __name__ == "__main__":
    main()
