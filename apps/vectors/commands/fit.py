"""`fit`: from rows to a certified model."""

import os

import click

from ...common.errors import USAGE, AppError
from ...common.files import check_is_file
from ...common.options import STRENGTH, json_option, section
from ...common.printing import certificate_line, many, percent, print_json
from . import _options


@_options.command(
    "fit a9a -c 0.1 -o a9a.model",
    "fit train.csv.gz --kernel rbf --gamma 0.05 -o train.safetensors",
    "fit a9a -s 3 -w1 2 -v 5",
    letter_v=False,
)
@click.argument("file")
@_options.reading_options
@_options.training_options(
    click.option("-c", "--cost", type=STRENGTH, default=1.0, help="C, the weight of the losses.")
)
@section(
    "Evaluation",
    click.option(
        "-v",
        "folds",
        type=click.IntRange(min=2),
        metavar="N",
        help="Write no model; print how many labels are predicted right in N-fold cross-validation.",
    ),
)
@section(
    "Output",
    click.option(
        "-o",
        "--output",
        metavar="MODEL",
        help="Model file to write, in LIBLINEAR's format unless it ends with .safetensors.  [default: the "
        "name of FILE with .safetensors, in the current folder]",
    ),
    json_option,
)
def fit(file, format, zero_based, cost, folds, output, json, quiet, verbose, **options):
    """Fit a linear or kernel machine to the rows of FILE, to a proven distance from the optimum.

    It minimises 1/2 ||w||^2 + C sum_i phi(y_i (w.x_i + b0)), like LIBLINEAR and LIBSVM; b0 is not
    regularised. With more than two labels, each has a problem against the others.
    """
    from ..data.vector_models import check_vector_model_path, save_vector_model
    from ..learning.training import cross_validate, make_model

    check_is_file(output, "a model")
    if output is None and file == "-":
        raise AppError("a model of stdin has no name; give one with -o", USAGE)
    name = os.path.basename(file).removesuffix(".gz")
    root, ending = os.path.splitext(name)
    plain = root if ending in (".svm", ".svmlight", ".libsvm", ".csv", ".tsv", ".npz") else name
    output = output or f"{plain}.safetensors"
    if folds is None:
        check_vector_model_path(output)
    with _options.working(file, quiet, verbose) as stage:
        with stage("read"):
            X, y, zero_based = _options.labelled_rows(file, format, zero_based)
        if folds is not None:
            with stage("cross-validate", total=folds) as advance:
                share = float(cross_validate(X, y, folds, [cost], advance, **options).mean())
            if json:
                print_json({"folds": folds, "accuracy": share})
            else:
                print(f"Cross Validation Accuracy = {percent(share)}")
            return
        with stage("fit"):
            model = make_model(y, cost=cost, **options).fit(X, y)
        with stage("write"):
            save_vector_model(model, output, zero_based)
    gaps = model.dual_gap_ / model.objective_
    gaps = gaps if isinstance(gaps, float) else gaps.tolist()
    if json:
        labels = [*map(_options.shown_label, model.classes_.tolist())]
        record = {"model": output, "rows": X.shape[0], "columns": X.shape[1], "labels": labels}
        record |= {"loss": model.loss, "alpha": model.alpha, "gap": gaps, "epochs": model.n_iter_}
        print_json(record | {"seconds": stage.seconds})
        return
    n, d = X.shape
    print(f"{n:,} rows, {d:,} columns, {many(len(model.classes_), 'label')}, {model.loss} loss")
    print(certificate_line(gaps))
    print(f"{output}: written")
