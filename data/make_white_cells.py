"""Train the model that is shipped, white_cells.safetensors.

    python data/make_white_cells.py PHOTOGRAPHS            train and replace it
    python data/make_white_cells.py PHOTOGRAPHS --check    train, and compare

PHOTOGRAPHS is a folder with `images/*.jpg` and `labels_checked.csv` (columns file, label, checked, doubtful):
the label of the data set, the one by eye, and whether that can be argued about. Doubtful cells are left out.
The model card, MODEL_CARD.md, says where such images come from.
"""

import argparse
import csv
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import fastsvm
from fastsvm_apps.cells.jobs.cell_training import train_cell_model
from fastsvm_apps.cells.output.training_sections import training_sections
from fastsvm_apps.cells.settings import TrainingSettings
from fastsvm_apps.common.progress import Stages
from fastsvm_apps.common.sections import print_sections

TARGET = Path(__file__).parents[1] / "apps/cells/shipped/white_cells.safetensors"
CLASSES = ["EOSINOPHIL", "LYMPHOCYTE", "MONOCYTE", "NEUTROPHIL"]
SAME_CELL = {"BloodImage_00395": "BloodImage_00382"}  # two photographs of it
LIMITS = (
    "It has learned from 261 photographs of one laboratory, of them 12 of monocytes and 27 of lymphocytes, "
    "with labels checked by eye. It knows four kinds: basophils, immature or broken cells may get one of "
    "these labels. In photographs of other laboratories it labels few cells, and hardly any monocytes. Do "
    "not take its count for that of a person."
)


def known_images(photographs: Path) -> Iterator[tuple[str, str, str]]:
    """Yield file, label and original of each photograph whose label is beyond doubt."""
    with open(photographs / "labels_checked.csv", newline="") as file:
        for row in csv.DictReader(file):
            if not row["doubtful"]:
                original = Path(row["file"]).stem
                yield row["file"], row["checked"], SAME_CELL.get(original, original)


def main():
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("photographs", type=Path, help="folder with images/ and labels_checked.csv")
    parser.add_argument("--check", action="store_true", help="only compare; exit 1 on a difference")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, Stages(verbose=True) as stage:
        path = str(Path(folder) / TARGET.name) if options.check else str(TARGET)
        table = Path(folder) / "known.csv"
        with open(table, "w", newline="") as file:
            write = csv.writer(file).writerow
            write(("file", "label", "original"))
            for row in known_images(options.photographs):
                write(row)
        images = [str(options.photographs / "images")]
        known = {"labels": str(table), "groups": str(table), "classes": CLASSES}
        done = train_cell_model(images, path, TrainingSettings(), limits=LIMITS, **known, stage=stage)
        made = fastsvm.load_model(path)
    print_sections(training_sections(done, stage.seconds))
    if options.check:
        shipped = fastsvm.load_model(TARGET)
        # The last digits of features depend on the version of OpenCV.
        if not np.allclose(made[-1].coef_, shipped[-1].coef_, rtol=0.05, atol=1e-2):
            sys.exit(f"{TARGET.name} is not what these images make")


if __name__ == "__main__":
    main()
