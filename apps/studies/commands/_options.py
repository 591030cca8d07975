"""Options that the studies share."""

from functools import partial

import click

from ...common import options

command = partial(options.command, "fastsvm-studies")

HELP = """
The documents' data sets (usps.npz, cells/, prostate.npz, skin.tsv.gz, sentiment.txt, flame.csv, jain.csv)
are taken from the folder of --data; without it a study runs on what comes with fastsvm or with scikit-learn.

FOLDER gets pictures, tables, claims.csv, report.json and a page, report.html.

Parts that are done are kept in FOLDER/parts, in .npz files named by what they depend on: a run that was
ended goes on there. A folder with files of others is left alone.
"""

_DECORATORS = [
    click.option(
        "--data",
        type=click.Path(exists=True, file_okay=False),
        metavar="DIR",
        help="Folder with the documents' data sets.  [default: what comes along]",
    ),
    click.option(
        "--runs",
        type=click.IntRange(min=2),
        help="Repetitions of each experiment.  [default: those of the document]",
    ),
    options.seed_option,
    click.option("--quick", is_flag=True, help="A small version of it: fewer repetitions, less data."),
    click.option(
        "--threads", type=options.COUNT, metavar="N", help="Threads to use at once.  [default: all cores]"
    ),
    click.option("--fresh", is_flag=True, help="Compute all parts anew, whatever is kept of an earlier run."),
    options.json_option,
]


def study_options(default_folder: str):
    """Return a decorator that gives a command the options of a study.

    Parameters
    ----------
    default_folder : str
        Where results go unless -o says otherwise.
    """
    output = click.option(
        "-o", "--output", default=default_folder, metavar="FOLDER", help="Folder for the results."
    )

    def decorate(function):
        for add in reversed([*_DECORATORS[:-1], output, _DECORATORS[-1]]):
            function = add(function)
        return function

    return decorate
