"""`classify`: find, classify and count white cells."""

import sys
from dataclasses import fields

import click

from ...common.dask_cluster import scheduler_option
from ...common.options import FiniteRange, json_option, options_of_fields, section
from ...common.paths import Continues, Reads, Writes
from ...common.printing import check_one_form, next_line, print_line, warn, written
from ..settings import ClassifySettings
from ._options import command, images_argument, labels_option, model_option


@command(
    "classify smears --report smears.html",
    "classify smears -m cells.safetensors --csv > cells.csv",
    "classify smear.jpg --also rbc,platelets --overlay checked",
    "classify smears --measurements cells.csv --pixel-size 0.1",
)
@images_argument
@section(
    "Input",
    model_option,
    *options_of_fields(ClassifySettings, "cell_width"),
    labels_option,
    click.option(
        "--groups",
        type=Reads(),
        metavar="CSV",
        help="The slide or patient of each image, for separate counts: a table with columns file, group.  "
        "[default: each slide or top folder, if there are several and none is named after a class]",
    ),
)
@section("Recipe", *options_of_fields(ClassifySettings, "min_score", "strict", "also"), scheduler_option)
@section(
    "Output",
    click.option(
        "-o",
        "--output",
        type=Continues("csv", stdout="--csv prints the table"),
        help="Write the table of cells to a CSV file. An interrupted run resumes when it is started again.",
    ),
    click.option("--csv", is_flag=True, help="Print the table of cells as CSV, and nothing else."),
    json_option,
    click.option("--report", "page", type=Writes("html"), help="Write a page with counts and pictures."),
    click.option("--overlay", type=Writes("folder"), help="Draw boxes and labels into copies of the images."),
    click.option(
        "--export",
        type=Writes("json", "geojson", "folder"),
        multiple=True,
        metavar="FILE|DIR",
        help="Write boxes and outlines for other programs. FILE.json: COCO. FILE.geojson: GeoJSON for "
        "QuPath, one image only. DIR: one GeoJSON file per image. May be repeated.",
    ),
    click.option(
        "--by-group", type=Writes("csv"), help="Write a table of counts and shares per slide or patient."
    ),
    click.option("--measurements", type=Writes("csv"), help="Write areas, lengths and colours of the cells."),
    click.option(
        "--pixel-size",
        type=FiniteRange(min=0, min_open=True),
        metavar="UM",
        help="Width of a pixel in micrometres, for --measurements.",
    ),
)
def classify(images, csv, json, stage, verbose, **given):
    """Find, classify and count the white cells in IMAGES."""
    check_one_form(json, csv)
    from ...common.sections import tell
    from .. import api
    from ..output import cell_tables
    from ..output.classify_outputs import ClassifyOutputs

    files = {each.name: given.pop(each.name) for each in fields(ClassifyOutputs) if each.name in given}
    shown = "csv" if csv else "lines" if verbose and not json else ""
    # Rows come as the work goes on; on a terminal they show the progress by themselves.
    stage.spinner &= not (csv and sys.stdout.isatty())
    with stage:
        outputs = ClassifyOutputs(shown, keep=json, **files)
        count = api.classify(images, outputs=outputs, stage=stage, **given)
    warn(cell_tables.missed_line(count, count.look), count.advice(), count.too_good)
    lines = written(files["output"])
    if count.advice():
        chosen = ["-m", given["model"]] if given["model"] else []
        lines.append(next_line("fastsvm-cells", "review", *images[:3], *chosen))
    elif not (verbose or files["page"]) and len(images) <= 3:
        lines.append(next_line("--report", "cells.html"))
    shown = [] if csv or not count.images else cell_tables.count_sections(count, lines)
    if shown and verbose and not json:
        print_line("")
    return tell(json, cell_tables.count_record(count, stage.seconds), shown, count.skipped)
