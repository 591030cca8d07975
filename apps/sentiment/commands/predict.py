"""`predict`: label texts as they arrive."""

import os
import shlex
import sys
from contextlib import nullcontext
from dataclasses import replace

import click
from click.core import ParameterSource

from ...common.dask_cluster import connected, scheduler_option
from ...common.errors import DONE, USAGE, AppError
from ...common.files import open_output
from ...common.options import COUNT, FiniteFloat, Value, section
from ...common.paths import Reads, Writes
from ...common.printing import many, note, note_skipped, warn, written
from .. import checked_values
from ..data.corpus import ANY_FORMAT
from ._options import command, remembering_source, source_options

UNLIKE_NEXT = "proba", "threshold", "unsure", "strict", "top", "scheduler"  # options of other outputs


@command(
    "predict reviews.safetensors new.csv --proba -o scored.csv",
    "predict < new.txt | cut -f1 | sort | uniq -c",
)
@click.argument("arguments", metavar="[MODEL] [FILE]...", nargs=-1, type=Reads())
@source_options(
    labelled=False,
    formats=ANY_FORMAT,
    what="FILE",
    told="detected from the name and the first lines; stdin: one text per line",
)
@section(
    "Output",
    click.option(
        "--proba",
        is_flag=True,
        help="Print the probability of the label instead of the score. In tables and JSON, add the "
        "probability of every label.",
    ),
    click.option(
        "--threshold",
        type=FiniteFloat(),
        metavar="T",
        help="Two labels: predict the second if its score (with --proba, its probability) is at least T. "
        "Several labels per text: predict each label whose score is at least T.  [default: a score above 0, "
        "or above the threshold of the label]",
    ),
    click.option(
        "--unsure",
        type=Value("band", checked_values.probability_band),
        metavar="A-B|P",
        help="Write `unsure` instead of a label. Two labels: if the probability of the second is from A to "
        "B. More labels: if the highest probability is below P.",
    ),
    click.option(
        "--strict",
        is_flag=True,
        help="Refuse texts that are mostly unknown to the model, such as those in another language.",
    ),
    click.option("--top", type=COUNT, default=1, metavar="N", help="Number of labels per text, best first."),
    click.option(
        "--next",
        "n_next",
        type=COUNT,
        metavar="N",
        help="Write the N texts to label next instead: those with the least certain labels, without near "
        "copies. Fill in the column `label`; `train` then reads the file.",
    ),
    click.option("--json", is_flag=True, help="Write one JSON object per text, each on a line of its own."),
    click.option(
        "-o",
        "--output",
        type=Writes("csv", "tsv", "jsonl", "text"),
        metavar="FILE",
        help="Write FILE (atomically). The ending .csv, .tsv or .jsonl sets its format; "
        "otherwise FILE has the format of the input.  [default: stdout]",
    ),
)
@section("Cluster", scheduler_option)
def predict(arguments, source, output, scheduler, n_next, stage, verbose, **options):
    """Predict the label of each text in FILE.

    FILE has any format that `train` reads, with or without labels, or one text per line. FILE may be gzipped;
    the default is stdin (-). MODEL is a file that `train` wrote; the default is `english`, the model of
    reviews that comes with fastsvm. A model remembers the --text-col of its training. With two labels, a
    score above 0 means the second label in alphabetical order. With more labels, or with --top, each score
    belongs to the label beside it. With several labels per text, all labels above their thresholds are
    written, the best first, joined by the model's --label-sep; the score belongs to the best label. In
    JSON, the labels are a list, `labels`.

    For plain text, each input line produces one output line: label, tab, score. Output is written as soon as
    it is ready. Tables keep their columns and JSON objects their keys; label and score are added. --proba
    also adds p(LABEL) to tables and `probabilities` to objects. A text without any term of the model gets
    the note `no known term`. Other formats become a table. A record without a text keeps its place and gets
    no label. Overlong lines are truncated. With --scheduler the output is identical but arrives in larger
    chunks.
    """
    from ..jobs.text_prediction import TextPrediction
    from ..measures import prediction
    from ..measures.drift import TextWatch
    from ..output.prediction_writer import FORMS, PredictionWriter

    model_path, files = _model_and_files(arguments)
    if options["json"] and output:
        Writes("jsonl").check(output, "-o with --json")
    origin = click.get_current_context().get_parameter_source
    given = [name for name in UNLIKE_NEXT if origin(name) is not ParameterSource.DEFAULT]
    if n_next and given:
        raise AppError(f"--next writes texts to label, and does not support --{given[0]}", USAGE)
    choices = {name: options[name] for name in ("proba", "threshold", "unsure")}
    if files == ["-"] and sys.stdin.isatty():
        note(f"type a text and press Enter; Ctrl-D ends (model: {model_path or prediction.SHIPPED_NAME})")
    stage.spinner &= not (sys.stdout.isatty() and output is None)
    with stage:
        with stage("load"):
            model = prediction.load_scorer(model_path)
            prediction.check_choices(model, **choices)
            about = prediction.about_model(model_path)
            watch, source = TextWatch(model, about), remembering_source(source, about)
            sources = [replace(source, path=path) for path in files]
            # Batches of a stream are too small for threads. Each worker of a cluster has its own shard.
            if scheduler is None and all(map(os.path.isfile, files)):
                prediction.use_all_cores(model)
        if n_next:
            return _write_next_texts(model, about, sources, n_next, output, options["json"])
        cluster = nullcontext() if scheduler is None else connected(scheduler)
        with stage("predict"), cluster as client, open_output(output or "-") as file:
            ending = os.path.splitext(output or "")[1].lower()[1:]
            form = "objects" if options["json"] else ending if ending in FORMS else None
            labels, shown = [*map(str, model.classes_)], {name: options[name] for name in ("proba", "top")}
            if prediction.thresholds_of(model) is not None:
                shown["separator"] = prediction.separator_of_model(about)
            writer = PredictionWriter(file, form, labels, **shown)
            job = TextPrediction(model, choices, writer, watch, options["strict"])
            skipped = job.predict(sources, client)
    code = max(map(note_skipped, skipped), default=DONE)
    for line in written(output):
        note(line)
    if told := watch.strangeness:
        warn(f"{told}: their labels are guesses")
        return code
    warn(*filter(None, [watch.difference]))
    if job.n_unknown:
        unknown = many(job.n_unknown, "text")
        note(f"{unknown} without a word that the model knows: the label follows from the intercept alone")
    return code


def _write_next_texts(model, about, sources, n, output, as_json):
    """Write the texts to label next, and return the exit code."""
    from ..jobs.next_texts import texts_to_label
    from ..output.next_output import write_next_texts

    texts, skipped = texts_to_label(model, about, sources, n)
    write_next_texts(output or "-", texts, as_json)
    if len(texts) < n:
        note(f"{many(len(texts), 'text')}: all others are training texts of the model, or nearly the same")
    return max(map(note_skipped, skipped), default=DONE)


def _model_and_files(arguments):
    """Return the model's path, None for the included one, and the files."""
    from ..measures.prediction import SHIPPED_NAME, is_model_file

    for word in arguments:
        if not (os.path.exists(word) or "." in word or word in ("-", SHIPPED_NAME)):
            told = f"{word}: no such file; for a text: echo {shlex.quote(word)} | fastsvm-sentiment predict"
            raise AppError(told, USAGE)
    if not arguments:
        return None, ["-"]
    first, *files = arguments
    is_input = first == "-" or (os.path.exists(first) and not is_model_file(first))
    if first == SHIPPED_NAME or not is_input:
        return first, files or ["-"]
    return (first, files) if files else (None, [first])
