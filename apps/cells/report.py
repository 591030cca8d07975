"""Results as the commands print them: tables for people, records for --json, rows for CSV files."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TextIO

from fastsvm.atomic import replacing

from ..common.output import print_heading, print_line, print_table, printable
from ..common.tables import csv_writer
from .findings import Finding, ImageFindings
from .images import ImageFile
from .pipeline import NO_CELL, Count, Evaluation, Scores, Training

PLACE_COLUMNS = ("file", "cell", "x", "y", "w", "h", "cx", "cy", "area")
BOX_COLUMNS = (*PLACE_COLUMNS, "status")
CELL_COLUMNS = (*PLACE_COLUMNS, "label", "score", "status")
WIDEST = 60  # letters of a file's name in a table


# Rows of cells


@contextmanager
def table_file(path: str) -> Iterator[TextIO]:
    """Open a file that is there once all is written, and as it was before if anything fails; - is stdout."""
    if path == "-":
        yield sys.stdout
        return
    with replacing(path) as raw:
        file = io.TextIOWrapper(raw, newline="", encoding="utf-8", errors="surrogateescape")
        try:
            yield file
        finally:
            file.detach()


def row_writer(file: TextIO, columns: Sequence[str], *, raw: bool = False) -> Callable[[ImageFindings], None]:
    """Write the header of a table, and return what writes the rows of an image."""
    write_row = csv_writer(file, raw=raw)
    write_row(columns)
    labelled = "label" in columns

    def write(found: ImageFindings) -> None:
        if not found.cells:
            status = NO_CELL if found.problem is None else f"skipped: {found.problem}"
            write_row([found.file, *[""] * (len(columns) - 2), status])
        for k, cell in enumerate(found.cells, start=1):
            label = (cell.label, f"{cell.score:.6g}") if labelled else ()
            write_row([found.file, k, *cell.box, *cell.center, cell.area or "", *label, "ok"])
        if file is sys.stdout:
            file.flush()

    return write


def cell_printer(names: Sequence[str], classes: Sequence[str]) -> Callable[[ImageFindings], None]:
    """Print the header of a table for people, and return what prints the cells of an image as they come."""
    wide = min(WIDEST, max(map(len, names)))
    label_wide = max(map(len, ("label", *classes)))
    head = f"{'file':<{wide}}  {'x':>5} {'y':>5} {'w':>5} {'h':>5}  {'label':<{label_wide}}  {'score':>6}"
    print_line(head)

    def show(found: ImageFindings) -> None:
        if found.problem is None:
            for cell in found.cells or (None,):
                _write_line(f"{_shortened(printable(found.file), wide):<{wide}}  {_words(cell, label_wide)}")
            sys.stdout.flush()

    return show


def _words(cell: Finding | None, label_wide: int) -> str:
    if cell is None:
        return NO_CELL
    box = " ".join(f"{side:>5}" for side in cell.box)
    return f"{box}  {printable(cell.label):<{label_wide}}  {cell.score:>6.3f}"


def _write_line(line: str) -> None:
    sys.stdout.write(f"{line}\n")


def _shortened(name: str, wide: int) -> str:
    return name if len(name) <= wide else f"...{name[3 - wide :]}"


# Records and tables


def image_record(found: ImageFindings) -> dict:
    """Return what `classify --json` says about an image."""
    cells = [
        {"box": list(cell.box), "center": list(cell.center), "label": cell.label, "score": cell.score}
        for cell in found.cells
    ]
    problem = {} if found.problem is None else {"problem": found.problem}
    return {"file": found.file, "cells": cells, **problem}


def count_record(count: Count, seconds: dict[str, float]) -> dict:
    """Return what `classify --json` says about all images."""
    return {
        "counts": count.labels,
        "percent": count.percents,
        **places_record(count, seconds),
    }


def places_record(count: Count, seconds: dict[str, float]) -> dict:
    """Return what `crop --json` prints."""
    return {
        "n_images": count.images,
        "n_cells": count.cells,
        "without_cell": count.without_cell,
        "skipped": count.skipped.count,
        "seconds": seconds,
    }


def print_counts(count: Count) -> None:
    """Print the differential count."""
    print_heading("Count")
    percents = count.percents
    rows = [(label, f"{n:,}", f"{percents[label]:.1f}") for label, n in count.labels.items()]
    print_table(("label", "cells", "%"), [*rows, ("all", f"{count.cells:,}", "100.0")])
    print_line("")
    print_places(count)


def print_places(count: Count) -> None:
    """Print how many cells were found in how many images."""
    without = f", {count.without_cell:,} of them without a white cell" if count.without_cell else ""
    print_line(f"{_many(count.cells, 'white cell')} in {_many(count.images, 'image')}{without}")


def _many(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def training_record(result: Training, seconds: dict[str, float]) -> dict:
    """Return what `train --json` prints."""
    return {
        "model": result.model,
        "classifier": result.settings.classifier,
        "features": result.features,
        "n_features": result.n_features,
        "pca": result.settings.pca,
        "alpha": result.alpha,
        "fold_alphas": result.fold_alphas,
        "folds": result.folds,
        "seed": result.settings.seed,
        "label_counts": result.label_counts,
        "n": sum(result.label_counts.values()),
        **_scores_record(result.scores),
        "skipped": result.skipped.count,
        "seconds": seconds,
    }


def evaluation_record(result: Evaluation, seconds: dict[str, float]) -> dict:
    """Return what `evaluate --json` prints."""
    return {
        "n": result.scores.n,
        **_scores_record(result.scores),
        "mistakes": [_mistake_record(file, cell) for file, cell in result.mistakes],
        "skipped": result.skipped.count,
        "seconds": seconds,
    }


def _mistake_record(file: ImageFile, cell: Finding | None) -> dict:
    prediction = {"prediction": cell and cell.label, "score": cell and cell.score}
    return {"file": file.name, "label": file.label, **prediction}


def _scores_record(scores: Scores | None) -> dict:
    if scores is None:
        names = ("error", "error_interval", "labels", "confusion", "without_cell", "originals")
        return dict.fromkeys(names)
    originals = scores.originals
    return {
        "error": scores.error,
        "error_interval": list(scores.interval),
        "labels": scores.labels,
        "confusion": scores.confusion,
        "without_cell": scores.without_cell,
        "originals": originals
        and {"n": originals.n, "wrong": originals.wrong, "with_mistakes": originals.touched},
    }


def print_training(result: Training, seconds: dict[str, float]) -> None:
    """Print what `train` did."""
    n = sum(result.label_counts.values())
    print_line(f"{_many(n, 'image')}, {_many(result.n_features, 'feature')} ({result.features})")
    print_heading("Labels")
    print_table(("label", "images"), [(label, f"{n:,}") for label, n in result.label_counts.items()])
    print_heading("Cross-validation")
    if result.scores is None:
        print_line("none: --folds 1, or a label of a single original")
    else:
        kind = "by original" if result.scores.originals else "every image is its own original"
        print_line(f"{result.folds} folds, {kind}")
        print_scores(result.scores)
    print_heading("Alpha")
    print_line(_alpha_line(result))
    print_heading("Time")
    rows = [*seconds.items(), ("total", sum(seconds.values()))]
    print_table(("stage", "seconds"), [(stage, f"{value:.2f}") for stage, value in rows])
    print_heading("Model")
    print_line(result.model)


def _alpha_line(result: Training) -> str:
    if result.settings.alpha is not None:
        return f"{result.alpha:g}, as given"
    if not result.fold_alphas:
        return f"{result.alpha:g}"
    folds = ", ".join(f"{alpha:g}" for alpha in result.fold_alphas)
    return f"{result.alpha:g}, chosen on all images (inside the folds: {folds})"


def print_scores(scores: Scores) -> None:
    """Print the error and the confusion table."""
    low, high = (100 * bound for bound in scores.interval)
    print_line(
        f"error {100 * scores.error:.2f} % of {_many(scores.n, 'image')} "
        f"(95 % interval {low:.2f} to {high:.2f} %)"
    )
    if originals := scores.originals:
        print_line(
            f"{originals.wrong:,} of {_many(originals.n, 'original')} wrong in more than half of their "
            f"images, {originals.touched:,} in any"
        )
    print_line("")
    columns = list(scores.labels)
    rows = [[f"{n:,}" for n in row] for row in scores.confusion]
    if any(scores.without_cell):
        columns.append("no cell")
        rows = [[*row, f"{n:,}"] for row, n in zip(rows, scores.without_cell, strict=True)]
    rows = [(label, *row) for label, row in zip(scores.labels, rows, strict=True)]
    print_table(("true \\ predicted", *columns), rows)
