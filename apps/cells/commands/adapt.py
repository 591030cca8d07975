"""`adapt`: adapt a model to a laboratory with a few of its cells."""

import click

from ...common.options import json_option, section
from ...common.paths import Reads
from ...common.printing import warn
from ._options import command, corrections_option, images_argument, known_options, model_output


@command(
    "adapt shipped smears --corrections corrections.json",
    "adapt cells.safetensors labelled -o ours.safetensors",
)
@click.argument("model", type=Reads())
@images_argument
@known_options
@section("Input", corrections_option)
@section("Output", model_output("adapted.safetensors"), json_option)
def adapt(model, images, output, json, stage, verbose, **known):
    """Adapt MODEL to another laboratory, using a few labelled cells.

    IMAGES should contain cells of every class. MODEL is a file that `train` wrote, or "shipped", the model
    included in fastsvm. Ten cells per class make a large difference. The label of an image is given to its
    largest white cell, or to the central one if the image was cut out round a cell. Corrected cells have
    labels of their own. A new label becomes a class if two or more cells have it.
    """
    from ...common.sections import tell
    from ...common.training_items import too_good
    from ..jobs.cell_adaptation import adapt_cell_model
    from ..output.training_sections import adaptation_record, adaptation_sections, brief_sections

    with stage:
        result = adapt_cell_model(model, images, output, **known, stage=stage)
    warn(too_good(result.learned, sum(result.label_counts.values()), "labelled cell"))
    sections = adaptation_sections(result, stage.seconds)
    shown = sections if verbose else brief_sections(sections, "adapt", output, images[0])
    return tell(json, adaptation_record(result, stage.seconds), shown, result.skipped)
