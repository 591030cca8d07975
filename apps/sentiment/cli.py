"""The command line: options in, tables or JSON out; the work is in `pipeline`."""

from __future__ import annotations

import re
import sys
from functools import partial, wraps

import click

from ..common.app import App
from ..common.errors import USAGE, AppError, Skipped
from ..common.options import CountOrAll, FiniteRange, common_options, examples, json_option, seed_option
from ..common.output import note, note_skipped, print_json, printable, tidy_warnings
from ..common.progress import Stages
from .classifiers import CLASSIFIERS
from .corpus import FORMATS, Source, arriving_texts, open_binary

# .pipeline, .report and .plots bring scikit-learn and matplotlib, which `--help` must not wait for: the
# commands import them.

_examples = partial(examples, "fastsvm-sentiment")


class NGrams(click.ParamType):
    """`N`, up to N words in a row, or `A-B`, from A to B words."""

    name = "ngrams"

    def convert(self, value, param, ctx):
        """Convert and check one value."""
        match = re.fullmatch(r"(?:([1-9])-)?([1-9])", value)
        if not match or int(match[1] or 1) > int(match[2]):
            self.fail(f"{value!r} is neither a number from 1 to 9 nor a range such as 1-2.", param, ctx)
        return int(match[1] or 1), int(match[2])


def corpus_options(command):
    """Add the argument CORPUS and how to read it; the command gets one `source`."""

    @wraps(command)
    def with_source(corpus, format, text_col, label_col, **options):
        return command(source=Source(corpus, format, text_col, label_col), **options)

    for decorate in (
        click.option(
            "--label-col",
            default="label",
            show_default=True,
            metavar="NAME",
            help="Column of the labels (tsv, csv, jsonl).",
        ),
        click.option(
            "--text-col",
            default="text",
            show_default=True,
            metavar="NAME",
            help="Column of the texts (tsv, csv, jsonl).",
        ),
        click.option(
            "--format",
            type=click.Choice(FORMATS),
            help="Format of CORPUS.  [default: told from its first lines]",
        ),
        click.argument("corpus"),
    ):
        with_source = decorate(with_source)
    return with_source


def _defaults(field: str) -> str:
    values = {name: getattr(recipe, field) for name, recipe in CLASSIFIERS.items()}
    return ", ".join(f"{name} {value:g}" for name, value in values.items() if value is not None)


@click.group(
    cls=App,
    invoke_without_command=True,
    context_settings={"auto_envvar_prefix": "FASTSVM_SENTIMENT", "max_content_width": 100},
    epilog="Options can come from the environment: FASTSVM_SENTIMENT_TRAIN_K=2000 stands for train --k 2000.",
)
@click.version_option(package_name="fastsvm", prog_name="fastsvm-sentiment", message="%(prog)s %(version)s")
@click.pass_context
def main(ctx):
    """Train, evaluate and use linear classifiers of texts.

    \b
    Examples:
      fastsvm-sentiment train data/reviews.txt
      fastsvm-sentiment predict reviews.safetensors new.txt
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


@main.command(
    epilog=_examples(
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
@click.option(
    "--k",
    type=CountOrAll(),
    metavar="N|all",
    default="5000",
    show_default=True,
    help="Features to keep, the best by --score.",
)
@click.option(
    "--score",
    type=click.Choice(["f_classif", "chi2"]),
    default="f_classif",
    show_default=True,
    help="What the features are chosen by.",
)
@click.option(
    "--ngrams",
    type=NGrams(),
    metavar="N|A-B",
    default="1",
    show_default=True,
    help="Words in a row that make a feature: up to N, or from A to B.",
)
@click.option(
    "--tokens",
    type=click.Choice(["words", "split"]),
    help="Cut texts into words of two letters or more, or at white space.  "
    "[default: split for the corpus format, words for the others]",
)
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
@seed_option
@json_option
@common_options
def train(source, output, json, quiet, verbose, **options):
    """Train a classifier on CORPUS, try it and save it.

    CORPUS is a file or a folder of labelled texts, or - for stdin; a file may be gzipped.
    """
    if output == "-":
        raise AppError("a model cannot go to stdout; give a file with -o", USAGE)
    try:
        from . import pipeline, report

        with tidy_warnings(), Stages(verbose, spinner=not quiet) as stage:
            result = pipeline.train(source, output or f"{source.stem}.safetensors", **options, stage=stage)
    except KeyboardInterrupt:
        raise AppError("interrupted; no model was written") from None
    if json:
        print_json(report.training_record(result, stage.seconds))
    else:
        report.print_training(result, stage.seconds, source)
    note_skipped(result.skipped)
    return result.skipped.exit_code


@main.command(
    epilog=_examples(
        "evaluate reviews.safetensors data/reviews.txt",
        "evaluate reviews.safetensors more.tsv --label-col stars --json",
    )
)
@click.argument("model")
@corpus_options
@json_option
@common_options
def evaluate(model, source, json, quiet, verbose):
    """Try MODEL on the labelled texts of CORPUS.

    CORPUS is a file or a folder of labelled texts, or - for stdin; a file may be gzipped.
    """
    from . import pipeline, report

    with tidy_warnings(), Stages(verbose, spinner=not quiet) as stage:
        result = pipeline.evaluate(model, source, stage=stage)
    if json:
        print_json(report.evaluation_record(result, stage.seconds))
    else:
        report.print_scores(result.scores)
    if unknown := result.scores.unknown_labels:
        note(f"note: the model does not know {', '.join(unknown)}; these texts count as mistakes")
    note_skipped(result.skipped)
    return result.skipped.exit_code


@main.command(
    epilog=_examples(
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
    from . import pipeline

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


@main.command(
    epilog=_examples(
        "words reviews.safetensors -n 30",
        "words reviews.safetensors --plot words.png",
    )
)
@click.argument("model")
@click.option(
    "-n",
    "--number",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    help="How many words for each label.",
)
@click.option("--plot", metavar="FILE.png", help="Draw a bar chart too (.png, .svg or .pdf).")
@click.option("--csv", is_flag=True, help="Print a CSV table: label, word, weight.")
@json_option
@common_options
def words(model, number, plot, csv, json, quiet, verbose):
    """Show the words of MODEL that speak most for each label."""
    if json and csv:
        raise AppError("give --json or --csv, not both", USAGE)
    from . import pipeline, report

    with tidy_warnings(), Stages(verbose, spinner=not quiet) as stage:
        with stage("load"):
            sides = pipeline.top_words(pipeline.load_text_model(model), number)
        if plot:
            from .plots import plot_top_words

            with stage("plot"):
                plot_top_words(sides, plot)
    if json:
        print_json(report.words_record(sides))
    elif csv:
        report.print_words_csv(sides)
    else:
        report.print_sides(sides)
