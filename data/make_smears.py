"""Make cells/: invented microscope pictures of blood smears, drawn from a seed, and the boxes of their cells.

Each picture shows red cells, platelets alone or in a clump, and one or two white cells of one of four
classes: lymphocytes, monocytes, neutrophils and eosinophils. Every original has a stain, a density and a
light of its own. Some pictures are mirrored and turned copies of the one before, with black wedges at their
borders. The pictures in cells/new are to test on: they have no copies, and no boxes in boxes.csv.

    python data/make_smears.py            write cells/ beside this script
    python data/make_smears.py --check    only compare it with what would be written
"""

import argparse
import csv
import sys
from pathlib import Path

import cv2
import numpy as np

from fastsvm_apps.studies.data.invented_smears import LABELS, Smear

TARGET = Path(__file__).with_name("cells")
PER_LABEL = 10
N_EMPTY = 2
N_NEW = 3  # of each label
# The pictures with two white cells, and the distance of the two in sums of their radii: below 1 they touch.
PAIRS = {4: 1.3, 9: 0.99, 15: 0.9, 23: 0.92, 28: 1.35, 35: 1.25}
# Of every five pictures of a label, the third is a copy of the second.
COPY_OF = {number: number - 1 for number in range(2, len(LABELS) * PER_LABEL, 5)}
QUALITY = 86
BOXES = ("file", "x", "y", "w", "h", "kind", "label")
GROUPS = ("file", "label", "original")


def smears():
    """Make all pictures: yield the name, the JPEG and the rows of boxes of each."""
    for number in range(len(LABELS) * PER_LABEL + N_EMPTY):
        label = LABELS[number // PER_LABEL] if number < len(LABELS) * PER_LABEL else None
        folder = f"images/{label}" if label else "empty"
        original = COPY_OF.get(number, number)
        smear = Smear(original, label, copied=number in COPY_OF, distance=PAIRS.get(original))
        boxes = [(*box, label if box[-1] == "WBC" else "") for box in smear.boxes()]
        yield f"{folder}/smear_{number:02}.jpg", photograph(smear), boxes
    for k in range(len(LABELS) * N_NEW):
        name, label = f"smear_{number + 1 + k:02}.jpg", LABELS[k // N_NEW]
        yield f"new/{label}/{name}", photograph(Smear(number + 1 + k, label)), []


def photograph(smear):
    """Return the JPEG of a picture."""
    return cv2.imencode(".jpg", smear.photograph(), [cv2.IMWRITE_JPEG_QUALITY, QUALITY])[1]


def originals():
    """Give the rows of groups.csv: which pictures are copies of one original."""
    for number in range(len(LABELS) * PER_LABEL):
        label = LABELS[number // PER_LABEL]
        yield f"{label}/smear_{number:02}.jpg", label, f"smear_{COPY_OF.get(number, number):02}"


def write(made):
    """Write the pictures and the tables."""
    for name, jpeg, _ in made:
        (TARGET / name).parent.mkdir(parents=True, exist_ok=True)
        (TARGET / name).write_bytes(jpeg.tobytes())
    boxes = [(name, *box) for name, _, boxes in made for box in boxes]
    for name, rows in (("boxes.csv", [BOXES, *boxes]), ("groups.csv", [GROUPS, *originals()])):
        with open(TARGET / name, "w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)


def table(name):
    """Read the rows of a table."""
    with open(TARGET / name, newline="") as file:
        return [tuple(row) for row in csv.reader(file)]


def compare(made):
    """Name the first thing in cells/ that is not as made, if any.

    Floats and JPEG codecs differ a little from machine to machine: 3 grey levels in the mean of a picture
    and 1 pixel in a box are let pass.
    """
    found = {path.relative_to(TARGET).as_posix() for path in TARGET.rglob("*") if path.is_file()}
    for name in sorted(found ^ {"boxes.csv", "groups.csv", *(name for name, _, _ in made)}):
        return f"{name} is {'not made here' if name in found else 'missing'}"
    for name, jpeg, _ in made:
        old = cv2.imread(str(TARGET / name))
        new = cv2.imdecode(jpeg, cv2.IMREAD_COLOR)
        if old is None or old.shape != new.shape or cv2.absdiff(old, new).mean() >= 3:
            return f"{name} differs"
    if table("groups.csv") != [GROUPS, *originals()]:
        return "groups.csv differs"
    header, *rows = table("boxes.csv")
    boxes = [(name, *box) for name, _, boxes in made for box in boxes]
    same = header == BOXES and len(rows) == len(boxes)
    for row, box in zip(rows, boxes, strict=False):
        same = same and (row[0], *row[5:]) == (box[0], *box[5:])
        same = same and np.abs(np.subtract([int(number) for number in row[1:5]], box[1:5])).max() <= 1
    return None if same else "boxes.csv differs"


def main():
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="only compare; exit 1 on a difference")
    only_check = parser.parse_args().check
    made = list(smears())
    if not only_check:
        write(made)
    elif difference := compare(made):
        sys.exit(f"{TARGET}: {difference}; run {Path(__file__).name} without --check")


if __name__ == "__main__":
    main()
