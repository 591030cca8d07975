"""`tune`: the best recipe of a corpus, as a config file for `train`."""

import click

from ...common.errors import AppError
from ...common.files import check_is_file
from ...common.options import COUNT, STRENGTH, CountOrAll, json_option, seed_option
from ...common.output import check_one_form, note, note_skipped, print_json, tidy_warnings
from ...common.progress import Stages
from ..settings import CLASSIFIERS, DEFAULT, RECIPES, Settings
from . import _options

TUNABLE = [name for name, usual in CLASSIFIERS.items() if usual.model == "SDCA"]


class ListOf(click.ParamType):
    """Values of one type, parted by commas; what is said twice counts once."""

    def __init__(self, kind: click.ParamType) -> None:
        self.kind = kind
        self.name = f"{kind.name} list"

    def convert(self, value, param, ctx):
        """Convert and check each value."""
        if not isinstance(value, str):
            return value
        parts = [part.strip() for part in value.split(",")]
        return tuple(dict.fromkeys(self.kind.convert(part, param, ctx) for part in parts))


@_options.command(
    "tune data/reviews.txt",
    "tune reviews.csv.gz --weightings tfidf,nb --ngrams 2,3 --chars none,1-5 --k all -o best.toml",
)
@_options.corpus_options
@click.option(
    "-o",
    "--output",
    metavar="FILE.toml",
    help="Where the winner goes, for train --config.  "
    "[default: the name of CORPUS with .toml, in the current folder]",
)
@click.option(
    "--weightings",
    type=ListOf(click.Choice(_options.WEIGHTINGS)),
    metavar="NAME,...",
    default=",".join(_options.WEIGHTINGS),
    help="What a feature of a text weighs.",
)
@click.option(
    "--ngrams",
    type=ListOf(_options.NGrams(True)),
    metavar="N|A-B|none,...",
    default="1,2,3",
    help=_options.NGRAMS_HELP,
)
@click.option(
    "--chars",
    type=ListOf(_options.NGrams(True)),
    metavar="N|A-B|none,...",
    default="none",
    help=_options.CHARS_HELP,
)
@click.option(
    "--k", type=ListOf(CountOrAll()), metavar="N|all,...", default="5000,20000,all", help=_options.K_HELP
)
@click.option(
    "--alphas",
    type=ListOf(STRENGTH),
    metavar="X,...",
    help="Strengths of the L2 regularisation.  [default: 16 down from the largest that matters]",
)
@click.option(
    "--folds",
    type=click.IntRange(min=2),
    default=5,
    help="Parts of the training texts; each is tried by what is trained on the others.",
)
@click.option(
    "--timeout",
    type=STRENGTH,
    metavar="SECONDS",
    help="Search no longer than that: all recipes on few texts, then a third of them on three times as many, "
    "and so on.",
)
@click.option("--classifier", type=click.Choice(TUNABLE), default=TUNABLE[0], help="Learning algorithm.")
@_options.score_option
@_options.tokens_option
@_options.keep_markup_option
@click.option(
    "--min-df", type=COUNT, default=RECIPES[DEFAULT].min_df, help="In how many texts a feature has to be."
)
@_options.metric_option
@_options.class_weight_option
@_options.holdout_option(
    "Share of the texts that only the winner is tried on, the same that train holds out."
)
@click.option("--csv", is_flag=True, help="Print a CSV table: every recipe at every alpha.")
@seed_option
@json_option
def tune(source, output, csv, json, quiet, verbose, **options):
    """Search the best recipe for CORPUS, and write it to a file for train --config.

    Each combination of weighting, n-grams and number of features is tried at a path of strengths, by
    cross-validation on the texts that train would train on. Ctrl-C ends the search; the best recipe so far is
    written. CORPUS is a file or a folder of labelled texts,
    or - for stdin; a file may be gzipped.
    """
    check_one_form(json, csv)
    check_is_file(output, "a config file")
    config = output or f"{source.stem}.toml"
    grid = {
        name: options.pop(name)
        for name in ("weightings", "ngrams", "chars", "k", "alphas", "folds", "timeout")
    }
    try:
        from ..jobs import tuning
        from ..output import tuning as tables_of_tuning

        with tidy_warnings(), Stages(verbose, spinner=not quiet) as stage:
            result = tuning.tune(source, config, **grid, settings=Settings(**options), stage=stage)
    except KeyboardInterrupt:
        raise AppError("interrupted; no config file was written") from None
    if result.ended == "interrupt":
        note("interrupted; the best recipe so far was written")
    if json:
        print_json(tables_of_tuning.tuning_record(result, stage.seconds))
    elif csv:
        tables_of_tuning.print_trials_csv(result)
    else:
        tables_of_tuning.print_tuning(result, stage.seconds, source)
    return note_skipped(result.skipped)
