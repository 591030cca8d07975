"""`evaluate`: test a model on labelled images."""

import click

from ...common.options import json_option, section
from ...common.paths import Reads, Writes
from ...common.printing import many, next_line, note, warn
from ._options import NO_GROUPS, command, images_argument, known_options


@command(
    "evaluate cells.safetensors labelled",
    "evaluate shipped smears --labels labels.csv --mistakes bad.png",
)
@click.argument("model", type=Reads())
@images_argument
@known_options
@section(
    "Output",
    click.option(
        "--mistakes",
        type=Writes("picture"),
        help="Draw the cells that get a wrong label, highest score first; one per original.",
    ),
    json_option,
)
def evaluate(model, images, mistakes, json, stage, verbose, **known):
    """Test MODEL on the labelled IMAGES, or on labelled boxes in them.

    Without boxes, one white cell of each image counts: the largest, or the central one if the image was cut
    out round a cell. An image or box in which no cell is found counts as a mistake.
    """
    from ...common.sections import Section, tell
    from ..finding.findings import UNFAMILIAR
    from ..jobs.cell_evaluation import evaluate_cell_model
    from ..output.picture_files import draw_mistakes
    from ..output.training_sections import evaluation_record, evaluation_sections

    left_out = 0
    with stage:
        found, errors = evaluate_cell_model(model, images, **known, stage=stage)
        if mistakes and errors.error:
            with stage("draw"):
                left_out = draw_mistakes(mistakes, found.mistakes)
    warn(found.too_good)
    if not known["groups"]:
        note(NO_GROUPS)
    if mistakes and not errors.error:
        note(f"note: no mistakes, so {mistakes} was not written")
    if left_out:
        note(f"note: {mistakes} leaves out {many(left_out, 'mistake')}; --json lists all")
    if unfamiliar := found.flags[UNFAMILIAR]:
        note(f"note: the cells in {many(unfamiliar, 'image')} are unlike those that the model knows")
    if unknown := errors.unknown_labels:
        note(f"note: the model does not know {', '.join(unknown)}; images so labelled count as mistakes")
    last = [] if mistakes or not errors.error else [next_line("--mistakes", "mistakes.png")]
    shown = [*evaluation_sections(found, errors), Section(lines=last)]
    return tell(json, evaluation_record(found, errors, stage.seconds), shown, found.skipped)
