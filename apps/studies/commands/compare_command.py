"""`fastsvm-studies compare`: solvers on data of one's own."""

import os
from math import isfinite

import click

from ...common import options
from ...common.csv_quoting import csv_text
from ...common.errors import USAGE, AppError
from ...common.files import replace_file
from ...common.matrix_reading import TABLE_OPTIONS, read_labelled
from ...common.paths import Continues, Reads
from ...common.printing import print_json, tidy_warnings
from ...common.progress import Stages, by_steps
from ...common.sections import Section, Table, print_sections
from .study_commands import command, thread_count

SOLVERS = ("sdca", "sdca-sgd", "pegasos", "pegasos-tail", "asdca", "perceptron")
NEAR_SHARE = 0.01  # of the optimum: what counts as solved
HOLDOUT = 0.25  # of the rows
PICTURES = {"excess": "seconds", "gap": "visits", "error": "seconds"}


@command("compare rows.svm", "compare table.csv --solvers sdca,pegasos -o ours")
@options.section(
    "Input", click.option("--scale", is_flag=True, help="Standardise dense columns first."), *TABLE_OPTIONS
)
@options.section(
    "Training",
    click.option(
        "--solvers",
        default="sdca,pegasos,asdca",
        metavar="NAMES",
        help=f"Solvers, with commas between them: {', '.join(SOLVERS)}.",
    ),
    click.option("--loss", type=options.LOSS, default="hinge", help="Loss that all are measured by."),
    click.option("--alpha", type=options.STRENGTH, default=1e-4, help="Strength of the regularisation."),
    click.option("--epochs", type=options.COUNT, default=20, help="Epochs of each run."),
    click.option("--runs", type=click.IntRange(min=2), default=10, help="Runs of each solver."),
)
@options.section(
    "Output",
    click.option("-o", "--output", type=Continues("folder"), default="comparison", help="For the results."),
    options.json_option,
)
@click.argument("file", type=Reads(), metavar="FILE")
def compare(file, solvers, scale, loss, alpha, epochs, runs, output, json, quiet, verbose, **config):
    """Compare solvers on the rows of FILE, run by run and epoch by epoch.

    FILE is svmlight (.svm, .libsvm), a table (.csv, .tsv), or .npz with X and y. A quarter of the rows is
    held out for the test error. FOLDER gets runs.csv (a line for each epoch of each run) and pictures.
    """
    import numpy as np

    from ...common.matplotlib_figures import figure
    from ..race import compare as race
    from ..report import study_folder

    models = {name: _solver_model(name, loss, alpha, epochs) for name in map(str.strip, solvers.split(","))}
    if set(models) == {"perceptron"}:
        raise AppError("--solvers: the perceptron minimises nothing; compare it with another", USAGE)
    table = {name: config.pop(name) for name in ("label_col", "header")}
    with tidy_warnings(), Stages(verbose, spinner=not quiet) as stage:
        with stage("read"):
            X, y, X_test, y_test = _read_and_split_rows(file, scale, table)
        study_folder.take_folder(output, "compare")
        measured = {"runs": runs, "loss": loss, "X_test": X_test, "y_test": y_test}
        threads = thread_count(config.get("threads", -1))
        with stage("run", total=runs * sum(model.max_iter for model in models.values())) as advance:
            try:
                found = race(models, X, y, n_jobs=threads, progress=by_steps(advance), **measured)
            except ValueError as error:
                raise AppError(f"{file}: {error}") from error
        with stage("draw"):
            found.to_csv(os.path.join(output, "runs.csv"))
            without_gap = np.isnan(found.table["gap"]).all()  # of all solvers
            for name, axis in PICTURES.items():
                if name != "gap" or not without_gap:
                    with figure(os.path.join(output, f"{name}.png"), (7.0, 4.5)) as sheet:
                        found.plot(axis, name, sheet.subplots())
        with stage("find the optimum"):
            rows = _solver_rows(found)
        header = list(rows[0])
        cells = [[value[0] if isinstance(value, list) else value for value in row.values()] for row in rows]
        replace_file(os.path.join(output, "solvers.csv"), csv_text([header, *cells]).encode())
    if json:
        optimum = {label: value for label, value in found.optimum.items() if isfinite(value)}
        print_json({"optimum": optimum, "near": NEAR_SHARE, "solvers": rows})
        return
    n, d = X.shape
    head = f"{n:,} rows, {d:,} columns; {len(y_test):,} rows for the test error"
    shown = [["-" if v is None else v if isinstance(v, str) else f"{v:.5g}" for v in row] for row in cells]
    files = f"{output}: {', '.join(sorted(os.listdir(output)))}"
    last = f"near: CPU seconds to {NEAR_SHARE:.0%} of the optimum. {files}"
    print_sections([Section(title=file, lines=[head], tables=[Table(header, shown)]), Section(lines=[last])])


