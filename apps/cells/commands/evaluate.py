"""`evaluate`: try a model on labelled images."""

import click

from ...common.files import check_file
from ...common.options import json_option
from ...common.output import note, note_skipped, print_json, tidy_warnings
from ...common.progress import Stages
from ._options import cell_width_option, command, images_argument, known_options


@command(
    "evaluate cells.safetensors data/cells/images",
    "evaluate cells.safetensors smears --labels labels.csv --mistakes mistakes.png --json",
)
@click.argument("model")
@images_argument
@known_options
@click.option(
    "--mistakes", metavar="FILE.png", help="Draw the cells that it is wrong about, the surest first."
)
@cell_width_option
@json_option
def evaluate(model, images, known, mistakes, cell_width, json, quiet, verbose):
    """Try MODEL on the largest white cell of each of the labelled IMAGES.

    An image in which no cell is found counts as a mistake.
    """
    from ..model import evaluation
    from ..output import drawing, score_tables, sheets

    if mistakes:
        drawing.check_ending(mistakes)
        check_file(mistakes)
    with tidy_warnings(), Stages(verbose, spinner=not quiet) as stage:
        result = evaluation.evaluate(model, images, **known, cell_width=cell_width, stage=stage)
        if mistakes and result.mistakes:
            with stage("draw"):
                sheets.draw_mistakes(mistakes, result.mistakes)
    if json:
        print_json(score_tables.evaluation_record(result, stage.seconds))
    else:
        score_tables.print_scores(result.scores)
    if mistakes and not result.mistakes:
        note(f"note: no mistakes, so {mistakes} was not written")
    if unknown := result.scores.unknown_labels:
        note(f"note: the model does not know {', '.join(unknown)}; these images count as mistakes")
    return note_skipped(result.skipped)
