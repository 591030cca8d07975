"""Findings as tables for people, records for --json and rows of CSV files."""

import sys
from collections.abc import Callable, Sequence
from typing import TextIO

from ...common.csv_quoting import csv_writer
from ...common.paths import Kind
from ...common.printing import fields, many, more, print_line, print_rows, shortened
from ...common.sections import Section, Table
from ..finding.findings import UNCLASSIFIED, UNFAMILIAR, CellCounts, ImageFindings, why_no_cell
from ..finding.first_look import FirstLook
from ..finding.image_scale import scale_record, scale_words
from ..jobs.cell_classification import CellClassification
from ..learning.cell_model import CellModel
from ..measuring.cell_measures import column_names, with_units
from .cell_drawing import NO_LABEL, color_of

PLACE_COLUMNS = ("file", "cell", "x", "y", "w", "h", "cx", "cy", "area")
BOX_COLUMNS = (*PLACE_COLUMNS, "status")
BOXES = Kind("a table of boxes by crop", (".csv",), f"{','.join(BOX_COLUMNS)}\n".encode())
CELL_COLUMNS = (*PLACE_COLUMNS, "label", "score", "flags", "status")
MEASURED_COLUMNS = ("file", "cell", "x", "y", "w", "h", "label", "score")
ABOUT_UNDECIDED = "Undecided cells may be of any class: the upper end of each interval counts them all."
NAME_LETTERS, GROUP_LETTERS = 60, 16  # letters of a file's name in a table, and of a group's in a terminal
SHOWN_GROUPS = 6  # rows of a terminal
MANY_WITHOUT = 2 / 3  # share of images without a cell, from which on a warning comes first


# Rows of cells


def cell_columns(model: CellModel) -> tuple[str, ...]:
    """Return the columns of cells with labels, with the probability of each class if there are any."""
    classes = model.classes if model.gives_probabilities else ()
    return (*CELL_COLUMNS[:-2], *(f"p_{label}" for label in classes), *CELL_COLUMNS[-2:])


def cell_row_writer(file: TextIO, columns: Sequence[str]) -> Callable[[ImageFindings], None]:
    """Write the header of a table, and return a function that writes the rows of an image."""
    write_row = csv_writer(file)
    write_row(columns)
    labelled = "label" in columns
    n_classes = max(0, len(columns) - len(CELL_COLUMNS))

    def write(found: ImageFindings) -> None:
        flags = ["; ".join(found.flags)] * labelled
        if not found.cells:
            status = why_no_cell(found.flags) if found.problem is None else f"skipped: {found.problem}"
            write_row([found.file, *[""] * (len(columns) - 2 - labelled), *flags, status])
        for k, cell in enumerate(found.cells, start=1):
            label = (cell.label, _digits(cell.score)) if labelled else ()
            shares = [*map(_digits, cell.probabilities or ()), *[""] * n_classes][:n_classes]
            place = (found.file, k, *cell.box, *cell.center, cell.area or "")
            write_row([*place, *label, *shares, *flags, "ok"])
        # With the kind in place of "ok" and without a label, no count of white cells is changed by them.
        for k, other in enumerate(found.others, start=len(found.cells) + 1):
            place = (found.file, k, *other.box, *other.center, other.area)
            write_row([*place, *[""] * (len(columns) - len(place) - 1), other.label])
        if file is sys.stdout:
            file.flush()

    return write


def measures_writer(file: TextIO, pixel_size: float | None) -> Callable[[ImageFindings], None]:
    """Write the header of a table of measurements; return a function that writes the cells of an image."""
    write_row = csv_writer(file)
    write_row([*MEASURED_COLUMNS, *column_names(pixel_size)])

    def write(found: ImageFindings) -> None:
        for k, cell in enumerate(found.cells, start=1):
            values = map(_digits, with_units(cell.measures, pixel_size))
            write_row([found.file, k, *cell.box, cell.label, _digits(cell.score), *values])

    return write


def _digits(number: float) -> str:
    return f"{number:.6g}"


