"""Options that the studies share."""

from functools import partial

import click

from ...common import options
from ...common.errors import USAGE, AppError
from ...common.paths import Continues, Reads

command = partial(options.command, "fastsvm-studies")

WITHOUT_DATA = (
    "note: without --data, drawn smears, scikit-learn's digits, made rows and generated reviews stand in for "
    "the documents' data sets; claims about those cannot be tested"
)
HELP = """
The documents' data sets (usps.npz, cells/, smears/labels_checked.csv, prostate.npz, skin.tsv.gz,
sentiment.txt, flame.csv, jain.csv) are taken from the folder of --data. Without it a study runs on the
samples of fastsvm and scikit-learn.

FOLDER gets pictures, tables, claims.csv, report.json and a page, report.html.

Finished parts are kept in FOLDER/parts: an interrupted run resumes with the same command. Delete the
folder to compute all parts again. A folder with other files is left alone.
"""


def study_options(default_folder: str):
    """Return a decorator that gives a command the options of a study.

    Parameters
    ----------
    default_folder : str
        Where results go unless -o says otherwise.
    """

    def decorate(function):
        for title, *decorators in (
            (
                "Input",
                click.option(
                    "--data",
                    type=Reads(is_folder=True),
                    metavar="DIR",
                    help="Folder with the documents' data sets.  [default: samples]",
                ),
            ),
            (
                "Training",
                click.option(
                    "--runs",
                    type=click.IntRange(min=2),
                    help="Repetitions of each experiment.  [default: those of the document]",
                ),
                options.seed_option,
                click.option("--quick", is_flag=True, help="Run a small version of the study."),
            ),
            (
                "Output",
                click.option(
                    "-o",
                    "--output",
                    type=Continues("folder"),
                    default=default_folder,
                    help="Folder for the results.",
                ),
                options.json_option,
            ),
        ):
            function = options.section(title, *decorators)(function)
        return function

    return decorate


def threads_of(config: dict[str, object]) -> int:
    """Return the number of threads that a file for --config gives, or that of the cores."""
    from fastsvm.fitting import number_of_threads

    threads = config.get("threads", -1)
    if threads != -1 and not (isinstance(threads, int) and threads >= 1):
        raise AppError("threads in --config must be a whole number of at least 1", USAGE)
    return number_of_threads(threads)
