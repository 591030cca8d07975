"""Options and parameter types that several commands of this app share."""

import codecs
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial, wraps

import click

from ...common import options
from ..data.corpus import FORMATS, Source
from ..data.lines import MAX_EXPANSION, MAX_LINE, MIB, UTF8
from ..settings import METRICS

command = partial(options.command, "fastsvm-sentiment")


class NGrams(click.ParamType):
    """`N`, up to N in a row, or `A-B`, from A to B; with `optional` also ``none`` (None)."""

    name = "ngrams"

    def __init__(self, optional: bool = False) -> None:
        self.optional = optional

    def convert(self, value, param, ctx):
        """Convert and check one value."""
        if self.optional and value == "none":
            return None
        match = re.fullmatch(r"(?:([1-9])-)?([1-9])", value)
        if not match or int(match[1] or 1) > int(match[2]):
            self.fail(f"{value!r} is neither a number from 1 to 9 nor a range such as 1-2.", param, ctx)
        return int(match[1] or 1), int(match[2])


class LabelWeight(click.ParamType):
    """`balanced`, or `LABEL=W` with a weight above 0."""

    name = "weight"

    def convert(self, value, param, ctx):
        """Convert and check one value."""
        if not isinstance(value, str) or value == "balanced":
            return value
        label, equals, weight = value.rpartition("=")
        if not equals or not label:
            self.fail(f"{value!r} is neither balanced nor LABEL=W, such as spam=5.", param, ctx)
        return label, options.STRENGTH.convert(weight, param, ctx)


def _weights(ctx, param, values):
    """Return what was said of labels as `Settings` have it."""
    if not values:
        return None
    if "balanced" in values:
        if len(values) > 1:
            raise click.BadParameter("give balanced, or weights of labels, not both.", ctx, param)
        return "balanced"
    if len(dict(values)) < len(values):
        raise click.BadParameter("a label has two weights.", ctx, param)
    return values


class_weight_option = click.option(
    "--class-weight",
    type=LabelWeight(),
    multiple=True,
    callback=_weights,
    metavar="balanced|LABEL=W",
    help="How much a text of a label weighs in training, 1 unless given; balanced makes all labels weigh "
    "the same. May be given several times.",
)

metric_option = click.option(
    "--metric",
    type=click.Choice(METRICS),
    help="What is best.  [default: accuracy; balanced-accuracy where one label has over 80 % of the texts]",
)

NGRAMS_HELP = "Words in a row that make a feature: up to N, or from A to B."
CHARS_HELP = "Characters in a row, inside words, that make a feature: up to N, or from A to B."
K_HELP = "Features to keep, the best by --score."

tokens_option = click.option(
    "--tokens",
    type=click.Choice(["words", "split"]),
    help="Cut texts into words, or at white space.  "
    "[default: split for the corpus format, words for the others]",
)

keep_markup_option = click.option(
    "--keep-markup", is_flag=True, help="Leave HTML's tags and entities in the texts."
)

score_option = click.option(
    "--score",
    type=click.Choice(["f_classif", "chi2"]),
    default="f_classif",
    help="What the features are chosen by.",
)

max_line_option = click.option(
    "--max-line-mib",
    type=click.IntRange(1, 1024),
    default=MAX_LINE // MIB,
    metavar="N",
    help="Longest line that is taken, in MiB; of a folder, longest file.",
)
max_expansion_option = click.option(
    "--max-expansion",
    type=options.COUNT,
    default=MAX_EXPANSION,
    metavar="N",
    help="How many times its size gzipped input may unpack to, beyond 64 MiB.",
)

WEIGHTINGS = ("counts", "binary", "tfidf", "nb")


def number_option(help: str, least: int = 1):
    """Return the option of how many words are shown."""
    return click.option("-n", "--number", type=click.IntRange(min=least), default=20, help=help)


def holdout_option(help: str):
    """Return the option of the share of texts held out, which may be none."""
    return click.option("--holdout", type=options.FiniteRange(0, 1, max_open=True), default=0.2, help=help)


class Separator(click.ParamType):
    """One character; `\\t` or `tab` for a tab."""

    name = "separator"

    def convert(self, value, param, ctx):
        """Convert and check one value."""
        value = "\t" if value in ("\\t", "tab") else value
        if len(value) != 1 or value in '"\r\n':
            self.fail(f"{value!r} is not one character, such as ';' or '\\t'.", param, ctx)
        return value


class Encoding(click.ParamType):
    """The name of an encoding of text that Python knows."""

    name = "encoding"

    def convert(self, value, param, ctx):
        """Convert and check one value."""
        try:
            "".encode(value)
            return codecs.lookup(value).name
        except (LookupError, ValueError):
            self.fail(
                f"{value!r} is no encoding of text; cp1252, latin-1, utf-16 and gb18030 are.", param, ctx
            )


def reading_options(formats: Sequence[str], what: str, told: str):
    """Return a decorator that adds the options of how `what` is read; the command gets one `source`."""

    def decorate(command):
        @wraps(command)
        def with_source(format, text_col, sep, encoding, max_line_mib, max_expansion, **options):
            path = options.pop("corpus", "-")
            limits = {"max_line": max_line_mib * MIB, "max_expansion": max_expansion}
            source = Source(path, format, text_col, **limits, separator=sep, encoding=encoding)
            if "label_col" in options:
                source = replace(source, label_column=options.pop("label_col"))
            return command(source=source, **options)

        for option in (
            max_expansion_option,
            max_line_option,
            click.option(
                "--encoding",
                type=Encoding(),
                default=UTF8,
                metavar="NAME",
                help=f"Encoding of {what}, such as cp1252 or utf-16.",
            ),
            click.option(
                "--sep",
                type=Separator(),
                metavar="C",
                help="What separates the fields of a table.  [default: a tab (tsv), a comma (csv)]",
            ),
            click.option(
                "--text-col", default="text", metavar="NAME", help="Column of the texts (tsv, csv, jsonl)."
            ),
            click.option(
                "--format", type=click.Choice(formats), help=f"Format of {what}.  [default: {told}]"
            ),
        ):
            with_source = option(with_source)
        return with_source

    return decorate


def labelled_options(command):
    """Add how labelled texts are read; the command gets a `source`, whose path is still to be set."""
    with_labels = click.option(
        "--label-col", default="label", metavar="NAME", help="Column of the labels (tsv, csv, jsonl)."
    )
    return reading_options(FORMATS, "CORPUS", "told from its first lines")(with_labels(command))


def corpus_options(command):
    """Add the argument CORPUS and how to read it; the command gets one `source`."""
    return click.argument("corpus")(labelled_options(command))
