"""`predict`: labels of new rows."""

import click

from ...common.errors import AppError
from ...common.files import check_file, replace_file
from ...common.options import json_option, section
from ...common.printing import note, percent, print_json
from . import _options


@_options.command(
    "predict a9a.safetensors a9a.t -o labels.txt",
    "predict a9a.model a9a.t --proba",
    "predict a9a.safetensors - < a9a.t",
)
@click.argument("model")
@click.argument("file")
@_options.reading_options
@section(
    "Output",
    click.option("-o", "--output", metavar="FILE", help="File for the labels.  [default: stdout]"),
    click.option("--proba", is_flag=True, help="Add the probability of each label (models of the log loss)."),
    click.option("--scores", is_flag=True, help="Add the scores."),
    json_option,
)
def predict(model, file, format, zero_based, output, proba, scores, json, quiet, verbose):
    """Predict the label of each row of FILE, a line each.

    If FILE has labels, their share of right predictions goes to stderr. A CSV table has them if it has a
    column more than MODEL.
    """
    import numpy as np

    from ...common.matrix_reading import read_matrix
    from ..data.vector_models import load_vector_model

    if output is not None:
        check_file(output)
    with _options.working(file, quiet, verbose) as stage:
        with stage("load"):
            loaded = load_vector_model(model)
        classifier = loaded.model
        zero_based = loaded.zero_based if zero_based is None else zero_based
        with stage("read"):
            rows = read_matrix(file, format, zero_based=zero_based, n_features=classifier.n_features_in_)
            X, y = rows.X, rows.y
        with stage("predict"):
            found = classifier.predict(X)
            names = [*map(_options.shown_label, classifier.classes_.tolist())]
            columns, header = {}, ["labels"]
            if proba:
                try:
                    columns["probabilities"] = classifier.predict_proba(X)
                except AttributeError:
                    raise AppError(f"{model}: has no probabilities; fit one with --loss log") from None
                header += names
            if scores:
                columns["scores"] = classifier.decision_function(X).reshape(len(found), -1)
                header += [f"score:{name}" for name in (names[1:] if len(names) == 2 else names)]
        n_right = None if y is None else int(np.count_nonzero(found == y))
    labels = [*map(_options.shown_label, found.tolist())]
    lines = labels
    if columns:
        numbers = np.hstack([*columns.values()]).tolist()
        rows = zip(labels, numbers, strict=True)
        lines = [" ".join(header), *(" ".join([label, *(f"{v:.6g}" for v in row)]) for label, row in rows)]
    if output is not None:
        replace_file(output, "".join(f"{line}\n" for line in lines).encode())
    elif not json:
        print("\n".join(lines))
    if json:
        share = None if n_right is None else n_right / len(found)
        record = {"rows": len(found), "right": n_right, "accuracy": share}
        if output is None:
            record |= {"labels": labels} | {name: rows.tolist() for name, rows in columns.items()}
        print_json(record)
    elif n_right is not None:
        note(f"Accuracy = {percent(n_right / len(found))} ({n_right:,}/{len(found):,})")
