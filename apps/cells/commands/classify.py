"""`classify`: find, classify and count white cells."""

import sys

import click

from ...common.errors import USAGE, AppError
from ...common.options import json_option
from ...common.output import check_one_form, note_skipped, print_json, tidy_warnings
from ...common.progress import Stages
from ...common.tables import raw_csv_option
from ._options import also_option, cell_width_option, command, images_argument


@command(
    "classify smears --report smears.html",
    "classify smears -m cells.safetensors --csv > cells.csv",
    "classify smear.jpg --also rbc,platelets --overlay checked",
)
@images_argument
@click.option(
    "-m", "--model", metavar="MODEL", help="The classifier.  [default: one that comes with fastsvm]"
)
@click.option("-o", "--output", metavar="FILE.csv", help="Write the table of cells to a CSV file.")
@click.option("--csv", is_flag=True, help="Print the table of cells as CSV, and nothing else.")
@raw_csv_option
@click.option("--overlay", metavar="DIR", help="Draw boxes and labels into copies of the images.")
@click.option("--report", "page", metavar="FILE.html", help="Write a page with counts and pictures.")
@click.option(
    "--labels",
    metavar="CSV|FOLDER",
    help="Known labels, for the report: columns file, label; or a folder of Pascal VOC annotations.  "
    "[default: the folder that an image lies in, if it has the name of a class]",
)
@also_option
@cell_width_option
@json_option
def classify(
    images, model, output, csv, raw_csv, overlay, page, labels, also, cell_width, json, quiet, verbose
):
    """Find, classify and count the white cells in IMAGES."""
    check_one_form(json, csv)
    if output == "-":
        raise AppError("-o wants a file; --csv prints the table", USAGE)
    from ..output import cell_tables
    from ..output.classification import Wanted, classify_images

    shown = "json" if json else "csv" if csv else "lines"
    wanted = Wanted(shown, output, overlay, page, raw_csv, labels, cell_width, also or ())
    # Rows come as the work goes on; on a terminal they show the progress by themselves.
    with tidy_warnings(), Stages(verbose, not quiet and (json or not sys.stdout.isatty())) as stage:
        result = classify_images(images, model, wanted, stage)
    if json:
        record = cell_tables.count_record(result.count, stage.seconds)
        print_json({"model": result.model, "images": result.records, **record})
    elif not csv:
        cell_tables.print_counts(result.count)
    return note_skipped(result.count.skipped)
