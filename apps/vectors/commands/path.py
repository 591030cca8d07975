"""`path`: the solutions for a range of C."""

import io

import click

from ...common.files import check_file, replace_file
from ...common.options import COUNT, FiniteRange, json_option, section
from ...common.printing import print_json, print_table
from . import _options


@_options.command("path a9a", "path a9a --test a9a.t -n 10 -o path.npz")
@click.argument("file")
@_options.reading_options
@section(
    "Training",
    _options.loss_option,
    click.option("-n", "--number", type=COUNT, default=20, help="Solutions."),
    click.option(
        "--range",
        "eps",
        type=FiniteRange(0, 1, min_open=True, max_open=True),
        default=1e-4,
        help="The smallest C as a share of the largest.",
    ),
    _options.tol_option,
)
@section("Evaluation", click.option("--test", metavar="FILE", help="Rows to predict with each solution."))
@section(
    "Output",
    click.option("-o", "--output", metavar="FILE.npz", help="File for alphas, coefs and intercepts."),
    json_option,
)
def path(file, format, zero_based, loss, number, eps, tol, test, output, json, quiet, verbose):
    """Find certified solutions for a range of C, the least first; of linear machines, for two labels."""
    import numpy as np

    from fastsvm.fitting import sdca_path

    if output is not None:
        check_file(output)
    with _options.working(file, quiet, verbose) as stage:
        with stage("read"):
            X, y, zero_based = _options.labelled_rows(file, format, zero_based)
            tested = {"accuracy": (X, y)}
            if test is not None:
                tested["test"] = _options.labelled_rows(test, format, zero_based, X.shape[1])[:2]
        with stage("fit"):
            options = {"loss": loss or "squared_hinge", "n_alphas": number, "eps": eps, "tol": tol}
            found = sdca_path(X, y, random_state=0, **options)
            labels = np.unique(y)
            columns = {
                "C": 1 / (found.alphas * len(y)),
                "alpha": found.alphas,
                "objective": found.objectives,
                "gap": found.dual_gaps / found.objectives,
                "epochs": found.n_iters,
            }
            for name, (rows, truth) in tested.items():
                above = rows @ found.coefs.T + found.intercepts > 0
                columns[name] = np.mean(labels[above.astype(int)] == truth[:, None], axis=0)
        if output is not None:
            file = io.BytesIO()
            np.savez(file, labels=labels, **found._asdict())
            replace_file(output, file.getvalue())
    if json:
        print_json({name: column.tolist() for name, column in columns.items()})
    else:
        rows = zip(*(column.tolist() for column in columns.values()), strict=True)
        print_table([*columns], [[f"{value:.5g}" for value in row] for row in rows], text_columns=())
