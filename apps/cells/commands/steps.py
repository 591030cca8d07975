"""`steps`: draw the way from an image to the white cell in it."""

import click

from ...common.figures import check_picture
from ...common.output import note, print_line, tidy_warnings
from ...common.progress import Stages
from ..settings import METHODS
from ._options import cell_width_option, command


@command("steps smear.jpg -o steps.png", "steps smear.jpg -o steps.svg --method report")
@click.argument("image")
@click.option("-o", "--output", required=True, metavar="FILE.png", help="The figure (.png, .svg or .pdf).")
@click.option(
    "--method",
    type=click.Choice([method for method in METHODS if method != "center"]),
    default="cells",
    help="This app's steps, or those of the report that it goes back to.",
)
@cell_width_option
def steps(image, output, method, cell_width, quiet, verbose):
    """Draw the steps from IMAGE to the white cell in it."""
    from ..data.files import ImageFile
    from ..finding.findings import NO_CELL
    from ..finding.scale import scale_of
    from ..output.sheets import plot_steps, steps_of

    check_picture(output)
    with tidy_warnings(), Stages(verbose, spinner=not quiet) as stage:
        with stage("locate"):
            pictures, found = steps_of(image, method, scale_of([ImageFile(image, image)], cell_width))
        with stage("draw"):
            plot_steps(pictures, output)
    print_line(output)
    if not found:
        why = next(words for _, words in pictures if isinstance(words, str))
        note(f"note: {image}: {NO_CELL}: {why}")
