"""`train`: from a corpus to a tried and saved model."""

import os
from contextlib import contextmanager

import click
from click.core import ParameterSource

from ...common.cluster import connected
from ...common.errors import USAGE, AppError
from ...common.files import check_file, check_is_file
from ...common.gone import farewell
from ...common.options import COUNT, STRENGTH, CountOrAll, json_option, seed_option
from ...common.output import note, note_skipped, print_json, tidy_warnings
from ...common.progress import Stages
from ..settings import AUTO, CLASSIFIERS, RECIPE, RECIPES, Settings, settings_of
from . import _options
from ._reproduction import command_line

NO_MATTER = ("checkpoint", "scheduler", "report", "json", "quiet", "verbose")  # to the model
DECIDED = ("recipe", *RECIPE, "score", "tokens")  # by a model that goes on learning


class AlphaOrAuto(click.ParamType):
    """A number above 0, or ``auto``."""

    name = "alpha"

    def convert(self, value, param, ctx):
        """Convert and check one value."""
        return value if value == "auto" else STRENGTH.convert(value, param, ctx)


class RecipeName(click.Choice):
    """The name of a recipe; one that was removed is refused with its successor."""

    def convert(self, value, param, ctx):
        """Check one value."""
        if message := farewell(ctx.find_root().command.name, ctx.command.name, f"--recipe {value}"):
            raise AppError(message, USAGE)
        return super().convert(value, param, ctx)


def _alphas() -> str:
    automatic = [name for name, recipe in CLASSIFIERS.items() if recipe.alphas]
    others = [f"{name} {r.alpha:g}" for name, r in CLASSIFIERS.items() if not r.alphas and r.alpha]
    return ", ".join([f"auto for {' and '.join(automatic)}", *others])


def _recipe_option(name: str, type: click.ParamType, help: str, **more):
    """Return an option whose default is that of the recipe."""
    return click.option(name, type=type, help=f"{help}  [default: as the recipe has it]", **more)


def _with_recipe(recipe: str, options: dict) -> Settings:
    """Return the settings: what nobody gave as the recipe has it; the context learns of that too."""
    context = click.get_current_context()
    given = {
        name: value
        for name, value in options.items()
        if name not in RECIPE or context.get_parameter_source(name) is not ParameterSource.DEFAULT
    }
    settings = settings_of(recipe, given)
    if settings.ngrams is None and settings.chars is None:
        raise AppError("--ngrams none and no --chars: there is nothing to count; give one of them", USAGE)
    chosen = () if settings.recipe == AUTO else RECIPE
    context.params.update({name: getattr(settings, name) for name in chosen})
    return settings


def _check_continued() -> None:
    """Refuse options that a model that goes on learning has decided."""
    context = click.get_current_context()
    for option in context.command.params:
        given = context.get_parameter_source(option.name) is not ParameterSource.DEFAULT
        if given and option.name in DECIDED:
            name = max(option.opts, key=len)
            raise AppError(f"{name} is decided by the model of --continue; leave it out", USAGE)


def _check_streamed(option: str, **others) -> None:
    """Refuse options that need all texts at once."""
    for name, value in others.items():
        if value:
            raise AppError(f"{name} needs all texts in memory; leave it out, or {option}", USAGE)


def _check_page(path: str, *others: str) -> None:
    """Find out before the work whether a page can be written, and that it is none of the other files."""
    check_is_file(path, "a page", "--report")
    check_file(path)
    for other in others:
        if os.path.realpath(path) == os.path.realpath(other):
            raise AppError(f"{path}: --report would replace it; choose another path", USAGE)


@contextmanager
def _kept(checkpoint: str | None, source, settings: Settings, start: str | None, stream: bool):
    """Open the checkpoint, if there is to be one, and say how far it is."""
    from ..learning import kept

    if checkpoint is None:
        yield kept.NOTHING
        return
    check_is_file(checkpoint, "a checkpoint", "--checkpoint")
    more = {"continue": kept.checksum(start), "stream": stream}
    with kept.opened(checkpoint, source, settings, **more) as found:
        if found.done:
            note(f"{checkpoint}: goes on from there; it has {', '.join(found.done)}")
        yield found


