"""How often labels of white cells are wrong, in photographs taken otherwise than those learned from.

    python -m benchmarks.cells.labels --data FOLDER

FOLDER has `smears/` (images of 640x480, labels_checked.csv). Doubtful labels are left out. Grouped
cross-validation with the program's own parts: each fold learns from the other photographs and versions of
them, and labels its own under each condition. The threshold of a fold is learned on the others.
"""

import csv
import tempfile
from dataclasses import replace

import cv2
import numpy as np

from fastsvm_apps.cells.data.image_reader import ImageFile, ImageReader
from fastsvm_apps.cells.data.image_threads import map_images
from fastsvm_apps.cells.finding.first_look import NO_LOOK
from fastsvm_apps.cells.finding.image_quality import quality_flags
from fastsvm_apps.cells.jobs.cell_training import fit_cell_model
from fastsvm_apps.cells.learning.calibration import calibrate_scores
from fastsvm_apps.cells.learning.cell_model import scores_of
from fastsvm_apps.cells.learning.training_samples import TrainingSamples, measure_training_samples
from fastsvm_apps.cells.measuring.describing import DescribedImage, describe_image
from fastsvm_apps.cells.settings import TrainingSettings
from fastsvm_apps.common.errors import Skipped
from fastsvm_apps.common.progress import Stages
from fastsvm_apps.common.statistics import wilson_interval

from ..machine import parser_of
from .fields import CONDITIONS

CLASSES = "EOSINOPHIL", "LYMPHOCYTE", "MONOCYTE", "NEUTROPHIL"
SAME_CELL = {"BloodImage_00395": "BloodImage_00382"}  # two photographs of it


def photographs_of(folder):
    """Return the photographs with one of the labels, beyond doubt."""
    with open(folder / "labels_checked.csv", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["checked"] in CLASSES and not row["doubtful"]]
    return [
        ImageFile(
            str(folder / "images" / row["file"]),
            row["file"],
            row["checked"],
            SAME_CELL.get(row["file"][:-4], row["file"][:-4]),
        )
        for row in rows
    ]


def described(files, condition, folder, settings):
    """Return what is found in the images under a condition, in their order."""

    def work(file):
        path = f"{folder}/{file.name}.png"
        cv2.imwrite(path, CONDITIONS[condition](ImageReader(file.path).whole()))
        return describe_image(replace(file, path=path), wanted=("quality",), most=1)

    return [result for _, result in map_images(work, files)]


def of_folds(samples, tried, labels, originals, settings, alpha, folds, seed):
    """Return scores of the classes by models that have not seen the original, and the rows of each fold."""
    none = np.zeros(len(labels), bool)
    rows = TrainingSamples(none[:, None], labels, originals, none, none, none, none[:, None])
    parts = [test for _, test in rows.splits(folds, seed)]
    scores = np.full((len(tried), len(labels), len(CLASSES)), np.nan)
    for part in parts:
        model = fit_cell_model(samples.rows(~np.isin(samples.groups, originals[part])), settings, alpha)
        for k, found in enumerate(tried):
            rows = [row for row in part if isinstance(found[row], DescribedImage) and found[row].X]
            scores[k, rows] = scores_of(model, np.stack([found[row].X[0] for row in rows]))
    return scores, parts


