"""`classify`: images found, classified and counted, and the results led to all who want them."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from ...common.files import check_file, make_folder
from ...common.progress import Stages
from ...common.streams import going_on
from ..data.files import ImageFile, find_images, source_name
from ..data.threads import MapImages, map_images
from ..data.tiles import with_tiles
from ..finding.findings import UNCLASSIFIED, Count, ImageFindings
from ..finding.scale import Scale, cell_width_of_slide, scale_of
from ..finding.slide_findings import merged
from ..finding.stain import stain_of_tiles
from ..learning.classifier import CellModel, load_cell_model
from ..learning.differential import corrected_shares
from ..learning.prediction import with_truths
from .cell_tables import cell_columns, cell_printer, image_record, measures_writer, row_writer, table_file
from .exports import Export, exporting
from .journal import classify_kept, journal_of
from .page import write_report
from .places import outside, overlay_writer
from .reviewing import about

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
    min_score : float, optional
        A cell gets a label only with this score; by default with that of the model.
    strict : bool
        Whether images unlike those the model has learnt from are refused.
    resume : bool
        Whether a run that was ended goes on, by what it left beside the table.
    also : sequence of {"red cell", "platelet"}
        What is found beside white cells.
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
    min_score: float | None = None
    strict: bool = False
    resume: bool = False
    also: Sequence[str] = ()


@dataclass(frozen=True)
class Classified:
    """What `classify` did.

    Attributes
    ----------
    model : str
    count : Count
    records : list of dict
        Those of the images, where JSON is wanted.
    scale : float or Scale
    min_score : float or None
        What a label wants; None where scores are no probabilities.
    corrected : dict or None
        Shares of the classes, corrected for known confusions; None where these are not known.
    """

    model: str
    count: Count
    records: list[dict]
    scale: float | Scale
    min_score: float | None
    corrected: dict[str, float] | None = None


def classify_images(
    sources: Sequence[str],
    model_path: str | None,
    wanted: Wanted,
    stage: Stages,
    describing: MapImages = map_images,
) -> Classified:
    """Classify the cells of images, described by `describing`, and print and write what is wanted."""
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
    least = model.least(wanted.min_score)
    labels = [*model.classes, UNCLASSIFIED] if least else model.classes
    done = Classified(model.name, Count(source_name(sources), labels, wanted.also), [], scale, least)
    with ExitStack() as stack:
        sinks = [done.count.add, *_file_sinks(stack, wanted, files, model)]
        if wanted.shown == "json":
            sinks.append(lambda found: done.records.append(image_record(found, model.classes, wanted.also)))
        else:
            sinks.append(_printer(wanted, files, model))
        width_of = partial(cell_width_of_slide, given=wanted.cell_width)
        items = list(with_tiles(files, width_of, stain_of_tiles))
        journal = journal_of(items, model_path, wanted.table, wanted.resume)
        with stage("classify", total=len(items)) as advance:
            results = classify_kept(
                items,
                model,
                journal,
                cell_width=scale,
                also=tuple(wanted.also),
                thumbnails=bool(wanted.page),
                details=bool(wanted.exports or wanted.measurements),
                min_score=wanted.min_score,
                strict=wanted.strict,
                draw=overlay_writer(files, wanted.overlay) if wanted.overlay else None,
                describing=describing,
            )
            passed = _passed(merged(results, advance), sinks)
            if wanted.page:
                write_report(wanted.page, passed, **about(model, sources))
            else:
                for _ in passed:
                    pass
    if journal:
        journal.remove()
    if least != model.about.calibration.min_score:  # the confusions are those at that score
        return done
    return replace(done, corrected=corrected_shares(done.count.labels, model.classes, model.about.confusion))


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


def _printer(wanted: Wanted, files: Sequence[ImageFile], model: CellModel) -> Sink:
    """Return what prints what was found in an image, as it comes."""
    if wanted.shown == "csv":
        start = partial(row_writer, sys.stdout, _columns(model), raw=wanted.raw_csv)
    else:
        start = partial(cell_printer, [file.name for file in files], model.classes)
    # A reader who leaves ends the work, unless there are files to write.
    files_wanted = (wanted.table, wanted.overlay, wanted.page, wanted.exports, wanted.measurements)
    return going_on(start) if any(files_wanted) else start()


def _passed(results: Iterator[ImageFindings], sinks: Sequence[Sink]) -> Iterator[ImageFindings]:
    for found in results:
        for sink in sinks:
            sink(found)
        yield found
