"""`crop`: cut the white cells out of images."""

import os
import sys

import click

from ...common.errors import USAGE, AppError
from ...common.options import json_option, options_of_fields, section
from ...common.paths import Writes, check_kind
from ...common.printing import warn, written
from ..settings import CropSettings
from ._options import cell_width_option, command, images_argument


@command(
    "crop smears -o crops",
    "crop smears -o crops --style document --gray --negative",
    "crop smears -o boxes.csv --steps steps",
)
@images_argument
@section("Input", cell_width_option)
@section("Recipe", *options_of_fields(CropSettings))
@section(
    "Output",
    click.option(
        "-o",
        "--output",
        type=Writes("csv", "folder", stdout=True),
        required=True,
        metavar="DIR|FILE.csv",
        help="Folder for the crops and boxes.csv. With FILE.csv, or - for stdout, only the table is written.",
    ),
    click.option("--steps", type=Writes("folder"), help="Draw the steps from each image to its crops."),
    json_option,
)
def crop(images, output, steps, cell_width, json, stage, verbose, **chosen):
    """Cut the white cells out of IMAGES.

    Each crop is named after its image and the number of the cell in `classify`. The table boxes.csv has a row
    for each cell, and for each image without a cell.
    """
    if output == "-" and json:
        raise AppError("-o - and --json both write to stdout; choose one", USAGE)
    from ...common.csv_quoting import table_file
    from ...common.sections import Section, tell
    from ..data.image_files import find_images, outside_folders, source_name
    from ..finding.findings import CellCounts
    from ..finding.first_look import first_look
    from ..finding.image_scale import scale_record
    from ..jobs.cell_cropping import crop_cells
    from ..output import cell_tables, picture_files

    folder = None if output == "-" or output.lower().endswith(".csv") else output
    table = os.path.join(folder, "boxes.csv") if folder else output
    if folder:
        check_kind(table, [cell_tables.BOXES])
    if not folder and (chosen["gray"] or chosen["negative"]):
        raise AppError("--gray and --negative change crops; give -o a folder to write crops to", USAGE)
    stage.spinner &= not (table == "-" and sys.stdout.isatty())
    with stage:
        with stage("find"):
            found_images = find_images(images)
            files = outside_folders(found_images, filter(None, (folder, steps)))
            look = first_look(files, cell_width)
        count = CellCounts(source_name(images))
        count.left_out = len(found_images) - len(files)
        write_crop = picture_files.crop_writer(files, folder) if folder else None
        draw = picture_files.steps_writer(files, steps) if steps else None
        with stage("crop", total=len(files)) as advance, table_file(table) as file:
            write = cell_tables.cell_row_writer(file, cell_tables.BOX_COLUMNS)
            for found in crop_cells(files, CropSettings(**chosen), look=look, write=write_crop, draw=draw):
                write(found)
                count.add(found)
                advance()
    warn(cell_tables.missed_line(count, look))
    record = {"output": output, "cell_width": scale_record(look.scale)}
    record |= cell_tables.crop_record(count, stage.seconds)
    lines = [cell_tables.found_line(count), *written(output)] if table != "-" else []
    return tell(json, record, [Section(lines=lines)], count.skipped)
