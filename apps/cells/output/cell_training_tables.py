"""What `train`, `evaluate` and `adapt` print, and their records for --json."""

from dataclasses import asdict

from ...common.printing import (
    certificate_line,
    fields,
    many,
    print_confusion,
    print_heading,
    print_line,
    print_table,
    print_times,
)
from ..data.image_reader import ImageFile
from ..finding.findings import UNFAMILIAR, FoundCell
from ..finding.image_scale import scale_record
from ..jobs.cell_adaptation import CellAdaptation
from ..jobs.cell_evaluation import CellEvaluation
from ..jobs.cell_training import CellTraining
from ..learning.calibration import CellCalibration
from ..learning.error_report import ErrorReport

SHOWN_LABELS = 5  # labels to check
# Labelled cells a class from which on `train` on these alone does as well: with 10 its error was 0.100 on the
# rest of a laboratory, that of `adapt` 0.092; with 20 it was 0.073 and 0.082.
ENOUGH_A_CLASS = 20


def cell_training_record(result: CellTraining, seconds: dict[str, float]) -> dict:
    """Return what `train --json` prints."""
    validation = result.validation
    return {
        "model": result.model,
        **asdict(result.settings),
        "features": "cells",
        "n_features": result.n_features,
        "pca": None,
        "cell_width": scale_record(result.scale),
        "alpha": validation.alpha,
        "fold_alphas": validation.alphas,
        "folds": len(validation.alphas),
        "label_counts": result.label_counts,
        "n": sum(result.label_counts.values()),
        **_scores_record(result.scores),
        "versions_error": result.of_versions and result.of_versions.error,
        "calibration": asdict(result.about.calibration),
        "suspects": result.suspects and [_mistake_record(*each) for each in result.suspects],
        "estimated_wrong_labels": result.suspect_share,
        "relative_gap": result.relative_gap,
        "skipped": result.skipped.count,
        "seconds": seconds,
    }


def cell_evaluation_record(result: CellEvaluation, seconds: dict[str, float]) -> dict:
    """Return what `evaluate --json` prints."""
    return {
        "n": result.scores.n,
        "learned": result.count.learned,
        **_scores_record(result.scores),
        "labelled": result.labelled and fields(result.labelled, "min_score", "coverage", "error"),
        "unfamiliar": result.count.flags[UNFAMILIAR],
        "cell_width": scale_record(result.scale),
        "mistakes": [_mistake_record(file, cell) for file, cell in result.mistakes],
        "skipped": result.count.skipped.count,
        "seconds": seconds,
    }


def _mistake_record(file: ImageFile, cell: FoundCell | None) -> dict:
    prediction = {"prediction": cell and cell.label, "score": cell and cell.score}
    return {"file": file.name, "label": file.label, **prediction}


def _scores_record(scores: ErrorReport | None) -> dict:
    if scores is None:
        names = ("error", "error_interval", "labels", "confusion", "without_cell", "originals")
        return dict.fromkeys(names)
    return {
        "error": scores.error,
        "error_interval": scores.interval,
        **fields(scores, "labels", "confusion", "without_cell"),
        "originals": scores.originals
        and dict(zip(("n", "wrong", "with_mistakes"), scores.originals, strict=True)),
    }


def print_cell_training(result: CellTraining, seconds: dict[str, float]) -> None:
    """Print what `train` did."""
    n = sum(result.label_counts.values())
    print_line(f"{many(n, 'image')}, {many(result.n_features, 'feature')}")
    print_heading("Labels")
    print_table(("label", "images"), [(label, f"{n:,}") for label, n in result.label_counts.items()])
    print_heading("Cross-validation")
    if result.scores is None:
        print_line("none: --folds is 1, or a label has a single original")
    else:
        kind = "by original" if result.scores.originals else "every image is its own original"
        print_line(f"{len(result.validation.alphas)} folds, {kind}")
        print_cell_scores(result.scores)
        if result.of_versions:
            print_line("")
            print_line(
                f"error {100 * result.of_versions.error:.2f} % of {result.of_versions.n:,} versions of them"
            )
        print_cell_calibration(result.about.calibration)
        _print_suspects(result)
    print_heading("Alpha", _alpha_line(result))
    print_heading("Certificate", certificate_line(result.relative_gap, result.settings.classifier))
    print_times(seconds)
    print_heading("Model", result.model)


