"""`predict`: labels of texts as they arrive."""

from __future__ import annotations

import sys

import click

from ...common.errors import Skipped
from ...common.options import common_options
from ...common.output import note_skipped, printable, tidy_warnings
from ...common.progress import Stages
from ..corpus import arriving_texts, open_binary
from ._options import app_examples


@click.command(
    epilog=app_examples(
        "predict reviews.safetensors new.txt",
        "predict reviews.safetensors - < new.txt | cut -f1 | sort | uniq -c",
    )
)
@click.argument("model")
@click.argument("file", default="-")
@common_options
def predict(model, file, quiet, verbose):
    """Write the label and the score of each text in FILE.

    One text a line comes in; a line of label, tab and score goes out for each. FILE may be gzipped, and
    is stdin when it is - or left out. Of two labels, a score above 0 means the second in alphabetical
    order; of more, the score is that of the label given.
    """
    from .. import pipeline

    skipped = Skipped("<stdin>" if file == "-" else file, fate="predicted with those bytes replaced")
    spinner = not quiet and not sys.stdout.isatty()
    with tidy_warnings(), Stages(verbose, spinner) as stage:
        with stage("load"):
            model = pipeline.load_text_model(model)
        with stage("predict"), open_binary(file) as stream:
            for texts in arriving_texts(stream, skipped):
                labels, scores = pipeline.predict(model, texts)
                for label, score in zip(labels.tolist(), scores.tolist(), strict=True):
                    sys.stdout.write(f"{printable(label)}\t{score:.6g}\n")
                sys.stdout.flush()
    note_skipped(skipped)
    return skipped.exit_code
