"""A command for each study, and `all`: they share everything but their name."""

import os
import shlex
from collections.abc import Mapping
from importlib import import_module
from time import process_time
from types import MappingProxyType

import click

from ...common.errors import DONE, FAILED, AppError
from ...common.printing import note, print_json, tidy_warnings
from ...common.progress import Stages
from ..frame.study_list import STUDIES, Study
from .study_options import HELP, WITHOUT_DATA, command, study_options, threads_of

STUDIES_PACKAGE = __package__.rpartition(".")[0]
PARTS = "parts"  # the folder of what is finished


def study_command(name: str, study: Study) -> click.Command:
    """Return the command of a study."""

    def run(output, json, **options):
        from ..output.printed_verdicts import print_verdicts
        from ..output.study_folder import PAGE

        choices = {choice: options.pop(choice) for choice in study.choices}
        record = run_study(name, study, output, choices=choices, **options)
        if json:
            print_json(record)
        else:
            print_verdicts(record, os.path.join(output, PAGE))

    run.__name__ = name
    run.__doc__ = f"{study.title}.\n{HELP}"
    run = study_options(name)(run)
    for choice, (values, words) in study.choices.items():
        option = click.option(f"--{choice}", type=click.Choice(values), default=values[0], help=words)
        run = option(run)
    return command(name, f"{name} --data data --runs 20 -o results", only_in_config={"threads": None})(run)


@command("all --quick", "all --data data -o results", only_in_config={"threads": None})
@study_options("studies")
def all_studies(output, json, **options):
    """Run all studies, one after the other, and make one page of their verdicts."""
    from ..output import study_folder
    from ..output.printed_verdicts import print_all_verdicts, print_verdicts

    study_folder.take_folder(output, "all")
    if options["data"] is None and not options["quiet"]:
        note(WITHOUT_DATA)
    records, failed = [], []
    for name, study in STUDIES.items():
        place = os.path.join(output, name)
        try:
            records.append(run_study(name, study, place, **options))
        except AppError as error:
            note(f"{name}: {error.format_message()}")
            failed.append(name)
            continue
        if not json:
            print_verdicts(records[-1], os.path.join(place, study_folder.PAGE))
    study_folder.write_index_files(output, records)
    if json:
        print_json({"studies": records, "failed": failed})
    else:
        print_all_verdicts(records, os.path.join(output, study_folder.INDEX))
    return FAILED if failed else DONE


all_studies.name = "all"
all_studies.help += f"\n{HELP}"


def run_study(name: str, study: Study, folder: str, *, quiet: bool, verbose: bool, **options) -> dict:
    """Run a study and write its results; return their record."""
    from ...common.cache import Cache
    from ..frame.study_context import Context
    from ..output import study_folder
    from ..output.study_record import record_study

    study_folder.take_folder(folder, name)
    place = os.path.join(folder, PARTS)
    threads = threads_of({"threads": options.pop("threads", -1)})
    start = process_time()
    with tidy_warnings(), Stages(verbose, spinner=not quiet) as stage:
        try:
            context = Context(**options, parts=Cache(place), threads=threads, stage=stage)
            report = import_module(study.module, STUDIES_PACKAGE).run(context)
        except KeyboardInterrupt:
            if os.path.isdir(place):
                note(f"note: finished parts are kept in {place}; the same command resumes")
            raise
        how = {"command": command_line(name, **options), "quick": options["quick"], "seed": options["seed"]}
        # Of all threads; nobody knows what parts of an earlier run took.
        how["cpu_seconds"] = None if context.taken_up else process_time() - start
        record = record_study(report, how, stage.seconds)
        study_folder.write_study_folder(folder, report, record, stage)
    return record


def command_line(
    name: str,
    *,
    data: str | None,
    runs: int | None,
    seed: int,
    quick: bool,
    choices: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Return the command that gives the same results again; the folder of the data may lie elsewhere then."""
    words = ["fastsvm-studies", name, *(["--data", "DIR"] if data else [])]
    words += ["--runs", str(runs)] if runs else []
    for choice, value in choices.items():
        words += [f"--{choice}", value]
    words += ["--seed", str(seed), *(["--quick"] if quick else []), "-o", name]
    return shlex.join(words)
