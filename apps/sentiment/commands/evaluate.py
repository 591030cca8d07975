"""`evaluate`: try a model on labelled texts."""

from textwrap import shorten

import click

from ...common.options import json_option
from ...common.output import note, note_skipped, print_json, tidy_warnings
from ...common.progress import Stages
from ._options import command, corpus_options


@command(
    "evaluate reviews.safetensors data/reviews.txt",
    "evaluate reviews.safetensors more.tsv --label-col stars --json",
)
@click.argument("model")
@corpus_options
@json_option
def evaluate(model, source, json, quiet, verbose):
    """Try MODEL on the labelled texts of CORPUS.

    CORPUS is a file or a folder of labelled texts, or - for stdin; a file may be gzipped.
    """
    from ..model import training
    from ..output import tables

    with tidy_warnings(), Stages(verbose, spinner=not quiet) as stage:
        result = training.evaluate(model, source, stage=stage)
    if json:
        print_json(tables.evaluation_record(result, stage.seconds))
    else:
        tables.print_scores(result.scores)
    if unknown := result.scores.unknown_labels:
        names = shorten(", ".join(unknown), 200, placeholder=" ...")
        note(f"note: the model does not know {names}; these texts count as mistakes")
    return note_skipped(result.skipped)
