"""`predict`: label texts as they arrive."""

import os
import sys
from collections import deque
from contextlib import nullcontext
from dataclasses import replace

import click

from ...common.dask_cluster import connected, map_shards, scheduler_option
from ...common.errors import AppError, Skipped
from ...common.files import open_output
from ...common.options import COUNT, FiniteFloat, Value, section
from ...common.paths import Reads, Writes
from ...common.printing import many, note, note_skipped, tidy_warnings, warn
from ...common.progress import Stages
from .. import checked_values
from ..data.corpus_batches import SHARD
from ..data.csv_tables import SEPARATORS
from ..data.unlabelled_texts import ANY_FORMAT, PLAIN, joined_batches, open_unlabelled
from ._options import command, remembering_source, source_options

LOOKED_AT = 1000  # texts, the first ones, whose known terms are counted
FATES = (  # of the inputs that are named, in records and in lines of text
    "left out, without a label, or predicted with bytes replaced",
    "predicted with those bytes replaced or left out",
)


@command(
    "predict reviews.safetensors new.csv --text-col review --proba -o scored.csv",
    "predict < new.txt | cut -f1 | sort | uniq -c",
)
@click.argument("arguments", metavar="[MODEL] [FILE]...", nargs=-1, type=Reads(depth=2))
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
        help="Print the probability of the label instead of its score. In tables and JSON, add the "
        "probability of every label.",
    ),
    click.option(
        "--threshold",
        type=FiniteFloat(),
        metavar="T",
        help="Binary models: predict the second label when its score (with --proba, its probability) is at "
        "least T.  [default: a score above 0]",
    ),
    click.option(
        "--unsure",
        type=Value("band", checked_values.probability_band),
        metavar="A-B|P",
        help="Write `unsure` instead of a label. Binary models: if the probability of the second label is "
        "from A to B. Other models: if the highest probability is below P.",
    ),
    click.option(
        "--strict",
        is_flag=True,
        help="Refuse texts that are mostly unknown to the model, such as those in another language.",
    ),
    click.option("--top", type=COUNT, default=1, metavar="N", help="Number of labels per text, best first."),
    click.option("--json", is_flag=True, help="Write one JSON object per text, each on a line of its own."),
    click.option(
        "-o",
        "--output",
        type=Writes("csv", "tsv", "jsonl", "text"),
        metavar="FILE",
        help="Write FILE, completely or not at all. The ending .csv, .tsv or .jsonl sets its format; "
        "otherwise the format is that of the input.  [default: stdout]",
    ),
)
@section("Cluster", scheduler_option)
def predict(
    arguments, source, proba, threshold, unsure, strict, top, json, output, scheduler, quiet, verbose
):
    """Predict the label of each text in FILE.

    FILE has any format that train reads, with or without labels, or one text per line. It may be gzipped. The
    default is stdin (-). MODEL is a file that train wrote; the default is `english`, a model of reviews that
    comes with fastsvm. It remembers the --text-col of its training. With two labels, a score above 0 means
    the second label in alphabetical order. With more labels, or with --top, each score belongs to the label
    beside it.

    For plain text, each input line produces one output line: label, tab, score. Output is written as soon as
    it is ready. Tables keep their columns and JSON objects their keys; label and score are added, and with
    --proba p(LABEL) or probabilities. A text without any term of the model has the note `no known term`.
    Other formats become a table. A record without a text keeps its place and gets no label. Overlong lines
    are truncated. With --scheduler the output is identical but arrives in larger chunks.
    """
    from ..measures import prediction

    model_path, files = _model_and_files(arguments)
    if json and output:
        Writes("jsonl").check(output, "-o with --json")
    choices = {"proba": proba, "threshold": threshold, "unsure": unsure}
    spinner = not quiet and not (sys.stdout.isatty() and output is None)
    code = 0
    with tidy_warnings(), Stages(verbose, spinner) as stage:
        with stage("load"):
            model = prediction.load_scorer(model_path)
            prediction.check_choices(model, **choices)
            about = prediction.about_model(model_path)
            few, source = prediction.few_terms_per_word(about), remembering_source(source, about)
            # What streams comes in batches too small for threads; workers have a shard for each.
            if scheduler is None and all(map(os.path.isfile, files)):
                prediction.use_all_cores(model)
        cluster = nullcontext() if scheduler is None else connected(scheduler)
        with stage("predict"), cluster as client, open_output(output or "-") as file:
            form = "objects" if json else _form_of_file(output)
            run = _PredictionRun(model, choices, top, file, form, few, strict)
            skipped = run.predict([replace(source, path=path) for path in files], client)
    for each in skipped:
        code = max(code, note_skipped(each))
    if run.is_strange:
        warn(f"{run.why_strange}: their labels are guesses")
    elif run.n_unknown:
        note(f"{many(run.n_unknown, 'text')} without a word the model knows got the label of the intercept")
    return code


