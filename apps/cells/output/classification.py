"""`classify`: images found, classified and counted, and the results led to all who want them."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import Literal

from ...common.files import check_file, make_folder
from ...common.progress import Stages
from ...common.streams import going_on
from ..data.files import ImageFile, find_images, source_name
from ..data.tiles import with_tiles
from ..model.findings import Count, ImageFindings
from ..model.prediction import load_cell_model, with_truths
from ..model.slide_findings import merged
from .cell_tables import CELL_COLUMNS, cell_printer, image_record, row_writer, table_file
from .journal import classify_kept, journal_of
from .page import write_report
from .places import outside, overlay_writer

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
    cell_width : float, optional
        As for `read_scaled`.
    resume : bool
        Whether a run that was ended goes on, by what it left beside the table.
    """

    shown: Literal["lines", "csv", "json"] = "lines"
    table: str | None = None
    overlay: str | None = None
    page: str | None = None
    raw_csv: bool = False
    labels: str | None = None
    cell_width: float | None = None
    resume: bool = False


@dataclass(frozen=True)
class Classified:
    """What `classify` did; `records` are those of the images where JSON is wanted."""

    model: str
    count: Count
    records: list[dict]


def classify_images(
    sources: Sequence[str], model_path: str | None, wanted: Wanted, stage: Stages
) -> Classified:
    """Classify the cells of images, and print and write what is wanted."""
    with stage("load"):
        model = load_cell_model(model_path)
    with stage("find"):
        files = with_truths(find_images(sources, labels=wanted.labels), model, wanted.labels)
        if wanted.overlay:
            files = outside(files, wanted.overlay)
            make_folder(wanted.overlay)
        if wanted.page:
            check_file(wanted.page)
    done = Classified(model.name, Count(source_name(sources), model.classes), [])
    with ExitStack() as stack:
        sinks = [done.count.add]
        if wanted.table:
            check_file(wanted.table)
            file = stack.enter_context(table_file(wanted.table))
            sinks.append(row_writer(file, CELL_COLUMNS, raw=wanted.raw_csv))
        if wanted.shown == "json":
            sinks.append(lambda found: done.records.append(image_record(found)))
        else:
            sinks.append(_printer(wanted, files, model.classes))
        items = list(with_tiles(files, lambda slide: wanted.cell_width))
        journal = journal_of(items, model_path, wanted.table, wanted.resume)
        with stage("classify", total=len(items)) as advance:
            results = classify_kept(
                items,
                model,
                journal,
                cell_width=wanted.cell_width,
                thumbnails=bool(wanted.page),
                draw=overlay_writer(files, wanted.overlay) if wanted.overlay else None,
            )
            passed = _passed(merged(results, advance), sinks)
            if wanted.page:
                write_report(
                    wanted.page, passed, title=f"White cells: {source_name(sources)}", model=model.name
                )
            else:
                for _ in passed:
                    pass
    if journal:
        journal.remove()
    return done


def _printer(wanted: Wanted, files: Sequence[ImageFile], classes: Sequence[str]) -> Sink:
    """Return what prints what was found in an image, as it comes."""
    if wanted.shown == "csv":
        start = partial(row_writer, sys.stdout, CELL_COLUMNS, raw=wanted.raw_csv)
    else:
        start = partial(cell_printer, [file.name for file in files], classes)
    # A reader who leaves ends the work, unless there are files to write.
    return going_on(start) if wanted.table or wanted.overlay or wanted.page else start()


def _passed(results: Iterator[ImageFindings], sinks: Sequence[Sink]) -> Iterator[ImageFindings]:
    for found in results:
        for sink in sinks:
            sink(found)
        yield found
