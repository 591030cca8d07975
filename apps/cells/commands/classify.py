"""`classify`: find, classify and count white cells."""

import sys

import click

from ...common import options
from ...common.cluster import scheduler_option
from ...common.errors import USAGE, AppError
from ...common.options import json_option
from ...common.output import check_one_form, note, note_skipped, print_json, tidy_warnings
from ...common.progress import Stages
from ...common.tables import raw_csv_option
from ..settings import EXPORTS
from ._options import also_option, cell_width_option, command, images_argument


@command(
    "classify smears --report smears.html",
    "classify smears -m cells.safetensors --csv > cells.csv",
    "classify smear.jpg --also rbc,platelets --overlay checked",
    "classify smears --export cells.json --measurements cells.csv --pixel-size 0.1",
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
@click.option(
    "--export",
    multiple=True,
    metavar="FILE|DIR",
    help="Write boxes and outlines for other programs: FILE.json is COCO; FILE.geojson, of one image, is "
    "for QuPath; a folder has files of each image, see --export-as. May be repeated.",
)
@click.option(
    "--export-as",
    type=click.Choice([kind for kind in EXPORTS if kind != "coco"]),
    help="What an exported folder has: GeoJSON; Pascal VOC annotations; masks of cells and nuclei (PNG, 16 "
    "bits).",
)
@click.option(
    "--measurements", metavar="FILE.csv", help="Write a table of areas, lengths and colours of cells."
)
@click.option(
    "--pixel-size",
    type=options.FiniteRange(min=0, min_open=True),
    metavar="UM",
    help="How many micrometres a pixel is wide, for measurements.",
)
@click.option(
    "--min-score",
    type=options.FiniteRange(min=0, max=1),
    help="Leave a cell unclassified whose class is less likely.  [default: the model's, by which 5 % of the "
    "labels are wrong; 0 labels every cell]",
)
@click.option("--correct", is_flag=True, help="Show shares corrected for the model's known confusions, too.")
@click.option("--strict", is_flag=True, help="Refuse images unlike those the model has learnt from.")
@also_option
@cell_width_option
@click.option("--resume", is_flag=True, help="Go on with a run that was ended: its -o tells where it was.")
@scheduler_option
@json_option
def classify(images, model, csv, json, export, export_as, also, correct, scheduler, quiet, verbose, **files):
    """Find, classify and count the white cells in IMAGES."""
    check_one_form(json, csv)
    if files["resume"] and files["output"] is None:
        raise AppError("--resume wants the -o FILE.csv of the run that was ended", USAGE)
    if "-" in (files["output"], files["measurements"]):
        raise AppError("-o and --measurements want files; --csv prints the table", USAGE)
    from ..data.carried import image_workers
    from ..finding.scale import scale_record
    from ..output import cell_tables
    from ..output.classification import Wanted, classify_images
    from ..output.exports import export_of

    shown = "json" if json else "csv" if csv else "lines"
    exports = tuple(export_of(path, export_as) for path in export)
    wanted = Wanted(shown, table=files.pop("output"), exports=exports, also=also or (), **files)
    # Rows come as the work goes on; on a terminal they show the progress by themselves.
    with (
        tidy_warnings(),
        image_workers(scheduler) as describing,
        Stages(verbose, not quiet and (json or not sys.stdout.isatty())) as stage,
    ):
        result = classify_images(images, model, wanted, stage, describing)
    if json:
        record = cell_tables.count_record(result.count, result.corrected, result.min_score, stage.seconds)
        print_json(
            {
                "model": result.model,
                "cell_width": scale_record(result.scale),
                "images": result.records,
                **record,
            }
        )
    elif not csv:
        if correct and result.corrected is None and result.count.cells:
            note("note: shares are not corrected: confusions are known at the model's own --min-score only")
        cell_tables.print_counts(result.count, result.corrected if correct else None, result.min_score)
    return note_skipped(result.count.skipped)
