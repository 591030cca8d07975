"""`review`: look through the cells of images in a browser, and correct their labels."""

import sys

import click

from ...common.files import check_is_file
from ...common.options import COUNT
from ...common.output import many, note_skipped, print_line, tidy_warnings
from ...common.progress import Stages
from ._options import cell_width_option, command, images_argument


@command("review smears -o corrections.json", "review smears -m cells.safetensors --limit 10000")
@images_argument
@click.option(
    "-m", "--model", metavar="MODEL", help="The classifier.  [default: one that comes with fastsvm]"
)
@click.option(
    "-o",
    "--output",
    default="corrections.json",
    metavar="FILE.json",
    help="Where corrections are kept; what such a file already says is taken up again.",
)
@click.option("--limit", type=COUNT, default=2_000, help="Most cells to show, the least certain.")
@cell_width_option
def review(images, model, output, limit, cell_width, quiet, verbose):
    """Classify the white cells in IMAGES, and correct them in a browser.

    Prints the address of a page that only this computer can open. Each correction is written to the file at
    once; Ctrl-C ends the work. `train --corrections` learns from the file.
    """
    check_is_file(output, "corrections")
    from ..output import reviewing

    with tidy_warnings():
        with Stages(verbose, spinner=not quiet) as stage:
            server, skipped = reviewing.server_of(images, model, output, limit, cell_width, stage)
        with server:
            print_line(server.url)
            sys.stdout.flush()
            try:
                server.serve_forever()
            except KeyboardInterrupt:
                print_line(f"{many(len(server.work.verdicts), 'cell')} looked at: {output}")
    return note_skipped(skipped)
