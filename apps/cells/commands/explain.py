"""`explain`: why a white cell got its label."""

from dataclasses import replace

import click

from ...common.matplotlib_figures import figure
from ...common.options import COUNT, json_option, section
from ...common.paths import Writes
from ...common.printing import print_json, print_line, tidy_warnings
from ...common.progress import Stages
from ._options import IMAGES, cell_width_option, command, model_option


@command("explain smear.jpg -o why.png", "explain smear.jpg --cell 2 -m cells.safetensors")
@click.argument("image", type=IMAGES)
@section(
    "Input",
    click.option("--cell", type=COUNT, default=1, metavar="N", help="Number of the cell; the largest is 1."),
    model_option,
    cell_width_option,
)
@section(
    "Output",
    click.option("-o", "--output", type=Writes("plot"), help="Draw the explanation (.png, .svg or .pdf)."),
    json_option,
)
def explain(image, cell, model, output, cell_width, json, quiet, verbose):
    """Show which measurements decided the label of a white cell in IMAGE."""
    if output:
        with figure(None, (1, 1)):  # there is Matplotlib
            pass
    from ..data.image_files import find_images
    from ..finding.image_scale import scale_of
    from ..jobs.cell_explanation import explain_cell
    from ..learning.cell_model import load_cell_model
    from ..output import explained_cell

    with tidy_warnings(), Stages(verbose, spinner=not quiet) as stage:
        with stage("load"):
            classifier = load_cell_model(model)
        with stage("classify"):
            files = find_images([image])
            file = replace(files[0], path=image, name=image)  # of several pages none is meant
            found = explain_cell(file, classifier, cell, scale_of(files, cell_width))
        if output:
            with stage("draw"):
                explained_cell.plot_cell_explanation(found, output)
    if json:
        print_json(explained_cell.cell_explanation_record(found))
    else:
        explained_cell.print_cell_explanation(found)
        if output:
            print_line(output)
