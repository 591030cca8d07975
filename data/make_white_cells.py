"""Train the model that is shipped, white_cells.safetensors.

    python data/make_white_cells.py DATA                   train and replace it
    python data/make_white_cells.py DATA --without lisc    without what was learned from a laboratory
    python data/make_white_cells.py DATA --check           train, and compare

DATA has a folder for each laboratory. `smears` has `images/*.jpg` and `labels_checked.csv` (columns file,
label, checked, doubtful): the label of the data set, the one by eye, and whether that can be argued about;
doubtful cells are left out. `pbc` and `lisc` have `images/CLASS/*`; the cautious part of the model learns
from them, too. Of `tecom`, where it is there, nothing is learned: it is only tried. The model card,
MODEL_CARD.md, says where all these come from, and under which terms.
"""

import argparse
import csv
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace

import numpy as np

import fastsvm
from fastsvm_apps.cells.finding.first_look import first_look
from fastsvm_apps.cells.jobs.cell_training import train_cell_model
from fastsvm_apps.cells.learning.cautious_model import MIN_SCORE, fit_cautious_model, tried
from fastsvm_apps.cells.learning.training_images import find_training_images
from fastsvm_apps.cells.learning.training_samples import TrainingSamples, measure_training_samples
from fastsvm_apps.cells.output.training_sections import training_sections
from fastsvm_apps.cells.settings import TrainingSettings
from fastsvm_apps.common.progress import Stages
from fastsvm_apps.common.sections import Section, Table, print_sections

TARGET = Path(__file__).parents[1] / "apps/cells/shipped/white_cells.safetensors"
CLASSES = ["EOSINOPHIL", "LYMPHOCYTE", "MONOCYTE", "NEUTROPHIL"]
SAME_CELL = {"BloodImage_00395": "BloodImage_00382"}  # two photographs of it
OTHERS = ("pbc", "lisc")  # laboratories that the cautious part learns from
TRIED = "tecom"  # and one that nothing learns from
LIMITS = (
    "It has learned from 261 photographs of one laboratory, of them 12 of monocytes and 27 of lymphocytes, "
    "with labels checked by eye. It knows four kinds: basophils, immature or broken cells may get one of "
    "these labels. In photographs of other laboratories it labels about half of the cells, hardly any "
    "monocytes, and 1 in 20 wrongly. Do not take its count for that of a person."
)


def known_images(photographs: Path) -> Iterator[tuple[str, str, str]]:
    """Yield file, label and original of each photograph whose label is beyond doubt."""
    with open(photographs / "labels_checked.csv", newline="") as file:
        for row in csv.DictReader(file):
            if not row["doubtful"]:
                original = Path(row["file"]).stem
                yield row["file"], row["checked"], SAME_CELL.get(original, original)


NOTHING = SimpleNamespace(usual_width=1.0, are_own=lambda stains: False)  # to it all images are foreign


def samples_of(folder: Path, settings: TrainingSettings, stage: Stages) -> TrainingSamples:
    """Return the cells of another laboratory, measured as those of unfamiliar images are."""
    labels = folder / "labels_checked.csv"
    with tempfile.TemporaryDirectory() as place:
        known = {}
        if labels.exists():
            known["labels"] = write_table(Path(place) / "known.csv", known_images(folder))
        files, skipped, boxes, _ = find_training_images([str(folder / "images")], **known)
        look = first_look(files, None, NOTHING)
        return measure_training_samples(files, boxes, settings, look, skipped, stage)[0]


def write_table(path: Path, rows: Iterable[tuple[str, str, str]]) -> str:
    """Write file, label and original of images."""
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([("file", "label", "original"), *rows])
    return str(path)


def print_trials(laboratories: dict[str, TrainingSamples], learned: Sequence[str], seed: int) -> None:
    """Print for each laboratory how models that have not seen it label its cells."""
    rows = []
    for name, samples in laboratories.items():
        rest = [each for each in learned if each != name]
        for n in range(1, len(rest) + 1):
            for some in combinations(rest, n):
                model = fit_cautious_model([laboratories[each] for each in some], seed)
                score, right, y = tried(model, samples, CLASSES)
                known, given = np.isin(y, CLASSES), score >= MIN_SCORE
                wrong = np.count_nonzero(known & given & ~right)
                n_given, others = np.count_nonzero(known & given), np.count_nonzero(~known)
                coverage = f"{n_given / np.count_nonzero(known):.2f}"
                of_others = f"{np.count_nonzero(given & ~known)} of {others}" if others else ""
                rows.append((" + ".join(some), name, coverage, f"{wrong} of {n_given}", of_others))
    columns = ("trained on", "tested on", "labelled", "wrong labels", "basophils labelled")
    print_sections([Section(title="Laboratories left out", tables=[Table(columns, rows, words=(0, 1))])])


def main():
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", type=Path, help="folder of the laboratories' folders")
    parser.add_argument(
        "--without", action="append", default=[], choices=OTHERS, help="learn nothing from it"
    )
    parser.add_argument("--check", action="store_true", help="only compare; exit 1 on a difference")
    options = parser.parse_args()
    photographs, settings = options.data / "smears", TrainingSettings()
    learned = [name for name in OTHERS if name not in options.without]
    with tempfile.TemporaryDirectory() as folder, Stages(verbose=True) as stage:
        path = str(Path(folder) / TARGET.name) if options.check else str(TARGET)
        others = {name: samples_of(options.data / name, settings, stage) for name in learned}
        table = write_table(Path(folder) / "known.csv", known_images(photographs))
        known = {"labels": table, "groups": table, "classes": CLASSES}
        done = train_cell_model(
            [str(photographs / "images")],
            path,
            settings,
            limits=LIMITS,
            others=list(others.values()),
            **known,
            stage=stage,
        )
        made = fastsvm.load_model(path)
        laboratories = {"smears": done.samples, **others}
        if (options.data / TRIED).is_dir():
            laboratories[TRIED] = samples_of(options.data / TRIED, replace(settings, versions=0), stage)
    print_sections(training_sections(done, stage.seconds))
    print_trials(laboratories, ["smears", *learned], settings.seed)
    if options.check:
        shipped = fastsvm.load_model(TARGET)
        # The last digits of features depend on the version of OpenCV.
        if not np.allclose(made[-1].coef_, shipped[-1].coef_, rtol=0.05, atol=1e-2):
            sys.exit(f"{TARGET.name} is not what these images make")


if __name__ == "__main__":
    main()