def cell_printer(names: Sequence[str], classes: Sequence[str]) -> Callable[[ImageFindings], None]:
    """Print the header of a table for people, and return a function that prints the cells of an image."""
    wide = min(NAME_LETTERS, max(map(len, names)))
    label_wide = max(map(len, ("label", *classes)))
    head = f"{'file':<{wide}}  {'x':>5} {'y':>5} {'w':>5} {'h':>5}  {'label':<{label_wide}}  {'score':>6}"
    print_line(head)

    def show(found: ImageFindings) -> None:
        if found.problem is not None:
            return
        name = f"{shortened(found.file, wide, keep='end'):<{wide}}"
        lines = [] if found.cells else [f"{name}  {why_no_cell(found.flags)}"]
        for cell in found.cells:
            box = " ".join(f"{side:>5}" for side in cell.box)
            lines.append(f"{name}  {box}  {cell.label:<{label_wide}}  {cell.score:>6.3f}")
        print_rows([line] for line in lines)

    return show


# Records and tables


def count_record(count: CellClassification, seconds: dict[str, float]) -> dict:
    """Return the record of all images for `classify --json`."""
    corrected = count.corrected
    others = {"others": _others(count)} if count.others else {}
    return {
        "model": count.model.name,
        "cell_width": scale_record(count.look.scale),
        "min_score": count.min_score,
        "min_score_unfamiliar": count.min_unfamiliar,
        **shares_record(count),
        "corrected_percent": corrected and {label: 100 * share for label, share in corrected.items()},
        "learned": count.learned,
        "flagged": count.n_flagged,
        "unfamiliar": count.flags[UNFAMILIAR],
        **others,
        **crop_record(count, seconds),
        "groups": [
            {"group": name, "n_images": each.images, "n_cells": each.cells, **shares_record(each)}
            for name, each in count.groups.items()
        ],
        "images": count.to_records(),
    }


def shares_record(count: CellCounts) -> dict:
    """Return how many cells have each label, and percentages, which are null if they would mislead."""
    return {
        "counts": count.labels,
        "percent": {label: count.percent(label) for label in count.labels},
        "percent_intervals": {label: count.interval(label) for label in count.labels},
    }


def _others(count: CellCounts) -> dict:
    """Return how many red cells and platelets there are, in all and per image."""
    return {
        kind: {"count": n, "per_image": n / count.images if count.images else None}
        for kind, n in count.others.items()
    }


def crop_record(count: CellCounts, seconds: dict[str, float]) -> dict:
    """Return what `crop --json` prints."""
    return {
        "n_images": count.images,
        "n_cells": count.cells,
        **fields(count, "without_cell", "unmeasured"),
        "skipped": count.skipped.count,
        "left_out": count.left_out,
        "seconds": seconds,
    }


def count_sections(count: CellClassification, last: Sequence[str] = ()) -> list[Section]:
    """Return the differential count and the rest of what `classify` prints of all images."""
    lines = [found_line(count)]
    if count.undecided:
        counted = "" if count.why_no_shares else "; the intervals count them all"
        lines.append(f"unclassified: no class reaches {_wanted_score(count)} (--min-score){counted}")
    if count.n_flagged:
        kinds = ", ".join(f"{flag} {n:,}" for flag, n in count.flags.most_common())
        lines.append(f"{many(count.n_flagged, 'image')} unlike the training images: {kinds}")
    for kind, said in _others(count).items():
        mean = "" if said["per_image"] is None else f", {said['per_image']:.1f} per image"
        lines.append(f"{many(said['count'], kind)}{mean}")
    shares = [count_section(count)] if count.cells else []
    groups = groups_sections(count, SHOWN_GROUPS, brief=True)
    return [*shares, *groups, Section(lines=[*lines, *last])]


def count_section(count: CellClassification, title: str = "Count", grows: bool = False) -> Section:
    """Return the differential count, with shares corrected for mistakes if these are known.

    If it `grows`, because people correct labels, it also has a row for cells of no class.
    """
    labels, corrected = dict(count.labels), count.corrected
    if grows:
        labels.setdefault(UNCLASSIFIED, 0)
    rows = []
    for label, n in labels.items():
        share, interval = count.percent(label), count.interval(label)
        without = f"{100 * corrected[label]:.1f}" if corrected and label in corrected else ""
        rows.append((label, f"{n:,}", _tenths(share), _tenths(*interval or ()), without))
    rows.append(("all", f"{count.cells:,}", _tenths(100.0 if count.cells else 0.0), "", ""))
    columns = ("label", "cells", "%", "95 % interval", "corrected %")
    why = count.why_no_shares
    shown = 2 if why else len(columns) if corrected else -1
    most = max(*labels.values(), 1)
    bars = [*(100 * n / most for n in labels.values()), 0]
    colors = [*map(color_of, labels), NO_LABEL]
    table = Table(columns[:shown], [row[:shown] for row in rows], bars=bars, colors=colors)
    about = [ABOUT_UNDECIDED] * bool((count.undecided or grows) and not why)
    lines = [f"No percentages: {why}."] * bool(why)
    return Section(title=title, about=about, lines=lines, tables=[table])


