"""`classify`: images found, classified and counted, and the results led to all who want them."""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import Literal

from ...common import html
from ...common.errors import AppError, Skipped
from ...common.files import check_file, make_folder
from ...common.progress import Stages
from ...common.streams import going_on
from ..data.boxes import read_json
from ..data.files import ImageFile, find_images, source_name
from ..model.corrections import checked_corrections
from ..model.findings import NO_CELL, Count, ImageFindings
from ..model.prediction import APP, CellModel, classify, load_cell_model, with_truths
from ..model.scale import Scale, scale_of
from .cell_tables import cell_columns, cell_printer, image_record, measures_writer, row_writer, table_file
from .editing import About
from .exports import Export, exporting
from .page import report_page, write_report
from .places import outside, overlay_writer
from .server import Server, Work
from .tally import Tally

LIMITS = "shipped/white_cells.txt"  # of the model that comes with fastsvm

Sink = Callable[[ImageFindings], object]


@dataclass(frozen=True)
class Wanted:
    """What `classify` is to make of the images.

    Attributes
    ----------
    shown : {"lines", "csv", "json"}
        What is printed: a line for people as each cell is found, the table as CSV, or nothing before the end.
    table, overlay, page : str, optional
        A CSV file, a folder for copies with boxes and labels, and an HTML file.
    raw_csv : bool
        Whether texts of CSV tables stay as they are, even where a spreadsheet takes them for formulas.
    labels : str, optional
        Known labels, as for `find_images`.
    exports : tuple of Export
        What is written in the formats of other programs.
    measurements : str, optional
        A CSV file of measurements.
    pixel_size : float, optional
        Micrometres; measurements are given in them, too.
    cell_width : float, optional
        As for `read_scaled`.
    """

    shown: Literal["lines", "csv", "json"] = "lines"
    table: str | None = None
    overlay: str | None = None
    page: str | None = None
    raw_csv: bool = False
    labels: str | None = None
    cell_width: float | None = None
    exports: tuple[Export, ...] = ()
    measurements: str | None = None
    pixel_size: float | None = None


@dataclass(frozen=True)
class Classified:
    """What `classify` did; `records` are those of the images where JSON is wanted."""

    model: str
    count: Count
    records: list[dict]
    scale: float | Scale


def classify_images(
    sources: Sequence[str], model_path: str | None, wanted: Wanted, stage: Stages
) -> Classified:
    """Classify the cells of images, and print and write what is wanted."""
    with stage("load"):
        model = load_cell_model(model_path)
    with stage("find"):
        files = with_truths(find_images(sources, labels=wanted.labels), model, wanted.labels)
        for folder in _folders(wanted):
            files = outside(files, folder)
            make_folder(folder)
        if wanted.page:
            check_file(wanted.page)
        scale = scale_of(files, wanted.cell_width)
    done = Classified(model.name, Count(source_name(sources), model.classes), [], scale)
    with ExitStack() as stack:
        sinks = [done.count.add, *_file_sinks(stack, wanted, files, model)]
        if wanted.shown == "json":
            sinks.append(lambda found: done.records.append(image_record(found, model.classes)))
        else:
            sinks.append(_printer(wanted, files, model))
        with stage("classify", total=len(files)) as advance:
            results = classify(
                files,
                model,
                cell_width=scale,
                thumbnails=bool(wanted.page),
                details=bool(wanted.exports or wanted.measurements),
                draw=overlay_writer(files, wanted.overlay) if wanted.overlay else None,
            )
            passed = _passed((found for _, found in results), sinks, advance)
            if wanted.page:
                write_report(wanted.page, passed, **about(model, model_path, sources))
            else:
                for _ in passed:
                    pass
    return done


def _folders(wanted: Wanted) -> list[str]:
    """Return the folders that pictures or files for each image go to."""
    overlay = [wanted.overlay] if wanted.overlay else []
    return [*overlay, *(export.path for export in wanted.exports if export.folder)]


def _file_sinks(
    stack: ExitStack, wanted: Wanted, files: Sequence[ImageFile], model: CellModel
) -> Iterator[Sink]:
    """Yield what writes tables and exports, whose files are there once the stack is closed."""
    if wanted.table:
        check_file(wanted.table)
        file = stack.enter_context(table_file(wanted.table))
        yield row_writer(file, _columns(model), raw=wanted.raw_csv)
    if wanted.measurements:
        check_file(wanted.measurements)
        file = stack.enter_context(table_file(wanted.measurements))
        yield measures_writer(file, wanted.pixel_size, raw=wanted.raw_csv)
    for export in wanted.exports:
        yield stack.enter_context(exporting(export, files, model.classes, wanted.pixel_size))


def _columns(model: CellModel) -> tuple[str, ...]:
    return cell_columns(model.classes if model.gives_probabilities else ())


def server_of(
    sources: Sequence[str],
    model_path: str | None,
    output: str,
    limit: int,
    cell_width: float | None,
    stage: Stages,
) -> tuple[Server, Skipped]:
    """Classify the cells of images; return what serves the page to correct them, and what was left out."""
    check_file(output)
    there = os.path.isfile(output) and os.path.getsize(output) > 0
    content = read_json(output, "corrections") if there else None
    if content is not None:
        checked_corrections(content, output)
    with stage("load"):
        model = load_cell_model(model_path)
    with stage("find"):
        files = with_truths(find_images(sources), model, None)
        paths = {file.name: file.path for file in files}
        if len(paths) < len(files):
            raise AppError("several images have the same name; review their folders one by one")
    known = About(**about(model, model_path, sources), served=True)
    tally = Tally(limit, known.classes, "{}.jpg")
    with stage("classify", total=len(files)) as advance:
        for _, found in classify(files, model, cell_width=scale_of(files, cell_width)):
            tally.add(found)
            advance()
    shown = tally.shown
    if not shown:
        raise AppError("; ".join([f"{source_name(sources)}: {NO_CELL}", *tally.skipped.report()[:1]]))
    page, work = report_page(tally, known), Work(output, known, shown, content)
    return Server(page, work, shown, paths), tally.skipped


def about(model: CellModel, path: str | None, sources: Sequence[str]) -> dict:
    """Return what the page says about the model, as for `About`."""
    return {
        "title": f"White cells: {source_name(sources)}",
        "model": model.name,
        "classes": model.classes,
        "limits": " ".join(html.packaged(APP, LIMITS).split()) if path is None else "",
    }


def _printer(wanted: Wanted, files: Sequence[ImageFile], model: CellModel) -> Sink:
    """Return what prints what was found in an image, as it comes."""
    if wanted.shown == "csv":
        start = partial(row_writer, sys.stdout, _columns(model), raw=wanted.raw_csv)
    else:
        start = partial(cell_printer, [file.name for file in files], model.classes)
    # A reader who leaves ends the work, unless there are files to write.
    files_wanted = (wanted.table, wanted.overlay, wanted.page, wanted.exports, wanted.measurements)
    return going_on(start) if any(files_wanted) else start()


def _passed(
    results: Iterator[ImageFindings], sinks: Sequence[Sink], advance: Callable[[], None]
) -> Iterator[ImageFindings]:
    for found in results:
        for sink in sinks:
            sink(found)
        yield found
        advance()
