"""`train`: from a corpus to a tested and saved model."""

import shlex
import warnings

import click

from ...common.errors import AppError, is_shortage
from ...common.options import LAST_SECTION, json_option, section
from ...common.paths import Writes, default_output
from ...common.printing import warn
from ...common.sections import tell
from . import _options


@_options.command(
    "train reviews.csv",
    "train reviews.csv.gz --text-col review --label-col stars",
    only_in_config=_options.ONLY_IN_CONFIG,
)
@click.argument("corpus", type=_options.LABELLED)
@section("Input", *_options.reading_options())
@_options.setting_options("Recipe")
@_options.setting_options("Training")
@_options.setting_options("Evaluation")
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
def train(corpus, output, report, json, stage, verbose, **options):
    """Train a model on the labelled texts of CORPUS, and test it.

    The model is trained again on all texts, and saved. CORPUS is a file or a folder, or - for stdin. A file
    may be gzipped.
    """
    output = output or default_output(corpus)
    checkpoint = options.get("checkpoint")
    given = {name: value for name, value in options.items() if value not in (None, ())}
    given |= {"save_to": output, "learning_curve": bool(report)}
    try:
        from .. import api
        from ..output.training_output import brief_sections, training_record, training_sections

        with stage:
            warnings.simplefilter("ignore", api.TrainingWarning)  # printed below
            model = api.train(corpus, stage=stage, **given)
            result, seconds = model.training, stage.seconds
    except KeyboardInterrupt:
        later = f"; the same command resumes from {checkpoint}" if checkpoint else ""
        raise AppError(f"interrupted; no model was written{later}") from None
    except Exception as error:
        if options["stream"] or options["scheduler"] or not is_shortage(error):
            raise
        raise AppError("out of memory; give --stream, which needs less, or add memory") from None
    warn(*result.warnings)
    try:
        if report:  # before anything is printed: its reader may leave
            with stage, stage("report"):
                model.report(report, _reproducing_command(click.get_current_context()))
    finally:  # whatever happened to the report, the model is there
        shown = training_sections(result, seconds) if verbose else brief_sections(result)
        code = tell(json, training_record(result, seconds), shown, result.skipped)
    return code


def _reproducing_command(context: click.Context) -> str:
    """Return the command line that gives the same model, with every option that affects the result.

    Defaults are included, since another version may have others.

    Parameters
    ----------
    context : click.Context
        The context of the command that runs.
    """
    from ..settings import spelled_setting

    words = [*context.command_path.split(), context.params["corpus"]]
    for option in context.command.params:
        name, value = max(option.opts, key=len), context.params.get(option.name)
        if getattr(option, "section", LAST_SECTION) not in ("Output", LAST_SECTION):
            for word in value if option.multiple else [value]:
                if word is True:
                    words.append(name)
                elif word is not None and word is not False:  # a 0 is said
                    words += [name, spelled_setting(word)]
    if context.meta.get("needs_config"):
        words += ["--config", context.meta["config"]]
    return shlex.join(words)
