"""`classify`: find, classify and count white cells."""

import sys

import click

from ...common import options
from ...common.dask_cluster import scheduler_option
from ...common.options import json_option, section
from ...common.paths import Continues, Writes
from ...common.printing import check_one_form, note, note_skipped, print_json, tidy_warnings, warn
from ...common.progress import Stages
from ._options import also_option, cell_width_option, command, images_argument, labels_option, model_option


@command(
    "classify smears --report smears.html",
    "classify smears -m cells.safetensors --csv > cells.csv",
    "classify smear.jpg --also rbc,platelets --overlay checked",
    "classify smears --export cells.json --measurements cells.csv --pixel-size 0.1",
)
@images_argument
@section(
    "Input",
    model_option,
    cell_width_option,
    labels_option,
)
@section(
    "Recipe",
    click.option(
        "--min-score",
        type=options.FiniteRange(min=0, max=1),
        help="Leave a cell unclassified if no class has this score. 0 labels every cell.  [default: the "
        "model's, at which 5 % of the labels are wrong]",
    ),
    click.option(
        "--strict", is_flag=True, help="Give no label to cells that are unlike those of the model's training."
    ),
    also_option,
    scheduler_option,
)
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
        help="Write boxes and outlines for other programs. FILE.json is COCO; FILE.geojson is for QuPath, of "
        "one image; DIR gets a GeoJSON file for each image. May be repeated.",
    ),
    click.option("--measurements", type=Writes("csv"), help="Write areas, lengths and colours of the cells."),
    click.option(
        "--pixel-size",
        type=options.FiniteRange(min=0, min_open=True),
        metavar="UM",
        help="Width of a pixel in micrometres, for measurements.",
    ),
)
def classify(images, model, output, csv, json, export, scheduler, also, quiet, verbose, **how):
    """Find, classify and count the white cells in IMAGES."""
    check_one_form(json, csv)
    from ..data.cluster_images import image_workers
    from ..finding.image_scale import scale_record
    from ..jobs.cell_classification import classify_images
    from ..output import cell_tables
    from ..output.classify_outputs import ClassifyOutputs

    also = also or ()
    written = {name: how.pop(name) for name in ("overlay", "page", "measurements", "pixel_size")}
    shown = "json" if json else "csv" if csv else "lines"
    results = ClassifyOutputs(shown, output, exports=export, also=also, **written)
    # Rows come as the work goes on; on a terminal they show the progress by themselves.
    with (
        tidy_warnings(),
        image_workers(scheduler) as describing,
        Stages(verbose, not quiet and (json or not sys.stdout.isatty())) as stage,
    ):
        done = classify_images(images, model, results, stage, also=also, describing=describing, **how)
    warn(done.count.too_good)
    if json:
        record = cell_tables.count_record(done, stage.seconds)
        head = {"model": done.model, "cell_width": scale_record(done.scale), "images": results.records}
        print_json({**head, **record})
    elif not csv:
        cell_tables.print_counts(done)
    if done.count.why_unlabelled and not quiet:
        note(f"note: {done.count.why_unlabelled}")
    return note_skipped(done.count.skipped)
