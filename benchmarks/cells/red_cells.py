"""How well and how fast red cells and platelets are found.

    python -m benchmarks.cells.red_cells --data FOLDER

FOLDER has `smears/` (images of 640x480, boxes.csv with the columns file, x, y, w, h, kind). The
constants were chosen on the first, third ... of the images, which `--half chosen` measures; by default it is
the others. One thread; a box is found where intersection over union is .5 or more, each only once.
"""

import tempfile
from collections import defaultdict
from functools import partial
from statistics import median

import cv2
import numpy as np
from scipy.optimize import linear_sum_assignment

from fastsvm_apps.cells.data.boxes import box_overlap
from fastsvm_apps.cells.data.image_reader import ImageReader
from fastsvm_apps.cells.finding.findings import PLATELET, RED_CELL
from fastsvm_apps.cells.finding.other_cells import find_other_cells
from fastsvm_apps.cells.finding.stain import usual_field
from fastsvm_apps.cells.finding.white_cells import find_white_cells

from ..machine import parser_of
from .fields import CONDITIONS
from .find import milliseconds, read_boxes

KINDS = {RED_CELL: "RBC", PLATELET: "Platelets"}
ROUNDS = 5

# Red cells whose middle is in the picture, counted by eye: 16 pictures, drawn by lot from those reported on.
COUNTED = {
    **{2: 26, 15: 21, 17: 22, 53: 16, 73: 19, 92: 18, 109: 21, 114: 20},
    **{178: 18, 258: 21, 293: 19, 332: 25, 364: 23, 375: 23, 389: 12, 403: 21},
}
BY_EYE = {f"BloodImage_{number:05}.jpg": count for number, count in COUNTED.items()}


def found_in(path):
    """Return the boxes of each kind in an image, in pixels of the file, and the image's width."""
    image, scale = ImageReader(path).scaled()
    field = usual_field(image)
    found = defaultdict(list)
    for other in find_other_cells(field, find_white_cells(field), KINDS):
        found[other.label].append(other.in_file(scale).box)
    return found, image.shape[1] / scale


def hits(known, found):
    """Return how many known boxes are found."""
    if not known or not found:
        return 0
    overlaps = np.array([[box_overlap(a, b) for b in found] for a in known])
    return np.count_nonzero(overlaps[linear_sum_assignment(-overlaps * (overlaps >= 0.5))] >= 0.5)


def report_condition(folder, boxes, name, change):
    """Print precision, recall and counts under a condition."""
    counts = {kind: np.zeros(3, int) for kind in KINDS}
    apart = dict.fromkeys(KINDS, 0)
    found_of = {}
    with tempfile.TemporaryDirectory() as scratch:
        for file, known in boxes.items():
            changed = f"{scratch}/image.png"
            cv2.imwrite(changed, change(cv2.imread(str(folder / "images" / file))))
            found, width = found_in(changed)
            found_of[file] = found
            for kind, drawn in KINDS.items():
                there = [[side * 640 / width for side in box] for box in found[kind]]
                counts[kind] += hits(known[drawn], there), len(there), len(known[drawn])
                apart[kind] += abs(len(there) - len(known[drawn]))
    for kind, (hit, found, known) in counts.items():
        print(
            f"{name:18} {kind:9} F1 {2 * hit / (found + known):.3f}  precision {hit / found:.3f}  "
            f"recall {hit / known:.3f}  count {found} of {known} ({100 * (found / known - 1):+.1f} %), "
            f"an image off by {apart[kind] / len(boxes):.1f}"
        )
    return found_of


def report_times(paths):
    """Time what is added to finding the white cells."""
    cv2.setNumThreads(1)
    fields = [usual_field(ImageReader(str(path)).scaled()[0]) for path in paths]
    pairs = [(field, find_white_cells(field)) for field in fields]
    for kinds in ([RED_CELL], [PLATELET], list(KINDS)):
        work = partial(find_other_cells, kinds=kinds)
        times = [milliseconds(lambda pair, work=work: work(*pair), pairs) for _ in range(ROUNDS)]
        said = f"{median(times):.2f} ms CPU an image  [{min(times):.2f}-{max(times):.2f}]"
        print(f"{' and '.join(kinds):22} {said}")


def main():
    """Run the command line."""
    parser = parser_of("cells.red_cells", __doc__)
    parser.add_argument("--half", choices=("chosen", "reported"), default="reported")
    parser.add_argument("--conditions", nargs="+", choices=CONDITIONS, default=list(CONDITIONS))
    options = parser.parse_args()
    folder = options.data / "smears"
    boxes = read_boxes(folder)
    half = dict(list(boxes.items())[options.half == "reported" :: 2])
    for name in options.conditions:
        found = report_condition(folder, half, name, CONDITIONS[name])
        if BY_EYE.keys() <= found.keys():
            n = sum(len(found[file][RED_CELL]) for file in BY_EYE)
            print(
                f"{'':18} of {sum(BY_EYE.values())} red cells seen by eye in {len(BY_EYE)} images: {n} found"
            )
    report_times([folder / "images" / file for file in half][::4])


if __name__ == "__main__":
    main()
