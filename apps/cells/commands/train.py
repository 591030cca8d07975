"""`train`: fit a classifier of white cells, cross-validated."""

import click

from ...common.errors import AppError
from ...common.options import json_option, options_of_fields, section, seed_option
from ...common.paths import Writes
from ...common.printing import note
from ..settings import TrainingSettings
from ._options import NO_GROUPS, command, corrections_option, images_argument, known_options, model_output


@command(
    "train smears",
    "train smears --labels labels.csv --groups groups.csv",
    "train smears --corrections corrections.json -o new.safetensors",
)
@images_argument
@known_options
@section("Input", corrections_option)
@section("Training", *options_of_fields(TrainingSettings, "classifier", "alpha", "versions"), seed_option)
@section("Evaluation", *options_of_fields(TrainingSettings, "folds"))
@section(
    "Output",
    model_output("cells.safetensors"),
    click.option(
        "--suspects",
        type=Writes("picture"),
        help="Draw the cells whose labels are probably wrong, the most suspicious first.",
    ),
    json_option,
)
def train(images, output, suspects, json, stage, verbose, **given):
    """Train a classifier of white cells on IMAGES, and test it.

    The test is a cross-validation. The label of an image is given to its largest white cell, or to the
    central one if the image was cut out round a cell. Corrected cells have labels of their own.
    """
    try:
        from ...common.sections import tell
        from ..api import train as train_model
        from ..output.picture_files import draw_mistakes
        from ..output.training_sections import brief_sections, training_record, training_sections

        if not given["groups"]:
            note(NO_GROUPS)
        with stage:
            done = train_model(images, output, **given, stage=stage)
            if suspects and done.suspects:
                with stage("draw"):
                    draw_mistakes(suspects, done.suspects)
    except KeyboardInterrupt:
        raise AppError("interrupted; no model was written") from None
    sections = training_sections(done, stage.seconds)
    shown = sections if verbose else brief_sections(sections, "train", output, images[0])
    return tell(json, training_record(done, stage.seconds), shown, done.skipped)
