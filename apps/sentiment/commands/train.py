"""`train`: from a corpus to a tried and saved model."""

from __future__ import annotations

import os

import click

from ...common.errors import USAGE, AppError
from ...common.files import check_file
from ...common.options import FiniteRange, common_options, json_option, seed_option
from ...common.output import note_skipped, print_json, tidy_warnings
from ...common.progress import Stages
from ..classifiers import CLASSIFIERS
from ._options import app_examples, corpus_options, features_options
from ._reproduction import command_line

NO_MATTER = ("report", "json", "quiet", "verbose")  # to the model


def _defaults(field: str) -> str:
    values = {name: getattr(recipe, field) for name, recipe in CLASSIFIERS.items()}
    return ", ".join(f"{name} {value:g}" for name, value in values.items() if value is not None)


def _check_page(path: str, *others: str) -> None:
    """Find out before the work whether a page can be written, and that it is none of the other files."""
    if path == "-":
        raise AppError("a page cannot go to stdout; give a file with --report", USAGE)
    check_file(path)
    for other in others:
        if os.path.realpath(path) == os.path.realpath(other):
            raise AppError(f"{path}: --report would replace it; choose another path", USAGE)


@click.command(
    epilog=app_examples(
        "train data/reviews.txt",
        "train reviews.csv.gz --text-col review --k all --ngrams 2 -o reviews.safetensors",
    )
)
@corpus_options
@click.option(
    "-o",
    "--output",
    metavar="MODEL",
    help="Where the model goes.  [default: the name of CORPUS with .safetensors, in the current folder]",
)
@click.option(
    "--classifier",
    type=click.Choice(list(CLASSIFIERS)),
    default="sdca-svm",
    show_default=True,
    help="Learning algorithm.",
)
@features_options
@click.option(
    "--alpha",
    type=FiniteRange(min=0, min_open=True),
    help=f"Strength of the L2 regularisation.  [default: {_defaults('alpha')}]",
)
@click.option(
    "--epochs",
    type=click.IntRange(min=1),
    help="Passes over the training texts; SDCA stops earlier, once its gap is small.  "
    f"[default: {_defaults('epochs')}]",
)
@click.option(
    "--holdout",
    type=FiniteRange(0, 1, max_open=True),
    default=0.2,
    show_default=True,
    help="Share of the texts to try the model on; 0 trains on all of them.",
)
@click.option("--report", metavar="FILE.html", help="Write a page on the model and its mistakes.")
@seed_option
@json_option
@common_options
def train(source, output, report, json, quiet, verbose, **options):
    """Train a classifier on CORPUS, try it and save it.

    CORPUS is a file or a folder of labelled texts, or - for stdin; a file may be gzipped.
    """
    if output == "-":
        raise AppError("a model cannot go to stdout; give a file with -o", USAGE)
    output = output or f"{source.stem}.safetensors"
    if report:
        _check_page(report, source.path, output)
    try:
        from .. import pipeline
        from ..report import print_training, training_record

        with tidy_warnings(), Stages(verbose, spinner=not quiet) as stage:
            result = pipeline.train(source, output, **options, stage=stage)
    except KeyboardInterrupt:
        raise AppError("interrupted; no model was written") from None
    if json:
        print_json(training_record(result, stage.seconds))
    else:
        print_training(result, stage.seconds, source)
    note_skipped(result.skipped)
    if report:  # last: whatever happens to it, the model and the numbers are there
        from ..page import write_report

        with Stages(verbose, spinner=not quiet) as stage, stage("report"):
            write_report(report, result, source.name, command_line(click.get_current_context(), NO_MATTER))
    return result.skipped.exit_code
