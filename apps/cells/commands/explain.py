"""`explain`: why a white cell got its label."""

import click

from ...common.matplotlib_figures import figure
from ...common.options import COUNT, json_option, section
from ...common.paths import Writes
from ...common.printing import written
from ._options import IMAGES, cell_width_option, command, model_option


@command("explain smear.jpg -o why.png", "explain smear.jpg --cell 2 -m cells.safetensors")
@click.argument("image", type=IMAGES)
@section(
    "Input",
    click.option("--cell", type=COUNT, default=1, metavar="N", help="Number of the cell in `classify`."),
    model_option,
    cell_width_option,
)
@section(
    "Output",
    click.option("-o", "--output", type=Writes("plot"), help="Draw the explanation (.png, .svg or .pdf)."),
    json_option,
)
def explain(image, output, json, stage, verbose, **cell):
    """Show which measurements decided the label of a white cell.

    The first word of a name tells what is measured. nucleus and cell: size and shape. ratio: stain and grain
    of nucleus and cytoplasm, relative to the density of the nucleus. whole: stain of the whole cell, in five
    rings from its border to its middle, and its fine structure. colour: shares of colours in the core and the
    rim of the nucleus, and in the cytoplasm near it and far from it.
    """
    if output:
        with figure(None, (1, 1)):  # fails at once without Matplotlib
            pass
    from ...common.sections import Section, tell
    from ..jobs.cell_explanation import explain_cell
    from ..output import explained_cell

    with stage:
        found = explain_cell(image, cell["model"], cell["cell"], cell_width=cell["cell_width"], stage=stage)
        if output:
            with stage("draw"):
                explained_cell.plot_cell_explanation(found, output)
    shown = [*explained_cell.explanation_sections(found), Section(lines=written(output))]
    return tell(json, explained_cell.explanation_record(found), shown)
