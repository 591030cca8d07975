"""`fit`: from rows to a certified model."""

import click

from ...common.options import STRENGTH, section
from ...common.paths import Writes, default_output
from ...common.printing import certificate_line, many, next_line, percent
from ...common.sections import Section
from . import _options

ENDINGS = (".svm", ".svmlight", ".libsvm", ".csv", ".tsv", ".npz")

OUTPUT = (
    "Model file to write, in LIBLINEAR's format unless it ends with .safetensors.  [default: the name of "
    "FILE with .safetensors, in the current folder]"
)


@_options.command(
    "fit a9a -c 0.1 -o a9a.model",
    "fit train.csv.gz --kernel rbf --gamma 0.05 -o train.safetensors",
    "fit a9a -s 3 -w1 2 -v 5",
    "fit a9a --penalty l1 --loss log",
    letter_v=False,
)
@_options.file_argument
@_options.training_options(
    click.option("-c", "--cost", type=STRENGTH, default=1.0, help="C, the weight of the losses.")
)
@section(
    "Evaluation",
    click.option("-v", "--folds", type=_options.FOLDS, metavar="N", help="Cross-validate; write no model."),
)
@section(
    "Output",
    click.option("-o", "--output", type=Writes("safetensors", "liblinear"), metavar="MODEL", help=OUTPUT),
)
def fit(source, stage, cost, folds, output, **options):
    """Fit a certified linear or kernel machine.

    `fit` minimises 1/2 ||w||^2 + C sum_i phi(y_i (w.x_i + b0)), where phi is the --loss. This is the
    objective of LIBSVM and, apart from the intercept, of LIBLINEAR. The intercept b0 is not regularised. With
    --penalty l1 the first term is ||w||_1. More than two labels are learned one against the rest.
    """
    from .. import vector_models

    settings = _options.MachineSettings(**options)
    is_linear = settings.kernel == "linear"
    if folds is None:
        output = output or default_output(source.path, ENDINGS)
    with stage("read"):
        rows = source.read(labelled=True, plain=folds is None and is_linear)
        X, y, *_ = rows
    if folds is not None:
        with stage("cross-validate", total=folds) as advance:
            share = float(vector_models.cross_validate(X, y, folds, [cost], advance, settings).mean())
        told = f"Cross Validation Accuracy = {percent(share)}"
        return {"folds": folds, "accuracy": share}, [Section(lines=[told])]
    model = vector_models.make_model(y, cost, settings)
    penalty = getattr(model, "penalty", "l2")
    vector_models.check_liblinear_has(output, y[:1].tolist(), is_linear, (model.loss, penalty))
    with stage("fit"):
        model.fit(X, y)
    with stage("write"):
        if rows.names:
            model.feature_names_in_ = rows.names
        vector_models.save_vector_model(model, output, {"zero_based": rows.zero_based}, X)
    (n, d), gaps = X.shape, model.dual_gap_ / model.objective_
    gaps = gaps if isinstance(gaps, float) else gaps.tolist()
    labels = [*map(str, model.classes_.tolist())]
    record = {"model": output, "rows": n, "columns": d, "labels": labels, "loss": model.loss}
    record |= {"alpha": model.alpha, "relative_gap": gaps, "epochs": model.n_iter_, "seconds": stage.seconds}
    told = f"{many(n, 'row')}, {many(d, 'column')}, {many(len(labels), 'label')}, {model.loss} loss"
    if penalty != "l2":
        record |= {"penalty": penalty, "nonzero": int(model.coef_.any(axis=0).sum())}
        told += f", {many(record['nonzero'], 'column')} with a weight"
    lines = [told, f"certificate: {certificate_line(gaps)}", f"model: {output}", next_line("-v", "5")]
    return record, [Section(lines=lines)]
