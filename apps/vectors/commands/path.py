"""`path`: the solutions for a range of C."""

import io

import click

from ...common.files import replace_file
from ...common.options import COUNT, options_of_fields, section
from ...common.paths import Writes
from ...common.sections import Section, Table
from . import _options


@_options.command("path a9a", "path a9a -n 10 -o path.npz", "path a9a --penalty l1")
@_options.file_argument
@section(
    "Training",
    *options_of_fields(_options.MachineSettings, "loss", "penalty", "l1_ratio"),
    click.option("-n", "--number", type=COUNT, default=20, help="Number of values of C."),
    *options_of_fields(_options.MachineSettings, "tol"),
)
@section("Output", click.option("-o", "--output", type=Writes("npz"), help="File for all coefficients."))
def path(source, stage, loss, penalty, l1_ratio, number, tol, output):
    """Find certified solutions for a range of values of C.

    The machines are linear, and FILE has two labels. The smallest C comes first. The accuracy is measured
    on FILE. With --penalty l1 or elasticnet, nonzero is the number of columns with a nonzero weight.
    """
    import numpy as np

    from fastsvm.fitting import sdca_path

    with stage("read"):
        X, y, *_ = source.read(labelled=True)
    with stage("fit"):
        options = {"loss": loss or "squared_hinge", "n_alphas": number, "tol": tol, "random_state": 0}
        options |= {"penalty": penalty or "l2", "l1_ratio": l1_ratio}
        found, labels = sdca_path(X, y, **options), np.unique(y)
    columns = {"C": 1 / (found.alphas * len(y)), "alpha": found.alphas, "objective": found.objectives}
    columns |= {"relative_gap": found.dual_gaps / found.objectives, "epochs": found.n_iters}
    if penalty in ("l1", "elasticnet"):
        columns["nonzero"] = np.count_nonzero(found.coefs, axis=1)
    above = X @ found.coefs.T + found.intercepts > 0
    columns["accuracy"] = np.mean(labels[above.astype(int)] == y[:, None], axis=0)
    if output is not None:
        file = io.BytesIO()
        np.savez(file, labels=labels, **found._asdict())
        replace_file(output, file.getvalue())
    record = {name: column.tolist() for name, column in columns.items()}
    lines = [[f"{value:.5g}" for value in row] for row in zip(*record.values(), strict=True)]
    return record, [Section(tables=[Table([*record], lines, words=())])]
