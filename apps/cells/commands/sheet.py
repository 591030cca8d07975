"""`sheet`: many images, or the white cells in them, in one picture."""

import click

from ...common.errors import Skipped
from ...common.files import check_file
from ...common.options import COUNT
from ...common.output import note, note_skipped, print_line, tidy_warnings
from ...common.progress import Stages
from ._options import cell_width_option, command, images_argument


@command("sheet smears -o sheet.png", "sheet smears -o cells.png --crops --columns 10")
@images_argument
@click.option("-o", "--output", required=True, metavar="FILE.png", help="The picture.")
@click.option("--crops", is_flag=True, help="Show the white cells found instead of the images.")
@click.option("--limit", type=COUNT, default=400, help="Most pictures to show.")
@click.option("--columns", type=COUNT, help="Pictures in a row.  [default: about 1.2 x rows]")
@cell_width_option
def sheet(images, output, limit, cell_width, quiet, verbose, **how):
    """Lay IMAGES, or the white cells in them, on one sheet."""
    from ..data.files import find_images, source_name
    from ..finding.scale import scale_of
    from ..output import drawing, sheets

    drawing.check_ending(output)
    check_file(output)
    skipped = Skipped(source_name(images))
    with tidy_warnings(), Stages(verbose, spinner=not quiet) as stage:
        with stage("find"):
            files = find_images(images)
            scale = scale_of(files, cell_width)
        with stage("draw", total=len(files)) as advance:
            how |= {"cell_width": scale, "limit": limit, "advance": advance}
            more = sheets.draw_sheet(output, files, skipped, **how)
    print_line(output)
    if more:
        note(f"note: only the first {limit:,} pictures are on it; --limit allows more")
    return note_skipped(skipped)
