"""`evaluate`: try a model on labelled images."""

import click

from ...common.options import json_option, section
from ...common.paths import Reads, Writes
from ...common.printing import many, note, note_skipped, print_json, print_line, tidy_warnings, warn
from ...common.progress import Stages
from ._options import NO_GROUPS, command, images_argument, known_options


@command(
    "evaluate cells.safetensors data/cells/new",
    "evaluate cells.safetensors smears --labels labels.csv --mistakes mistakes.png --json",
)
@click.argument("model", type=Reads())
@images_argument
@known_options
@section(
    "Output",
    click.option(
        "--mistakes",
        type=Writes("picture"),
        help="Draw the cells with a wrong label, the surest first; with --groups, one of each original.",
    ),
    json_option,
)
def evaluate(model, images, mistakes, json, quiet, verbose, **known):
    """Try MODEL on the largest white cell of each of the labelled IMAGES.

    An image in which no cell is found counts as a mistake.
    """
    from ..finding.findings import UNFAMILIAR
    from ..jobs.cell_evaluation import evaluate_cell_model
    from ..output import cell_training_tables, mistake_sheet

    left_out = 0
    with tidy_warnings(), Stages(verbose, spinner=not quiet) as stage:
        result = evaluate_cell_model(model, images, **known, stage=stage)
        if mistakes and result.mistakes:
            with stage("draw"):
                left_out = mistake_sheet.draw_mistakes(mistakes, result.mistakes)
    warn(result.count.too_good)
    if json:
        print_json(cell_training_tables.cell_evaluation_record(result, stage.seconds))
    else:
        cell_training_tables.print_cell_scores(result.scores)
        if result.labelled:
            print_line("")
            print_line(cell_training_tables.coverage_line(result.labelled))
    if not known["groups"]:
        note(NO_GROUPS)
    if mistakes and not result.mistakes:
        note(f"note: no mistakes, so {mistakes} was not written")
    if left_out:
        note(f"note: {many(left_out, 'more mistake')} than {mistakes} shows; --json lists all")
    if unfamiliar := result.count.flags[UNFAMILIAR]:
        note(f"note: {many(unfamiliar, 'image')} with cells unlike those that the model knows")
    if unknown := result.scores.unknown_labels:
        note(f"note: the model does not know {', '.join(unknown)}; these images count as mistakes")
    return note_skipped(result.count.skipped)
