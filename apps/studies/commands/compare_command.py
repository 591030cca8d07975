"""`fastsvm-studies compare`: compare solvers on your own data."""

import os
import shlex
import sys

import click

from ...common import options
from ...common.errors import USAGE, AppError
from ...common.matrix_reading import TABLE_OPTIONS, read_labelled
from ...common.paths import ROWS, Continues
from ...common.printing import note
from ...common.sections import Section, tell
from .study_commands import command, thread_count

SOLVERS = ("sdca", "sdca-sgd", "pegasos", "pegasos-tail", "asdca", "perceptron")
LOSSES = (*options.LOSS.choices, "modified_huber")
HOLDOUT = 0.25  # of the rows
UNEVEN = 10  # times the spread of another column: from here on solvers take more epochs


@command("compare rows.svm", "compare table.csv --scale --alpha 1,0.1,0.01 -o ours")
@options.section(
    "Input", click.option("--scale", is_flag=True, help="Standardise dense columns first."), *TABLE_OPTIONS
)
@options.section(
    "Training",
    click.option(
        "--solvers",
        default="sdca,pegasos,asdca",
        metavar="NAMES",
        help=f"Comma-separated solvers: {', '.join(SOLVERS)}.",
    ),
    click.option("--loss", type=click.Choice(LOSSES), default="hinge", help="Loss of all solvers."),
    click.option("--alpha", default="0.1", metavar="LIST", help="Comma-separated regularisation strengths."),
    click.option("--epochs", type=options.COUNT, default=50, help="Epochs of each run."),
    click.option("--runs", type=click.IntRange(min=6), default=10, help="Runs of each solver."),
    click.option("--batch-size", type=options.COUNT, help="Mini-batch size of Pegasos and ASDCA."),
    click.option(
        "--order",
        type=click.Choice(("permutation", "random", "cyclic", "batches")),
        help="Order of the rows.",
    ),
    click.option("--averaging", type=click.Choice(("last", "tail", "random")), help="The iterate to return."),
    click.option(
        "--kernel", type=click.Choice(("rbf", "poly")), help="Also compare kernel machines with this kernel."
    ),
)
@options.section(
    "Output",
    click.option("-o", "--output", type=Continues("folder"), default="comparison", help="Folder to write."),
    options.json_option,
)
@click.argument("file", type=ROWS, metavar="FILE")
def compare(file, solvers, scale, alpha, output, json, stage, verbose, **config):
    """Compare solvers on the rows of FILE, epoch by epoch.

    FILE is an svmlight file (.svm, .libsvm), a table (.csv, .tsv), or an .npz file with X and y. A quarter of
    the rows is held out for the test error. ASDCA needs a smooth loss: in place of the hinge it minimises the
    smoothed hinge, and is measured by it. FOLDER gets report.html (a page with a paragraph to quote),
    pictures, solvers.csv, and runs.csv with every run at every epoch.
    """
    from ..race import own_rows
    from ..report import output as folders
    from ..report.study_pages import PAGE, print_wrapped, table_cells

    table = {name: config.pop(name) for name in ("label_col", "header")}
    threads = thread_count(config.pop("threads", -1))
    names = ("batch_size", "order", "averaging")
    chosen = {name: value for name in names if (value := config.pop(name)) is not None}
    kernel = config.pop("kernel") or ""
    settings = own_rows.Settings(
        _solvers(solvers), alphas=_strengths(alpha), options=chosen, kernel=kernel, **config
    )
    for name in settings.solvers:
        own_rows.model_of(name, settings, settings.alphas[0])  # refuses what the solver does not support
    with stage:
        with stage("read"):
            parts = own_rows.Parts(*_read_and_split_rows(file, scale, table))
        folders.take_folder(output, "compare")
        total = len(settings.alphas) * len(own_rows.names_of(settings))
        with stage("run", total=total) as advance:
            try:
                measured = own_rows.measure(os.path.basename(file), parts, settings, threads, advance)
            except ValueError as error:
                raise AppError(f"{file}: {error}") from error
        found, (best, said) = own_rows.findings(measured), own_rows.quote(os.path.basename(file), measured)
        command = shlex.join(["fastsvm-studies", *sys.argv[1:]])
        how = {"command": command, "quick": False, "seed": 0, "cpu_seconds": None}
        title = f"Solvers compared on {os.path.basename(file)}"
        record = folders.record_study("compare", title, best, measured, found, how)
        record["data"] = said
        record["seconds"] = stage.seconds
        folders.write_study_folder(output, found, measured, record, stage)
    page = os.path.join(output, PAGE)
    tables = [table_cells(each) for each in record["tables"]]
    for text in () if json else (best, "", said, ""):
        print_wrapped(text)
    return tell(json, record, [Section(tables=tables), Section(lines=[page])])


def _solvers(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name not in SOLVERS:
            raise AppError(f"--solvers: unknown solver '{name}'; choose from {', '.join(SOLVERS)}", USAGE)
    if set(names) == {"perceptron"}:
        raise AppError("--solvers: the perceptron has no objective; compare it with another solver", USAGE)
    return names


def _strengths(text: str) -> list[float]:
    try:
        return [options.STRENGTH(word) for word in text.split(",")]
    except click.BadParameter as error:
        message = f"--alpha: '{text}' is not a list of numbers above 0, such as 1,0.1,0.01"
        raise AppError(message, USAGE) from error


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
        raise AppError(f"{file}: sparse columns cannot be centred; leave out --scale", USAGE)
    if not scale and not sparse.issparse(X):
        _advise_scaling(X[train])
    scaled = Scaler().fit(X[train]).transform if scale else lambda rows: rows
    return scaled(X[train]), y[train], scaled(X[test]), y[test]


def _advise_scaling(X) -> None:
    """Advise --scale if the spreads of columns differ greatly: all solvers need more epochs then."""
    spreads = X.std(axis=0)
    spreads = spreads[spreads > 0]
    if len(spreads) and (times := spreads.max() / spreads.min()) > UNEVEN:
        note(f"note: the spreads of columns differ by a factor of {times:,.0f}; --scale makes them alike")