def _solver_model(name, loss, alpha, epochs):
    """Return the model of a solver's name."""
    from fastsvm.fitting import ASDCA, SDCA, Pegasos, Perceptron

    if name not in SOLVERS:
        raise AppError(f"--solvers: no solver '{name}'; there are {', '.join(SOLVERS)}", USAGE)
    if name == "perceptron":
        return Perceptron(averaging="all", max_iter=epochs)
    shared = {"loss": loss, "alpha": alpha, "max_iter": epochs}
    if name.startswith("sdca"):
        return SDCA(sgd_init=name == "sdca-sgd", **shared)
    if name == "asdca":  # it needs a smooth loss
        return ASDCA(**shared | {"loss": {"hinge": "smooth_hinge"}.get(loss, loss)})
    if loss not in ("hinge", "log"):
        raise AppError(f"{name} minimises hinge or log, not {loss}; leave it out of --solvers", USAGE)
    return Pegasos(averaging="tail" if name == "pegasos-tail" else "last", **shared)


def _read_and_split_rows(file, scale, table):
    """Return the rows to run on and their labels, and those held out."""
    from scipy import sparse

    from fastsvm.fitting import Scaler

    from ...common.folds import random_split

    X, y, *_ = read_labelled(file, **table)
    try:
        train, test = random_split(len(y), HOLDOUT, 0, y.tolist())
    except ValueError as error:
        raise AppError(f"{file}: {HOLDOUT:g} of the rows cannot be held out: {error}") from error
    if scale and sparse.issparse(X):
        raise AppError(f"{file}: sparse columns cannot be centred; leave --scale out", USAGE)
    scaled = Scaler().fit(X[train]).transform if scale else lambda rows: rows
    return scaled(X[train]), y[train], scaled(X[test]), y[test]


def _solver_rows(found):
    """Return a row for each solver: means over its runs, with 95 % intervals, after the last epoch."""
    import numpy as np

    from ...common.statistics import mean_interval

    rows = []
    for label, coef in found.coef.items():
        own = found.table["solver"] == label
        lines = found.table[own].reshape(len(coef), -1)
        last, excess = lines[:, -1], np.median(found.excess[own].reshape(lines.shape), axis=0)
        near, gap = np.flatnonzero(excess <= NEAR_SHARE), float(last["gap"].mean())
        ends = {name: mean_interval(last[name].tolist()) for name in ("primal", "error")}
        rows.append(
            {
                "solver": label,
                "visits": int(last["visits"].max()),
                "steps": int(last["steps"].max()),
                "seconds": float(last["seconds"].mean()),
                "near": float(np.median(lines["seconds"][:, near[0]])) if len(near) else None,
                "objective": [float(last["primal"].mean()), *ends["primal"]],
                "gap": None if np.isnan(gap) else gap,
                "error": [float(last["error"].mean()), *np.clip(ends["error"], 0.0, 1.0).tolist()],
            }
        )
    return rows
