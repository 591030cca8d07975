"""`suspects`: labels of a corpus that are probably wrong."""

import click

from ...common.files import check_file, check_is_file
from ...common.options import json_option, seed_option
from ...common.output import note, note_skipped, print_json, tidy_warnings
from ...common.progress import Stages
from ...common.tables import raw_csv_option
from ..settings import AUTO, CLASSIFIERS, Settings, settings_of
from . import _options


@_options.command(
    "suspects data/reviews.txt", "suspects reviews.csv.gz --text-col review -n 500 -o suspects.csv"
)
@_options.corpus_options
@click.option("-o", "--output", metavar="FILE.csv", help="Write them to a CSV table, with the whole texts.")
@click.option(
    "-n",
    "--number",
    type=click.IntRange(min=0),
    default=100,
    help="How many texts to list of each kind, the surest.",
)
@click.option(
    "--folds",
    type=click.IntRange(min=2),
    default=5,
    help="Parts of the texts; each is tried by what is trained on the others.",
)
@click.option(
    "--classifier",
    type=click.Choice(list(CLASSIFIERS)),
    default=Settings.classifier,
    help="Learning algorithm.",
)
@_options.tokens_option
@_options.keep_markup_option
@_options.holdout_option(
    "Share of the texts that train holds out: it is told which of them are on both sides."
)
@raw_csv_option
@seed_option
@json_option
def suspects(source, output, number, folds, raw_csv, json, quiet, verbose, **options):
    """List the labels of CORPUS that are probably wrong, and the texts that are there more than once.

    Each text is judged by a model that was trained without it and its likes. First come the labels that the
    model contradicts, the surest first. Then come texts that are there with several labels, word for word or
    nearly, and texts to train on that are among those held out: they make a model look better than it is.

    CORPUS is a file or a folder of labelled texts, or - for stdin; a file may be gzipped.
    """
    check_is_file(output, "a table")
    if output:
        check_file(output)
    from ..jobs.suspects import inspect
    from ..output import suspects as tables

    with tidy_warnings(), Stages(verbose, spinner=not quiet) as stage:
        settings = settings_of(AUTO, options)
        found = inspect(source, settings, folds=folds, number=number, stage=stage)
        if output:
            tables.write_csv(output, found, raw_csv)
    if json:
        print_json(tables.inspection_record(found, stage.seconds))
    else:
        tables.print_inspection(found, source.name, with_list=not output)
    if output:
        note(f"{output}: {len(found.suspects):,} to look at")
    return note_skipped(found.skipped)