class _PredictionRun:
    """Predict one file after the other; the first decides on the form of all."""

    def __init__(self, model, choices, top, file, form, few, strict):
        self._model, self._choices, self._top, self._file, self._form = model, choices, top, file, form
        self._few, self._strict = few, strict
        self._writer = self._first = None
        self._n_looked_at = self._n_strange = self.n_unknown = 0
        self._held = []

    def predict(self, sources, client=None):
        """Predict files, here or on a cluster, and return what is to be said of each."""
        from ..measures.prediction import classify_shard

        skipped, waiting = [], deque()
        shared = self._model, self._choices
        if client is None:
            shards = self._read_shards(sources, skipped, waiting)
            answers = (classify_shard(shard, *shared) for shard in shards)
        else:
            shards = self._read_shards(sources, skipped, waiting, SHARD)
            answers = map_shards(client, classify_shard, shards, *shared)
        for found in answers:
            batch, as_it_stands = waiting.popleft()
            self.n_unknown += int((found.n_terms == 0).sum()) - len(batch.missing)
            self._held.append((batch, found, as_it_stands))
            if self._n_looked_at < LOOKED_AT:
                self._look(batch.texts[: LOOKED_AT - self._n_looked_at])
            if self._n_looked_at == LOOKED_AT or not self._strict:
                self._write_held()
        self._write_held()
        return skipped

    @property
    def is_strange(self):
        """Whether the model knows few words of most of the first texts."""
        return 2 * self._n_strange > self._n_looked_at

    @property
    def why_strange(self):
        """The same for people."""
        first = "the first " if self._n_looked_at == LOOKED_AT else ""
        found = f"{self._n_strange:,} of {first}{many(self._n_looked_at, 'text')}"
        return f"the model knows few words in {found} (another language or subject?)"

    def _look(self, texts):
        from ..measures.prediction import known_terms

        n_terms, n_words = known_terms(self._model, texts)
        self._n_looked_at += len(texts)
        self._n_strange += int((n_terms < self._few * n_words).sum())

    def _write_held(self):
        """Write what waits, unless the texts are to be refused."""
        if self.is_strange and self._strict:
            raise AppError(self.why_strange)
        for batch, found, as_it_stands in self._held:
            self._writer.write(batch, found, as_it_stands=as_it_stands)
        self._held = []

    def _read_shards(self, sources, all_skipped, waiting, size=0):
        """Yield the texts of files; what is to be written beside their labels waits."""
        from ..measures.prediction import PlacedTexts

        for source in sources:
            skipped = Skipped(source.name)
            all_skipped.append(skipped)
            n = n_missing = 0
            with open_unlabelled(source, skipped) as (format, columns, batches, separator):
                skipped.fate = FATES[format == PLAIN]
                as_it_stands = self._begin_file(source, format, columns, separator)
                for batch in joined_batches(batches, size) if size else batches:
                    waiting.append((batch, as_it_stands))
                    n, n_missing = n + len(batch.texts), n_missing + len(batch.missing)
                    yield PlacedTexts(source.name, batch.texts, batch.places)
            if n and n == n_missing:
                why = f"no text, read as {format} ({skipped.named[0]})"
                raise AppError(f"{source.name}: {why}; choose with --text-col or --format")

    def _begin_file(self, source, format, columns, separator):
        """Prepare for a file; tell whether its records may be written as they stand."""
        from ..output.prediction_writer import PredictionWriter, output_form

        if self._writer is None:
            form = self._form or output_form(format)
            self._first = source.name, columns
            if form == "objects":
                form, columns = "jsonl", None if format == PLAIN else columns
            labels = [str(label) for label in self._model.classes_.tolist()]
            self._separator = separator if form == format else SEPARATORS.get(form, "")[:1]
            choices = {"proba": self._choices["proba"], "top": self._top, "separator": self._separator}
            self._writer = PredictionWriter(self._file, form, columns, labels, **choices)
        elif columns != self._first[1]:
            raise AppError(f"{source.name}: has other columns than {self._first[0]}; predict it by itself")
        return separator is not None and separator == self._separator


def _model_and_files(arguments):
    """Return the model's path, None for the one that comes along, and the files."""
    from ..measures.prediction import SHIPPED_NAME, is_model_file

    if not arguments:
        return None, ["-"]
    first, *files = arguments
    is_input = first == "-" or os.path.isdir(first) or (os.path.isfile(first) and not is_model_file(first))
    if first == SHIPPED_NAME or not is_input:
        return first, files or ["-"]
    return (first, files) if files else (None, [first])


def _form_of_file(path):
    from ..output.prediction_writer import FORMS

    ending = os.path.splitext(path or "")[1].lower()[1:]
    return ending if ending in FORMS else None
