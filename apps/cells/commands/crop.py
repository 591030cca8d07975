"""`crop`: cut the white cells out of images."""

import os
import sys

import click

from ...common.cluster import scheduler_option
from ...common.errors import USAGE, AppError
from ...common.files import make_folder
from ...common.options import json_option
from ...common.output import note_skipped, print_json, print_line, tidy_warnings
from ...common.progress import Stages
from ...common.tables import raw_csv_option
from ..settings import METHODS
from ._options import cell_width_option, command, images_argument


@command(
    "crop smears -o crops",
    "crop smears -o crops --method report --gray-negative",
    "crop smears -o boxes.csv --csv-only",
)
@images_argument
@click.option(
    "-o",
    "--output",
    required=True,
    metavar="DIR",
    help="Folder for the crops and boxes.csv; with --csv-only a CSV file, or - for stdout.",
)
@click.option(
    "--method",
    type=click.Choice(METHODS),
    default="cells",
    help="Find every cell and its box; the centre of the largest nucleus, fast; or that by the steps of the "
    "report this app goes back to.",
)
@click.option(
    "--size",
    type=click.IntRange(1, 4096),
    metavar="N",
    help="Cut squares of N pixels around the centre, where cells are about 80 wide.  "
    "[default: the box as it is in the image; 120 for the other methods]",
)
@click.option("--gray-negative", is_flag=True, help="Crops in gray, negative, their black frame filled.")
@click.option("--csv-only", is_flag=True, help="No crops, only the table.")
@raw_csv_option
@cell_width_option
@scheduler_option
@json_option
def crop(
    images,
    output,
    method,
    size,
    gray_negative,
    csv_only,
    raw_csv,
    cell_width,
    scheduler,
    json,
    quiet,
    verbose,
):
    """Cut the white cells out of IMAGES.

    Each crop is named after its image, with the number of the cell behind; boxes.csv has a line for each
    cell, the largest of an image first, and for each image without one.
    """
    if csv_only and gray_negative:
        raise AppError("--csv-only makes no crops to be gray and negative; leave one out", USAGE)
    if output == "-" and not csv_only:
        raise AppError("crops cannot go to stdout; give a folder with -o, or --csv-only", USAGE)
    if output == "-" and json:
        raise AppError("-o - and --json both write to stdout; choose one", USAGE)
    from ..data.carried import image_workers
    from ..data.files import find_images, source_name
    from ..finding.findings import Count
    from ..finding.scale import scale_of, scale_record
    from ..jobs.cropping import Cropping, crop_cells
    from ..output import cell_tables, places
    from ..output.drawing import image_content

    only_table = csv_only and (output == "-" or output.lower().endswith(".csv"))
    folder = None if only_table else output
    table = output if only_table else os.path.join(output, "boxes.csv")
    with (
        tidy_warnings(),
        image_workers(scheduler) as cropping,
        Stages(verbose, not quiet and not (table == "-" and sys.stdout.isatty())) as stage,
    ):
        with stage("find"):
            files = find_images(images)
            how = Cropping(method, size, gray_negative, scale_of(files, cell_width))
            if folder:
                files = places.outside(files, folder)
                make_folder(folder)
        count = Count(source_name(images))
        write_crop = None if csv_only else places.crop_writer(files, folder)
        with stage("crop", total=len(files)) as advance, cell_tables.table_file(table) as file:
            write = cell_tables.row_writer(file, cell_tables.BOX_COLUMNS, raw=raw_csv)
            for _, found in crop_cells(files, how, write_crop, image_content, cropping=cropping):
                write(found)
                count.add(found)
                advance()
    if json:
        record = {"output": output, "cell_width": scale_record(how.cell_width)}
        print_json({**record, **cell_tables.places_record(count, stage.seconds)})
    elif table != "-":
        cell_tables.print_places(count)
        print_line(output)
    return note_skipped(count.skipped)