def _print_suspects(result: CellTraining) -> None:
    """Print the labels that are probably wrong."""
    suspects, n = result.suspects, sum(result.label_counts.values())
    print_heading("Labels to check")
    if not suspects:
        print_line("none: models that had not seen an image agree with every label")
        return
    print_line(f"Models that had not seen an image contradict {len(suspects):,} of {n:,} labels.")
    low, high = (100 * share for share in result.suspect_share)
    print_line(f"By an estimate {low:.0f} to {high:.0f} % of the labels are wrong.")
    rows = [
        (file.name, file.label, cell.label, f"{cell.score:.2f}") for file, cell in suspects[:SHOWN_LABELS]
    ]
    print_table(("image", "label", "predicted", "score"), rows)
    if len(suspects) > SHOWN_LABELS:
        print_line(f"and {len(suspects) - SHOWN_LABELS:,} more: --suspects draws all, --json lists them")


def print_cell_calibration(calibration: CellCalibration) -> None:
    """Print how far scores and labels can be trusted."""
    if calibration.miscalibration is None:
        return
    print_heading("Scores")
    print_line(coverage_line(calibration))
    print_line(f"scores are off by {calibration.miscalibration:.3f} on average")


def coverage_line(known: CellCalibration) -> str:
    """Return a line on the share of cells that get a label, and of these labels that are wrong."""
    whose = "these" if known.min_score else "them"
    wrong = "" if known.error is None else f", and {100 * known.error:.1f} % of {whose} are wrong"
    if not known.min_score:
        return f"every cell gets a label{wrong}"
    return f"by a score of {known.min_score:.2f} {100 * known.coverage:.0f} % of the cells get a label{wrong}"


def _alpha_line(result: CellTraining) -> str:
    alpha, alphas = result.validation.alpha, result.validation.alphas
    if alpha is None:
        return f"none: the {result.settings.classifier} has no regularisation"
    if result.settings.alpha is not None:
        return f"{alpha:g}, as given"
    if not alphas:
        return f"{alpha:g}"
    folds = ", ".join(f"{each:g}" for each in alphas)
    return f"{alpha:g}, chosen on all images (inside the folds: {folds})"


def print_cell_scores(scores: ErrorReport) -> None:
    """Print the error and the confusion table."""
    low, high = (100 * bound for bound in scores.interval)
    print_line(
        f"error {100 * scores.error:.2f} % of {many(scores.n, 'image')} "
        f"(95 % interval {low:.2f} to {high:.2f} %)"
    )
    if scores.originals:
        n, wrong, touched = scores.originals
        print_line(
            f"{wrong:,} of {many(n, 'original')} wrong in more than half of their images, {touched:,} in any"
        )
    print_line("")
    missed = [("no cell", scores.without_cell)] if any(scores.without_cell) else []
    print_confusion(scores.labels, scores.confusion, missed)


def cell_adaptation_record(result: CellAdaptation, seconds: dict[str, float]) -> dict:
    """Return what `adapt --json` prints."""
    return {
        **fields(result, "model", "adapted", "label_counts", "unseen", "error_before", "error"),
        **fields(result, "relative_gap", "learned"),
        "calibration": asdict(result.calibration),
        "cell_width": scale_record(result.scale),
        "skipped": result.skipped.count,
        "seconds": seconds,
    }


def print_cell_adaptation(result: CellAdaptation, seconds: dict[str, float]) -> None:
    """Print what `adapt` did."""
    counts = result.label_counts
    print_line(f"{result.adapted}, adapted by {sum(counts.values()):,} labelled cells")
    print_heading("Labels")
    print_table(("label", "cells"), [(label, f"{n:,}") for label, n in counts.items()])
    if result.unseen:
        print_line(f"no cells of {', '.join(result.unseen)}: most of these will be missed")
    if sum(counts.values()) >= ENOUGH_A_CLASS * len(counts):
        print_line("enough for `train`: a model of these cells alone does as well")
    print_heading("Error on these cells", f"{100 * result.error_before:.1f} % by the model as it was")
    print_line(f"{100 * result.error:.1f} % after adaptation, each by a model that has not seen it")
    print_cell_calibration(result.calibration)
    print_heading("Certificate", certificate_line(result.relative_gap))
    print_times(seconds)
    print_heading("Model", result.model)
