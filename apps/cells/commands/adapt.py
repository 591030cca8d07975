"""`adapt`: learn a laboratory from a handful of its cells."""

import click

from ...common.options import json_option, section
from ...common.paths import Reads
from ...common.printing import tidy_warnings, warn
from ...common.progress import Stages
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
def adapt(model, images, output, json, quiet, verbose, **known):
    """Adapt MODEL to a laboratory with a few labelled cells.

    IMAGES should contain cells of every class. MODEL is a file that `train` wrote, or "shipped": the one that
    comes with fastsvm. Ten cells per class make a large difference. The largest white cell of each image, or
    the central one in an image that is cut out round a cell, has the label of the image; corrected cells have
    their own. A new label of two or more cells becomes a class.
    """
    from ...common.sections import tell
    from ...common.training_items import too_good
    from ..jobs.cell_adaptation import adapt_cell_model
    from ..output.training_sections import adaptation_record, adaptation_sections, brief_sections

    with tidy_warnings(), Stages(verbose, spinner=not quiet) as stage:
        result = adapt_cell_model(model, images, output, **known, stage=stage)
    warn(too_good(result.learned, sum(result.label_counts.values()), "labelled cell"))
    sections = adaptation_sections(result, stage.seconds)
    shown = sections if verbose else brief_sections(sections, "adapt", output, images[0])
    return tell(json, adaptation_record(result, stage.seconds), shown, result.skipped)
