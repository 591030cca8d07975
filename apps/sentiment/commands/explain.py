"""`explain`: why a text gets its label."""

import os

import click

from ...common.errors import USAGE, AppError
from ...common.options import json_option
from ...common.output import note, print_json, tidy_warnings
from ...common.progress import Stages
from ..data.lines import MIB, open_binary, too_long
from ._options import command, max_line_option, number_option


@command('explain "what a waste of money"', "explain reviews.safetensors - < review.txt")
@click.argument("arguments", metavar="[MODEL] TEXT", nargs=-1, required=True)
@number_option("How many terms to list, those that contribute most.")
@click.option(
    "--label", help="The label whose score to explain.  [default: the second of two, else the one predicted]"
)
@max_line_option
@json_option
def explain(arguments, number, label, max_line_mib, json, quiet, verbose):
    """Show what each word of TEXT contributes to its score.

    The score is the sum of an intercept and the contributions of the terms: words, or several in a row if
    the model was trained with --ngrams. Each word of the text is marked by what it contributes, alone and in
    longer terms, in colours or, where there are none, by one to three signs.

    TEXT is one argument, or - for stdin. MODEL is a file that train wrote or, by default, `english`, a model
    of reviews that comes along.
    """
    if len(arguments) > 2:
        raise AppError(
            f"{len(arguments)} arguments, where MODEL and TEXT are expected; put TEXT in quotes", USAGE
        )
    model, text = arguments if len(arguments) == 2 else (None, *arguments)
    if model is None and os.path.isfile(text):
        raise AppError(
            f"{text}: is a file; give a TEXT after MODEL, or a text from a file by - < FILE", USAGE
        )
    from ..jobs.explanation import explain
    from ..measures import prediction
    from ..output import explanations

    with tidy_warnings(), Stages(verbose, spinner=not quiet) as stage:
        with stage("load"):
            model = prediction.load_text_model(model)
        with stage("explain"):
            text = _read_stdin(max_line_mib * MIB) if text == "-" else text
            found = explain(model, text, label)
    if json:
        print_json(explanations.explanation_record(found, number))
    else:
        labels = [str(name) for name in model.classes_.tolist()]
        explanations.print_explanation(text, found, labels, number)


def _read_stdin(limit: int) -> str:
    with open_binary("-") as stream:
        content = stream.read(limit + 1)
    if len(content) > limit:
        raise AppError(f"<stdin>: {too_long(limit)}; give a shorter text")
    text = content.decode("utf-8-sig", errors="replace")
    if "\ufffd" in text and "\ufffd".encode() not in content:
        note("<stdin>: bytes that are not UTF-8 were replaced")
    return text.rstrip("\r\n")
