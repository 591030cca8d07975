"""`fastsvm-studies compare`: solvers on data of one's own."""

import click

from ...common import options
from ...common.errors import USAGE, AppError
from ...common.output import note, print_json, tidy_warnings
from ...common.progress import Stages, by_steps
from ._options import command

LOSSES = ("hinge", "squared_hinge", "smooth_hinge", "log")
SHARE = options.FiniteRange(min=0, max=1, min_open=True, max_open=True)


@command("compare rows.svm", "compare table.csv --label-col kind --solvers sdca,pegasos -o ours --runs 20")
@click.argument("file", type=click.Path(exists=True, dir_okay=False), metavar="FILE")
@click.option(
    "--solvers",
    default="sdca,pegasos,asdca",
    metavar="NAMES",
    help="Of sdca, sdca-sgd, pegasos, pegasos-tail, asdca and perceptron, with commas between them.",
)
@click.option("--loss", type=click.Choice(LOSSES), default="hinge", help="What all are measured by.")
@click.option("--alpha", type=options.STRENGTH, default=1e-4, help="Strength of the regularisation.")
@click.option("--epochs", type=options.COUNT, default=20, help="Epochs of each run.")
@click.option("--runs", type=click.IntRange(min=2), default=10, help="Runs of each solver.")
@click.option("--batch-size", type=options.COUNT, default=1, help="Rows a step of pegasos and asdca.")
@click.option("--intercept/--no-intercept", default=True, help="Whether scores have an intercept.")
@click.option("--scale", is_flag=True, help="Bring dense columns to mean 0 and variance 1 first.")
@click.option(
    "--test", type=click.Path(exists=True, dir_okay=False), metavar="FILE", help="Rows for the error."
)
@click.option("--holdout", type=SHARE, help="Share of the rows held out for the error.  [default: .25]")
@click.option(
    "--label-col", metavar="COLUMN", help="Of a CSV file: name, or number from 1.  [default: the last]"
)
@options.seed_option
@click.option(
    "--threads", type=options.COUNT, metavar="N", help="Threads to use at once.  [default: all cores]"
)
@click.option("-o", "--output", default="comparison", metavar="FOLDER", help="Folder for the results.")
@options.json_option
def compare(
    file, solvers, test, holdout, label_col, scale, seed, threads, output, json, quiet, verbose, **more
):
    """Compare solvers on the rows of FILE, run by run and epoch by epoch.

    FILE is svmlight (.svm, .libsvm), CSV or TSV with a column of labels, each also .gz, or .npz with X and y.
    FOLDER gets runs.csv (a line for each epoch of each run), solvers.csv and pictures.
    """
    from ..frame.comparing import is_unscaled, summaries
    from ..output import comparing, folder, pictures

    if test and holdout:
        raise AppError("give --test or --holdout, not both", USAGE)
    models, runs = _models(solvers, **more), more["runs"]
    pictures.check_drawing()
    with tidy_warnings(), Stages(verbose, spinner=not quiet) as stage:
        with stage("read"):
            rows, test_rows = _read(file, test, holdout or 0.25, label_col, seed, scale)
        folder.take(output, "compare")
        comparison = _run(file, models, rows, test_rows, stage, more["loss"], runs, seed, threads)
        with stage("find the optimum"):
            found = summaries(comparison)
        with stage("draw"):
            written = comparing.write_comparison(output, comparison, found)
    if json:
        print_json(comparing.record_of(comparison, found))
        return
    if "asdca" in models and more["loss"] == "hinge":
        note("asdca minimises the smooth hinge; its objective is the hinge's at what it returns")
    if not scale and is_unscaled(rows.X):
        note("note: columns vary on very different scales; --scale brings them to one")
    n, d = rows.X.shape
    optima = dict.fromkeys(f"{value:.6g}" for value in comparison.optimum.values())
    facts = (
        f"{n:,} rows, {d:,} columns; {len(test_rows.y):,} rows for the test error",
        f"{runs} runs of {more['epochs']} epochs, {more['loss']}, alpha {more['alpha']:g}",
        f"optimum {', '.join(optima)}",
    )
    comparing.print_comparison(file, facts, found)
    print(f"{output}: {', '.join(written)}")


def _models(solvers, *, loss, alpha, epochs, batch_size, intercept, runs):
    from ..frame.comparing import SOLVERS, Settings, make_solver

    names = [name.strip() for name in solvers.split(",")]
    for name in names:
        if name not in SOLVERS:
            raise AppError(f"--solvers: no solver '{name}'; there are {', '.join(SOLVERS)}", USAGE)
    if set(names) == {"perceptron"}:
        raise AppError("--solvers: the perceptron minimises nothing; compare it with another", USAGE)
    settings = Settings(loss, alpha, epochs, batch_size, intercept)
    return {name: make_solver(name, settings) for name in names}


def _read(file, test, holdout, label_column, seed, scale):
    from ..data.matrices import Labelled, read_matrix
    from ..frame.comparing import check_alike, scaled, split_rows

    rows = read_matrix(file, label_column)
    if test:
        test_rows = read_matrix(test, label_column, rows.X.shape[1])
        check_alike(file, rows, test, test_rows)
    else:
        rows, test_rows = (Labelled(*part) for part in split_rows(file, *rows, holdout, seed))
    if scale:
        rows, test_rows = (Labelled(*part) for part in scaled(file, rows, test_rows))
    return rows, test_rows


def _run(file, models, rows, test_rows, stage, loss, runs, seed, threads):
    from fastsvm.fitting import number_of_threads
    from fastsvm_apps.studies.race import compare as compare_solvers

    with stage("run", total=runs * sum(model.max_iter for model in models.values())) as advance:
        try:
            return compare_solvers(
                models,
                *rows,
                runs=runs,
                X_test=test_rows.X,
                y_test=test_rows.y,
                loss=loss,
                n_jobs=number_of_threads(threads or -1),
                random_state=seed,
                progress=by_steps(advance),
            )
        except ValueError as error:
            raise AppError(f"{file}: {error}") from error
