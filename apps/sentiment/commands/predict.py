"""`predict`: labels of texts as they arrive."""

import sys
from json import dumps

import click

from ...common.errors import Skipped
from ...common.options import FiniteRange
from ...common.output import many, note, note_skipped, printable, tidy_warnings
from ...common.progress import Stages
from ..data.lines import MIB, arriving_texts, open_binary
from ._options import command, max_expansion_option, max_line_option


@command("predict reviews.safetensors new.txt", "predict < new.txt | cut -f1 | sort | uniq -c")
@click.argument("model", required=False)
@click.argument("file", default="-")
@click.option(
    "--proba", is_flag=True, help="Probabilities instead of scores; of models trained with the log loss."
)
@click.option(
    "--threshold",
    type=FiniteRange(),
    metavar="T",
    help="Of two labels, give the second from this score, or with --proba this probability of it, upwards."
    "  [default: above a score of 0, a probability of .5]",
)
@click.option("--json", is_flag=True, help="Write a JSON object for each text, on a line of its own.")
@max_line_option
@max_expansion_option
def predict(model, file, proba, threshold, json, max_line_mib, max_expansion, quiet, verbose):
    """Write the label and the score of each text in FILE.

    One text a line comes in; a line of label, tab and score goes out for each, as soon as it can. MODEL is
    a file that train wrote or, by default, `english`, a model of reviews that comes along. FILE may be
    gzipped, and is stdin when it is - or left out. Of two labels, a score above 0 means the second in
    alphabetical order; of more, the score is that of the label given.

    With --proba the second column is the probability of the label given. With --json a line has the keys
    label and score, and with --proba probabilities, of every label. Of a line that is too long the beginning
    counts.
    """
    from ..model import prediction

    name = "<stdin>" if file == "-" else file
    skipped = Skipped(name, fate="predicted with those bytes replaced or left out")
    n_unknown = n_done = 0
    spinner = not quiet and not sys.stdout.isatty()
    with tidy_warnings(), Stages(verbose, spinner) as stage:
        with stage("load"):
            model = prediction.load_scorer(model)
            prediction.check_choices(model, proba, threshold)
            lines = _json_lines if json else _lines
            labels = [str(label) for label in model.classes_.tolist()]
        with stage("predict"), open_binary(file, max_expansion) as stream:
            for texts in arriving_texts(stream, skipped, limit=max_line_mib * MIB):
                found = prediction.classify(
                    model,
                    texts,
                    proba=proba,
                    threshold=threshold,
                    place=lambda i, n=n_done: f"{name}, line {n + i + 1:,}",
                )
                n_done += len(texts)
                n_unknown += found.n_unknown
                sys.stdout.writelines(lines(found, labels))
                sys.stdout.flush()
    code = note_skipped(skipped)
    if n_unknown:
        note(f"{many(n_unknown, 'text')} without a word the model knows got the label of the intercept")
    return code


def _lines(found, labels):
    names = [printable(label) for label in labels]
    values = found.scores
    if found.probabilities is not None:
        values = found.probabilities[range(len(values)), found.winners]
    for winner, value in zip(found.winners.tolist(), values.tolist(), strict=True):
        yield f"{names[winner]}\t{value:.6g}\n"


def _json_lines(found, labels):
    for i, (winner, score) in enumerate(zip(found.winners.tolist(), found.scores.tolist(), strict=True)):
        record = {"label": labels[winner], "score": score}
        if found.probabilities is not None:
            record["probabilities"] = dict(zip(labels, found.probabilities[i].tolist(), strict=True))
        yield dumps(record, allow_nan=False) + "\n"