def groups_sections(count: CellClassification, most: int, *, brief: bool = False) -> list[Section]:
    """Return a table with a row for each slide or patient, at most `most`; nothing without groups.

    If `brief`, as for a terminal, percentages are whole and have no number of cells beside them.
    """
    if not count.groups:
        return []
    labels = [label for label in count.labels if label != UNCLASSIFIED]
    misleading = [bool(each.why_no_shares) for each in count.groups.values()]
    letters, number = GROUP_LETTERS if brief else NAME_LETTERS, "" if all(misleading) else "n = "
    rows = []
    for name, each in [*count.groups.items()][:most]:
        group = shortened(name, letters, keep="end") or "(in no group)"
        undecided = [f"{each.undecided:,}"] * bool(count.undecided)
        shares = (_share_words(each, label, brief, number) for label in labels)
        rows.append((group, f"{each.cells:,}", *undecided, *shares))
    beside = "" if brief else " and numbers of cells (n)"
    lines = [f"Percentages of the cells, with 95 % intervals{beside}."]
    if all(misleading):
        lines = ["Numbers of cells; percentages would mislead."]
    elif any(misleading):
        lines.append("Where percentages would mislead, only the number of cells is given, as n = 3.")
    left_out = more(len(count.groups) - len(rows), "row", "; --by-group FILE.csv lists all")
    columns = "group", "cells", *[UNCLASSIFIED] * bool(count.undecided), *labels
    tables = [Table(columns, rows, left_out=left_out)]
    return [Section(title="By slide or patient", lines=lines, tables=tables)]


def _share_words(count: CellCounts, label: str | None, brief: bool, number: str) -> str:
    share, interval, n = count.percent(label), count.interval(label), count.labels.get(label, 0)
    if share is None or interval is None:
        return f"{number}{n:,}" if count.cells else ""
    digits = 0 if brief else 1
    words = f"{share:.{digits}f} ({interval[0]:.{digits}f}-{interval[1]:.{digits}f})"
    return words if brief else f"{words}, n = {n:,}"


def write_groups(file: TextIO, count: CellClassification) -> None:
    """Write a row for each slide or patient, or one row for all images without groups."""
    write_row = csv_writer(file)
    labels = [label for label in count.labels if label != UNCLASSIFIED]
    shares = [f"{label}{kind}" for label in labels for kind in ("", "_percent", "_low", "_high")]
    write_row(["group", "images", "cells", "counted", UNCLASSIFIED, *shares])
    for name, each in (count.groups or {count.source: count}).items():
        row = [name, each.images, each.cells, each.cells - each.undecided, each.undecided]
        for label in labels:
            known = each.percent(label), *(each.interval(label) or (None, None))
            row += [each.labels.get(label, 0), *("" if part is None else _digits(part) for part in known)]
        write_row(row)


def _tenths(*percentages: float | None) -> str:
    return "-".join("" if each is None else f"{each:.1f}" for each in percentages)


def _wanted_score(count: CellClassification) -> str:
    """Return the score that a label needs."""
    familiar, unfamiliar = f"a score of {count.min_score:.2f}", f"a score of {count.min_unfamiliar or 0:.2f}"
    n = count.flags[UNFAMILIAR]
    if count.min_score == count.min_unfamiliar or not n:
        return familiar
    return unfamiliar if n == count.with_cell else f"{familiar}, for unfamiliar cells {unfamiliar}"


def missed_line(count: CellCounts, look: FirstLook) -> str:
    """Return the warning that no cell was found in most images; else nothing."""
    n = count.without_cell
    if not n or n < MANY_WITHOUT * (count.images - count.unmeasured):
        return ""
    told = f"In {n:,} of {many(count.images, 'image')} no white cell was found"
    taken = f"a white cell was taken to be {scale_words(look.scale)}"
    return f"{told}; {taken}: check with classify --overlay, or give --cell-width."


def found_line(count: CellCounts) -> str:
    """Return how many cells were found in how many images."""
    without = f", {count.without_cell:,} of them without a white cell" if count.without_cell else ""
    dark = f", {count.unmeasured:,} of them too dark or without contrast" if count.unmeasured else ""
    return f"{many(count.cells, 'white cell')} in {many(count.images, 'image')}{without}{dark}"
