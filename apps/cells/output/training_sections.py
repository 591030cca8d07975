"""What `train`, `evaluate` and `adapt` print, and their records for --json."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict

from ...common.printing import certificate_line, fields, many, next_line
from ...common.sections import Section, Table, confusion_table, time_section
from ...common.statistics import shown
from ..finding.findings import UNFAMILIAR
from ..finding.image_scale import scale_record
from ..jobs.cell_adaptation import CellAdaptation
from ..jobs.cell_evaluation import CellEvaluation, Mistake
from ..jobs.cell_training import CellTraining
from ..learning.calibration import CellCalibration
from ..learning.cell_model import relative_gap
from ..learning.error_report import ErrorReport

SUSPECTS, VALIDATION, SHOWN_LABELS = "Labels to check", "Cross-validation", 5  # labels to check
DETAILS = {"Alpha", "Certificate", "Scores", "Time", "Model", SUSPECTS}  # in full only with -v
# Labelled cells per class from which `train` on these alone does as well: with 10, its error on the rest of a
# laboratory was 0.100, and that of adapt 0.092; with 20, they were 0.073 and 0.082.
ENOUGH_A_CLASS = 20
ERRORS = "error", "error_interval", "labels", "confusion", "without_cell", "originals"


def training_record(done: CellTraining, seconds: Mapping[str, float]) -> dict:
    """Return what `train --json` prints."""
    errors, versions = done.errors, done.errors_of_versions
    return {
        "model": done.path,
        **asdict(done.settings),
        "features": "cells",
        "n_features": done.samples.X.shape[1],
        "pca": None,
        "cell_width": scale_record(done.look.scale),
        "alpha": done.alpha,
        "fold_alphas": done.alphas,
        "folds": len(done.alphas),
        "label_counts": done.label_counts,
        "n": sum(done.label_counts.values()),
        **(fields(errors, *ERRORS) if errors else dict.fromkeys(ERRORS)),
        "versions_error": versions and versions.error,
        "calibration": asdict(done.about.calibration),
        "suspects": done.suspects and _mistake_records(done.suspects),
        "estimated_wrong_labels": done.suspect_share,
        "relative_gap": relative_gap(done.pipeline),
        "skipped": done.skipped.count,
        "seconds": seconds,
    }


def evaluation_record(found: CellEvaluation, errors: ErrorReport, seconds: Mapping[str, float]) -> dict:
    """Return what `evaluate --json` prints."""
    labelled = found.coverage
    return {
        "n": errors.n,
        "learned": found.learned,
        **fields(errors, *ERRORS),
        "labelled": labelled and fields(labelled, "min_score", "coverage", "error"),
        "unfamiliar": found.flags[UNFAMILIAR],
        "cell_width": scale_record(found.look.scale),
        "mistakes": _mistake_records(found.mistakes),
        "skipped": found.skipped.count,
        "seconds": seconds,
    }


def adaptation_record(result: CellAdaptation, seconds: Mapping[str, float]) -> dict:
    """Return what `adapt --json` prints."""
    return {
        **fields(result, "model", "adapted", "label_counts", "unseen", "error_before", "error"),
        **fields(result, "relative_gap", "learned"),
        "calibration": asdict(result.calibration),
        "cell_width": scale_record(result.look.scale),
        "skipped": result.skipped.count,
        "seconds": seconds,
    }


def _mistake_records(mistakes: Iterable[Mistake]) -> list[dict]:
    names = "file", "label", "prediction", "score"
    rows = ((file.name, file.label, cell and cell.label, cell and cell.score) for file, cell in mistakes)
    return [dict(zip(names, row, strict=True)) for row in rows]


def training_sections(done: CellTraining, seconds: Mapping[str, float]) -> list[Section]:
    """Return what `train` prints."""
    n_features = many(done.samples.X.shape[1], "feature")
    certificate = certificate_line(relative_gap(done.pipeline), done.settings.classifier)
    return [
        Section(lines=[f"{many(sum(done.label_counts.values()), 'cell')}, {n_features}"]),
        _labels_section(done.label_counts, "cells"),
        *_validation_sections(done),
        Section(title="Alpha", lines=[_alpha_line(done)]),
        *_fit_sections(done.path, certificate, seconds),
    ]


def evaluation_sections(found: CellEvaluation, errors: ErrorReport) -> list[Section]:
    """Return what `evaluate` prints."""
    labelled = found.coverage
    coverage = Section(lines=[_coverage_line(labelled)] if labelled else [])
    return [Section(lines=_error_lines(errors)), Section(tables=[_errors_table(errors)]), coverage]


def adaptation_sections(result: CellAdaptation, seconds: Mapping[str, float]) -> list[Section]:
    """Return what `adapt` prints."""
    counts = result.label_counts
    n, notes = sum(counts.values()), []
    if result.unseen:
        notes.append(f"no cells of {', '.join(result.unseen)}: the model will miss most of these")
    if n >= ENOUGH_A_CLASS * len(counts):
        notes.append("enough for `train`: a model trained on these cells alone does as well")
    errors = [
        f"{100 * result.error_before:.1f} % before adaptation",
        f"{100 * result.error:.1f} % after adaptation, each cell tested by a model trained without it",
    ]
    return [
        Section(lines=[f"{result.adapted}, adapted with {n:,} labelled cells"]),
        _labels_section(counts, "cells", notes),
        Section(title="Error on these cells", lines=errors),
        *_scores_sections(result.calibration),
        *_fit_sections(result.model, certificate_line(result.relative_gap), seconds),
    ]


def brief_sections(sections: Sequence[Section], command: str, model: str, images: str) -> list[Section]:
    """Return the most important lines of `train` or `adapt`, and the next command."""
    left_out = {*DETAILS, *(["Labels"] if command == "train" else [])}  # the confusion table has the labels
    shown, last = [], []
    for each in sections:
        if each.title == VALIDATION:  # the result stands last, below its table
            shown.append(Section(tables=each.tables))
            last += [f"cross-validation: {each.lines[0]}", *each.lines[1:2]]
        elif each.title == SUSPECTS and each.tables:
            last.append(f"{each.lines[0]} --suspects FILE draws them.")
        elif each.title == "Certificate":
            last.append(f"certificate: {each.lines[0]}")
        elif each.title not in left_out:
            shown.append(each)
    told = f"model: {model} ({command} -v says more)"
    return [*shown, Section(lines=[*last, told, next_line("fastsvm-cells", "classify", images, "-m", model)])]


def _labels_section(counts: Mapping[str, int], what: str, notes: Iterable[str] = ()) -> Section:
    table = Table(("label", what), [(label, f"{n:,}") for label, n in counts.items()])
    return Section(title="Labels", lines=[*notes], tables=[table])


def _fit_sections(model: str, certificate: str, seconds: Mapping[str, float]) -> list[Section]:
    """Return the certificate of a fit, the time, and the path of the model."""
    return [
        Section(title="Certificate", lines=[certificate]),
        time_section(seconds),
        Section(title="Model", lines=[model]),
    ]


def _validation_sections(done: CellTraining) -> list[Section]:
    title, errors, versions = VALIDATION, done.errors, done.errors_of_versions
    if errors is None:
        return [Section(title=title, lines=["none: --folds is 1, or a label has a single original"])]
    kind = "by original" if errors.originals else "every image is its own original"
    lines = [f"{len(done.alphas)} folds, {kind}", *_error_lines(errors)]
    if versions:
        lines.append(f"error {100 * versions.error:.2f} % of {versions.n:,} versions of the images")
    return [
        Section(title=title, lines=lines, tables=[_errors_table(errors)]),
        *_scores_sections(done.about.calibration),
        _suspects_section(done),
    ]


def _error_lines(scores: ErrorReport) -> list[str]:
    interval = [100 * bound for bound in scores.error_interval]
    error, low, high = shown(interval, 100 * scores.error, *interval, least=0)
    what, found = "cell" if scores.originals else "image", scores.originals
    lines = [f"error {error} % of {many(scores.n, what)} (95 % interval {low} to {high} %)"]
    if found:
        of = f"{found['wrong']:,} of {many(found['n'], 'original')}"
        lines.append(f"{of} wrong in more than half of their cells, {found['with_mistakes']:,} in any")
    return lines


def _errors_table(scores: ErrorReport) -> Table:
    missed = [("no cell", [f"{n:,}" for n in scores.without_cell])] if any(scores.without_cell) else []
    return confusion_table(scores.labels, scores.confusion, missed)


def _scores_sections(calibration: CellCalibration) -> list[Section]:
    """Return how reliable scores and labels are, if that is known."""
    if calibration.miscalibration is None:
        return []
    off = f"scores are off by {calibration.miscalibration:.3f} on average"
    return [Section(title="Scores", lines=[_coverage_line(calibration), off])]


def _coverage_line(known: CellCalibration) -> str:
    """Return a line on the share of cells that get a label, and the share of these labels that is wrong."""
    wrong = "" if known.error is None else f", and {100 * known.error:.1f} % of the labels are wrong"
    if not known.min_score and known.coverage == 1:
        return f"every cell gets a label{wrong}"
    score = f" (score {known.min_score:.2f})" * bool(known.min_score)
    return f"{100 * known.coverage:.1f} % of the cells get a label{score}{wrong}"


def _suspects_section(done: CellTraining) -> Section:
    """Return the labels that are probably wrong."""
    title, suspects, n = SUSPECTS, done.suspects, sum(done.label_counts.values())
    if not suspects:
        agreed = "none: models trained on other images agree with every label"
        return Section(title=title, lines=[agreed])
    estimate = " to ".join(dict.fromkeys(f"{100 * share:.0f}" for share in done.suspect_share))
    lines = [
        f"Models trained on other images contradict {len(suspects):,} of {n:,} labels.",
        f"An estimated {estimate} % of all labels are wrong.",
    ]
    first, rest = suspects[:SHOWN_LABELS], len(suspects) - SHOWN_LABELS
    rows = [(file.name, file.label, cell.label, f"{cell.score:.2f}") for file, cell in first]
    left_out = f"{rest:,} more: --suspects draws all, --json lists them" if rest > 0 else ""
    table = Table(("image", "label", "predicted", "score"), rows, words=(0, 1, 2), left_out=left_out)
    return Section(title=title, lines=lines, tables=[table])


def _alpha_line(done: CellTraining) -> str:
    alpha, alphas = done.alpha, done.alphas
    if alpha is None:
        return f"none: {done.settings.classifier} has no regularisation"
    if done.settings.alpha is not None:
        return f"{alpha:g}, as given"
    folds = ", ".join(f"{each:g}" for each in alphas)
    return f"{alpha:g}" + (f", chosen on all images (inside the folds: {folds})" if alphas else "")
