"""`train`: fit a classifier of white cells, cross-validated."""

import click

from ...common.classifiers import CLASSIFIER_HELP, CLASSIFIERS
from ...common.errors import AppError
from ...common.options import COUNT, STRENGTH, json_option, section, seed_option
from ...common.paths import Writes
from ...common.printing import note, note_skipped, print_json, tidy_warnings
from ...common.progress import Stages
from ..training_settings import ALPHAS, KERNEL_ALPHAS, TrainingSettings
from ._options import NO_GROUPS, command, corrections_option, images_argument, known_options


@command(
    "train data/cells/images --groups data/cells/groups.csv",
    "train smears --labels labels.csv --groups groups.csv -o cells.safetensors",
    "train smears --corrections corrections.json -o better.safetensors",
)
@images_argument
@known_options
@section("Input", corrections_option)
@section(
    "Training",
    click.option(
        "--classifier", type=click.Choice(list(CLASSIFIERS)), default="sdca-logistic", help=CLASSIFIER_HELP
    ),
    click.option(
        "--alpha",
        type=STRENGTH,
        help="Strength of the L2 regularisation.  [default: one of "
        f"{', '.join(f'{alpha:g}' for alpha in ALPHAS)}, for kernel machines "
        f"{', '.join(f'{alpha:g}' for alpha in KERNEL_ALPHAS)}, chosen by cross-validation]",
    ),
    click.option(
        "--versions",
        type=click.IntRange(0, 1000),
        default=16,
        help="Learn from N more versions of each original: turned, and with other light, colours, focus and "
        "noise.",
        metavar="N",
    ),
    seed_option,
)
@section(
    "Evaluation",
    click.option("--folds", type=COUNT, default=10, help="Folds of the cross-validation; 1 does without."),
)
@section(
    "Output",
    click.option(
        "-o", "--output", type=Writes("safetensors"), default="cells.safetensors", help="File to write it to."
    ),
    click.option(
        "--suspects",
        type=Writes("picture"),
        help="Draw the cells whose labels are probably wrong, the most suspicious first.",
    ),
    json_option,
)
def train(images, output, known, corrections, suspects, json, quiet, verbose, **settings):
    """Train a classifier of white cells on IMAGES, cross-validate it and save it.

    The largest white cell of each image has the label of the image. Corrected cells have their own labels.
    """
    try:
        from ..jobs.cell_training import train_cell_model
        from ..output import cell_training_tables, mistake_sheet

        if not known["groups"]:
            note(NO_GROUPS)
        with tidy_warnings(), Stages(verbose, spinner=not quiet) as stage:
            settings = TrainingSettings(**settings)
            result = train_cell_model(images, output, settings, corrections=corrections, **known, stage=stage)
            if suspects and result.suspects and result.suspects.cells:
                with stage("draw"):
                    mistake_sheet.draw_mistakes(suspects, result.suspects.cells)
    except KeyboardInterrupt:
        raise AppError("interrupted; no model was written") from None
    if json:
        print_json(cell_training_tables.cell_training_record(result, stage.seconds))
    else:
        cell_training_tables.print_cell_training(result, stage.seconds)
    return note_skipped(result.skipped)
