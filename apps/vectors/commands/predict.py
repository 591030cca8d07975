"""`predict`: labels of new rows."""

import click

from ...common.errors import AppError
from ...common.files import replace_file
from ...common.options import section
from ...common.paths import Reads, Writes
from ...common.printing import note, percent, plain_rows, print_rows, shortened, warn
from . import _options


@_options.command("predict a9a.safetensors a9a.t -o labels.txt", "predict a9a.model - --proba < a9a.t")
@click.argument("model", type=Reads())
@_options.file_argument
@section(
    "Output",
    click.option(
        "-o", "--output", type=Writes("text"), metavar="FILE", help="File for the labels.  [default: stdout]"
    ),
    click.option("--proba", is_flag=True, help="Add the probability of each label; needs the log loss."),
    click.option("--scores", is_flag=True, help="Add the scores."),
)
def predict(source, stage, model, output, proba, scores):
    """Predict a label for each row of FILE.

    If FILE has labels, the accuracy is printed to stderr. A CSV table has labels if it has one column more
    than MODEL.
    """
    import numpy as np

    from ...common.training_items import count_learned, row_hashes, too_good
    from ..vector_models import load_vector_model

    with stage("read"):
        loaded, columns = load_vector_model(model), {}
        classifier = loaded.model
        X, y, *_ = source.read(zero_based=loaded.zero_based, model=classifier)
    with stage("predict"):
        found = classifier.predict(X)
        labels = [*map(str, found.tolist())]
        header = [*map(str, classifier.classes_.tolist())]
        if proba:
            try:
                columns |= dict(zip(header, classifier.predict_proba(X).T.tolist(), strict=True))
            except AttributeError:
                raise AppError(f"{model}: has no probabilities; fit a model with --loss log") from None
        if scores:
            names = [f"score:{name}" for name in header[-1 if len(header) == 2 else 0 :]]
            rows = classifier.decision_function(X).reshape(len(found), -1)
            columns |= dict(zip(names, rows.T.tolist(), strict=True))
    if y is not None and "U" in (y.dtype.kind, found.dtype.kind):  # numbers beside a word are words
        found, y = np.array(labels), y.astype(str)
    n_right = None if y is None else int(np.count_nonzero(found == y))
    if y is not None and (unknown := sorted({*map(str, y.tolist())} - {*map(str, classifier.classes_)})):
        note(f"labels unknown to the model: {shortened(', '.join(unknown), 80)}; such rows count as mistakes")
    learned = count_learned(row_hashes(X), loaded.about) if loaded.about and y is not None else None
    warn(too_good(learned, len(found), "row"))
    record = {"rows": len(found), "right": n_right, "learned": learned, "labels": labels, "columns": columns}
    separator = "\t" if any(" " in name for name in columns) else " "  # LIBLINEAR's, where that can be split
    header = [["labels", *columns]] if columns else []
    numbers = zip(labels, *columns.values(), strict=True)
    rows = [*header, *([label, *(f"{value:.6g}" for value in row)] for label, *row in numbers)]
    if output is not None:
        replace_file(output, plain_rows(rows, separator).encode())

    def show():
        if output is None:
            print_rows(rows, separator)
        if n_right is not None:
            note(f"Accuracy = {percent(n_right / len(found))} ({n_right:,}/{len(found):,})")

    return record, show
