"""Options that several commands of this app share."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial, wraps

import click
from click.core import ParameterSource

from ...common import options
from ...common.input_streams import UTF8
from ...common.options import Value, section
from ...common.paths import Reads
from .. import checked_values
from ..data.record_formats import FORMATS
from ..data.text_source import COLUMNS, LABEL_COLUMN, TEXT_COLUMN, TextSource

command = partial(options.command, "fastsvm-sentiment")
LABELLED = Reads(depth=2, counts=lambda name: "/" in name)  # a folder of labels has files in folders


def number_option(help: str, least: int = 1):
    """Return the option for the number of rows to show."""
    return click.option("-n", "--number", type=click.IntRange(min=least), default=20, help=help)


def holdout_option(help: str):
    """Return the option for the share of texts held out."""
    return click.option(
        "--holdout",
        type=Value("share", checked_values.share_below_one),
        default=0.2,
        metavar="SHARE",
        help=help,
    )


def reading_options(
    formats: Sequence[str] = FORMATS,
    what: str = "CORPUS",
    told: str = "detected from the first lines",
    *,
    labelled: bool = True,
) -> list:
    """Return the options for reading `what`: format, text_col, label_col if it is labelled, encoding."""
    label_col = click.option(
        "--label-col", default=LABEL_COLUMN, metavar="NAME", help="Column of the labels (tsv, csv, jsonl)."
    )
    return [
        click.option("--format", type=click.Choice(formats), help=f"Format of {what}.  [default: {told}]"),
        click.option(
            "--text-col", default=TEXT_COLUMN, metavar="NAME", help="Column of the texts (tsv, csv, jsonl)."
        ),
        *[label_col] * labelled,
        click.option(
            "--encoding",
            type=Value("encoding", checked_values.encoding),
            default=UTF8,
            metavar="NAME",
            help=f"Encoding of {what}, for example cp1252 or utf-16.",
        ),
    ]


def remembering_source(source: TextSource, about: dict) -> TextSource:
    """Return a source whose columns may be named as those that a model was trained on, unless options say."""
    origin = click.get_current_context().get_parameter_source
    names = {option: name for option, name in about.items() if isinstance(name, str)}
    usual = [option for option in names.keys() & COLUMNS if origin(option) is ParameterSource.DEFAULT]
    return replace(source, remembered={COLUMNS[option]: names[option] for option in usual})


def source_options(*, labelled: bool = True, **more):
    """Return a decorator that adds the options for reading; the command gets one `source`.

    Its path is that of the argument `corpus`, or is left to the command.
    """

    def decorate(command):
        @wraps(command)
        def with_source(format, text_col, encoding, label_col=None, corpus="-", **others):
            return command(source=TextSource(corpus, format, text_col, label_col, encoding), **others)

        return section("Input", *reading_options(labelled=labelled, **more))(with_source)

    return decorate


def corpus_options(command):
    """Add the argument CORPUS and the options for reading it; the command gets one `source`."""
    return click.argument("corpus", type=LABELLED)(source_options()(command))
