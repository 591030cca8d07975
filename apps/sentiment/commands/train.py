"""`train`: from a corpus to a tested and saved model."""

import shlex
import warnings

import click

from ...common.classifiers import CLASSIFIER_HELP
from ...common.errors import AppError, is_shortage
from ...common.options import LAST_SECTION, Value, json_option, section, seed_option
from ...common.paths import Continues, Reads, Writes, default_output
from ...common.printing import note_skipped, print_json, tidy_warnings, warn
from ...common.progress import Stages
from .. import checked_values
from ..text_recipes import AUTO, CLASSIFIERS, RECIPES, SCORES, spelled_setting
from . import _options

RARE = {"checkpoint": Continues("folder")} | dict.fromkeys(
    ("chars", "epochs", "keep_markup", "metric", "min_df", "refit", "tokens", "weighting")
)


def _parse_label_weights(ctx, param, given):
    return Value("weight", checked_values.label_weights).convert(given, param, ctx) if given else None


def _default_alphas() -> str:
    others = [f"{name} {r.alpha:g}" for name, r in CLASSIFIERS.items() if r.alphas is None and r.alpha]
    return ", ".join(["auto for SDCA and kernel machines", *others])


@_options.command(
    "train data/reviews.txt",
    "train reviews.csv.gz --text-col review --recipe article --ngrams 2 -o reviews.safetensors",
    only_in_config=RARE,
)
@click.argument("corpus", type=_options.LABELLED)
@section("Input", *_options.reading_options(labelled=True))
@section(
    "Recipe",
    click.option(
        "--recipe",
        type=click.Choice([AUTO, *RECIPES]),
        default=AUTO,
        metavar="NAME",
        help="Features of a text and their weights. auto tries several recipes on training texts. By name: "
        f"{', '.join(RECIPES)}. For example, nb-words takes word n-grams, weighted by naive Bayes log-count "
        "ratios; article repeats the article that this app follows. The options below override the recipe.",
    ),
    click.option("--classifier", type=click.Choice(list(CLASSIFIERS)), help=CLASSIFIER_HELP),
    click.option(
        "--ngrams",
        type=Value("ngrams", lambda value: checked_values.length_range(value) or "none"),
        metavar="N|A-B|none",
        help="Word n-grams: up to N words in a row, or from A to B.",
    ),
    click.option(
        "--k",
        type=Value("k", lambda value: checked_values.count_or_all(value) or "all"),
        metavar="N|all",
        help="Number of features to keep, the best by --score.",
    ),
    click.option(
        "--score", type=click.Choice(SCORES), help="Score that ranks the features.  [default: f_classif]"
    ),
)
@section(
    "Training",
    click.option(
        "--alpha",
        type=Value("alpha", checked_values.strength_or_auto),
        metavar="X|auto",
        help="Strength of the L2 regularisation. auto tries several on parts of the training texts.  "
        f"[default: {_default_alphas()}]",
    ),
    click.option(
        "--class-weight",
        multiple=True,
        callback=_parse_label_weights,
        metavar="balanced|LABEL=W",
        help="Weight of a text with this label, for example spam=5; may be repeated. balanced gives all "
        "labels the same total weight.  [default: balanced for a rare label of two, else 1]",
    ),
    click.option(
        "--continue",
        "start",
        type=Reads(replaced_by="-o"),
        metavar="MODEL",
        help="Train MODEL further on CORPUS. MODEL decides the recipe and the features.",
    ),
    click.option(
        "--stream",
        is_flag=True,
        help="Read CORPUS twice and train from a matrix on disk, beside the model: for a CORPUS larger than "
        "memory. Takes words or characters, not both, and tries no recipes.",
    ),
    click.option(
        "--scheduler",
        metavar="ADDRESS",
        help="As --stream, but the workers of this Dask scheduler hold the matrix, for example "
        "tcp://host:8786.",
    ),
    seed_option,
)
@section(
    "Evaluation",
    _options.holdout_option("Share of the texts to test the model on; 0 skips the test."),
    click.option(
        "--cv",
        type=click.IntRange(min=2),
        metavar="N",
        help="Also cross-validate: train N times, each time without one of N parts, and test on that part.",
    ),
)
@section(
    "Output",
    click.option(
        "-o",
        "--output",
        type=Writes("safetensors"),
        help="Model file to write.  [default: the name of CORPUS with .safetensors, in the current folder]",
    ),
    click.option("--report", type=Writes("html"), help="Write a page about the model and its mistakes."),
    json_option,
)
def train(corpus, output, report, json, quiet, verbose, **options):
    """Train a classifier on the labelled texts of CORPUS, test it, and save it.

    CORPUS is a file or a folder, or - for stdin. A file may be gzipped.
    """
    output = output or default_output(corpus)
    checkpoint = options.get("checkpoint")
    given = {name: value for name, value in options.items() if value is not None}
    given |= {"save_to": output, "learning_curve": bool(report)}
    try:
        from .. import api
        from ..output.training_output import print_training, training_record

        with tidy_warnings(), Stages(verbose, spinner=not quiet) as stage:
            warnings.simplefilter("ignore", api.TrainingWarning)  # printed below
            model = api.train(corpus, stage=stage, **given)
            result = model.training
    except KeyboardInterrupt:
        later = f"; the same command resumes from {checkpoint}" if checkpoint else ""
        raise AppError(f"interrupted; no model was written{later}") from None
    except Exception as error:
        if options["stream"] or options["scheduler"] or not is_shortage(error):
            raise
        raise AppError("out of memory; give --stream, which needs less, or more memory") from None
    warn(*result.warnings)
    try:
        if report:  # before anything is printed: whoever reads that may leave
            with Stages(verbose, spinner=not quiet) as stage_of_report, stage_of_report("report"):
                model.report(report, _reproducing_command(click.get_current_context()))
    finally:  # whatever happened to the report, the model is there
        if json:
            print_json(training_record(result, stage.seconds))
        else:
            print_training(result, stage.seconds)
        code = note_skipped(result.skipped)
    return code


def _reproducing_command(context: click.Context) -> str:
    """Return the command line that gives the same model: the value of every option that affects the result.

    It includes defaults, since another version may have others.

    Parameters
    ----------
    context : click.Context
        The context of the command that runs.
    """
    arguments, options = [], []
    for parameter in context.command.params:
        value = context.params.get(parameter.name)
        if isinstance(parameter, click.Argument):
            arguments.append(str(value))
        elif getattr(parameter, "section", LAST_SECTION) in ("Output", LAST_SECTION):
            continue
        elif value is True:
            options.append(max(parameter.opts, key=len))
        elif value not in (None, False, ()):
            for each in value if parameter.multiple and not isinstance(value, str) else [value]:
                options += [max(parameter.opts, key=len), spelled_setting(each)]
    if context.meta.get("needs_config"):
        options += ["--config", context.meta["config"]]
    return shlex.join([*context.command_path.split(), *arguments, *options])