def report(samples, tried, ranges, labels, originals, settings, options):
    """Print the errors under each condition, and how far scores can be trusted."""
    truth = np.searchsorted(CLASSES, labels)
    errors, of_classes, calibrations = [], [], []
    for seed in range(options.seeds):
        scores, parts = of_folds(
            samples, tried, labels, originals, settings, options.alpha, options.folds, seed
        )
        known = np.isfinite(scores[..., 0])
        wrong = np.where(known, np.nan_to_num(scores).argmax(axis=2) != truth, True)
        errors.append(wrong.mean(axis=1))
        of_classes.append([wrong[:, truth == k].mean(axis=1) for k in range(len(CLASSES))])
        number, rows = np.nonzero(known)
        of_part = np.empty(len(truth), int)
        for k, part in enumerate(parts):
            of_part[part] = k
        for some in (number == 0, number >= 0):
            folds = [np.flatnonzero(of_part[rows[some]] == k) for k in range(len(parts))]
            weights = np.ones(np.count_nonzero(some))
            calibrations.append(
                calibrate_scores(scores[number[some], rows[some]], truth[rows[some]], weights, folds)
            )
    errors, of_classes = np.array(errors), np.array(of_classes)
    print("| condition | wrong | seeds | " + " | ".join(map(str.lower, CLASSES)) + " | flagged |")
    print("| --- | --- | --- | " + "--- | " * (len(CLASSES) + 1))
    for k, name in enumerate(CONDITIONS):
        seeds = f"{100 * errors[:, k].min():.1f}-{100 * errors[:, k].max():.1f}"
        shares = " | ".join(f"{100 * share:.1f} %" for share in of_classes.mean(axis=0)[:, k])
        flagged = np.mean([bool(quality_flags(found.quality, ranges)) for found in tried[k] if found.quality])
        print(f"| {name} | {100 * errors[:, k].mean():.1f} % | {seeds} | {shares} | {100 * flagged:.0f} % |")
    mean = errors.mean(axis=1)
    print(f"| mean | {100 * mean.mean():.1f} % | {100 * mean.min():.1f}-{100 * mean.max():.1f} |")
    report_classes(of_classes.mean(axis=0), [np.count_nonzero(labels == name) for name in CLASSES])
    for name, found in (("clean", calibrations[::2]), ("all conditions", calibrations[1::2])):
        coverage, error, off, least = np.mean(
            [(each.coverage, each.error, each.miscalibration, each.min_score) for each in found], axis=0
        )
        print(
            f"{name}: {100 * coverage:.0f} % of the cells get a label, {100 * error:.1f} % of these wrong; "
            f"calibration error {off:.3f}; score {least:.2f}"
        )


def report_classes(wrong, counts):
    """Print the errors of each class, with the interval that so many photographs leave."""
    print("\n| class | photographs | wrong, clean | 95 % interval | mean of conditions | worst |")
    print("| --- | --- | --- | --- | --- | --- |")
    for k, (name, n) in enumerate(zip(CLASSES, counts, strict=True)):
        clean, mean, worst = wrong[k, 0], wrong[k].mean(), wrong[k].max()
        low, high = wilson_interval(clean * n, n)
        print(
            f"| {name} | {n} | {100 * clean:.1f} % | {100 * low:.1f}-{100 * high:.1f} % "
            f"| {100 * mean:.1f} % | {100 * worst:.1f} % |"
        )
    print()


def main():
    """Run the command line."""
    parser = parser_of("cells.labels", __doc__)
    parser.add_argument("--folds", type=int, default=5, help="(default: 5)")
    parser.add_argument("--seeds", type=int, default=3, help="ways to make folds (default: 3)")
    parser.add_argument("--alpha", type=float, default=0.01, help="(default: .01, as the shipped model)")
    parser.add_argument(
        "--versions", type=int, default=TrainingSettings().versions, help="(default: the program's)"
    )
    options = parser.parse_args()
    settings = TrainingSettings(versions=options.versions)
    photographs = photographs_of(options.data / "smears")
    skipped = Skipped("images")
    samples, ranges, _ = measure_training_samples(
        photographs, {}, settings, NO_LOOK, skipped, Stages(verbose=True)
    )
    with tempfile.TemporaryDirectory() as folder:
        tried = [described(photographs, name, folder, settings) for name in CONDITIONS]
    labels = np.array([file.label for file in photographs])
    originals = np.array([file.original for file in photographs])
    print(
        f"{len(photographs)} photographs, {np.count_nonzero(samples.is_version):,} versions, "
        f"{options.seeds} x {options.folds} folds, alpha {options.alpha:g}\n"
    )
    report(samples, tried, ranges, labels, originals, settings, options)


if __name__ == "__main__":
    main()
