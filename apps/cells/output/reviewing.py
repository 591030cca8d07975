"""`review`: a server of the page to correct cells in."""

import os
import shlex
from collections.abc import Sequence
from dataclasses import replace

from ...common.errors import AppError, Skipped
from ...common.progress import Stages
from ..data.image_files import find_images, source_name
from ..data.label_tables import read_json
from ..finding.findings import NO_CELL
from ..finding.image_scale import Scale, scale_of, scale_words
from ..jobs.cell_classification import classify_cells, with_truths
from ..learning.cell_model import CellModel, load_cell_model
from ..learning.corrections import checked_corrections
from .report_page import report_page
from .report_tally import ReportAbout, ReportTally
from .review_server import ReviewServer, Work

ADAPT, NEW = ("fastsvm-cells", "adapt"), "adapted.safetensors"


def review_server_of(
    sources: Sequence[str],
    model_path: str | None,
    output: str,
    limit: int,
    cell_width: float | None,
    labels: str | None,
    stage: Stages,
) -> tuple[ReviewServer, Skipped]:
    """Classify the cells of images; return the server of the page to correct them, and the skipped files."""
    there = os.path.isfile(output) and os.path.getsize(output) > 0
    content = read_json(output, "corrections") if there else None
    if content is not None:
        checked_corrections(content, output)
    with stage("load"):
        model = load_cell_model(model_path)
    with stage("find"):
        files = with_truths(find_images(sources, labels=labels), model, labels)
        paths = {file.name: file.path for file in files}
        if len(paths) < len(files):
            raise AppError("several images have the same name; review their folders one by one")
        scale = scale_of(files, cell_width)
    width = () if cell_width is None else ("--cell-width", f"{cell_width:g}")
    adapt = (*ADAPT, model_path or "shipped", *sources, *width, "--corrections", output, "-o", NEW)
    known = replace(report_about(model, sources, scale), served=True, adapt=shlex.join(adapt))
    tally = ReportTally(limit, known.classes, "{}.jpg")
    with stage("classify", total=len(files)) as advance:
        for _, found in classify_cells(files, model, cell_width=scale):
            tally.add(found)
            advance()
    shown = tally.shown
    if not shown:
        raise AppError("; ".join([f"{source_name(sources)}: {NO_CELL}", *tally.skipped.report()[:1]]))
    page, work = report_page(tally, known), Work(output, known, shown, content)
    return ReviewServer(page, work, shown, paths), tally.skipped


def report_about(model: CellModel, sources: Sequence[str], scale: float | Scale) -> ReportAbout:
    """Return the facts on a page about cells that a model classified."""
    title = f"White cells: {source_name(sources)}"
    about = {"limits": model.about.limits, "tells_familiar": model.about.cautious is not None}
    return ReportAbout(title, model.name, model.classes, scale=scale_words(scale), **about)
