"""How well and how fast white cells are found and measured.

    python -m benchmarks.cells --data FOLDER

FOLDER has `smears/` (images of 640x480, boxes.csv with the columns file, x, y, w, h, kind) and `cells/`
(images of 320x240, groups.csv). One thread; times are CPU milliseconds an image, medians of rounds in which
the contenders alternate.
"""

import csv
from collections import defaultdict
from statistics import mean, median
from time import perf_counter

import cv2

from fastsvm_apps.cells.data.boxes import box_overlap
from fastsvm_apps.cells.data.image_files import find_images
from fastsvm_apps.cells.data.image_reader import ImageReader
from fastsvm_apps.cells.finding.stain import usual_field
from fastsvm_apps.cells.finding.white_cells import find_white_cells
from fastsvm_apps.cells.jobs.cell_classification import CellClassification, classify_cells
from fastsvm_apps.cells.learning.cell_model import load_cell_model
from fastsvm_apps.cells.measuring.cell_features import describe
from fastsvm_apps.cells.settings import ClassifySettings

from ..common import cpu
from ..machine import parser_of

ROUNDS = 7


def read_boxes(folder):
    """Return the boxes that people drew into each image, by kind."""
    boxes = {path.name: defaultdict(list) for path in sorted((folder / "images").iterdir())}
    with open(folder / "boxes.csv", newline="") as file:
        for row in csv.DictReader(file):
            if row["file"] in boxes:
                boxes[row["file"]][row["kind"]].append([int(row[name]) for name in "xywh"])
    return boxes


class Tally:
    """How well boxes of white cells are found: the overlap of each, 0 if it is missed, and boxes too many."""

    def __init__(self):
        self.overlaps, self.extra = [], 0

    def add(self, found, known):
        """Count the boxes of one image."""
        found = list(found)
        for box in known:
            best = max(found, key=lambda other: box_overlap(box, other), default=None)
            self.overlaps.append(box_overlap(box, best) if best is not None else 0)
            if self.overlaps[-1] >= 0.5:
                found.remove(best)
        self.extra += len(found)

    @property
    def missed(self):
        """The boxes that are not found."""
        return sum(share < 0.5 for share in self.overlaps)

    @property
    def f1(self):
        """The harmonic mean of precision and recall."""
        hits = len(self.overlaps) - self.missed
        return 2 * hits / max(1, 2 * hits + self.missed + self.extra)

    def __str__(self):
        return f"F1 {self.f1:.4f}, {self.missed} missed, {self.extra} too many"


def report_boxes(folder):
    """Compare what is found with what people drew."""
    boxes = {name: known["WBC"] for name, known in read_boxes(folder).items()}
    for what, names in (
        ("one annotated cell", [name for name, known in boxes.items() if len(known) == 1]),
        ("all", list(boxes)),
    ):
        tally, right = Tally(), 0
        for name in names:
            image, scale = ImageReader(str(folder / "images" / name)).scaled()
            found = [[side / scale for side in cell.box] for cell in find_white_cells(usual_field(image))]
            right += len(found) == len(boxes[name])
            tally.add(found, boxes[name])
        iou = mean(tally.overlaps)
        print(f"{len(names)} smears, {what}: F1 {tally.f1:.4f}, mean IoU {iou:.4f}, count right on {right}")


def milliseconds(work, items):
    """Return CPU milliseconds an item."""
    return 1e3 * cpu(lambda: [work(item) for item in items]) / len(items)


def report_times(smears, cells):
    """Time the parts, alternating."""
    cv2.setNumThreads(1)
    paths = [str(path) for path in sorted((cells / "images").rglob("*.jpeg"))[::100]]
    images = [ImageReader(path).whole() for path in paths]
    fields = [usual_field(image) for image in images]
    found = [(field, cell[0]) for field in fields if (cell := find_white_cells(field))]
    large = [str(path) for path in sorted((smears / "images").iterdir())[::5]]
    works = {
        "read and check, 320x240": (lambda path: ImageReader(path).whole(), paths),
        "decode in full, 640x480": (cv2.imread, large),
        "find the cells, 320x240": (lambda image: find_white_cells(usual_field(image)), images),
        "measure a cell": (lambda pair: describe(*pair), found),
    }
    times = {name: [] for name in works}
    for _ in range(ROUNDS):
        for name, (work, items) in works.items():
            times[name].append(milliseconds(work, items))
    for name, values in times.items():
        print(f"{name:32} {median(values):8.3f} ms CPU  [{min(values):.3f}-{max(values):.3f}]")


def report_rate(cells, n):
    """Classify images with the shipped model and all processors."""
    files = find_images([str(cells / "images")])
    files = files[:: max(1, len(files) // n)][:n]
    model = load_cell_model(None)
    rates = []
    for _ in range(ROUNDS):
        start = perf_counter()
        for _ in classify_cells(files, CellClassification(model, [], ClassifySettings())):
            pass
        rates.append(len(files) / (perf_counter() - start))
    print(f"classify {len(files)} images: {median(rates):.0f} per s  [{min(rates):.0f}-{max(rates):.0f}]")


def main():
    """Run the command line."""
    parser = parser_of("cells", __doc__)
    parser.add_argument("--n", type=int, default=1000, help="images to classify (default: 1000)")
    options = parser.parse_args()
    report_boxes(options.data / "smears")
    report_times(options.data / "smears", options.data / "cells")
    report_rate(options.data / "cells", options.n)


if __name__ == "__main__":
    main()
