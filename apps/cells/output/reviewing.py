"""`review`: a server of the page to correct cells in."""

import os
import shlex
from collections.abc import Sequence
from dataclasses import replace

from ...common.errors import AppError, Skipped
from ...common.progress import Stages
from ..data.image_files import find_images, source_name
from ..data.label_tables import read_json
from ..finding.findings import why_no_cell
from ..finding.image_scale import scale_of
from ..jobs.cell_classification import classify_cells, with_truths
from ..learning.cell_model import load_cell_model
from ..learning.corrections import checked_corrections
from ..settings import ClassifySettings
from .report_page import report_page
from .report_tally import ReportTally, report_about
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
        by_name = {file.name: file for file in files}
        if len(by_name) < len(files):
            raise AppError("several images have the same name; review their folders one by one")
        scale = scale_of(files, cell_width)
    width = () if cell_width is None else ("--cell-width", f"{cell_width:g}")
    adapt = (*ADAPT, model_path or "shipped", *sources, *width, "--corrections", output, "-o", NEW)
    known = replace(report_about(model, sources, scale), served=True, adapt=shlex.join(adapt))
    tally = ReportTally(limit, known.classes, "{}.jpg")
    with stage("classify", total=len(files)) as advance:
        for _, found in classify_cells(files, model, ClassifySettings(scale)):
            tally.add(found)
            advance()
    shown = tally.shown
    if not shown:
        why = f"{source_name(sources)}: {why_no_cell(tally.flags)}"
        raise AppError("; ".join([why, *tally.skipped.report()[:1]]))
    page, work = report_page(tally, known), Work(output, known, shown, content)
    return ReviewServer(page, work, shown, by_name), tally.skipped
