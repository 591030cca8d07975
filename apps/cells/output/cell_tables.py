"""What was found, as the commands print it: tables for people, records for --json, rows for CSV files."""

import io
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TextIO

from fastsvm.atomic import replacing

from ...common.output import many, print_heading, print_line, print_table, printable, shortened
from ...common.tables import csv_writer
from ..model.findings import NO_CELL, Count, Finding, ImageFindings

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
                name = shortened(found.file, wide, keep="end")
                sys.stdout.write(f"{name:<{wide}}  {_words(cell, label_wide)}\n")
            sys.stdout.flush()

    return show


def _words(cell: Finding | None, label_wide: int) -> str:
    if cell is None:
        return NO_CELL
    box = " ".join(f"{side:>5}" for side in cell.box)
    return f"{box}  {printable(cell.label):<{label_wide}}  {cell.score:>6.3f}"


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
    return {"counts": count.labels, "percent": count.percents, **places_record(count, seconds)}


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
    if not count.cells:
        print_line("")
        print_places(count)
        return
    print_heading("Count")
    percents = count.percents
    rows = [(label, f"{n:,}", f"{percents[label]:.1f}") for label, n in count.labels.items()]
    print_table(("label", "cells", "%"), [*rows, ("all", f"{count.cells:,}", "100.0")])
    print_line("")
    print_places(count)


def print_places(count: Count) -> None:
    """Print how many cells were found in how many images."""
    without = f", {count.without_cell:,} of them without a white cell" if count.without_cell else ""
    print_line(f"{many(count.cells, 'white cell')} in {many(count.images, 'image')}{without}")