@_options.command(
    "train data/reviews.txt",
    "train reviews.csv.gz --text-col review --recipe article --ngrams 2 -o reviews.safetensors",
)
@_options.corpus_options
@click.option(
    "-o",
    "--output",
    metavar="MODEL",
    help="Where the model goes.  [default: the name of CORPUS with .safetensors, in the current folder]",
)
@click.option(
    "--recipe",
    type=RecipeName([AUTO, *RECIPES]),
    default=AUTO,
    help="How texts become numbers. auto tries recipes on some of the training texts, unless you say how "
    "with --weighting, --ngrams or --chars; article is that of the article this app redoes. Options given "
    "beside it come first.",
)
@click.option(
    "--continue",
    "start",
    metavar="MODEL",
    help="Let MODEL go on learning from CORPUS, by the terms that it knows; it decides the recipe.",
)
@_recipe_option("--classifier", click.Choice(list(CLASSIFIERS)), "Learning algorithm.")
@_recipe_option(
    "--weighting",
    click.Choice(_options.WEIGHTINGS),
    "What a feature weighs in a text: its count, 1, tf-idf, or its naive Bayes log-count ratio; "
    "in the last two each text is scaled to length 1.",
)
@_recipe_option("--ngrams", _options.NGrams(True), _options.NGRAMS_HELP, metavar="N|A-B|none")
@_recipe_option("--chars", _options.NGrams(True), _options.CHARS_HELP, metavar="N|A-B|none")
@_recipe_option("--min-df", COUNT, "In how many training texts a feature has to be.", metavar="N")
@_recipe_option("--k", CountOrAll(), _options.K_HELP, metavar="N|all")
@_options.score_option
@_options.tokens_option
@_options.keep_markup_option
@click.option(
    "--alpha",
    type=AlphaOrAuto(),
    metavar="X|auto",
    help="Strength of the L2 regularisation; auto tries several on parts of the training texts.  "
    f"[default: {_alphas()}]",
)
@click.option(
    "--epochs",
    type=COUNT,
    help="Passes over the training texts; SDCA stops earlier, once its gap is small.  "
    f"[default: {', '.join(f'{name} {recipe.epochs}' for name, recipe in CLASSIFIERS.items())}]",
)
@_options.metric_option
@_options.class_weight_option
@_options.holdout_option("Share of the texts to try the model on; 0 tries nothing.")
@click.option(
    "--refit/--no-refit",
    default=True,
    help="Save a model of all texts, once the recipe was tried; or the one that was tried.",
)
@click.option(
    "--cv",
    type=click.IntRange(min=2),
    metavar="N",
    help="Also cross-validate: train N times, on all texts but one part of N in turn, and try that part.",
)
@click.option(
    "--stream",
    is_flag=True,
    help="For a CORPUS larger than memory: read it twice, fit from a matrix beside MODEL. Words or "
    "characters, not both, and no recipe is tried.",
)
@click.option(
    "--checkpoint",
    metavar="FOLDER",
    help="Keep there what is done. The same command, given again after it was killed, goes on from it. "
    "Removed in the end.",
)
@click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Train as with --stream, but on the workers of the Dask scheduler there, such as tcp://host:8786, "
    "which hold the rows in memory.",
)
@click.option("--report", metavar="FILE.html", help="Write a page on the model and its mistakes.")
@seed_option
@json_option
def train(
    source, output, recipe, start, cv, stream, checkpoint, scheduler, report, json, quiet, verbose, **options
):
    """Train a classifier on CORPUS, try it and save it.

    CORPUS is a file or a folder of labelled texts, or - for stdin; a file may be gzipped.
    """
    if start:
        _check_continued()
    if scheduler or stream:
        option = "--scheduler" if scheduler else "--stream"
        _check_streamed(option, **{"--continue": start, "--cv": cv, "--report": report})
    if scheduler and checkpoint:
        raise AppError("--checkpoint keeps nothing of what --scheduler does; leave out one of them", USAGE)
    settings = _with_recipe(recipe, options)
    check_is_file(output, "a model")
    output = output or f"{source.stem}.safetensors"
    if report:
        _check_page(report, source.path, output)
    try:
        from ..jobs import streaming, training
        from ..measures import prediction
        from ..output.tables import print_training, training_record

        with (
            _kept(checkpoint, source, settings, start, stream) as kept,
            tidy_warnings(),
            Stages(verbose, spinner=not quiet) as stage,
        ):
            if scheduler or stream:
                cluster = connected(scheduler) if scheduler else None
                result = streaming.train_streamed(
                    source, output, settings, cluster=cluster, kept=kept, stage=stage
                )
            else:
                more = {"cv": cv or 0, "with_curve": bool(report)}
                if start:
                    more["start"] = prediction.load_text_model(start)
                result = training.train(source, output, settings, **more, kept=kept, stage=stage)
    except KeyboardInterrupt:
        later = f"; the same command goes on from {checkpoint}" if checkpoint else ""
        raise AppError(f"interrupted; no model was written{later}") from None
    for message in result.warnings:
        note(f"warning: {message}")
    try:
        if report:  # before anything is printed: whoever reads that may leave
            from ..output.page import write_report

            with Stages(verbose, spinner=not quiet) as stage_of_report, stage_of_report("report"):
                again = command_line(click.get_current_context(), (*NO_MATTER, *(DECIDED if start else ())))
                write_report(report, result, source.name, again)
    finally:  # whatever happened to the report, the model is there
        if json:
            print_json(training_record(result, stage.seconds))
        else:
            print_training(result, stage.seconds, source)
        code = note_skipped(result.skipped)
    return code
