"""A command for each study, and `all`; they differ only in their names."""

import os
import shlex
from functools import partial
from importlib import import_module
from time import process_time

import click

from ...common import options
from ...common.errors import DONE, FAILED, USAGE, AppError
from ...common.paths import Continues, Reads
from ...common.printing import note, print_json, print_line
from ...common.progress import Stages

# What each study is about, in the order in which `all` runs them; `run` of its module returns a report.
STUDIES = {
    "cells": "White blood cells: SDCA against Pegasos",
    "digits": "Digits 5 against 6: Pegasos with an intercept",
    "kernels": "Ten digits: kernel Pegasos over a grid of kernels",
    "sentiment": "Sentiment of texts, and points in the plane: Pegasos",
    "solvers": "SDCA, ASDCA and Pegasos: which converges faster",
}
STUDIES_PACKAGE = __package__.rpartition(".")[0]
PARTS = "parts"  # folder of the finished parts
WITHOUT_DATA = (
    "note: without --data, synthetic smears, scikit-learn's digits, simulated rows and generated reviews "
    "replace the data sets of the papers; claims about them cannot be tested"
)
HELP = """
The data sets of the papers (usps.npz, cells/, prostate.npz, skin.tsv.gz, sentiment.txt,
flame.csv, jain.csv) are read from the folder given with --data. Without --data, a study runs on
the samples of fastsvm and scikit-learn.

FOLDER gets pictures, tables, claims.csv, report.json and a page, report.html.

Finished parts are kept in FOLDER/parts: an interrupted run resumes with the same command. Delete
FOLDER/parts to compute all parts again. A FOLDER with other files is refused.
"""

command = partial(options.command, "fastsvm-studies", only_in_config={"threads": None})


def study_options(default_folder: str):
    """Return a decorator that gives a command the options of a study, its results by default in a folder."""
    data = click.option(
        "--data",
        type=Reads(is_folder=True),
        metavar="DIR",
        help="Folder with the data sets of the papers.  [default: samples]",
    )
    runs = click.option(
        "--runs",
        type=click.IntRange(min=2),
        help="Repetitions of each experiment.  [default: the paper's number]",
    )
    quick = click.option("--quick", is_flag=True, help="Run a small version of the study.")
    output = click.option(
        "-o", "--output", type=Continues("folder"), default=default_folder, help="Folder for the results."
    )

    def decorate(function):
        function = options.section("Input", data)(function)
        function = options.section("Training", runs, options.seed_option, quick)(function)
        return options.section("Output", output, options.json_option)(function)

    return decorate


def study_command(name: str, title: str) -> click.Command:
    """Return the command of a study."""

    def run(output, json, **options):
        from ..report.study_pages import PAGE, print_verdicts

        record = run_study(name, output, **options)
        if json:
            print_json(record)
        else:
            print_verdicts(record, os.path.join(output, PAGE))

    run.__name__ = name
    run.__doc__ = f"{title}.\n{HELP}"
    again = click.option(
        "--from",
        "runs_file",
        type=Reads(),
        metavar="RUNS.csv",
        help="Draw and judge the runs of an earlier study again, without repeating them.",
    )
    run = study_options(name)(options.section("Input", again)(run))
    return command(name, f"{name} --data data --runs 20 -o results")(run)


@command("all --quick", "all --data data -o results")
@study_options("studies")
def all_studies(output, json, **options):
    """Run all studies, and write one page with their verdicts."""
    from ..report import output as folders
    from ..report.study_pages import PAGE, all_claims, claims_summary, print_verdicts, write_index_page

    folders.take_folder(output, "all")
    if options["data"] is None:
        note(WITHOUT_DATA)
    records, failed = [], []
    for name in STUDIES:
        place = os.path.join(output, name)
        try:
            records.append(run_study(name, place, **options))
        except AppError as error:
            note(f"{name}: {error.format_message()}")
            failed.append(name)
            continue
        if not json:
            print_verdicts(records[-1], os.path.join(place, PAGE))
    page = write_index_page(output, records)
    if json:
        print_json({"studies": records, "failed": failed})
    else:
        print_line(f"{claims_summary(all_claims(records))}: {page}")
    return FAILED if failed else DONE


all_studies.name = "all"
all_studies.help += f"\n{HELP}"


@click.command(cls=options.Command)
@click.argument("folder", type=Reads(is_folder=True))
@click.option(
    "-o", "--output", type=Continues("folder"), required=True, metavar="DOCS", help="Folder for the pages."
)
def gallery(folder, output):
    """Make Markdown pages from the reports in FOLDER.

    \b
    Examples:
      fastsvm-studies gallery studies -o docs/studies

    A page has the verdicts, the figures as small pictures, and the command to run the study again. README.md
    links to all pages in DOCS. Figures that show images or texts from the data are left out.
    """
    from ..report.docs_pages import write_gallery

    for path in write_gallery(folder, output):
        print_line(path)


def run_study(
    name: str, folder: str, *, stage: Stages, verbose: bool, threads: object = -1, runs_file=None, **choices
) -> dict:
    """Run a study, or read its runs from a file, and write the results; return their record."""
    from ...common.cache import Cache
    from ..report import output
    from ..report.study import Context, read_runs

    module = import_module(f".documents.{name}", STUDIES_PACKAGE)
    output.take_folder(folder, name)
    place = os.path.join(folder, PARTS)
    start = process_time()
    with stage:
        if runs_file:
            measured, how = read_runs(runs_file, name)
        else:
            try:
                context = Context(**choices, parts=Cache(place), threads=thread_count(threads), stage=stage)
                measured = module.measure(context)
            except KeyboardInterrupt:
                if os.path.isdir(place):
                    note(f"note: finished parts are kept in {place}; the same command resumes")
                raise
            how = {"command": command_line(name, **choices), "quick": context.quick, "seed": context.seed}
            # Of all threads; unknown for parts of an earlier run.
            how["cpu_seconds"] = None if context.taken_up else process_time() - start
        findings = module.findings(measured)
        record = output.record_study(name, module.TITLE, module.DOCUMENT, measured, findings, how)
        record["seconds"] = stage.seconds
        output.write_study_folder(folder, findings, measured, record, stage, keep=not runs_file)
    return record


def command_line(name: str, *, data: str | None, runs: int | None, seed: int, quick: bool) -> str:
    """Return the command that gives the same results again; DIR stands for the folder of the data."""
    words = ["fastsvm-studies", name, *(["--data", "DIR"] if data else [])]
    words += (["--runs", str(runs)] if runs else []) + ["--seed", str(seed)] + (["--quick"] if quick else [])
    return shlex.join([*words, "-o", name])


def thread_count(threads: object) -> int:
    """Return the number of threads that a file for --config gives; -1 is one per core."""
    from fastsvm.fitting import number_of_threads

    if threads != -1 and not (isinstance(threads, int) and threads >= 1):
        raise AppError("threads in --config must be a whole number of at least 1", USAGE)
    return number_of_threads(threads)
